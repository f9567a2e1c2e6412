import { sql } from 'kysely'
import { db } from '~/db/db.server.ts'

/** A tab that was not renewed for this long is gone, with the process that held it. */
const goneAfter = sql.raw("interval '60 seconds'")

/** Whether a row of `connections` still stands for an open tab; for use in other statements. */
export const isConnected = sql<boolean>`connections.seen_at > now() - ${goneAfter}`

/** Notes that a tab of this member opened. @returns whether it is their first */
export async function addConnection(id: string, userId: number): Promise<boolean> {
	const { rows } = await sql<{ others: number }>`
		with added as (insert into connections (id, user_id) values (${id}, ${userId}))
		select count(*)::int as others from connections where user_id = ${userId} and ${isConnected}`.execute(db())
	return rows[0]?.others === 0
}

/** Notes that a tab closed. @returns whether it was the member's last */
export async function removeConnection(id: string, userId: number): Promise<boolean> {
	const { rows } = await sql<{ others: number }>`
		with removed as (delete from connections where id = ${id}),
		     seen as (update profiles set last_seen_at = now() where user_id = ${userId})
		select count(*)::int as others from connections where user_id = ${userId} and id <> ${id} and ${isConnected}`.execute(
		db(),
	)
	return rows[0]?.others === 0
}

/** Renews the tabs that this process holds, and forgets those that nobody renewed. */
export async function renewConnections(ids: string[]): Promise<void> {
	if (ids.length > 0)
		await db().updateTable('connections').set({ seen_at: new Date() }).where('id', 'in', ids).execute()
	await sql`
		with gone as (delete from connections where not (${isConnected}) returning user_id, seen_at)
		update profiles set last_seen_at = gone.seen_at from gone where profiles.user_id = gone.user_id`.execute(db())
}

/** Forgets tabs, at the end of the process that held them. */
export async function forgetConnections(ids: string[]): Promise<void> {
	if (ids.length > 0) await db().deleteFrom('connections').where('id', 'in', ids).execute()
}
