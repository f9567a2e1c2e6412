/** The fields of the ask form as they are typed. */
export interface AskValues {
	title: string
	description: string
	/** Separated by commas. */
	tags: string
	/** Slug. */
	category: string
	/** Whether it is asked under a pseudonym; false where it is missing, as for an edit. */
	pseudonym?: boolean
}

/** What was typed and not sent yet. */
export interface Draft extends AskValues {
	/** ISO 8601. */
	savedAt: string
	/** The version of the question that an edit began with; 0 for a new one. */
	madeFrom: number
	/** Counts the saves on the server; 0 for a draft that the server does not know. */
	version: number
}

/** What saving a draft answers. */
export interface DraftSaved {
	version: number
	/** What another tab or device had saved meanwhile and this save replaced; null when nobody had. */
	replaced: Draft | null
}
