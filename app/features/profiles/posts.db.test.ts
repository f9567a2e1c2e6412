import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { deleteQuestion } from '~/features/asking/asking.server.ts'
import { deleteComment } from '~/features/discussion/commenting.server.ts'
import { chooseSolution } from '~/features/discussion/votes.server.ts'
import { MAX_POSTS_COUNTED } from '~/features/questions/questions.limits.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { decide } from '../../../tests/support/moderation-cast.ts'
import { getMemberFeed, listPosts, postKindOf } from './posts.server.ts'
import { formatPostCount, type PostKind, postKinds } from './profiles.view.ts'

useDatabase()

let asker: SignedIn
let helper: SignedIn
const answers: number[] = []

beforeAll(async () => {
	asker = await makeMember('asker')
	helper = await makeMember('helper')
	const moderator = await makeMember('mod', 'moderator')
	const { id } = await makeQuestion(asker, { title: 'How do lists go on?' })
	for (let number = 0; number < 12; number += 1) answers.push(await makeComment(helper, id, `Answer **${number}**`))
	for (const commentId of answers.slice(0, 3)) await chooseSolution(asker, { questionId: id, commentId })
	await makeQuestion(helper)
	await makeComment(helper, id, 'A word beside an answer', answers[0])
	// Posts that nobody else may read are neither listed nor counted.
	await deleteComment(helper, await makeComment(helper, id))
	await decide(moderator, 'comment', await makeComment(helper, id), 'hide')
	const gone = await makeQuestion(asker)
	const orphan = await makeComment(helper, gone.id)
	await chooseSolution(asker, { questionId: gone.id, commentId: orphan })
	await deleteQuestion(asker, gone.id)
	await decide(moderator, 'query', (await makeQuestion(helper)).id, 'hide')
})

test.each<[PostKind, number]>([
	['queries', 1],
	['answers', 12],
	['solutions', 3],
	['comments', 1],
])('the list of %s is paged, and each page has the total', async (kind, count) => {
	for (const viewer of [asker, helper]) {
		const found: number[] = []
		for (let cursor: string | null = null; ; ) {
			const { page, counts } = await listPosts(viewer, 'helper', { kind, cursor })
			expect(counts).toEqual({ queries: 1, answers: 12, solutions: 3, comments: 1 })
			expect(page.rows.length).toBeLessThanOrEqual(10)
			found.push(...page.rows.map(({ id }) => id))
			cursor = page.next
			if (cursor === null) break
		}
		expect(found).toHaveLength(count)
		if (kind === 'answers') expect(found).toEqual(answers.toReversed())
		if (kind === 'solutions') expect(found).toEqual(answers.slice(0, 3).toReversed())
	}
})

test.each([
	['comments_by_author', 'parent_id is null'],
	['comments_by_author', 'parent_id is not null'],
	['solutions_by_author', 'is_solution'],
])('posts are counted by an index alone: %s, %s', async (index, kind) => {
	const plan = await db()
		.transaction()
		.execute(async (trx) => {
			await sql`set local enable_seqscan = off`.execute(trx)
			await sql`set local enable_bitmapscan = off`.execute(trx)
			return sql<Record<string, string>>`
				explain select question_id from comments
				where author_id = ${helper.id} and status = 'published' and ${sql.raw(kind)} limit 1000`.execute(trx)
		})
	expect(plan.rows.map((row) => row['QUERY PLAN']).join('\n')).toContain(`Index Only Scan using ${index} on`)
})

test('an answer links to its comment and shows its beginning', async () => {
	const { page } = await listPosts(asker, 'helper', { kind: 'solutions', cursor: null })
	expect(page.rows[0]).toMatchObject({
		url: `/forum/comment/${answers[2]}`,
		title: 'How do lists go on?',
		excerpt: 'Answer 2',
		solution: true,
		score: 0,
	})
})

test('a member without posts has empty lists; a malformed cursor is refused', async () => {
	for (const { kind } of postKinds) {
		const { page, counts } = await listPosts(asker, 'mod', { kind, cursor: null })
		expect([page.rows, page.next, counts]).toEqual([[], null, { queries: 0, answers: 0, solutions: 0, comments: 0 }])
		await expect(listPosts(asker, 'helper', { kind, cursor: 'x' })).rejects.toMatchObject({ status: 422 })
	}
	expect([null, 'answers', 'solutions', 'anything'].map(postKindOf)).toEqual([
		'queries',
		'answers',
		'solutions',
		'queries',
	])
	expect([0, 1, MAX_POSTS_COUNTED, MAX_POSTS_COUNTED + 1].map(formatPostCount)).toEqual(['0', '1', '999', '999+'])
})

test('a feed contains a member’s public posts, newest first, and nothing about others', async () => {
	const feed = await getMemberFeed('HELPER')
	const entries = [...feed.matchAll(/<id>tag:[^:]*:(\w+\/\d+)<\/id><title>([^<]*)</g)].map(
		([, id, title]) => `${id} ${title}`,
	)
	expect(entries).toHaveLength(14)
	expect(entries[0]).toMatch(/^comment\/\d+ Re: How do lists go on\?$/)
	expect(entries.filter((entry) => entry.startsWith('query/'))).toHaveLength(1)
	expect(feed).toContain('/find-dev/helper/feed.atom</id>')
	await makeQuestion(asker, { pseudonym: 'on' })
	const pseudonym = await db()
		.selectFrom('users')
		.select('username')
		.where('pseudonym_of', '=', asker.id)
		.executeTakeFirstOrThrow()
	for (const username of ['mod', 'nobody', pseudonym.username])
		await expect(getMemberFeed(username)).rejects.toThrow('No Data Found !')
})

test('only the author finds their own questions that wait for a moderator, also those under a pseudonym', async () => {
	const own = { kind: 'queries' as const, cursor: null, mine: true }
	const { id } = await makeQuestion(helper)
	const { id: disguised } = await makeQuestion(helper, { pseudonym: 'on' })
	await sql`update questions set status = 'pending' where id in (${id}, ${disguised})`.execute(db())
	const pendingFor = async (viewer: SignedIn, author: string, list = own) =>
		(await listPosts(viewer, author, list)).pending.map((question) => question.id)
	expect(new Set(await pendingFor(helper, 'helper'))).toEqual(new Set([id, disguised]))
	expect(await pendingFor(helper, 'helper', { ...own, mine: false })).toEqual([])
	expect(await pendingFor(asker, 'helper')).toEqual([])
	expect(await pendingFor(asker, 'asker')).toEqual([])
})
