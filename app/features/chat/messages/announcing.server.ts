import { setTimeout as sleep } from 'node:timers/promises'
import {
	type ConversationRow,
	countConversationsWithUnread,
	countUnreadOf,
	findConversation,
	type ReadRow,
	showsTyping,
} from '~/features/conversations/conversations.queries.server.ts'
import { namesOf } from '~/features/conversations/members.server.ts'
import { log } from '~/lib/log.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { announce } from '~/platform/realtime/announce.server.ts'
import { roomOf } from '~/platform/realtime/presence.server.ts'
import { presentMessage, presentReceipts, presentState } from '../chat.view.ts'
import type { MessageRow, SeenRow } from './messages.queries.server.ts'

/*
 * What the tabs of both members are told, after the commit. Nothing depends on it: a tab that misses it notices by the
 * version of the next event, or asks when it comes back.
 */

/** Milliseconds until the next try to tell what could not be told, and how many tries there are: half a minute. */
const retryEvery = 1_000
const MAX_TRIES = 30

/**
 * Tells what is committed, where nobody would do it again by themselves: to tell it the database is asked, which may have gone
 * since the commit. Then it is told when the database is back. Never throws.
 */
export async function announceReliably(tell: () => Promise<void>): Promise<void> {
	const again = async (tries: number): Promise<void> => {
		await sleep(retryEvery, undefined, { ref: false })
		await tell().catch(() => (tries > 1 ? again(tries - 1) : undefined))
	}
	await tell().catch((error) => {
		log.warn({ err: error }, 'a change of a conversation could not be told yet')
		void again(MAX_TRIES)
	})
}

/** A message was added, edited or deleted. Whoever may not see it is told nothing. */
export async function announceMessage(sender: SignedIn, peer: ConversationRow, row: MessageRow): Promise<void> {
	const names = namesOf(sender, peer)
	for (const { user_id: userId, unread, conversations } of await countUnreadOf(row.conversation_id)) {
		if (userId !== row.sender_id && userId !== row.recipient_id) continue
		const other = userId === sender.id ? peer.username : sender.username
		const message = presentMessage(row, userId, names)
		announce(roomOf(userId), 'chat:message', { with: other, message, unread, conversations })
	}
}

/** A member's device got more, or they read further. Of somebody blocked, or not answered yet, the peer is told nothing. */
export async function announceSeen(reader: SignedIn, peer: ConversationRow, seen: SeenRow): Promise<void> {
	if (!peer.pending && !peer.blocked_by_me) {
		const marks = { delivered: seen.delivered_id, read: seen.read_id }
		announce(roomOf(peer.peer_id), 'chat:marks', { with: reader.username, marks })
	}
	if (!seen.read_further) return
	const conversations = await countConversationsWithUnread(reader.id)
	const event = { with: peer.username, unread: seen.unread, conversations, readId: seen.read_id }
	announce(roomOf(reader.id), 'chat:read', event)
}

/** A member read everything, in these conversations: one word to their own tabs, and to each peer how far. */
export async function announceAllRead(reader: SignedIn, rows: ReadRow[]): Promise<void> {
	for (const { peer_id: peerId, delivered_id: delivered, read_id: read, blocked_by_me: blocked } of rows)
		if (!blocked) announce(roomOf(peerId), 'chat:marks', { with: reader.username, marks: { delivered, read } })
	const conversations = await countConversationsWithUnread(reader.id)
	announce(roomOf(reader.id), 'chat:all-read', { with: rows.map(({ username }) => username), conversations })
}

/** What counts as unread changed for a member without a message or a mark: tells their own tabs. */
export async function announceCount(member: { id: number }): Promise<void> {
	announce(roomOf(member.id), 'chat:count', { conversations: await countConversationsWithUnread(member.id) })
}

/** What a member can do in a conversation changed: tells their own tabs. */
export async function announceState(member: { id: number }, peerUsername: string): Promise<void> {
	const row = await findConversation(member.id, peerUsername)
	if (row) announce(roomOf(member.id), 'chat:state', { with: peerUsername, state: presentState(row) })
}

/** A message waits for the first answer: how much more may follow changed for its sender, and for the peer it is a request. */
export async function announceWaiting(sender: SignedIn, peer: ConversationRow): Promise<void> {
	await announceState(sender, peer.username)
	if (!peer.blocked_me) await announceState({ id: peer.peer_id }, sender.username)
}

/** The first answer came, or an acceptance: what both can do changed, and the marks may be shown now. */
export async function announceAccepted(member: SignedIn, peer: ConversationRow): Promise<void> {
	await Promise.all([announceState(member, peer.username), announceState({ id: peer.peer_id }, member.username)])
	const row = await findConversation(peer.peer_id, member.username)
	if (row) announce(roomOf(peer.peer_id), 'chat:marks', { with: member.username, marks: presentReceipts(row) })
}

/** A member is typing; nothing is stored. */
export async function announceTyping(member: SignedIn, peerUsername: string): Promise<void> {
	const peer = await showsTyping(member.id, peerUsername)
	if (peer) announce(roomOf(peer.peer_id), 'chat:typing', { from: member.username })
}
