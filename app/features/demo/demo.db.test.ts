import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { config } from '~/config.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { findBrokenFigures } from '../../../tests/factories/chat.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { readDemo, seedDemoContent } from './demo.server.ts'

useDatabase()

beforeAll(() => seedDemoContent({ onProgress: () => {} }))
afterAll(() => rmSync(join(config().dataDir, 'demo-account.txt'), { force: true }))

test('every author is a member, and all members of the demo are added', async () => {
	const { members, questions } = await readDemo()
	const names = new Set(members.map(({ username }) => username))
	expect(members).toHaveLength(40)
	expect(questions.filter(({ question: { author } }) => !names.has(author))).toEqual([])
	expect(await one('select count(*)::int as value from users where not imported')).toBe(40)
})

test('a site in use does not get it', async () => {
	const before = await everything()
	await seedDemoContent({ onProgress: () => {} })
	expect(await everything()).toBe(before)
})

test('the demo member has messages, a request and notifications; all counters match', async () => {
	const mira = sql`(select id from users where username = 'mira.quillon')`
	const { rows } = await sql<Record<string, number>>`
		select (select sum(unread)::int from conversation_members where user_id = ${mira} and not pending) as messages,
			(select count(*)::int from conversation_members where user_id = ${mira} and pending) as requests,
			(select unread from notification_boxes where user_id = ${mira}) as notifications,
			(select count(*)::int from notifications where user_id = ${mira} and on_site and read_at is null) as unread,
			(select count(*)::int from bookmarks where user_id = ${mira}) as bookmarks`.execute(db())
	const { messages, requests, notifications, unread, bookmarks } = rows[0] ?? {}
	expect({ messages, requests, bookmarks }).toEqual({ messages: 2, requests: 1, bookmarks: 3 })
	expect(notifications).toBeGreaterThan(0)
	expect(notifications).toBe(unread)
	expect(await findBrokenFigures()).toEqual([])
})

test('the inbox is in the order of messages', async () => {
	const { rows } = await sql<{ sent_at: Date }>`
		select m.sent_at from conversation_members side join messages m on m.id = side.last_message_id join users u on u.id = side.user_id
		where u.username = 'mira.quillon' order by side.last_message_id`.execute(db())
	const times = rows.map(({ sent_at }) => sent_at.getTime())
	expect(times.length).toBeGreaterThan(3)
	expect(times).toEqual(times.toSorted((one, other) => one - other))
})

test('nothing is dated in the future, or before its author joined', async () => {
	expect(
		await one(`select count(*)::int as value from messages m join users u on u.id = m.sender_id
			where m.sent_at > now() or m.sent_at < u.created_at`),
	).toBe(0)
	expect(await one('select count(*)::int as value from notifications where updated_at > now()')).toBe(0)
})

test('nobody is mailed about the demo content', async () => {
	expect(await one('select count(*)::int as value from notification_boxes where mail_due_at is not null')).toBe(0)
})

test('portraits are pictures of their members', async () => {
	const { portraits } = await readDemo()
	const { rows } = await sql<{ username: string }>`
		select username from users u join pictures p on p.path = u.image and p.user_id = u.id order by username`.execute(
		db(),
	)
	expect(rows.map(({ username }) => username)).toEqual(portraits.map(({ username }) => username).sort())
})

async function one(statement: string): Promise<number | undefined> {
	const { rows } = await sql<{ value: number }>`${sql.raw(statement)}`.execute(db())
	return rows[0]?.value
}

/** The row counts of all tables that the demo fills. */
async function everything(): Promise<string> {
	const tables = [
		'users',
		'questions',
		'comments',
		'messages',
		'notifications',
		'bookmarks',
		'follows',
		'reports',
		'pictures',
	]
	const counts = tables.map((table) => one(`select count(*)::int as value from ${table}`))
	return (await Promise.all(counts)).join()
}
