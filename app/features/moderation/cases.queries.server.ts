import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { isRecent } from '~/platform/db/recent.server.ts'
import type { TargetKind } from './moderation.policy.ts'
import type { Reason } from './moderation.view.ts'

/** Opens the case of a post that has to wait for a moderator. */
export async function openWaitingCase(trx: Executor, kind: 'query' | 'comment', id: number): Promise<void> {
	await sql`insert into cases (kind, target_id, waits) values (${kind}, ${id}, true)
		on conflict (kind, target_id) do update set waits = true, closed_at = null, active_at = now()`.execute(trx)
}

/**
 * Adds a report to the case of its target, which it opens.
 * @returns false when this member has an open report of it already; nothing was changed then
 */
export async function addReport(
	trx: Executor,
	report: { kind: TargetKind; targetId: number; reporterId: number; reason: Reason; details: string },
): Promise<boolean> {
	const { kind, targetId, reporterId, reason, details } = report
	const { rows } = await sql<{ id: number }>`
		insert into cases (kind, target_id) values (${kind}, ${targetId})
		on conflict (kind, target_id) do update set closed_at = cases.closed_at returning id`.execute(trx)
	const added = await sql`insert into reports (case_id, reporter_id, reason, details)
		values (${rows[0]?.id}, ${reporterId}, ${reason}, ${details}) on conflict do nothing returning id`.execute(trx)
	if (added.rows.length === 0) return false
	await sql`update cases set report_count = report_count + 1, active_at = now(), closed_at = null where id = ${rows[0]?.id}`.execute(
		trx,
	)
	return true
}

/** How many cases somebody has to decide, counted as far as `most`. */
export async function countOpenCases(most: number): Promise<number> {
	const { rows } = await sql<{ open: number }>`
		select count(*)::int as open from (select from cases where closed_at is null limit ${most}) as counted`.execute(
		db(),
	)
	return rows[0]?.open ?? 0
}

/** Seconds until a member may report again who sent `most` reports in the last hour; null when they may now. */
export async function secondsUntilReport(trx: Executor, userId: number, most: number): Promise<number | null> {
	const { rows } = await sql<{ seconds: number }>`
		select extract(epoch from created_at + interval '1 hour' - now())::float8 as seconds from reports
		where reporter_id = ${userId} and ${isRecent('created_at', '1 hour')}
		order by created_at desc limit 1 offset ${most - 1}`.execute(trx)
	return rows[0]?.seconds ?? null
}

/** Whether this member has an open report of it. */
export async function hasOpenReport(userId: number, kind: TargetKind, id: number): Promise<boolean> {
	const { rows } = await sql`
		select 1 from cases join reports on reports.case_id = cases.id
		where cases.kind = ${kind} and cases.target_id = ${id} and reports.reporter_id = ${userId} and reports.settled_at is null`.execute(
		db(),
	)
	return rows.length > 0
}

/** Closes a target's case with every report in it. @returns whether it was open */
export async function closeCase(trx: Executor, kind: TargetKind, id: number): Promise<boolean> {
	const { rows } = await sql<{ id: number }>`
		update cases set closed_at = now(), report_count = 0, waits = false
		where kind = ${kind} and target_id = ${id} and closed_at is null returning id`.execute(trx)
	if (!rows[0]) return false
	await sql`update reports set settled_at = now() where case_id = ${rows[0].id} and settled_at is null`.execute(trx)
	return true
}

export interface ReportRow {
	case_id: number
	reason: Reason
	details: string
	created_at: string
	username: string
	name: string
	image: string | null
	/** Pieces of conversations that were reported, each as its reporter saw it. */
	extracts: ReportedLine[][]
}

/** A message in a reported piece of a conversation. */
export interface ReportedLine {
	/** Username. */
	sender: string
	body: string
	/** ISO 8601. */
	sentAt: string
	/** Those of a message are shown to moderators because it was reported; absent in reports from before there were any. */
	pictures?: { path: string; width: number; height: number; alt: string }[] | null
}

/** The newest open reports of each case, at most `each`. */
export async function listReportRows(caseIds: number[], each: number): Promise<ReportRow[]> {
	if (caseIds.length === 0) return []
	const { rows } = await sql<ReportRow>`
		select r.case_id, r.reason, r.details, to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as created_at,
			u.username, u.name, u.image,
			(select coalesce(jsonb_agg(extract order by message_id), '[]') from reported_messages where report_id = r.id) as extracts
		from unnest(${caseIds}::int[]) as c (id),
		lateral (select * from reports where case_id = c.id and settled_at is null order by id desc limit ${each}) r
		join users u on u.id = r.reporter_id order by r.id desc`.execute(db())
	return rows
}
