/*
 * The events of the socket. These are the platform's own; a feature declares its events beside the code that sends them: `declare
 * module '~/platform/realtime/events.ts' { interface ServerEvents { … } }`.
 */

/** Events from the server to a tab, with their payloads. */
export interface ServerEvents {
	/** A member whom this tab watches came online or went offline. */
	'presence:changed': (event: { username: string; online: boolean }) => void
}

/** An event with a number that the server counted. */
export interface Counted {
	/** When, in milliseconds of the database's clock; undefined where no other process can announce a later number. */
	countedAt?: number | undefined
}

/** Events from a tab to the server. */
export interface ClientEvents {
	/** The members that this page shows; replaces those watched before. The answer lists who is online. */
	'presence:watch': (usernames: string[], answer: (online: string[]) => void) => void
}

/** Maximum members that a page may watch. */
export const MAX_WATCHED = 200
