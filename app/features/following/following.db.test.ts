import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { deleteQuestion } from '~/features/asking/asking.server.ts'
import { listComments } from '~/features/discussion/discussion.server.ts'
import { listNotifications } from '~/features/notifications/notifications.server.ts'
import { muteQuestion, notifyQuestionFollowers } from '~/features/questions/notifying/notifying.server.ts'
import { getQuestion } from '~/features/questions/questions.server.ts'
import { Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { useJobTables } from '../../../tests/support/jobs.ts'
import { FOLLOWED_PER_PAGE, MAX_FOLLOWED_QUESTIONS } from './following.limits.ts'
import { followQuestion, listFollowedQuestions, setAffected } from './following.server.ts'

useDatabase()
useJobTables()

let serial = 0
let asker: SignedIn
let writer: SignedIn
let reader: SignedIn
let question: { id: number; url: string }

beforeAll(async () => {
	asker = await makeMember('asker')
	writer = await makeMember('writer')
})

beforeEach(async () => {
	serial += 1
	reader = await makeMember(`reader${serial}`)
	question = await makeQuestion(asker, { title: `The question of round ${serial}` })
	await sql`update questions set created_at = created_at - interval '1 day'`.execute(db())
})

async function told(viewer: SignedIn): Promise<string[]> {
	const { rows } = await listNotifications(viewer)
	return rows.map(({ by, words, title }) => `${by} ${words} ${title}`)
}

const followed = async (viewer: Viewer) => (await listFollowedQuestions(viewer)).rows.map(({ id }) => id)

describe('a follower of a question', () => {
	test('is notified of comments once, by the most relevant kind, and lists the question until unfollowing', async () => {
		for (let press = 0; press < 2; press++)
			expect(await followQuestion(reader, question.id, true)).toEqual({ url: question.url })
		const comment = await makeComment(writer, question.id)
		expect(await told(reader)).toEqual([`Writer commented on The question of round ${serial}`])
		const own = await makeComment(reader, question.id, 'Mine.', comment)
		await makeComment(writer, question.id, 'To you.', own)
		expect(await told(reader)).toEqual([
			`Writer replied to you in The question of round ${serial}`,
			`Writer commented on The question of round ${serial}`,
		])
		expect(await followed(reader)).toEqual([question.id])
		await followQuestion(reader, question.id, false)
		expect(await followed(reader)).toEqual([])
		await makeComment(writer, question.id)
		expect(await told(reader)).toHaveLength(2)
	})

	test('is not notified if the question is muted or the author blocked, and is again after following anew', async () => {
		await followQuestion(reader, question.id, true)
		await muteQuestion(reader, question.id, true)
		await makeComment(writer, question.id)
		expect(await told(reader)).toEqual([])
		await followQuestion(reader, question.id, true)
		await sql`insert into blocks (blocker_id, blocked_id) values (${reader.id}, ${writer.id})`.execute(db())
		await makeComment(writer, question.id)
		expect(await told(reader)).toEqual([])
		await sql`delete from blocks`.execute(db())
		await makeComment(writer, question.id)
		expect(await told(reader)).toHaveLength(1)
	})

	test('is notified by a job if there are many, once however often the job runs', async () => {
		await sql`insert into users (username, name, email)
			select 'many' || n || ${`of${serial}`}, 'Many', 'many' || n || ${`of${serial}@campus.example`} from generate_series(1, 60) n`.execute(
			db(),
		)
		await sql`insert into follows (user_id, question_id)
			select id, ${question.id} from users where username like ${`many%of${serial}`} or id = ${asker.id}`.execute(db())
		const commentId = await makeComment(writer, question.id)
		const count = async () => {
			const { rows } = await sql<{ count: number }>`
				select count(*)::int as count from notifications where kind = 'followed-query' and subject_id = ${question.id}`.execute(
				db(),
			)
			return rows[0]?.count
		}
		expect(await count()).toBe(0)
		const { rows } = await sql<{ payload: Parameters<typeof notifyQuestionFollowers>[0] }>`
			select payload from graphile_worker._private_jobs where payload->>'commentId' = ${String(commentId)}`.execute(
			db(),
		)
		const [job] = rows
		if (!job) throw new Error('There is no job.')
		for (let run = 0; run < 2; run++) await notifyQuestionFollowers(job.payload)
		expect(await count()).toBe(60)
		expect(await told(asker)).toContain(`Writer commented on The question of round ${serial}`)
	})
})

describe('“I have this too”', () => {
	test('counts each member once, even concurrently, follows the question, and is deleted with the account', async () => {
		const other = await makeMember(`other${serial}`)
		await Promise.all([1, 2, 3].map(() => setAffected(reader, question.id, true)))
		expect(await setAffected(other, question.id, true)).toEqual({ count: 2, url: question.url })
		const marks = async (viewer: Viewer) => {
			const page = await listComments(viewer, { questionId: question.id, askerUsername: 'asker' })
			const { following, affected, affectedCount } = await getQuestion(viewer, question.id)
			expect(page.marks).toMatchObject({ following, affected })
			return [following, affected, affectedCount]
		}
		expect([await marks(reader), await marks(asker), await marks(null)]).toEqual([
			[true, true, 2],
			[false, false, 2],
			[false, false, 2],
		])
		await setAffected(reader, question.id, false)
		expect(await marks(reader)).toEqual([true, false, 1])
		await sql`delete from users where id = ${other.id}`.execute(db())
		const { rows } = await sql`select affected_count from questions where id = ${question.id}`.execute(db())
		expect(rows).toEqual([{ affected_count: 0 }])
	})
})

test.each<[string, () => [Viewer, number], unknown]>([
	['a visitor', () => [null, question.id], NotAllowed],
	['who asked it', () => [asker, question.id], NotAllowed],
	['a question that is not there', () => [reader, 2_000_000_000], NotFound],
	['what is no id', () => [reader, Number.NaN], NotFound],
])('%s is refused', async (_what, given, error) => {
	const [viewer, id] = given()
	await expect(followQuestion(viewer, id, true)).rejects.toThrow(error as new () => Error)
	await expect(setAffected(viewer, id, true)).rejects.toThrow(error as new () => Error)
})

test('a member follows at most 1,000 questions, even with concurrent requests, and pages through them', async () => {
	const more = await makeQuestion(asker)
	await sql`insert into questions (author_id, category_id, title, description, description_html, excerpt, tags, created_at)
		select author_id, category_id, title, description, description_html, excerpt, '{}', created_at - interval '1 day'
		from questions, generate_series(1, ${MAX_FOLLOWED_QUESTIONS - 1}) where id = ${question.id}`.execute(db())
	await sql`insert into follows (user_id, question_id) select ${reader.id}, id from questions where id > ${more.id}`.execute(
		db(),
	)
	const ends = await Promise.allSettled([question, more].map(({ id }) => followQuestion(reader, id, true)))
	expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
	expect(ends.find((end) => end.status === 'rejected')?.reason).toBeInstanceOf(Invalid)
	const first = await listFollowedQuestions(reader)
	const second = await listFollowedQuestions(reader, first.next)
	const ids = [...first.rows, ...second.rows].map(({ id }) => id)
	expect([new Set(ids).size, second.next === null]).toEqual([2 * FOLLOWED_PER_PAGE, false])
	await expect(listFollowedQuestions(reader, 'x')).rejects.toMatchObject({ status: 422 })
	await deleteQuestion(asker, ids[0] ?? 0)
	expect((await listFollowedQuestions(reader)).rows[0]?.id).toBe(ids[1])
	// One that they no longer see makes room for another.
	const refused = ends[0]?.status === 'rejected' ? question : more
	await followQuestion(reader, refused.id, true)
	await expect(followQuestion(reader, (await makeQuestion(asker)).id, true)).rejects.toThrow(Invalid)
})
