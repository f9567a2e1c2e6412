import type { ConversationState } from './conversations.policy.ts'
import type { ConversationRow, PeerRow } from './conversations.queries.server.ts'

/** The other member of a conversation. */
export interface Peer {
	username: string
	name: string
	picture: string | null
	online: boolean
	/** ISO 8601; null when online, never seen, or hidden. */
	lastSeenAt: string | null
}

/** How far the peer has come, as ids of messages. */
export interface Receipts {
	/** The last one that the peer's device got. */
	delivered: number
	/** The last one that the peer has seen. */
	read: number
}

declare module '~/platform/realtime/events.ts' {
	/** `with` is the peer's username, as seen by who is told. */
	interface ServerEvents {
		/** The peer's device got, or the peer saw, more. */
		'chat:receipts': (event: { with: string; receipts: Receipts }) => void
		/** In how many conversations something is unread for this member: as the tab connects, and when that changes otherwise. */
		'chat:count': (event: { conversations: number }) => void
		'chat:state': (event: { with: string; state: ConversationState }) => void
	}
}

/** The two members of a conversation, as messages name them. */
export type Names = ReadonlyMap<number, string>

/** The other member. */
export function presentPeer(row: PeerRow): Peer {
	const lastSeenAt = row.online ? null : (row.last_seen_at?.toISOString() ?? null)
	return { username: row.username, name: row.name, picture: row.image, online: row.online, lastSeenAt }
}

/** How far the peer has come. Of somebody who has not answered yet nothing is told: looking at a request is free. */
export function presentReceipts(row: ConversationRow): Receipts {
	return row.peer_pending ? { delivered: 0, read: 0 } : { delivered: row.peer_delivered_id, read: row.peer_read_id }
}

/** What decides whether to answer somebody whom one does not know. Empty text means "not given". */
export interface StrangerView {
	/** “CSE, 3rd year” */
	studies: string
	university: string
	/** The university that they are a verified student of, or ''. */
	campus: string
}
