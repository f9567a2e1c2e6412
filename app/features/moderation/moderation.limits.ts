/** How much moderation asks for and allows; apart from the schemas so that the browser can use it without zod. */
export const moderationLimits = {
	/** Characters of a text that stand in the queue. */
	beginning: 400,
	/** Characters of a report's own words, and of a moderator's reason. */
	detailsMax: 1_000,
	whyMax: 500,
	/** Characters of a note that moderators leave in a case for each other. */
	noteMax: 2_000,
	/** Reports that one member may send in an hour. */
	reportsPerHour: 10,
	/** Until an account is so many days old its first post with a link waits for a moderator. */
	newAccountDays: 7,
} as const

interface PostingLimit {
	/** Accounts younger than this many hours; the first line that fits counts. */
	youngerThan: number
	/** How many may be written in any hour. */
	questions: number
	comments: number
}

/**
 * What a member may write in an hour, by the age of the account. A day's newcomer has one lecture's worth of questions;
 * a month later the limit is one that nobody reaches by typing and that stops a script which got hold of an account.
 */
export const postingLimits: readonly PostingLimit[] = [
	{ youngerThan: 24, questions: 5, comments: 10 },
	{ youngerThan: 30 * 24, questions: 10, comments: 60 },
	{ youngerThan: Number.POSITIVE_INFINITY, questions: 300, comments: 3_000 },
]

/** The limit of an account that is so many hours old. */
export function postingLimitAt(hours: number): PostingLimit {
	const limit = postingLimits.find(({ youngerThan }) => hours < youngerThan) ?? postingLimits.at(-1)
	if (!limit) throw new Error('There is no posting limit.')
	return limit
}
