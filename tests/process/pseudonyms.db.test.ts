import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { operations } from '~/features/api/openapi.server.ts'
import { askQuestion, deleteQuestion, editQuestion } from '~/features/asking/asking.server.ts'
import { addComment, editComment } from '~/features/discussion/commenting.server.ts'
import { castVote, chooseSolution } from '~/features/discussion/votes.server.ts'
import { decideCase } from '~/features/moderation/decisions.server.ts'
import { reportSubject } from '~/features/moderation/reports.server.ts'
import { saveAcademics, savePersonal } from '~/features/profile-editor/editing.server.ts'
import { setFollowing } from '~/features/tags/following.server.ts'
import { makeToken } from '~/features/tokens/tokens.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../factories/forum.ts'
import { makePicture } from '../factories/profiles.ts'
import { useDatabase } from '../support/database.ts'
import { logInMember, type MembersSite, startOnTestDatabase } from '../support/members-site.ts'
import { pageRoutes, routePaths } from '../support/raw-http.ts'
import { closeTabs, openTab } from '../support/tabs.ts'

/*
 * Nobody can find out who asked under a pseudonym, by any interface. Every address, its `.data`, and every reading operation of the API is
 * requested as somebody else, with every parameter that names the member or the question: unless the address names the member, the response
 * must not; if it does, the response must not contain anything of the question. A page is rendered from its `.data` alone, so some readers
 * only request that.
 */

useDatabase()

const username = 'zephyrina-quill'
/** Data of the member that responses must not contain. The number is her account's id. */
const traces = [username, 'Zephyrina', 'Quillfeather', 'falconry', '748213905', 'Brackenfold', 'Wexmoor']
/** A member with the same public data who never wrote anything. */
const other = 'anothera-quill'
/** Words of what she wrote under the pseudonym. */
const words = ['kestrels', 'hovering', 'windhover', 'thermals']

const texts = {
	title: 'How do kestrels keep hovering in one place?',
	description: 'A **windhover** stands still in the air.',
	tags: 'kestrels, flight',
	category: 'others',
	pseudonym: true,
}

let site: MembersSite
let member: SignedIn
let reader: SignedIn
let moderator: SignedIn
/** The moderator who unmasks. */
let guard: SignedIn
let pseudonym: { username: string; name: string }
let question: { id: number; url: string }
let comments: number[] = []
let merged: { id: number; url: string }
const cookies: Record<string, string> = { visitor: '' }

beforeAll(async () => {
	site = await startOnTestDatabase()
	const roles = {
		reader: 'member',
		guest: 'member',
		witness: 'member',
		moderator: 'moderator',
		guard: 'moderator',
	} as const
	for (const [name, role] of Object.entries({ ...roles, admin: 'admin', chief: 'admin' } as const)) {
		const made = await logInMember(site, name, role)
		cookies[name] = made.cookie
		if (name === 'reader') reader = made.member
		if (name === 'moderator') moderator = made.member
		if (name === 'guard') guard = made.member
	}
	const twin = await makeMember(other)
	await savePersonal(twin, other, { fullName: 'Anothera Quillbearer', about: '', skills: '', version: 1 })
	await sql`select setval(pg_get_serial_sequence('users', 'id'), 748213904)`.execute(db())
	const made = await logInMember(site, username)
	member = made.member
	cookies.member = made.cookie
	expect(member.id).toBe(748_213_905)
	const picture = await makePicture(member, 'profile')
	const personal = { fullName: 'Zephyrina Quillfeather', about: 'I like falconry.', city: 'Wexmoor', skills: 'Flight' }
	// Not listed, as her name may be in lists of members otherwise.
	await savePersonal(member, username, { ...personal, profile_url: picture, show_presence: 'on', version: 1 })
	await saveAcademics(member, username, { university_name: 'Brackenfold University', university_email: '', version: 1 })
	await sql`update users set name = 'Zephyrina Quillfeather' where id = ${member.id}`.execute(db())
	await write()
})

afterEach(closeTabs)
afterAll(() => site?.stop())

