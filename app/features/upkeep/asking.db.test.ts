import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { deleteQuestion } from '~/features/asking/asking.server.ts'
import { listComments } from '~/features/discussion/discussion.server.ts'
import { chooseSolution } from '~/features/discussion/votes.server.ts'
import { countUnread, listNotifications, notify } from '~/features/notifications/notifications.server.ts'
import { muteQuestion } from '~/features/questions/notifying/notifying.server.ts'
import { getQuestion } from '~/features/questions/questions.server.ts'
import { Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { queuedBehind } from '../../../tests/support/locks.ts'
import { declineToAnswer, getInvitations, inviteToAnswer } from './invitations.server.ts'
import { remindAskers } from './reminders.server.ts'
import { MAX_INVITED } from './upkeep.view.ts'

useDatabase()

let serial = 0
let asker: SignedIn
let inviter: SignedIn
let expert: SignedIn
let question: { id: number; url: string }

beforeEach(async () => {
	serial += 1
	asker = await makeMember(`asker${serial}`)
	inviter = await makeMember(`inviter${serial}`)
	expert = await makeMember(`expert${serial}`)
	question = await makeQuestion(asker, { title: `The question of round ${serial}` })
})

const told = async (viewer: SignedIn) =>
	(await listNotifications(viewer)).rows.map(({ by, words, title }) => `${by} ${words} ${title}`)

const ask = (viewer: Viewer = inviter, username = expert.username) => inviteToAnswer(viewer, question.id, username)

describe('asking somebody to answer', () => {
	test('a member whose account is deleted at that moment is not there', async () => {
		const [outcome] = await queuedBehind(
			async (trx) => {
				await sql`select from questions where id = ${question.id} for update`.execute(trx)
				await sql`delete from users where id = ${expert.id}`.execute(trx)
			},
			[ask],
		)
		expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(NotFound) })
	})

	test('notifies them once, whoever asks, until they have commented or declined', async () => {
		const other = await makeMember(`other${serial}`)
		const answer = { name: `Expert${serial}`, url: question.url }
		expect(await Promise.all([ask(), ask(inviter, ` @${expert.username.toUpperCase()} `), ask(other)])).toEqual([
			answer,
			answer,
			answer,
		])
		const [notification, ...more] = await told(expert)
		expect(notification).toMatch(
			new RegExp(`^(Inviter|Other)${serial} asks you to answer The question of round ${serial}$`),
		)
		expect(more).toEqual([])
		const invited = async (viewer: Viewer) => [
			(await getQuestion(viewer, question.id)).invited,
			(await listComments(viewer, { questionId: question.id, askerUsername: asker.username })).marks.invited,
		]
		expect([await invited(expert), await invited(asker), await invited(null)]).toEqual([
			[true, true],
			[false, false],
			[false, false],
		])
		expect((await getInvitations(inviter, question.id)).invited.map(({ username }) => username)).toEqual([
			expert.username,
		])
		await sql`update questions set locked_at = now() where id = ${question.id}`.execute(db())
		expect(await invited(expert)).toEqual([false, false])
		await sql`update questions set locked_at = null where id = ${question.id}`.execute(db())
		await declineToAnswer(expert, question.id)
		await ask(await makeMember(`third${serial}`))
		expect([await invited(expert), (await told(expert)).length]).toEqual([[false, false], 1])
	})

	test.each<[string, () => Promise<unknown>]>([
		['the invited one blocks who asks', () => block(expert, inviter)],
		['who asks blocks the invited one', () => block(inviter, expert)],
		['they muted the question', () => muteQuestion(expert, question.id, true)],
		['they wrote there already', () => makeComment(expert, question.id)],
		[
			'they are suspended',
			() => sql`update users set suspended_until = 'infinity' where id = ${expert.id}`.execute(db()),
		],
		[
			'they are leaving',
			() => sql`update users set leaves_at = now() + '9 days' where id = ${expert.id}`.execute(db()),
		],
	])('gets the same response where %s, and notifies nobody', async (_what, prepare) => {
		await prepare()
		expect(await ask()).toEqual({ name: `Expert${serial}`, url: question.url })
		expect((await told(expert)).filter((text) => text.includes('asks you'))).toEqual([])
		expect((await getInvitations(inviter, question.id)).invited).toHaveLength(1)
	})

	test('the response is the same for the asker, who may have a pseudonym', async () => {
		expect(await ask(inviter, asker.username)).toEqual({ name: `Asker${serial}`, url: question.url })
		expect((await told(asker)).filter((text) => text.includes('asks you'))).toEqual([])
	})

	test('is limited per question and per day', async () => {
		const others = await Promise.all([1, 2, 3, 4].map((n) => makeMember(`other${n}of${serial}`)))
		const ends = await Promise.allSettled(others.map(({ username }) => ask(inviter, username)))
		expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(MAX_INVITED.byOne)
		expect(ends.find((end) => end.status === 'rejected')?.reason).toBeInstanceOf(Invalid)
		await sql`with more as (
				insert into questions (author_id, category_id, title, description, description_html, excerpt, tags)
				select author_id, category_id, title, description, description_html, excerpt, '{}'
				from questions, generate_series(1, ${MAX_INVITED.aDay}) where id = ${question.id} returning id)
			insert into invitations (question_id, user_id, inviter_id, told)
			select id, ${expert.id}::int, ${asker.id}::int, false from more`.execute(db())
		await expect(ask(asker)).rejects.toThrow('10 members today')
		await sql`update invitations set invited_at = now() - interval '2 days' where inviter_id = ${asker.id}`.execute(
			db(),
		)
		expect(await ask(asker)).toEqual({ name: `Expert${serial}`, url: question.url })
	})

	test.each<[string, () => Promise<unknown>, unknown]>([
		['a visitor', () => ask(null), NotAllowed],
		['asking oneself', () => ask(inviter, inviter.username), Invalid],
		['nobody of that name', () => ask(inviter, 'nobody-of-that-name'), NotFound],
		['a question that is not there', () => inviteToAnswer(inviter, 2_000_000_000, expert.username), NotFound],
		[
			'a locked question',
			async () => {
				await sql`update questions set locked_at = now() where id = ${question.id}`.execute(db())
				await ask()
			},
			NotAllowed,
		],
	])('%s is refused', async (_what, act, error) => {
		await expect(act()).rejects.toThrow(error as new () => Error)
	})
})

