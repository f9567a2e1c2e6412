import { lazy, type ReactNode, type RefObject, Suspense, useEffect, useState } from 'react'

interface MentionHelpProps {
	area: RefObject<HTMLTextAreaElement | null>
	/** The question whose participants are offered first; none while it is being asked. */
	questionId?: number
}

// Without the menu, as after a lost network, a name is typed to its end.
const MentionMenu = lazy(() => import('./mention-menu.tsx').catch(() => ({ default: (): ReactNode => null })))

/** Offers names after an @ in the text area before it. The menu is loaded with the first @. */
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
