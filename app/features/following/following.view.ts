import type { QuestionCardView } from '~/features/questions/question.view.ts'
import { withParams } from '~/lib/addresses.ts'

/** A question that its reader follows. */
export interface FollowedQuestionView extends QuestionCardView {
	/** When its last comment was written, or when it was asked; ISO 8601. */
	activeAt: string
}

/** What a saved search finds. */
export type SearchKindName = 'queries' | 'people'

/** A search as it can be saved: what the form of a page of results holds. */
export interface Saveable {
	kind: SearchKindName
	/** As its kind writes it in an address. */
	query: string
	/** What it is called unless its member says otherwise. */
	name: string
}

/** A search that a member saved. */
export interface SavedSearchView {
	id: number
	kind: SearchKindName
	name: string
	/** Path of the results. */
	url: string
	/** How many are new since the member looked, at most 99. */
	newResults: number
}

/** The address that leads to the results of a saved search, after which nothing of them is new. */
export function savedSearchPath(id: number): string {
	return `/following/search/${id}`
}

/** The results of a search of queries. */
export function queriesPath(query: string): string {
	return withParams('/search', { q: query, in: 'questions' })
}
