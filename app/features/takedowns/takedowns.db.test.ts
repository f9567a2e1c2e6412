import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { deleteQuestion } from '~/features/asking/asking.server.ts'
import '~/features/index.server.ts'
import { deleteMessage } from '~/features/chat/messages/changing.server.ts'
import { castVote } from '~/features/discussion/votes.server.ts'
import { decideCase } from '~/features/moderation/decisions.server.ts'
import { listCases } from '~/features/moderation/queue.server.ts'
import { reportSubject } from '~/features/moderation/reports.server.ts'
import { listLog } from '~/features/moderation-log/log.server.ts'
import { listNotifications } from '~/features/notifications/notifications.server.ts'
import { Conflict, Invalid, NotAllowed } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { findBrokenFigures, makeConversation, makeMessage } from '../../../tests/factories/chat.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { expectCountsToHold, hashForum } from '../../../tests/support/forum-rows.ts'
import { continueTakedown } from './hiding.server.ts'
import { finishTakedown, getTakedownPage, takeDown, undoTakedown } from './takedowns.server.ts'
import type { TakedownView } from './takedowns.view.ts'

useDatabase()

const people = {} as Record<'moderator' | 'second' | 'admin' | 'spammer' | 'asker' | 'friend', SignedIn>
/** Posts of the spammer, unless named otherwise. */
const posts = { old: 0, fresh: 0, answer: 0, reply: 0, judged: 0, askers: 0 }
const all = { why: 'Shoes.', from: '', time: 'for ever' }

/** Starts a takedown, and runs the job that a slow machine may need. @returns what was hidden, in words */
async function hide(input: Record<string, unknown> = {}, viewer = people.moderator): Promise<string | undefined> {
	await takeDown(viewer, 'spammer', { ...all, ...input })
	return (await finished()).hidden
}

async function undo(id: number, viewer = people.moderator): Promise<string | undefined> {
	await undoTakedown(viewer, 'spammer', { id, why: 'A mistake.' })
	return (await finished(id)).restored
}

/** A takedown after its job, by default the newest one. */
async function finished(id?: number): Promise<TakedownView> {
	const find = async () => (await page()).past.find((one) => id === undefined || one.id === id)
	await finishTakedown({ id: (await find())?.id ?? 0 })
	const act = await find()
	if (!act) throw new Error('There is no such action.')
	return act
}

const page = () => getTakedownPage(people.moderator, 'spammer', 'all')

/** All rows that a takedown may change, without the time and author of status changes. */
async function rows(): Promise<unknown> {
	const { rows: found } = await sql`
		select 'query' as what, id, status, status_reason, score, comment_count, solved, null::boolean as chosen, search::text from questions
		union all select 'comment', id, status, status_reason, score, 0, false, is_solution, body from comments
		union all select 'vote', question_id, '', '', value, 0, false, null, '' from question_votes where user_id = ${people.spammer.id}
		union all select 'profile', user_id, '', hidden_reason, 0, 0, hidden_at is null, null, hidden_image from profiles
		union all select 'side', conversation_id, '', '', unread, coalesce(last_message_id, 0), pending, null, user_id::text from conversation_members
		union all select 'message', id, '', '', coalesce(recipient_id, 0), 0, false, null, body from messages
		union all select 'member', id, '', suspended_reason, 0, 0, suspended_until is null, null, image from users where username = 'spammer'
		order by 1, 2, 9`.execute(db())
	return found
}

beforeAll(async () => {
	for (const name of ['moderator', 'second', 'admin', 'spammer', 'asker', 'friend'] as const)
		people[name] = await makeMember(
			name,
			name === 'second' ? 'moderator' : name === 'moderator' || name === 'admin' ? name : 'member',
		)
	const { spammer, asker, friend, moderator } = people
	posts.askers = (await makeQuestion(asker)).id
	posts.old = (await makeQuestion(spammer, { title: 'An honest question of last year' })).id
	await sql`update questions set created_at = now() - interval '1 year' where id = ${posts.old}`.execute(db())
	posts.fresh = (await makeQuestion(spammer, { title: 'Cheap shoes for everybody' })).id
	posts.judged = (await makeQuestion(spammer, { title: 'Shoes that were hidden before' })).id
	posts.answer = await makeComment(spammer, posts.askers, 'Buy shoes.')
	posts.reply = await makeComment(asker, posts.askers, 'No.', posts.answer)
	await makeComment(spammer, posts.fresh, 'They are good.')
	await sql`update comments set is_solution = true where id = ${posts.answer}`.execute(db())
	await sql`update questions set solved = true where id = ${posts.askers}`.execute(db())
	await castVote(spammer, { questionId: posts.askers, commentId: null, vote: -1 })
	await castVote(spammer, { questionId: posts.askers, commentId: posts.reply, vote: 1 })
	await decideCase(moderator, { kind: 'query', name: String(posts.judged), act: 'hide' }, { why: 'Earlier.' })
	await reportSubject(friend, { kind: 'profile', name: 'spammer' }, { reason: 'spam' })
	await makeMessage(spammer, asker, 'Shoes?')
	await makeConversation(spammer, friend)
	await sql`insert into profiles (user_id, about) values (${spammer.id}, 'I sell shoes.')`.execute(db())
})

