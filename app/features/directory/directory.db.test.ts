import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { useDatabase } from '~/../tests/support/database.ts'
import { db } from '~/db/db.server.ts'
import { listNewest, listOnline } from './directory.server.ts'

useDatabase()

const joined = new Date('2026-01-01T00:00:00Z')

beforeAll(async () => {
	// All joined at the same moment, so that only the id can part them.
	const people = Array.from({ length: 7 }, (_, index) => ({ username: `member-${index}`, imported: false }))
	const rows = [...people, { username: 'author', imported: true }].map((person) => ({
		...person,
		name: person.username,
		email: `${person.username}@campus.example`,
		image: null,
		created_at: joined,
	}))
	await db().insertInto('users').values(rows).execute()
})

test('the newest are listed first, without authors of imported questions, and nothing tells an address', async () => {
	const newest = await listNewest(5)
	expect(newest.map(({ username }) => username)).toEqual(['member-6', 'member-5', 'member-4', 'member-3', 'member-2'])
	expect(JSON.stringify(newest)).not.toContain('@campus.example')
})

test('a member with two tabs is online once; a tab that was not renewed is gone', async () => {
	const [first, second] = await db()
		.selectFrom('users')
		.select(['id', 'username'])
		.where('imported', '=', false)
		.orderBy('id')
		.limit(2)
		.execute()
	if (!first || !second) throw new Error('the members are missing')
	const sessions = await db()
		.insertInto('sessions')
		.values(
			[first, second].map(({ id }) => ({
				user_id: id,
				token: randomUUID(),
				expires_at: new Date(Date.now() + 60_000),
				ip_address: null,
				user_agent: null,
			})),
		)
		.returning('id')
		.execute()
	const [ofFirst, ofSecond] = sessions.map(({ id }) => id)
	await db()
		.insertInto('connections')
		.values([
			{ id: randomUUID(), user_id: first.id, session_id: ofFirst ?? 0 },
			{ id: randomUUID(), user_id: first.id, session_id: ofFirst ?? 0 },
			{ id: randomUUID(), user_id: second.id, session_id: ofSecond ?? 0, seen_at: new Date(Date.now() - 61_000) },
		])
		.execute()
	const online = await listOnline(5)
	expect(online.map(({ username, online }) => ({ username, online }))).toEqual([
		{ username: first.username, online: true },
	])
})
