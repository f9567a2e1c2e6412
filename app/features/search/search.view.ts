import { slugOf } from '~/lib/addresses.ts'

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

/** What the address of a question is made of. */
export interface QuestionAddress {
	id: number
	/** The asker's. */
	username: string
	category_slug: string
	title: string
}

/** The canonical address of a question. It ends with words of the title, so it changes with the title; the old one redirects. */
export function questionUrl({ id, username, category_slug, title }: QuestionAddress): string {
	const slug = slugOf(title, MAX_SLUG_LENGTH)
	return `/forum/${category_slug}/${username}/${id}${slug && `/${slug}`}`
}

/** The address of a question without the words of its title: it stays when the title is edited. */
export function lastingUrl(url: string): string {
	return url.split('/').slice(0, 5).join('/')
}

/** Characters of an address that a title has at most. */
const MAX_SLUG_LENGTH = 60

/** The address that leads to one comment wherever it is to be seen. */
export function commentPath(id: number): string {
	return `/forum/comment/${id}`
}
