import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { io, type Socket } from 'socket.io-client'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { db } from '~/db/db.server.ts'
import { useDatabase } from '../support/database.ts'
import { logInMember, type MembersSite, startOnTestDatabase } from '../support/members-site.ts'

// Tabs are sockets of the real client against the built site. Waiting is made short by making the rows older.

useDatabase()

let site: MembersSite
let mira: string
let odalys: string
const sockets: Socket[] = []

beforeAll(async () => {
	site = await startOnTestDatabase()
	mira = (await logInMember(site, 'mira')).cookie
	odalys = (await logInMember(site, 'odalys')).cookie
}, 60_000)

afterAll(() => site.stop())

afterEach(async () => {
	for (const socket of sockets.splice(0)) socket.disconnect()
	await expect.poll(() => secondsPass(60), { timeout: 5_000 }).toBe(0)
})

test('who opens a page is online at once, and 30 s after closing it offline', async () => {
	const watcher = await openTab(odalys)
	expect(await watch(watcher, ['mira'])).toEqual([])
	const came = heard(watcher)
	const tab = await openTab(mira)
	expect(await came).toEqual({ username: 'mira', online: true })
	expect(await watch(watcher, ['mira', 'odalys', 'nobody'])).toEqual(['mira', 'odalys'].sort())
	const left = heard(watcher)
	tab.disconnect()
	await expect.poll(() => secondsPass(31, 'mira')).toBe(0)
	expect(await left).toEqual({ username: 'mira', online: false })
	expect(await watch(watcher, ['mira'])).toEqual([])
})

test('a second tab keeps a member online, and nobody hears of it', async () => {
	const watcher = await openTab(odalys)
	const first = await openTab(mira)
	await expect.poll(() => watch(watcher, ['mira'])).toEqual(['mira'])
	let said = 0
	watcher.on('presence:changed', () => (said += 1))
	await openTab(mira)
	first.disconnect()
	await sleep(500)
	await secondsPass(31, 'mira')
	await sleep(6_000)
	expect(said).toBe(0)
	expect(await watch(watcher, ['mira'])).toEqual(['mira'])
})

test('logging out closes the tabs of this session and is seen at once', async () => {
	const { cookie } = await logInMember(site, 'leaving')
	const watcher = await openTab(odalys)
	const tab = await openTab(cookie)
	await expect.poll(() => watch(watcher, ['leaving'])).toEqual(['leaving'])
	const left = heard(watcher)
	const closed = next(tab, 'disconnect')
	expect((await site.ask('/logout', cookie, {})).status).toBe(303)
	expect(await left).toEqual({ username: 'leaving', online: false })
	await closed
	expect(await watch(watcher, ['leaving'])).toEqual([])
})

test('a member who hides is offline for everybody, and comes back when they want', async () => {
	const { cookie, member } = await logInMember(site, 'hiding')
	const watcher = await openTab(odalys)
	await openTab(cookie)
	await expect.poll(() => watch(watcher, ['hiding'])).toEqual(['hiding'])
	await show(member.id, false)
	await db().deleteFrom('connections').where('user_id', '=', member.id).execute()
	await sleep(6_000)
	expect(await watch(watcher, ['hiding'])).toEqual([])
	const back = heard(watcher)
	await show(member.id, true)
	expect(await back).toEqual({ username: 'hiding', online: true })
})

test('after kill -9 tabs come back by themselves, and who does not is offline when the time is over', async () => {
	const port = new URL(site.url).port
	const returning = await openTab(odalys)
	const gone = await openTab(mira)
	await expect.poll(() => watch(returning, ['mira', 'odalys'])).toEqual(['mira', 'odalys'])
	gone.io.reconnection(false)
	await site.kill()
	site = await startOnTestDatabase(port)
	await expect.poll(() => returning.connected, { timeout: 10_000 }).toBe(true)
	expect(await watch(returning, ['mira'])).toEqual(['mira'])
	const left = heard(returning)
	await secondsPass(46, 'mira')
	expect(await left).toEqual({ username: 'mira', online: false })
	expect(await watch(returning, ['mira', 'odalys'])).toEqual(['odalys'])
}, 40_000)

