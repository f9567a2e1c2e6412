import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { Merge } from '~/platform/member-data.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import { mergeSkills } from './skills.queries.server.ts'
import { canonicalSkill, listSharedSkills, setSkills, suggestSkills } from './skills.server.ts'

useDatabase()

const ids: Record<string, number> = {}

beforeAll(async () => {
	for (const [name, skills] of Object.entries({
		mira: ['Postman', 'Knitting', 'React'],
		bram: ['Knitting', 'Knotting', 'React Native'],
		kesar: ['Knotting', 'Knotting 100%', 'Java'],
	})) {
		const { id } = await makeMember(name)
		ids[name] = id
		await db()
			.transaction()
			.execute((trx) => setSkills(trx, id, skills))
	}
})

test.each([
	['js', 'JavaScript'],
	['ECMAScript', 'JavaScript'],
	['  node js ', 'Node.js'],
	['NODEJS', 'Node.js'],
	['golang', 'Go'],
	['k8s', 'Kubernetes'],
	['C#', 'C#'],
	['csharp', 'C#'],
	['c', 'C'],
	['postgres', 'PostgreSQL'],
	['.net', '.NET'],
	['Kite  flying', 'Kite flying'],
	['...', '...'],
])('%j is kept as %j', (typed, name) => {
	expect(canonicalSkill(typed)).toBe(name)
})

describe('suggestions', () => {
	const names = async (typed: string) => (await suggestSkills(typed, 8)).map(({ name }) => name)

	test('start with the prefix, those in use first', async () => {
		expect((await names('post')).slice(0, 3)).toEqual(['Postman', 'PostCSS', 'PostgreSQL'])
	})

	test('put exact names before prefixes', async () => {
		expect((await names('react'))[0]).toBe('React')
		expect(await names('react')).toContain('React Native')
		expect((await names('java')).slice(0, 2)).toEqual(['Java', 'JavaScript'])
		expect((await names('js'))[0]).toBe('JavaScript')
	})

	test('end with parent terms', async () => {
		expect((await suggestSkills('reactjs', 8)).at(-1)).toEqual({ name: 'JavaScript', count: 0, isRelated: true })
	})

	test('include words that are not terms, with their counts', async () => {
		expect(await suggestSkills('kn', 3)).toMatchObject([
			{ name: 'Knitting', count: 2 },
			{ name: 'Knotting', count: 2 },
			{ name: 'Knotting 100%', count: 1 },
		])
	})

	test('match later words of a name', async () => {
		expect(await names('router')).toContain('React Router')
	})

	test.each(['', '   ', '%', '\\', '_', "'; drop table skills --", 'x'.repeat(10_000), '\u0000'])(
		'are harmless for %j',
		async (typed) => {
			expect((await suggestSkills(typed, 8)).length).toBeLessThanOrEqual(8)
		},
	)
})

test.each([
	['mira', 'bram', ['Knitting']],
	['kesar', 'bram', ['Knotting']],
	['mira', 'kesar', []],
	['bram', 'bram', ['Knitting', 'Knotting', 'React Native']],
	['bram', 'nobody', []],
])('%s shares with %s %j', async (one, other, skills) => {
	expect(await listSharedSkills(ids[one] ?? 0, ids[other] ?? 0)).toEqual(skills)
})

test('merging two accounts locks the skills that both have in the order of a save, whichever is older', async () => {
	const [gone, kept] = [(await makeMember('gone')).id, (await makeMember('kept')).id]
	const run = <Result>(work: (trx: Executor) => Promise<Result>) => db().transaction().execute(work)
	await run((trx) => setSkills(trx, kept, ['Zither']))
	for (const id of [gone, kept]) await run((trx) => setSkills(trx, id, ['Zither', 'Accordion']))
	const lock = (trx: Executor, key: string) => sql`select 1 from skills where name_key = ${key} for update`.execute(trx)
	let merging: Promise<void> | undefined
	await run(async (trx) => {
		await lock(trx, 'accordion')
		merging = run((other) => mergeSkills(other, { goneId: gone, keptId: kept } as Merge))
		merging.catch(() => {})
		await eventually(async () => {
			const { rows } = await sql`select from pg_locks where not granted`.execute(db())
			expect(rows).not.toEqual([])
		})
		await lock(trx, 'zither')
	})
	await merging
	const { rows } = await sql`select name, member_count from skills where name_key in ('accordion', 'zither')`.execute(
		db(),
	)
	expect(rows).toEqual(
		expect.arrayContaining([
			{ name: 'Accordion', member_count: 1 },
			{ name: 'Zither', member_count: 1 },
		]),
	)
})
