import { sql } from 'kysely'
import type { SignedIn } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { TokenScope } from './tokens.view.ts'

export interface TokenRow {
	id: number
	name: string
	last_four: string
	scopes: TokenScope[]
	created_at: Date
	expires_at: Date
	last_used_at: Date | null
}

/** The tokens of a member, including expired ones, newest first; their number is limited. */
export function listTokenRows(userId: number): Promise<TokenRow[]> {
	return db()
		.selectFrom('access_tokens')
		.select(['id', 'name', 'last_four', 'scopes', 'created_at', 'expires_at', 'last_used_at'])
		.where('user_id', '=', userId)
		.orderBy('id', 'desc')
		.execute()
}

/** Deletes expired tokens and counts the rest. Locks the member's row, so that concurrent requests cannot exceed the limit. */
export async function countForNewToken(trx: Executor, userId: number): Promise<number> {
	await sql`select 1 from users where id = ${userId} for no key update`.execute(trx)
	await trx.deleteFrom('access_tokens').where('user_id', '=', userId).where('expires_at', '<', new Date()).execute()
	const { count } = await trx
		.selectFrom('access_tokens')
		.select(({ fn }) => fn.countAll<string>().as('count'))
		.where('user_id', '=', userId)
		.executeTakeFirstOrThrow()
	return Number(count)
}

/** Stores the hash of a token. @param token.days its lifetime */
export async function insertToken(
	trx: Executor,
	token: { userId: number; name: string; hash: string; lastFour: string; scopes: TokenScope[]; days: number },
): Promise<void> {
	await trx
		.insertInto('access_tokens')
		.values({
			user_id: token.userId,
			name: token.name,
			token_hash: token.hash,
			last_four: token.lastFour,
			scopes: token.scopes,
			expires_at: new Date(Date.now() + token.days * 86_400_000),
		})
		.execute()
}

/** Deletes a token of this member. @returns whether there was one */
export async function deleteToken(userId: number, id: number): Promise<boolean> {
	const gone = await db()
		.deleteFrom('access_tokens')
		.where('id', '=', id)
		.where('user_id', '=', userId)
		.returning('id')
		.executeTakeFirst()
	return gone !== undefined
}

export interface TokenHolder {
	token_id: number
	scopes: TokenScope[]
	stale: boolean
	hasSecondFactor: boolean
	user: SignedIn
}

/** The owner of a valid token, unless they are absent; `stale` if its last use is to be updated. */
export async function findTokenHolder(hash: string): Promise<TokenHolder | undefined> {
	const row = await db()
		.selectFrom('access_tokens as t')
		.innerJoin('users as u', 'u.id', 't.user_id')
		.select(['t.id as token_id', 't.scopes', 'u.id', 'u.username', 'u.name', 'u.image', 'u.role', 'u.second_factor'])
		.select(sql<boolean>`coalesce(t.last_used_at < now() - interval '1 minute', true)`.as('stale'))
		.where('t.token_hash', '=', hash)
		.where('t.expires_at', '>', sql<Date>`now()`)
		.where('u.absent_since', 'is', null)
		.executeTakeFirst()
	if (!row) return undefined
	const { token_id, scopes, stale, second_factor, ...user } = row
	return { token_id, scopes, stale, hasSecondFactor: second_factor, user }
}

/** Updates the last use of a token, at most once a minute. */
export async function touchToken(id: number): Promise<void> {
	await sql`update access_tokens set last_used_at = now()
		where id = ${id} and coalesce(last_used_at < now() - interval '1 minute', true)`.execute(db())
}
