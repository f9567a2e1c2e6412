import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { deleteQuestion } from '~/features/asking/asking.server.ts'
import { getQuestion } from '~/features/questions/questions.server.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { deleteComment } from './commenting.server.ts'
import { listComments } from './discussion.server.ts'
import { castVote, chooseSolution, withdrawSolution } from './votes.server.ts'

useDatabase()

let asker: SignedIn
let helper: SignedIn
let moderator: SignedIn
let crowd: SignedIn[]

beforeAll(async () => {
	asker = await makeMember('asker')
	helper = await makeMember('helper')
	moderator = await makeMember('mod', 'moderator')
	crowd = await Promise.all(Array.from({ length: 50 }, (_, index) => makeMember(`voter${index}`)))
})

test('a vote counts once however often it is sent, can be changed, and can be withdrawn', async () => {
	const { id, url } = await makeQuestion(asker)
	const scores: number[] = []
	for (const vote of [1, 1, -1, -1, 0, 0, 1])
		scores.push((await castVote(helper, { questionId: id, commentId: null, vote })).score)
	expect(scores).toEqual([1, 1, -1, -1, 0, 0, 1])
	expect(await castVote(helper, { questionId: id, commentId: null, vote: 1 })).toEqual({ vote: 1, score: 1, url })
	expect(await getQuestion(helper, id)).toMatchObject({ score: 1, vote: 1, own: false })
	expect(await getQuestion(asker, id)).toMatchObject({ score: 1, vote: 0, own: true })
	expect(await getQuestion(null, id)).toMatchObject({ score: 1, vote: 0, own: false })
})

test('each comment and reply includes the viewer’s vote', async () => {
	const { id } = await makeQuestion(asker)
	const top = await makeComment(helper, id)
	const reply = await makeComment(asker, id, 'Thanks.', top)
	await castVote(asker, { questionId: id, commentId: top, vote: 1 })
	await castVote(moderator, { questionId: id, commentId: reply, vote: -1 })
	const read = async (viewer: Viewer) => {
		const { rows } = await listComments(viewer, { questionId: id, askerUsername: 'asker' })
		return [rows[0]?.vote, rows[0]?.own, rows[0]?.replies[0]?.vote, rows[0]?.score, rows[0]?.replies[0]?.score]
	}
	expect(await read(asker)).toEqual([1, false, 0, 1, -1])
	expect(await read(moderator)).toEqual([0, false, -1, 1, -1])
	expect(await read(helper)).toEqual([0, true, 0, 1, -1])
	expect(await read(null)).toEqual([0, false, 0, 1, -1])
})

test.each<[string, (comment: number, query: number) => Promise<unknown>, number]>([
	['a visitor votes', (_, questionId) => castVote(null, { questionId, commentId: null, vote: 1 }), 403],
	['a visitor votes on a comment', (commentId, questionId) => castVote(null, { questionId, commentId, vote: 1 }), 403],
	['the asker votes on the query', (_, questionId) => castVote(asker, { questionId, commentId: null, vote: 1 }), 403],
	[
		'a helper votes on the own comment',
		(commentId, questionId) => castVote(helper, { questionId, commentId, vote: 1 }),
		403,
	],
	['a vote counts twice as much', (_, questionId) => castVote(helper, { questionId, commentId: null, vote: 2 }), 422],
	['a vote is no number', (_, questionId) => castVote(helper, { questionId, commentId: null, vote: Number.NaN }), 422],
	['the query is none', () => castVote(helper, { questionId: 999_999, commentId: null, vote: 1 }), 404],
	['the comment is none', (_, questionId) => castVote(asker, { questionId, commentId: 999_999, vote: 1 }), 404],
	['the id is none', () => castVote(helper, { questionId: -1, commentId: null, vote: 1 }), 404],
	['the comment stands elsewhere', (commentId) => castVote(asker, { questionId: 1, commentId, vote: 1 }), 404],
	['a visitor chooses a solution', (commentId, questionId) => chooseSolution(null, { questionId, commentId }), 403],
	[
		'a helper chooses the own comment',
		(commentId, questionId) => chooseSolution(helper, { questionId, commentId }),
		403,
	],
	[
		'another member withdraws',
		(commentId, questionId) => withdrawSolution(crowd[0] ?? null, { questionId, commentId }),
		403,
	],
	['the solution is none', (_, questionId) => chooseSolution(asker, { questionId, commentId: 999_999 }), 404],
	['the solution stands elsewhere', (commentId) => chooseSolution(asker, { questionId: 1, commentId }), 404],
])('nothing changes when %s', async (_what, act, status) => {
	const { id } = await makeQuestion(asker)
	const comment = await makeComment(helper, id)
	const before = await everything()
	await expect(act(comment, id)).rejects.toMatchObject({ status })
	expect(await everything()).toEqual(before)
})

