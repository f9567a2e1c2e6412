import { createContext, use } from 'react'

const KEY = 'broken-pictures'
const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000
const MAX_PICTURES = 20

/**
 * Whether this picture failed to load in this browser within the last 7 days.
 * @param path of the picture; only the hash at its end is stored, which names no member
 */
export function isBrokenPicture(path: string): boolean {
	try {
		const list: [hash: string, at: number][] = JSON.parse(localStorage.getItem(KEY) ?? '[]')
		return list.some(([hash, at]) => path.endsWith(`/${hash}`) && Date.now() - at < MAX_AGE_MS)
	} catch {
		return false
	}
}

/**
 * An inline script in the head of each page: replaces a member's picture that fails by the initials, and remembers the newest 20,
 * which are not requested again. It must run before the pictures are requested. Those are lazy, so the browser requests none before
 * layout.
 */
export function BrokenPicturesScript() {
	const text = `(${watchPictures})(${JSON.stringify([KEY, MAX_AGE_MS, MAX_PICTURES]).slice(1, -1)})`
	return <script nonce={use(NonceContext)} dangerouslySetInnerHTML={{ __html: text }} />
}

/** Runs standalone in the browser, without access to this module. */
function watchPictures(key: string, maxAge: number, maxPictures: number): void {
	const read = (): [hash: string, at: number][] => {
		try {
			const list: [string, number][] = JSON.parse(localStorage.getItem(key) ?? '[]')
			return list.filter(([, at]) => Date.now() - at < maxAge)
		} catch {
			return []
		}
	}
	const hashOf = (picture: Element) => /([0-9a-f]{32})-\d+\.webp$/.exec(picture.getAttribute('src') ?? '')?.[1] ?? ''
	const note = ({ target }: Event) => {
		if (!(target instanceof HTMLImageElement && target.closest('.avatar'))) return
		target.hidden = true
		// Without a network every picture fails, which says nothing about this one.
		if (!navigator.onLine) return
		const hash = hashOf(target)
		const others = read().filter(([known]) => known !== hash)
		try {
			localStorage.setItem(key, JSON.stringify([...others, [hash, Date.now()]].slice(-maxPictures)))
		} catch {
			// without storage the picture is requested again
		}
	}
	// Error events do not bubble, but can be captured on the document.
	document.addEventListener('error', note, true)
	const broken = new Set(read().map(([hash]) => hash))
	if (broken.size === 0) return
	const observer = new MutationObserver(() => {
		for (const picture of document.querySelectorAll<HTMLElement>('.avatar > img'))
			if (broken.has(hashOf(picture))) picture.hidden = true
	})
	observer.observe(document, { childList: true, subtree: true })
	document.addEventListener('DOMContentLoaded', () => observer.disconnect())
}

/** The nonce of the rendered page for inline scripts of the frame; undefined in a browser, which hides it. */
export const NonceContext = createContext<string | undefined>(undefined)
