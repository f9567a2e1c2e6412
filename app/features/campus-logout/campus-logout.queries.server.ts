import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { LogoutToken } from './logout-token.server.ts'

/** Records a token for this many seconds. @returns whether it came for the first time */
export async function insertLogoutToken(trx: Executor, hash: string, seconds: number): Promise<boolean> {
	const { rows } = await sql`
		insert into logout_tokens (hash, expires_at) values (${hash}, now() + make_interval(secs => ${seconds}))
		on conflict do nothing returning hash`.execute(trx)
	return rows.length > 0
}

/** Deletes tokens that would be refused by their age. */
export async function sweepLogoutTokens(): Promise<void> {
	await sql`delete from logout_tokens where expires_at < now()`.execute(db())
}

/**
 * Ends the sessions that a token names: those of its session at the provider, or all of its subject. A session of the subject whose id at
 * the provider is unknown may be the one that is meant.
 * @returns their members
 */
export async function deleteNamedSessions(
	trx: Executor,
	{ issuer, subject, sid }: Omit<LogoutToken, 'jti'>,
): Promise<number[]> {
	const { rows } = await sql<{ user_id: number }>`
		delete from sessions using provider_sessions p join identities i on i.id = p.identity_id
		where p.session_id = sessions.id and i.provider = 'campus' and i.issuer = ${issuer}
			and (${subject}::text is null or i.subject = ${subject})
			and (${sid}::text is null or p.sid = ${sid} or (p.sid is null and ${subject}::text is not null))
		returning sessions.user_id`.execute(trx)
	return [...new Set(rows.map(({ user_id }) => user_id))]
}
