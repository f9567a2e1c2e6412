import { StrictMode, startTransition, useEffect, useLayoutEffect } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { HydratedRouter } from 'react-router/dom'
import { guardRouter } from './shell/guarded.ts'

/** What is typed into text areas until React has taken the page over: it sets each to what the server wrote there. */
const typed = new Map<HTMLTextAreaElement, string>()

function noteTyped({ target }: Pick<Event, 'target'>): void {
	if (target instanceof HTMLTextAreaElement && target.value !== target.defaultValue) typed.set(target, target.value)
}

for (const target of document.querySelectorAll('textarea')) noteTyped({ target })
document.addEventListener('input', noteTyped)

/** After the router: puts what was typed early back, and marks the document, so that whoever drives a browser can wait for that. */
function Hydrated() {
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
	}, [])
	return null
}

guardRouter()
startTransition(() => {
	hydrateRoot(
		document,
		<StrictMode>
			<HydratedRouter />
			<Hydrated />
		</StrictMode>,
	)
})
