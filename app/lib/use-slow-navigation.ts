import { useEffect, useState } from 'react'
import { useNavigation } from 'react-router'

/** A page that loads faster is simply shown, as a skeleton would only flicker. */
const SHOW_AFTER_MS = 150

/** The path of a list that the reader has been waiting for for 150 ms, or null. */
export function useSlowNavigation(isAwaited: (pathname: string) => boolean): string | null {
	const { state, location } = useNavigation()
	const target =
		state === 'loading' && location && isAwaited(location.pathname) ? location.pathname + location.search : null
	const [slow, setSlow] = useState<string | null>(null)

	useEffect(() => {
		if (target === null) return setSlow(null)
		const timer = setTimeout(() => setSlow(target), SHOW_AFTER_MS)
		return () => clearTimeout(timer)
	}, [target])

	return target === null ? null : slow
}
