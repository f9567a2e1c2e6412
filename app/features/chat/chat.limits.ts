/** What the chat allows; apart from the schema so that the browser can use it without zod. */
export const chatLimits = {
	/** Characters of a message. */
	messageMax: 4_000,
	/** Messages in one page of a conversation. */
	page: 50,
	/** Changes that one catching-up answer holds. */
	changes: 200,
	/** Conversations in one page of the inbox, and in the panel of the header. */
	inbox: 30,
	latest: 10,
	/** Messages in one page of a search. */
	hits: 30,
	/** Characters of a search that are read. */
	search: 200,
	/** What a stranger may write before the first answer. */
	unanswered: 3,
	/** Messages before a reported one that moderators see with it. */
	context: 5,
	/** Pictures of one message, characters of what one of them shows, and messages with pictures in so many seconds. */
	pictures: 4,
	altMax: 200,
	pictured: { messages: 40, seconds: 3_600 },
	/** Messages that a member may send in so many seconds: faster than anybody types, slower than a script would like. */
	burst: { messages: 30, seconds: 10 },
} as const

/** Conversations that a member may start in 24 hours, by the age of the account in hours; the first line that fits counts. */
const startingLimits = [
	{ youngerThan: 24, conversations: 5 },
	{ youngerThan: 30 * 24, conversations: 20 },
	{ youngerThan: Number.POSITIVE_INFINITY, conversations: 100 },
]

/** How many conversations an account that is so many hours old may start in 24 hours. */
export function startingLimitAt(hours: number): number {
	return startingLimits.find(({ youngerThan }) => hours < youngerThan)?.conversations ?? 0
}
