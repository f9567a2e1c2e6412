import type { ChatClientEvents, ChatServerEvents } from '~/features/chat/chat.events.ts'

/** Everything the server may say to a tab, and what it says with it. */
export interface ServerEvents extends ChatServerEvents {
	/** A member whom this tab watches came online or went offline. */
	'presence:changed': (event: { username: string; online: boolean }) => void
	/** Somebody registered and is in the community list. */
	'member:joined': (event: { username: string }) => void
	/** A query was asked. */
	'query:added': (event: { url: string }) => void
	/** A comment was written under the query that this tab shows; by whom, so that nobody is told of their own. */
	'comment:added': (event: { queryId: number; commentId: number; username: string }) => void
	/** This member was told something, or read it elsewhere. */
	'notifications:changed': (event: { unread: number }) => void
}

/** Everything a tab may say to the server. */
export interface ClientEvents extends ChatClientEvents {
	/** Which members this page shows; replaces what was watched before. Answers with those who are online. */
	'presence:watch': (usernames: string[], answer: (online: string[]) => void) => void
	/** Who joined after this member, the newest that the page knows of: between its loading and this moment. */
	'members:since': (username: string, answer: (usernames: string[]) => void) => void
	/**
	 * Which query this page shows, null for none; replaces the one before. Answers with the ids of the comments that others wrote
	 * after the one called `after`, the newest that the page knows of: between its loading and this moment.
	 */
	'query:watch': (queryId: number | null, after?: number, answer?: (ids: number[]) => void) => void
}

/** How many members a page may watch. */
export const mostWatched = 200
