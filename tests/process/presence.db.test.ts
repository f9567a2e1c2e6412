import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { db } from '~/platform/db/db.server.ts'
import { listOnlineAmong } from '~/platform/realtime/presence.queries.server.ts'
import { useDatabase } from '../support/database.ts'
import { startLossyProxy } from '../support/lossy-proxy.ts'
import { logInAgain, logInMember, type MembersSite, password, startOnTestDatabase } from '../support/members-site.ts'
import { closeTabs, nextEvent, openTab, waitForPresence, watchPresence } from '../support/tabs.ts'

// Tabs are sockets of the real client against the built site. Rows are backdated instead of waiting.

useDatabase()

let site: MembersSite
let mira: string
let odalys: string
let tomas: string

beforeAll(async () => {
	site = await startOnTestDatabase()
	mira = (await logInMember(site, 'mira')).cookie
	odalys = (await logInMember(site, 'odalys')).cookie
	tomas = (await logInMember(site, 'tomas')).cookie
})

afterAll(() => site.stop())

afterEach(async () => {
	closeTabs()
	await expect.poll(() => secondsPass(60)).toBe(0)
})

test('a member is online as soon as they open a page, and offline 30 s after closing it', async () => {
	const watcher = await openTab(site.url, odalys)
	expect(await watchPresence(watcher, ['mira'])).toEqual([])
	const came = waitForPresence(watcher, 'mira', true)
	const tab = await openTab(site.url, mira)
	await came
	await expect.poll(() => watchPresence(watcher, ['mira', 'odalys', 'nobody'])).toEqual(['mira', 'odalys'])
	const left = waitForPresence(watcher, 'mira', false)
	tab.disconnect()
	await expect.poll(() => secondsPass(31, 'mira')).toBe(0)
	await left
	expect(await watchPresence(watcher, ['mira'])).toEqual([])
})

test('a second tab keeps a member online, without an event', async () => {
	const watcher = await openTab(site.url, odalys)
	expect(await watchPresence(watcher, ['mira', 'tomas'])).toEqual([])
	const came = Promise.all([waitForPresence(watcher, 'mira', true), waitForPresence(watcher, 'tomas', true)])
	const [first, last] = [await openTab(site.url, mira), await openTab(site.url, tomas)]
	await came
	const said: unknown[] = []
	watcher.on('presence:changed', (change) => said.push(change))
	await openTab(site.url, mira)
	first.disconnect()
	await expect.poll(() => secondsPass(31, 'mira')).toBe(1)
	// Both departures are noticed by the same check, so the first tab was noticed too.
	last.disconnect()
	await expect.poll(() => secondsPass(31, 'tomas')).toBe(0)
	await expect.poll(() => said).toContainEqual({ username: 'tomas', online: false })
	expect(said).toEqual([{ username: 'tomas', online: false }])
	expect(await watchPresence(watcher, ['mira'])).toEqual(['mira'])
})

const ways: [string, (cookie: string, username: string) => Promise<Response>][] = [
	['logging out', (cookie) => site.ask('/logout', cookie, {})],
	[
		'logging out through the API',
		(cookie) => {
			const headers = { Cookie: cookie, Origin: site.url, 'Content-Type': 'application/json' }
			return fetch(`${site.url}/api/auth/sign-out`, { method: 'POST', headers, body: '{}' })
		},
	],
	[
		'ending all other sessions',
		async (_, username) => site.ask('/settings', await logInAgain(site, username), { intent: 'revoke-others' }),
	],
	[
		'changing the password elsewhere',
		async (_, username) =>
			site.ask(`/edit-profile/${username}/change-password`, await logInAgain(site, username), {
				currentPassword: password,
				newPassword: 'another lantern at the ford',
				confirmPassword: 'another lantern at the ford',
			}),
	],
]