test.each([
	['without a session', () => ({}), 'unauthenticated'],
	['with a made-up session', () => ({ Cookie: 'session=made-up' }), 'unauthenticated'],
	['from a page of another site', () => ({ Cookie: mira, Origin: 'https://other.example' }), 'foreign origin'],
])('a socket %s is refused', async (_what, headers, reason) => {
	const socket = io(site.url, { ...plain, extraHeaders: headers() })
	sockets.push(socket)
	expect(await next(socket, 'connect_error')).toMatchObject({ message: reason })
})

test('what a socket may not say is passed over, and the socket stays', async () => {
	const tab = await openTab(mira)
	tab.emit('no:such:event', { any: 'thing' })
	for (const wrong of [null, 'mira', 7, {}, [null, 7, {}], [`${'x'.repeat(65)}`], Array(201).fill('mira')])
		tab.emit('presence:watch', wrong, () => {})
	tab.emit('presence:watch', ['odalys'])
	await expect.poll(() => watch(tab, ['mira'])).toEqual(['mira'])
})

test('a frame of 1 MB closes the socket that sent it, and no other', async () => {
	const other = await openTab(odalys)
	const tab = await openTab(mira)
	const closed = next(tab, 'disconnect')
	tab.io.reconnection(false)
	tab.emit('presence:watch', ['x'.repeat(1_000_000)], () => {})
	await closed
	expect(await watch(other, ['odalys'])).toEqual(['odalys'])
})

test('a flood closes the socket that sends it, and no other', async () => {
	const other = await openTab(odalys)
	const tab = await openTab(mira)
	const closed = next(tab, 'disconnect')
	for (let index = 0; index < 100; index += 1) tab.emit('presence:watch', ['odalys'], () => {})
	await closed
	expect(await watch(other, ['odalys'])).toEqual(['odalys'])
})

test('of one member so many tabs are taken, and no more', async () => {
	const { cookie } = await logInMember(site, 'many')
	for (let index = 0; index < 50; index += 1) await openTab(cookie)
	const surplus = io(site.url, { ...plain, extraHeaders: { Cookie: cookie } })
	sockets.push(surplus)
	expect(await next(surplus, 'connect_error')).toMatchObject({ message: 'too many tabs' })
})

const plain = { path: '/realtime', transports: ['websocket'], forceNew: true, reconnectionDelay: 200 }

async function openTab(cookie: string): Promise<Socket> {
	const socket = io(site.url, { ...plain, extraHeaders: { Cookie: cookie } })
	sockets.push(socket)
	await next(socket, 'connect')
	return socket
}

async function watch(socket: Socket, usernames: string[]): Promise<string[]> {
	const online: string[] = await socket.timeout(5_000).emitWithAck('presence:watch', usernames)
	return online.sort()
}

async function show(userId: number, shown: boolean): Promise<void> {
	await sql`insert into profiles (user_id, show_presence) values (${userId}, ${shown})
		on conflict (user_id) do update set show_presence = excluded.show_presence`.execute(db())
}

/** The next time that this socket hears of `name`. */
function next(socket: Socket, name: string): Promise<unknown> {
	return once(socket as unknown as NodeJS.EventEmitter, name, { signal: AbortSignal.timeout(15_000) }).then(
		([event]) => event,
	)
}

/** The next change that this tab is told of. */
function heard(socket: Socket): Promise<unknown> {
	return next(socket, 'presence:changed')
}

/** Makes tabs older, of one member or of all: those that closed, or with more than 40 s those of a dead process too. */
async function secondsPass(seconds: number, username?: string): Promise<number> {
	const whose = username === undefined ? sql`true` : sql`user_id = (select id from users where username = ${username})`
	const which = seconds > 40 ? sql`true` : sql`seen_at < now() - interval '14 seconds'`
	await sql`update connections set seen_at = seen_at - make_interval(secs => ${seconds}) where ${whose} and ${which}`.execute(
		db(),
	)
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from connections where ${whose} and seen_at > now() - interval '45 seconds'`.execute(
		db(),
	)
	return rows[0]?.count ?? 0
}
