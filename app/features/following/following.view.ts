import type { QuestionCardView } from '~/features/questions/question.view.ts'
import { withParams } from '~/lib/addresses.ts'

/** A question that the viewer follows. */
export interface FollowedQuestionView extends QuestionCardView {
	/** Time of the last comment, or else of asking; ISO 8601. */
	activeAt: string
}

/** What a saved search searches. */
export type SearchSourceKind = 'queries' | 'people'

/** A search that can be saved: the fields of the form on a page of results. */
export interface SaveableSearch {
	kind: SearchSourceKind
	/** As in the query string of its page. */
	query: string
	/** The default name. */
	name: string
}

export interface SavedSearchView {
	id: number
	kind: SearchSourceKind
	name: string
	/** Path of the results. */
	url: string
	/** The number of new results since the last visit, at most 99. */
	newResults: number
}

/** The address that redirects to the results and marks them as seen. */
export function savedSearchPath(id: number): string {
	return `/following/search/${id}`
}

/** The results page of a search for questions. */
export function queriesPath(query: string): string {
	return withParams('/search', { q: query, in: 'questions' })
}
