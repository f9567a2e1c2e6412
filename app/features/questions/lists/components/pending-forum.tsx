import type { ReactNode } from 'react'
import { useLocation } from 'react-router'
import { useSlowNavigation } from '~/lib/use-slow-navigation.ts'
import { isListPath } from '../../questions.paths.ts'
import { ForumSkeleton } from './question-skeleton.tsx'

/**
 * Any page, until a list of the forum that the reader asked for on it takes long: then the forum's skeleton. Between two
 * lists the frame stays, and the list itself shows what is loading.
 */
export function PendingForum({ children }: { children: ReactNode }) {
	const { pathname } = useLocation()
	const awaited = useSlowNavigation(isListPath)
	const entering = awaited !== null && !isListPath(pathname) && pathname !== '/forum/tags'
	return (
		<>
			{entering && <ForumSkeleton />}
			<div hidden={entering}>{children}</div>
		</>
	)
}
