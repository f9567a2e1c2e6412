import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { useDatabase } from '~/../tests/support/database.ts'
import { db } from '~/db/db.server.ts'
import { listMembers, listOnline } from './directory.server.ts'

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

test('paging shows every member once, newest first, and no author of imported questions', async () => {
	const seen: string[] = []
	let cursor: string | null = null
	do {
		const page = await listMembers({ cursor, limit: 3 })
		seen.push(...page.rows.map(({ username }) => username))
		cursor = page.next
	} while (cursor)
	expect(seen).toEqual(['member-6', 'member-5', 'member-4', 'member-3', 'member-2', 'member-1', 'member-0'])
})

test.each(['x', '%%', Buffer.from('["now()",1]').toString('base64url')])(
	'a cursor of %j is refused',
	async (cursor) => {
		await expect(listMembers({ cursor })).rejects.toThrow('This page of the list cannot be found.')
	},
)

test('what anybody may read of a member holds no address', async () => {
	expect(JSON.stringify(await listMembers({}))).not.toContain('@campus.example')
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
