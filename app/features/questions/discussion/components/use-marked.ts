import { useEffect, useState } from 'react'
import { useLocation } from 'react-router'

/**
 * The comment that the address names with `#comment-{id}`, to be set off; null before the scripts run, as the server
 * does not know it. A reader who is led there within the site reads on from there: it is unfolded and gets the focus.
 */
export function useMarked(): number | null {
	const { hash, key } = useLocation()
	const [marked, setMarked] = useState<number | null>(null)

	useEffect(() => {
		const id = /^#comment-([1-9]\d{0,9})$/.exec(hash)?.[1]
		setMarked(id === undefined ? null : Number(id))
		const element = id === undefined || key === 'default' ? null : document.getElementById(`comment-${id}`)
		if (!element) return
		for (const fold of document.querySelectorAll<HTMLInputElement>('.comment > input:checked'))
			if (fold.parentElement !== element && fold.parentElement?.contains(element)) fold.checked = false
		element.tabIndex = -1
		element.focus({ preventScroll: true })
	}, [hash, key])

	return marked
}