test.each([
	['no reason', { why: ' ' }, Invalid],
	['an odd time', { time: 'a year' }, Invalid],
	['an odd period', { from: 'yesterday' }, Invalid],
])('is refused with %s', async (_what, input, refusal) => {
	const before = await hashForum()
	await expect(hide(input)).rejects.toThrow(refusal)
	expect(await hashForum()).toEqual(before)
})

test('is for moderators, and for members whom they may suspend', async () => {
	await expect(hide({}, people.asker)).rejects.toThrow(NotAllowed)
	await expect(takeDown(people.moderator, 'admin', all)).rejects.toThrow(NotAllowed)
	await expect(takeDown(people.moderator, 'second', all)).rejects.toThrow(NotAllowed)
	await expect(takeDown(people.moderator, 'moderator', all)).rejects.toThrow(NotAllowed)
})

test('hides everything that an account published and suspends it; undoing restores the previous state', async () => {
	const before = await rows()
	expect((await page()).amounts.map(({ count }) => count)).toEqual([2, 2, 2, 1, 1])
	expect(await hide()).toBe('2 queries, 2 comments, 2 votes, 1 message request, and the profile')
	await expectCountsToHold()
	expect(await findBrokenFigures()).toEqual([])
	expect((await page()).amounts.map(({ count }) => count)).toEqual([0, 0, 0, 0, 0])
	const { rows: left } = await sql<{ id: number; status: string; score: number; solved: boolean }>`
		select id, status, score, solved from questions order by id`.execute(db())
	expect(left).toEqual([
		{ id: posts.askers, status: 'published', score: 0, solved: false },
		...[posts.old, posts.fresh, posts.judged].map((id) => ({ id, status: 'hidden', score: 0, solved: false })),
	])
	expect((await listCases(people.admin, { order: 'newest', cursor: null })).rows).toEqual([])
	const { rows: inbox } = await sql`
		select from conversation_members where user_id = ${people.asker.id} and last_message_id is not null`.execute(db())
	expect(inbox).toEqual([])
	const [act] = (await page()).past
	expect(act).toMatchObject({ state: 'done', actor: 'moderator', reason: 'Shoes.', suspended: true })
	// A later job has nothing left to do.
	await finishTakedown({ id: act?.id ?? 0 })
	expect(await undo(act?.id ?? 0, people.second)).toBe(
		'2 queries, 2 comments, 2 votes, 1 message request, and the profile',
	)
	expect(await rows()).toEqual(before)
	await expectCountsToHold()
	expect(await findBrokenFigures()).toEqual([])
	await expect(undo(act?.id ?? 0)).rejects.toThrow(Conflict)
	const log = await listLog(people.admin, { member: 'spammer', cursor: null })
	expect(log.rows.slice(0, 2).map(({ act, why, note }) => [act, why, note])).toEqual([
		['undo hiding everything', 'A mistake.', ''],
		['hide everything', 'Shoes.', 'and suspend for ever'],
	])
})

test('with a period hides only newer posts, and does not touch later decisions', async () => {
	const from = new Date(Date.now() - 86_400_000).toISOString()
	expect(await hide({ from, time: '' })).toMatch(/^1 query, 2 comments/)
	const id = (await page()).past[0]?.id ?? 0
	const name = { kind: 'query', name: String(posts.fresh) }
	await decideCase(people.second, { ...name, act: 'restore' }, { why: '' })
	await decideCase(people.second, { ...name, act: 'hide' }, { why: 'It does sell shoes.' })
	expect(await undo(id)).toMatch(/^2 comments/)
	const { rows: found } = await sql<{ id: number; status: string }>`
		select id, status from questions where id in (${posts.old}, ${posts.fresh}) order by id`.execute(db())
	expect(found.map(({ status }) => status)).toEqual(['published', 'hidden'])
	await decideCase(people.second, { ...name, act: 'restore' }, { why: '' })
})

