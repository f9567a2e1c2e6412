import { sql } from 'kysely'
import type { Counter } from '~/platform/db/counters.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { isoSeconds, isoTime, isRecent } from '~/platform/db/times.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import type { Reason } from './moderation.policy.ts'

/** The number of open reports of a case. */
export const reportCounter: Counter = {
	table: 'cases',
	column: 'report_count',
	actual: sql`(select count(*) from reports r where r.case_id = t.id and r.settled_at is null)`,
}

/** A case, or placeholders where a subject has none. */
export interface CaseRow {
	/** The name of the subject's type. */
	kind: string
	target_id: number
	/** 0 where there is no case. */
	case_id: number
	/** Open reports. */
	report_count: number
	/** Whether it is about a pending post. */
	waits: boolean
	open: boolean
	/** When it last got a report, or its post; with microseconds, for a cursor; '' where there is no case. */
	active_at: string
	/** The moderator to whom it is assigned. */
	assignee: { username: string; name: string; image: string | null } | null
	/** Notes of moderators. */
	note_count: number
}

const caseColumns = sql`cases.kind, cases.target_id, cases.id as case_id, cases.report_count, cases.waits, cases.closed_at is null as open,
	${isoTime('cases.active_at')} as active_at,
	(select jsonb_build_object('username', username, 'name', name, 'image', image) from users where users.id = cases.assignee_id) as assignee,
	(select count(*)::int from case_notes where case_notes.case_id = cases.id) as note_count`

/** The case of a subject, if there ever was one. */
export async function findCaseRow(kind: string, id: number): Promise<CaseRow> {
	const { rows } = await sql<CaseRow>`
		select ${caseColumns} from cases where kind = ${kind} and target_id = ${id}`.execute(db())
	const none = { case_id: 0, report_count: 0, waits: false, open: false, active_at: '', assignee: null, note_count: 0 }
	return rows[0] ?? { kind, target_id: id, ...none }
}

export type QueueOrder = 'newest' | 'reported'

/** One page of the open cases assigned to one moderator, to nobody (null), or of all (undefined): one range of one index. */
export async function listCaseRows(
	order: QueueOrder,
	assigneeId: number | null | undefined,
	after: { key: string | number; id: number } | null,
	limit: number,
): Promise<CaseRow[]> {
	const by = sql.raw(order === 'newest' ? 'active_at' : 'report_count')
	const type = sql.raw(order === 'newest' ? 'timestamptz' : 'int')
	const handled = assigneeId === null ? sql`and assignee_id is null` : sql`and assignee_id = ${assigneeId}`
	const { rows } = await sql<CaseRow>`
		select ${caseColumns} from cases
		where closed_at is null ${assigneeId === undefined ? sql`` : handled}
			${after ? sql`and (${by}, id) < (${after.key}::${type}, ${after.id})` : sql``}
		order by cases.${by} desc, id desc limit ${limit}`.execute(db())
	return rows
}

/** Opens the case of a pending post. @returns its id */
export async function openPendingCase(trx: Executor, kind: string, id: number): Promise<number> {
	const { rows } = await sql<{ id: number }>`insert into cases (kind, target_id, waits) values (${kind}, ${id}, true)
		on conflict (kind, target_id) do update set waits = true, closed_at = null, active_at = now() returning id`.execute(
		trx,
	)
	return rows[0]?.id ?? 0
}

export interface NewReport {
	kind: string
	targetId: number
	reporterId: number
	reason: Reason
	/** The label of the reason, for one of the site's own reasons. */
	reasonLabel?: string | null
	details: string
	/** A reported message with those before it, as its reporter saw them; the case is about its sender. */
	message?: { id: number; extract: ReportedMessageRow[] }
}

/**
 * Adds a report to the case of its subject, which is opened if needed. A member has one open report per subject: reports of further
 * messages join it, with their text; nothing else does.
 * @returns its id and its case; null when this member has already reported the same, and nothing was changed
 */
export async function insertReport(trx: Executor, report: NewReport): Promise<{ id: number; caseId: number } | null> {
	const { kind, targetId, reporterId, reason, reasonLabel = null, details, message } = report
	const opened = await sql<{ id: number }>`
		insert into cases (kind, target_id) values (${kind}, ${targetId})
		on conflict (kind, target_id) do update set closed_at = cases.closed_at returning id`.execute(trx)
	const caseId = opened.rows[0]?.id ?? 0
	const added = await sql<{ id: number; fresh: boolean }>`
		insert into reports as r (case_id, reporter_id, reason, reason_label, details) values (${caseId}, ${reporterId}, ${reason}, ${reasonLabel}, ${details})
		on conflict (case_id, reporter_id) where settled_at is null and reporter_id <> 0
			do update set details = left(concat_ws(E'\n', nullif(r.details, ''), excluded.details), 4000)
			where ${message !== undefined}
		returning id, xmax = 0 as fresh`.execute(trx)
	const [row] = added.rows
	if (!row || (message && !(await addMessage(trx, row.id, message)))) return null
	await sql`update cases set report_count = report_count + ${row.fresh ? 1 : 0}, active_at = now(), closed_at = null
		where id = ${caseId}`.execute(trx)
	return { id: row.id, caseId }
}

