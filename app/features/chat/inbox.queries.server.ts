import { sql } from 'kysely'
import { db } from '~/db/db.server.ts'
import { type PeerRow, peerColumns } from './conversations.queries.server.ts'
import type { ChatPicture } from './protocol.ts'

export interface InboxRow extends PeerRow {
	unread: number
	muted: boolean
	pending: boolean
	last_message_id: number
	mine: boolean
	/** As this member sees it; '' when deleted. */
	body: string
	pictures: ChatPicture[] | null
	sent_at: Date
	deleted: boolean
}

/** Characters of a message that a list may need for its excerpt. */
const beginning = 200

/** Characters that no text holds stand round a match, so that escaping can come after. */
export const marks = { start: '\u0001', stop: '\u0002' }

/** A member's conversations, the one with the newest message first; requests apart. */
export async function listInbox(
	userId: number,
	{ requests, before, limit }: { requests: boolean; before: number | null; limit: number },
): Promise<InboxRow[]> {
	const { rows } = await sql<InboxRow>`
		select ${peerColumns}, mine.unread, mine.muted, mine.pending, m.id as last_message_id, m.sender_id = ${userId} as mine,
			left(case when m.sender_id = ${userId} then m.body else coalesce(m.kept_body, m.body) end, ${beginning}) as body,
			m.pictures, m.sent_at, m.deleted_at is not null as deleted
		from (select * from conversation_members
			where user_id = ${userId} and last_message_id is not null and ${requests ? sql`pending` : sql`not pending`}
				${before === null ? sql`` : sql`and last_message_id < ${before}`}
			order by last_message_id desc limit ${limit}) mine
		join conversations c on c.id = mine.conversation_id
		join messages m on m.id = mine.last_message_id and (m.sender_id = ${userId} or m.recipient_id = ${userId})
		join users p on p.id = case when c.lower_id = ${userId} then c.higher_id else c.lower_id end
		left join profiles pp on pp.user_id = p.id
		order by mine.last_message_id desc`.execute(db())
	return rows
}

export interface HitRow extends PeerRow {
	id: number
	mine: boolean
	sent_at: Date
	/** With marks round the words that matched. */
	passage: string
}

/** Of a member's own messages those that hold all of the words, or words that begin like them, the newest first. */
export async function searchMessages(
	userId: number,
	{ words, before, limit }: { words: string; before: number | null; limit: number },
): Promise<HitRow[]> {
	const options = `StartSel=${marks.start},StopSel=${marks.stop},MaxWords=24,MinWords=8,ShortWord=0`
	const { rows } = await sql<HitRow>`
		with wanted as materialized (
			select words, words && ${`'@${userId}'`}::tsquery as own from (
				select websearch_to_tsquery('english', ${words}) || begun_query(${words}) as words) typed),
		found as materialized (
			select m.id, m.conversation_id, m.sender_id, m.sent_at, m.body, m.pictures from messages m, wanted
			where m.search @@ wanted.own and wanted.words <> ''::tsquery
				and (m.sender_id = ${userId} or m.recipient_id = ${userId} and m.kept_body is null)
				${before === null ? sql`` : sql`and m.id < ${before}`}
			order by m.id desc limit ${limit})
		select ${peerColumns}, found.id, found.sender_id = ${userId} as mine, found.sent_at,
			ts_headline('english', message_words(found.body, found.pictures), wanted.words, ${options}) as passage
		from found cross join wanted join conversations c on c.id = found.conversation_id
		join users p on p.id = case when c.lower_id = ${userId} then c.higher_id else c.lower_id end
		left join profiles pp on pp.user_id = p.id
		order by found.id desc`.execute(db())
	return rows
}
