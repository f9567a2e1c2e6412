import { randomUUID } from 'node:crypto'
import { db } from '~/platform/db/db.server.ts'

/** Inserts a session without a cookie. @returns its id */
export async function makeSession(userId: number): Promise<number> {
	const { id } = await db()
		.insertInto('sessions')
		.values({
			user_id: userId,
			token: randomUUID(),
			expires_at: new Date(Date.now() + 86_400_000),
			ip_address: null,
			user_agent: null,
		})
		.returning('id')
		.executeTakeFirstOrThrow()
	return id
}

/** Inserts an open tab with a session of its own, last seen so many seconds ago. @returns its id */
export async function makeTab(userId: number, secondsAgo = 0): Promise<string> {
	const tab = { id: randomUUID(), user_id: userId, session_id: await makeSession(userId) }
	await db()
		.insertInto('connections')
		.values({ ...tab, seen_at: new Date(Date.now() - secondsAgo * 1_000) })
		.execute()
	return tab.id
}
