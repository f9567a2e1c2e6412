import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { addComment, deleteComment, editComment } from '~/features/discussion/commenting.server.ts'
import { listComments } from '~/features/discussion/discussion.server.ts'
import { listQuestions } from '~/features/question-lists/lists.server.ts'
import { getQuestion } from '~/features/questions/questions.server.ts'
import { makeToken } from '~/features/tokens/tokens.server.ts'
import { NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { callApi } from '../../../tests/support/api-calls.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { askQuestion, deleteQuestion, editQuestion } from './asking.server.ts'

useDatabase()

let author: SignedIn
let member: SignedIn
let moderator: SignedIn
let admin: SignedIn
const texts = {
	title: 'How do I undo a commit?',
	description: 'I **pushed** it.',
	tags: 'git, undo',
	category: 'git-and-tools',
}

beforeAll(async () => {
	author = await makeMember('author')
	member = await makeMember('member')
	moderator = await makeMember('moderator', 'moderator')
	admin = await makeMember('admin', 'admin')
})

test('a program that changes one field does not undo a concurrent edit of another one', async () => {
	const { id } = await makeQuestion(author, texts)
	const { token } = await makeToken(author, { name: 'test', scopes: ['read', 'write'], days: 7 })
	const patch = (body: object) => callApi('PATCH', `/queries/${id}`, { token, body })
	const sent = [{ title: 'Another title' }, { description: 'Another text.' }, { tags: ['other'] }, { category: 'java' }]
	expect((await Promise.all(sent.map(patch))).map(({ status }) => status)).toEqual([200, 200, 200, 200])
	expect(await getQuestion(null, id)).toMatchObject({
		title: 'Another title',
		description: 'Another text.',
		tags: ['other'],
		category: { slug: 'java' },
	})
})

test('a new question is at the returned address', async () => {
	const { id, url } = await makeQuestion(author, texts)
	const question = await getQuestion(member, id)
	expect(url).toBe(`/forum/git-and-tools/author/${id}/how-do-i-undo-a-commit`)
	expect(question).toMatchObject({
		...{ url, title: texts.title, tags: ['git', 'undo'], description: texts.description },
		...{
			descriptionHtml: '<p>I <strong>pushed</strong> it.</p>',
			excerpt: 'I pushed it.',
			editedAt: null,
			mayEdit: false,
			commentCount: 0,
		},
		author: { username: 'author', name: 'Author', image: null },
	})
})

test('an edited question is marked, and moves with its category and tags', async () => {
	const { id } = await makeQuestion(author, texts)
	const { url } = await editQuestion(author, id, {
		...texts,
		title: 'Now about something else',
		tags: 'undo, java',
		category: 'java',
	})
	const question = await getQuestion(author, id)
	expect(question).toMatchObject({
		url,
		title: 'Now about something else',
		tags: ['undo', 'java'],
		category: { slug: 'java', title: 'Java' },
		mayEdit: true,
		mayDelete: true,
	})
	expect(question.editedAt).not.toBeNull()
	await expectCountersToHold()
})

test.each([
	['an unknown category', { category: 'nowhere' }, { category: 'Category field is required!' }],
	['a short title', { title: 'short' }, { title: 'The title needs at least 8 characters.' }],
])('a question with %s is refused', async (_what, wrong, fields) => {
	const before = await everything()
	await expect(askQuestion(author, { ...texts, ...wrong })).rejects.toMatchObject({ status: 422, fields })
	expect(await everything()).toEqual(before)
})

const rules: [
	string,
	(viewer: Viewer, its: { query: number; comment: number }) => Promise<unknown>,
	'writers' | 'owners',
][] = [
	['ask', (viewer) => askQuestion(viewer, texts), 'writers'],
	['comment', (viewer, { query }) => addComment(viewer, { questionId: query, parentId: null, body: 'x' }), 'writers'],
	[
		'reply',
		(viewer, { query, comment }) => addComment(viewer, { questionId: query, parentId: comment, body: 'x' }),
		'writers',
	],
	['edit a question', (viewer, { query }) => editQuestion(viewer, query, texts), 'owners'],
	['delete a question', (viewer, { query }) => deleteQuestion(viewer, query), 'owners'],
	['edit a comment', (viewer, { comment }) => editComment(viewer, comment, { body: 'y' }), 'owners'],
	['delete a comment', (viewer, { comment }) => deleteComment(viewer, comment), 'owners'],
]

test.each(rules)('the permission to %s is enforced, and a refusal changes nothing', async (_what, work, allowed) => {
	for (const viewer of [null, member, author, moderator, admin]) {
		const { id: query } = await makeQuestion(author)
		const its = { query, comment: await makeComment(author, query) }
		const before = await everything()
		const may = viewer !== null && (allowed === 'writers' || viewer !== member)
		if (may) await expect(work(viewer, its)).resolves.not.toThrow()
		else {
			await expect(work(viewer, its)).rejects.toThrow(NotAllowed)
			expect(await everything()).toEqual(before)
		}
	}
	await expectCountersToHold()
})

test.each([0, -1, 1.5, 999_999, 2 ** 31, 2 ** 53, Number.NaN])(
	'the id %d is not found, whatever is wanted of it',
	async (id) => {
		const { id: query } = await makeQuestion(author)
		await expect(getQuestion(author, id)).rejects.toThrow(NotFound)
		await expect(editQuestion(admin, id, texts)).rejects.toThrow(NotFound)
		await expect(deleteQuestion(admin, id)).rejects.toThrow(NotFound)
		await expect(addComment(author, { questionId: id, parentId: null, body: 'x' })).rejects.toThrow(NotFound)
		await expect(addComment(author, { questionId: query, parentId: id, body: 'x' })).rejects.toThrow(NotFound)
		await expect(editComment(admin, id, { body: 'x' })).rejects.toThrow(NotFound)
		await expect(deleteComment(admin, id)).rejects.toThrow(NotFound)
		await expect(listComments(author, { questionId: query, askerUsername: 'author', thread: id })).rejects.toThrow(
			NotFound,
		)
	},
)

test('deleting a question deletes its comments', async () => {
	const { id } = await makeQuestion(author, { ...texts, tags: 'vanishing' })
	const comment = await makeComment(member, id)
	await deleteQuestion(author, id)
	await expect(getQuestion(author, id)).rejects.toThrow(NotFound)
	await expect(editComment(member, comment, { body: 'x' })).rejects.toThrow(NotFound)
	await expect(makeComment(member, id)).rejects.toThrow(NotFound)
	expect((await listQuestions(author, { tag: 'vanishing' })).rows).toEqual([])
	await expectCountersToHold()
})

test('a reply stays in the question of its parent', async () => {
	const [{ id: one }, { id: other }] = [await makeQuestion(author), await makeQuestion(author)]
	const comment = await makeComment(author, one)
	await expect(makeComment(author, other, 'x', comment)).rejects.toThrow(NotFound)
	await deleteComment(author, comment)
	await expect(makeComment(author, one, 'x', comment)).rejects.toThrow('The comment you are replying to was deleted.')
})

test('fifty concurrent comments are all stored and counted', async () => {
	const { id } = await makeQuestion(author)
	const first = await makeComment(author, id)
	await Promise.all(
		Array.from({ length: 50 }, (_, index) => makeComment(member, id, `Number ${index}`, index % 2 ? first : null)),
	)
	expect((await getQuestion(author, id)).commentCount).toBe(51)
	await expectCountersToHold()
})

test('of two concurrent deletions one succeeds, and is counted once', async () => {
	const { id } = await makeQuestion(author)
	const comment = await makeComment(author, id)
	const comments = await Promise.allSettled([deleteComment(author, comment), deleteComment(author, comment)])
	expect(comments.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
	const questions = await Promise.allSettled([deleteQuestion(author, id), deleteQuestion(moderator, id)])
	expect(questions.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
	await expectCountersToHold()
})

test('concurrent edits, comments and deletions keep counters right, without deadlocks', async () => {
	const questions = await Promise.all(Array.from({ length: 6 }, () => makeQuestion(author, texts)))
	const tags = ['a, b, c', 'c, b, a', 'd, a', 'undo, e', 'b, f, git']
	const slugs = ['java', 'python', 'others', 'careers']
	const work = questions.flatMap(({ id }, index) => [
		...tags.map((list, turn) =>
			editQuestion(author, id, { ...texts, tags: list, category: slugs[(index + turn) % slugs.length] }),
		),
		makeComment(member, id),
		askQuestion(member, { ...texts, tags: tags[index % tags.length] }),
		...(index % 2 ? [deleteQuestion(author, id)] : []),
	])
	for (const { status, reason } of (await Promise.allSettled(work)) as PromiseRejectedResult[])
		if (status === 'rejected') expect(reason).toBeInstanceOf(NotFound)
	await expectCountersToHold()
})

/** The rows that posting affects, with their relevant columns. */
async function everything(): Promise<unknown> {
	const { rows } = await sql`select
		(select json_agg(row(id, title, edited_at, status, comment_count, active_at) order by id) from questions) as questions,
		(select json_agg(row(id, body, status) order by id) from comments) as comments,
		(select json_agg(row(slug, question_count) order by id) from categories) as categories,
		(select json_agg(row(name, question_count) order by id) from tags) as tags`.execute(db())
	return rows[0]
}

async function expectCountersToHold(): Promise<void> {
	const { rows } = await sql`
		select 'comments of ' || id as what, comment_count as kept, (select count(*) from comments where question_id = q.id and status = 'published') as counted from questions q
		union all select 'queries of ' || slug, question_count, (select count(*) from questions where category_id = c.id and status = 'published') from categories c
		union all select 'queries tagged ' || name, question_count, (select count(*) from questions where t.name = any(tags) and status = 'published') from tags t
		union all select 'links of ' || name, question_count, (select count(*) from question_tags where tag_id = t.id) from tags t
		union all select 'questions', value, (select count(*) from questions where status = 'published') from counters where name = 'questions'`.execute(
		db(),
	)
	expect(
		rows.filter((row) => Number((row as { kept: string }).kept) !== Number((row as { counted: string }).counted)),
	).toEqual([])
}
