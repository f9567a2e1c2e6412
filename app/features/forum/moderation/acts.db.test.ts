import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Conflict, Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { makeComment, makeMember, makeQuery } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { expectCountsToHold, hashForum } from '../../../../tests/support/forum-rows.ts'
import { listComments } from '../comments.server.ts'
import { addComment, editQuestion } from '../forum.server.ts'
import { getQuery, getTag, listForSitemap, listQueries } from '../reading.server.ts'
import { judge } from './acts.server.ts'
import { appoint, listMembers } from './members.server.ts'
import { getCase, listCases, listLog } from './queue.server.ts'
import { getReportable, report } from './reports.server.ts'
import { mergedAddress, mergedFrom } from './withheld.server.ts'

useDatabase()

const who = {} as Record<'author' | 'member' | 'moderator' | 'admin', SignedIn>
let query = 0
let comment = 0
const why = 'It sells shoes.'

beforeAll(async () => {
	who.author = await makeMember('author')
	who.member = await makeMember('member')
	who.moderator = await makeMember('moderator', 'moderator')
	who.admin = await makeMember('admin', 'admin')
})

beforeEach(async () => {
	query = (await makeQuery(who.author, { title: 'Zebra crossings in CSS', tags: 'zebra' })).id
	comment = await makeComment(who.author, query, 'Use a gradient.')
})

const decide = (
	viewer: Viewer,
	kind: string,
	name: number | string,
	act: string,
	input: Record<string, unknown> = {},
) => judge(viewer, { kind, name: String(name), act }, { why, ...input })
const profile = () => 'author'

describe('who may do what', () => {
	const acts: [string, (viewer: Viewer) => Promise<unknown>, (keyof typeof who)[]][] = [
		['report a query', (viewer) => report(viewer, named('query', query), spam), ['member', 'moderator', 'admin']],
		['report a comment', (viewer) => report(viewer, named('comment', comment), spam), ['member', 'moderator', 'admin']],
		[
			'report a profile',
			(viewer) => report(viewer, named('profile', 'author'), spam),
			['member', 'moderator', 'admin'],
		],
		['read the queue', (viewer) => listCases(viewer, { order: 'newest', cursor: null }), ['moderator', 'admin']],
		['open a case', (viewer) => getCase(viewer, named('query', query)), ['moderator', 'admin']],
		['hide a query', (viewer) => decide(viewer, 'query', query, 'hide'), ['moderator', 'admin']],
		['hide a comment', (viewer) => decide(viewer, 'comment', comment, 'hide'), ['moderator', 'admin']],
		['lock a query', (viewer) => decide(viewer, 'query', query, 'lock'), ['moderator', 'admin']],
		['merge', (viewer) => mergeAway(viewer), ['moderator', 'admin']],
		['suspend', (viewer) => decide(viewer, 'profile', profile(), 'suspend', { time: '1 day' }), ['moderator', 'admin']],
		['list who is suspended', (viewer) => listMembers(viewer), ['moderator', 'admin']],
		['read the log', (viewer) => listLog(viewer, { member: '', cursor: null }), ['admin']],
		['make a moderator', (viewer) => appoint(viewer, 'author', 'moderator'), ['admin']],
	]
	const table = acts.flatMap(([what, act, allowed]) =>
		([null, 'member', 'author', 'moderator', 'admin'] as const).map(
			(name) => [what, name, name !== null && allowed.includes(name), act] as const,
		),
	)

	test.each(table)('%s as %s: %s; a refusal changes nothing', async (_what, name, may, act) => {
		const other = (await makeQuery(who.author, { title: 'The query that stays' })).id
		into = other
		const before = await hashForum()
		const viewer = name && who[name]
		if (may) await act(viewer)
		else {
			await expect(act(viewer)).rejects.toThrow(NotAllowed)
			expect(await hashForum()).toEqual(before)
		}
		await expectCountsToHold()
		await undo()
	})

	test('a moderator suspends neither an admin nor another moderator nor themselves, and an admin no admin', async () => {
		const second = await makeMember('second', 'moderator')
		const before = await hashForum()
		for (const [actor, victim] of [
			[who.moderator, who.admin],
			[who.moderator, second],
			[who.moderator, who.moderator],
			[who.admin, who.admin],
		] as const)
			await expect(decide(actor, 'profile', victim.username, 'suspend', { time: '1 day' })).rejects.toThrow(NotAllowed)
		expect(await hashForum()).toEqual(before)
		await decide(who.admin, 'profile', second.username, 'suspend', { time: 'for ever' })
		await expect(decide(second, 'query', query, 'hide')).rejects.toThrow(/suspended for good/)
	})

	test('a role that was taken back holds no longer, whatever a session remembers', async () => {
		const former = await makeMember('former', 'moderator')
		await appoint(who.admin, 'former', 'member')
		const before = await hashForum()
		await expect(decide(former, 'query', query, 'hide')).rejects.toThrow(NotAllowed)
		await expect(decide(former, 'query', query, 'lock')).rejects.toThrow(NotAllowed)
		expect(await hashForum()).toEqual(before)
		await decide(who.moderator, 'query', query, 'hide')
		await expect(getQuery(former, query)).rejects.toThrow(NotFound)
	})
})

