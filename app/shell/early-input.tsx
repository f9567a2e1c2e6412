import { use, useEffect, useLayoutEffect } from 'react'
import { NonceContext } from '~/ui/broken-pictures.tsx'

declare global {
	interface Window {
		/** The last button that was pressed before the scripts had loaded. */
		earlyButton?: HTMLElement | null
		/** Ctrl or ⌘ K, pressed before the page was hydrated. */
		earlyKey?: KeyboardEvent | null
		/** Path and query of the document, without the fragment. */
		documentPath: string
	}
}

/**
 * An inline script in the head of each page: remembers which page this is, and a button or key that needs the page's scripts and is
 * pressed before they have loaded, as on a slow network; it is pressed again later. Buttons that send a form or open a popover work
 * without scripts, and are left alone.
 */
export function EarlyInputScript() {
	return <script nonce={use(NonceContext)} dangerouslySetInnerHTML={{ __html: `(${noteEarlyPress})()` }} />
}

/** Runs standalone in the browser, without access to this module. */
function noteEarlyPress(): void {
	window.documentPath = location.pathname + location.search
	window.earlyButton = null
	const note = ({ target }: Event) => {
		if (window.earlyButton === undefined) return document.removeEventListener('click', note, true)
		const button = (target as Element).closest<HTMLElement>('button[type=button]:not([popovertarget])')
		if (button) window.earlyButton = button
	}
	document.addEventListener('click', note, true)
	window.earlyKey = null
	const noteKey = (event: KeyboardEvent) => {
		if (window.earlyKey === undefined) return document.removeEventListener('keydown', noteKey, true)
		const { key, ctrlKey, metaKey, shiftKey, altKey } = event
		const isIn = (fields: string) => (event.target as Element).matches(fields)
		// As the search in the header. In most text areas this shortcut inserts a link.
		if (/^k$/i.test(key) && ctrlKey !== metaKey && !shiftKey && !altKey && !isIn('textarea')) {
			event.preventDefault()
			window.earlyKey = event
		} else if (isIn('input, textarea')) window.earlyKey = null // Who writes on must not lose the focus.
	}
	document.addEventListener('keydown', noteKey, true)
}

/**
 * Whether the browser went to another address since the document was requested, as when Back is pressed twice and React Router had
 * added both entries: the browser then keeps the document. React Router would show its data as those of the new address.
 */
export function hasAddressChanged(): boolean {
	return window.documentPath !== location.pathname + location.search
}

/** Text typed before hydration: React sets each text area to what the server rendered. */
const typed = new Map<HTMLTextAreaElement, string>()
let pressed: HTMLElement | null | undefined

function noteTyped({ target }: Pick<Event, 'target'>): void {
	if (target instanceof HTMLTextAreaElement && target.value !== target.defaultValue) typed.set(target, target.value)
}

/** Records what the reader did so far. Call it in the task that begins hydration: React handles later clicks. */
export function noteEarlyInput(): void {
	for (const target of document.querySelectorAll('textarea')) noteTyped({ target })
	document.addEventListener('input', noteTyped)
	pressed = window.earlyButton
	window.earlyButton = undefined
}

/**
 * Rendered after the router: restores text that was typed early, replays the early press of a button or key, and marks the document
 * as hydrated for browser tests.
 */
export function Hydrated() {
	useLayoutEffect(() => {
		document.removeEventListener('input', noteTyped)
		for (const [area, text] of typed) {
			if (area.value === text) continue
			// Like a user: React intercepts the element's own setter to recognize its own changes.
			Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set?.call(area, text)
			area.dispatchEvent(new Event('input', { bubbles: true }))
		}
		typed.clear()
	}, [])
	useEffect(() => {
		document.documentElement.dataset.hydrated = ''
		if (pressed?.isConnected) pressed.click()
		pressed = null
		const { earlyKey } = window
		window.earlyKey = undefined
		if (earlyKey) document.dispatchEvent(new KeyboardEvent('keydown', earlyKey))
	}, [])
	return null
}
