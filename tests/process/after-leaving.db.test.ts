import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { config } from '~/config.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import type { ClientEvents } from '~/platform/realtime/events.ts'
import { useDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { useJobTables } from '../support/jobs.ts'
import { addressesOf, dataPath, type Leaver, SILENT } from '../support/leaver-addresses.ts'
import { gather, plant } from '../support/leavers.ts'
import { type MembersSite, startOnTestDatabase } from '../support/members-site.ts'
import { columnsWithout, filesWith, NOT_PLANTED, rowsWith } from '../support/planted-member.ts'
import { closeTabs, openTab } from '../support/tabs.ts'

/*
 * Two of the staff leave: a moderator by themselves and with their texts, who changed their username before; and an admin whom another
 * one renamed and deletes, and whose texts stay. Each address of the site, its `.data`, and each operation of the API that reads is asked for
 * before, so that every cache is warm and the words are known to be found, and after. What a member looks for by name gets the answer that a
 * name gets which nobody ever had. Connections are handed to the two processes of the site in turn: what named a leaver is asked for twice
 * in a row, so that the one that did not delete the account is asked, too.
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
	// The files of both are the same: what the test stores, the site serves.
	const settings = { DATA_DIR: config().dataDir, LOG_LEVEL: 'error', WEB_CONCURRENCY: '2' }
	site = await startOnTestDatabase(undefined, settings)
	const remaining = await gather(site)
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
}, 60_000)

afterEach(closeTabs)
afterAll(() => site?.stop())

/** A word of the same length that nobody ever wrote. */
const decoyOf = (mark: string) => [...mark].toReversed().join('')

interface Answer {
	status: number
	isPage: boolean
	/** Whether nothing was to be read there by whoever asked. */
	isRefused: boolean
	/** The status, and of a picture which one it is. */
	told: string
	/** Headers and body, in small letters. */
	text: string
}

/** Requests since the limits of reading were last forgotten, which have tests of their own. */
let asked = 0

/** Asks over a connection of its own, so that of two requests in a row each process gets one. */
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
	// Every search for a name that is gone is noted there, in the words of who searched.
	if (path.startsWith('/moderation/searches') && isOver) await sql`truncate missed_searches`.execute(db())
	const response = isAlone ? await askAlone(path, who) : await site.ask(path, cookieOf(who), READ_BY_FORM[path])
	if (response.status === 429) {
		// Pages are counted in the memory of the site, by minutes.
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

/** What is read by sending a form. */
const READ_BY_FORM: Record<string, Record<string, string>> = { '/admin/members.csv': {} }

const allMarks = () => leavers.flatMap(({ marks }) => marks)
const countOf = (text: string, mark: string) => text.split(mark).length - 1

/** An address with names in it that nobody has. */
const decoyPath = (path: string) =>
	allMarks().reduce((all, mark) => all.replaceAll(mark, decoyOf(mark)), path.toLowerCase())

/** Who sees as much, and has read less within this minute. */
const TWINS: Record<string, string> = { peer: 'other', admin: 'chief' }

/** A name on which the answer to an address depends, rather than a search. */
const isNamed = (path: string) => allMarks().some((mark) => path.split('?')[0]?.includes(mark))

/**
 * Which of the words an answer holds that it does not owe to the address itself: an address that names a member is asked once more with
 * names that nobody has, and gets the same answer.
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

/** Who asks for an address: what moderators read, admins do as well, but they are asked for the moderation. */
const READERS = ['visitor', 'peer', 'admin'] as const
/** Routes that one more member reads who has to do with the leavers. */
const MORE_READERS: Record<string, string> = {
	'/moderation': 'moderator',
	'/moderation/log': 'moderator',
	'/moderation/:kind/:id': 'moderator',
	'GET /moderation/log': 'moderator',
	'/settings': 'other',
	'GET /me/blocks': 'other',
}
/** What members see of themselves. The header of each page names them, so only what they filled in counts. */
const SELF =
	/^(GET \/me\b|\/(answer|bookmarks|edit-profile|following|forum\/(ask|drafts|edit)|messages|my-profile|notifications|settings)\b)/

/** Every address that concerns one of them, by its route. */
function allAddresses(): Map<string, Set<string>> {
	const all = new Map<string, Set<string>>()
	for (const leaver of leavers)
		for (const [route, paths] of addressesOf(leaver)) all.set(route, new Set([...(all.get(route) ?? []), ...paths]))
	return all
}

/** By route, who was let in before anybody left. */
const readers = new Map<string, Set<string>>()
/** By route, who was the first to find somebody there. */
const foundBy = new Map<string, string>()
/** Addresses that pages lead to and that name a member. */
const linked = new Set<string>()
/** To whom a route named somebody. */
const namedTo = new Set<string>()
/** Of the first addresses that named somebody, who read which. */
const naming = new Set<string>()
/** Routes whose addresses are pages, which have `.data`. */
const pages = new Set<string>()

/** Asks for the addresses of a route until somebody is found there. @returns whether somebody is */
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
		// Any name of theirs leads to the one of today.
		if (answer.status === 301) continue
		const lower = path.toLowerCase()
		const marks = isSelf ? said : allMarks()
		if (marks.some((mark) => answer.text.includes(mark) && !lower.includes(mark))) {
			naming.add(`${who} ${path}`)
			return true
		}
		// An answer that is a picture, or nothing but the name that was asked for.
		if (!/media|card|tags/.test(route) || !isNamed(path)) continue
		if ((await answerOf(decoyPath(path), who)).told !== answer.told) return true
	}
	return false
}

