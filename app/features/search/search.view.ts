/** A question that may already answer what somebody is about to ask. */
export interface SimilarView {
	id: number
	url: string
	title: string
	/** The title as HTML with what matches in `<mark>`. */
	titleHtml: string
	/** A passage of the description with what matches in `<mark>`, where the title shows nothing of it. */
	excerptHtml?: string
	solved: boolean
	commentCount: number
	/** From 0 to about 1.5; comparable between questions. */
	score: number
}

export interface CommentMatchView {
	/** Permalink of the comment. */
	url: string
	/** The name of who wrote it. */
	author: string
	/** The passage that matches, as `excerptHtml`. */
	html: string
}

/** Where a result of a search matches, as safe HTML with the matches in `<mark>`. */
export interface MatchView {
	titleHtml: string
	excerptHtml: string
	/** The comment that it was found by, when nothing else of it matches. */
	commentMatch: CommentMatchView | undefined
}

/**
 * What a search that finds nothing shows instead: what another search finds, or what has some of its words. One of three words and
 * more that finds little shows the latter behind the first `exact` results.
 */
export type ShownInstead = { kind: 'corrected'; search: string } | { kind: 'any'; exact: number }

/** What stands beside the results of a search. */
export interface SearchTools {
	/** The operators that narrow it, and the search without each. */
	operators: { text: string; without: string }[]
	instead: ShownInstead | null
}

/** The canonical address of a query. */
export function questionUrl(question: { id: number; username: string; category_slug: string }): string {
	return `/forum/${question.category_slug}/${question.username}/${question.id}`
}

/** The address that leads to one comment wherever it is to be seen. */
export function commentPath(id: number): string {
	return `/forum/comment/${id}`
}
