import { slugOf } from '~/lib/addresses.ts'

/** A question that may already answer the one being written. */
export interface SimilarView {
	id: number
	url: string
	title: string
	/** The title as HTML with matches in `<mark>`. */
	titleHtml: string
	/** A passage of the description with matches in `<mark>`, if the title has none. */
	excerptHtml?: string
	solved: boolean
	commentCount: number
	/** From 0 to about 1.5; comparable between questions. */
	score: number
}

export interface CommentMatchView {
	/** Permalink of the comment. */
	url: string
	/** The author's name. */
	author: string
	/** The matching passage, as `excerptHtml`. */
	html: string
}

/** The matches of a search result, as safe HTML with matches in `<mark>`. */
export interface MatchView {
	titleHtml: string
	excerptHtml: string
	/** The matching comment, if nothing else of it matches. */
	commentMatch: CommentMatchView | undefined
}

/**
 * What is shown instead of missing results: the results of a corrected search, or questions with some of its words.
 * After few results of a search of three or more words, the latter follow the first `exact` ones.
 */
export type SearchFallback = { kind: 'corrected'; search: string } | { kind: 'any'; exact: number }

/** What is shown with the results of a search. */
export interface SearchTools {
	/** Its operators, each with the search without it. An alternative is joined by `or` to the one before it. */
	operators: { text: string; isAlternative: boolean; without: string }[]
	/** Whether an `or` beside an operator joins nothing. */
	ignoresOr: boolean
	instead: SearchFallback | null
}

/** The parts of a question's address. */
export interface QuestionAddress {
	id: number
	/** The author's. */
	username: string
	category_slug: string
	title: string
}

/** The canonical address of a question. It ends with words of the title, so it changes with the title; the old address redirects. */
export function questionUrl({ id, username, category_slug, title }: QuestionAddress): string {
	const slug = slugOf(title, MAX_SLUG_LENGTH)
	return `/forum/${category_slug}/${username}/${id}${slug && `/${slug}`}`
}

/** The address of a question without the words of its title, so that it stays the same when the title is edited. */
export function permalinkOf(url: string): string {
	return url.split('/').slice(0, 5).join('/')
}

/** Maximum characters of the title in an address. */
const MAX_SLUG_LENGTH = 60

/** The address that redirects to a comment, wherever it is shown. */
export function commentPath(id: number): string {
	return `/forum/comment/${id}`
}
