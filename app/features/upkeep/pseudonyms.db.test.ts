import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { chooseSolution } from '~/features/discussion/votes.server.ts'
import { followQuestion, setAffected } from '~/features/following/following.server.ts'
import { listNewlyAnswered, listNewlyAsked } from '~/features/following/weekly.queries.server.ts'
import { listNotifications } from '~/features/notifications/notifications.server.ts'
import { notifyQuestionFollowers } from '~/features/questions/notifying/notifying.server.ts'
import { eventQuestion } from '~/features/questions/questions.events.ts'
import { findQuestion } from '~/features/questions/questions.queries.server.ts'
import { NotAllowed } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { getInvitations, inviteToAnswer } from './invitations.server.ts'
import { reportOutdated } from './outdated.server.ts'
import { remindAskers } from './reminders.server.ts'

useDatabase()

/* The author of a question under a pseudonym has the rights of an asker, without being revealed. */

let asker: SignedIn
let reader: SignedIn
let expert: SignedIn
let question: { id: number; url: string }
let pseudonym: string

beforeAll(async () => {
	asker = await makeMember('hidden-asker')
	reader = await makeMember('reader')
	expert = await makeMember('expert')
	question = await makeQuestion(asker, { title: 'Who may know this?', pseudonym: 'on' })
	const { rows } = await sql<{ name: string }>`select name from users where pseudonym_of = ${asker.id}`.execute(db())
	pseudonym = rows[0]?.name ?? ''
})

const told = async (viewer: SignedIn) => (await listNotifications(viewer)).rows.map(({ by, words }) => `${by} ${words}`)

test('an invitation shows the pseudonym', async () => {
	await inviteToAnswer(asker, question.id, expert.username)
	expect(await told(expert)).toEqual([`${pseudonym} asks you to answer`])
	const { question: shown } = await getInvitations(reader, question.id)
	expect(Object.keys(shown).sort()).toEqual(['id', 'title', 'url'])
})

test('inviting the asker gets the usual response', async () => {
	const other = await makeMember('nobody-in-particular')
	expect([
		(await inviteToAnswer(reader, question.id, other.username)).url,
		(await inviteToAnswer(reader, question.id, asker.username)).url,
	]).toEqual([question.url, question.url])
	expect(await told(asker)).toEqual([])
})

test('the member cannot act on their own question: the same problem, following, reporting their own answer', async () => {
	const own = await makeComment(asker, question.id, 'I found it.')
	await chooseSolution(asker, { questionId: question.id, commentId: own })
	await expect(setAffected(asker, question.id, true)).rejects.toThrow(NotAllowed)
	await expect(followQuestion(asker, question.id, true)).rejects.toThrow(NotAllowed)
	await expect(reportOutdated(asker, own, { reason: '' })).rejects.toThrow(NotAllowed)
	for (const member of [reader, expert]) await reportOutdated(member, own, { reason: '' })
	expect((await told(asker)).filter((text) => text.includes('no longer'))).toHaveLength(1)
})

test('followers notified by a job see the pseudonym', async () => {
	await followQuestion(reader, question.id, true)
	const commentId = await makeComment(asker, question.id, 'One more thing.')
	const row = await findQuestion(question.id)
	if (!row) throw new Error('The question is gone.')
	await sql`delete from notifications where user_id = ${reader.id}`.execute(db())
	const left = { question: eventQuestion(row), commentId, actorId: asker.id, others: [], after: 0 }
	await notifyQuestionFollowers(left)
	expect(await told(reader)).toEqual([`${pseudonym} commented on`])
})

test('the asker’s weekly mail omits their own posts', async () => {
	const { id } = await makeQuestion(reader)
	await followQuestion(asker, id, true)
	await sql`insert into follows (user_id, category_id) select ${asker.id}, category_id from questions where id = ${question.id}`.execute(
		db(),
	)
	const week = { since: new Date(Date.now() - 86_400_000).toISOString(), until: new Date().toISOString() }
	expect((await listNewlyAsked(db(), asker.id, week)).map((row) => row.id)).toEqual([id])
	expect(await listNewlyAnswered(db(), asker.id, week)).toEqual([])
})

test('the reminder reaches the member', async () => {
	const { id } = await makeQuestion(asker, { title: 'Which one solved it?', pseudonym: 'on' })
	const answer = await makeComment(reader, id)
	await sql`update comments set created_at = now() - interval '4 days' where id = ${answer}`.execute(db())
	await sql`update questions set created_at = now() - interval '5 days' where id = ${id}`.execute(db())
	expect(await remindAskers()).toBe(1)
	expect(await told(asker)).toContainEqual(expect.stringContaining('reminder'))
})
