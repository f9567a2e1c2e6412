import { type RefObject, useEffect, useRef } from 'react'
import { useNavigationType } from 'react-router'

/**
 * For a search field with a `defaultValue` from the address: calls `show` when the field has to show the search of another address, as
 * after a link, Back or Forward. Not while somebody types in it: the results of an earlier search must not replace the next one.
 * @param address changes with the search of the address
 */
export function useSearchFromAddress(
	field: RefObject<HTMLInputElement | null>,
	address: string,
	show: () => void,
): void {
	const isMove = useNavigationType() === 'POP'
	const shown = useRef(address)
	// biome-ignore lint/correctness/useExhaustiveDependencies: once for each address
	useEffect(() => {
		// What was typed before the scripts ran stays.
		if (shown.current === address) return
		shown.current = address
		if (isMove || document.activeElement !== field.current) show()
	}, [address])
}

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
