import { sql } from 'kysely'
import type { Executor } from '~/platform/db/db.server.ts'
import { isRecent } from '~/platform/db/recent.server.ts'
import type { ChatPicture } from './protocol.ts'

/** A piece of a conversation as moderators are shown it. */
export interface ExtractLine {
	/** Username. */
	sender: string
	body: string
	/** ISO 8601. */
	sentAt: string
	/** Null for none. */
	pictures: ChatPicture[] | null
}

/** A message that this member received and can still read, with at most `context` before it, ascending; [] for none. */
export async function readExtract(
	trx: Executor,
	{ conversationId, userId, id, context }: { conversationId: number; userId: number; id: number; context: number },
): Promise<(ExtractLine & { id: number })[]> {
	const { rows } = await sql<ExtractLine & { id: number }>`
		select m.id, users.username as sender,
			case when m.sender_id = ${userId} then m.body else coalesce(m.kept_body, m.body) end as body,
			to_char(m.sent_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "sentAt", m.pictures
		from messages m join users on users.id = m.sender_id
		where m.conversation_id = ${conversationId} and m.id <= ${id} and m.deleted_at is null
			and (m.recipient_id = ${userId} or m.sender_id = ${userId} and m.id < ${id})
		order by m.id desc limit ${context + 1}`.execute(trx)
	if (rows[0]?.id !== id) return []
	return rows.reverse()
}

/** Seconds until a member may report again who may send `most` reports in an hour; null when they may now. */
export async function secondsUntilReport(trx: Executor, userId: number, most: number): Promise<number | null> {
	const { rows } = await sql<{ seconds: number }>`
		select extract(epoch from reported_at + interval '1 hour' - now())::float8 as seconds from (
			select reported_at from reported_messages join reports on reports.id = report_id where reporter_id = ${userId}
			union all select created_at from reports where reporter_id = ${userId}
				and not exists (select from reported_messages where report_id = reports.id)) sent
		where ${isRecent('reported_at', '1 hour')} order by reported_at desc limit 1 offset ${most - 1}`.execute(trx)
	return rows[0]?.seconds ?? null
}

interface NewReport {
	reporterId: number
	/** Who sent the message; the case is theirs. */
	memberId: number
	messageId: number
	words: string
	extract: ExtractLine[]
}

/**
 * Adds a message to what this member has reported of another one: one open report for each two members, with every message
 * that was reported since. @returns its id, or null when it holds this message already
 */
export async function addReport(trx: Executor, report: NewReport): Promise<number | null> {
	const { reporterId, memberId, messageId, words, extract } = report
	const opened = await sql<{ id: number }>`
		insert into cases (kind, target_id) values ('profile', ${memberId})
		on conflict (kind, target_id) do update set closed_at = cases.closed_at returning id`.execute(trx)
	const caseId = opened.rows[0]?.id
	const added = await sql<{ id: number; fresh: boolean }>`
		insert into reports as r (case_id, reporter_id, reason, details) values (${caseId}, ${reporterId}, 'other', ${words})
		on conflict (case_id, reporter_id) where settled_at is null
			do update set details = left(concat_ws(E'\n', nullif(r.details, ''), excluded.details), 4000)
		returning id, xmax = 0 as fresh`.execute(trx)
	const { id, fresh } = added.rows[0] ?? { id: 0, fresh: false }
	const copied = await sql`
		insert into reported_messages (report_id, message_id, extract) values (${id}, ${messageId}, ${JSON.stringify(extract)}::jsonb)
		on conflict do nothing returning 1`.execute(trx)
	if (copied.rows.length === 0) return null
	await sql`update cases set report_count = report_count + ${fresh ? 1 : 0}, active_at = now(), closed_at = null
		where id = ${caseId}`.execute(trx)
	return id
}
