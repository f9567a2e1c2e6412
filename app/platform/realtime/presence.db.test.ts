import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { db } from '~/platform/db/db.server.ts'
import { makeSession } from '../../../tests/factories/presence.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import {
	closeConnections,
	deleteExpiredTabs,
	forgetMember,
	listLiveSessions,
	listOnlineAmong,
	type OpenTab,
	recordWentOffline,
	renewConnections,
} from './presence.queries.server.ts'
import { closeTab, openTab } from './presence.server.ts'

useDatabase()

let serial = 0
let username: string

beforeEach(async () => {
	await db().deleteFrom('connections').execute()
	serial += 1
	username = `member-${serial}`
})

test('a member comes online with the first tab, and is announced once', async () => {
	const [first, second] = [await tab(), await tab()]
	expect(await renewConnections([first])).toEqual([{ id: first.userId, username }])
	expect(await renewConnections([second])).toEqual([])
	expect(await renewConnections([first, second])).toEqual([])
	expect(await online()).toBe(true)
})

test.each([
	[29, true],
	[31, false],
])('%i s after the last tab closed, online is %s', async (seconds, expected) => {
	const only = await tab()
	await renewConnections([only])
	await closeConnections([only.id])
	await pass(seconds)
	expect(await online()).toBe(expected)
	expect((await deleteExpiredTabs()).map((member) => member.username)).toEqual(expected ? [] : [username])
})

test.each([
	[44, true],
	[46, false],
])('%i s after the last renewal by a process that died, online is %s', async (seconds, expected) => {
	await renewConnections([await tab()])
	await pass(seconds)
	expect(await online()).toBe(expected)
})

test('a reload does not make a member offline: the new tab opens while the old one still counts', async () => {
	const before = await tab()
	await renewConnections([before])
	await closeConnections([before.id])
	await pass(5)
	expect(await renewConnections([await tab()])).toEqual([])
	await pass(40)
	expect(await deleteExpiredTabs()).toEqual([])
	expect(await online()).toBe(true)
})

test('a tab that closes before it was stored leaves no row behind', async () => {
	const [brief, lasting] = [await tab(), await tab()]
	await Promise.all([openTab(brief), openTab(lasting), closeTab(brief.id)])
	const rows = await db().selectFrom('connections').select('id').execute()
	expect(rows).toEqual([{ id: lasting.id }])
	await closeTab(lasting.id)
})

test('a process that stops gives its members 30 s to reconnect', async () => {
	const tabs = [await tab(), await tab()]
	await renewConnections(tabs)
	await closeConnections(tabs.map(({ id }) => id))
	await pass(29)
	expect(await online()).toBe(true)
	await pass(2)
	expect(await deleteExpiredTabs()).toEqual([{ id: tabs[0]?.userId, username }])
})

test('the end of a session removes its tabs at once, and a renewal does not bring them back', async () => {
	const only = await tab()
	await renewConnections([only])
	await db().deleteFrom('sessions').where('id', '=', only.sessionId).execute()
	expect(await online()).toBe(false)
	expect(await renewConnections([only])).toEqual([])
	expect(await online()).toBe(false)
	expect(await listLiveSessions([only.sessionId])).toEqual(new Set())
})

test('another session keeps the member online', async () => {
	const [first, second] = [await tab(), await tab()]
	await renewConnections([first, second])
	await db().deleteFrom('sessions').where('id', '=', first.sessionId).execute()
	expect(await online()).toBe(true)
})

test('a session of another member cannot open a tab in a member’s name', async () => {
	const mine = await tab()
	username = `${username}-other`
	const theirs = await tab()
	expect(await renewConnections([{ ...mine, sessionId: theirs.sessionId }])).toEqual([])
})

test('a member who hides leaves no trace: no row, no last seen, no announcement', async () => {
	const only = await tab()
	await renewConnections([only])
	await db().updateTable('profiles').set({ show_presence: false }).where('user_id', '=', only.userId).execute()
	expect(await forgetMember(only.userId)).toBe(true)
	expect(await renewConnections([only])).toEqual([])
	expect(await online()).toBe(false)
	await closeConnections([only.id])
	expect(await lastSeen(only.userId)).toBeNull()
	await db().updateTable('profiles').set({ show_presence: true }).where('user_id', '=', only.userId).execute()
	expect(await renewConnections([only])).toEqual([{ id: only.userId, username }])
})

test('a tab that was just renewed is not written again', async () => {
	const only = await tab()
	await renewConnections([only])
	const seenAt = async () => (await db().selectFrom('connections').select('seen_at').executeTakeFirst())?.seen_at
	const first = await seenAt()
	await renewConnections([only])
	expect(await seenAt()).toEqual(first)
	await pass(9)
	await renewConnections([only])
	expect(Number(await seenAt())).toBeGreaterThanOrEqual(Number(first))
})

test.each([
	['shows', true, true],
	['hides', false, false],
])(
	'when the session of a member who %s their presence ends, that there is something to tell is %s',
	async (_what, shown, told) => {
		const only = await tab()
		await db().updateTable('profiles').set({ show_presence: shown }).where('user_id', '=', only.userId).execute()
		await renewConnections([only])
		await db().deleteFrom('sessions').where('id', '=', only.sessionId).execute()
		expect(await recordWentOffline(only.userId)).toBe(told)
		expect((await lastSeen(only.userId)) !== null).toBe(told)
	},
)

test('a renewal in flight while a member hides leaves nothing behind', async () => {
	const [first, second] = [await tab(), await tab()]
	await renewConnections([first, second])
	await db().updateTable('profiles').set({ show_presence: false }).where('user_id', '=', first.userId).execute()
	expect(await deleteExpiredTabs()).toEqual([{ id: first.userId, username }])
	expect(await online()).toBe(false)
	expect(await lastSeen(first.userId)).toBeNull()
})

test('last seen is when the tab closed, or the last renewal by a process that died', async () => {
	const closed = await tab()
	await renewConnections([closed])
	await closeConnections([closed.id])
	expect(Date.now() - Number(await lastSeen(closed.userId))).toBeLessThan(5_000)
	username = `${username}-crashed`
	const crashed = await tab()
	await renewConnections([crashed])
	await pass(50)
	await deleteExpiredTabs()
	const ago = Date.now() - Number(await lastSeen(crashed.userId))
	expect(ago).toBeGreaterThan(49_000)
	expect(ago).toBeLessThan(60_000)
})

/** A tab of the present member in a session of its own. */
async function tab(): Promise<OpenTab> {
	const known = await db().selectFrom('users').select('id').where('username', '=', username).executeTakeFirst()
	const userId = known?.id ?? (await addMember())
	return { id: randomUUID(), userId, username, sessionId: await makeSession(userId) }
}

async function addMember(): Promise<number> {
	const values = { username, name: username, email: `${username}@campus.example`, image: null }
	const { id } = await db().insertInto('users').values(values).returning('id').executeTakeFirstOrThrow()
	const years = { year_of_passing: null, current_semester: null, current_year: null }
	await db()
		.insertInto('profiles')
		.values({ user_id: id, ...years })
		.execute()
	return id
}

async function online(): Promise<boolean> {
	return (await listOnlineAmong([username])).length === 1
}

async function lastSeen(userId: number): Promise<Date | null> {
	const row = await db().selectFrom('profiles').select('last_seen_at').where('user_id', '=', userId).executeTakeFirst()
	return row?.last_seen_at ?? null
}

/** Simulates the passing of time by ageing every tab. */
async function pass(seconds: number): Promise<void> {
	await sql`update connections set seen_at = seen_at - make_interval(secs => ${seconds})`.execute(db())
}
