import type { CommentMatchView } from '~/features/search/search.view.ts'

/** What pages and the API are told of the forum. Times are ISO 8601 strings in UTC. */

export interface AuthorView {
	username: string
	name: string
	/** Path of the picture, or null for initials. */
	image: string | null
}

/** Where an imported text comes from; shown under it. */
export interface OriginView {
	/** null when the source gave no address. */
	url: string | null
	licence: string | null
}

export interface QueryCardView {
	id: number
	/** Canonical address: /forum/{category}/{username}/{id} */
	url: string
	title: string
	/** Title with search matches wrapped in <mark>, everything else escaped; only in search results. */
	titleHtml?: string
	excerpt: string
	excerptHtml?: string
	/** The comment that a search found it by, when nothing else of it matches. */
	commentMatch?: CommentMatchView
	category: { slug: string; title: string }
	author: AuthorView
	tags: string[]
	createdAt: string
	score: number
	commentCount: number
	solved: boolean
	/** What the viewer may do with it. */
	mayEdit: boolean
	mayDelete: boolean
}

/** A viewer's vote on a text. */
export interface VotedView {
	/** 1 up, -1 down, 0 none. */
	vote: 1 | 0 | -1
	/** Whether it is the viewer's own text, which nobody votes on. */
	own: boolean
}

export interface QueryPageView extends QueryCardView, VotedView {
	/** Markdown as written, for the edit form and structured data. */
	description: string
	descriptionHtml: string
	/** Grows with each edit; an edit names the one it was made from. */
	version: number
	editedAt: string | null
	origin: OriginView | null
	/** Nobody may comment any more. */
	locked: boolean
	/** Why it is out of the forum, for its author and moderators; null for what everybody sees. */
	withheld: WithheldView | null
	/** Who deleted it, when only the comments of others are left of it; null while it stands. */
	deletedBy: 'author' | 'moderator' | null
}

/** Why a text that nobody deleted is out of the forum. */
export interface WithheldView {
	/** Hidden by a moderator, waiting for one, or merged into another query. */
	state: 'hidden' | 'waiting' | 'merged'
	/** In the moderator's words; '' where there are none, and for whoever may not see the text. */
	reason: string
}

/** How the threads of a query are ordered: by time, or by votes and then time. */
export type CommentSort = 'oldest' | 'best'

export interface CommentView extends VotedView {
	id: number
	/** null when its author deleted it and replies keep its place. */
	author: AuthorView | null
	/** '' when deleted. */
	bodyHtml: string
	/** Markdown as written, only for a viewer who may edit it. */
	body: string | null
	createdAt: string
	editedAt: string | null
	/** Grows with each edit; an edit names the one it was made from. */
	version: number
	deleted: boolean
	/** Why it is out of the forum though nobody deleted it; `deleted` is true as well for whoever may not see the text. */
	withheld: WithheldView | null
	solution: boolean
	/** When it was chosen; null when that is not known. */
	chosenAt: string | null
	/** Whether the viewer says what solved the query. */
	mayChoose: boolean
	score: number
	depth: number
	byAsker: boolean
	mayEdit: boolean
	mayDelete: boolean
	origin: OriginView | null
	replies: CommentView[]
	/** How many replies lie deeper than this page shows; the link is ?thread={id}. */
	hiddenReplies: number
}

/** A comment as another edit left it. */
export interface StoredComment {
	body: string
	version: number
}

/** A page of a list: rows and the cursor of the next page, null at the end. */
export interface Page<Row> {
	rows: Row[]
	next: string | null
}

/** A piece of a text: what stayed, what an edit brought, what it took out. */
export interface DifferencePart {
	kind: 'same' | 'added' | 'removed'
	text: string
}

export interface ChangeView {
	/** Title, Description, Tags, Category, or Text for a comment. */
	field: string
	parts: DifferencePart[]
}

/** The edits of a query or a comment, newest first. */
export interface HistoryView {
	/** The query's title as it stands. */
	title: string
	/** Where the text itself is. */
	url: string
	edits: {
		at: string
		by: { username: string; name: string }
		/** Whether a moderator changed somebody else's text. */
		byModerator: boolean
		changes: ChangeView[]
	}[]
	next: string | null
}
