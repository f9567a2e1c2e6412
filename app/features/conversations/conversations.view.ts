import type { Counted } from '~/platform/realtime/events.ts'
import type { ConversationState } from './conversations.policy.ts'
import type { PairStateRow, PeerRow } from './conversations.queries.server.ts'

/** The other member of a conversation. */
export interface Peer {
	username: string
	name: string
	picture: string | null
	online: boolean
	/** ISO 8601; null if online, never seen, or hidden. */
	lastSeenAt: string | null
}

/** How far the peer has received and read, as message ids. */
export interface Receipts {
	/** The last message that a device of the peer has received. */
	delivered: number
	/** The last message that the peer has read. */
	read: number
}

declare module '~/platform/realtime/events.ts' {
	/** `with` is the username of the recipient's peer. */
	interface ServerEvents {
		/** The peer has received or read more. */
		'chat:receipts': (event: { with: string; receipts: Receipts }) => void
		/**
		 * The number of conversations with unread messages: on connecting, and when it changes other than by messages. On connecting also
		 * when the newest message in any of the member's conversations was sent; null without one.
		 */
		'chat:count': (event: Counted & { conversations: number; newest?: string | null }) => void
		'chat:state': (event: { with: string; state: ConversationState }) => void
	}
}

/** Usernames of the two members by id. */
export type UsernamesById = ReadonlyMap<number, string>

/** The other member. */
export function presentPeer(row: PeerRow): Peer {
	const lastSeenAt = row.online ? null : (row.last_seen_at?.toISOString() ?? null)
	return { username: row.username, name: row.name, picture: row.image, online: row.online, lastSeenAt }
}

/** How far the peer has received and read. Nothing before their first answer: the sender must not learn that their request was opened. */
export function presentReceipts(row: PairStateRow): Receipts {
	return row.peer_pending ? { delivered: 0, read: 0 } : { delivered: row.peer_delivered_id, read: row.peer_read_id }
}

/** What helps to decide whether to answer a stranger. Empty text means "not given". */
export interface StrangerView {
	/** “CSE, 3rd year” */
	studies: string
	university: string
	/** The university of a verified student; '' for others. */
	campus: string
}