/** What a tab may ask; null for what says something and is not answered with what others wrote. */
const SOCKET_QUESTIONS: Record<keyof ClientEvents, (() => unknown[]) | null> = {
	'presence:watch': () => [leavers.flatMap(({ usernames }) => usernames)],
	'query:watch': () => [leavers[1]?.planted.answered.id, 0],
	'members:since': () => ['peer'],
	'chat:send': null,
	'chat:seen': null,
	'chat:typing': null,
}

/** Which of the words are in each answer. */
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
	test('each text of each table holds a word of them, or never does', async () => {
		const said = leavers.flatMap(({ words }) => [words.texts])
		const empty = await columnsWithout([...allMarks(), ...said])
		expect(empty.sort(), 'has to be planted, or to stand in NOT_PLANTED').toEqual(
			Object.values(NOT_PLANTED).flat().sort(),
		)
	})

	test('a tab is told who of them is there', async () => {
		await openTab(site.url, cookieOf('first'))
		const tab = await openTab(site.url, cookieOf('peer'))
		await eventually(async () => expect((await askedBySocket(tab))[0]).toEqual(['vintrell']))
	})

	test('each route and operation that can name them does, and what cannot says why', async () => {
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
		// So that both processes keep what they may of it.
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
	}, 240_000)
})

/** Lets the 14 days pass, and the site's own job delete the account. */
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
		const left = await site.ask('/settings/leave', cookieOf('first'), { texts: 'remove' })
		expect([left.status, left.headers.get('Location')]).toEqual([303, '/login'])
		const form = { act: 'delete', texts: 'keep', why: `@${second.member.username} wrote to us.` }
		const deleted = await site.ask(`/admin/members/${second.member.username}`, cookieOf('admin'), form)
		expect([deleted.status, await deleted.text()]).toEqual([303, ''])
		for (const leaver of [first, second]) await waitUntilGone(leaver)
	}, 60_000)

	test('no table and no file holds a word of them', async () => {
		expect(await rowsWith(allMarks())).toEqual([])
		expect(filesWith(allMarks())).toEqual([])
		expect(readdirSync(join(config().dataDir, 'archives'))).toEqual([])
	})

	test('no event of a socket names them to somebody who looks for them', async () => {
		for (const _process of [1, 2]) {
			const tab = await openTab(site.url, cookieOf('peer'))
			expect(await askedBySocket(tab)).toEqual([[], [], []])
		}
	})

	test('no process believes a session of theirs', async () => {
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
					// A page and its data are made of what the same loaders tell: of what is searched, one is enough.
					const isAsked = who === 'admin' || namedTo.has(`${who} ${route}`)
					const data = isAsked && pages.has(route) && !path.includes('?') ? dataPath(path) : null
					if (!data || who !== 'admin') await ask(path, who)
					if (data) await ask(data, who)
				}
		expect(leaks).toEqual([])
	}, 240_000)
})

/** All addresses from before, whatever pages led to, and what is called by the accounts that stand for them now. */
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
