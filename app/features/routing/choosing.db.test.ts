import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { deleteQuestion, editQuestion, restoreQuestion } from '~/features/asking/asking.server.ts'
import { deleteComment } from '~/features/discussion/commenting.server.ts'
import { chooseSolution } from '~/features/discussion/votes.server.ts'
import { writeBlock } from '~/features/members/blocks.queries.server.ts'
import { countUnread, listNotifications } from '~/features/notifications/notifications.server.ts'
import { setPreferences } from '~/features/notifications/preferences.server.ts'
import { muteQuestion } from '~/features/questions/notifying/notifying.server.ts'
import { setFollowing } from '~/features/tags/following.server.ts'
import { NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { makeTab } from '../../../tests/factories/presence.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { decide } from '../../../tests/support/moderation-cast.ts'
import {
	answerSome,
	askedAbout,
	asker,
	countAsked,
	countAskedOf,
	countNotifiedAbout,
	declineTimes,
	makeExpert,
	makeRouted,
	moderator,
	queuedRounds,
	ranking,
	routedRow,
	seenBy,
	setLastSeen,
	setPresenceHidden,
	spendWeek,
	strengthen,
	useRoutingCast,
} from '../../../tests/support/routing-cast.ts'
import { listAnswerable } from './answerable.server.ts'
import { beginRouting, declineQuestion, routeQuestion, setOptedIn } from './choosing.server.ts'
import { LEFT_OUT_PERCENT, MAX_ASKED_PER_WEEK, SECOND_ROUND_DELAY_SECONDS } from './routing.limits.ts'

useDatabase()
useRoutingCast()

test('an author under a pseudonym is not asked, sees how many were, and is not offered their own question', async () => {
	const hidden = await makeExpert('hidden')
	const other = await makeExpert('other')
	const { id } = await makeQuestion(hidden, { tags: 'react', pseudonym: 'on' })
	await sql`update question_routing set routed = true where question_id = ${id}`.execute(db())
	await routeQuestion({ questionId: id, round: 1 })
	expect(await askedAbout(id)).toEqual([other.username])
	expect(await seenBy(hidden, id)).toMatchObject({ people: 1, mine: null })
	expect(await seenBy(other, id)).toMatchObject({ people: 0, mine: { declined: false } })
	const offered = async (member: SignedIn) => (await listAnswerable(member, null)).rows.map((row) => row.id)
	expect([await offered(hidden), await offered(other)]).toEqual([
		expect.not.arrayContaining([id]),
		expect.arrayContaining([id]),
	])
})

describe('the members who are asked', () => {
	test.each<[what: string, skills: string[], tags: string, isAsked: boolean]>([
		['the skill of the tag', ['React'], 'react', true],
		['the skill by another spelling', ['ReactJS'], 'react', true],
		['a skill that is no term of the vocabulary', ['Kite flying'], 'kite-flying', true],
		['one of several tags', ['React'], 'css, react', true],
		['only a part of the term, without evidence', ['React'], 'javascript', false],
		['only what the term is a part of, without evidence', ['JavaScript'], 'react', false],
		['parts of two of the tags, which is no knowledge of either', ['JavaScript'], 'react, vue-js', false],
		['something else', ['Python'], 'react', false],
	])('%s: %s for %s: %s', async (_what, skills, tags, isAsked) => {
		const member = await makeExpert('one', skills)
		const id = await makeRouted({ tags })
		await routeQuestion({ questionId: id, round: 1 })
		expect(await askedAbout(id)).toEqual(isAsked ? [member.username] : [])
	})

	test.each<[what: string, prepare: (member: SignedIn, id: number) => Promise<unknown>]>([
		['did not opt in', (member) => setOptedIn(member, false)],
		['is suspended', ({ id }) => sql`update users set suspended_until = 'infinity' where id = ${id}`.execute(db())],
		[
			'is leaving',
			({ id }) => sql`update users set leaves_at = now() + interval '14 days' where id = ${id}`.execute(db()),
		],
		[
			'was logged out by the university',
			({ id }) => sql`update users set absent_since = now() where id = ${id}`.execute(db()),
		],
		['stands for imported texts', ({ id }) => sql`update users set imported = true where id = ${id}`.execute(db())],
		['blocks the asker', ({ id }) => writeBlock(db(), id, asker.id, true)],
		['is blocked by the asker', ({ id }) => writeBlock(db(), asker.id, id, true)],
		['muted the question', (member, id) => muteQuestion(member, id, true)],
		['wants to be told of it in no way', (member) => setPreferences(member, new Set(['daily']))],
		['was asked twice within a week', ({ id }) => spendWeek(id, 6)],
		['said “not me” about it twice', ({ id }) => declineTimes(id, 2)],
		[
			'asked it',
			({ id }, question) => sql`update questions set author_id = ${id} where id = ${question}`.execute(db()),
		],
		[
			'was notified as a mentioned member',
			(member, id) =>
				editQuestion(asker, id, {
					title: 'A question about it',
					description: `Do you know, @${member.username}?`,
					tags: 'react',
					category: 'others',
				}),
		],
	])('a member who %s is skipped', async (_what, prepare) => {
		const member = await makeExpert('one')
		const other = await makeExpert('other')
		const id = await makeRouted()
		await prepare(member, id)
		await routeQuestion({ questionId: id, round: 1 })
		expect(await askedAbout(id)).toEqual([other.username])
	})

	test.each<[what: string, favour: (member: SignedIn) => Promise<unknown>]>([
		['stronger evidence', ({ id }) => strengthen(id, 5)],
		['answers under the tag', (member) => answerSome(member, 2)],
		['an open tab', ({ id }) => makeTab(id)],
		['having been here today', ({ id }) => setLastSeen(id, '5 hours')],
		['having been here this week', ({ id }) => setLastSeen(id, '3 days')],
		['hiding when they are here, which counts as this week', (member) => setPresenceHidden(member.id)],
	])('%s ranks a member above others', async (_what, favour) => {
		const members = await Promise.all(['a', 'b', 'c'].map((name) => makeExpert(name)))
		const id = await makeRouted()
		const last = (await ranking(id)).at(-1)
		await favour(members.find(({ username }) => username === last) as SignedIn)
		expect((await ranking(id))[0]).toBe(last)
	})

	test.each<[what: string, burden: (member: SignedIn) => Promise<unknown>]>([
		['having been asked this week', ({ id }) => spendWeek(id, 6, 1)],
		['a “not me”', ({ id }) => declineTimes(id, 1)],
	])('%s ranks a member below others', async (_what, burden) => {
		const members = await Promise.all(['a', 'b', 'c'].map((name) => makeExpert(name)))
		await Promise.all(members.map(({ id }) => strengthen(id, 6)))
		const id = await makeRouted()
		const [first] = await ranking(id)
		await burden(members.find(({ username }) => username === first) as SignedIn)
		expect((await ranking(id)).indexOf(first ?? '')).toBe(2)
	})

	test('“not me” decays with a half-life of 90 days, and is forgotten when withdrawn', async () => {
		const member = await makeExpert('one')
		await declineTimes(member.id, 1, 0)
		expect(await ranking(await makeRouted())).toEqual([])
		await strengthen(member.id, 1)
		expect(await ranking(await makeRouted())).toEqual([member.username])
		await sql`delete from skill_strengths`.execute(db())
		await sql`update question_asks set declined_at = null`.execute(db())
		expect(await ranking(await makeRouted())).toEqual([member.username])
	})

	test('knowledge of a child term counts half, once there is evidence', async () => {
		const [part, whole] = [await makeExpert('part', ['React']), await makeExpert('whole', ['JavaScript'])]
		await Promise.all([strengthen(part.id, 3), strengthen(whole.id, 3)])
		expect(await ranking(await makeRouted({ tags: 'javascript' }))).toEqual([whole.username, part.username])
	})
})

describe('a question', () => {
	test('reaches three members, and three more without an answer', async () => {
		await Promise.all(Array.from({ length: 8 }, (_, index) => makeExpert(`m${index}`)))
		const id = await makeRouted()
		await Promise.all([1, 1].map((round) => routeQuestion({ questionId: id, round })))
		expect(await countAsked(id)).toBe(3)
		const waiting = await sql<{ payload: unknown; later: number }>`
			select payload, extract(epoch from run_at - created_at)::int as later from graphile_worker._private_jobs
			where payload ->> 'round' = '2'`.execute(db())
		expect(waiting.rows).toEqual([{ payload: { questionId: id, round: 2 }, later: SECOND_ROUND_DELAY_SECONDS }])
		for (let run = 0; run < 2; run += 1) await routeQuestion({ questionId: id, round: 2 })
		expect(await countAsked(id)).toBe(6)
		await routeQuestion({ questionId: id, round: 3 })
		await routeQuestion({ questionId: id, round: 1 })
		expect([await countAsked(id), await countNotifiedAbout(id)]).toEqual([6, 6])
	})

	test('an interrupted round leaves nothing behind, and is repeated completely', async () => {
		const member = await makeExpert('one')
		const id = await makeRouted()
		await sql`create function fail() returns trigger language plpgsql as $$ begin raise 'cut off'; end $$`.execute(db())
		await sql`create trigger cut before insert on notifications for each row when (new.kind = 'may-know') execute function fail()`.execute(
			db(),
		)
		await expect(routeQuestion({ questionId: id, round: 1 })).rejects.toThrow('cut off')
		await sql`drop trigger cut on notifications`.execute(db())
		expect(await countAsked(id)).toBe(0)
		await routeQuestion({ questionId: id, round: 1 })
		expect([await askedAbout(id), await countNotifiedAbout(id)]).toEqual([[member.username], 1])
	})

	test.each<[what: string, become: (id: number) => Promise<unknown>, undo?: (id: number) => Promise<unknown>]>([
		['deleted', (id) => deleteQuestion(asker, id), (id) => restoreQuestion(asker, id)],
		['hidden', (id) => decide(moderator, 'query', id, 'hide'), (id) => decide(moderator, 'query', id, 'restore')],
		['locked', (id) => decide(moderator, 'query', id, 'lock')],
		['answered', async (id) => makeComment(await makeMember(`answers-${id}`), id)],
		[
			'solved by its asker',
			async (id) => chooseSolution(asker, { questionId: id, commentId: await makeComment(asker, id) }),
		],
		[
			'merged',
			(id) =>
				sql`update questions set status = 'merged', merged_into = (select min(id) from questions where status = 'published' and id <> ${id})
					where id = ${id}`.execute(db()),
		],
		['waiting for a moderator', (id) => sql`update questions set status = 'pending' where id = ${id}`.execute(db())],
		[
			'left out by chance',
			(id) => sql`update question_routing set routed = false where question_id = ${id}`.execute(db()),
		],
	])('that is %s meanwhile is not routed', async (_what, become, undo) => {
		await makeRouted({ tags: 'css' })
		const member = await makeExpert('one')
		const id = await makeRouted()
		await become(id)
		await sql`delete from graphile_worker._private_jobs`.execute(db())
		await routeQuestion({ questionId: id, round: 1 })
		expect([await countAsked(id), await countUnread(member)]).toEqual([0, 0])
		if (!undo) return
		await undo(id)
		expect(await queuedRounds()).toEqual([{ questionId: id, round: 1 }])
		await routeQuestion({ questionId: id, round: 1 })
		expect(await askedAbout(id)).toEqual([member.username])
	})

	test('is widened if an answer is deleted again; a comment by the asker does not stop it', async () => {
		await Promise.all(Array.from({ length: 4 }, (_, index) => makeExpert(`m${index}`)))
		const helper = await makeMember(`helper-of-${asker.username}`)
		const id = await makeRouted()
		await routeQuestion({ questionId: id, round: 1 })
		await makeComment(asker, id, 'Nobody?')
		await deleteComment(helper, await makeComment(helper, id))
		await routeQuestion({ questionId: id, round: 2 })
		expect(await countAsked(id)).toBe(4)
	})

	test('is routed when a moderator approves it, not before', async () => {
		const member = await makeExpert('one')
		const newcomer = await makeMember(`new-${asker.username}`, 'member', new Date())
		const { id } = await makeQuestion(newcomer, { tags: 'react', description: 'See https://elsewhere.example/page' })
		expect([await queuedRounds(), await routedRow(id)]).toEqual([[], []])
		await decide(moderator, 'query', id, 'approve')
		expect(await routedRow(id)).toHaveLength(1)
		await sql`update question_routing set routed = true`.execute(db())
		await routeQuestion({ questionId: id, round: 1 })
		expect(await askedAbout(id)).toEqual([member.username])
	})

	test('is left out in 20 of 100 cases, permanently', async () => {
		const { id } = await makeQuestion(asker)
		const routed: boolean[] = []
		for (let drawn = 0; drawn < 100; drawn += 1) {
			await sql`delete from question_routing where question_id = ${id}`.execute(db())
			await beginRouting(db(), id, drawn)
			await beginRouting(db(), id, 99 - drawn)
			routed.push((await routedRow(id))[0]?.routed ?? false)
		}
		expect(routed.filter((one) => !one)).toHaveLength(LEFT_OUT_PERCENT)
		expect(routed).toEqual(routed.toSorted())
	})

	test('is drawn at random by default', async () => {
		const { id } = await makeQuestion(asker)
		const drawn = new Set<boolean>()
		// 600 equal draws in a row have a probability of 10^-58.
		for (let turn = 0; turn < 600 && drawn.size < 2; turn += 1) {
			await sql`delete from question_routing where question_id = ${id}`.execute(db())
			await beginRouting(db(), id)
			drawn.add((await routedRow(id))[0]?.routed ?? false)
		}
		expect(drawn.size).toBe(2)
	})
})

test('nobody is asked more than twice in seven days, even by concurrent questions', async () => {
	const member = await makeExpert('one')
	const ids = await Promise.all(Array.from({ length: 5 }, () => makeRouted()))
	await Promise.all(ids.map((id) => routeQuestion({ questionId: id, round: 1 })))
	expect(await countAskedOf(member)).toBe(MAX_ASKED_PER_WEEK)
	await sql`update question_asks set asked_at = asked_at - interval '7 days 1 second'`.execute(db())
	const another = await makeRouted()
	await routeQuestion({ questionId: another, round: 1 })
	expect(await askedAbout(another)).toEqual([member.username])
})

describe('the members’ view', () => {
	test('a member who is asked gets one notification, which replaces that of followers', async () => {
		const member = await makeExpert('one', ['React', 'CSS'])
		await setFollowing(member, { tag: 'react' }, true)
		const id = await makeRouted({ title: 'Why does it render twice?', tags: 'react, css' })
		expect((await listNotifications(member)).rows).toMatchObject([{ words: 'asked' }])
		await routeQuestion({ questionId: id, round: 1 })
		const { rows } = await listNotifications(member)
		expect(rows.map(({ by, words, title }) => `${by} ${words} ${title}`)).toEqual([
			'You may know this: Why does it render twice?',
		])
		expect(rows[0]?.url).toMatch(new RegExp(`/${id}/`))
		expect(await countUnread(member)).toBe(1)
		expect(await seenBy(member, id)).toEqual({ people: 0, mine: { names: ['CSS', 'React'], declined: false } })
		expect(await seenBy(asker, id)).toEqual({ people: 1, mine: null })
		for (const stranger of [moderator, await makeExpert('stranger')]) expect(await seenBy(stranger, id)).toBeNull()
	})

	test('a follower who was already notified is not asked as well', async () => {
		const member = await makeExpert('one')
		await setFollowing(member, { tag: 'react' }, true)
		const id = await makeRouted()
		await sql`update notifications set read_at = now()`.execute(db())
		await routeQuestion({ questionId: id, round: 1 })
		expect(await countAsked(id)).toBe(0)
	})

	test('only members who were asked can say “not me”, and withdraw it', async () => {
		const member = await makeExpert('one')
		const id = await makeRouted()
		await routeQuestion({ questionId: id, round: 1 })
		await expect(declineQuestion(null, id, true)).rejects.toThrow(NotAllowed)
		for (const [who, which] of [
			[asker, id],
			[member, 0],
			[member, 2_000_000_000],
		] as const)
			await expect(declineQuestion(who, which, true)).rejects.toThrow(NotFound)
		expect(await declineQuestion(member, id, true)).toEqual(['React'])
		expect((await seenBy(member, id))?.mine?.declined).toBe(true)
		await declineQuestion(member, id, false)
		expect((await seenBy(member, id))?.mine?.declined).toBe(false)
		await expect(setOptedIn(null, true)).rejects.toThrow(NotAllowed)
	})
})