/** All actions under a pseudonym, and all actions of others on it. */
async function write(): Promise<void> {
	await setFollowing(reader, { category: 'others' }, true)
	question = await askQuestion(member, texts)
	await editQuestion(member, question.id, { ...texts, description: 'A **windhover** stands still. @reader knows.' })
	const answer = await addComment(reader, { questionId: question.id, parentId: null, body: 'It rides thermals.' })
	const own = await addComment(member, { questionId: question.id, parentId: answer.id, body: 'hovering, @reader?' })
	await editComment(member, own.id, { body: 'hovering still, @reader?' })
	comments = [answer.id, own.id]
	await chooseSolution(member, { questionId: question.id, commentId: answer.id })
	await castVote(reader, { questionId: question.id, commentId: own.id, vote: 1 })
	await reportSubject(reader, { kind: 'query', name: String(question.id) }, { reason: 'other', details: 'Look.' })
	await reportSubject(reader, { kind: 'comment', name: String(own.id) }, { reason: 'other', details: 'Look.' })
	const gone = await askQuestion(member, { ...texts, title: 'Do kestrels have thermals below them?' })
	await addComment(reader, { questionId: gone.id, parentId: null, body: 'windhover' })
	await deleteQuestion(member, gone.id)
	merged = await askQuestion(member, { ...texts, title: 'Is hovering of kestrels hard work?' })
	await decideCase(
		moderator,
		{ kind: 'query', name: String(merged.id), act: 'merge' },
		{ why: 'The same.', into: String(question.id) },
	)
	const { rows } = await sql<{ username: string; name: string }>`
		select username, name from users where id = (select author_id from questions where id = ${question.id})`.execute(
		db(),
	)
	if (!rows[0]) throw new Error('There is no pseudonym.')
	pseudonym = rows[0]
}

/** Possible values of an address's parameter. */
function values(name: string): string[] {
	if (name === 'username') return [username, pseudonym.username]
	if (name === 'id')
		return [String(question.id), String(merged.id), ...comments.map(String), username, pseudonym.username]
	if (name === 'kind') return ['query', 'comment', 'profile']
	if (name === 'category' || name === 'slug') return ['others']
	if (name === 'tag') return ['kestrels']
	if (name === 'name') return [String(question.id), username, pseudonym.username]
	if (name === 'key') return ['ask', `edit:${question.id}`]
	return ['x']
}

/** An address with all combinations of its parameters. */
function filled(path: string): string[] {
	const found = /:(\w+)\??|\{(\w+)\}|\*/.exec(path)
	if (!found) return [path]
	return values(found[1] ?? found[2] ?? '*').flatMap((value) => filled(path.replace(found[0], value)))
}

/** Queries of lists and searches besides their first page. */
const questions = [
	...[
		'/forum?q=kestrels',
		'/forum?view=active',
		'/forum?view=solved',
		'/forum?q=-user:reader',
		'/forum?q=in:comments+hovering',
	],
	...[`/forum?q=user:${username}`, `/forum?q=user:${username}+kestrels`, `/forum?q=-user:${username}+kestrels`],
	...[
		'/search?q=kestrels',
		'/search?q=hovering&in=queries',
		`/search?q=${username}`,
		'/search?q=zephyrina+quillfeather',
	],
	...[
		'/suggest/everything?q=kestrels',
		`/suggest/everything?q=${username}`,
		'/suggest/similar?title=hovering+kestrels',
	],
	...['/suggest/people?q=', '/suggest/people?q=z', '/suggest/tags?q=kes', '/suggest/developers?q=zephyrina'],
	...['/sitemap.xml?page=1', '/notifications?show=unread', `/find-dev/${username}?posts=answers`],
	...[`/find-dev/${username}?posts=solutions`, `/moderation/log?member=${username}`, '/moderation?order=reported'],
]

/** Additional calls of the API. */
const calls = [
	...['/queries?q=kestrels', '/queries?view=active', `/queries?author=${username}`, `/queries?q=user:${username}`],
	...[
		'/search?q=kestrels',
		`/search?q=${username}`,
		'/search?q=zephyrina+quillfeather',
		'/queries?tag=kestrels',
		'/people?q=zephyrina',
		`/moderation/log?member=${username}`,
	],
]

