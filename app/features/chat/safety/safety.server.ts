import { lockMember } from '~/features/accounts/accounts.queries.server.ts'
import { requireMayWrite } from '~/features/accounts/security/suspension.server.ts'
import { countBlocks, writeBlock } from '~/features/members/blocks.queries.server.ts'
import { announceUnread, forgetActor } from '~/features/notifications/notifications.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { Invalid } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { parseInput } from '~/platform/http/form.server.ts'
import { hidePresenceFrom } from '~/platform/realtime/presence.server.ts'
import { settingsInput } from '../chat.schema.ts'
import {
	acceptRequest,
	type ChatSettings,
	lockConversation,
	readSettings,
	writeMuted,
	writeSettings,
} from '../conversations.queries.server.ts'
import { relationWith, requireConversation, requireMember } from '../members.server.ts'
import { announceAccepted, announceCount, announceState } from '../messages/announcing.server.ts'

/** Members whom one member may block. */
export const MAX_BLOCKED = 1_000

/**
 * Blocks a member, or takes that back. They are told nothing and see what they send as sent; it never reaches the viewer,
 * not even after the block. The viewer cannot write to them either while it stands. What else a block means is in
 * app/features/members/blocks.server.ts; what the viewer was told of them and has not read is taken back.
 * @throws NotFound, NotAllowed, Invalid for one block too many, TooMany
 */
export async function setBlocked(viewer: Viewer, username: unknown, blocked: boolean): Promise<void> {
	const blocker = requireMember(viewer)
	await countUse('toggles', blocker)
	const peer = await relationWith(blocker, username)
	const notified = await db()
		.transaction()
		.execute(async (trx) => {
			// A message on its way is either stored before this, or sees the block.
			if (peer.id !== null) await lockConversation(trx, peer.id)
			await lockMember(trx, blocker.id)
			if (blocked && (await countBlocks(trx, blocker.id, peer.peer_id)) >= MAX_BLOCKED)
				throw new Invalid(`You already block ${MAX_BLOCKED.toLocaleString('en')} members. Unblock someone first.`)
			await writeBlock(trx, blocker.id, peer.peer_id, blocked)
			return blocked ? forgetActor(trx, blocker.id, peer.peer_id) : []
		})
	if (blocked) hidePresenceFrom(blocker, peer.peer_id)
	await Promise.all([announceState(blocker, peer.username), announceCount(blocker), announceUnread(notified)])
}

/** Mutes a conversation for the viewer, or no longer: no sound, no mail, no number. @throws NotFound, NotAllowed */
export async function setMuted(viewer: Viewer, username: unknown, muted: boolean): Promise<void> {
	const { owner, username: peer } = await inConversation(viewer, username, (trx, id, userId) =>
		writeMuted(trx, id, userId, muted),
	)
	await Promise.all([announceState(owner, peer), announceCount(owner)])
}

/** Takes a stranger's request without an answer in words. @throws NotFound, NotAllowed also for a suspended member */
export async function acceptConversation(viewer: Viewer, username: unknown): Promise<void> {
	await requireMayWrite(requireMember(viewer).id)
	const { owner, done, row } = await inConversation(viewer, username, acceptRequest)
	if (done) await Promise.all([announceAccepted(owner, row), announceCount(owner)])
}

async function inConversation<Result>(
	viewer: Viewer,
	username: unknown,
	work: (trx: Executor, conversationId: number, userId: number) => Promise<Result>,
) {
	const owner: SignedIn = requireMember(viewer)
	const row = await requireConversation(owner, username)
	const done = await db()
		.transaction()
		.execute(async (trx) => {
			await lockConversation(trx, row.id)
			return work(trx, row.id, owner.id)
		})
	return { owner, done, row, username: row.username }
}

/** Who may begin a conversation with the viewer, and whether others see that they type. @throws NotAllowed */
export async function getChatSettings(viewer: Viewer) {
	const { accepts, shows_typing: showsTyping } = await readSettings(requireMember(viewer).id)
	return { accepts, showsTyping }
}

/**
 * Changes one of them, or both; conversations in which both wrote stay open.
 * @throws NotAllowed, Invalid
 */
export async function setChatSettings(viewer: Viewer, input: Record<string, unknown>): Promise<void> {
	const { id } = requireMember(viewer)
	const { accepts, typing } = parseInput(settingsInput, input)
	const change: Partial<ChatSettings> = {}
	if (accepts) change.accepts = accepts
	if (typing) change.shows_typing = typing === 'shown'
	await writeSettings(id, change)
}
