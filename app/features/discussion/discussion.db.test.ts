import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { deleteQuestion, editQuestion, restoreQuestion, suggestMentions } from '~/features/asking/asking.server.ts'
import { listQuestions } from '~/features/question-lists/lists.server.ts'
import { getDiscussed, getQuestion } from '~/features/questions/questions.server.ts'
import { hidePost } from '~/features/questions/status/takedown.server.ts'
import { Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { decide } from '../../../tests/support/moderation-cast.ts'
import { addComment, deleteComment, editComment, restoreComment } from './commenting.server.ts'
import { isOpenQuestion } from './comments.queries.server.ts'
import { findCommentUrl, listComments } from './discussion.server.ts'
import { readCommentHistory, readQuestionHistory } from './history.server.ts'

useDatabase()

let asha: SignedIn
let ben: SignedIn
let mods: SignedIn

beforeAll(async () => {
	asha = await makeMember('asha')
	ben = await makeMember('ben')
	mods = await makeMember('moda', 'moderator')
})

const texts = { title: 'How do I stop it?', description: 'It runs on.', tags: 'stopping', category: 'others' }

test('each edit of a query stores the earlier text, its editor and the difference', async () => {
	const { id } = await makeQuestion(asha, texts)
	await editQuestion(asha, id, { ...texts, description: 'It runs on and on.' })
	await editQuestion(mods, id, { ...texts, title: 'How do I stop a loop?', description: 'It runs on and on.' })
	const { edits, next } = await readQuestionHistory(ben, id, null)
	expect(next).toBeNull()
	expect(edits.map(({ by, byModerator }) => [by.username, byModerator])).toEqual([
		['moda', true],
		['asha', false],
	])
	expect(edits[0]?.changes.map(({ field }) => field)).toEqual(['Title'])
	const [change] = edits[1]?.changes ?? []
	const said = (kind: string) => change?.parts.filter((part) => part.kind !== kind).map(({ text }) => text)
	expect(said('added')?.join('')).toBe('It runs on.')
	expect(said('removed')?.join('')).toBe('It runs on and on.')
})

test('saving the same text again adds no version', async () => {
	const { id } = await makeQuestion(asha, texts)
	await editQuestion(asha, id, texts)
	expect((await readQuestionHistory(ben, id, null)).edits).toEqual([])
})

test('the history of a comment is paged without gaps', async () => {
	const { id } = await makeQuestion(asha)
	const comment = await makeComment(ben, id, 'version 0')
	for (let version = 1; version <= 12; version += 1) await editComment(ben, comment, { body: `version ${version}` })
	const first = await readCommentHistory(ben, comment, null)
	const second = await readCommentHistory(ben, comment, first.next)
	const brought = [...first.edits, ...second.edits].map(({ changes }) =>
		changes[0]?.parts
			.filter(({ kind }) => kind !== 'removed')
			.map(({ text }) => text)
			.join(''),
	)
	expect(brought).toEqual(Array.from({ length: 12 }, (_, index) => `version ${12 - index}`))
	expect(second.next).toBeNull()
})

test('a page of edits of long texts that have little in common takes less than half a second', async () => {
	const { id } = await makeQuestion(asha)
	const comment = await makeComment(ben, id, 'start')
	await sql`
		insert into revisions (question_id, comment_id, editor_id, by_moderator, body)
		select ${id}, ${comment}, ${ben.id}, false, (select string_agg(chr(97 + floor(random() * 26)::int) || E' \n', '')
			from generate_series(1, 10000 + row)) from generate_series(1, 11) as row`.execute(db())
	const before = process.cpuUsage()
	const { edits } = await readCommentHistory(ben, comment, null)
	const { user, system } = process.cpuUsage(before)
	expect(edits.map(({ changes }) => changes[0]?.parts.some(({ kind }) => kind === 'added'))).toEqual(
		Array(10).fill(true),
	)
	expect((user + system) / 1_000).toBeLessThan(500)
})

test('two concurrent edits are both recorded, each based on the other', async () => {
	const { id } = await makeQuestion(asha)
	const comment = await makeComment(ben, id, 'start')
	await Promise.all(['one', 'two'].map((body) => editComment(ben, comment, { body })))
	const rows = await db()
		.selectFrom('revisions')
		.select('body')
		.where('comment_id', '=', comment)
		.orderBy('id')
		.execute()
	const now = await db().selectFrom('comments').select('body').where('id', '=', comment).executeTakeFirstOrThrow()
	expect(rows[0]?.body).toBe('start')
	expect([rows[1]?.body, now.body].sort()).toEqual(['one', 'two'])
})

test('a deleted query without comments of others disappears', async () => {
	const { id } = await makeQuestion(asha)
	await makeComment(asha, id, 'my own')
	await deleteQuestion(asha, id)
	await expect(getDiscussed(asha, id)).rejects.toThrow(NotFound)
	await expect(readQuestionHistory(ben, id, null)).rejects.toThrow(NotFound)
})

test('a deleted query with comments of others keeps its address and these comments, and nothing of its own', async () => {
	const { id } = await makeQuestion(asha, { ...texts, title: 'A title to forget', tags: 'forgotten' })
	const comment = await makeComment(ben, id, 'an answer')
	await deleteQuestion(asha, id)
	const left = await getDiscussed(null, id)
	expect(left).toMatchObject({ title: '[deleted by its author]', descriptionHtml: '', tags: [], deletedBy: 'author' })
	expect(JSON.stringify(left)).not.toContain('to forget')
	expect((await listComments(null, { questionId: id, askerUsername: 'asha' })).rows).toHaveLength(1)
	expect((await findCommentUrl(null, comment)).url).toBe(`${left.url}#comment-${comment}`)
	await expect(getQuestion(null, id)).rejects.toThrow(NotFound)
	expect((await listQuestions(null, { search: 'forget' })).rows).toEqual([])
	await expect(addComment(ben, { questionId: id, parentId: null, body: 'late' })).rejects.toThrow(NotFound)
})

test('live comments are announced for a query that everybody may read, and for no other', async () => {
	const { id } = await makeQuestion(asha)
	await makeComment(ben, id)
	expect(await isOpenQuestion(id)).toBe(true)
	await deleteQuestion(asha, id)
	expect(await isOpenQuestion(id)).toBe(false)
	await restoreQuestion(asha, id)
	expect(await isOpenQuestion(id)).toBe(true)
})

test('undoing a deletion restores every count', async () => {
	const { id } = await makeQuestion(asha, { ...texts, tags: 'returning' })
	await makeComment(ben, id)
	const before = await counts(id)
	await deleteQuestion(asha, id)
	expect(await counts(id)).not.toEqual(before)
	await restoreQuestion(asha, id)
	expect(await counts(id)).toEqual(before)
	expect((await listQuestions(null, { tag: 'returning' })).rows.map((row) => row.id)).toEqual([id])
})

test('a deleted solution is a solution again when restored', async () => {
	const { id } = await makeQuestion(asha)
	const comment = await makeComment(ben, id)
	await db().updateTable('comments').set({ is_solution: true }).where('id', '=', comment).execute()
	await db().updateTable('questions').set({ solved: true }).where('id', '=', id).execute()
	await deleteComment(ben, comment)
	expect(await getQuestion(null, id)).toMatchObject({ solved: false, commentCount: 0 })
	await restoreComment(ben, comment)
	expect(await getQuestion(null, id)).toMatchObject({ solved: true, commentCount: 1 })
})

test('of several concurrent undos one succeeds, and is counted once', async () => {
	const { id } = await makeQuestion(asha)
	const comment = await makeComment(ben, id)
	await deleteComment(ben, comment)
	const tries = await Promise.allSettled(Array.from({ length: 4 }, () => restoreComment(ben, comment)))
	expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
	expect((await getQuestion(null, id)).commentCount).toBe(1)
	await deleteQuestion(asha, id)
	const again = await Promise.allSettled(Array.from({ length: 4 }, () => restoreQuestion(asha, id)))
	expect(again.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

test('a concurrent deletion and comment leave a count that equals the rows', async () => {
	const { id } = await makeQuestion(asha)
	await Promise.allSettled([deleteQuestion(asha, id), ...Array.from({ length: 6 }, () => makeComment(ben, id))])
	const { rows } = await sql<{ counted: number; real: number }>`
		select comment_count as counted, (select count(*)::int from comments where question_id = ${id}) as real
		from questions where id = ${id}`.execute(db())
	expect(rows[0]?.counted).toBe(rows[0]?.real)
})

test('only the member who deleted something can undo that, within ten minutes; a moderator at any time', async () => {
	const { id } = await makeQuestion(asha)
	const comment = await makeComment(ben, id)
	await deleteComment(mods, comment)
	await expect(restoreComment(ben, comment)).rejects.toThrow(NotAllowed)
	await restoreComment(mods, comment)
	await deleteComment(ben, comment)
	await expect(restoreComment(asha, comment)).rejects.toThrow(NotAllowed)
	await expect(restoreComment(null, comment)).rejects.toThrow(NotAllowed)
	await db()
		.updateTable('comments')
		.set({ status_at: sql<Date>`now() - interval '11 minutes'` })
		.where('id', '=', comment)
		.execute()
	await expect(restoreComment(ben, comment)).rejects.toThrow(NotAllowed)
	await restoreComment(mods, comment)
	await expect(restoreComment(mods, comment)).rejects.toThrow(NotFound)
})

test('a comment has an address that shows it, also deep in a thread and beyond the first page', async () => {
	const { id, url } = await makeQuestion(asha)
	const chain: number[] = []
	for (let depth = 0; depth < 6; depth += 1)
		chain.push(await makeComment(ben, id, `deep ${depth}`, chain.at(-1) ?? null))
	const [top = 0, , , level3 = 0, level4 = 0, level5 = 0] = chain
	expect((await findCommentUrl(null, top)).url).toBe(`${url}#comment-${top}`)
	expect((await findCommentUrl(null, level3)).url).toBe(`${url}#comment-${level3}`)
	expect((await findCommentUrl(null, level4)).url).toBe(`${url}?thread=${level3}#comment-${level4}`)
	expect((await findCommentUrl(null, level5)).url).toBe(`${url}?thread=${level4}#comment-${level5}`)
	let last = 0
	for (let number = 0; number < 30; number += 1) last = await makeComment(ben, id, `wide ${number}`)
	expect((await findCommentUrl(null, last)).url).toBe(`${url}?thread=${last}#comment-${last}`)
	await deleteComment(ben, last)
	expect(await findCommentUrl(asha, last)).toMatchObject({ url: `${url}#comments`, gone: true })
	await expect(findCommentUrl(null, 99_999_999)).rejects.toThrow(NotFound)
})

test('the address of an unpublished comment shows it to its author and moderators, and its query to others', async () => {
	const { id, url } = await makeQuestion(asha)
	const comment = await makeComment(ben, id)
	const post = { by: mods.id, reason: 'Spam.' }
	await hidePost({ ...post, kind: 'comment', id: comment }, async () => {})
	const urlFor = async (viewer: Viewer) => (await findCommentUrl(viewer, comment)).url
	const [shown, query] = [`${url}#comment-${comment}`, `${url}#comments`]
	expect(await Promise.all([ben, mods, asha, null].map(urlFor))).toEqual([shown, shown, query, query])
	await hidePost({ ...post, kind: 'query', id }, async () => {})
	expect(await Promise.all([mods, asha].map(urlFor))).toEqual([shown, query])
	for (const viewer of [ben, null]) await expect(urlFor(viewer)).rejects.toThrow(NotFound)
})

test('the address of a deleted query and of its comments no longer has the words of its title', async () => {
	const { id, url } = await makeQuestion(asha, { ...texts, title: 'My landlord is a thief' })
	const comment = await makeComment(ben, id)
	expect(url).toContain('landlord')
	await deleteQuestion(asha, id)
	expect((await getDiscussed(null, id)).url).toBe(`/forum/others/asha/${id}`)
	expect((await findCommentUrl(null, comment)).url).toBe(`/forum/others/asha/${id}#comment-${comment}`)
	await restoreQuestion(asha, id)
	expect((await getDiscussed(null, id)).url).toBe(url)
})

test('the address of a comment of a merged query shows it there', async () => {
	const { id, url } = await makeQuestion(asha)
	const comment = await makeComment(ben, id)
	await decide(mods, 'query', id, 'merge', { into: String((await makeQuestion(asha)).id) })
	expect(await findCommentUrl(null, comment)).toMatchObject({
		url: `${url}?original=1#comment-${comment}`,
		gone: false,
	})
})

test('the best threads come first, paged without gaps, and replies stay in chronological order', async () => {
	const { id } = await makeQuestion(asha)
	const heads: number[] = []
	for (let number = 0; number < 34; number += 1) heads.push(await makeComment(ben, id, `head ${number}`))
	const replies = [
		await makeComment(asha, id, 'first reply', heads[5]),
		await makeComment(asha, id, 'second', heads[5]),
	]
	await score([heads[5], heads[20]], 3)
	await score([replies[1], heads[33]], 9)
	await score([heads[0]], -2)
	const read = (cursor: string | null) =>
		listComments(null, { questionId: id, askerUsername: 'asha', sort: 'best', cursor })
	const first = await read(null)
	const second = await read(first.next)
	const rest = heads.filter((_, number) => ![0, 5, 20, 33].includes(number))
	const wanted = [heads[33], heads[5], heads[20], ...rest, heads[0]]
	expect([...first.rows, ...second.rows].map((row) => row.id)).toEqual(wanted)
	expect([first.rows.length, second.next]).toEqual([30, null])
	expect(first.rows[1]?.replies.map((row) => row.id)).toEqual(replies)
})

test('the best threads include the number of replies deeper than the page shows', async () => {
	const { id } = await makeQuestion(asha)
	const chain: number[] = []
	for (let depth = 0; depth < 6; depth += 1) chain.push(await makeComment(ben, id, 'deep', chain.at(-1) ?? null))
	const page = { questionId: id, askerUsername: 'asha' }
	const best = await listComments(null, { ...page, sort: 'best' })
	expect(JSON.stringify(best)).toContain('"hiddenReplies":2')
	expect(best).toEqual(await listComments(null, page))
})

test('a cursor of one order is refused in the other', async () => {
	const { id } = await makeQuestion(asha)
	for (let number = 0; number < 31; number += 1) await makeComment(ben, id)
	const page = { questionId: id, askerUsername: 'asha' }
	const { next: oldest } = await listComments(null, page)
	const { next: best } = await listComments(null, { ...page, sort: 'best' })
	await expect(listComments(null, { ...page, sort: 'best', cursor: oldest })).rejects.toThrow(Invalid)
	await expect(listComments(null, { ...page, cursor: best })).rejects.toThrow(Invalid)
})

async function score(ids: (number | undefined)[], value: number): Promise<void> {
	const known = ids.filter((id) => id !== undefined)
	await db().updateTable('comments').set({ score: value }).where('id', 'in', known).execute()
}

test('a mention is a link only for a member that exists, and never in code, links or e-mail addresses', async () => {
	const body = '@Ben and @nobody.here, `@ben`, [see @ben](https://host.example), x@ben, @ben.'
	const { id } = await makeQuestion(asha, { ...texts, description: body })
	const link = (name: string) => `<a href="/find-dev/ben" rel="nofollow ugc noopener">@${name}</a>`
	const { descriptionHtml } = await getQuestion(null, id)
	expect(descriptionHtml).toBe(
		`<p>${link('Ben')} and @nobody.here, <code>@ben</code>, <a href="https://host.example" rel="nofollow ugc noopener">see @ben</a>, x@ben, ${link('ben')}.</p>`,
	)
})

test('participants of a query are suggested first, also by name; others by the beginning of their username', async () => {
	const zed = await makeMember('ben.zed')
	await db().updateTable('users').set({ name: 'Becky Zed' }).where('id', '=', asha.id).execute()
	const { id } = await makeQuestion(asha)
	await makeComment(zed, id)
	const names = async (text: string, query: number) =>
		(await suggestMentions(text, query, 8)).map(({ username }) => username)
	expect(await names('', id)).toEqual(['asha', 'ben.zed'])
	expect(await names('Be', id)).toEqual(['asha', 'ben.zed', 'ben'])
	expect(await names('be', Number.NaN)).toEqual(['ben', 'ben.zed'])
	expect(await names('', Number.NaN)).toEqual([])
	expect(await names('%', id)).toEqual([])
	expect(await names('_en', id)).toEqual([])
})

async function counts(id: number) {
	const { rows } = await sql`
		select q.comment_count, c.question_count as category, n.value, array(select t.question_count from tags t join question_tags x on x.tag_id = t.id
			where x.question_id = q.id order by t.id) as tags
		from questions q join categories c on c.id = q.category_id, counters n where q.id = ${id} and n.name = 'questions'`.execute(
		db(),
	)
	return rows[0]
}
