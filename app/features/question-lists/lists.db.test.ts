import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { deleteQuestion, editQuestion } from '~/features/asking/asking.server.ts'
import { getCategoryPage, getTag, listCategories, listTags } from '~/features/tags/tags.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { encodeCursor } from '~/platform/http/cursors.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import {
	countAskedSince,
	countQuestions,
	listForSitemap,
	listQuestions,
	listUnanswered,
	mostDiscussed,
} from './lists.server.ts'

useDatabase()

let asha: SignedIn
let ben: SignedIn
const ids: number[] = []

// Thirty questions, ten at each of three timestamps, as imports produce them.
beforeAll(async () => {
	asha = await makeMember('asha')
	ben = await makeMember('ben')
	for (let number = 0; number < 30; number += 1) {
		const { id } = await makeQuestion(number % 3 ? asha : ben, {
			tags: number % 2 ? 'odd, all' : 'even, all',
			category: number % 2 ? 'java' : 'python',
		})
		ids.push(id)
	}
	await sql`update questions set created_at = timestamptz '2026-01-21 10:00:00.123456+00' + (id % 3) * interval '1 microsecond', active_at = timestamptz '2026-01-22 10:00:00.654321+00'`.execute(
		db(),
	)
	await sql`update question_tags set created_at = questions.created_at from questions where questions.id = question_id`.execute(
		db(),
	)
})

const newestFirst = (some: number[]) => some.toSorted((one, other) => (other % 3) - (one % 3) || other - one)
const byIndex = (keep: (index: number) => boolean) => newestFirst(ids.filter((_, index) => keep(index)))

test.each<[string, Parameters<typeof listQuestions>[1], () => number[]]>([
	['the newest', {}, () => newestFirst(ids)],
	['the active', { view: 'active' }, () => ids.toReversed()],
	['the unanswered', { view: 'unanswered' }, () => newestFirst(ids)],
	['a category', { category: 'java' }, () => byIndex((index) => index % 2 === 1)],
	['a tag', { tag: 'EVEN' }, () => byIndex((index) => index % 2 === 0)],
	['an author', { author: 'ben' }, () => byIndex((index) => index % 3 === 0)],
	['an author in a category', { author: 'ben', category: 'java' }, () => byIndex((index) => index % 6 === 3)],
	['a tag in a category', { tag: 'all', category: 'java' }, () => byIndex((index) => index % 2 === 1)],
	['a tag of an author', { tag: 'odd', author: 'ben' }, () => byIndex((index) => index % 6 === 3)],
	[
		'a tag of an author in a category',
		{ tag: 'all', author: 'ben', category: 'java', view: 'unanswered' },
		() => byIndex((index) => index % 6 === 3),
	],
	['a tag in a category that has it nowhere', { tag: 'odd', category: 'python' }, () => []],
])('paging through %s returns every query once, in order, even with equal times', async (_what, input, expected) => {
	for (const limit of [1, 4, 7, 50]) expect(await walk({ ...input, limit })).toEqual(expected())
})

test('a search is restricted to the author, the tag and the category', async () => {
	const among = byIndex((index) => index % 6 === 3)
	for (const filters of [
		{ author: 'ben', category: 'java' },
		{ author: 'ben', tag: 'odd' },
	] as const)
		expect((await walk({ ...filters, search: 'question', limit: 4 })).toSorted()).toEqual(among.toSorted())
	expect(await walk({ author: 'ben', search: 'question user:asha' })).toEqual([])
})

test('only the author finds their questions under a pseudonym', async () => {
	const { id } = await makeQuestion(asha, { title: 'My hidden heap of loops', tags: 'all', pseudonym: true })
	for (const filters of [{ search: 'heap' }, { tag: 'all' }]) {
		const found = async (viewer: SignedIn | null) =>
			(await listQuestions(viewer, { ...filters, author: 'asha', mine: true, limit: 50 })).rows.map((row) => row.id)
		expect(await found(asha)).toContain(id)
		for (const other of [ben, null]) expect(await found(other)).not.toContain(id)
	}
	await deleteQuestion(asha, id)
})

test('a search for ten phrases that all match can be paged, although its ranks reach 10', async () => {
	const words = [...'abcdefghijkl'].map((letter) => `z${letter}q`)
	const asked: number[] = []
	for (let each = 0; each < 2; each += 1) asked.push((await makeQuestion(asha, { title: words.join(' ') })).id)
	const search = words
		.slice(1)
		.map((word, at) => `"${words[at]} ${word}"`)
		.join(' ')
	expect(await walk({ search, limit: 1 })).toEqual(asked.toReversed())
	for (const id of asked) await deleteQuestion(asha, id)
})