test('of two concurrent moderators one gets a conflict; counters stay right while members write', async () => {
	const outcomes = await Promise.allSettled([
		hide({}, people.moderator),
		hide({}, people.second),
		...Array.from({ length: 6 }, () => makeComment(people.asker, posts.fresh, 'Stop it.')),
		...Array.from({ length: 6 }, (_, number) => makeComment(people.spammer, posts.askers, `More shoes ${number}.`)),
		decideCase(people.second, { kind: 'comment', name: String(posts.answer), act: 'hide' }, { why: 'Shoes.' }),
	])
	const [one, other] = outcomes
	const refused = [one, other].filter((outcome) => outcome?.status === 'rejected')
	expect(refused.length).toBeLessThan(2)
	await expectCountsToHold()
	const { rows: visible } = await sql`
		select from comments where author_id = ${people.spammer.id} and status = 'published'`.execute(db())
	expect(visible).toEqual([])
	for (const { id, state } of (await page()).past) if (state === 'done') await undo(id)
	await expectCountsToHold()
})

test('processes thousands of posts in batches, by several processes, and resumes after a crash', async () => {
	await sql`alter table questions disable trigger user`.execute(db())
	await sql`
		insert into comments (question_id, author_id, path, body, body_html)
		select ${posts.askers}, ${people.spammer.id}, array[100000 + i], 'Shoes ' || i, '' from generate_series(1, 120) i`.execute(
		db(),
	)
	await sql`update questions set comment_count = (select count(*) from comments where question_id = questions.id and status = 'published')`.execute(
		db(),
	)
	await sql`alter table questions enable trigger user`.execute(db())
	const { rows: made } = await sql<{ id: number }>`
		insert into takedowns (member_id, actor_id, reason) values (${people.spammer.id}, ${people.moderator.id}, 'Shoes.') returning id`.execute(
		db(),
	)
	const id = made[0]?.id ?? 0
	await continueTakedown({ id }, 0)
	expect((await page()).isRunning).toBe(true)
	await expect(hide()).rejects.toThrow(Conflict)
	await expect(undo(id)).rejects.toThrow(Conflict)
	await Promise.all([continueTakedown({ id }), continueTakedown({ id })])
	expect((await page()).past[0]).toMatchObject({ state: 'done', hidden: expect.stringContaining('12') })
	expect((await page()).amounts[1]?.count).toBe(0)
	await expectCountsToHold()
})

test('does not touch what a moderator restored, or a request that was sent again, before an interrupted takedown was resumed', async () => {
	const [author, peer] = [await makeMember('peddler'), await makeMember('receiver')]
	await sql`insert into profiles (user_id, about) values (${author.id}, 'I sell hats.')`.execute(db())
	const question = (await makeQuestion(author, { title: 'Hats for everybody' })).id
	const comment = await makeComment(author, posts.askers, 'Hats.')
	await makeMessage(author, peer, 'Hats?')
	const { rows: made } = await sql<{ id: number }>`
		insert into takedowns (member_id, actor_id, reason) values (${author.id}, ${people.moderator.id}, 'Hats.') returning id`.execute(
		db(),
	)
	const id = made[0]?.id ?? 0
	const later = await makeQuestion(author, { title: 'More hats for everybody' })
	await continueTakedown({ id })
	await sql`update takedowns set state = 'running' where id = ${id}`.execute(db())
	for (const [kind, name] of [
		['query', question],
		['comment', comment],
		['profile', 'peddler'],
	])
		await decideCase(people.second, { kind: String(kind), name: String(name), act: 'restore' }, { why: 'A mistake.' })
	await makeMessage(author, peer, 'Hats, please.')
	await continueTakedown({ id })
	const { rows: found } = await sql`
		select 'query' as what, status from questions where id in (${question}, ${later.id})
		union all select 'comment', status from comments where id = ${comment}
		union all select 'profile', case when hidden_at is null then 'published' else 'hidden' end from profiles where user_id = ${author.id}
		union all select 'request', case when last_message_id is null then 'hidden' else 'published' end from conversation_members where user_id = ${peer.id}`.execute(
		db(),
	)
	expect(found).toEqual(
		['query', 'query', 'comment', 'profile', 'request'].map((what) => ({ what, status: 'published' })),
	)
	const { past } = await getTakedownPage(people.moderator, 'peddler', 'all')
	expect(past[0]).toMatchObject({ state: 'done', hidden: '1 query, 1 comment, 1 message request, and the profile' })
	await expectCountsToHold()
})

