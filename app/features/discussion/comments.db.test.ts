import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { FORMER_MEMBER, FORMER_USERNAME } from '~/platform/member-data.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import type { CommentView } from './comment.view.ts'
import { deleteComment, editComment } from './commenting.server.ts'
import { listComments } from './discussion.server.ts'

useDatabase()

let asha: SignedIn
let ben: SignedIn

beforeAll(async () => {
	asha = await makeMember('asha')
	ben = await makeMember('ben')
})

test('comments are returned as threads in chronological order', async () => {
	const { id } = await makeQuestion(asha)
	const one = await makeComment(ben, id, 'one')
	await makeComment(ben, id, 'two')
	const reply = await makeComment(asha, id, 'one, one', one)
	await makeComment(ben, id, 'one, two', one)
	await makeComment(ben, id, 'one, one, one', reply)
	const { rows, next, solutions } = await read(id)
	expect(outline(rows)).toEqual(['one', ['one, one', ['one, one, one'], 'one, two'], 'two'])
	expect({ next, solutions }).toEqual({ next: null, solutions: [] })
	expect(rows[0]?.replies[0]).toMatchObject({
		author: { username: 'asha' },
		byAsker: true,
		depth: 1,
		editedAt: null,
		deleted: false,
		hiddenReplies: 0,
	})
})

test('a comment of somebody who left is not called the asker’s, who left too', async () => {
	const { id } = await makeQuestion(asha)
	const comment = await makeComment(ben, id)
	await sql`update questions set author_id = ${FORMER_MEMBER} where id = ${id}`.execute(db())
	await sql`update comments set author_id = ${FORMER_MEMBER} where id = ${comment}`.execute(db())
	const { rows } = await listComments(null, { questionId: id, askerUsername: FORMER_USERNAME })
	expect(rows[0]).toMatchObject({ author: { username: FORMER_USERNAME }, byAsker: false })
})

test('only its author gets the source of a comment to edit', async () => {
	const { id } = await makeQuestion(asha)
	const comment = await makeComment(ben, id, '**mine**')
	await editComment(ben, comment, { body: '*mine*' })
	const [own] = (await read(id, {}, ben)).rows
	expect(own).toMatchObject({
		body: '*mine*',
		bodyHtml: '<p><em>mine</em></p>',
		editedAt: expect.any(String),
		mayEdit: true,
		mayDelete: true,
	})
	for (const viewer of [null, asha])
		expect((await read(id, {}, viewer)).rows[0]).toMatchObject({ body: null, mayEdit: false, mayDelete: false })
})

test('a deleted comment keeps its place as long as replies need it', async () => {
	const { id } = await makeQuestion(asha)
	const top = await makeComment(ben, id, 'top')
	const reply = await makeComment(ben, id, 'reply', top)
	await deleteComment(ben, top)
	expect((await read(id, {}, ben)).rows[0]).toMatchObject({
		author: null,
		bodyHtml: '',
		body: null,
		deleted: true,
		mayEdit: false,
		mayDelete: false,
		replies: [{ id: reply }],
	})
	await deleteComment(ben, reply)
	expect((await read(id)).rows).toEqual([])
})

test('replies deeper than four levels are counted, and shown as a thread of their own', async () => {
	const { id } = await makeQuestion(asha)
	const chain: number[] = []
	for (let level = 0; level < 9; level += 1)
		chain.push(await makeComment(ben, id, `level ${level}`, chain.at(-1) ?? null))
	const { rows } = await read(id)
	expect(outline(rows)).toEqual(['level 0', ['level 1', ['level 2', ['level 3 (5 more)']]]])
	const thread = await read(id, { thread: chain[3] })
	expect(outline(thread.rows)).toEqual(['level 3', ['level 4', ['level 5', ['level 6 (2 more)']]]])
	expect(thread.next).toBeNull()
	expect(outline((await read(id, { thread: chain[8] })).rows)).toEqual(['level 8'])
})

test('a thread can be nested without limit', async () => {
	const { id } = await makeQuestion(asha)
	const top = await makeComment(ben, id)
	const last = 100_000_000
	await sql`
		insert into comments (id, question_id, author_id, parent_id, path, body, body_html)
		select ${last} + level, ${id}, ${ben.id}, case level when 1 then ${top}::int else ${last} + level - 1 end,
			${top}::int || array(select ${last} + above from generate_series(1, level) above), 'x', 'x' from generate_series(1, 498) level`.execute(
		db(),
	)
	const made = [last + 498]
	for (let reply = 0; reply < 3; reply += 1) made.push(await makeComment(asha, id, 'Again.', made.at(-1) ?? null))
	const { rows } = await sql<{ depth: number; parent_id: number }>`
		select depth, parent_id from comments where id = any(${made.slice(1)}::int[])`.execute(db())
	expect(rows).toEqual(Array(3).fill({ depth: 499, parent_id: last + 498 }))
})

