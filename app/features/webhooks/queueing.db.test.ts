import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { chooseSolution } from '~/features/discussion/votes.server.ts'
import { decideCase } from '~/features/moderation/decisions.server.ts'
import { getQuestion } from '~/features/questions/questions.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { useJobTables } from '../../../tests/support/jobs.ts'
import { queueForgotten } from './webhooks.queries.server.ts'

useDatabase()
useJobTables()

let asker: SignedIn
let moderator: SignedIn

beforeAll(async () => {
	moderator = await makeMember('moderator', 'moderator')
	asker = await makeMember('asker')
	await sql`
		insert into webhooks (name, url, events, secret)
		values ('Chat', 'https://chat.example/', '{query.created,query.solved}', '')`.execute(db())
})

beforeEach(async () => {
	await sql`delete from webhook_deliveries`.execute(db())
	await sql`delete from graphile_worker._private_jobs`.execute(db())
})

/** What waits to be sent, with the number of its jobs that are not given up. */
async function waiting(): Promise<{ id: string; event: string; jobs: number }[]> {
	const { rows } = await sql<{ id: string; event: string; jobs: number }>`
		select id, event, (
			select count(*)::int from graphile_worker._private_jobs
			where payload ->> 'delivery' = d.id::text and attempts < max_attempts
		) as jobs from webhook_deliveries d where state = 'waiting'`.execute(db())
	return rows
}

test('an event is queued for a first solution that is chosen, and not for one that is shown again', async () => {
	const question = await makeQuestion(asker)
	const commentId = await makeComment(moderator, question.id)
	const solved = async () => (await waiting()).filter(({ event }) => event === 'query.solved').length
	await chooseSolution(asker, { questionId: question.id, commentId })
	const comment = { kind: 'comment', name: String(commentId) }
	await decideCase(moderator, { ...comment, act: 'hide' }, { why: 'Shoes' })
	await decideCase(moderator, { ...comment, act: 'restore' }, { why: 'x' })
	expect((await getQuestion(null, question.id)).solved).toBe(true)
	await chooseSolution(asker, { questionId: question.id, commentId: await makeComment(moderator, question.id) })
	expect(await solved()).toBe(1)
})

test('a delivery that waits without a job, or whose job was given up, gets one again', async () => {
	await makeQuestion(asker)
	const jobs = async () => (await waiting()).map(({ jobs }) => jobs)
	await queueForgotten()
	expect(await jobs()).toEqual([1])
	await sql`update graphile_worker._private_jobs set attempts = max_attempts`.execute(db())
	await queueForgotten()
	const { rows } = await sql`
		select key, priority from graphile_worker._private_jobs where attempts < max_attempts`.execute(db())
	expect(rows).toEqual([{ key: `webhook ${(await waiting())[0]?.id}`, priority: 10 }])
	await sql`delete from graphile_worker._private_jobs`.execute(db())
	await queueForgotten()
	expect(await jobs()).toEqual([1])
})
