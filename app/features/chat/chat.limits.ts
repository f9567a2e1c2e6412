/** What the chat allows; apart from the schema so that the browser can use it without zod. */
export const chatLimits = {
	/** Characters of a message. */
	messageMax: 4_000,
	/** Messages in one page of a conversation. */
	page: 50,
	/** Changes that one catching-up answer holds. */
	changes: 200,
	/** Messages before a reported one that moderators see with it. */
	context: 5,
	/** Messages that a member may send in so many seconds: faster than anybody types, slower than a script would like. */
	burst: { messages: 30, seconds: 10 },
	/** Edits and deletions together that a member may do in so many seconds: each is told to every tab of both members. */
	changing: { times: 30, seconds: 60 },
} as const