test('a tag together with another filter has no order by activity', async () => {
	for (const filters of [{ author: 'ben' }, { category: 'java' }])
		await expect(listQuestions(null, { ...filters, tag: 'all', view: 'active' })).rejects.toThrow('Leave out `view`')
})

test('a page has a cursor if another one follows', async () => {
	expect((await listQuestions(null, { limit: 29 })).next).not.toBeNull()
	expect((await listQuestions(null, { limit: 30 })).next).toBeNull()
})

test('an answered question leaves the unanswered list, and tops the active one', async () => {
	const [first = 0] = ids
	await makeComment(asha, first)
	expect(await walk({ view: 'unanswered' })).not.toContain(first)
	expect((await walk({ view: 'active' }))[0]).toBe(first)
	expect((await listUnanswered(50)).map(({ url }) => url)).toHaveLength(29)
})

test.each([
	['category', { category: 'nowhere' }],
	['tag', { tag: 'unknown' }],
	['tag', { tag: 'a\u0000b' }],
	['member', { author: 'nobody' }],
])('an unknown %s is not found', async (what, input) => {
	await expect(listQuestions(null, input)).rejects.toThrow(`There is no such ${what}.`)
})

test.each(['x', encodeCursor([1, 2]), encodeCursor(['2026-02-31T00:00:00Z', 2 ** 40])])(
	'the cursor %s is refused',
	async (cursor) => {
		await expect(listQuestions(null, { cursor })).rejects.toThrow('This page of the list no longer exists.')
		await expect(listQuestions(null, { cursor, tag: 'all' })).rejects.toThrow('This page of the list no longer exists.')
	},
)

test('marks the questions that the viewer may change', async () => {
	const { rows } = await listQuestions(ben, { limit: 50 })
	expect(rows.every((row) => row.mayEdit === (row.author.username === 'ben') && row.mayDelete === row.mayEdit)).toBe(
		true,
	)
})

test('categories and tags have counts', async () => {
	expect(await listCategories()).toContainEqual({ slug: 'java', title: 'Java', count: 15, askers: 'everybody' })
	expect((await listCategories()).at(-1)).toMatchObject({ slug: 'others' })
	expect(await listTags(2)).toEqual([
		{ name: 'all', count: 30 },
		{ name: 'even', count: 15 },
	])
	expect(await getTag(null, 'Odd')).toMatchObject({ name: 'odd', count: 15 })
	expect(await getCategoryPage(null, 'python')).toMatchObject({ slug: 'python', title: 'Python', count: 15 })
	expect(await countQuestions()).toBe(30)
})

test('an unused tag is not listed', async () => {
	const { id } = await makeQuestion(asha, { tags: 'short-lived' })
	await editQuestion(asha, id, { title: 'Another title', description: 'x', tags: 'all', category: 'java' })
	expect((await listTags(50)).map(({ name }) => name)).not.toContain('short-lived')
	await deleteQuestion(asha, id)
})

test('the most discussed question is a recent one, or else one of all time', async () => {
	const { id } = await makeQuestion(asha)
	expect(await countAskedSince(new Date(Date.now() - 60_000))).toBe(1)
	expect((await mostDiscussed(new Date(Date.now() - 60_000)))?.id).toBe(ids[0])
	await makeComment(ben, id)
	expect((await mostDiscussed(new Date(Date.now() - 60_000)))?.id).toBe(id)
	await deleteQuestion(asha, id)
})

test('the sitemap contains every question once', async () => {
	const addresses = await listForSitemap(1)
	expect(addresses).toHaveLength(30)
	expect(addresses[0]).toEqual({
		url: expect.stringMatching(new RegExp(`^/forum/python/ben/${ids[0]}/[a-z0-9-]+$`)),
		changedAt: expect.stringMatching(/^2026-\d\d-\d\dT.*Z$/),
	})
	expect(await listForSitemap(2)).toEqual([])
})

async function walk(input: Parameters<typeof listQuestions>[1]): Promise<number[]> {
	const met: number[] = []
	let cursor: string | null = null
	do {
		const { rows, next } = await listQuestions(null, { ...input, cursor })
		met.push(...rows.map((row) => row.id))
		cursor = next
	} while (cursor)
	return met
}
