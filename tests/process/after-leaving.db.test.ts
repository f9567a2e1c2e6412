import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { config } from '~/config.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import type { ClientEvents } from '~/platform/realtime/events.ts'
import { useDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { useJobTables } from '../support/jobs.ts'
import { addressesOf, dataPath, type Leaver, SILENT } from '../support/leaver-addresses.ts'
import { makeStayingMembers, plant } from '../support/leavers.ts'
import { type MembersSite, startOnTestDatabase } from '../support/members-site.ts'
import { columnsWithout, filesWith, NOT_PLANTED, rowsWith } from '../support/planted-member.ts'
import { closeTabs, openTab } from '../support/tabs.ts'

/*
 * Two staff members leave: a moderator, who had changed their username, with their texts; and an admin, renamed and deleted by another one,
 * whose texts stay. Before and after, all addresses, their `.data`, and all reading operations of the API are requested: first to warm the
 * caches and to prove that the words are found, then to prove that they are not. A search for a gone name must get the response of a name
 * that nobody ever had. Connections go to the two processes in turn, and every request that revealed something is sent twice, so that the
 * process that did not delete the account is covered.
 */

useDatabase()
useJobTables()

let site: MembersSite
let cookies: Record<string, string>
const leavers: Leaver[] = []

/** Whether both have left. */
let isOver = false

const cookieOf = (who: string) => cookies[who] ?? ''

beforeAll(async () => {
	// Test and site share the data directory, so that the site serves files stored by the test.
	const settings = { DATA_DIR: config().dataDir, LOG_LEVEL: 'error', WEB_CONCURRENCY: '2' }
	site = await startOnTestDatabase(undefined, settings)
	const remaining = await makeStayingMembers(site)
	const firstWords = { texts: 'plonkwetter', own: 'zwyrbelfink', name: 'Hulmera Droskin' }
	const first = await plant(site, remaining, ['quorbast', 'vintrell'], firstWords, {
		role: 'moderator',
		renamedBy: 'self',
		keepsTexts: false,
	})
	const secondWords = { texts: 'trowlinga', own: 'grumvexta', name: 'Pirkola Snaddle' }
	const second = await plant(site, remaining, ['jexmonde', 'wolthurn'], secondWords, {
		role: 'admin',
		renamedBy: 'admin',
		keepsTexts: true,
	})
	leavers.push(first.leaver, second.leaver)
	cookies = { ...remaining.cookies, first: first.cookie, second: second.cookie }
})

afterEach(closeTabs)
afterAll(() => site?.stop())

/** A word of the same length that does not occur anywhere. */
const decoyOf = (mark: string) => [...mark].toReversed().join('')

interface Answer {
	status: number
	isPage: boolean
	/** Whether access was refused. */
	isRefused: boolean
	/** The status, and for a picture its identity. */
	told: string
	/** Headers and body, in lower case. */
	text: string
}

/** Requests since the rate limits were last reset; other tests cover the limits. */
let asked = 0

/** Uses a new connection, so that two requests in a row reach both processes. */
function askAlone(path: string, who: string): Promise<Response> {
	const form = READ_BY_FORM[path]
	return fetch(site.url + path, {
		redirect: 'manual',
		headers: { Origin: new URL(site.url).origin, Connection: 'close', Cookie: cookieOf(who) },
		...(form && { method: 'POST', body: new URLSearchParams(form) }),
	})
}

async function answerOf(path: string, who: string, isAlone = false): Promise<Answer> {
	asked += 1
	if (asked % 10 === 0) await sql`delete from rate_limits`.execute(db())
	// The tests' own searches for names are recorded there.
	if (path.startsWith('/moderation/searches') && isOver) await sql`truncate missed_searches`.execute(db())
	const response = isAlone ? await askAlone(path, who) : await site.ask(path, cookieOf(who), READ_BY_FORM[path])
	if (response.status === 429) {
		// Page limits are in the site's memory, per minute.
		await sleep(Number(response.headers.get('Retry-After')) * 1_000)
		return answerOf(path, who, isAlone)
	}
	expect(response.status, path).toBeLessThan(500)
	const location = response.headers.get('Location') ?? ''
	const type = response.headers.get('Content-Type') ?? ''
	const head = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
	return {
		status: response.status,
		told: `${response.status} ${type.startsWith('image/') ? response.headers.get('ETag') : ''}`,
		isPage: type.startsWith('text/html'),
		isRefused: response.status >= 400 || location.startsWith('/login'),
		text: `${head}\n${await response.text()}`.toLowerCase(),
	}
}

/** Reads that require a form post. */
const READ_BY_FORM: Record<string, Record<string, string>> = { '/admin/members.csv': {}, '/moderation/log.csv': {} }

const allMarks = () => leavers.flatMap(({ marks }) => marks)
const countOf = (text: string, mark: string) => text.split(mark).length - 1

/** An address with names that do not exist. */
const decoyPath = (path: string) =>
	allMarks().reduce((all, mark) => all.replaceAll(mark, decoyOf(mark)), path.toLowerCase())

/** Readers with the same permissions who have used up less of the limits. */
const TWINS: Record<string, string> = { peer: 'other', admin: 'chief' }

/** Whether the path of an address, rather than its query string, contains a name. */
const isNamed = (path: string) => allMarks().some((mark) => path.split('?')[0]?.includes(mark))

/**
 * The words in a response, except those that merely repeat the address: an address that names a member is also requested with an unknown
 * name, and must get the same response.
 */
async function leaksOf(path: string, who: string): Promise<string[]> {
	const isFound = naming.has(`${who} ${path}`)
	const { told, text } = await answerOf(path, who, isFound)
	const lower = path.toLowerCase()
	const here = allMarks().filter((mark) => text.includes(mark))
	if (isFound) {
		const again = (await answerOf(path, who, true)).text
		here.push(
			...allMarks()
				.filter((mark) => countOf(again, mark) > countOf(text, mark))
				.map((mark) => `${mark} again`),
		)
	}
	const echoed = allMarks().filter((mark) => lower.includes(mark))
	if (echoed.length === 0 || (here.length === 0 && !(isNamed(path) && who === 'peer'))) return here
	const other = await answerOf(decoyPath(path), TWINS[who] ?? who)
	const more = here.filter((mark) => countOf(text, mark) > countOf(other.text, decoyOf(mark)))
	return told === other.told ? more : [...more, `${told} rather than ${other.told}`]
}

/** The readers of each address. Admins read what moderators do, but only `admin` requests moderation pages. */
const READERS = ['visitor', 'peer', 'admin'] as const
/** Additional readers of some routes, who have to do with the leaving members. */
const MORE_READERS: Record<string, string> = {
	'/moderation': 'moderator',
	'/moderation/log': 'moderator',
	'/moderation/:kind/:id': 'moderator',
	'GET /moderation/log': 'moderator',
	'/settings': 'other',
	'GET /me/blocks': 'other',
}
/** Members' own data. Each page's header has their name, so only profile fields count. */
const SELF =
	/^(GET \/me\b|\/(answer|bookmarks|edit-profile|following|forum\/(ask|drafts|edit)|messages|my-profile|notifications|settings)\b)/

/** All addresses that concern one of them, by route. */
function allAddresses(): Map<string, Set<string>> {
	const all = new Map<string, Set<string>>()
	for (const leaver of leavers)
		for (const [route, paths] of addressesOf(leaver)) all.set(route, new Set([...(all.get(route) ?? []), ...paths]))
	return all
}

/** Who was let in before anybody left, by route. */
const readers = new Map<string, Set<string>>()
/** Who first found somebody there, by route. */
const foundBy = new Map<string, string>()
/** Addresses in links that name a member. */
const linked = new Set<string>()
/** Readers to whom a route revealed somebody. */
const namedTo = new Set<string>()
/** The first addresses that revealed somebody, with their readers. */
const naming = new Set<string>()
/** Routes that are pages and have `.data`. */
const pages = new Set<string>()

/** Requests the addresses of a route until one reveals somebody. @returns whether one does */
async function look(route: string, who: string, paths: Iterable<string>): Promise<boolean> {
	const isSelf = who === 'first'
	const said = leavers.flatMap(({ words }) => [words.own, words.texts])
	for (const path of paths) {
		const answer = await answerOf(path, who)
		if (answer.isPage) pages.add(route)
		if (!answer.isRefused) readers.set(route, (readers.get(route) ?? new Set()).add(who))
		for (const [, link = ''] of answer.text.matchAll(/(?:href|src)="(\/[^"#?]*)/g))
			if (allMarks().some((mark) => link.includes(mark)) && !link.startsWith('/login?'))
				linked.add(link.replaceAll('&amp;', '&'))
		// Former names redirect to the present one.
		if (answer.status === 301) continue
		const lower = path.toLowerCase()
		const marks = isSelf ? said : allMarks()
		if (marks.some((mark) => answer.text.includes(mark) && !lower.includes(mark))) {
			naming.add(`${who} ${path}`)
			return true
		}
		// Pictures, and responses that only contain the requested name, are compared with those of an unknown name.
		if (!/media|card|tags/.test(route) || !isNamed(path)) continue
		if ((await answerOf(decoyPath(path), who)).told !== answer.told) return true
	}
	return false
}

/** Requests that a tab can send; null for events without a response that contains data of others. */
const SOCKET_QUESTIONS: Record<keyof ClientEvents, (() => unknown[]) | null> = {
	'presence:watch': () => [leavers.flatMap(({ usernames }) => usernames)],
	'query:watch': () => [leavers[1]?.planted.answered.id, 0],
	'members:since': () => ['peer'],
	'chat:send': null,
	'chat:seen': null,
	'chat:typing': null,
}

/** The words in each response. */
async function askedBySocket(tab: Awaited<ReturnType<typeof openTab>>): Promise<string[][]> {
	const found: string[][] = []
	for (const [event, words] of Object.entries(SOCKET_QUESTIONS)) {
		if (!words) continue
		const answer = JSON.stringify(await tab.timeout(30_000).emitWithAck(event, ...words()))
		found.push(allMarks().filter((mark) => answer.toLowerCase().includes(mark)))
	}
	return found
}

describe('before members leave', () => {
	test('every text column contains their words, or never can', async () => {
		const said = leavers.flatMap(({ words }) => [words.texts])
		const empty = await columnsWithout([...allMarks(), ...said])
		expect(empty.sort(), 'has to be planted, or to stand in NOT_PLANTED').toEqual(
			Object.values(NOT_PLANTED).flat().sort(),
		)
	})

	test('a tab sees who of them is online', async () => {
		await openTab(site.url, cookieOf('first'))
		const tab = await openTab(site.url, cookieOf('peer'))
		await eventually(async () => expect((await askedBySocket(tab))[0]).toEqual(['vintrell']))
	})

	test('every route and operation that can name them does, others have a reason', async () => {
		const archived = await site.ask('/settings/data', cookieOf('first'), {})
		expect(archived.status).toBe(303)
		await eventually(async () => {
			const { rows } = await sql`select from archives where ready_at is not null`.execute(db())
			expect(rows).toHaveLength(1)
		})
		for (const [route, paths] of allAddresses()) {
			const more = MORE_READERS[route] ? [MORE_READERS[route]] : []
			for (const who of [...READERS, ...more, ...(SELF.test(route) ? ['first'] : [])])
				if (await look(route, who, paths)) {
					namedTo.add(`${who} ${route}`)
					if (!foundBy.has(route)) foundBy.set(route, who)
				}
		}
		// Warms the caches of both processes.
		for (const [who = '', path = ''] of [...naming, ...naming].toSorted().map((name) => name.split(' ')))
			await answerOf(path, who, true)
		const silent = [...allAddresses().keys()].filter((route) => !foundBy.has(route))
		expect(silent.sort(), 'has to name them, or to stand in SILENT of leaver-addresses.ts').toEqual(
			Object.values(SILENT).flat().sort(),
		)
		expect(
			[...foundBy]
				.filter(([, who]) => who === 'visitor')
				.map(([route]) => route)
				.sort(),
		).toMatchInlineSnapshot(`
			[
			  "/",
			  "/answer/feed.atom",
			  "/find-dev",
			  "/find-dev/:username/card.png",
			  "/find-dev/:username/feed.atom",
			  "/forum",
			  "/forum/:category/:username/:id/:slug?",
			  "/forum/category/:slug",
			  "/forum/category/:slug/feed.atom",
			  "/forum/comment/:id",
			  "/forum/feed.atom",
			  "/forum/tag/:tag",
			  "/forum/tag/:tag/feed.atom",
			  "/forum/tags",
			  "/imprint",
			  "/media/*",
			  "/search",
			  "/sitemap.xml",
			  "/suggest/developers",
			  "/suggest/everything",
			  "/suggest/known-skills",
			  "/suggest/similar",
			  "/suggest/tags",
			  "GET /comments/{id}",
			  "GET /people",
			  "GET /queries",
			  "GET /queries/{id}",
			  "GET /queries/{id}/comments",
			  "GET /search",
			  "GET /tags",
			  "GET /tags/{name}",
			]
		`)
	})
})

/** Backdates the request, and waits until the site's job has deleted the account. */
async function waitUntilGone({ member }: Leaver): Promise<void> {
	await sql`update users set leaves_at = now() - interval '1 minute' where id = ${member.id}`.execute(db())
	await addJob('delete-account', { userId: member.id })
	await eventually(async () => {
		const { rows } = await sql`
			select from graphile_worker._private_jobs where payload ->> 'userId' = ${String(member.id)}`.execute(db())
		expect(rows).toEqual([])
	})
	expect((await sql`select from users where id = ${member.id}`.execute(db())).rows).toEqual([])
}

describe('after members left', () => {
	beforeAll(async () => {
		const [first, second] = leavers as [Leaver, Leaver]
		const left = await site.ask('/settings/leave', cookieOf('first'), { intent: 'leave', texts: 'remove' })
		expect([left.status, left.headers.get('Location')]).toEqual([303, '/login'])
		const form = { intent: 'delete', texts: 'keep', why: `@${second.member.username} wrote to us.` }
		const deleted = await site.ask(`/admin/members/${second.member.username}`, cookieOf('admin'), form)
		expect([deleted.status, await deleted.text()]).toEqual([303, ''])
		for (const leaver of [first, second]) await waitUntilGone(leaver)
	})

	test('no table and no file contains their words', async () => {
		expect(await rowsWith(allMarks())).toEqual([])
		expect(filesWith(allMarks())).toEqual([])
		expect(readdirSync(join(config().dataDir, 'archives'))).toEqual([])
	})

	test('no socket event names them to somebody who looks for them', async () => {
		for (const _process of [1, 2]) {
			const tab = await openTab(site.url, cookieOf('peer'))
			expect(await askedBySocket(tab)).toEqual([[], [], []])
		}
	})

	test('no process accepts their sessions', async () => {
		for (const who of ['first', 'second', 'first', 'second', 'first', 'first', 'second', 'second']) {
			const { status, headers } = await askAlone('/settings', who)
			expect([who, status, headers.get('Location')?.split('?')[0]]).toEqual([who, 302, '/login'])
		}
	})

	test('no address and no operation names them to anybody', async () => {
		isOver = true
		const leaks: string[] = []
		const ask = async (path: string, who: string) => {
			leaks.push(...(await leaksOf(path, who)).map((mark) => `${who} at ${path}: ${mark}`))
		}
		for (const [route, paths] of await lateAddresses())
			for (const path of paths)
				for (const who of readers.get(route) ?? ['peer']) {
					// Pages and their data have the same loaders, and of the searches one suffices. A page that named somebody may be in a cache.
					const isAsked = who === 'admin' || namedTo.has(`${who} ${route}`)
					const data = isAsked && pages.has(route) && !path.includes('?') ? dataPath(path) : null
					if (!data || (who !== 'admin' && naming.has(`${who} ${path}`))) await ask(path, who)
					if (data) await ask(data, who)
				}
		expect(leaks).toEqual([])
	})
})

/** All earlier addresses, those found in links, and those of the replacing accounts. */
async function lateAddresses(): Promise<Map<string, Set<string>>> {
	const all = allAddresses()
	const { rows } = await sql<{ username: string }>`select username from users where former`.execute(db())
	const former = { ...(leavers[0] as Leaver), usernames: rows.map(({ username }) => username) }
	const asNow = [...addressesOf(former)].filter(([route]) => /messages|conversations|^\/find-dev/.test(route))
	for (const [route, paths] of asNow) for (const path of paths) all.get(route)?.add(path)
	const known = new Set([...all.values()].flatMap((paths) => [...paths]))
	all.set('', new Set([...linked].filter((path) => !known.has(path))))
	return all
}