test('a solution is returned separately from its thread', async () => {
	const { id } = await makeQuestion(asha)
	await makeComment(ben, id, 'no')
	const solution = await makeComment(ben, id, 'yes')
	await makeComment(asha, id, 'thanks', solution)
	await sql`update comments set is_solution = true where id = ${solution}`.execute(db())
	const { rows, solutions } = await read(id)
	expect(solutions).toMatchObject([{ id: solution, solution: true }])
	expect(outline(rows)).toEqual(['no', 'yes', ['thanks']])
})

test('a page has thirty threads, and paging returns each once', async () => {
	const { id } = await makeQuestion(asha)
	await write(
		id,
		Array.from(
			{ length: 65 },
			(_, index) => [`thread ${index}`, ...(index % 2 ? [[`reply ${index}`]] : [])] as Thread,
		).flat(1),
	)
	const pages = await walk(id)
	expect(pages.map((page) => page.length)).toEqual([30, 30, 5])
	expect(new Set(pages.flat().map((comment) => comment.id)).size).toBe(65)
})

test('a thread that does not fit moves to the next page; no comment is lost', async () => {
	const { id } = await makeQuestion(asha)
	await write(id, ['a', many(120), 'b', many(120), 'c', many(10), 'd'])
	const pages = await walk(id)
	expect(
		pages.map((page) => page.map((thread) => `${thread.bodyHtml} ${thread.replies.length} ${thread.hiddenReplies}`)),
	).toEqual([['a 120 0'], ['b 120 0', 'c 10 0', 'd 0 0']])
})

test('a thread too long for any page is paged by itself', async () => {
	const { id } = await makeQuestion(asha)
	const [first] = await write(id, ['a', many(250), 'b', ['c']])
	const pages = await walk(id)
	expect(
		pages.map((page) => page.map((thread) => `${thread.bodyHtml} ${thread.replies.length} ${thread.hiddenReplies}`)),
	).toEqual([['a 199 51'], ['b 1 0']])
	const replies = (await walk(id, { thread: first })).flatMap(([root]) => root?.replies ?? [])
	expect(new Set(replies.map((reply) => reply.id)).size).toBe(250)
	expect(replies).toHaveLength(250)
})

test.each(['x', Buffer.from('["1"]').toString('base64url'), Buffer.from('[99999999999]').toString('base64url')])(
	'the cursor %s is refused',
	async (cursor) => {
		const { id } = await makeQuestion(asha)
		await expect(read(id, { cursor })).rejects.toThrow('This page of the list no longer exists.')
	},
)

type Thread = (string | Thread)[]

const many = (count: number): Thread => Array.from({ length: count }, (_, index) => `reply ${index}`)

function read(
	questionId: number,
	input: { cursor?: string | null; thread?: number } = {},
	viewer: SignedIn | null = null,
) {
	return listComments(viewer, { questionId, askerUsername: 'asha', ...input })
}

async function walk(questionId: number, input: { thread?: number } = {}): Promise<CommentView[][]> {
	const pages: CommentView[][] = []
	let cursor: string | null = null
	do {
		const { rows, next } = await read(questionId, { ...input, cursor })
		pages.push(rows)
		cursor = next
	} while (cursor)
	return pages
}

/** Writes threads past the use cases, which would take a second for hundreds. @returns the ids of the top level */
async function write(questionId: number, threads: Thread, above: number[] = []): Promise<number[]> {
	const ids: number[] = []
	for (const item of threads) {
		if (Array.isArray(item)) await write(questionId, item, [...above, ids.at(-1) ?? 0])
		else {
			const { rows } = await sql<{ id: number }>`
				with fresh as (select nextval(pg_get_serial_sequence('comments', 'id'))::int as id)
				insert into comments (id, question_id, author_id, parent_id, path, body, body_html)
				select id, ${questionId}, ${ben.id}, ${above.at(-1) ?? null}, ${above}::int[] || id, ${item}, ${item} from fresh returning id`.execute(
				db(),
			)
			ids.push(rows[0]?.id ?? 0)
		}
	}
	return ids
}

/** Threads as nested lists of their words. */
function outline(comments: CommentView[]): Thread {
	return comments.flatMap((comment): Thread => {
		const words =
			comment.bodyHtml.replace(/<[^>]*>/g, '') + (comment.hiddenReplies ? ` (${comment.hiddenReplies} more)` : '')
		return comment.replies.length > 0 ? [words, outline(comment.replies)] : [words]
	})
}