let into = 0
const mergeAway = (viewer: Viewer) => decide(viewer, 'query', query, 'merge', { into: `/forum/others/author/${into}` })
const spam = { reason: 'spam' }
const named = (kind: string, name: number | string) => ({ kind, name: String(name) })

/** Members are shared between tests; what befell them is taken back. */
async function undo() {
	for (const act of [
		() => decide(who.admin, 'profile', profile(), 'lift'),
		() => appoint(who.admin, 'author', 'member'),
		() => decide(who.admin, 'profile', profile(), 'dismiss'),
	])
		await act().catch(() => {})
}

describe('reporting', () => {
	test('makes one case of several reports, with everything that was said', async () => {
		const other = await makeMember(`other${query}`)
		await report(who.member, named('query', query), { reason: 'spam', details: 'Shoes again.' })
		await report(other, named('query', query), { reason: 'abusive' })
		const { rows } = await listCases(who.moderator, { order: 'reported', cursor: null })
		const own = rows.filter(({ kind, id }) => kind === 'query' && id === query)
		expect(own).toHaveLength(1)
		expect(own[0]).toMatchObject({ reportCount: 2, title: 'Zebra crossings in CSS', state: 'visible' })
		expect(own[0]?.reports.map(({ reason, details }) => [reason, details])).toEqual([
			['abusive', ''],
			['spam', 'Shoes again.'],
		])
	})

	test('the same by one member twice is refused until a moderator has looked at it', async () => {
		const eager = await makeMember(`eager${query}`)
		await report(eager, named('comment', comment), spam)
		expect(await getReportable(eager, named('comment', comment))).toMatchObject({ reported: true })
		await expect(report(eager, named('comment', comment), spam)).rejects.toThrow(Conflict)
		await decide(who.moderator, 'comment', comment, 'dismiss')
		await report(eager, named('comment', comment), spam)
		await expectCountsToHold()
	})

	test.each([
		['no reason', {}, 'reason'],
		['an unknown reason', { reason: 'boring' }, 'reason'],
		['something else without words', { reason: 'other', details: '  ' }, 'details'],
		['a novel', { reason: 'spam', details: 'x'.repeat(1_001) }, 'details'],
	])('with %s is refused at its field', async (_what, input, field) => {
		const before = await hashForum()
		const refusal = await report(who.member, named('query', query), input).catch((error: Invalid) => error)
		expect(refusal).toBeInstanceOf(Invalid)
		expect(Object.keys((refusal as Invalid).fields)).toEqual([field])
		expect(await hashForum()).toEqual(before)
	})

	test.each([
		['query', '0'],
		['query', '99999999'],
		['comment', '12x'],
		['profile', 'nobody\u0000'],
		['tag', '1'],
	])('%s %j is not there', async (kind, name) => {
		await expect(report(who.member, { kind, name }, spam)).rejects.toThrow(NotFound)
	})

	test('more than ten in an hour is too many, also all at once', async () => {
		const busy = await makeMember(`busy${query}`)
		const targets = await Promise.all(Array.from({ length: 12 }, () => makeComment(who.author, query)))
		const outcomes = await Promise.allSettled(targets.map((id) => report(busy, named('comment', id), spam)))
		expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
		for (const outcome of outcomes)
			if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ status: 429 })
		await expectCountsToHold()
	})
})

