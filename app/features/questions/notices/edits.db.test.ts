import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { editQuestion } from '~/features/asking/asking.server.ts'
import { deleteComment, editComment, restoreComment } from '~/features/discussion/commenting.server.ts'
import { chooseSolution, withdrawSolution } from '~/features/discussion/votes.server.ts'
import { countUnread, listNotices, readNotices } from '~/features/notifications/notifications.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { startJobs, stopJobs } from '~/platform/jobs/jobs.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { decide } from '../../../../tests/support/moderation-cast.ts'

/* What becomes of notices when the text that caused them is changed, deleted or brought back. */

useDatabase()

let serial = 0
let asker: SignedIn
let ben: SignedIn
let cleo: SignedIn
let question: { id: number; url: string }

beforeAll(async () => {
	await startJobs()
	await stopJobs()
})

beforeEach(async () => {
	serial += 1
	asker = await makeMember(`asker${serial}`)
	ben = await makeMember(`ben${serial}`)
	cleo = await makeMember(`cleo${serial}`)
	question = await makeQuestion(asker, { title: 'What is it?' })
})

test('a notice leads to the address that finds the comment wherever it stands', async () => {
	const id = await makeComment(ben, question.id)
	expect((await listNotices(asker)).rows[0]?.url).toBe(`/forum/comment/${id}`)
})

test('an edit tells those whom it names and the text before did not, once however often it is made', async () => {
	const id = await makeComment(ben, question.id, `@${asker.username}, look.`)
	const named = `@${asker.username}, look: @${cleo.username} knows.`
	await editComment(ben, id, { body: named })
	await editComment(ben, id, { body: `@${asker.username}, look.` })
	await editComment(ben, id, { body: named })
	expect([await told(cleo), await told(asker)]).toEqual([['1 mentioned you in'], ['1 mentioned you in']])
	await readNotices(cleo, {})
	await editComment(ben, id, { body: 'Nobody.' })
	await editComment(ben, id, { body: named })
	expect(await countUnread(cleo)).toBe(0)
})

test('whoever was told of a comment in another way is not told of it again when an edit names them', async () => {
	const id = await makeComment(ben, question.id)
	await editComment(ben, id, { body: `@${asker.username}` })
	expect(await told(asker)).toEqual(['1 commented on'])
})

test('an edit of a query tells whom it names newly, and by its new title', async () => {
	const texts = { title: 'Another title', tags: 'testing', category: 'others' }
	const description = `Do you know, @${ben.username}?`
	for (let time = 0; time < 2; time += 1) await editQuestion(asker, question.id, { ...texts, description })
	expect((await listNotices(ben)).rows).toMatchObject([{ title: 'Another title', url: question.url, people: 1 }])
})

test('one text calls ten members at most, however many edits it is spread over', async () => {
	const id = await makeComment(ben, question.id)
	const names = await Promise.all(Array.from({ length: 12 }, (_, index) => makeMember(`n${index}of${serial}`)))
	const call = (from: number, to: number) => ({ body: names.slice(from, to).map(mention).join(' ') })
	await editComment(ben, id, call(0, 6))
	await editComment(ben, id, call(6, 12))
	const heard = await Promise.all(names.map((member) => countUnread(member)))
	expect(heard).toEqual([...Array(6).fill(1), ...Array(6).fill(0)])
})

test('a deleted comment leaves nothing in the notices that were not read, and comes back with it', async () => {
	const first = await makeComment(ben, question.id, `@${cleo.username}`)
	const second = await makeComment(cleo, question.id)
	expect(await told(asker)).toEqual(['2 commented on'])
	await deleteComment(ben, first)
	expect([await told(asker), await told(cleo), await countUnread(cleo)]).toEqual([['1 commented on'], [], 0])
	expect((await listNotices(asker)).rows[0]).toMatchObject({
		url: `/forum/comment/${second}`,
		actor: { name: cleo.name },
	})
	await restoreComment(ben, first)
	expect([await told(asker), await told(cleo)]).toEqual([['2 commented on'], ['1 mentioned you in']])
	await deleteComment(cleo, second)
	await deleteComment(ben, first)
	expect([await told(asker), await countUnread(asker)]).toEqual([[], 0])
})

test('what was read stays told: bringing a comment back tells nobody a second time', async () => {
	const id = await makeComment(ben, question.id)
	await readNotices(asker, {})
	await deleteComment(ben, id)
	await restoreComment(ben, id)
	expect([await told(asker), await countUnread(asker)]).toEqual([['1 commented on'], 0])
})

test('a comment that a moderator hides is taken back in the same way, and told when it returns', async () => {
	const moda = await makeMember(`moda${serial}`, 'moderator')
	const id = await makeComment(ben, question.id, `@${cleo.username}`)
	await decide(moda, 'comment', id, 'hide')
	expect(await told(cleo)).toEqual([])
	await decide(moda, 'comment', id, 'restore')
	expect((await listNotices(cleo)).rows).toMatchObject([{ actor: { username: ben.username } }])
})

test('a solution that is withdrawn is no news any more', async () => {
	const commentId = await makeComment(ben, question.id)
	await chooseSolution(asker, { questionId: question.id, commentId })
	await withdrawSolution(asker, { questionId: question.id, commentId })
	expect(await told(ben)).toEqual([])
	await chooseSolution(asker, { questionId: question.id, commentId })
	expect(await told(ben)).toEqual(['1 marked your comment as a solution to'])
	expect(await told(asker)).toEqual(['1 commented on'])
})

test('numbers are those of the rows when comments are deleted and notices read at the same moment', async () => {
	const questions = await Promise.all(Array.from({ length: 4 }, () => makeQuestion(asker)))
	const comments = await Promise.all(
		questions.flatMap(({ id }) => [makeComment(ben, id, `@${cleo.username}`), makeComment(cleo, id)]),
	)
	const own = (index: number) => (index % 2 === 0 ? ben : cleo)
	await Promise.all([
		...comments.map((id, index) => deleteComment(own(index), id)),
		...questions.map(({ id }) => readNotices(asker, { subject: { type: 'query', id } })),
		readNotices(cleo, {}),
	])
	for (const member of [asker, cleo]) {
		const { rows } = await sql<{ n: number }>`select count(*)::int as n from notifications
			where user_id = ${member.id} and on_site and read_at is null`.execute(db())
		expect(await countUnread(member)).toBe(rows[0]?.n)
	}
})

const mention = ({ username }: SignedIn) => `@${username}`

async function told(member: SignedIn): Promise<string[]> {
	const { rows } = await listNotices(member)
	return rows.map(({ people, words }) => `${people} ${words}`)
}
