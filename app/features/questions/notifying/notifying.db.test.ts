import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { countUnread, listNotifications, readNotifications } from '~/features/notifications/notifications.server.ts'
import { permalinkOf } from '~/features/search/search.view.ts'
import type { EventQuestion, ForumEvent } from '../questions.events.ts'
import '~/features/index.server.ts'
import { deleteQuestion, editQuestion } from '~/features/asking/asking.server.ts'
import { deleteComment, editComment, restoreComment } from '~/features/discussion/commenting.server.ts'
import { chooseSolution, withdrawSolution } from '~/features/discussion/votes.server.ts'
import { setPreferences } from '~/features/notifications/preferences.server.ts'
import { NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { useJobTables } from '../../../../tests/support/jobs.ts'
import { decide } from '../../../../tests/support/moderation-cast.ts'
import { hidePost, restorePost } from '../status/takedown.server.ts'
import { changeForum } from '../writing/change.server.ts'
import { muteQuestion, notifyTagFollowers, type RemainingTagFollowers, visitQuestion } from './notifying.server.ts'

useDatabase()
useJobTables()

let serial = 0
let asker: SignedIn
let ben: SignedIn
let cleo: SignedIn
let question: { id: number; url: string }

beforeEach(async () => {
	serial += 1
	asker = await makeMember(`asker${serial}`)
	ben = await makeMember(`ben${serial}`)
	cleo = await makeMember(`cleo${serial}`)
	question = await makeQuestion(asker, { title: `The question of round ${serial}` })
})

describe('notifications', () => {
	test('of a comment, a reply and a mention, to each member concerned, once', async () => {
		const comment = await makeComment(ben, question.id)
		expect(await told(asker)).toEqual([`Ben${serial} commented on The question of round ${serial}`])
		await makeComment(cleo, question.id, `as @${ben.username} says, @${cleo.username}`, comment)
		expect(await told(ben)).toEqual([`Cleo${serial} mentioned you in The question of round ${serial}`])
		expect(await told(asker)).toEqual([`Cleo${serial} and 1 other commented on The question of round ${serial}`])
		expect(await told(cleo)).toEqual([])
	})

	test('of one comment, of a different kind to each member, by their settings for that kind', async () => {
		const dora = await makeMember(`dora${serial}`)
		const comment = await makeComment(ben, question.id)
		await readNotifications(asker, {})
		await setPreferences(ben, new Set(['comment-site', 'mention-site', 'daily']))
		await makeComment(dora, question.id, `as @${cleo.username} says`, comment)
		const words = await Promise.all([asker, ben, cleo, dora].map(told))
		const title = `The question of round ${serial}`
		expect(words).toEqual([
			[`Dora${serial} commented on ${title}`, `Ben${serial} commented on ${title}`],
			[],
			[`Dora${serial} mentioned you in ${title}`],
			[],
		])
		expect(await Promise.all([asker, ben, cleo, dora].map(countUnread))).toEqual([1, 0, 1, 0])
	})

	test('of a solution, to the author of the comment', async () => {
		const commentId = await makeComment(ben, question.id)
		await happen({ kind: 'solution-chosen', question: facts(), actorId: asker.id, commentId })
		expect(await told(ben)).toEqual([
			`Asker${serial} marked your comment as a solution to The question of round ${serial}`,
		])
	})

	test('of a comment that is restored below a hidden query, to nobody', async () => {
		const moderator = await makeMember(`warden${serial}`, 'moderator')
		const comment = await makeComment(ben, question.id)
		const post = { by: moderator.id, reason: 'Spam.', before: { status: 'published' } } as const
		await hidePost({ ...post, kind: 'comment', id: comment }, async () => {})
		await hidePost({ ...post, kind: 'query', id: question.id }, async () => {})
		await restorePost({ ...post, kind: 'comment', id: comment }, async () => true)
		expect(await told(asker)).toEqual([])
	})

	test('of a new query, to followers of its category or one of its tags', async () => {
		await follow(ben, { tag: 'testing' })
		await follow(cleo, { category: 'java' })
		await makeQuestion(asker, { title: 'One of both kinds', category: 'java' })
		for (const member of [ben, cleo]) expect(await told(member)).toEqual([`Asker${serial} asked One of both kinds`])
		await sql`delete from follows`.execute(db())
	})

	test('are not sent for a muted query, until it is unmuted', async () => {
		await muteQuestion(asker, question.id, true)
		await makeComment(ben, question.id)
		expect([await told(asker), await visitQuestion(asker, question.id)]).toEqual([[], true])
		await muteQuestion(asker, question.id, false)
		await makeComment(ben, question.id)
		expect(await told(asker)).toHaveLength(1)
	})

	test('are not sent for a kind that was turned off, nor to the placeholder author of an imported text', async () => {
		await setPreferences(asker, new Set(['reply-site', 'reply-mail', 'daily']))
		await makeComment(ben, question.id)
		expect(await told(asker)).toEqual([])
		await db().updateTable('users').set({ imported: true }).where('id', '=', ben.id).execute()
		await makeComment(cleo, question.id, `@${ben.username}`)
		expect(await told(ben)).toEqual([])
	})

	test('of a query have its current title', async () => {
		await makeComment(ben, question.id)
		const texts = { description: 'How does it work?', tags: 'testing', category: 'others' }
		await editQuestion(asker, question.id, { title: 'A title without the name', ...texts })
		expect(await told(asker)).toEqual([`Ben${serial} commented on A title without the name`])
	})

	test('of a deleted query are removed, and the count is updated', async () => {
		await makeComment(ben, question.id)
		await makeComment(ben, (await makeQuestion(asker)).id)
		await deleteQuestion(asker, question.id)
		expect([(await told(asker)).length, await countUnread(asker)]).toEqual([1, 1])
	})
})

describe('groups and counts', () => {
	test('twenty concurrent comments form one group of twenty, counted once', async () => {
		const writers = await Promise.all(Array.from({ length: 20 }, (_, index) => makeMember(`writer${index}of${serial}`)))
		await Promise.all(writers.map((writer) => makeComment(writer, question.id)))
		const { rows } =
			await sql`select count, cardinality(actor_ids) as people from notifications where user_id = ${asker.id}`.execute(
				db(),
			)
		expect([rows, await countUnread(asker)]).toEqual([[{ count: 20, people: 20 }], 1])
	})

	test('notifications after reading begin a new group, and a prefetched page does not count as read', async () => {
		await makeComment(ben, question.id)
		expect([await visitQuestion(asker, question.id, false), await countUnread(asker)]).toEqual([false, 1])
		await visitQuestion(asker, question.id)
		expect(await countUnread(asker)).toBe(0)
		await makeComment(cleo, question.id)
		expect([(await told(asker)).length, await countUnread(asker)]).toEqual([2, 1])
	})

	test('the count equals the rows after concurrent writing and reading', async () => {
		const questions = await Promise.all(Array.from({ length: 4 }, () => makeQuestion(asker)))
		await Promise.all(
			questions.flatMap(({ id }) => [
				makeComment(ben, id),
				visitQuestion(asker, id),
				makeComment(cleo, id, `@${ben.username} and @${asker.username}`),
				readNotifications(asker, { subject: { type: 'query', id } }),
				makeComment(ben, id),
				visitQuestion(ben, id),
			]),
		)
		for (const member of [asker, ben]) expect(await countUnread(member)).toBe(await countRows(member))
	})
})

describe('when the text that caused them is edited, deleted or restored', () => {
	test('a notification leads to the address that finds the comment wherever it stands', async () => {
		const id = await makeComment(ben, question.id)
		expect((await listNotifications(asker)).rows[0]?.url).toBe(`/forum/comment/${id}`)
	})

	test('an edit notifies newly mentioned members, once however often it is repeated', async () => {
		const id = await makeComment(ben, question.id, `@${asker.username}, look.`)
		const named = `@${asker.username}, look: @${cleo.username} knows.`
		await editComment(ben, id, { body: named })
		await editComment(ben, id, { body: `@${asker.username}, look.` })
		await editComment(ben, id, { body: named })
		expect([await toldBriefly(cleo), await toldBriefly(asker)]).toEqual([
			['1 mentioned you in'],
			['1 mentioned you in'],
		])
		await readNotifications(cleo, {})
		await editComment(ben, id, { body: 'Nobody.' })
		await editComment(ben, id, { body: named })
		expect(await countUnread(cleo)).toBe(0)
	})

	test('a member who was notified of a comment otherwise is not notified again when an edit mentions them', async () => {
		const id = await makeComment(ben, question.id)
		await editComment(ben, id, { body: `@${asker.username}` })
		expect(await toldBriefly(asker)).toEqual(['1 commented on'])
	})

	test('an edit of a query notifies newly mentioned members, with its new title', async () => {
		const texts = { title: 'Another title', tags: 'testing', category: 'others' }
		const description = `Do you know, @${ben.username}?`
		for (let time = 0; time < 2; time += 1) await editQuestion(asker, question.id, { ...texts, description })
		expect((await listNotifications(ben)).rows).toMatchObject([
			{ title: 'Another title', url: `${permalinkOf(question.url)}/another-title`, people: 1 },
		])
	})

	test('one text notifies ten members at most, over all its edits', async () => {
		const id = await makeComment(ben, question.id)
		const names = await Promise.all(Array.from({ length: 12 }, (_, index) => makeMember(`n${index}of${serial}`)))
		const call = (from: number, to: number) => ({ body: names.slice(from, to).map(mention).join(' ') })
		await editComment(ben, id, call(0, 6))
		await editComment(ben, id, call(6, 12))
		const heard = await Promise.all(names.map((member) => countUnread(member)))
		expect(heard).toEqual([...Array(6).fill(1), ...Array(6).fill(0)])
	})

	test('a deleted comment is removed from unread notifications, and restored with them', async () => {
		const first = await makeComment(ben, question.id, `@${cleo.username}`)
		const second = await makeComment(cleo, question.id)
		expect(await toldBriefly(asker)).toEqual(['2 commented on'])
		await deleteComment(ben, first)
		expect([await toldBriefly(asker), await toldBriefly(cleo), await countUnread(cleo)]).toEqual([
			['1 commented on'],
			[],
			0,
		])
		expect((await listNotifications(asker)).rows[0]).toMatchObject({
			url: `/forum/comment/${second}`,
			actor: { name: cleo.name },
		})
		await restoreComment(ben, first)
		expect([await toldBriefly(asker), await toldBriefly(cleo)]).toEqual([['2 commented on'], ['1 mentioned you in']])
		await deleteComment(cleo, second)
		await deleteComment(ben, first)
		expect([await toldBriefly(asker), await countUnread(asker)]).toEqual([[], 0])
	})

	test('restoring a comment does not notify a second time those who have read it', async () => {
		const id = await makeComment(ben, question.id)
		await readNotifications(asker, {})
		await deleteComment(ben, id)
		await restoreComment(ben, id)
		expect([await toldBriefly(asker), await countUnread(asker)]).toEqual([['1 commented on'], 0])
	})

	test('restoring a comment of long ago notifies nobody, as nothing tells any more who was notified of it', async () => {
		const id = await makeComment(ben, question.id)
		await sql`update comments set created_at = now() - interval '200 days' where id = ${id}`.execute(db())
		await sql`delete from notifications where user_id = ${asker.id}`.execute(db())
		await sql`update notification_boxes set unread = 0 where user_id = ${asker.id}`.execute(db())
		await deleteComment(ben, id)
		await restoreComment(ben, id)
		expect(await toldBriefly(asker)).toEqual([])
	})

	test('hiding a comment withdraws its notifications in the same way, and restoring it sends them', async () => {
		const moda = await makeMember(`moda${serial}`, 'moderator')
		const id = await makeComment(ben, question.id, `@${cleo.username}`)
		await decide(moda, 'comment', id, 'hide')
		expect(await toldBriefly(cleo)).toEqual([])
		await decide(moda, 'comment', id, 'restore')
		expect((await listNotifications(cleo)).rows).toMatchObject([{ actor: { username: ben.username } }])
	})

	test('deleting a query leaves a moderator’s decision about somebody else’s comment on it', async () => {
		const moda = await makeMember(`modb${serial}`, 'moderator')
		const id = await makeComment(ben, question.id)
		await makeComment(cleo, question.id, `@${ben.username}`)
		await decide(moda, 'comment', id, 'hide')
		await deleteQuestion(asker, question.id)
		expect([(await listNotifications(ben)).rows.map(({ by }) => by), await countUnread(ben)]).toEqual([
			['A moderator'],
			1,
		])
	})

	test('a withdrawn solution removes its notification', async () => {
		const commentId = await makeComment(ben, question.id)
		await chooseSolution(asker, { questionId: question.id, commentId })
		await withdrawSolution(asker, { questionId: question.id, commentId })
		expect(await toldBriefly(ben)).toEqual([])
		await chooseSolution(asker, { questionId: question.id, commentId })
		expect(await toldBriefly(ben)).toEqual(['1 marked your comment as a solution to'])
		expect(await toldBriefly(asker)).toEqual(['1 commented on'])
	})

	test('counts equal the rows when comments are deleted and notifications read concurrently', async () => {
		const questions = await Promise.all(Array.from({ length: 4 }, () => makeQuestion(asker)))
		const comments = await Promise.all(
			questions.flatMap(({ id }) => [makeComment(ben, id, `@${cleo.username}`), makeComment(cleo, id)]),
		)
		const own = (index: number) => (index % 2 === 0 ? ben : cleo)
		await Promise.all([
			...comments.map((id, index) => deleteComment(own(index), id)),
			...questions.map(({ id }) => readNotifications(asker, { subject: { type: 'query', id } })),
			readNotifications(cleo, {}),
		])
		for (const member of [asker, cleo]) expect(await countUnread(member)).toBe(await countRows(member))
	})
})

describe('a job notifies many followers', () => {
	test('of more than fifty, each once, however often it runs', async () => {
		await sql`with made as (insert into users (username, name, email)
				select 'follower' || n, 'Follower', 'follower' || n || '@campus.example' from generate_series(1, 60) as n returning id)
			insert into follows (user_id, category_id) select made.id, categories.id from made, categories where slug = 'mobile'`.execute(
			db(),
		)
		await makeQuestion(asker, { title: 'For all of you', category: 'mobile' })
		const tellings = () =>
			sql<{
				n: number
			}>`select coalesce(sum(count), 0)::int as n from notifications where title = 'For all of you'`.execute(db())
		expect((await tellings()).rows).toEqual([{ n: 0 }])
		const { rows } = await sql<{ payload: RemainingTagFollowers }>`
			select payload from graphile_worker._private_jobs order by id desc limit 1`.execute(db())
		for (let run = 0; run < 2; run += 1) await notifyTagFollowers(rows[0]?.payload as RemainingTagFollowers)
		expect((await tellings()).rows).toEqual([{ n: 60 }])
		await sql`update notifications set read_at = now()`.execute(db())
		await notifyTagFollowers(rows[0]?.payload as RemainingTagFollowers)
		expect((await tellings()).rows).toEqual([{ n: 60 }])
	})
})

describe('access to them', () => {
	test('a visitor has none, and another member neither sees nor reads them', async () => {
		await makeComment(ben, question.id)
		const [notification] = (await listNotifications(asker)).rows
		await expect(listNotifications(null)).rejects.toThrow(NotAllowed)
		await expect(readNotifications(null, {})).rejects.toThrow(NotAllowed)
		await expect(muteQuestion(null, question.id, true)).rejects.toThrow(NotAllowed)
		for (const which of [{}, { ids: [Number(notification?.id)] }, { subject: { type: 'query', id: question.id } }])
			await readNotifications(cleo, which)
		expect([await told(cleo), await countUnread(asker), await countUnread(null)]).toEqual([[], 1, 0])
	})

	test('a missing query cannot be muted', async () => {
		await expect(muteQuestion(ben, 2_000_000_000, true)).rejects.toThrow(NotFound)
	})
})

test('a long list is paged, with each notification once, and can be filtered by unread', async () => {
	for (let number = 0; number < 7; number += 1) await makeComment(ben, (await makeQuestion(asker)).id)
	const first = (await listNotifications(asker)).rows[2]
	await readNotifications(asker, { ids: [Number(first?.id)] })
	const seen: number[] = []
	let cursor: string | null = null
	do {
		const page: Awaited<ReturnType<typeof listNotifications>> = await listNotifications(asker, { cursor, limit: 3 })
		seen.push(...page.rows.map(({ id }) => id))
		cursor = page.next
	} while (cursor)
	expect([seen.length, new Set(seen).size]).toEqual([7, 7])
	expect((await listNotifications(asker, { unread: true })).rows).toHaveLength(6)
	await expect(listNotifications(asker, { cursor: 'bm9uc2Vuc2U' })).rejects.toThrow('no longer exists')
})

async function told(member: SignedIn): Promise<string[]> {
	const { rows } = await listNotifications(member)
	return rows.map(({ actor, people, words, title }) => {
		const who = people === 1 ? actor?.name : `${actor?.name} and ${people - 1} other`
		return `${who} ${words} ${title}`
	})
}

const mention = ({ username }: SignedIn) => `@${username}`

/** The member's notifications in short: how many people did what, without names and titles. */
async function toldBriefly(member: SignedIn): Promise<string[]> {
	const { rows } = await listNotifications(member)
	return rows.map(({ people, words }) => `${people} ${words}`)
}

async function countRows(member: SignedIn): Promise<number> {
	const { rows } = await sql<{ n: number }>`
		select count(*)::int as n from notifications where user_id = ${member.id} and on_site and read_at is null`.execute(
		db(),
	)
	return rows[0]?.n ?? 0
}

function facts(): EventQuestion {
	const { id, url } = question
	return {
		id,
		url,
		authorId: asker.id,
		title: `The question of round ${serial}`,
		category: 'others',
		tags: ['testing'],
	}
}

const happen = (event: ForumEvent) => changeForum(async () => ({ event, write: async () => undefined }))

async function follow(
	member: SignedIn,
	{ tag = null, category = null }: { tag?: string | null; category?: string | null },
) {
	await sql`insert into follows (user_id, tag_id, category_id) values (${member.id},
		(select id from tags where name = ${tag}), (select id from categories where slug = ${category}))`.execute(db())
}