describe('hiding', () => {
	test('a query takes it out of every list and count; its author and moderators still read it, with the reason', async () => {
		expect(await listsWith(query)).toEqual(['newest', 'active', 'category', 'tag', 'author', 'search', 'sitemap'])
		await decide(who.moderator, 'query', query, 'hide')
		expect(await listsWith(query)).toEqual([])
		for (const viewer of [null, who.member]) await expect(getQuery(viewer, query)).rejects.toThrow(NotFound)
		for (const viewer of [who.author, who.moderator])
			expect(await getQuery(viewer, query)).toMatchObject({
				withheld: { state: 'hidden', reason: why },
				mayEdit: false,
			})
		await expectCountsToHold()
	})

	test('and restoring gives everything back', async () => {
		const before = [await getQuery(null, query), await getTag(null, 'zebra'), await listComments(null, page())]
		await decide(who.moderator, 'query', query, 'hide')
		await decide(who.moderator, 'query', query, 'restore')
		expect([await getQuery(null, query), await getTag(null, 'zebra'), await listComments(null, page())]).toEqual(before)
		await expectCountsToHold()
	})

	test('a comment leaves its place to the replies, and others are not told what it said', async () => {
		const reply = await makeComment(who.member, query, 'And then?', comment)
		await decide(who.moderator, 'comment', comment, 'hide')
		const [seen] = (await listComments(who.member, page())).rows
		expect(seen).toMatchObject({
			id: comment,
			author: null,
			bodyHtml: '',
			deleted: true,
			withheld: { state: 'hidden', reason: '' },
		})
		expect(seen?.replies.map(({ id }) => id)).toEqual([reply])
		const [own] = (await listComments(who.author, page())).rows
		expect(own).toMatchObject({
			bodyHtml: '<p>Use a gradient.</p>',
			deleted: false,
			withheld: { state: 'hidden', reason: why },
		})
		expect(await getQuery(null, query)).toMatchObject({ commentCount: 1 })
		const found = async () =>
			(await listQueries(null, { search: 'zebra gradient' })).rows.some(({ id }) => id === query)
		expect(await found()).toBe(false)
		await decide(who.moderator, 'comment', comment, 'restore')
		expect(await getQuery(null, query)).toMatchObject({ commentCount: 2 })
		expect(await found()).toBe(true)
		await expectCountsToHold()
	})

	test('asks for a reason', async () => {
		const refusal = decide(who.moderator, 'query', query, 'hide', { why: ' ' })
		await expect(refusal).rejects.toMatchObject({ status: 422, fields: { why: 'Say why, in a few words.' } })
	})

	test('nobody writes to what is hidden', async () => {
		await decide(who.moderator, 'query', query, 'hide')
		const before = await hashForum()
		const text = { title: 'Another title', description: 'x', tags: 'x', category: 'others' }
		await expect(addComment(who.member, { queryId: query, parentId: null, body: 'x' })).rejects.toThrow(NotFound)
		await expect(editQuestion(who.author, query, text)).rejects.toThrow(NotFound)
		await expect(decide(who.moderator, 'comment', comment, 'hide')).rejects.toThrow(Conflict)
		expect(await hashForum()).toEqual(before)
	})

	const page = () => ({ queryId: query, askerUsername: 'author' })

	/** The lists, seen by a visitor, that a query is in. */
	async function listsWith(id: number): Promise<string[]> {
		const lists = {
			newest: await listQueries(null, {}),
			active: await listQueries(null, { view: 'active' }),
			category: await listQueries(null, { category: 'others' }),
			tag: await listQueries(null, { tag: 'zebra' }),
			author: await listQueries(null, { author: 'author' }),
			search: await listQueries(null, { search: 'zebra crossings' }),
			sitemap: { rows: (await listForSitemap(1)).map(({ url }) => ({ id: Number(url.split('/').at(-1)) })) },
		}
		return Object.entries(lists).flatMap(([name, { rows }]) => (rows.some((row) => row.id === id) ? [name] : []))
	}
})

describe('locking and merging', () => {
	test('a locked query takes no comments, says so, and opens again', async () => {
		await decide(who.moderator, 'query', query, 'lock')
		expect(await getQuery(null, query)).toMatchObject({ locked: true })
		const before = await hashForum()
		for (const viewer of [who.member, who.author])
			await expect(addComment(viewer, { queryId: query, parentId: null, body: 'x' })).rejects.toThrow(/locked/)
		expect(await hashForum()).toEqual(before)
		await decide(who.moderator, 'query', query, 'unlock')
		await makeComment(who.member, query)
		await expectCountsToHold()
	})

	test('a merged query leads to the other one, can still be read, and comes back', async () => {
		into = (await makeQuery(who.member, { title: 'The query that stays' })).id
		await mergeAway(who.moderator)
		const merged = await getQuery(null, query)
		expect(merged).toMatchObject({ withheld: { state: 'merged' }, locked: true })
		expect(await mergedAddress(merged)).toBe(`/forum/others/member/${into}?merged=${query}`)
		expect(await mergedFrom(query, into)).toMatchObject({ title: 'Zebra crossings in CSS' })
		expect(await mergedFrom(query, query)).toBeNull()
		expect((await listComments(null, { queryId: query, askerUsername: 'author' })).rows).toHaveLength(1)
		await expectCountsToHold()
		await decide(who.moderator, 'query', query, 'restore')
		expect(await getQuery(null, query)).toMatchObject({ withheld: null, locked: false })
		await expectCountsToHold()
	})

	test.each([
		['itself', () => query],
		['nothing', () => 99_999_999],
		['what is no address', () => 'https://elsewhere.example/7'],
	])('into %s is refused', async (_what, target) => {
		const before = await hashForum()
		const refusal = decide(who.moderator, 'query', query, 'merge', { into: String(target()) })
		await expect(refusal).rejects.toMatchObject({ status: 422, fields: { into: expect.any(String) } })
		expect(await hashForum()).toEqual(before)
	})
})