test('hides comments of many questions together, with pending cases, reports and notifications of each', async () => {
	const [author, asker] = [await makeMember('advertiser'), await makeMember('listener')]
	const questions = [await makeQuestion(asker), await makeQuestion(asker), await makeQuestion(asker)]
	const written: number[] = []
	for (const { id } of questions)
		for (const word of ['Hats.', 'Gloves.']) written.push(await makeComment(author, id, word))
	const [first = 0, , , waiting = 0] = written
	await makeComment(people.friend, questions[0]?.id ?? 0, 'Who needs that?')
	await sql`update comments set status = 'pending', status_at = now() where id = ${waiting}`.execute(db())
	await sql`update questions set comment_count = comment_count - 1 where id = ${questions[1]?.id}`.execute(db())
	await reportSubject(people.friend, { kind: 'comment', name: String(first) }, { reason: 'spam' })
	const told = async () => {
		const { rows: found } = await sql`
			select subject_id as id, count, (select unread from notification_boxes where user_id = n.user_id) as unread from notifications n
			where user_id = ${asker.id} and kind = 'comment' order by id`.execute(db())
		return found
	}
	const [one, second, third] = questions.map(({ id }) => id)
	expect(await told()).toEqual([
		{ id: one, count: 3, unread: 3 },
		{ id: second, count: 2, unread: 3 },
		{ id: third, count: 2, unread: 3 },
	])

	const { rows: made } = await sql<{ id: number }>`
		insert into takedowns (member_id, actor_id, reason) values (${author.id}, ${people.moderator.id}, 'Hats.') returning id`.execute(
		db(),
	)
	await continueTakedown({ id: made[0]?.id ?? 0 })
	expect(await told()).toEqual([{ id: one, count: 1, unread: 1 }])
	await expectCountsToHold()
	const { rows: left } = await sql`
		select status, status_reason, count(*)::int from comments where author_id = ${author.id} group by 1, 2`.execute(
		db(),
	)
	expect(left).toEqual([{ status: 'hidden', status_reason: 'Hats.', count: 6 }])
	const { rows: open } = await sql`
		select from cases join reports on case_id = cases.id
		where kind = 'comment' and target_id = ${first} and (closed_at is null or settled_at is null)`.execute(db())
	expect(open).toEqual([])
	const { rows: items } = await sql<{ id: number; status: string }>`
		select target_id as id, before ->> 'status' as status from takedown_items where takedown_id = ${made[0]?.id} and kind = 'comment' order by 1`.execute(
		db(),
	)
	expect(items).toEqual(written.map((id) => ({ id, status: id === waiting ? 'pending' : 'published' })))
})

test('hides merged queries, which everybody can read; undoing merges them again, or lets moderators decide where the other one is gone', async () => {
	const author = await makeMember('doubler')
	const targets = [await makeQuestion(people.asker), await makeQuestion(people.asker)].map(({ id }) => id)
	for (const into of targets.map(String)) {
		const name = String((await makeQuestion(author)).id)
		await decideCase(people.second, { kind: 'query', name, act: 'merge' }, { why: 'The same.', into })
	}
	const states = async () => {
		const { rows: found } = await sql<{ state: string }>`
			select concat_ws(' ', status, merged_into, status_reason) as state from questions where author_id = ${author.id} order by id`.execute(
			db(),
		)
		return found.map(({ state }) => state)
	}
	await takeDown(people.moderator, 'doubler', { ...all, time: '' })
	const [act] = (await getTakedownPage(people.moderator, 'doubler', 'all')).past
	expect([act?.hidden, await states()]).toEqual(['2 queries and the profile', ['hidden Shoes.', 'hidden Shoes.']])
	await deleteQuestion(people.asker, targets[1] ?? 0)
	await sql`delete from questions where id = ${targets[1]}`.execute(db())
	await undoTakedown(people.moderator, 'doubler', { id: act?.id, why: 'A mistake.' })
	expect(await states()).toEqual([`merged ${targets[0]} The same.`, 'pending '])
	await expectCountsToHold()
})

