import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { deleteQuestion } from '~/features/asking/asking.server.ts'
import { deleteComment } from '~/features/discussion/commenting.server.ts'
import { listComments } from '~/features/discussion/discussion.server.ts'
import { chooseSolution } from '~/features/discussion/votes.server.ts'
import { getQuestion } from '~/features/questions/questions.server.ts'
import { NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { countWaiting } from '../../../tests/support/locks.ts'
import { BOOKMARKS_PER_PAGE, MAX_BOOKMARK_NOTE } from './bookmarks.limits.ts'
import type { BookmarkTarget } from './bookmarks.schema.ts'
import {
	listBookmarks,
	removeBookmark,
	restoreBookmark,
	saveBookmark,
	saveBookmarkNote,
	sweepBookmarks,
} from './bookmarks.server.ts'

useDatabase()

let reader: SignedIn
let moderator: SignedIn
let author: SignedIn

beforeAll(async () => {
	reader = await makeMember('reader')
	moderator = await makeMember('mod', 'moderator')
	author = await makeMember('author')
})

const query = (id: number): BookmarkTarget => ({ kind: 'query', id })
const comment = (id: number): BookmarkTarget => ({ kind: 'comment', id })
const all = { search: '', kind: null, cursor: null }

/** A member's list, as “kind id: note”. */
async function listOf(viewer: Viewer, asked: Partial<typeof all> | { kind: 'query' | 'comment' } = {}) {
	const { rows } = await listBookmarks(viewer, { ...all, ...asked })
	return rows.map(({ kind, id, note }) => `${kind} ${id}${note && `: ${note}`}`)
}

/** Makes a removal this many seconds old. */
const age = (seconds: number) =>
	sql`update bookmarks set removed_at = removed_at - make_interval(secs => ${seconds})`.execute(db())

test('a member’s bookmarks are on the question’s page and in the list, newest first, and private', async () => {
	const { id, url } = await makeQuestion(author, {
		title: 'How do bookmarks work?',
		description: 'By **pressing** one.',
	})
	const answer = await makeComment(author, id, 'Press the *mark* under it.')
	expect(await saveBookmark(reader, query(id))).toEqual({ url })
	await saveBookmark(reader, comment(answer), { note: ' Read this\r\nagain. ' })
	await saveBookmark(reader, query(id))
	await chooseSolution(author, { questionId: id, commentId: answer })
	const { rows } = await listBookmarks(reader, all)
	const by = { username: 'author', name: 'Author' }
	expect(rows).toEqual([
		{
			...comment(answer),
			post: {
				url: `/forum/comment/${answer}`,
				title: 'How do bookmarks work?',
				excerpt: 'Press the mark under it.',
				author: by,
				solved: true,
			},
			note: 'Read this\nagain.',
			createdAt: expect.stringMatching(/^20\d\d-/),
		},
		{
			...query(id),
			post: { url, title: 'How do bookmarks work?', excerpt: 'By pressing one.', author: by, solved: true },
			note: '',
			createdAt: expect.any(String),
		},
	])
	const onPage = async (viewer: Viewer) => {
		const { rows, marks, solutions } = await listComments(viewer, { questionId: id, askerUsername: 'author' })
		const alone = await getQuestion(viewer, id)
		return [alone.bookmarked, marks.bookmarked, rows[0]?.bookmarked, solutions[0]?.bookmarked]
	}
	expect(await onPage(reader)).toEqual([true, true, true, true])
	for (const other of [author, moderator, null]) expect(await onPage(other)).toEqual([false, false, false, false])
	for (const other of [author, moderator]) expect(await listOf(other)).toEqual([])
	await removeBookmark(reader, query(id))
	expect(await onPage(reader)).toEqual([false, false, true, true])
})

describe('the list', () => {
	let finder: SignedIn
	let made: BookmarkTarget[]

	beforeAll(async () => {
		finder = await makeMember('finder')
		const first = await makeQuestion(author, { title: 'Why is Grüße 100% wrong?' })
		const second = await makeQuestion(author, { title: 'A loop that never ends' })
		const answer = await makeComment(author, second.id, 'Break out of it.')
		await saveBookmark(finder, query(first.id), { note: 'For the exam' })
		await saveBookmark(finder, query(second.id))
		await saveBookmark(finder, comment(answer), { note: 'EXAM, too' })
		made = [query(first.id), query(second.id), comment(answer)]
	})

	test.each<[string, Partial<typeof all> | { kind: 'query' | 'comment' }, number[]]>([
		['of everything', {}, [2, 1, 0]],
		['of queries', { kind: 'query' }, [1, 0]],
		['of comments', { kind: 'comment' }, [2]],
		['of a word in two notes', { search: 'exam' }, [2, 0]],
		['of a word in the title of both', { search: 'LOOP' }, [2, 1]],
		['of words in title and note', { search: ' exam  loop ' }, [2]],
		['of a sign that patterns use', { search: '100%' }, [0]],
		['of another one', { search: 'l__p' }, []],
		['of letters with marks', { search: 'GRÜßE' }, [0]],
		['of words that are nowhere together', { search: 'exam never-ending' }, []],
		['of a character that cannot be stored', { search: 'ex\0am' }, [2, 0]],
	])('%s', async (_what, asked, expected) => {
		const { rows } = await listBookmarks(finder, { ...all, ...asked })
		expect(rows.map(({ kind, id }) => made.findIndex((one) => one.kind === kind && one.id === id))).toEqual(expected)
	})

	test('is paged without duplicates', async () => {
		const many = await makeMember('many')
		const { id } = await makeQuestion(author)
		const count = BOOKMARKS_PER_PAGE + 2
		// Of the same moment, so that they are ordered by id.
		await sql`insert into questions (author_id, category_id, title, description, description_html, excerpt, tags, created_at)
			select author_id, category_id, title, description, description_html, excerpt, '{}', created_at
			from questions, generate_series(1, ${count}) where id = ${id}`.execute(db())
		await sql`insert into bookmarks (user_id, question_id) select ${many.id}, id from questions where id > ${id}`.execute(
			db(),
		)
		const first = await listBookmarks(many, all)
		const second = await listBookmarks(many, { ...all, cursor: first.next })
		expect([first.rows.length, second.rows.length, second.next]).toEqual([BOOKMARKS_PER_PAGE, 2, null])
		expect(new Set([...first.rows, ...second.rows].map((row) => row.id)).size).toBe(count)
		await expect(listBookmarks(many, { ...all, cursor: 'x' })).rejects.toMatchObject({ status: 422 })
	})
})

describe('bookmarks of posts that are gone', () => {
	test.each<[string, (question: number, answer: number) => Promise<unknown>, gone: ('query' | 'comment')[]]>([
		['a deleted question', (question) => deleteQuestion(author, question), ['query', 'comment']],
		['a deleted comment', (_, answer) => deleteComment(author, answer), ['comment']],
		['a question that a moderator hid', (question) => setStatus('questions', question, 'hidden'), ['query', 'comment']],
		['a comment that waits', (_, answer) => setStatus('comments', answer, 'pending'), ['comment']],
	])('%s is listed without its text, keeps its note, and can be removed', async (what, act, gone) => {
		const keeper = await makeMember(`keeper-${what.replaceAll(' ', '-')}`)
		const { id } = await makeQuestion(author, { title: 'A secret that goes' })
		const answer = await makeComment(author, id, 'Another secret.')
		for (const target of [query(id), comment(answer)]) await saveBookmark(keeper, target, { note: 'mine' })
		await act(id, answer)
		const { rows } = await listBookmarks(keeper, all)
		expect(
			rows
				.filter(({ post }) => post === null)
				.map(({ kind }) => kind)
				.sort(),
		).toEqual(gone.toSorted())
		for (const target of gone.map((kind) => (kind === 'query' ? query(id) : comment(answer)))) {
			await saveBookmarkNote(keeper, target, { note: 'still mine' })
			await expect(saveBookmark(keeper, target)).rejects.toThrow(NotFound)
			await removeBookmark(keeper, target)
			await restoreBookmark(keeper, target)
		}
		expect((await listOf(keeper, { search: 'still' })).length).toBe(gone.length)
		expect((await listOf(keeper, { search: 'secret' })).length).toBe(2 - gone.length)
	})

	test('a merged question and its comments link to its own address, which redirects to the target', async () => {
		const { id, url } = await makeQuestion(author)
		const { id: into } = await makeQuestion(author)
		const answer = await makeComment(author, id)
		for (const target of [query(id), comment(answer)]) await saveBookmark(reader, target)
		await sql`update questions set status = 'merged', status_at = now(), merged_into = ${into} where id = ${id}`.execute(
			db(),
		)
		const { rows } = await listBookmarks(reader, all)
		expect(rows.slice(0, 2).map(({ post }) => post?.url)).toEqual([url, url])
	})
})

describe('a removal', () => {
	test('can be undone within ten minutes: place and note are restored', async () => {
		const undoer = await makeMember('undoer')
		const ids: number[] = []
		for (const note of ['one', 'two']) {
			const { id } = await makeQuestion(author)
			await saveBookmark(undoer, query(id), { note })
			ids.push(id)
		}
		const [first = 0, second = 0] = ids
		const whole = [`query ${second}: two`, `query ${first}: one`]
		const ways = [() => restoreBookmark(undoer, query(first)), () => saveBookmark(undoer, query(first))]
		for (const comeBack of ways) {
			for (let times = 0; times < 2; times += 1) await removeBookmark(undoer, query(first))
			expect(await listOf(undoer)).toEqual([`query ${second}: two`])
			await expect(saveBookmarkNote(undoer, query(first), { note: 'x' })).rejects.toThrow(NotFound)
			await age(500)
			await sweepBookmarks()
			await comeBack()
			expect(await listOf(undoer)).toEqual(whole)
		}
		await removeBookmark(undoer, query(first))
		await age(700)
		await expect(restoreBookmark(undoer, query(first))).rejects.toThrow('It is too late to undo this.')
		await saveBookmark(undoer, query(first))
		expect(await listOf(undoer)).toEqual([`query ${first}`, `query ${second}: two`])
	})

	test('is swept after that time, and nothing else is', async () => {
		const { id } = await makeQuestion(author)
		const { id: other } = await makeQuestion(author)
		for (const one of [id, other]) await saveBookmark(reader, query(one))
		await sweepBookmarks()
		await removeBookmark(reader, query(id))
		await age(700)
		expect([await sweepBookmarks(), await sweepBookmarks()]).toEqual([1, 0])
		expect(await listOf(reader)).toContain(`query ${other}`)
	})
})

describe('validation', () => {
	test.each<[string, () => Promise<unknown>, object]>([
		['a visitor bookmarks', () => saveBookmark(null, query(1)), { status: 403 }],
		['a visitor reads', () => listBookmarks(null, all), { status: 403 }],
		['a visitor removes', () => removeBookmark(null, query(1)), { status: 403 }],
		['a visitor undoes', () => restoreBookmark(null, query(1)), { status: 403 }],
		['a visitor writes a note', () => saveBookmarkNote(null, query(1), { note: 'x' }), { status: 403 }],
		['the query is none', () => saveBookmark(reader, query(999_999)), { status: 404 }],
		['the comment is none', () => saveBookmark(reader, comment(999_999)), { status: 404 }],
		['the id is none', () => saveBookmark(reader, query(Number.NaN)), { status: 404 }],
		['the id of a restored one is none', () => restoreBookmark(reader, query(-1)), { status: 404 }],
		['nothing was bookmarked', () => saveBookmarkNote(moderator, query(1), { note: 'x' }), { status: 404 }],
		[
			'the note is too long',
			async () =>
				saveBookmark(reader, query((await makeQuestion(author)).id), { note: 'x'.repeat(MAX_BOOKMARK_NOTE + 1) }),
			{ status: 422, fields: { note: expect.any(String) } },
		],
		[
			'the note holds NUL',
			() => saveBookmarkNote(reader, query(1), { note: 'a\0b' }),
			{ status: 422, fields: { note: expect.any(String) } },
		],
	])('%s', async (_what, act, refusal) => {
		await expect(act()).rejects.toMatchObject(refusal)
	})

	test('another member’s bookmark can neither be changed nor removed', async () => {
		const { id } = await makeQuestion(author)
		await saveBookmark(reader, query(id), { note: 'mine' })
		await expect(saveBookmarkNote(moderator, query(id), { note: 'yours' })).rejects.toThrow(NotFound)
		await removeBookmark(moderator, query(id))
		expect(await listOf(reader)).toContain(`query ${id}: mine`)
		await expect(listBookmarks(null, all)).rejects.toThrow(NotAllowed)
	})
})

/** Sets the status as a moderation action does. */
function setStatus(table: 'questions' | 'comments', id: number, status: string): Promise<unknown> {
	return sql`update ${sql.table(table)} set status = ${status}, status_at = now(), status_by = ${moderator.id} where id = ${id}`.execute(
		db(),
	)
}

test.each([
	['a question', query],
	['a comment', comment],
])('bookmarking %s while commenting on it waits, without a deadlock', async (kind, target) => {
	const { id } = await makeQuestion(author)
	const post = kind === 'a comment' ? await makeComment(author, id) : id
	const saving = await db()
		.transaction()
		.execute(async (trx) => {
			// Takes the locks that commenting takes: the question, then the row of its author.
			await sql`select from questions where id = ${id} for update`.execute(trx)
			const begun = saveBookmark(reader, target(post))
			await expect.poll(() => countWaiting()).toBeGreaterThan(0)
			await sql`select from users where id = ${reader.id} for no key update`.execute(trx)
			return { begun }
		})
	await saving.begun
	expect(await listOf(reader)).toContain(`${kind === 'a comment' ? 'comment' : 'query'} ${post}`)
})
