import { use, useEffect, useLayoutEffect } from 'react'
import { NonceContext } from '~/ui/broken-pictures.tsx'

declare global {
	interface Window {
		/** The button that was pressed last before the scripts were there. */
		earlyButton?: HTMLElement | null
	}
}

/**
 * The script that stands in the head of each page: a button that does nothing without the page's scripts is noted when it is
 * pressed before they are there, as on a slow network, and pressed again once they are. Buttons that send a form or open a
 * popover work without scripts and are left alone.
 */
export function EarlyClicksScript() {
	return <script nonce={use(NonceContext)} dangerouslySetInnerHTML={{ __html: `(${noteEarlyClicks})()` }} />
}

/** Runs alone in the browser: it sees nothing of this file. */
function noteEarlyClicks(): void {
	window.earlyButton = null
	const note = ({ target }: Event) => {
		if (window.earlyButton === undefined) return document.removeEventListener('click', note, true)
		const button = (target as Element).closest<HTMLElement>('button[type=button]:not([popovertarget])')
		if (button) window.earlyButton = button
	}
	document.addEventListener('click', note, true)
}

/** What is typed into text areas until React has taken the page over: it sets each to what the server wrote there. */
const typed = new Map<HTMLTextAreaElement, string>()
let pressed: HTMLElement | null | undefined

function noteTyped({ target }: Pick<Event, 'target'>): void {
	if (target instanceof HTMLTextAreaElement && target.value !== target.defaultValue) typed.set(target, target.value)
}

/** Takes note of what the reader did so far. To be called in the same task that begins to hydrate: React has the clicks from then on. */
export function noteEarlyInput(): void {
	for (const target of document.querySelectorAll('textarea')) noteTyped({ target })
	document.addEventListener('input', noteTyped)
	pressed = window.earlyButton
	window.earlyButton = undefined
}

/**
 * After the router: puts back what was typed early, presses the button that was pressed early, and marks the document, so that
 * whoever drives a browser can wait for that.
 */
export function Hydrated() {
	useLayoutEffect(() => {
		document.removeEventListener('input', noteTyped)
		for (const [area, text] of typed) {
			if (area.value === text) continue
			// As by hand: React listens to the element's own setter to tell that from a change of its own.
			Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set?.call(area, text)
			area.dispatchEvent(new Event('input', { bubbles: true }))
		}
		typed.clear()
	}, [])
	useEffect(() => {
		document.documentElement.dataset.hydrated = ''
		if (pressed?.isConnected) pressed.click()
		pressed = null
	}, [])
	return null
}
