import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { FORMER_MEMBER } from '~/platform/member-data.ts'
import { makeComment, makeMember, makeQuestion } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { countFigures, readFigures, retryJobs } from './figures.server.ts'
import { duration, FIGURE_WEEKS, percent } from './figures.view.ts'

useDatabase()

let admin: SignedIn
let ada: SignedIn
let ben: SignedIn

/** A time this many hours after the Monday of a past week. */
const at = (weeks: number, hours: number) =>
	sql`(date_trunc('week', now() at time zone 'UTC') - ${weeks}::int * interval '7 days' + ${hours}::int * interval '1 hour') at time zone 'UTC'`

/** Adds a question at this time, with comments this many hours later. */
async function asked(
	weeks: number,
	hours: number,
	answers: [SignedIn, number][],
	category = 'others',
): Promise<number> {
	const { id } = await makeQuestion(ada, { category })
	await sql`update questions set created_at = ${at(weeks, hours)} where id = ${id}`.execute(db())
	for (const [who, later] of answers) {
		const comment = await makeComment(who, id)
		await sql`update comments set created_at = ${at(weeks, hours + later)} where id = ${comment}`.execute(db())
	}
	return id
}

beforeAll(async () => {
	admin = await makeMember('admin', 'admin')
	ada = await makeMember('ada')
	ben = await makeMember('ben')
	await sql`update users set created_at = ${at(3, 5)} where id = ${ben.id}`.execute(db())
	await asked(3, 1, [[ben, 1]])
	await asked(3, 2, [
		[ada, 1],
		[ben, 3],
	])
	await asked(3, 3, [[ben, 11]], 'python')
	// A comment by its author, and one after eight days: not an answer.
	await asked(3, 4, [
		[ada, 1],
		[ben, 8 * 24],
	])
	// The last moment of one week and the first of the next; unpublished questions do not count.
	await asked(2, 7 * 24 - 1, [])
	await asked(1, 0, [])
	const hidden = await asked(1, 1, [])
	await sql`update questions set status = 'hidden' where id = ${hidden}`.execute(db())
	await asked(FIGURE_WEEKS, 0, [[ben, 1]])
	await countFigures()
})

test('counts questions, answers and authors by week', async () => {
	const { weeks } = await readFigures(admin, '')
	expect(weeks).toHaveLength(FIGURE_WEEKS)
	const [three, two, one, now] = weeks.slice(-4)
	expect(three).toMatchObject({ questions: 4, answered: 3, medianMinutes: 180, joined: 1, active: 2 })
	expect(two).toMatchObject({ questions: 1, answered: 0, medianMinutes: null, active: 2 })
	expect(one).toMatchObject({ questions: 1, active: 1 })
	expect(now).toMatchObject({ questions: 0, joined: 0, active: 0 })
	expect(weeks.reduce((sum, { questions }) => sum + questions, 0)).toBe(6)
	const python = await readFigures(admin, 'python')
	expect(python.weeks.at(-4)).toMatchObject({ questions: 1, answered: 1, medianMinutes: 660, joined: 1 })
	await expect(readFigures(admin, 'nowhere')).rejects.toThrow(NotFound)
})

test('activity stays counted when the session is used later; counting again changes nothing else', async () => {
	await sql`insert into sessions (user_id, token, expires_at, updated_at) values (${ben.id}, 'x', now() + interval '1 day', ${at(1, 30)})`.execute(
		db(),
	)
	await countFigures()
	const before = (await readFigures(admin, '')).weeks
	expect(before.at(-2)?.active).toBe(2)
	await sql`update sessions set updated_at = now()`.execute(db())
	await countFigures()
	const { weeks } = await readFigures(admin, '')
	expect(weeks.slice(0, -1)).toEqual(before.slice(0, -1))
	expect(weeks.at(-1)?.active).toBe(1)
})

test('below a query of somebody who left, the comment of somebody else who left is an answer', async () => {
	const id = await asked(5, 1, [[ben, 2]])
	await sql`update questions set author_id = ${FORMER_MEMBER} where id = ${id}`.execute(db())
	await sql`update comments set author_id = ${FORMER_MEMBER} where question_id = ${id}`.execute(db())
	await countFigures()
	const { weeks } = await readFigures(admin, '')
	expect(weeks.at(-6)).toMatchObject({ questions: 1, answered: 1, medianMinutes: 120 })
})

describe('failed jobs', () => {
	test('are listed by kind without mail addresses, and can be retried', async () => {
		await sql`delete from graphile_worker._private_jobs`.execute(db())
		for (let index = 0; index < 3; index += 1)
			await addJob('send-mail', { to: 'ada@campus.example', subject: 'x', text: 'x', html: 'x' })
		await sql`
			update graphile_worker._private_jobs set last_error = '550 <ada@campus.example> is unknown', run_at = now() + interval '1 day',
				attempts = case when id = (select max(id) from graphile_worker._private_jobs) then max_attempts else 3 end
			where id > (select min(id) from graphile_worker._private_jobs)`.execute(db())
		expect((await readFigures(admin, '')).failed).toEqual([
			{ task: 'send-mail', waiting: 1, givenUp: 1, error: '550 <…> is unknown' },
		])
		expect(await retryJobs(admin, 'send-mail')).toBe(2)
		const { rows } = await sql`
			select from graphile_worker.jobs where run_at <= now() and attempts = 0 and task_identifier = 'send-mail'`.execute(
			db(),
		)
		expect(rows).toHaveLength(3)
		await expect(retryJobs(admin, 'no-such-job')).rejects.toThrow(NotFound)
	})
})

test('only admins see them or retry jobs', async () => {
	for (const who of [null, ada, { ...ben, role: 'moderator' as const }]) {
		await expect(readFigures(who, '')).rejects.toThrow(NotAllowed)
		await expect(retryJobs(who, 'send-mail')).rejects.toThrow(NotAllowed)
	}
	await expect(retryJobs({ ...ben, role: 'admin' }, 'send-mail')).rejects.toThrow(NotAllowed)
})

test.each([
	[percent(1, 3), 33],
	[percent(0, 0), null],
	[duration(89), '89 min'],
	[duration(90), '2 h'],
	[duration(2880), '2 days'],
])('%s is %s', (made, said) => expect(made).toBe(said))
