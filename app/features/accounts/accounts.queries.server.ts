import { sql } from 'kysely'
import { db } from '~/db/db.server.ts'

/** Takes a username if nobody has it. @returns whether it is ours now */
export async function claimUsername(username: string): Promise<boolean> {
	const claimed = await db().insertInto('usernames').values({ username }).onConflict((conflict) => conflict.doNothing()).returning('username').executeTakeFirst()
	return claimed !== undefined
}

/** The e-mail address of the account with this username, or null; imported accounts have none that could log in. */
export async function findEmail(username: string): Promise<string | null> {
	const user = await db().selectFrom('users').select('email').where('username', '=', username).where('imported', '=', false).executeTakeFirst()
	return user?.email ?? null
}

/**
 * Completes a new account: its empty profile, the member count, and the role of admin for the first member of the site.
 * The milestone's key decides who is first when two register at once.
 */
export async function welcomeMember(userId: number, isNamedAdmin: boolean): Promise<void> {
	await db().transaction().execute(async (trx) => {
		await trx.insertInto('profiles').values({ user_id: userId }).onConflict((conflict) => conflict.doNothing()).execute()
		await sql`update counters set value = value + 1 where name = 'members'`.execute(trx)
		const first = await trx
			.insertInto('milestones')
			.values({ name: 'first-member' })
			.onConflict((conflict) => conflict.doNothing())
			.returning('name')
			.executeTakeFirst()
		if (isNamedAdmin || first) await trx.updateTable('users').set({ role: 'admin' }).where('id', '=', userId).execute()
	})
}

/** Whether the account is one that stands for the author of imported texts. */
export async function isImported(email: string): Promise<boolean> {
	const user = await db().selectFrom('users').select('imported').where('email', '=', email).executeTakeFirst()
	return user?.imported ?? false
}

/** Ends a session of this member by its row. @returns whether there was one */
export async function deleteSession(userId: number, id: number): Promise<boolean> {
	const gone = await db().deleteFrom('sessions').where('id', '=', id).where('user_id', '=', userId).returning('id').executeTakeFirst()
	return gone !== undefined
}

export interface SessionRow {
	id: number
	token: string
	ip_address: string | null
	user_agent: string | null
	created_at: Date
	updated_at: Date
}

/** The sessions of a member that are still good, newest first, at most 100. */
export function listSessionRows(userId: number): Promise<SessionRow[]> {
	return db()
		.selectFrom('sessions')
		.select(['id', 'token', 'ip_address', 'user_agent', 'created_at', 'updated_at'])
		.where('user_id', '=', userId)
		.where('expires_at', '>', new Date())
		.orderBy('updated_at', 'desc')
		.limit(100)
		.execute()
}
