import { type RefObject, useEffect, useRef } from 'react'

/**
 * For a field with a `defaultValue` from the address: it follows the address, as when a link or Back leads to another search. Once somebody
 * has typed in it, the browser shows no other default.
 */
export function useValueFromAddress<Control extends HTMLInputElement | HTMLSelectElement = HTMLInputElement>(
	value: string,
): RefObject<Control | null> {
	const field = useRef<Control>(null)
	const shown = useRef(value)
	useEffect(() => {
		// What was typed before the scripts ran stays.
		if (field.current && shown.current !== value) field.current.value = value
		shown.current = value
	}, [value])
	return field
}
