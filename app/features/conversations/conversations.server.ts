import { z } from 'zod'
import { lockMember } from '~/features/accounts/accounts.queries.server.ts'
import { campusOf } from '~/features/campus/campus.view.ts'
import { countBlocks, writeBlock } from '~/features/members/blocks.queries.server.ts'
import { MAX_BLOCKED } from '~/features/members/blocks.server.ts'
import { findStudies } from '~/features/members/members.queries.server.ts'
import { lockMayWrite } from '~/features/members/members.server.ts'
import { studiesText } from '~/features/members/members.view.ts'
import { announceUnread, forgetActor } from '~/features/notifications/notifications.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { isUsername } from '~/lib/checks.ts'
import { Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import { requireSignedIn, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { parseInput } from '~/platform/http/form.server.ts'
import { announce } from '~/platform/realtime/io.server.ts'
import { hidePresenceFrom, roomOf } from '~/platform/realtime/presence.server.ts'
import { type ConversationFacts, type ConversationState, conversationState } from './conversations.policy.ts'
import {
	acceptRequest,
	type ChatSettings,
	type ConversationRow,
	countConversationsWithUnread,
	findConversation,
	lockConversation,
	type PairStateRow,
	readSettings,
	writeMuted,
	writeSettings,
} from './conversations.queries.server.ts'
import { presentReceipts, type StrangerView, type UsernamesById } from './conversations.view.ts'

/** The error for an unknown username. */
export const NO_SUCH_MEMBER = 'There is nobody here to write to.'

/** The state between the viewer and a member, with or without a conversation. @throws NotFound for an unknown member and for oneself */
export async function requirePairState(
	viewer: SignedIn,
	username: unknown,
	executor?: Executor,
): Promise<ConversationRow> {
	const row = isUsername(username) ? await findConversation(viewer.id, username, executor) : undefined
	if (!row) throw new NotFound(NO_SUCH_MEMBER)
	return row
}

/** Like {@link requirePairState}, for an existing conversation. @throws NotFound */
export async function requireConversation(
	viewer: SignedIn,
	username: unknown,
	executor?: Executor,
): Promise<ConversationRow & { id: number }> {
	const row = await requirePairState(viewer, username, executor)
	const { id } = row
	if (id === null) throw new NotFound('There is no conversation yet.')
	return { ...row, id }
}

/** Usernames of the two members by id. */
export function usernamesById(viewer: SignedIn, peer: PairStateRow): UsernamesById {
	return new Map([
		[viewer.id, viewer.username],
		[peer.peer_id, peer.username],
	])
}

/** What the viewer can do in a conversation. */
export function presentState(row: PairStateRow): ConversationState {
	return conversationState(factsOfPair(row))
}

function factsOfPair(row: PairStateRow): ConversationFacts {
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

/**
 * Blocks or unblocks a member. They are not told, and see what they send as sent; it never reaches the viewer, not even after unblocking.
 * Meanwhile the viewer cannot write to them either, and unread notifications about them are removed. For the other effects of a block see
 * app/features/members/blocks.server.ts.
 * @throws NotFound, NotAllowed, Invalid if too many are blocked, TooManyRequests
 */
export async function setBlocked(viewer: Viewer, username: unknown, blocked: boolean): Promise<void> {
	const blocker = requireSignedIn(viewer)
	await countUse('toggles', blocker)
	const peer = await requirePairState(blocker, username)
	const notified = await db()
		.transaction()
		.execute(async (trx) => {
			// With this lock a concurrent message is either stored before the block, or sees it.
			if (peer.id !== null) await lockConversation(trx, peer.id)
			await lockMember(trx, blocker.id)
			if (blocked && (await countBlocks(trx, blocker.id, peer.peer_id)) >= MAX_BLOCKED)
				throw new Invalid(`You already block ${MAX_BLOCKED.toLocaleString('en')} members. Unblock someone first.`)
			if (!(await writeBlock(trx, blocker.id, peer.peer_id, blocked))) throw new NotFound(NO_SUCH_MEMBER)
			return blocked ? forgetActor(trx, blocker.id, peer.peer_id) : []
		})
	if (blocked) hidePresenceFrom(blocker, peer.peer_id)
	await Promise.all([announceState(blocker, peer.username), announceUnreadCount(blocker), announceUnread(notified)])
}

/** Mutes or unmutes a conversation for the viewer: no sound, no mail, no unread count. @throws NotFound, NotAllowed */
export async function setMuted(viewer: Viewer, username: unknown, muted: boolean): Promise<void> {
	const { owner, username: peer } = await inConversation(viewer, username, (trx, id, userId) =>
		writeMuted(trx, id, userId, muted),
	)
	await Promise.all([announceState(owner, peer), announceUnreadCount(owner)])
}

/** Accepts a stranger's request without answering. @throws NotFound, NotAllowed also for a suspended member, and for one who blocks them */
export async function acceptConversation(viewer: Viewer, username: unknown): Promise<void> {
	const { owner, done, row } = await inConversation(viewer, username, async (trx, id, userId) => {
		await lockMayWrite(trx, userId)
		const { blockedByMe, reason } = presentState(await requirePairState(requireSignedIn(viewer), username, trx))
		if (blockedByMe) throw new NotAllowed(reason ?? '')
		return acceptRequest(trx, id, userId)
	})
	if (done) await Promise.all([announceAccepted(owner, row), announceUnreadCount(owner)])
}

async function inConversation<Result>(
	viewer: Viewer,
	username: unknown,
	work: (trx: Executor, conversationId: number, userId: number) => Promise<Result>,
) {
	const owner: SignedIn = requireSignedIn(viewer)
	const row = await requireConversation(owner, username)
	const done = await db()
		.transaction()
		.execute(async (trx) => {
			await lockConversation(trx, row.id)
			return work(trx, row.id, owner.id)
		})
	return { owner, done, row, username: row.username }
}

/** Who may start a conversation with the viewer, and whether peers see that they are typing. @throws NotAllowed */
export async function getChatSettings(viewer: Viewer) {
	const { accepts, shows_typing: showsTyping } = await readSettings(requireSignedIn(viewer).id)
	return { accepts, showsTyping }
}

/** The settings of the chat; a change names at least one. */
const settingsInput = z
	.object({
		accepts: z.enum(['members', 'verified', 'nobody'], { error: 'Choose who may write to you.' }).optional(),
		typing: z.enum(['shown', 'hidden'], { error: 'Choose whether others see that you type.' }).optional(),
	})
	.refine(({ accepts, typing }) => accepts ?? typing, 'Choose who may write to you.')

/** Updates one setting or both. Conversations in which both have written stay open. @throws NotAllowed, Invalid */
export async function setChatSettings(viewer: Viewer, input: Record<string, unknown>): Promise<void> {
	const { id } = requireSignedIn(viewer)
	const { accepts, typing } = parseInput(settingsInput, input)
	const change: Partial<ChatSettings> = {}
	if (accepts) change.accepts = accepts
	if (typing) change.shows_typing = typing === 'shown'
	await writeSettings(id, change)
}

/* Live events, sent after the commit. Losing one is harmless: a tab that reconnects asks for the current state. */

/** Sends a member's tabs the unread count, which changed without a message or a read receipt. */
export async function announceUnreadCount(member: { id: number }): Promise<void> {
	announce(roomOf(member.id), 'chat:count', await countConversationsWithUnread(member.id))
}

/** Notifies a member's tabs that their permissions in a conversation changed. */
export async function announceState(member: { id: number }, peerUsername: string): Promise<void> {
	const row = await findConversation(member.id, peerUsername)
	if (row) announce(roomOf(member.id), 'chat:state', { with: peerUsername, state: presentState(row) })
}

/** A message waits for the first reply: notifies its sender of how many more may follow, and the peer of the request. */
export async function announceWaiting(sender: SignedIn, peer: PairStateRow): Promise<void> {
	await announceState(sender, peer.username)
	if (!peer.blocked_me) await announceState({ id: peer.peer_id }, sender.username)
}

/** A request was answered or accepted: notifies both members of their permissions. Receipts may be shown from now on. */
export async function announceAccepted(member: SignedIn, peer: PairStateRow): Promise<void> {
	await Promise.all([announceState(member, peer.username), announceState({ id: peer.peer_id }, member.username)])
	const row = await findConversation(peer.peer_id, member.username)
	if (row) announce(roomOf(peer.peer_id), 'chat:receipts', { with: member.username, receipts: presentReceipts(row) })
}

/** What helps a member to decide whether to answer a stranger. All members may see it. */
export async function getStranger(peerId: number): Promise<StrangerView> {
	const row = await findStudies(peerId)
	if (!row) return { studies: '', university: '', campus: '' }
	const { enrol_in_branch_name: branch, current_year: year, current_semester: semester, university_name } = row
	return { studies: studiesText({ branch, year, semester }), university: university_name, campus: campusOf(row) }
}