function addresses(): string[] {
	const ofQuestion = [`${question.url}?sort=best`, `${question.url}?thread=${comments[0]}`, `${merged.url}?original=1`]
	const pages = [...routePaths().flatMap(filled), question.url, ...ofQuestion, ...questions]
	const data = pages.filter((path) => !/\.(json|png|atom|xml|txt|js|webmanifest)/.test(path)).map(dataOf)
	const api = [
		...operations.filter(({ method }) => method === 'get').flatMap(({ path }) => filled(path)),
		...calls,
	].map((path) => `/api/v1${path}`)
	return [...new Set([...pages, ...data, ...api, '/api/v1/openapi.json'])]
}

const dataOf = (path: string) =>
	path.replace(/^([^?]*?)\/?(\?.*)?$/, (_, at, query = '') => `${at || '/_root'}.data${query}`)

/** Without the HTML of pages whose data is among the addresses. */
function withoutHtml(paths: string[]): string[] {
	const [all, rendered] = [new Set(paths), new Set(routePaths(pageRoutes()).flatMap(filled))]
	return paths.filter((path) => !(rendered.has(path.split('?')[0] ?? '') && all.has(dataOf(path))))
}

/** The same address for somebody who never wrote anything. */
function elsewhere(path: string): string {
	return path
		.replaceAll(username, other)
		.replaceAll(/zephyrina/gi, 'anothera')
		.replaceAll(/quillfeather/gi, 'quillbearer')
}

async function answerOf(path: string, who: string): Promise<string> {
	if (path.startsWith('/moderation/searches')) await sql`delete from missed_searches`.execute(db())
	const response = await site.ask(path, cookies[who] ?? '')
	// Within the rate limits: a 429 would prove nothing.
	expect(response.status, path).not.toBe(429)
	const head = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
	return `${head}\n${await response.text()}`.toLowerCase()
}

/** Lists all members, whatever they wrote. */
const LISTS_MEMBERS = /^\/admin\/members(\.data|\.csv)?$/

/** Data that a response must not contain. For an address that names the member, what the same address does not show of somebody else. */
async function leaksOf(path: string, who: string): Promise<string[]> {
	const answer = await answerOf(path, who)
	const isNamed = elsewhere(path) !== path
	const marks = (isNamed || LISTS_MEMBERS.test(path) ? [...words, pseudonym.name, pseudonym.username] : traces).map(
		(mark) => mark.toLowerCase(),
	)
	const found = marks.filter((mark) => answer.includes(mark))
	const others = isNamed && found.length > 0 ? await answerOf(elsewhere(path), who) : ''
	return found.filter((mark) => !others.includes(mark)).map((mark) => `${who} at ${path}: ${mark}`)
}

/** This many requests in a row stay within the rate limits, which other tests cover. */
async function leaksAt(paths: string[], who: string): Promise<string[]> {
	const found: string[] = []
	for (const [index, path] of paths.entries()) {
		if (index % 25 === 0) await sql`truncate rate_limits`.execute(db())
		found.push(...(await leaksOf(path, who)))
	}
	return found
}