test('a comment that is restored to a query which was deleted meanwhile notifies nobody', async () => {
	const [author, asker] = [await makeMember('writer'), await makeMember('reader')]
	const { id: questionId } = await makeQuestion(asker)
	const comment = await makeComment(author, questionId)
	await takeDown(people.moderator, 'writer', { ...all, time: '' })
	await deleteQuestion(asker, questionId)
	const { rows: made } = await sql<{ id: number }>`select id from takedowns where member_id = ${author.id}`.execute(
		db(),
	)
	await undoTakedown(people.moderator, 'writer', { id: made[0]?.id, why: 'A mistake.' })
	const { rows: back } = await sql`select status from comments where id = ${comment}`.execute(db())
	expect(back).toEqual([{ status: 'published' }])
	const { rows: told } = await sql`select from notifications where user_id = ${asker.id}`.execute(db())
	expect(told).toEqual([])
})

test('a request that is restored without a message which was deleted meanwhile counts only the rest', async () => {
	const [sender, recipient] = [await makeMember('caller'), await makeMember('callee')]
	await makeMessage(sender, recipient, 'Hello?')
	const { id } = await makeMessage(sender, recipient, 'Never mind.')
	await takeDown(people.moderator, 'caller', { ...all, time: '' })
	await deleteMessage(sender, { with: recipient.username, id })
	const { rows: made } = await sql<{ id: number }>`select id from takedowns where member_id = ${sender.id}`.execute(
		db(),
	)
	await undoTakedown(people.moderator, 'caller', { id: made[0]?.id, why: 'A mistake.' })
	expect(await findBrokenFigures()).toEqual([])
})

test('undoing it ends its own suspension, and no other one of the same length', async () => {
	const member = await makeMember('relapser')
	const { id: memberId } = member
	const told = async () => (await listNotifications(member, { limit: 2 })).rows.map(({ words }) => words).toSorted()
	const decide = (act: string, input: Record<string, unknown>) =>
		decideCase(people.second, { kind: 'profile', name: 'relapser', act }, input)
	const suspendedFor = async () => {
		const { rows: found } = await sql<{ reason: string }>`
			select suspended_reason as reason from users where id = ${memberId} and suspended_until is not null`.execute(db())
		return found.map(({ reason }) => reason)
	}
	await takeDown(people.moderator, 'relapser', all)
	const newest = async () => (await getTakedownPage(people.moderator, 'relapser', 'all')).past[0]?.id
	await decide('lift', {})
	await decide('suspend', { why: 'Insults.', time: 'for ever' })
	await undoTakedown(people.moderator, 'relapser', { id: await newest(), why: 'A mistake.' })
	expect(await suspendedFor()).toEqual(['Insults.'])
	for (const time of ['1 day', 'for ever']) {
		await takeDown(people.moderator, 'relapser', { ...all, time })
		await undoTakedown(people.moderator, 'relapser', { id: await newest(), why: 'A mistake.' })
		expect(await suspendedFor()).toEqual(['Insults.'])
	}
	await decide('lift', {})
	await takeDown(people.moderator, 'relapser', all)
	expect(await suspendedFor()).toEqual(['Shoes.'])
	expect(await told()).toEqual(['hid what your account has published', 'permanently suspended your account'])
	await undoTakedown(people.moderator, 'relapser', { id: await newest(), why: 'A mistake.' })
	expect(await suspendedFor()).toEqual([])
	expect(await told()).toEqual([
		'lifted the suspension of your account',
		'restored what had been hidden of your account',
	])
})

test('votes that two processes remove concurrently are all counted', async () => {
	const voter = await makeMember('voter')
	await sql`
		insert into questions (author_id, category_id, title, description, description_html, excerpt, tags)
		select author_id, category_id, title, description, description_html, excerpt, '{}'
		from questions, generate_series(1, 499) where id = ${posts.askers}`.execute(db())
	await sql`
		insert into question_votes (user_id, question_id, value)
		select ${voter.id}, id, 1 from questions where author_id = ${people.asker.id} order by id desc limit 500`.execute(
		db(),
	)
	const { rows: made } = await sql<{ id: number }>`
		insert into takedowns (member_id, actor_id, reason) values (${voter.id}, ${people.moderator.id}, 'Shoes.') returning id`.execute(
		db(),
	)
	const id = made[0]?.id ?? 0
	await Promise.all([continueTakedown({ id }), continueTakedown({ id })])
	const { past } = await getTakedownPage(people.moderator, 'voter', 'all')
	expect(past[0]).toMatchObject({ state: 'done', hidden: '500 votes and the profile' })
})
