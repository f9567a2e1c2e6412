import { beforeAll, describe, expect, test } from 'vitest'
import { db } from '~/platform/db/db.server.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { listIndexed, placeAfter } from '../../../tests/support/members.ts'
import { countTerms, findPage, type SearchPosition } from './search.queries.server.ts'
import { seedMembers } from './seed/seed.server.ts'
import type { Group, Meant } from './ways.ts'

useDatabase()

/*
 * Which way a set is read depends on how common it is said to be, and never changes what is found. So small sets are said to be
 * common here, and members lie far apart, in several blocks and beyond what is looked at one by one.
 */

beforeAll(async () => {
	for (const [size, next] of [
		[100, 20_000],
		[200, 20_900],
		[300, 60_000],
		[400, 0],
	] as const) {
		await seedMembers(size, { onProgress: () => {} })
		if (next) await placeAfter(next)
	}
})

const ways = [
	['fetched whole', { share: 0.001, total: 1_000 }],
	['read block by block', { share: 0.018, total: 1_000_000 }],
	['walked through', { share: 0.5, total: 1_000_000 }],
] as const

describe.each(ways)('a set that is %s', (_, { share, total }) => {
	const group = (...ids: number[]): Group => ({ ids, share })

	test.each(['joined', 'seen'] as const)('comes page by page, once and in the order of having %s', async (order) => {
		const members = await listIndexed(order)
		const [python = 0, cse = 0, it = 0] = await Promise.all(['Python', 'CSE', 'IT'].map((label) => termOf(label)))
		const sets: [Meant, (terms: number[]) => boolean][] = [
			[{ groups: [group(python)] }, (terms) => terms.includes(python)],
			[{ groups: [group(cse, it)] }, (terms) => terms.includes(cse) || terms.includes(it)],
			[{ groups: [group(python), group(cse)] }, (terms) => terms.includes(python) && terms.includes(cse)],
			[{ groups: [group(python)], not: [group(cse)] }, (terms) => terms.includes(python) && !terms.includes(cse)],
			[
				{ groups: [], exactly: { groups: [group(python), group(it)], count: 1 } },
				(terms) => terms.includes(python) !== terms.includes(it),
			],
			[
				{ groups: [], exactly: { groups: [group(python), group(it)], count: 2 } },
				(terms) => terms.includes(python) && terms.includes(it),
			],
		]
		for (const [meant, matches] of sets) {
			const expected = members.filter(({ terms }) => matches(terms)).map(({ id }) => id)
			expect(expected.length).toBeGreaterThan(5)
			expect(await idsOf(meant, total, order)).toEqual(expected)
			const everyone = await termOf('', 'everyone')
			const counted = await countTerms([meant], total, [everyone], 1_000)
			expect(counted).toEqual([{ set: 0, id: everyone, count: expected.length }])
			const bounded = await countTerms([meant], total, [everyone], 3)
			expect(bounded[0]?.count).toBe(3)
		}
	})
})

test('several sets come one after the other, and a page may hold the end of one and the beginning of the next', async () => {
	const python = await termOf('Python')
	const cse = await termOf('CSE')
	const group = (id: number): Group => ({ ids: [id], share: 0.5 })
	const tiers: Meant[] = [
		{ groups: [group(python), group(cse)] },
		{ groups: [], exactly: { groups: [group(python), group(cse)], count: 1 } },
	]
	const rows = await findPage({
		tiers,
		total: 1_000_000,
		order: 'joined',
		after: null,
		first: null,
		matchTerms: [python],
		limit: 400,
		viewerId: null,
	})
	const members = await listIndexed('joined')
	const count = (terms: number[]) => Number(terms.includes(python)) + Number(terms.includes(cse))
	const expected = [2, 1].flatMap((wanted) =>
		members.filter(({ terms }) => count(terms) === wanted).map(({ id }) => id),
	)
	expect(rows.map(({ id }) => id)).toEqual(expected)
	expect(rows.every(({ matched, skills }) => matched.includes(python) === skills.includes('Python'))).toBe(true)
})

async function idsOf(meant: Meant, total: number, order: 'joined' | 'seen'): Promise<number[]> {
	const ids: number[] = []
	let after: SearchPosition | null = null
	for (;;) {
		const rows = await findPage({
			tiers: [meant],
			total,
			order,
			after,
			first: null,
			matchTerms: [],
			limit: 7,
			viewerId: null,
		})
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