test('deleted texts can be neither voted on nor accepted', async () => {
	const { id } = await makeQuestion(asker)
	const comment = await makeComment(helper, id)
	await deleteComment(helper, comment)
	await expect(castVote(asker, { questionId: id, commentId: comment, vote: 1 })).rejects.toMatchObject({ status: 404 })
	await expect(chooseSolution(asker, { questionId: id, commentId: comment })).rejects.toMatchObject({ status: 404 })
	await deleteQuestion(asker, id)
	await expect(castVote(helper, { questionId: id, commentId: null, vote: 1 })).rejects.toMatchObject({ status: 404 })
})

test('the asker, or a moderator, can accept several solutions and withdraw them', async () => {
	const { id } = await makeQuestion(asker)
	const [one, two] = [await makeComment(helper, id, 'one'), await makeComment(asker, id, 'two')]
	const solved = async () => {
		const { solutions } = await listComments(asker, { questionId: id, askerUsername: 'asker' })
		return [(await getQuestion(null, id)).solved, ...solutions.map((comment) => comment.id)]
	}
	await chooseSolution(asker, { questionId: id, commentId: one })
	expect(await solved()).toEqual([true, one])
	await chooseSolution(moderator, { questionId: id, commentId: two })
	expect(await solved()).toEqual([true, one, two])
	await withdrawSolution(asker, { questionId: id, commentId: one })
	expect(await solved()).toEqual([true, two])
	// The first accepted one stays first.
	await chooseSolution(asker, { questionId: id, commentId: one })
	expect(await solved()).toEqual([true, two, one])
	await withdrawSolution(asker, { questionId: id, commentId: one })
	await withdrawSolution(asker, { questionId: id, commentId: two })
	expect(await solved()).toEqual([false])
	await Promise.all([one, two, one].map((commentId) => chooseSolution(asker, { questionId: id, commentId })))
	const both = await solved()
	expect(both.slice(1).toSorted()).toEqual([one, two])
	await Promise.all([one, two].map((commentId) => withdrawSolution(asker, { questionId: id, commentId })))
	expect(await solved()).toEqual([false])
})

test('accepting a solution twice is logged once, and withdrawing none is not logged', async () => {
	const { id } = await makeQuestion(asker)
	const target = { questionId: id, commentId: await makeComment(helper, id) }
	await withdrawSolution(moderator, target)
	await chooseSolution(moderator, target)
	await chooseSolution(moderator, target)
	const { rows } = await sql`
		select from moderation_log where kind = 'comment' and target_id = ${target.commentId}`.execute(db())
	expect(rows).toHaveLength(1)
})

test('a page offers accepting to those who may, and shows accepted solutions', async () => {
	const { id } = await makeQuestion(asker)
	const comment = await makeComment(helper, id)
	const first = async (viewer: Viewer) =>
		(await listComments(viewer, { questionId: id, askerUsername: 'asker' })).rows[0]
	expect(
		await Promise.all([asker, moderator, helper, null].map(async (viewer) => (await first(viewer))?.mayChoose)),
	).toEqual([true, true, false, false])
	expect((await first(null))?.chosenAt).toBeNull()
	await chooseSolution(asker, { questionId: id, commentId: comment })
	expect(Date.now() - Date.parse((await first(null))?.chosenAt ?? '')).toBeLessThan(60_000)
})

