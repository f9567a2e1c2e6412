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

export interface QueryPageView extends QueryCardView {
	/** Markdown as written, for the edit form and structured data. */
	description: string
	descriptionHtml: string
	editedAt: string | null
	origin: OriginView | null
	/** Who deleted it, when only the comments of others are left of it; null while it stands. */
	deletedBy: 'author' | 'moderator' | null
}

export interface CommentView {
	id: number
	/** null when its author deleted it and replies keep its place. */
	author: AuthorView | null
	/** '' when deleted. */
	bodyHtml: string
	/** Markdown as written, only for a viewer who may edit it. */
	body: string | null
	createdAt: string
	editedAt: string | null
	deleted: boolean
	solution: boolean
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

export interface CategoryView {
	slug: string
	title: string
	count: number
}

export interface TagView {
	name: string
	count: number
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
