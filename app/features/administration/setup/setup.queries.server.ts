import { type Generated, sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { FALLBACK_CATEGORY } from '../categories/categories.view.ts'

declare module '~/platform/db/schema.ts' {
	interface Database {
		setup_marks: {
			step: string
			about: Generated<string>
			note: Generated<string>
			marked_by: number | null
			marked_at: Generated<Date>
		}
	}
}

export interface MarkRow {
	step: string
	about: string
	note: string
	marked_at: Date
}

/** What admins decided about steps. */
export function listMarks(): Promise<MarkRow[]> {
	return db().selectFrom('setup_marks').select(['step', 'about', 'note', 'marked_at']).limit(50).execute()
}

/** Marks a step. @returns false if it was marked already */
export async function insertMark(trx: Executor, step: string, actorId: number): Promise<boolean> {
	const { rows } = await sql`
		insert into setup_marks (step, marked_by) values (${step}, ${actorId}) on conflict do nothing returning 1`.execute(
		trx,
	)
	return rows.length > 0
}

/** Records the last test mail that was accepted. */
export async function saveTestMailMark(
	trx: Executor,
	{ about, note, actorId }: { about: string; note: string; actorId: number },
): Promise<void> {
	await sql`
		insert into setup_marks (step, about, note, marked_by) values ('mail', ${about}, ${note}, ${actorId})
		on conflict (step) do update set about = excluded.about, note = excluded.note, marked_by = excluded.marked_by, marked_at = now()`.execute(
		trx,
	)
}

/** @returns whether it was marked */
export async function deleteMark(trx: Executor, step: string): Promise<boolean> {
	const { numDeletedRows } = await trx.deleteFrom('setup_marks').where('step', '=', step).executeTakeFirst()
	return numDeletedRows > 0n
}

export interface SiteCounts {
	/** Admins who have their rights now, including a second factor if required. */
	admins: number
	categories: number
	/** Categories that an admin added, changed, archived or merged; `others` is the last of the initial ones. */
	changed: number
}

/** The counts that the steps need, in one statement. */
export async function countForSetup(): Promise<SiteCounts> {
	const { rows } = await sql<SiteCounts>`
		select (select count(*)::int from users where role = 'admin' and leaves_at is null and absent_since is null
				and (suspended_until is null or suspended_until < now())) as admins,
			(select count(*)::int from categories where merged_into is null) as categories,
			(select count(*)::int from categories
				where version > 1 or id > (select id from categories where slug = ${FALLBACK_CATEGORY})) as changed`.execute(
		db(),
	)
	return rows[0] ?? { admins: 0, categories: 0, changed: 0 }
}

/** The main address of a member; undefined when they are gone. */
export async function findAdminEmail(userId: number): Promise<string | undefined> {
	const row = await db().selectFrom('users').select('email').where('id', '=', userId).executeTakeFirst()
	return row?.email
}

/** Deletes the record of a leaving admin's test mail. */
export async function clearTestMailNote(adminId: number): Promise<void> {
	await sql`update setup_marks set note = '' where marked_by = ${adminId}`.execute(db())
}
