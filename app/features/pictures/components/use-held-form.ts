import { type RefObject, useEffect, useRef } from 'react'

/**
 * Keeps the form of a field from being sent while `held`, and says so instead: what it waits for would be left out.
 * @param field an input of the form
 */
export function useHeldForm(field: RefObject<HTMLInputElement | null>, held: boolean, tell: () => void): void {
	const latest = useRef(tell)
	useEffect(() => {
		latest.current = tell
	})
	useEffect(() => {
		const form = field.current?.form
		if (!held || !form) return
		const hold = (event: Event) => {
			event.preventDefault()
			event.stopPropagation()
			latest.current()
		}
		form.addEventListener('submit', hold, { capture: true })
		return () => form.removeEventListener('submit', hold, { capture: true })
	}, [field, held])
}
