import { sql } from 'kysely'
import type { Executor } from '~/platform/db/db.server.ts'
import type { SubjectRef } from './notifications.queries.server.ts'

/** Mutes a subject, or unmutes it. */
export async function writeMutedSubject(
	trx: Executor,
	userId: number,
	{ type, id }: SubjectRef,
	muted: boolean,
): Promise<void> {
	await (muted
		? sql`insert into muted_subjects (user_id, subject_type, subject_id) values (${userId}, ${type}, ${id}) on conflict do nothing`
		: sql`delete from muted_subjects where user_id = ${userId} and subject_type = ${type} and subject_id = ${id}`
	).execute(trx)
}

/** How many other subjects of a type a member mutes. */
export async function countMuted(trx: Executor, userId: number, { type, id }: SubjectRef): Promise<number> {
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from muted_subjects
		where user_id = ${userId} and subject_type = ${type} and subject_id <> ${id}`.execute(trx)
	return rows[0]?.count ?? 0
}
