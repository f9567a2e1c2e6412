import { type RawBuilder, sql } from 'kysely'
import { mailedUpTo, wantsMail } from '~/features/notifications/digest.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { isRecent } from '~/platform/db/times.server.ts'

/** Characters of a message that a push or a mail may need, and of its HTML for those. */
const MAX_TEXT = 400
const MAX_HTML = 4_000

/** The beginning of a message `m` as its recipient sees it. */
const textForRecipient = sql<string>`left(
	message_words(text_of_html(left(coalesce(m.recipient_html, m.html), ${MAX_HTML})), m.pictures), ${MAX_TEXT})`

/** A member's unread messages in a conversation. */
export interface UnreadConversationRow {
	username: string
	name: string
	/** Whether it is a request that was not answered. */
	pending: boolean
	/** The number of messages. */
	count: number
	/** The newest one as its reader sees it; null if it is gone. */
	body: string | null
}

/** A member's unread messages in a conversation; undefined if there is nothing left to notify them of. */
export async function findUnread(userId: number, conversationId: number): Promise<UnreadConversationRow | undefined> {
	const { rows } = await sql<UnreadConversationRow>`
		select p.username, p.name, mine.pending, mine.unread as count,
			(select ${textForRecipient} from messages m
				where m.conversation_id = c.id and m.recipient_id = mine.user_id and m.deleted_at is null and m.id > mine.read_id
				order by m.id desc limit 1) as body
		from conversation_members mine join conversations c on c.id = mine.conversation_id
		join users p on p.id = case when c.lower_id = mine.user_id then c.higher_id else c.lower_id end
		where mine.user_id = ${userId} and c.id = ${conversationId} and mine.unread > 0 and not mine.muted
			and not exists (select from blocks where blocker_id = mine.user_id and blocked_id = p.id)`.execute(db())
	return rows[0]
}

/**
 * An SQL expression: the ids of a member's conversations with unread messages, without those that {@link findUnread} leaves out too.
 * @param userId an expression
 */
export function selectUnread(userId: RawBuilder<unknown>, limit: number): RawBuilder<unknown> {
	return sql`select conversation_id from conversation_members side
		where user_id = ${userId} and unread > 0 and not muted and not exists (
			select from conversations c join blocks b on b.blocker_id = side.user_id and b.blocked_id in (c.lower_id, c.higher_id)
			where c.id = side.conversation_id)
		order by last_message_id desc limit ${limit}`
}

/**
 * The last of the messages after an id that are all at least ten minutes old, checking at most `limit`. Ids follow time closely but not
 * exactly, so the first younger message ends the range.
 */
export async function findLastDue(trx: Executor, after: number, limit: number): Promise<number | undefined> {
	const { rows } = await sql<{ upto: number | null }>`
		with next as (select id, ${isRecent('sent_at', '10 minutes')} as young from messages
			where id > ${after} order by id limit ${limit})
		select max(id) as upto from next where id < coalesce((select min(id) from next where young), 2147483647)`.execute(
		trx,
	)
	return rows[0]?.upto ?? undefined
}

/** A conversation with messages that its reader was not mailed about. */
export interface DueRow extends UnreadConversationRow {
	conversation_id: number
	user_id: number
	email: string
	reader: string
	/** Id of the newest message. */
	newest: number
	body: string
}

/**
 * The conversations with messages between two ids that their readers have not seen and want mails about, including later unread messages.
 * By reader, newest first.
 */
export async function listDueConversations(trx: Executor, after: number, upto: number): Promise<DueRow[]> {
	const { rows } = await sql<DueRow>`
		with due as (
			select distinct m.conversation_id, m.recipient_id as user_id, m.sender_id as peer_id, mine.pending,
				greatest(mine.read_id, mailed.upto) as known
			from messages m
			join conversation_members mine on mine.conversation_id = m.conversation_id and mine.user_id = m.recipient_id
			cross join lateral (select ${mailedUpTo('conversation', {
				userId: sql.ref('m.recipient_id'),
				subjectId: sql.ref('m.conversation_id'),
			})} as upto) mailed
			where m.id > ${after} and m.id <= ${upto} and m.deleted_at is null
				and m.id > greatest(mine.read_id, mailed.upto) and not mine.muted
				and ${wantsMail('message', sql.ref('m.recipient_id'))}
				and not exists (select from blocks where blocker_id = m.recipient_id and blocked_id = m.sender_id)),
		found as (
			select due.*, unseen.count, unseen.newest from due, lateral (
				select count(*)::int as count, max(m.id) as newest from messages m
				where m.conversation_id = due.conversation_id and m.recipient_id = due.user_id and m.id > due.known
					and m.deleted_at is null) unseen)
		select found.conversation_id, found.user_id, reader.email, reader.name as reader, p.username, p.name, found.pending,
			found.count, found.newest, ${textForRecipient} as body
		from found join users reader on reader.id = found.user_id join users p on p.id = found.peer_id
		join messages m on m.id = found.newest
		order by found.user_id, found.newest desc`.execute(trx)
	return rows
}
