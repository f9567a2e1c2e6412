import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, type MockInstance, test, vi } from 'vitest'
import { castVote, chooseSolution } from '~/features/discussion/votes.server.ts'
import { features } from '~/features/index.server.ts'
import { replaceSkills } from '~/features/members/skills.queries.server.ts'
import { reportSubject } from '~/features/moderation/reports.server.ts'
import { log } from '~/lib/log.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { checkCounters } from '~/platform/db/counters.queries.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'

useDatabase()

const counters = features.flatMap((feature) => feature.counters ?? [])
let warn: MockInstance
let busy: SignedIn

/** Each row of each table that has a counter, with the transaction that wrote it last. */
async function rowVersions(): Promise<unknown> {
	const tables = [...new Set(counters.map(({ table }) => table)), 'question_tags']
	const read = (table: string) =>
		sql`select xmin::text, t::text as row from ${sql.table(table)} t order by 2`.execute(db())
	return Promise.all(tables.map(async (table) => ({ table, rows: (await read(table)).rows })))
}

beforeAll(async () => {
	const asker = await makeMember('asker')
	const helper = await makeMember('helper')
	const { id: crowd } = await makeMember('crowd')
	busy = await makeMember('busy')
	await sql`update counters set value = 4 where name = 'members'`.execute(db())
	// More than one batch of questions.
	await sql`insert into questions (author_id, category_id, title, description, description_html, excerpt, status)
		select ${crowd}, 2, 'One of many', '', '', '', 'deleted' from generate_series(1, 1100)`.execute(db())
	const { id } = await makeQuestion(asker)
	const comment = await makeComment(helper, id)
	await chooseSolution(asker, { questionId: id, commentId: comment })
	await castVote(helper, { questionId: id, commentId: null, vote: 1 })
	await castVote(asker, { questionId: id, commentId: comment, vote: -1 })
	await reportSubject(helper, { kind: 'query', name: String(id) }, { reason: 'spam' })
	await db()
		.transaction()
		.execute((trx) => replaceSkills(trx, helper.id, ['PostgreSQL']))
	await sql`insert into questions (author_id, category_id, title, description, description_html, excerpt, source, source_id, score)
		select ${crowd}, category_id, 'Imported', '', '', '', 'elsewhere', '1', 41 from questions where id = ${id}`.execute(
		db(),
	)
	await sql`update categories set question_count = question_count + 1 where slug = 'others'`.execute(db())
	await sql`update counters set value = value + 1 where name = 'questions'`.execute(db())
})

beforeEach(() => {
	warn = vi.spyOn(log, 'warn')
	warn.mockClear()
})

test('where every counter is correct, the nightly check writes and logs nothing', async () => {
	const before = await rowVersions()
	await checkCounters(counters)
	expect(await rowVersions()).toEqual(before)
	expect(warn).not.toHaveBeenCalled()
})

test.each(counters.map((counter) => ({ counter, name: `${counter.table}.${counter.column}` })))(
	'$name that is wrong is corrected and logged',
	async ({ counter: { table, column, where = sql`true` }, name }) => {
		const ref = sql.ref(column)
		const read = async () =>
			(
				await sql<{
					value: unknown
				}>`select ${ref} as value from ${sql.table(table)} t where ${where} order by ctid::text, 1`.execute(db())
			).rows
				.map(({ value }) => String(value))
				.sort()
		const right = await read()
		const wrong = column === 'solved' ? sql`not solved` : sql`${ref} + 3`
		const { rows: broken } =
			await sql`update ${sql.table(table)} t set ${ref} = ${wrong} where ${where} returning 1`.execute(db())
		expect(broken.length).toBeGreaterThan(0)
		await checkCounters(counters)
		expect(await read()).toEqual(right)
		expect(warn).toHaveBeenCalledOnce()
		expect(warn).toHaveBeenCalledWith(
			expect.objectContaining({ counter: name, corrected: broken.length, rows: expect.arrayContaining([]) }),
			'a counter differed from its rows and was corrected',
		)
	},
)

test('a post during the correction of a wrong counter is counted once', async () => {
	for (let round = 0; round < 4; round += 1) {
		await sql`update counters set value = value + 3 where name = 'questions'`.execute(db())
		await sql`update categories set question_count = question_count + 3 where slug = 'others'`.execute(db())
		await Promise.all([
			...Array.from({ length: 8 }, () => makeQuestion(busy)),
			...Array.from({ length: 4 }, () => checkCounters(counters)),
		])
		warn.mockClear()
		await checkCounters(counters)
		expect(warn).not.toHaveBeenCalled()
	}
})
