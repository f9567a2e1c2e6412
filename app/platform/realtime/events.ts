/*
 * What travels over the socket. Here is what the platform itself says; a feature declares its own events beside the code that
 * sends them: `declare module '~/platform/realtime/events.ts' { interface ServerEvents { … } }`.
 */

/** Everything the server may say to a tab, and what it says with it. */
export interface ServerEvents {
	/** A member whom this tab watches came online or went offline. */
	'presence:changed': (event: { username: string; online: boolean }) => void
}

/** Everything a tab may say to the server. */
export interface ClientEvents {
	/** Which members this page shows; replaces what was watched before. Answers with those who are online. */
	'presence:watch': (usernames: string[], answer: (online: string[]) => void) => void
}

/** How many members a page may watch. */
export const MAX_WATCHED = 200
