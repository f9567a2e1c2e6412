import { sql } from 'kysely'
import type pg from 'pg'
import { db, type Executor } from '~/platform/db/db.server.ts'

/*
 * A restored site has the settings and keys of the original, so it writes its backups to the same place. If it is only a trial, it must
 * not remove those of the original: a table that no backup contains marks it, for all of its nodes, until an admin confirms that it has
 * replaced the original. The comment of the table is the time of the restore.
 */

/** Marks the database as restored; with the commit of the restore. */
export async function markRestored(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
	await client.query('create table if not exists public.restored_site ()')
	await client.query(`comment on table public.restored_site is '${new Date().toISOString()}'`)
}

/** When the site was restored; null where it was not, or an admin has confirmed it. */
export async function restoredAt(): Promise<Date | null> {
	const { rows } = await sql<{ at: string | null }>`
		select obj_description(to_regclass('public.restored_site'), 'pg_class') as at`.execute(db())
	const at = rows[0]?.at
	return at ? new Date(at) : null
}

/** Removes the mark. */
export async function unmarkRestored(trx: Executor): Promise<void> {
	await sql`drop table if exists public.restored_site`.execute(trx)
}