test('after concurrent votes of 50 members, some changed, scores are the sums of the votes', async () => {
	const { id } = await makeQuestion(asker)
	const comment = await makeComment(helper, id)
	await Promise.all(
		crowd.flatMap((voter, index) => {
			const vote = index % 5 === 0 ? -1 : 1
			const onQuestion = { questionId: id, commentId: null }
			return [
				castVote(voter, { ...onQuestion, vote }),
				castVote(voter, { ...onQuestion, vote }),
				castVote(voter, { questionId: id, commentId: comment, vote }),
				...(index % 3 === 0 ? [castVote(voter, { ...onQuestion, vote: 0 })] : []),
				...(index % 7 === 0 ? [castVote(voter, { questionId: id, commentId: comment, vote: -vote })] : []),
			]
		}),
	)
	await expectFiguresToHold()
	const { rows } = await sql<{
		votes: number
	}>`select count(*)::int as votes from question_votes where question_id = ${id}`.execute(db())
	expect(rows[0]?.votes).toBeGreaterThanOrEqual(33)
})

test('after 50 concurrent acceptances, withdrawals and deletions the query is solved exactly if a solution remains', async () => {
	const { id } = await makeQuestion(asker)
	const comments = await Promise.all(Array.from({ length: 25 }, () => makeComment(helper, id)))
	const acts = comments.flatMap((commentId, index) => [
		chooseSolution(index % 2 ? asker : moderator, { questionId: id, commentId }),
		index % 3 === 0 ? deleteComment(helper, commentId) : withdrawSolution(asker, { questionId: id, commentId }),
	])
	const done = await Promise.allSettled(acts)
	for (const result of done) if (result.status === 'rejected') expect(result.reason).toMatchObject({ status: 404 })
	await expectFiguresToHold()
})

test('the votes of a member who leaves are removed', async () => {
	const { id } = await makeQuestion(asker)
	const leaving = await makeMember('leaving')
	await castVote(leaving, { questionId: id, commentId: null, vote: 1 })
	await db().deleteFrom('users').where('id', '=', leaving.id).execute()
	expect((await getQuestion(null, id)).score).toBe(0)
})

async function everything(): Promise<unknown> {
	const tables = [
		'questions',
		'comments',
		'question_tags',
		'question_votes',
		'comment_votes',
		'categories',
		'tags',
		'counters',
	]
	const rows = tables.map((name) =>
		sql`select md5(string_agg(t::text, '|' order by t::text)) as hash from ${sql.table(name)} t`.execute(db()),
	)
	return (await Promise.all(rows)).map((result) => result.rows)
}

/** All counters and denormalized columns that differ from the rows. */
async function expectFiguresToHold(): Promise<void> {
	const { rows } = await sql`
		select 'query' as what, id from questions q where score <> (select coalesce(sum(value), 0) from question_votes where question_id = q.id)
		union all select 'comment', id from comments c where score <> (select coalesce(sum(value), 0) from comment_votes where comment_id = c.id)
		union all select 'solved', id from questions q where solved <> exists (select 1 from comments where question_id = q.id and is_solution)
		union all select 'deleted solution', id from comments where is_solution and status <> 'published'
		union all select 'count', id from questions q where comment_count <> (select count(*) from comments where question_id = q.id and status = 'published')
		union all select 'tag', question_id from question_tags t join questions q on q.id = t.question_id
			where (t.active_at, t.solved, t.unanswered) is distinct from (q.active_at, q.solved, q.comment_count = 0)`.execute(
		db(),
	)
	expect(rows).toEqual([])
}
