import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { form } from '../../../tests/support/browser.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import type { CommentSort } from './comment.view.ts'
import { handleQuestionAction } from './routes/question-action.server.ts'
import { chooseSolution } from './votes.server.ts'

useDatabase()

let asker: SignedIn
let helper: SignedIn

beforeAll(async () => {
	asker = await makeMember('asker')
	helper = await makeMember('helper')
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
