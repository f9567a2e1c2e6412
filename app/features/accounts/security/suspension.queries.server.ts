import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'

/** `suspended_until` as text: a suspension without end is no point in time, and one that is over is none. */
export const suspendedUntil = (table: string) =>
	sql.raw(`case when ${table}.suspended_until = 'infinity' then 'infinity' when ${table}.suspended_until > now()
		then to_char(${table}.suspended_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') end`)

export interface SuspensionRow {
	/** As PostgreSQL prints it in ISO 8601, or `infinity`; null when there is no suspension that still lasts. */
	suspended_until: string | null
	suspended_reason: string
}

/** How long a member is suspended and why; undefined when the account is gone. */
export async function findSuspension(userId: number, executor: Executor = db()): Promise<SuspensionRow | undefined> {
	const { rows } = await sql<SuspensionRow>`
		select ${suspendedUntil('users')} as suspended_until, suspended_reason from users where id = ${userId}`.execute(
		executor,
	)
	return rows[0]
}
