import { sql } from 'kysely'
import type { ReportedMessageRow } from '~/features/moderation/cases.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { isoSeconds, isPast } from '~/platform/db/times.server.ts'

interface PictureRow {
	path: string
	width: number
	height: number
}

/** Those of these paths that this member uploaded for a message, locked against the sweep until the transaction ends. */
export async function lockOwnPictures(trx: Executor, userId: number, paths: string[]): Promise<PictureRow[]> {
	const { rows } = await sql<PictureRow>`
		select path, width, height from pictures
		where path = any(${paths}::text[]) and user_id = ${userId} and kind = 'message' order by path for key share`.execute(
		trx,
	)
	return rows
}

/** Seconds until a member may send pictures again, with a limit of `messages` in `seconds`; null if they may now. */
export async function secondsUntilPictures(
	trx: Executor,
	senderId: number,
	{ messages, seconds }: { messages: number; seconds: number },
): Promise<number | null> {
	const { rows } = await sql<{ left: number }>`
		select extract(epoch from sent_at + make_interval(secs => ${seconds}) - clock_timestamp())::float8 as left
		from messages where sender_id = ${senderId} and pictures is not null and ${isPast('sent_at')}
		order by sent_at desc limit 1 offset ${messages - 1}`.execute(trx)
	const left = rows[0]?.left ?? 0
	return left > 0 ? left : null
}

/** Whether a message that this member sent or received contains the picture. @param moderates whether reported pictures count as well */
export async function isInMessagesOf(
	userId: number,
	path: string,
	{ moderates }: { moderates: boolean },
): Promise<boolean> {
	const { rows } = await sql<{ shown: boolean }>`
		select exists (select from message_pictures p join messages m on m.id = p.message_id
				where p.path = ${path} and (m.sender_id = ${userId} or m.recipient_id = ${userId}))
			or (${moderates}::boolean and exists (select from reported_pictures where path = ${path})) as shown`.execute(db())
	return rows[0]?.shown ?? false
}

/** Keeps the pictures of reported messages, even if the messages are deleted. */
export async function copyForReport(trx: Executor, reportId: number, messageIds: number[]): Promise<void> {
	// The lock keeps a concurrent deletion of the message from removing its pictures before they are copied.
	await sql`
		with shown as (select path from message_pictures where message_id = any(${messageIds}::int[]) order by path for key share)
		insert into reported_pictures (path, report_id) select distinct path, ${reportId}::int from shown
		on conflict do nothing`.execute(trx)
}

/** A message that this member received and can still read, with at most `context` messages before it, ascending; [] for none. */
export async function readExtract(
	trx: Executor,
	{ conversationId, userId, id, context }: { conversationId: number; userId: number; id: number; context: number },
): Promise<(ReportedMessageRow & { id: number })[]> {
	const { rows } = await sql<ReportedMessageRow & { id: number }>`
		select m.id, users.username as sender,
			case when m.sender_id = ${userId} then m.body else coalesce(m.recipient_body, m.body) end as body,
			${isoSeconds('m.sent_at')} as "sentAt", m.pictures
		from messages m join users on users.id = m.sender_id
		where m.conversation_id = ${conversationId} and m.id <= ${id} and m.deleted_at is null
			and (m.recipient_id = ${userId} or m.sender_id = ${userId} and m.id < ${id})
		order by m.id desc limit ${context + 1}`.execute(trx)
	if (rows[0]?.id !== id) return []
	return rows.reverse()
}