const block = (blocker: SignedIn, blocked: SignedIn) =>
	sql`insert into blocks (blocker_id, blocked_id) values (${blocker.id}, ${blocked.id})`.execute(db())

describe('the reminder to mark the solution', () => {
	/** Backdates everything about the round. */
	const age = async (days: number) => {
		await sql`update questions set created_at = created_at - make_interval(days => ${days})`.execute(db())
		await sql`update comments set created_at = created_at - make_interval(days => ${days})`.execute(db())
	}
	const reminders = async (viewer = asker) => (await told(viewer)).filter((text) => text.startsWith('A reminder'))

	test('is sent once, three days after somebody else answered, even with concurrent runs', async () => {
		await makeComment(asker, question.id, 'More of it.')
		await age(2)
		await makeComment(expert, question.id)
		await age(2)
		await remindAskers()
		expect(await reminders()).toEqual([])
		await age(2)
		await Promise.all([remindAskers(), remindAskers()])
		expect(await reminders()).toEqual([`A reminder to say what solved The question of round ${serial}`])
		await sql`update notifications set read_at = now()`.execute(db())
		expect(await remindAskers()).toBe(0)
	})

	test('is no longer told once a moderator has marked the solution, nor to whom that they may know it', async () => {
		const moderator = await makeMember(`warden${serial}`, 'moderator')
		const commentId = await makeComment(expert, question.id)
		await age(4)
		await remindAskers()
		await db()
			.transaction()
			.execute((trx) =>
				notify(trx, {
					people: new Map([[inviter.id, 'may-know']]),
					actorId: asker.id,
					subject: { type: 'query', id: question.id, title: 'The question', url: question.url },
					part: null,
				}),
			)
		expect([(await reminders()).length, await countUnread(inviter)]).toEqual([1, 1])
		await chooseSolution(moderator, { questionId: question.id, commentId })
		expect([await reminders(), await countUnread(inviter), (await told(expert)).length]).toEqual([[], 0, 1])
	})

	test('that fails stops nobody else’s', async () => {
		const newer = await makeQuestion(expert, { title: 'A newer question' })
		await makeComment(expert, question.id)
		await makeComment(asker, newer.id)
		await age(4)
		const broken = sql.raw(`check (question_id <> ${newer.id}) not valid`)
		await sql`alter table solution_reminders add constraint broken ${broken}`.execute(db())
		await expect(remindAskers()).rejects.toThrow('broken')
		expect([(await reminders()).length, (await reminders(expert)).length]).toEqual([1, 0])
		await sql`alter table solution_reminders drop constraint broken`.execute(db())
		expect([await remindAskers(), (await reminders(expert)).length]).toEqual([1, 1])
	})

	test.each<[string, (commentId: number) => Promise<unknown>]>([
		['which is solved', (commentId) => chooseSolution(asker, { questionId: question.id, commentId })],
		['which is locked', () => sql`update questions set locked_at = now() where id = ${question.id}`.execute(db())],
		['that a moderator hid', () => sql`update questions set status = 'hidden' where id = ${question.id}`.execute(db())],
		['which they deleted', () => deleteQuestion(asker, question.id)],
		['which they muted', () => muteQuestion(asker, question.id, true)],
		['which was answered long ago', () => age(20)],
		['whose answer was deleted', (id) => sql`update comments set status = 'deleted' where id = ${id}`.execute(db())],
	])('not of a question %s', async (_what, prepare) => {
		const commentId = await makeComment(expert, question.id)
		await prepare(commentId)
		await age(4)
		await remindAskers()
		expect(await reminders()).toEqual([])
	})
})
