/** Reports after which readers see it, and the author and the asker are notified. */
export const MIN_OUTDATED = 2

/** Reasons to choose from; '' for none. Details belong in a comment. */
export const outdatedReasons = {
	'': 'No reason',
	newer: 'A newer version changed it',
	gone: 'Something it needs is gone',
	error: 'It fails with an error now',
	unsafe: 'It is considered unsafe now',
} as const

export type OutdatedReason = keyof typeof outdatedReasons

/** What readers see about an outdated solution. */
export interface OutdatedView {
	/** The number of reports about its present text. */
	count: number
	/** The time of the last report; ISO 8601. */
	at: string
	/** The last reason given; '' for none. */
	reason: OutdatedReason
}

/** Members whom one member may ask to answer a question, whom all may ask, and whom one may ask within a day. */
export const MAX_INVITED = { byOne: 3, byAll: 10, aDay: 10 } as const

/** The page on which a member asks somebody to answer a question. */
export function invitePath(questionId: number): string {
	return `/forum/invite/${questionId}`
}
