import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Socket } from 'socket.io-client'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { editQuestion } from '~/features/asking/asking.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { pool } from '~/platform/db/db.server.ts'
import { makeQuestion } from '../factories/forum.ts'
import { descendants, hasServers, type RunningCluster, startCluster, stillRunning } from '../support/cluster.ts'
import { useDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { logInMember, password, requestPage, startOnTestDatabase, testDatabaseUrl } from '../support/members-site.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { closeTabs, nextEvent, openTab, startTab, watchPresence } from '../support/tabs.ts'

/*
 * A site with several processes: four workers on one port, and three nodes behind nginx with Redis. All must learn what one of them is
 * told.
 */

useDatabase()

/** A way to run several processes. */
interface Entrance {
	/** Addresses that together reach every process. */
	doors: string[]
	pid: number
	stop: () => Promise<unknown>
}

type Form = Record<string, string>

let place: Entrance
let redis: TestRedis | undefined
let cluster: RunningCluster | undefined
let written = 0

const workers = async (): Promise<Entrance> => {
	const site = await startOnTestDatabase(undefined, { WEB_CONCURRENCY: '4' })
	// The kernel distributes connections over the workers.
	return { doors: Array(8).fill(site.url), pid: site.pid, stop: site.stop }
}

const nodes = async (): Promise<Entrance> => {
	redis = await startRedis()
	cluster = await startCluster({
		DATABASE_URL: await testDatabaseUrl(),
		REDIS_URL: redis.url,
		AUTH_SECRET: 'a secret that only these tests know of',
	})
	return { doors: [cluster.url, ...cluster.nodes], pid: cluster.pid, stop: cluster.stop }
}

/** Requests to the first address, and to the last one. */
const ask = (path: string, cookie: string, form?: Form) => requestPage(place.doors[0] ?? '', path, cookie, form)
const askLast = (path: string, cookie: string, form?: Form) => requestPage(place.doors.at(-1) ?? '', path, cookie, form)
/** Over a new connection, as a kept one may lead to a dead process. */
async function askAnew(path: string): Promise<{ status: number | undefined; body: string }> {
	const sent = get(`${place.doors[0]}${path}`, { agent: false, signal: AbortSignal.timeout(60_000) })
	const [answer]: IncomingMessage[] = await once(sent, 'response')
	return { status: answer?.statusCode, body: answer ? await text(answer) : '' }
}
const logIn = (username: string) => logInMember({ ask }, username)

/** A tab at each address. */
const openTabs = (cookie: string): Promise<Socket[]> => Promise.all(place.doors.map((door) => openTab(door, cookie)))

/** The next event of this name in each tab. */
const allHear = (tabs: Socket[], name: string) => Promise.all(tabs.map((tab) => nextEvent(tab, name)))

/** Adds a comment at one address. @returns its text, which the question's page must show then */
async function comment(door: string, url: string, cookie: string): Promise<string> {
	written += 1
	const words = `Word number ${written}.`
	const answer = await requestPage(door, url, cookie, { intent: 'comment', body: words })
	expect(answer.status, await answer.text()).toBe(303)
	return words
}

/**
 * Registers a member at the first address; each tab must be notified. Processes reconnect their tabs 15 s after another one has died: a
 * tab that is away at that moment asks for what it missed, so that another registration has to show it.
 */
async function expectAnnouncedTo(tabs: Socket[]): Promise<void> {
	await expect.poll(() => tabs.every(({ connected }) => connected)).toBe(true)
	let wasAway = false
	const away = () => {
		wasAway = true
	}
	const heard = tabs.map((tab) => {
		const names: string[] = []
		tab.on('disconnect', away).on('member:joined', ({ username }) => names.push(username))
		return names
	})
	const email = `new${randomUUID()}@campus.example`
	const answer = await ask('/register', '', { name: 'New Here', email, password, confirmPassword: password })
	expect(answer.status, await answer.text()).toBe(303)
	const hasReachedAll = () => {
		const newest = heard.map((names) => names.at(-1))
		return newest.every((name) => name !== undefined && name === newest[0])
	}
	await expect.poll(() => wasAway || hasReachedAll()).toBe(true)
	for (const tab of tabs) tab.off('disconnect', away).off('member:joined')
	if (wasAway) return expectAnnouncedTo(tabs)
	for (const names of heard) expect(new Set(names).size, 'each is announced once').toBe(names.length)
}

/** How many of a number of requests, over all addresses, show this text to visitors. */
async function shown(url: string, words: string): Promise<number> {
	const doors = [...place.doors, ...place.doors]
	const pages = doors.map(async (door) => {
		const answer = await fetch(door + url, { headers: { Connection: 'close' } })
		return (await answer.text()).includes(words)
	})
	return (await Promise.all(pages)).filter(Boolean).length
}

const everywhere = () => place.doors.length * 2

async function isSeenEverywhere(url: string, words: string): Promise<void> {
	// A cached page that nobody invalidates expires after a minute.
	await expect.poll(() => shown(url, words), { timeout: 30_000 }).toBe(everywhere())
}

/** Requests a page often enough for every process to cache it. */
async function keepEverywhere(url: string): Promise<void> {
	for (let round = 0; round < 3; round += 1) await shown(url, '')
}

/** The connections with which processes listen to the bus of PostgreSQL. */
async function listeners(): Promise<number[]> {
	const { rows } = await pool().query(`select pid from pg_stat_activity
		where application_name = 'devquad bus' and datname = current_database()`)
	return rows.map(({ pid }) => pid)
}

/** The serving processes. */
const serving = () =>
	descendants(place.pid).filter(({ pid, command }) => pid !== place.pid && /server\/main\.js/.test(command))

afterEach(closeTabs)

describe.each([
	{ name: 'four workers on one port', start: workers, count: 4, skip: false },
	{ name: 'three nodes behind nginx, with Redis', start: nodes, count: 3, skip: !hasServers },
])('$name', ({ start, count, skip }) => {
	let mira: { member: SignedIn; cookie: string }
	let odalys: { member: SignedIn; cookie: string }
	let query: { id: number; url: string }

	if (skip) {
		test.skip('are not tried: nginx or redis-server is not installed (apt-get install nginx redis-server)', () => {})
		return
	}

	beforeAll(async () => {
		place = await start()
		mira = await logIn(`mira${count}`)
		odalys = await logIn(`odalys${count}`)
		query = await makeQuestion(mira.member)
	})

	afterAll(async () => {
		await place?.stop()
		await redis?.stop()
	})

	test('a registration in one process is announced to the tabs of all', async () => {
		await expectAnnouncedTo(await openTabs(odalys.cookie))
	})

	test('a member who comes online in one process is online in all', async () => {
		const watchers = await openTabs(odalys.cookie)
		const { username } = mira.member
		for (const watcher of watchers) expect(await watchPresence(watcher, [username])).toEqual([])
		const heard = allHear(watchers, 'presence:changed')
		await openTab(place.doors.at(-1) ?? '', mira.cookie)
		for (const event of await heard) expect(event).toEqual({ username, online: true })
		for (const watcher of watchers) expect(await watchPresence(watcher, [username])).toEqual([username])
	})

	test('a change in one process invalidates the cached page in all others', async () => {
		for (const door of new Set(place.doors)) {
			await keepEverywhere(query.url)
			await isSeenEverywhere(query.url, await comment(door, query.url, odalys.cookie))
		}
	})

	test('a notification reaches every tab of the member, in any process', async () => {
		const reader = await logIn(`reader${count}`)
		const { url } = await makeQuestion(reader.member)
		const tabs = await openTabs(reader.cookie)
		const unread = tabs.map(() => -1)
		for (const [index, tab] of tabs.entries())
			tab.on('notifications:changed', (event) => (unread[index] = event.unread))
		await comment(place.doors.at(-1) ?? '', url, odalys.cookie)
		await expect.poll(() => unread).toEqual(tabs.map(() => 1))
	})

	test('logging out in one process closes the tabs of the session in all, and no others', async () => {
		const leaving = await logIn(`leaving${count}`)
		const [tabs, other] = [await openTabs(leaving.cookie), await openTab(place.doors[1] ?? '', odalys.cookie)]
		const closed = allHear(tabs, 'disconnect')
		expect((await askLast('/logout', leaving.cookie, {})).status).toBe(303)
		expect(new Set(await closed)).toEqual(new Set(['io server disconnect']))
		expect(other.connected).toBe(true)
	})

	test('an ended session is rejected by every process, though its signed cookie is valid for 300 s', async () => {
		const leaving = await logIn(`forgotten${count}`)
		const statuses = () =>
			Promise.all(place.doors.map(async (door) => (await requestPage(door, '/api/v1/me', leaving.cookie)).status))
		expect(new Set(await statuses())).toEqual(new Set([200]))
		expect((await ask('/logout', leaving.cookie, {})).status).toBe(303)
		await expect.poll(statuses, { timeout: 10_000 }).toEqual(place.doors.map(() => 401))
	})

	test('API calls are counted together', async () => {
		const left: number[] = []
		for (const door of place.doors) {
			const answer = await requestPage(door, '/api/v1/queries', mira.cookie)
			left.push(Number(/r=(\d+)/.exec(answer.headers.get('RateLimit') ?? '')?.[1]))
		}
		expect(left).toEqual(left.map((_, index) => 599 - index))
	})

	test('the limit of fifty tabs holds over all processes', async () => {
		const many = await logIn(`many${count}`)
		const tabs: Socket[] = []
		while (tabs.length < 50) tabs.push(await openTab(place.doors[tabs.length % place.doors.length] ?? '', many.cookie))
		await expect
			.poll(async () => {
				const surplus = startTab(place.doors[1] ?? '', { Cookie: many.cookie })
				const answer = await Promise.race([nextEvent(surplus, 'connect_error'), nextEvent(surplus, 'connect')])
				surplus.disconnect()
				return answer instanceof Error ? answer.message : 'let in'
			})
			.toBe('too many tabs')
	})

	test('kill -9 of one process loses no acknowledged write, and the others keep serving', async () => {
		const words = await comment(place.doors[0] ?? '', query.url, odalys.cookie)
		// Enough for each process to have some.
		const tabs = (await Promise.all([1, 2, 3].map(() => openTabs(mira.cookie)))).flat()
		const before = serving()
		expect(before).toHaveLength(count)
		const lost: Socket[] = []
		for (const tab of tabs) tab.once('disconnect', () => lost.push(tab))
		const killed = before[0]?.pid ?? 0
		// As in the moment until a death is noticed: nobody may be left to a worker that does nothing.
		if (count === 4) {
			process.kill(killed, 'SIGSTOP')
			const answers = await Promise.all(place.doors.map(() => askAnew(query.url)))
			expect(answers.map(({ status }) => status)).toEqual(place.doors.map(() => 200))
		}
		process.kill(killed, 'SIGKILL')
		await expect.poll(() => lost.length).toBeGreaterThan(0)
		expect(lost.length, 'tabs of the others stay').toBeLessThan(tabs.length)
		const answer = await askAnew(query.url)
		expect([answer.status, answer.body.includes(words)]).toEqual([200, true])
		await expect.poll(() => serving().length).toBe(count)
		await expect.poll(() => tabs.every(({ connected }) => connected)).toBe(true)
		await isSeenEverywhere(query.url, await comment(place.doors[0] ?? '', query.url, odalys.cookie))
		await expectAnnouncedTo(tabs)
	})

	test('Redis may stop and restart: nothing stale is shown, and tabs are notified again', {
		skip: count !== 3,
	}, async () => {
		await keepEverywhere(query.url)
		const tabs = await openTabs(mira.cookie)
		const back = allHear(tabs, 'disconnect')
		const leaving = await logIn('leaving-without-redis')
		await redis?.stop()
		expect((await ask('/logout', leaving.cookie, {})).status).toBe(303)
		for (const door of place.doors) expect((await requestPage(door, '/api/v1/me', leaving.cookie)).status).toBe(401)
		await isSeenEverywhere(query.url, await comment(place.doors[1] ?? '', query.url, odalys.cookie))
		expect((await ask('/readyz', '')).status).toBe(200)
		expect((await ask('/api/v1/queries', mira.cookie)).status).toBe(200)
		await redis?.start()
		// Disconnected, so that they catch up.
		await back
		await expect.poll(() => tabs.every(({ connected }) => connected)).toBe(true)
		await keepEverywhere(query.url)
		await isSeenEverywhere(query.url, await comment(place.doors[2] ?? '', query.url, odalys.cookie))
		await expectAnnouncedTo(tabs)
	})

	test('a process that is cut off from the bus caches nothing, and caches again once it is back', {
		skip: count !== 4,
	}, async () => {
		const texts = { title: 'What do they know?', tags: 'bus', category: 'others' }
		const { id, url } = await makeQuestion(mira.member, { ...texts, description: 'Nothing yet.' })
		// This process is one more of the site, and writes. With another title, the question would have another address.
		const edit = (description: string) => editQuestion(mira.member, id, { ...texts, description })
		await keepEverywhere(url)
		await edit('What five of them know.')
		await isSeenEverywhere(url, 'What five of them know.')
		await keepEverywhere(url)
		// One of them may have just been started.
		const before = await eventually(async () => {
			const all = await listeners()
			expect(all).toHaveLength(count)
			return all
		})
		await pool().query('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [before])
		await edit('What nobody was told.')
		await isSeenEverywhere(url, 'What nobody was told.')
		await eventually(async () => expect((await listeners()).filter((pid) => !before.includes(pid))).toHaveLength(count))
		await keepEverywhere(url)
		await edit('What they know after a silence.')
		await isSeenEverywhere(url, 'What they know after a silence.')
	})

	test('an orderly stop leaves no process behind', async () => {
		const all = descendants(place.pid).map(({ pid }) => pid)
		expect(all.length).toBeGreaterThan(count)
		await place.stop()
		await expect.poll(() => stillRunning(all)).toEqual([])
	})
})
