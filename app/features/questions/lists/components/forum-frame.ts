import { useOutletContext } from 'react-router'
import type { CategoryView, TagView } from '~/features/tags/tags.view.ts'

/** What stands around every list of the forum. */
export interface ForumFrame {
	categories: CategoryView[]
	/** The most used ones. */
	tags: TagView[]
	/** How many queries there are in all. */
	total: number
	/** The newest queries without an answer. */
	waiting: { url: string; title: string; createdAt: string }[]
}

/** The layout's data, for the pages inside it. */
export function useForumFrame(): ForumFrame {
	return useOutletContext<ForumFrame>()
}