describe('a member who asks under a pseudonym', () => {
	test('is visible under the pseudonym, so that the tests below are not vacuous', async () => {
		expect(pseudonym.username).toMatch(/^[a-z]+-[a-z]+-[a-z0-9]{4}$/)
		expect(question.url).toContain(`/forum/others/${pseudonym.username}/${question.id}/how-do-kestrels`)
		for (const path of [
			question.url,
			'/forum',
			`/api/v1/queries/${question.id}`,
			'/forum/feed.atom',
			'/search?q=kestrels',
		]) {
			const text = await (await site.ask(path, '')).text()
			expect(text, path).toContain(pseudonym.name)
			expect(text, path).toContain('kestrels')
		}
		const own = await (await site.ask(`/my-profile/${username}?tab=queries`, cookies.member ?? '')).text()
		expect(own).toContain(texts.title)
		expect(addresses().length).toBeGreaterThan(200)
	})

	test.each(['visitor', 'reader', 'moderator', 'admin'])(
		'is named to a %s by no address of the site and no operation of the API',
		async (who) => {
			// Admins see the pages of moderators, and more on them.
			const asked = who === 'moderator' ? withoutHtml(addresses()) : addresses()
			expect(await leaksAt(asked, who)).toEqual([])
		},
		120_000,
	)

	test('is named by no socket event when they ask, comment and accept', async () => {
		const tab = await openTab(site.url, cookies.reader ?? '')
		const events: string[] = []
		tab.onAny((...event) => events.push(JSON.stringify(event)))
		const newest = await tab.timeout(30_000).emitWithAck('query:watch', question.id, 0)
		expect(newest).toEqual(comments.filter((_, index) => index === 1))
		const send = (path: string, fields: Record<string, string>) => site.ask(path, cookies.member ?? '', fields)
		const commented = await send(question.url, { intent: 'comment', body: 'hovering again, @reader' })
		expect(commented.status).toBe(303)
		await send('/forum/ask', { ...texts, pseudonym: 'on', title: 'Do kestrels sleep on thermals?' })
		await expect
			.poll(() => events.map((event) => JSON.parse(event)[0]))
			.toEqual(expect.arrayContaining(['comment:added', 'notifications:changed']))
		expect(events.filter((event) => traces.some((trace) => event.includes(trace)))).toEqual([])
		expect(events.find((event) => event.includes('comment:added'))).toContain(pseudonym.username)
	})

	test('is named only to the moderator who unmasked them, on that case', async () => {
		await decideCase(guard, { kind: 'query', name: String(question.id), act: 'unmask' }, { why: 'A threat.' })
		const casePath = `/moderation/query/${question.id}`
		expect(await (await site.ask(casePath, cookies.guard ?? '')).text()).toContain('Quillfeather')
		const { token } = await makeToken(guard, { name: 'test', scopes: ['read', 'write', 'moderate'], days: 7 })
		const called = await fetch(`${site.url}/api/v1${casePath}`, { headers: { Authorization: `Bearer ${token}` } })
		expect(await called.json()).toMatchObject({ unmasked: { username }, author: { username: pseudonym.username } })
		const ownCases = comments
			.slice(1)
			.flatMap((id) => [`/moderation/comment/${id}`, `/api/v1/moderation/comment/${id}`])
		const known = (path: string) => path.includes(casePath) || ownCases.some((one) => path.startsWith(one))
		expect(
			await leaksAt(
				withoutHtml(addresses()).filter((path) => !known(path)),
				'guard',
			),
		).toEqual([])
		const moderated = withoutHtml(addresses()).filter((path) =>
			/\/(moderation|notifications|find-dev)|^\/forum\/others/.test(path),
		)
		expect(await leaksAt(moderated, 'chief')).toEqual([])
		expect(await leaksAt(moderated, 'guest')).toEqual([])
		const log = await (await site.ask('/moderation/log', cookies.chief ?? '')).text()
		expect(log).toContain('A threat.')
		const told = await (await site.ask('/notifications', cookies.member ?? '')).text()
		expect(told).toContain('A threat.')
	})

	test('would be found: under their own name, the same addresses name them', async () => {
		const { pseudonym: _, ...fields } = { ...texts, title: 'How do kestrels nest?' }
		const asked = await site.ask('/forum/ask', cookies.member ?? '', fields)
		const url = asked.headers.get('Location') ?? ''
		const open = { id: Number(url.split('/')[4]), url }
		await site.ask(url, cookies.member ?? '', { intent: 'comment', body: 'On hovering thermals.' })
		question = open
		const places = [
			'/forum',
			'/forum.data',
			'/forum/feed.atom',
			'/sitemap.xml?page=1',
			`/find-dev/${username}`,
			`/find-dev/${username}.data`,
			'/search?q=kestrels',
			'/search.data?q=kestrels',
		]
		const api = ['/queries', `/queries/${open.id}/comments`, `/queries?author=${username}`]
		const naming = [...places, ...api.map((path) => `/api/v1${path}`)]
		expect(addresses()).toEqual(expect.arrayContaining(naming))
		const found = new Set((await leaksAt(naming, 'witness')).map((leak) => leak.split(': ')[0]))
		expect([...found]).toEqual(naming.map((path) => `witness at ${path}`))
	})
})
