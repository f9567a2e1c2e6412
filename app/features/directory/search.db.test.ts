import { beforeAll, describe, expect, test } from 'vitest'
import { seedMembers } from '~/features/demo/people/seed.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { listIndexed, setNextMemberId } from '../../../tests/support/members.ts'
import type { Group } from './criteria.server.ts'
import { countFacets, estimateSetSize, findPage, type MemberSet, type SearchPosition } from './search.queries.server.ts'

useDatabase()

/*
 * The assumed size of a set decides how it is read, and must never change the results. Members are far apart here,
 * within and beyond the blocks that are scanned one by one, and in each range of blocks and beyond all.
 */

beforeAll(async () => {
	for (const [size, next] of [
		[100, 9_000],
		[150, 9_900],
		[200, 50_000],
		[260, 70_000],
		[320, 79_000],
		[400, 0],
	] as const) {
		await seedMembers(size, { onProgress: () => {} })
		if (next) await setNextMemberId(next)
	}
})

const readings = [
	['fetched whole', 10, false],
	['too large for that, and counted without looking among the newest', 1_200, false],
	['looked for among the newest, then among all, by a visitor', Number.POSITIVE_INFINITY, true],
] as const

describe.each(readings)('a set that is %s', (_, members, isPublic) => {
	const group = (...ids: number[]): Group => ({ ids, members: ids.length })

	test.each(['joined', 'seen'] as const)('comes page by page, once and in the order of having %s', async (order) => {
		const all = await listIndexed(order)
		const [python = 0, cse = 0, it = 0] = await Promise.all(['Python', 'CSE', 'IT'].map((label) => termOf(label)))
		// So many alternatives that the index is asked for them last.
		const wide: Group = { ids: [cse, it, -1, -2, -3, -4, -5, -6, -7], members: 10 }
		const sets: [Omit<MemberSet, 'members' | 'isPublic'>, (terms: number[]) => boolean][] = [
			[{ ways: [[group(python)]] }, (terms) => terms.includes(python)],
			[
				{ ways: [[wide, group(python)]] },
				(terms) => terms.includes(python) && (terms.includes(cse) || terms.includes(it)),
			],
			[{ ways: [[group(cse, it)]] }, (terms) => terms.includes(cse) || terms.includes(it)],
			[{ ways: [[group(python), group(cse)]] }, (terms) => terms.includes(python) && terms.includes(cse)],
			[{ ways: [[group(python)]], not: [[group(cse)]] }, (terms) => terms.includes(python) && !terms.includes(cse)],
			[
				{
					ways: [
						[group(python), group(cse)],
						[group(python), group(it)],
					],
				},
				(terms) => terms.includes(python) && (terms.includes(cse) || terms.includes(it)),
			],
		]
		for (const [set, matches] of sets) {
			const meant = { ...set, members, isPublic }
			const expected = all.filter(({ terms }) => matches(terms)).map(({ id }) => id)
			expect(expected.length).toBeGreaterThan(5)
			expect(await idsOf(meant, order)).toEqual(expected)
			const everyone = await termOf('', 'everyone')
			const counted = await countFacets([meant], 1_000)
			expect(counted.find(({ id }) => id === everyone)).toEqual({ set: 0, id: everyone, count: expected.length })
		}
	})
})

test('several sets follow one another, and a page may contain the end of one and the beginning of the next', async () => {
	const [python, cse] = [await termOf('Python'), await termOf('CSE')]
	const group = (id: number): Group => ({ ids: [id], members: 1 })
	const members = Number.POSITIVE_INFINITY
	const both = [group(python), group(cse)]
	const rows = await findPage({
		tiers: [
			{ ways: [both], members, isPublic: true },
			{ ways: both.map((one) => [one]), members, not: [both], isPublic: true },
		],
		order: 'joined',
		whole: null,
		after: null,
		first: null,
		matchTerms: [python],
		limit: 400,
		viewerId: null,
	})
	const all = await listIndexed('joined')
	const count = (terms: number[]) => Number(terms.includes(python)) + Number(terms.includes(cse))
	const expected = [2, 1].flatMap((wanted) => all.filter(({ terms }) => count(terms) === wanted).map(({ id }) => id))
	expect(rows.map(({ id }) => id)).toEqual(expected)
	expect(rows.every(({ matched, skills }) => matched.includes(python) === skills.includes('Python'))).toBe(true)
})

test.each([
	['joined', false],
	['joined', true],
	['seen', false],
	['seen', true],
] as const)(
	'sets read at once are the same, in the order of having %s, with their counts (by a visitor: %s)',
	async (order, isPublic) => {
		const [python, cse, it] = [await termOf('Python'), await termOf('CSE'), await termOf('IT')]
		const group = (...ids: number[]): Group => ({ ids, members: 1 })
		const all = await listIndexed(order)
		const [someone = 0, another = 0] = all.filter(({ terms }) => terms.includes(cse)).map(({ id }) => id)
		const ways = [[group(cse, it)]]
		const narrow = [[group(cse, it), group(python)]]
		const members = Number.POSITIVE_INFINITY
		const tiers: MemberSet[] = [
			{ ways: narrow, members, isPublic, notUser: someone },
			{ ways, members, isPublic, not: narrow, notUser: someone, among: [another] },
			{ ways, members, isPublic, not: narrow, notUser: someone, notAmong: [another] },
		]
		const meant: MemberSet = { ways, members, isPublic }
		const input = { tiers, order, after: null, first: someone, matchTerms: [], viewerId: isPublic ? null : someone }
		for (const limit of [5, 400]) {
			const setBySet = await findPage({ ...input, whole: null, limit })
			const [first, ...rest] = await findPage({ ...input, whole: { meant, limit: 1_000 }, limit })
			expect([first, ...rest].map((row) => [row?.id, row?.tier])).toEqual(setBySet.map(({ id, tier }) => [id, tier]))
			expect(rest.every(({ counted }) => counted === null)).toBe(true)
			const facets = await countFacets([meant], 1_000)
			expect(first?.counted).toEqual(Object.fromEntries(facets.map(({ id, count }) => [id, count])))
		}
	},
)

test('the size of a set is estimated from an even sample of members, if it is large enough', async () => {
	const python = await termOf('Python')
	const meant = { ways: [[{ ids: [python], members: 1 }]], members: 1, isPublic: false }
	expect(await estimateSetSize(meant, 400)).toBeNull()
	// All of these are in the block in the middle, which is sampled.
	await setNextMemberId(39_000)
	await seedMembers(800, { onProgress: () => {} })
	const sampled = (await listIndexed('joined')).filter(({ id }) => id > 39_000 && id < 39_500)
	const share = sampled.filter(({ terms }) => terms.includes(python)).length / sampled.length
	expect(await estimateSetSize(meant, 400)).toBeCloseTo(400 * share)
})

async function idsOf(meant: MemberSet, order: 'joined' | 'seen'): Promise<number[]> {
	const ids: number[] = []
	let after: SearchPosition | null = null
	for (;;) {
		const page = { tiers: [meant], order, whole: null, after, first: null, matchTerms: [], limit: 7, viewerId: null }
		const rows = await findPage(page)
		ids.push(...rows.map(({ id }) => id))
		const last = rows.at(-1)
		if (!last || rows.length < 7) return ids
		after = { id: last.id, seenAt: last.seen_at }
	}
}

async function termOf(label: string, kind = label === 'Python' ? 'skill' : 'branch'): Promise<number> {
	const { id } = await db()
		.selectFrom('terms')
		.select('id')
		.where('kind', '=', kind)
		.where('label', '=', label)
		.executeTakeFirstOrThrow()
	return id
}
