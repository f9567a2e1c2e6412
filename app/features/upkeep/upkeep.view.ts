/** Members who say that a solution no longer works before its readers, its author and the asker are told. */
export const MIN_OUTDATED = 2

/** Why a solution no longer works, as a member chooses it; '' for no reason. More is said in a comment. */
export const outdatedReasons = {
	'': 'No reason',
	newer: 'A newer version changed it',
	gone: 'Something it needs is gone',
	error: 'It fails with an error now',
	unsafe: 'It is considered unsafe now',
} as const

export type OutdatedReason = keyof typeof outdatedReasons

/** What readers of a solution are told when enough members say that it no longer works. */
export interface OutdatedView {
	/** How many say so of its present text. */
	count: number
	/** When the last of them did, ISO 8601. */
	at: string
	/** What the last of them who gave a reason chose; '' for none. */
	reason: OutdatedReason
}

/** Members whom one member may ask to answer a question, whom all may, and whom one may within a day. */
export const MAX_INVITED = { byOne: 3, byAll: 10, aDay: 10 } as const

/** The page on which a member asks somebody to answer a question. */
export function invitePath(questionId: number): string {
	return `/forum/invite/${questionId}`
}
