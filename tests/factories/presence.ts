import { randomUUID } from 'node:crypto'
import { db } from '~/db/db.server.ts'

/**
 * Open tabs of a member, in a session of their own.
 * @param seenAt when their process last spoke of them
 * @returns their ids
 */
export async function openTabs(userId: number, count = 1, seenAt = new Date()): Promise<string[]> {
	const session = await db()
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
	const tabs = Array.from({ length: count }, () => ({
		id: randomUUID(),
		user_id: userId,
		session_id: session.id,
		seen_at: seenAt,
	}))
	await db().insertInto('connections').values(tabs).execute()
	return tabs.map(({ id }) => id)
}
