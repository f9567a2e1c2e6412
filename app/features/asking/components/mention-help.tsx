import { lazy, type ReactNode, type RefObject, Suspense, useEffect, useState } from 'react'

interface MentionHelpProps {
	area: RefObject<HTMLTextAreaElement | null>
	/** The question whose participants are suggested first; none for a new one. */
	questionId?: number
}

// If the chunk fails to load, there are no suggestions.
const MentionMenu = lazy(() => import('./mention-menu.tsx').catch(() => ({ default: (): ReactNode => null })))

/** Suggests names after an @ in the text area. The menu is loaded on first use. */
export function MentionHelp({ area, questionId }: MentionHelpProps) {
	const [wanted, setWanted] = useState(false)

	useEffect(() => {
		const field = area.current
		const look = () => field?.value.includes('@') && setWanted(true)
		field?.addEventListener('input', look)
		return () => field?.removeEventListener('input', look)
	}, [area])

	if (!wanted || !area.current) return null
	return (
		<Suspense fallback={null}>
			<MentionMenu area={area.current} source={`/suggest/people?query=${questionId ?? ''}`} />
		</Suspense>
	)
}
