import { setTimeout as sleep } from 'node:timers/promises'
import {
	countConversationsWithUnread,
	countUnreadOf,
	findTypingPeer,
	type PairStateRow,
	type UnreadConversations,
	type UnreadRow,
} from '~/features/conversations/conversations.queries.server.ts'
import { usernamesById } from '~/features/conversations/conversations.server.ts'
import type { SeenRow } from '~/features/conversations/receipts.queries.server.ts'
import { log } from '~/lib/log.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { announce } from '~/platform/realtime/io.server.ts'
import { roomOf } from '~/platform/realtime/presence.server.ts'
import { presentMessage } from '../chat.view.ts'
import type { MessageRow } from './messages.queries.server.ts'

/*
 * Live events for the tabs of both members, after the commit. Nothing depends on them: a tab that misses one notices by the version
 * of the next, or asks when it reconnects.
 */

/** Milliseconds between two attempts to announce something, and the number of attempts: half a minute. */
const RETRY_DELAY_MS = 1_000
const MAX_TRIES = 30

/**
 * Announces a committed change, which no client would retry. Announcing reads the database, which may have become unavailable since the
 * commit; then it is retried. Never throws.
 */
export async function announceReliably(tell: () => Promise<void>): Promise<void> {
	const again = async (tries: number): Promise<void> => {
		await sleep(RETRY_DELAY_MS, undefined, { ref: false })
		await tell().catch(() => (tries > 1 ? again(tries - 1) : undefined))
	}
	await tell().catch((error) => {
		log.warn({ err: error }, 'a change of a conversation could not be announced yet')
		void again(MAX_TRIES)
	})
}

/**
 * Announces that a message was added, edited or deleted, to those who may see it.
 * @param counted the unread counts since the commit, if they were read with it
 */
export async function announceMessage(
	sender: SignedIn,
	peer: PairStateRow,
	row: MessageRow,
	counted?: UnreadRow[],
): Promise<void> {
	const names = usernamesById(sender, peer)
	const now = counted ?? (await countUnreadOf(row.conversation_id))
	for (const { user_id: userId, unread, conversations, countedAt } of now) {
		if (userId !== row.sender_id && userId !== row.recipient_id) continue
		const other = userId === sender.id ? peer.username : sender.username
		const message = presentMessage(row, userId, names)
		announce(roomOf(userId), 'chat:message', { with: other, message, unread, conversations, countedAt })
	}
}

/**
 * Announces a receipt. The peer is told nothing if their request was not answered yet.
 * @param counted the reader's number of conversations with unread messages since the commit, if it was read with it
 */
export async function announceSeen(
	reader: SignedIn,
	peer: PairStateRow,
	seen: SeenRow,
	counted?: UnreadConversations,
): Promise<void> {
	if (!peer.pending) {
		const receipts = { delivered: seen.delivered_id, read: seen.read_id }
		announce(roomOf(peer.peer_id), 'chat:receipts', { with: reader.username, receipts })
	}
	if (!seen.read_further) return
	const now = counted ?? (await countConversationsWithUnread(reader.id))
	const event = { with: peer.username, unread: seen.unread, readId: seen.read_id, ...now }
	announce(roomOf(reader.id), 'chat:read', event)
}

/** Announces that a member is typing; nothing is stored. */
export async function announceTyping(member: SignedIn, peerUsername: string): Promise<void> {
	const peer = await findTypingPeer(member.id, peerUsername)
	if (peer) announce(roomOf(peer.peer_id), 'chat:typing', { from: member.username })
}
