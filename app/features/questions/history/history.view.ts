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
