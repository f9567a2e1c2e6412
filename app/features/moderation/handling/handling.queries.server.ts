import { sql } from 'kysely'
import { removeUnread } from '~/features/notifications/notifications.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { isoSeconds, isoTime } from '~/platform/db/times.server.ts'
import type { ModeratedMemberView, NoteView } from '../moderation.view.ts'

/** A locked case with its assignee. */
export interface LockedCase {
	id: number
	open: boolean
	/** With microseconds. */
	active_at: string
	assignee: ModeratedMemberView | null
}

/** Locks the case of a subject, if there is one. */
export async function lockCase(trx: Executor, kind: string, targetId: number): Promise<LockedCase | undefined> {
	const { rows } = await sql<LockedCase>`
		select cases.id, closed_at is null as open, ${isoTime('cases.active_at')} as active_at,
			(select jsonb_build_object('username', username, 'name', name, 'image', image) from users where users.id = assignee_id) as assignee
		from cases where kind = ${kind} and target_id = ${targetId} for update of cases`.execute(trx)
	return rows[0]
}

/** Assigns a case to a moderator, or to nobody. */
export async function writeAssignee(trx: Executor, caseId: number, assigneeId: number | null): Promise<void> {
	await sql`update cases set assignee_id = ${assigneeId} where id = ${caseId}`.execute(trx)
}

/** Unassigns the cases of a former moderator, and deletes their unread notifications of cases: unless their sessions end, `announceUnread`. */
export async function releaseCases(trx: Executor, memberId: number): Promise<void> {
	await sql`update cases set assignee_id = null where assignee_id = ${memberId}`.execute(trx)
	await removeUnread(trx, sql`n.user_id = ${memberId} and n.subject_type in ('case', 'queue')`)
}

/** Deletes unread notifications of these cases whose reader does not handle them any more, and of an empty queue. @returns whose counters changed */
export function removeHandled(trx: Executor, caseIds: readonly number[]): Promise<number[]> {
	const isOver = sql`(n.subject_type = 'case' and n.subject_id = any(${[...caseIds]}::int[])
			and not exists (select from cases where id = n.subject_id and assignee_id = n.user_id)
		or n.subject_type = 'queue' and n.subject_id = 1 and not exists (select from cases where closed_at is null))`
	return removeUnread(trx, isOver)
}

/** Adds a note to the case of a subject; creates a closed case for a subject without one. */
export async function insertNote(
	trx: Executor,
	{ kind, targetId, authorId, body }: { kind: string; targetId: number; authorId: number; body: string },
): Promise<void> {
	await sql`
		insert into cases (kind, target_id, closed_at) values (${kind}, ${targetId}, now())
		on conflict (kind, target_id) do nothing`.execute(trx)
	await sql`
		insert into case_notes (case_id, author_id, body)
		select id, ${authorId}, ${body} from cases where kind = ${kind} and target_id = ${targetId}`.execute(trx)
}

/** The newest notes of a case, oldest of them first. */
export async function listNotes(caseId: number, limit: number): Promise<NoteView[]> {
	const { rows } = await sql<NoteView>`
		select * from (
			select n.id, n.body, ${isoSeconds('n.created_at')} as at,
				jsonb_build_object('username', u.username, 'name', u.name, 'image', u.image) as author
			from case_notes n join users u on u.id = n.author_id
			where n.case_id = ${caseId} order by n.id desc limit ${limit}) newest
		order by id`.execute(db())
	return rows
}

/** Deletes some of the notes in cases that were closed more than `days` ago. @returns how many */
export async function deleteOldNotes(days: number, limit: number): Promise<number> {
	const { numAffectedRows = 0n } = await sql`
		delete from case_notes where id in (
			select n.id from case_notes n join cases on cases.id = n.case_id
			where closed_at < now() - make_interval(days => ${days}) and n.created_at < now() - make_interval(days => ${days})
			limit ${limit} for update of n skip locked)`.execute(db())
	return Number(numAffectedRows)
}

/** Whom to notify of a new report: the assignee or, if there is none, all moderators who can decide; nobody once it is decided. */
export async function listToNotify(trx: Executor, caseId: number, actorId: number): Promise<number[]> {
	// A concurrent decision or assignment is either seen here, or removes the notifications afterwards.
	await sql`select from cases where id = ${caseId} for share`.execute(trx)
	const { rows } = await sql<{ id: number }>`
		select users.id from cases join users
			on case when cases.assignee_id is null then users.role <> 'member' else users.id = cases.assignee_id end
		where cases.id = ${caseId} and closed_at is null and users.id <> ${actorId}
			and users.leaves_at is null and (users.suspended_until is null or users.suspended_until <= now())
		limit 200`.execute(trx)
	return rows.map(({ id }) => id)
}