test.each(ways)('%s closes the tabs of the session, and others see it at once', async (what, end) => {
	const { member, cookie } = await logInMember(site, what.replaceAll(' ', '-').toLowerCase())
	const watcher = await openTab(site.url, odalys)
	const tab = await openTab(site.url, cookie)
	await expect.poll(() => watchPresence(watcher, [member.username])).toEqual([member.username])
	const left = waitForPresence(watcher, member.username, false)
	const closed = nextEvent(tab, 'disconnect')
	const answer = await end(cookie, member.username)
	expect(answer.status, await answer.text()).toBeLessThan(400)
	expect(await watchPresence(watcher, [member.username])).toEqual([])
	await left
	expect(await closed).toBe('io server disconnect')
})

test('a member who hides causes no event when they log out', async () => {
	const { member, cookie } = await logInMember(site, 'discreet')
	await show(member.id, false)
	const watcher = await openTab(site.url, odalys)
	await watchPresence(watcher, ['discreet'])
	const said: unknown[] = []
	watcher.on('presence:changed', (event) => said.push(event))
	const tab = await openTab(site.url, cookie)
	const closed = nextEvent(tab, 'disconnect')
	await site.ask('/logout', cookie, {})
	await closed
	// Events sent before this response have arrived by now.
	expect(await watchPresence(watcher, ['discreet'])).toEqual([])
	expect(said).toEqual([])
})

test('a member who hides is offline for everybody, until they show themselves again', async () => {
	const { cookie, member } = await logInMember(site, 'hiding')
	const watcher = await openTab(site.url, odalys)
	await openTab(site.url, cookie)
	await expect.poll(() => watchPresence(watcher, ['hiding'])).toEqual(['hiding'])
	const left = waitForPresence(watcher, 'hiding', false)
	await show(member.id, false)
	await left
	expect(await watchPresence(watcher, ['hiding'])).toEqual([])
	const back = waitForPresence(watcher, 'hiding', true)
	await show(member.id, true)
	await back
})

test('a dead network is noticed, and a tab reconnects when it is back', async () => {
	const network = await startLossyProxy(site.url)
	const watcher = await openTab(site.url, odalys)
	await openTab(network.url, mira)
	await expect.poll(() => watchPresence(watcher, ['mira'])).toEqual(['mira'])
	network.lose()
	const left = waitForPresence(watcher, 'mira', false)
	// In real time until two pings of 10 s are unanswered; then rows are backdated.
	await expect.poll(() => secondsPass(31, 'mira')).toBe(0)
	await left
	const back = waitForPresence(watcher, 'mira', true)
	network.mend()
	await back
	closeTabs()
	await network.stop()
})

test.each([
	['SIGTERM', () => site.stop(), 31],
	['kill -9', () => site.kill(), 46],
])(
	'after %s tabs come back by themselves, and who does not is offline when the time is over',
	async (_how, end, time) => {
		const { port } = new URL(site.url)
		const returning = await openTab(site.url, odalys)
		const gone = await openTab(site.url, mira)
		await expect.poll(() => watchPresence(returning, ['mira', 'odalys'])).toEqual(['mira', 'odalys'])
		const offline: string[] = []
		returning.on('presence:changed', ({ username, online }) => online || offline.push(username))
		gone.io.reconnection(false)
		await end()
		expect(await onlineInRows(), 'while nothing runs').toEqual(['mira', 'odalys'])
		site = await startOnTestDatabase(port)
		await expect.poll(() => returning.connected).toBe(true)
		expect(await watchPresence(returning, ['mira', 'odalys'])).toEqual(['mira', 'odalys'])
		const left = waitForPresence(returning, 'mira', false)
		await secondsPass(time, 'mira')
		await left
		expect(await watchPresence(returning, ['mira', 'odalys'])).toEqual(['odalys'])
		expect(offline, 'who came back has not flickered').toEqual(['mira'])
	},
)

/** Members that a page would show as online. */
async function onlineInRows(): Promise<string[]> {
	return (await listOnlineAmong(['mira', 'odalys'])).sort()
}

async function show(userId: number, shown: boolean): Promise<void> {
	await sql`insert into profiles (user_id, show_presence) values (${userId}, ${shown})
		on conflict (user_id) do update set show_presence = excluded.show_presence`.execute(db())
}

/** Backdates tabs of one member or of all: closed ones, or with more than 40 s those of a dead process too. */
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
