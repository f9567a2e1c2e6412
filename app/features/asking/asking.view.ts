/** The fields of the ask form as typed. */
export interface AskValues {
	title: string
	description: string
	/** Separated by commas. */
	tags: string
	/** Slug. */
	category: string
	/** Whether to ask under a pseudonym; missing, as for an edit, means false. */
	pseudonym?: boolean
}

/** An unsent text. */
export interface Draft extends AskValues {
	/** ISO 8601. */
	savedAt: string
	/** The version of the question that an edit is based on; 0 for a new one. */
	madeFrom: number
	/** Number of saves on the server; 0 for a draft that the server does not have. */
	version: number
	/** Of a new question, from the server: the idempotency key with which every device sends it, so that it is posted once. */
	sharedKey?: string | undefined
}

/** The response to saving a draft. */
export interface DraftSaveResult {
	version: number
	/** The draft by another tab or device that this save replaced; null without one. */
	replaced: Draft | null
	/** As in {@link Draft}. */
	sharedKey?: string | undefined
}
