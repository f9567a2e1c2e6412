import { sql } from 'kysely'
import { type WritingStatus, writingStatusColumns } from '~/features/accounts/accounts.queries.server.ts'
import type { ChatPicture } from '~/features/chat-pictures/chat-pictures.view.ts'
import {
	conversationsWithUnread,
	type PeerRow,
	peerColumns,
} from '~/features/conversations/conversations.queries.server.ts'
import { isBlocking } from '~/features/members/blocks.queries.server.ts'
import { unreadNotifications } from '~/features/notifications/notifications.queries.server.ts'
import { db, type Executor, idArray } from '~/platform/db/db.server.ts'

export interface InboxRow extends PeerRow {
	unread: number
	muted: boolean
	pending: boolean
	last_message_id: number
	mine: boolean
	/** The beginning of the text, without Markdown, as this member sees it; '' if deleted. */
	body: string
	pictures: ChatPicture[] | null
	sent_at: Date
	deleted: boolean
}

/** Characters of a message that an excerpt may need, and of its HTML for those. */
const MAX_TEXT = 200
const MAX_HTML = 2_000

/**
 * A member's conversations, latest message first. Requests are listed separately. As in the count of the header, nothing is unread where
 * the member blocks the peer.
 */
export async function listInbox(
	userId: number,
	{ requests, before, limit }: { requests: boolean; before: number | null; limit: number },
): Promise<InboxRow[]> {
	const { rows } = await sql<InboxRow>`
		select ${peerColumns(userId)}, case when ${isBlocking(userId, sql.ref('p.id'))} then 0 else mine.unread end as unread,
			mine.muted, mine.pending, m.id as last_message_id, m.sender_id = ${userId} as mine,
			left(text_of_html(left(case when m.sender_id = ${userId} then m.html else coalesce(m.recipient_html, m.html) end, ${MAX_HTML})),
				${MAX_TEXT}) as body,
			m.pictures, m.sent_at, m.deleted_at is not null as deleted
		from (select * from conversation_members
			where user_id = ${userId} and last_message_id is not null and ${requests ? sql`pending` : sql`not pending`}
				${before === null ? sql`` : sql`and last_message_id < ${before}`}
			order by last_message_id desc limit ${limit}) mine
		join conversations c on c.id = mine.conversation_id
		join messages m on m.id = mine.last_message_id and (m.sender_id = ${userId} or m.recipient_id = ${userId})
		join users p on p.id = case when c.lower_id = ${userId} then c.higher_id else c.lower_id end
		left join shown_profiles pp on pp.user_id = p.id
		order by mine.last_message_id desc`.execute(db())
	return rows
}

/** What the header and the forms of every page need of a member: unread counts, and what decides whether they may write. */
export interface MemberStateRow extends WritingStatus {
	id: number
	notifications: number
	/** Conversations with unread messages. */
	conversations: number
}

/** The states of these members; accounts that are gone have none. */
export async function listMemberStates(userIds: number[]): Promise<MemberStateRow[]> {
	const id = sql<number>`users.id`
	const { rows } = await sql<MemberStateRow>`
		select users.id, ${unreadNotifications(id)} as notifications, ${conversationsWithUnread(id)} as conversations, ${writingStatusColumns}
		from users where users.id = any(${idArray(userIds)})`.execute(db())
	return rows
}

/**
 * Locks a member's conversations with unread messages, in the order of their ids, as this locks several. Requests are left out:
 * their senders must not learn that they were viewed.
 * @returns their ids
 */
export async function lockUnread(trx: Executor, userId: number): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`
		select c.id from conversation_members m join conversations c on c.id = m.conversation_id
		where m.user_id = ${userId} and m.unread > 0 and not m.pending order by c.id for no key update of c`.execute(trx)
	return rows.map(({ id }) => id)
}

/** How far a member has read a conversation, and the peer. */
export interface ReadRow {
	peer_id: number
	username: string
	delivered_id: number
	read_id: number
}

/** Marks everything in these conversations as read, except with members whom the reader blocks; they must be locked. */
export async function writeAllRead(trx: Executor, userId: number, conversationIds: number[]): Promise<ReadRow[]> {
	const { rows } = await sql<ReadRow>`
		update conversation_members m set unread = 0, read_id = greatest(m.read_id, got.id),
			delivered_id = greatest(m.delivered_id, got.id)
		from conversations c, users p, lateral (
			select id from messages where conversation_id = c.id and recipient_id = ${userId} order by id desc limit 1) got
		where m.user_id = ${userId} and m.conversation_id = any(${conversationIds}::int[]) and c.id = m.conversation_id
			and p.id in (c.lower_id, c.higher_id) and p.id <> ${userId} and not ${isBlocking(userId, sql.ref('p.id'))}
		returning p.id as peer_id, p.username, m.delivered_id, m.read_id`.execute(trx)
	return rows
}
