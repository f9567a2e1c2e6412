import { refusalToWrite } from '~/features/accounts/security/suspension.server.ts'
import { textOfMessage } from '~/features/chat/chat.view.ts'
import { countConversationsWithUnread } from '~/features/conversations/conversations.queries.server.ts'
import { presentPeer } from '~/features/conversations/conversations.view.ts'
import { batchCalls } from '~/lib/batch-calls.ts'
import { isId } from '~/lib/checks.ts'
import { Invalid } from '~/lib/errors.ts'
import type { WritingRefusal } from '~/lib/root-data.ts'
import { truncateWords } from '~/lib/text.ts'
import { requireSignedIn, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { announce } from '~/platform/realtime/io.server.ts'
import { roomOf } from '~/platform/realtime/presence.server.ts'
import {
	type InboxRow,
	listInbox,
	listMemberStates,
	lockUnread,
	type ReadRow,
	writeAllRead,
} from './inbox.queries.server.ts'
import { type ConversationSummary, inboxLimits } from './inbox.view.ts'

interface InboxPage {
	conversations: ConversationSummary[]
	/** The value of `before` for the next page; null on the last one. */
	next: number | null
}

/** A page of the viewer's conversations, latest message first. @throws NotAllowed, Invalid */
export async function listConversations(
	viewer: Viewer,
	{ before = null, requests = false }: { before?: unknown; requests?: boolean } = {},
): Promise<InboxPage> {
	const reader = requireSignedIn(viewer)
	if (before !== null && !isId(before)) throw new Invalid('This page of the list no longer exists.')
	const rows = await listInbox(reader.id, { requests, before, limit: inboxLimits.page + 1 })
	const shown = rows.slice(0, inboxLimits.page)
	const last = shown.at(-1)
	return {
		conversations: shown.map((row) => summary(row, reader)),
		next: rows.length > inboxLimits.page && last ? last.last_message_id : null,
	}
}

/** The latest conversations and the unread count, for the panel of the header. @throws NotAllowed */
export async function listLatestConversations(
	viewer: Viewer,
): Promise<{ conversations: ConversationSummary[]; unread: number }> {
	const reader = requireSignedIn(viewer)
	const [rows, { conversations: unread }] = await Promise.all([
		listInbox(reader.id, { requests: false, before: null, limit: inboxLimits.latest }),
		countConversationsWithUnread(reader.id),
	])
	return { conversations: rows.map((row) => summary(row, reader)), unread }
}

/** What every page shows of a member's state. */
export interface MemberState {
	/** Unread, without muted ones. */
	notifications: number
	/** Conversations with unread messages, without muted ones and requests. */
	conversations: number
	/** Why they may not write now. */
	writing: WritingRefusal | null
}

/** The state of a visitor, and of a member during an outage of the database. */
export const noState: MemberState = { notifications: 0, conversations: 0, writing: null }

/** The viewer's state. One statement, as every page of a member needs it. */
export async function getMemberState(viewer: Pick<SignedIn, 'id'> | null): Promise<MemberState> {
	return viewer ? readState(viewer.id) : noState
}

const readState = batchCalls(async (userIds: number[]): Promise<MemberState[]> => {
	const found = new Map((await listMemberStates([...new Set(userIds)])).map((row) => [row.id, row]))
	return userIds.map((id) => {
		const row = found.get(id)
		if (!row) return noState
		return { notifications: row.notifications, conversations: row.conversations, writing: refusalToWrite(row) }
	})
})

function summary(row: InboxRow, reader: SignedIn): ConversationSummary {
	const sender = row.mine ? reader.username : row.username
	const excerpt = truncateWords(
		textOfMessage({ body: row.body, pictures: row.pictures ?? [] })
			.replace(/\s+/g, ' ')
			.trim(),
		100,
	)
	return {
		peer: presentPeer(row),
		last: { sender, excerpt, sentAt: row.sent_at.toISOString(), deleted: row.deleted },
		unread: row.unread,
		muted: row.muted,
		request: row.pending,
	}
}

/**
 * Marks all messages to the viewer as read, except in requests, which wait for an answer, and with members whom they block. Notifies the
 * senders and the viewer's other tabs.
 * @throws NotAllowed
 */
export async function markAllSeen(viewer: Viewer): Promise<void> {
	const reader = requireSignedIn(viewer)
	const rows = await db()
		.transaction()
		.execute(async (trx) => {
			// Locks first: a message that is stored meanwhile is unread, and is counted.
			const unread = await lockUnread(trx, reader.id)
			return writeAllRead(trx, reader.id, unread)
		})
	if (rows.length > 0) await announceAllRead(reader, rows)
}

/** Sends the member's tabs one event, and each peer the new read receipt. */
async function announceAllRead(reader: SignedIn, rows: ReadRow[]): Promise<void> {
	for (const { peer_id: peerId, delivered_id: delivered, read_id: read } of rows)
		announce(roomOf(peerId), 'chat:receipts', { with: reader.username, receipts: { delivered, read } })
	const unread = await countConversationsWithUnread(reader.id)
	announce(roomOf(reader.id), 'chat:all-read', { with: rows.map(({ username }) => username), ...unread })
}
