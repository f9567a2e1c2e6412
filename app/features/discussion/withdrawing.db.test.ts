import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { deleteQuestion } from '~/features/asking/asking.server.ts'
import { getReportable, reportSubject } from '~/features/moderation/reports.server.ts'
import { listPosts } from '~/features/profiles/posts.server.ts'
import { getDiscussed } from '~/features/questions/questions.server.ts'
import { NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { form } from '../../../tests/support/browser.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { decide } from '../../../tests/support/moderation-cast.ts'
import type { CommentSort } from './comment.view.ts'
import { deleteComment, editComment, restoreComment } from './commenting.server.ts'
import { askerOf, getComment, listComments } from './discussion.server.ts'
import { handleQuestionAction } from './routes/question-action.server.ts'
import { chooseSolution } from './votes.server.ts'

useDatabase()

let asker: SignedIn
let helper: SignedIn
let moderator: SignedIn

beforeAll(async () => {
	asker = await makeMember('asker')
	helper = await makeMember('helper')
	moderator = await makeMember('moderator', 'moderator')
})

test.each<[before: number, sort: CommentSort, leadsTo: (id: number) => string]>([
	[3, 'oldest', (id) => `#comment-${id}`],
	[3, 'best', (id) => `?sort=best#comment-${id}`],
	[35, 'oldest', (id) => `?thread=${id}#comment-${id}`],
	[35, 'best', (id) => `?thread=${id}#comment-${id}`],
])('a solution after %i comments (%s first) that is withdrawn is shown in its place', async (before, sort, leadsTo) => {
	const { id, url } = await makeQuestion(asker)
	await sql`insert into comments (id, question_id, author_id, path, body, body_html)
		select taken, ${id}, ${helper.id}, array[taken], 'Before.', '<p>Before.</p>'
		from (select nextval(pg_get_serial_sequence('comments', 'id'))::int as taken from generate_series(1, ${before})) ids`.execute(
		db(),
	)
	const commentId = await makeComment(helper, id)
	await chooseSolution(asker, { questionId: id, commentId })
	const sent = form({ intent: 'withdraw-solution', comment: String(commentId) })
	const answer = (await handleQuestionAction(asker, id, sent, sort)) as Response
	expect(answer.headers.get('Location')?.replace(url, '')).toBe(leadsTo(commentId))
})

describe.each(['deleted', 'merged'])('below a query that was %s', (how) => {
	let question: { id: number; url: string }
	let mine: number
	let other: number
	let page: string
	/** Sends the form that deletes it. @returns where the reader is led */
	const withdraw = async (viewer: SignedIn, comment: number) => {
		const sent = form({ intent: 'delete-comment', comment: String(comment) })
		const answer = (await handleQuestionAction(viewer, question.id, sent, 'oldest')) as Response
		return answer.headers.get('Location')
	}
	const shown = async () =>
		(await listComments(null, { questionId: question.id, askerUsername: 'asker' })).rows.map(({ id }) => id)

	beforeEach(async () => {
		question = await makeQuestion(asker)
		mine = await makeComment(helper, question.id)
		other = await makeComment(moderator, question.id)
		const into = String((await makeQuestion(asker)).id)
		if (how === 'merged') await decide(moderator, 'query', question.id, 'merge', { into })
		else await deleteQuestion(asker, question.id)
		page = how === 'merged' ? `${question.url}?original=1#comments` : `/forum/others/asker/${question.id}#comments`
	})

	test('its author deletes a comment, and can undo that', async () => {
		expect(await withdraw(helper, mine)).toBe(page)
		expect(await shown()).toEqual([other])
		await restoreComment(helper, mine)
		expect(await shown()).toEqual([mine, other])
		expect(await getComment(null, mine)).toMatchObject({ id: mine, deleted: false })
		const { rows } =
			await sql`select comment_count, search = whole_document(q) as found from questions q where id = ${question.id}`.execute(
				db(),
			)
		expect(rows).toEqual([{ comment_count: 2, found: true }])
	})

	test('nothing is left of a deleted query once its last comment is deleted', async () => {
		await deleteComment(moderator, other)
		expect(await withdraw(helper, mine)).toBe(how === 'merged' ? page : '/forum')
		const read = getDiscussed(null, question.id)
		if (how === 'merged') await read
		else await expect(read).rejects.toThrow(NotFound)
		await restoreComment(helper, mine)
		expect(await shown()).toEqual([mine])
	})

	test('moderators delete a comment, which is logged; others cannot, and nobody edits one', async () => {
		await expect(deleteComment(asker, mine)).rejects.toThrow(NotAllowed)
		await expect(editComment(helper, mine, { body: 'Else.' })).rejects.toThrow(NotFound)
		expect(await getComment(helper, mine)).toMatchObject({ mayEdit: false, body: null, mayDelete: true })
		expect(await getComment(asker, mine)).toMatchObject({ mayChoose: false, mayDelete: false })
		// The form in which it is being edited stays on the page, with its text.
		const onPage = { questionId: question.id, ...askerOf(await getDiscussed(helper, question.id)) }
		expect((await listComments(helper, onPage)).rows[0]).toMatchObject({ id: mine, mayEdit: true })
		await deleteComment(moderator, mine)
		expect(await shown()).toEqual([other])
		const log = await sql`select act from moderation_log where target_id = ${mine} and kind = 'comment'`.execute(db())
		expect(log.rows).toEqual([{ act: 'delete' }])
	})

	test('a comment, which everybody reads, is reported, hidden and restored, without the title of a deleted query', async () => {
		const name = { kind: 'comment', name: String(mine) }
		const title =
			how === 'merged' ? /^the comment of Helper on “A question/ : /^the comment of Helper on “\[deleted\]”$/
		expect(await getReportable(asker, name)).toMatchObject({ title: expect.stringMatching(title) })
		const { url } = await reportSubject(asker, name, { reason: 'abusive' })
		expect(url).toBe(`${page.replace('#comments', '')}${how === 'merged' ? '&' : '?'}thread=${mine}#comment-${mine}`)
		await decide(moderator, 'comment', mine, 'hide')
		expect(await shown()).toEqual([other])
		await deleteComment(moderator, other)
		await decide(moderator, 'comment', mine, 'restore')
		expect(await shown()).toEqual([mine])
		const { rows } = await sql`select comment_count from questions where id = ${question.id}`.execute(db())
		expect(rows).toEqual([{ comment_count: 1 }])
	})

	test('its author finds it in their own list', async () => {
		const listed = async (viewer: SignedIn, own: boolean) => {
			const { page } = await listPosts(viewer, 'helper', { kind: 'answers', cursor: null, mine: own })
			return page.rows.find(({ id }) => id === mine)?.title
		}
		expect(await listed(helper, true)).toMatch(how === 'deleted' ? /^\[deleted\]$/ : /^A question number/)
		expect(await listed(helper, false)).toBeUndefined()
		expect(await listed(asker, true)).toBeUndefined()
	})

	test('an own comment that waits for a moderator is withdrawn as well', async () => {
		await sql`update comments set status = 'pending', never_published = true where id = ${mine}`.execute(db())
		await expect(deleteComment(asker, mine)).rejects.toThrow(NotFound)
		expect(await deleteComment(helper, mine)).toMatchObject({ undoable: false })
	})

	test('its title is in no answer once nobody reads it', async () => {
		const { url } = await deleteComment(helper, mine)
		expect(url).toBe(how === 'merged' ? question.url : `/forum/others/asker/${question.id}`)
	})
})

test.each(['hidden', 'pending'])(
	'below a query that is %s, only who reads it learns of its title and its comments',
	async (status) => {
		const question = await makeQuestion(asker)
		const mine = await makeComment(helper, question.id)
		const own = await makeComment(asker, question.id)
		const permalink = `/forum/others/asker/${question.id}`
		await sql`update questions set status = ${status} where id = ${question.id}`.execute(db())
		await expect(deleteComment(helper, own)).rejects.toThrow(NotFound)
		await expect(deleteComment(asker, mine)).rejects.toThrow(NotAllowed)
		expect(await deleteComment(helper, mine)).toEqual({ url: permalink, elsewhere: '/forum', undoable: false })
		await expect(restoreComment(helper, mine)).rejects.toThrow(NotFound)
		expect(await deleteComment(asker, own)).toEqual({
			url: permalink,
			elsewhere: `${permalink}#comments`,
			undoable: true,
		})
		await restoreComment(asker, own)
		expect(await getComment(asker, own)).toMatchObject({ id: own })
	},
)

test('an own comment below an own deleted query that nobody else commented on is not restored, as no page shows it', async () => {
	const { id } = await makeQuestion(asker)
	const own = await makeComment(asker, id)
	await deleteQuestion(asker, id)
	await expect(deleteComment(helper, own)).rejects.toThrow(NotFound)
	await expect(reportSubject(helper, { kind: 'comment', name: String(own) }, { reason: 'spam' })).rejects.toThrow(
		NotFound,
	)
	expect(await deleteComment(asker, own)).toMatchObject({ elsewhere: '/forum', undoable: false })
	await expect(restoreComment(asker, own)).rejects.toThrow(NotFound)
})

test.each(['comment', 'reply'])(
	'after a form with a %s its author is told if it waits for a moderator, and only then',
	async (intent) => {
		const { id } = await makeQuestion(asker)
		const comment = String(await makeComment(helper, id))
		const newcomer = await makeMember(`new-${intent}`, 'member', new Date(Date.now() - 3_600_000))
		const toastAfter = async (key: string, body: string) => {
			const sent = form({ intent, comment, key, body })
			const answer = (await handleQuestionAction(newcomer, id, sent, 'oldest')) as Response
			expect(answer.headers.get('Location')).toMatch(/#comment-\d+$/)
			return decodeURIComponent(answer.headers.getSetCookie().join())
		}
		expect(await toastAfter('1', 'Close it first.')).toBe('')
		const waiting = 'Read https://files.example/close first.'
		expect(await toastAfter('2', waiting)).toContain('Comment saved. Others will see it once a moderator approves it')
		// The same again, as by a second click.
		expect(await toastAfter('2', waiting)).toContain('Comment saved. Others will see it once a moderator approves it')
	},
)
