import { sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'
import { type PeerRow, peerColumns } from '../conversations.queries.server.ts'
import type { ChatPicture } from '../protocol.ts'

export interface InboxRow extends PeerRow {
	unread: number
	muted: boolean
	pending: boolean
	last_message_id: number
	mine: boolean
	/** The beginning of its text, without markup, as this member sees it; '' when deleted. */
	body: string
	pictures: ChatPicture[] | null
	sent_at: Date
	deleted: boolean
}

/** Characters of a message that a list may need for its excerpt, and of its HTML for those. */
const beginning = 200
const MAX_HTML = 2_000

/** A member's conversations, the one with the newest message first; requests apart. */
export async function listInbox(
	userId: number,
	{ requests, before, limit }: { requests: boolean; before: number | null; limit: number },
): Promise<InboxRow[]> {
	const { rows } = await sql<InboxRow>`
		select ${peerColumns(userId)}, mine.unread, mine.muted, mine.pending, m.id as last_message_id, m.sender_id = ${userId} as mine,
			left(text_of_html(left(case when m.sender_id = ${userId} then m.html else coalesce(m.kept_html, m.html) end, ${MAX_HTML})),
				${beginning}) as body,
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
