/* What the benchmark of the switcher does within the page, as a member's eyes would. */

declare global {
	interface Window {
		/**
		 * Waits for the picture in which the switcher shows what the server found for a text.
		 * @returns milliseconds from the last key's event to that picture, with what of it went by until the page asked and until the
		 * answer was there; `shown` is null where nothing was found
		 */
		shownAfter: (text: string) => Promise<Waited>
	}
}

/** Milliseconds since the last key. */
export interface Waited {
	asked: number
	answered: number
	shown: number | null
}

/** An answer of `/suggest/everything`, and when it was asked for and came. */
interface Answer {
	urls: string[]
	askedAt: number
	answeredAt: number
}

/**
 * To be run before the scripts of a page: notes the last key, and reads the switcher's answers along with it. Everything that it needs
 * stands within it.
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
	/** Whether all of an answer is in the list, in its order. */
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
	/** What is drawn in a frame is on the screen when the next task after it runs. */
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
