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
