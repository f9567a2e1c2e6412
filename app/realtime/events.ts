/** Everything the server may say to a tab, and what it says with it. */
export interface ServerEvents {
	/** A member came online or went offline. */
	'presence:changed': (event: { username: string; online: boolean }) => void
	/** A query was asked. */
	'query:added': (event: { url: string }) => void
	/** A comment was written under a query. */
	'comment:added': (event: { queryId: number; commentId: number }) => void
}