/** @returns whether the report did not contain this message yet */
async function addMessage(
	trx: Executor,
	reportId: number,
	{ id, extract }: { id: number; extract: ReportedMessageRow[] },
): Promise<boolean> {
	const { rows } = await sql`
		insert into reported_messages (report_id, message_id, extract) values (${reportId}, ${id}, ${JSON.stringify(extract)}::jsonb)
		on conflict do nothing returning 1`.execute(trx)
	return rows.length > 0
}

/** How many cases are open, counted up to `max`. */
export async function countOpenCases(max: number): Promise<number> {
	const { rows } = await sql<{ open: number }>`
		select count(*)::int as open from (select from cases where closed_at is null limit ${max}) as counted`.execute(db())
	return rows[0]?.open ?? 0
}

/**
 * Seconds until a member may report again, at `max` reports an hour; null when they may now. Each message counts, even where one
 * report has several.
 */
export async function secondsUntilReport(trx: Executor, userId: number, max: number): Promise<number | null> {
	const { rows } = await sql<{ seconds: number }>`
		select extract(epoch from reported_at + interval '1 hour' - now())::float8 as seconds from (
			select reported_at from reported_messages join reports on reports.id = report_id where reporter_id = ${userId}
			union all select created_at from reports where reporter_id = ${userId}
				and not exists (select from reported_messages where report_id = reports.id)) sent
		where ${isRecent('reported_at', '1 hour')} order by reported_at desc limit 1 offset ${max - 1}`.execute(trx)
	return rows[0]?.seconds ?? null
}

/** Whether this member has an open report of a subject. */
export async function hasOpenReport(userId: number, kind: string, id: number): Promise<boolean> {
	const { rows } = await sql`
		select 1 from cases join reports on reports.case_id = cases.id
		where cases.kind = ${kind} and cases.target_id = ${id} and reports.reporter_id = ${userId} and reports.settled_at is null`.execute(
		db(),
	)
	return rows.length > 0
}

/** Closes a subject's case with all reports in it. @returns whether it was open */
export async function closeCase(trx: Executor, kind: string, id: number): Promise<boolean> {
	return (await closeCases(trx, kind, [id])) > 0
}

/** Closes the cases of subjects of one kind, in the order of their ids, with all reports in them. @returns how many were open */
export async function closeCases(trx: Executor, kind: string, ids: readonly number[]): Promise<number> {
	const { rows } = await sql<{ id: number }>`
		with open as (
			select id from cases where kind = ${kind} and target_id = any(${[...ids]}::int[]) and closed_at is null
			order by id for update)
		update cases set closed_at = now(), report_count = 0, waits = false, assignee_id = null
		from open where cases.id = open.id returning cases.id`.execute(trx)
	const closed = rows.map(({ id }) => id)
	if (closed.length === 0) return 0
	const those = sql`case_id = any(${closed}::int[])`
	// A separate statement: it sees reports that were added while the first one waited for the lock.
	await sql`update reports set settled_at = now() where ${those} and settled_at is null`.execute(trx)
	await addJob('forget-handled', { caseIds: closed }, trx)
	return closed.length
}

export interface ReportRow {
	case_id: number
	reason: Reason
	reason_label: string | null
	details: string
	created_at: string
	username: string
	name: string
	image: string | null
	/** Reported excerpts of conversations, each as its reporter saw it. */
	extracts: ReportedMessageRow[][]
}

/** A message in a reported excerpt. */
export interface ReportedMessageRow {
	/** Username. */
	sender: string
	body: string
	/** ISO 8601. */
	sentAt: string
	/** Shown to moderators because the message was reported; missing in older reports. */
	pictures?: { path: string; width: number; height: number; alt: string }[] | null
}

/** The newest open reports of each case, at most `each`. */
export async function listReportRows(caseIds: number[], each: number): Promise<ReportRow[]> {
	if (caseIds.length === 0) return []
	const { rows } = await sql<ReportRow>`
		select r.case_id, r.reason, r.reason_label, r.details, ${isoSeconds('r.created_at')} as created_at,
			u.username, u.name, u.image,
			(select coalesce(jsonb_agg(extract order by message_id), '[]') from reported_messages where report_id = r.id) as extracts
		from unnest(${caseIds}::int[]) as c (id),
		lateral (select * from reports where case_id = c.id and settled_at is null order by id desc limit ${each}) r
		join users u on u.id = r.reporter_id order by r.id desc`.execute(db())
	return rows
}
