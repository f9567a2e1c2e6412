import { type ConversationFacts, conversationState } from '~/features/conversations/conversations.policy.ts'
import type { ConversationRow, PeerRow } from '~/features/conversations/conversations.queries.server.ts'
import { chatLimits } from './chat.limits.ts'
import type { MessageRow } from './messages/messages.queries.server.ts'
import type { ChatMessage, ConversationState, Peer, Receipts } from './protocol.ts'

/** The two members of a conversation, as messages name them. */
export type Names = ReadonlyMap<number, string>

/** A message as one member sees it. */
export function presentMessage(row: MessageRow, readerId: number, names: Names): ChatMessage {
	const isUnchanged = row.kept_body !== null && row.sender_id !== readerId
	return {
		id: row.id,
		clientId: row.client_id,
		sender: names.get(row.sender_id) ?? '',
		body: isUnchanged ? (row.kept_body ?? '') : row.body,
		html: isUnchanged ? (row.kept_html ?? '') : row.html,
		pictures: row.pictures ?? [],
		sentAt: row.sent_at.toISOString(),
		editedAt: isUnchanged || row.deleted_at ? null : (row.edited_at?.toISOString() ?? null),
		deleted: row.deleted_at !== null,
		version: row.version,
	}
}

/** The other member. */
export function presentPeer(row: PeerRow): Peer {
	const lastSeenAt = row.online ? null : (row.last_seen_at?.toISOString() ?? null)
	return { username: row.username, name: row.name, picture: row.image, online: row.online, lastSeenAt }
}

/** How far the peer has come. Of somebody who has not answered yet nothing is told: looking at a request is free. */
export function presentReceipts(row: ConversationRow): Receipts {
	return row.peer_pending ? { delivered: 0, read: 0 } : { delivered: row.peer_delivered_id, read: row.peer_read_id }
}

/** What the member can do. */
export function presentState(row: ConversationRow): ConversationState {
	return conversationState(standingOf(row))
}

function standingOf(row: ConversationRow): ConversationFacts {
	return {
		name: row.name,
		reachable: !row.imported,
		exists: row.id !== null,
		myTurn: row.pending,
		visible: row.last_message_id !== null,
		peerPending: row.peer_pending,
		unanswered: row.unanswered,
		blockedByMe: row.blocked_by_me,
		muted: row.muted,
		accepts: row.accepts,
		verified: row.verified,
	}
}

/** A page of messages that were read newest first, one more than it holds if there are older ones. */
export function presentPage(rows: MessageRow[], readerId: number, names: Names) {
	const shown = rows.slice(0, chatLimits.page).reverse()
	return {
		messages: shown.map((row) => presentMessage(row, readerId, names)),
		older: rows.length > chatLimits.page,
	}
}

/** A message in words alone, for lists, announcements and mail: its text, or else what its pictures show. */
export function textOfMessage({ body, pictures }: Pick<ChatMessage, 'body' | 'pictures'>): string {
	if (body.trim() !== '' || pictures.length === 0) return body
	const shown = pictures.map(({ alt }) => alt).filter((alt) => alt !== '')
	if (shown.length > 0) return shown.join(', ')
	return pictures.length === 1 ? 'Picture' : `${pictures.length} pictures`
}
