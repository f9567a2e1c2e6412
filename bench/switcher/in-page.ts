/* The part of the switcher's benchmark that runs in the page, and observes what is on the screen. */

declare global {
	interface Window {
		/**
		 * Waits for the frame in which the switcher shows the results for a text.
		 * @returns milliseconds from the last key's event to that frame, with the times of the request and of the response in between; `shown`
		 * is null without results
		 */
		shownAfter: (text: string) => Promise<SwitcherTimes>
	}
}

/** Milliseconds since the last key. */
export interface SwitcherTimes {
	asked: number
	answered: number
	shown: number | null
}

/** A response of `/suggest/everything`, with the times of the request and the response. */
interface Answer {
	urls: string[]
	askedAt: number
	answeredAt: number
}

/**
 * Runs before the page's scripts: records the last key, and reads the switcher's responses. Self-contained, as it is serialized into the
 * page.
 */
export function watchSwitcher(): void {
	let lastKey = 0
	const waiting = new Map<string, (answer: Answer) => void>()
	addEventListener('keydown', (event) => (lastKey = event.timeStamp), { capture: true })
	const ask = window.fetch
	window.fetch = async (...args) => {
		const askedAt = performance.now()
		const response = await ask(...args)
		const { pathname, searchParams } = new URL(String(args[0]), location.href)
		const resolve = pathname === '/suggest/everything' ? waiting.get(searchParams.get('q') ?? '') : undefined
		if (!resolve) return response
		const answeredAt = performance.now()
		if (!response.ok) throw new Error(`The switcher was answered ${response.status}.`)
		const kinds = (await response.clone().json()) as Record<string, { url: string }[]>
		resolve({ urls: Object.values(kinds).flatMap((rows) => rows.map(({ url }) => url)), askedAt, answeredAt })
		return response
	}
	/** Whether the list contains a response completely and in order. */
	const areShown = (urls: string[]) => {
		const shown = [...document.querySelectorAll('dialog [role=option]')].map((option) => option.getAttribute('href'))
		const wanted = new Set<string | null>(urls)
		return shown.filter((url) => wanted.has(url)).join('\n') === urls.join('\n')
	}
	const listed = (urls: string[]) =>
		new Promise<void>((resolve) => {
			const look = () => {
				if (!areShown(urls)) return
				observer.disconnect()
				resolve()
			}
			const observer = new MutationObserver(look)
			observer.observe(document, { childList: true, subtree: true, attributes: true })
			look()
		})
	/** A frame's rendering is on the screen when the next task runs. */
	const drawn = () =>
		new Promise<void>((resolve) => {
			requestAnimationFrame(() => {
				const { port1, port2 } = new MessageChannel()
				port1.onmessage = () => resolve()
				port2.postMessage(null)
			})
		})
	window.shownAfter = async (text) => {
		const { urls, askedAt, answeredAt } = await new Promise<Answer>((resolve) => waiting.set(text.trim(), resolve))
		waiting.delete(text.trim())
		const waited = { asked: askedAt - lastKey, answered: answeredAt - lastKey, shown: null }
		if (urls.length === 0) return waited
		await listed(urls)
		await drawn()
		return { ...waited, shown: performance.now() - lastKey }
	}
}
