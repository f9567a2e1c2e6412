import { randomUUID } from 'node:crypto'
import { db } from '~/platform/db/db.server.ts'

/** A session of this member, without a cookie that leads to it. @returns its id */
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

/** An open tab of this member, in a session of its own, as if it had shown itself so many seconds ago. @returns its id */
export async function makeTab(userId: number, secondsAgo = 0): Promise<string> {
	const tab = { id: randomUUID(), user_id: userId, session_id: await makeSession(userId) }
	await db()
		.insertInto('connections')
		.values({ ...tab, seen_at: new Date(Date.now() - secondsAgo * 1_000) })
		.execute()
	return tab.id
}
