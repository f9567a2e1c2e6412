/** Limits of moderation, apart from the schemas so that the browser can use them without zod. */
export const moderationLimits = {
	/** Characters of a text that the queue shows. */
	beginning: 400,
	/** Characters of a report's text, and of a moderator's reason. */
	detailsMax: 1_000,
	whyMax: 500,
	/** Characters of a moderators' note. */
	noteMax: 2_000,
	/** Reports that one member may send per hour. */
	reportsPerHour: 10,
	/** Days for which an account is new: until then, its first post with a link is pending. */
	newAccountDays: 7,
} as const

interface PostingLimit {
	/** For accounts younger than this many hours; the first matching entry applies. */
	youngerThan: number
	/** Posts per hour. */
	questions: number
	comments: number
}

/**
 * Posting limits per hour, by the age of the account. A newcomer has enough for one lecture's questions; after a month the limit is
 * one that nobody reaches by typing, and that stops a script with a stolen account.
 */
export const postingLimits: readonly PostingLimit[] = [
	{ youngerThan: 24, questions: 5, comments: 10 },
	{ youngerThan: 30 * 24, questions: 10, comments: 60 },
	{ youngerThan: Number.POSITIVE_INFINITY, questions: 300, comments: 3_000 },
]

/** The limit of an account with this age in hours. */
export function postingLimitAt(hours: number): PostingLimit {
	const limit = postingLimits.find(({ youngerThan }) => hours < youngerThan) ?? postingLimits.at(-1)
	if (!limit) throw new Error('There is no posting limit.')
	return limit
}
