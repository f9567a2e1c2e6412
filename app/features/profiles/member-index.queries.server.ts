import { sql } from 'kysely'
import type { Executor } from '~/platform/db/db.server.ts'

/**
 * Tells the triggers of migrations/0007_directory.sql to leave this transaction to {@link indexMembers}. Only for bulk
 * loads: every other write of users, profiles, profile_skills and connections is indexed at its commit, by itself.
 */
export async function indexInBulk(trx: Executor): Promise<void> {
	await sql`select set_config('devquad.bulk', 'on', true)`.execute(trx)
}

/** Brings what these members can be found by, and the counts of it, in line with their rows. */
export async function indexMembers(trx: Executor, userIds: number[]): Promise<void> {
	await sql`select index_members(${userIds}::integer[])`.execute(trx)
}