test('every act is in the log with who, why and whose text it was', async () => {
	await decide(who.moderator, 'query', query, 'hide')
	await decide(who.admin, 'query', query, 'restore', { why: 'A mistake.' })
	await decide(who.moderator, 'profile', profile(), 'suspend', { time: '1 week' })
	await decide(who.moderator, 'profile', profile(), 'lift', { why: '' })
	const { rows } = await listLog(who.admin, { member: '@Author', cursor: null })
	expect(
		rows
			.slice(0, 4)
			.map(({ actor, act, member, why: reason, note }) => [actor.username, act, member.username, reason, note]),
	).toEqual([
		['moderator', 'lift', 'author', '', ''],
		['moderator', 'suspend', 'author', why, 'for 1 week'],
		['admin', 'restore', 'author', 'A mistake.', ''],
		['moderator', 'hide', 'author', why, ''],
	])
})

describe('at once', () => {
	test('of two moderators who decide one case the second is told that it is decided', async () => {
		await report(who.member, named('query', query), spam)
		const second = await makeMember(`second${query}`, 'moderator')
		for (const [one, other] of [
			['hide', 'hide'],
			['restore', 'restore'],
			['lock', 'lock'],
		] as const) {
			const outcomes = await Promise.allSettled([
				decide(who.moderator, 'query', query, one),
				decide(second, 'query', query, other),
			])
			const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
			expect(refusals).toHaveLength(1)
			expect(refusals[0]).toBeInstanceOf(Conflict)
		}
		await expectCountsToHold()
	})

	test('comments written while a query or a comment is hidden and restored leave every count right', async () => {
		const writers = Array.from({ length: 20 }, () =>
			addComment(who.member, { queryId: query, parentId: comment, body: 'Me too.' }),
		)
		const judging = (async () => {
			for (const act of ['hide', 'restore', 'hide', 'restore']) {
				await decide(who.moderator, 'comment', comment, act)
				await decide(who.admin, 'query', query, act)
				if (act === 'hide') await decide(who.admin, 'query', query, 'restore')
			}
		})().catch((error: unknown) => error)
		const outcomes = await Promise.allSettled(writers)
		await judging
		for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(NotFound)
		await expectCountsToHold()
	})

	test('merging two queries into each other merges one of them', async () => {
		const other = (await makeQuery(who.author, { title: 'The same, the other way' })).id
		const outcomes = await Promise.allSettled([
			decide(who.moderator, 'query', query, 'merge', { into: String(other) }),
			decide(who.admin, 'query', other, 'merge', { into: String(query) }),
		])
		expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
		await expectCountsToHold()
	})
})

test('the queue goes on where a page of it ended, in both orders, without gaps or doubles', async () => {
	const reporter = [
		await makeMember(`first${query}`),
		await makeMember(`next${query}`),
		await makeMember(`last${query}`),
	]
	const targets = await Promise.all(Array.from({ length: 24 }, () => makeComment(who.author, query)))
	for (const [index, id] of targets.entries()) await report(reporter[index % 3] as SignedIn, named('comment', id), spam)
	for (const order of ['newest', 'reported'] as const) {
		const seen: string[] = []
		let cursor: string | null = null
		do {
			const page = await listCases(who.moderator, { order, cursor })
			seen.push(...page.rows.map(({ kind, id }) => `${kind} ${id}`))
			cursor = page.next
		} while (cursor)
		expect(new Set(seen).size).toBe(seen.length)
		for (const id of targets) expect(seen).toContain(`comment ${id}`)
	}
	await expect(listCases(who.moderator, { order: 'newest', cursor: 'WyJ4IiwxXQ' })).rejects.toThrow(Invalid)
})
