import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { deleteQuestion, editQuestion, restoreQuestion } from '~/features/asking/asking.server.ts'
import { addComment } from '~/features/discussion/commenting.server.ts'
import { listComments } from '~/features/discussion/discussion.server.ts'
import { getCase } from '~/features/moderation/queue.server.ts'
import { reportSubject } from '~/features/moderation/reports.server.ts'
import { listLog } from '~/features/moderation-log/log.server.ts'
import { listNotifications } from '~/features/notifications/notifications.server.ts'
import { listForSitemap, listQuestions } from '~/features/question-lists/lists.server.ts'
import { findMostDiscussed, findQuestion } from '~/features/questions/questions.queries.server.ts'
import { getQuestion } from '~/features/questions/questions.server.ts'
import { getTag } from '~/features/tags/tags.server.ts'
import { siteDay } from '~/lib/calendar.ts'
import { Conflict, NotFound } from '~/lib/errors.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { PostStatus } from '~/platform/db/schema.ts'
import { makeComment, makeQuestion } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { expectCountsToHold, hashForum } from '../../../../tests/support/forum-rows.ts'
import { queuedBehind } from '../../../../tests/support/locks.ts'
import { cast, decide, useCast, why } from '../../../../tests/support/moderation-cast.ts'
import { mergedFrom, mergedInto } from '../questions.server.ts'
import { hidePost, restorePost, type StandingState } from './takedown.server.ts'

useDatabase()
useCast()

describe('hiding', () => {
	test('a query removes it from every list and count; its author and moderators can still read it, with the reason', async () => {
		expect(await listsWith(cast.query)).toEqual(['newest', 'active', 'category', 'tag', 'author', 'search', 'sitemap'])
		await decide(cast.moderator, 'query', cast.query, 'hide')
		expect(await listsWith(cast.query)).toEqual([])
		for (const viewer of [null, cast.member]) await expect(getQuestion(viewer, cast.query)).rejects.toThrow(NotFound)
		for (const viewer of [cast.author, cast.moderator])
			expect(await getQuestion(viewer, cast.query)).toMatchObject({
				unpublished: { status: 'hidden', rejected: false, reason: why },
				mayEdit: false,
			})
		await expectCountsToHold()
	})

	test.each(['pending', 'hidden', 'merged', 'deleted'] as const)(
		'a row that says it is %s is in no list, whatever else says of it',
		async (status) => {
			const merged_into = status === 'merged' ? (await makeQuestion(cast.author)).id : null
			const set = (values: { status: PostStatus; merged_into: number | null }) =>
				db().updateTable('questions').set(values).where('id', '=', cast.query).execute()
			await set({ status, merged_into })
			expect(await listsWith(cast.query)).toEqual([])
			expect(await findQuestion(cast.query)).toBeUndefined()
			expect((await findMostDiscussed(new Date(0)))?.id).not.toBe(cast.query)
			await set({ status: 'published', merged_into: null })
		},
	)

	test('and restoring reverts everything', async () => {
		const before = [await getQuestion(null, cast.query), await getTag(null, 'zebra'), await listComments(null, page())]
		await decide(cast.moderator, 'query', cast.query, 'hide')
		await decide(cast.moderator, 'query', cast.query, 'restore')
		expect([
			await getQuestion(null, cast.query),
			await getTag(null, 'zebra'),
			await listComments(null, page()),
		]).toEqual(before)
		await expectCountsToHold()
	})

	test('a merged query, which everybody can read, hides that too; restoring merges it again, and once more publishes it', async () => {
		const { id: into } = await makeQuestion(cast.member)
		await decide(cast.moderator, 'query', cast.query, 'merge', { into: String(into) })
		await decide(cast.moderator, 'query', cast.query, 'hide')
		await expect(getQuestion(null, cast.query)).rejects.toThrow(NotFound)
		expect(await getQuestion(cast.author, cast.query)).toMatchObject({ unpublished: { status: 'hidden', reason: why } })
		await expectCountsToHold()
		expect(await decide(cast.moderator, 'query', cast.query, 'restore')).toMatch(/^It is merged again/)
		const merged = await getQuestion(null, cast.query)
		expect(merged).toMatchObject({ unpublished: { status: 'merged', reason: '' } })
		expect((await mergedInto(merged))?.id).toBe(into)
		await expectCountsToHold()
		expect(await decide(cast.moderator, 'query', cast.query, 'restore')).toBe('It is back in the forum.')
		expect(await getQuestion(null, cast.query)).toMatchObject({ unpublished: null, locked: false })
		await decide(cast.moderator, 'query', cast.query, 'hide')
		await decide(cast.moderator, 'query', cast.query, 'restore')
		expect(await getQuestion(null, cast.query)).toMatchObject({ unpublished: null })
		await expectCountsToHold()
	})

	test('a merged query and its comments can be reported; a comment is only hidden and restored there, and notifies nobody', async () => {
		const comment = await makeComment(cast.member, cast.query)
		const { id: into } = await makeQuestion(cast.member)
		await decide(cast.moderator, 'query', cast.query, 'merge', { into: String(into) })
		const shown = async () =>
			(await listComments(null, { questionId: cast.query, askerUsername: 'author' })).rows.map(({ id }) => id)
		for (const [kind, id] of Object.entries({ query: cast.query, comment })) {
			const { url } = await reportSubject(cast.admin, { kind, name: String(id) }, { reason: 'spam' })
			expect(url).toContain('?original=1')
		}
		expect((await getCase(cast.moderator, { kind: 'comment', name: String(comment) })).acts).toContain('hide')
		await decide(cast.moderator, 'comment', comment, 'hide')
		expect(await shown()).not.toContain(comment)
		expect((await listNotifications(cast.member)).rows[0]?.url).toContain('?original=1')
		await expectCountsToHold()
		await sql`update comments set never_published = true where id = ${comment}`.execute(db())
		await decide(cast.moderator, 'comment', comment, 'restore')
		const told = await sql`select from notifications where part_id = ${comment} and kind = 'comment'`.execute(db())
		expect([await shown(), told.rows]).toEqual([expect.arrayContaining([comment]), []])
		await expectCountsToHold()
		await decide(cast.moderator, 'query', cast.query, 'restore')
		expect((await getCase(cast.moderator, { kind: 'query', name: String(cast.query) })).reports).toHaveLength(1)
	})

	test('of two moderators who restore a query that was merged and hidden, the second does not publish it', async () => {
		const { id: into } = await makeQuestion(cast.member)
		await decide(cast.moderator, 'query', cast.query, 'merge', { into: String(into) })
		await decide(cast.moderator, 'query', cast.query, 'hide')
		const hold = (trx: Executor) => sql`select from questions where id = ${cast.query} for update`.execute(trx)
		const [first, second] = await queuedBehind(hold, [
			() => decide(cast.moderator, 'query', cast.query, 'restore'),
			() => decide(cast.admin, 'query', cast.query, 'restore'),
		])
		expect(first?.status).toBe('fulfilled')
		expect(second).toMatchObject({ status: 'rejected', reason: expect.any(Conflict) })
		// Sent after the first was committed, by a form that showed it hidden.
		await expect(decide(cast.admin, 'query', cast.query, 'restore', { state: 'hidden' })).rejects.toThrow(Conflict)
		expect(await getQuestion(null, cast.query)).toMatchObject({ unpublished: { status: 'merged' } })
	})

	test('a query is merged again also into one that is hidden meanwhile, which the moderator reads', async () => {
		const { id: into } = await makeQuestion(cast.member)
		await decide(cast.moderator, 'query', cast.query, 'merge', { into: String(into) })
		await decide(cast.moderator, 'query', cast.query, 'hide')
		await decide(cast.moderator, 'query', into, 'hide')
		expect(await decide(cast.moderator, 'query', cast.query, 'restore')).toMatch(/its address shows this one\.$/)
		expect(await mergedInto(await getQuestion(null, cast.query))).toEqual({ id: into, url: null })
	})

	test('a query that was published by a node of the previous version is not merged again later', async () => {
		const { id: into } = await makeQuestion(cast.member)
		await decide(cast.moderator, 'query', cast.query, 'merge', { into: String(into) })
		await decide(cast.moderator, 'query', cast.query, 'hide')
		await sql`update questions set status = 'published', merged_into = null where id = ${cast.query}`.execute(db())
		await sql`update questions set status = 'hidden', merged_into = null where id = ${cast.query}`.execute(db())
		expect(await decide(cast.moderator, 'query', cast.query, 'restore')).toBe('It is back in the forum.')
	})

	test('a merged query can be deleted by its author alone, and undoing that merges it again', async () => {
		const { id: into } = await makeQuestion(cast.member)
		await decide(cast.moderator, 'query', cast.query, 'merge', { into: String(into) })
		for (const [viewer, may] of [
			[cast.author, true],
			[cast.member, false],
			[null, false],
		] as const)
			expect(await getQuestion(viewer, cast.query)).toMatchObject({ mayDelete: may, mayEdit: false })
		for (const viewer of [cast.member, cast.moderator])
			await expect(deleteQuestion(viewer, cast.query)).rejects.toThrow(NotFound)
		expect(await deleteQuestion(cast.author, cast.query)).toMatchObject({ undoable: true })
		await expect(getQuestion(cast.author, cast.query)).rejects.toThrow(NotFound)
		await expectCountsToHold()
		expect((await restoreQuestion(cast.author, cast.query)).url).toMatch(/\?original=1$/)
		const restored = await getQuestion(null, cast.query)
		expect((await mergedInto(restored))?.id).toBe(into)
		expect(restored.unpublished?.reason).toBe(why)
		await expectCountsToHold()
	})

	test('a merged query is published by restoring it where the other one is gone', async () => {
		const { id: into } = await makeQuestion(cast.member)
		await decide(cast.moderator, 'query', cast.query, 'merge', { into: String(into) })
		await decide(cast.moderator, 'query', cast.query, 'hide')
		await deleteQuestion(cast.member, into)
		await sql`delete from questions where id = ${into}`.execute(db())
		expect(await decide(cast.moderator, 'query', cast.query, 'restore')).toBe('It is back in the forum.')
		expect(await getQuestion(null, cast.query)).toMatchObject({ unpublished: null })
		await expectCountsToHold()
	})

	test('a comment keeps its place for the replies, and does not show others its text', async () => {
		const reply = await makeComment(cast.member, cast.query, 'And then?', cast.comment)
		await decide(cast.moderator, 'comment', cast.comment, 'hide')
		const [seen] = (await listComments(cast.member, page())).rows
		expect(seen).toMatchObject({
			id: cast.comment,
			author: null,
			bodyHtml: '',
			deleted: true,
			unpublished: { status: 'hidden', reason: '' },
		})
		expect(seen?.replies.map(({ id }) => id)).toEqual([reply])
		const [own] = (await listComments(cast.author, page())).rows
		expect(own).toMatchObject({
			bodyHtml: '<p>Use a gradient.</p>',
			deleted: false,
			unpublished: { status: 'hidden', rejected: false, reason: why },
		})
		expect(await getQuestion(null, cast.query)).toMatchObject({ commentCount: 1 })
		const found = async () =>
			(await listQuestions(null, { search: 'zebra gradient' })).rows.some(({ id }) => id === cast.query)
		expect(await found()).toBe(false)
		await decide(cast.moderator, 'comment', cast.comment, 'restore')
		expect(await getQuestion(null, cast.query)).toMatchObject({ commentCount: 2 })
		expect(await found()).toBe(true)
		await expectCountsToHold()
	})

	test('requires a reason', async () => {
		const refusal = decide(cast.moderator, 'query', cast.query, 'hide', { why: ' ' })
		await expect(refusal).rejects.toMatchObject({ status: 422, fields: { why: 'Say why, in a few words.' } })
	})

	test('hidden posts accept no writes', async () => {
		await decide(cast.moderator, 'query', cast.query, 'hide')
		const before = await hashForum()
		const text = { title: 'Another title', description: 'x', tags: 'x', category: 'others' }
		await expect(addComment(cast.member, { questionId: cast.query, parentId: null, body: 'x' })).rejects.toThrow(
			NotFound,
		)
		await expect(editQuestion(cast.author, cast.query, text)).rejects.toThrow(NotFound)
		await expect(decide(cast.moderator, 'comment', cast.comment, 'hide')).rejects.toThrow(Conflict)
		expect(await hashForum()).toEqual(before)
	})

	const page = () => ({ questionId: cast.query, askerUsername: 'author' })

	/** The lists that show a question to a visitor. */
	async function listsWith(id: number): Promise<string[]> {
		const lists = {
			newest: await listQuestions(null, {}),
			active: await listQuestions(null, { view: 'active' }),
			category: await listQuestions(null, { category: 'others' }),
			tag: await listQuestions(null, { tag: 'zebra' }),
			author: await listQuestions(null, { author: 'author' }),
			search: await listQuestions(null, { search: 'zebra crossings' }),
			sitemap: { rows: (await listForSitemap(1)).map(({ url }) => ({ id: Number(url.split('/')[4]) })) },
		}
		return Object.entries(lists).flatMap(([name, { rows }]) => (rows.some((row) => row.id === id) ? [name] : []))
	}
})

describe('locking and merging', () => {
	test('a locked query refuses comments with a message, and can be unlocked', async () => {
		await decide(cast.moderator, 'query', cast.query, 'lock')
		expect(await getQuestion(null, cast.query)).toMatchObject({ locked: true })
		const before = await hashForum()
		for (const viewer of [cast.member, cast.author])
			await expect(addComment(viewer, { questionId: cast.query, parentId: null, body: 'x' })).rejects.toThrow(/locked/)
		expect(await hashForum()).toEqual(before)
		await decide(cast.moderator, 'query', cast.query, 'unlock')
		await makeComment(cast.member, cast.query)
		await expectCountsToHold()
	})

	test('a merged query redirects to the other one, can still be read, and can be restored', async () => {
		const { id: into, url: stays } = await makeQuestion(cast.member, { title: 'The query that stays' })
		await decide(cast.moderator, 'query', cast.query, 'merge', {
			into: `https://site.example${stays}?sort=best#comments`,
		})
		const merged = await getQuestion(null, cast.query)
		expect(merged).toMatchObject({ unpublished: { status: 'merged' }, locked: true })
		expect(await mergedInto(merged)).toEqual({ id: into, url: `${stays}?merged=${cast.query}` })
		expect(await mergedFrom(cast.query, into)).toMatchObject({ title: 'Zebra crossings in CSS' })
		expect(await mergedFrom(cast.query, cast.query)).toBeNull()
		expect((await listComments(null, { questionId: cast.query, askerUsername: 'author' })).rows).toHaveLength(1)
		await expectCountsToHold()
		await decide(cast.moderator, 'query', cast.query, 'restore')
		expect(await getQuestion(null, cast.query)).toMatchObject({ unpublished: null, locked: false })
		await expectCountsToHold()
	})

	test('undoing a takedown locks a merged query after the other one, whose id is lower', async () => {
		const { id: own } = await makeQuestion(cast.author)
		const into = cast.query
		await decide(cast.moderator, 'query', own, 'merge', { into: String(into) })
		const post = { kind: 'query', id: own, by: cast.moderator.id } as const
		let before: Partial<StandingState> = {}
		await hidePost({ ...post, reason: why }, async (_trx, state) => {
			before = state
		})
		const lock = (id: number, executor: Executor) =>
			sql`select from questions where id = ${id} for update nowait`.execute(executor)
		const [undone, locked] = await queuedBehind<unknown>(
			(trx) => lock(into, trx),
			[() => restorePost({ ...post, before }, async () => true), () => lock(own, db())],
		)
		expect([undone, locked]).toMatchObject([{ value: true }, { status: 'fulfilled' }])
	})

	test.each(['hide', 'merge'])('where the other query is gone by %s, nobody is led to its title', async (act) => {
		const { id } = await makeQuestion(cast.member, { title: 'Something to be hidden' })
		await decide(cast.moderator, 'query', cast.query, 'merge', { into: String(id) })
		await decide(cast.moderator, 'query', id, act, { into: String((await makeQuestion(cast.member)).id) })
		const url = (await mergedInto(await getQuestion(null, cast.query)))?.url ?? null
		// A merged question stays readable: it redirects to the other one.
		expect(url).toEqual(act === 'hide' ? null : expect.stringContaining('something-to-be-hidden?merged='))
	})

	test.each([
		['itself', () => cast.query],
		['nothing', () => 99_999_999],
		['what is no address', () => 'https://elsewhere.example/7'],
	])('into %s is refused', async (_what, target) => {
		const before = await hashForum()
		const refusal = decide(cast.moderator, 'query', cast.query, 'merge', { into: String(target()) })
		await expect(refusal).rejects.toMatchObject({ status: 422, fields: { into: expect.any(String) } })
		expect(await hashForum()).toEqual(before)
	})
})

describe('pinning', () => {
	const pinnedIn = async (category?: string) =>
		((await listQuestions(null, category ? { category } : {})).pinned ?? []).map(({ id }) => id)
	const unpinAll = () => db().deleteFrom('question_pins').execute()

	test('a query is above the first page of its category, or of the forum too, until it is unpinned or its last day is over', async () => {
		const { category } = await getQuestion(null, cast.query)
		await decide(cast.moderator, 'query', cast.query, 'pin', { why: '', until: '' })
		expect([await pinnedIn(), await pinnedIn(category.slug)]).toEqual([[], [cast.query]])
		expect((await listQuestions(null, { category: category.slug, view: 'active' })).pinned).toBeUndefined()
		await expect(decide(cast.moderator, 'query', cast.query, 'pin-everywhere')).rejects.toThrow(Conflict)
		await decide(cast.moderator, 'query', cast.query, 'unpin', { why: '' })
		await expect(decide(cast.moderator, 'query', cast.query, 'unpin')).rejects.toThrow(Conflict)
		const today = siteDay(Date.now())
		await decide(cast.moderator, 'query', cast.query, 'pin-everywhere', { until: today })
		expect([await pinnedIn(), await pinnedIn(category.slug)]).toEqual([[cast.query], [cast.query]])
		const [entry] = (await listLog(cast.admin, { member: 'author', cursor: null })).rows
		expect([entry?.act, entry?.note]).toEqual(['pin-everywhere', `until ${today}`])
		await decide(cast.moderator, 'query', cast.query, 'hide')
		expect(await pinnedIn()).toEqual([])
		await decide(cast.moderator, 'query', cast.query, 'restore')
		await sql`update question_pins set until = current_date - 2`.execute(db())
		expect(await pinnedIn()).toEqual([])
		// An expired pin counts as none: the question can be pinned again.
		await decide(cast.moderator, 'query', cast.query, 'pin', { until: '' })
		expect(await pinnedIn(category.slug)).toEqual([cast.query])
		await unpinAll()
	})

	test.each([
		['yesterday', '2020-01-01', 'Choose today or a later day.'],
		['no day', 'soon', 'Enter a day such as 2026-12-24.'],
	])('until %s is refused', async (_what, until, message) => {
		const refusal = decide(cast.moderator, 'query', cast.query, 'pin', { until })
		await expect(refusal).rejects.toMatchObject({ status: 422, fields: { until: message } })
	})

	test('allows at most three in each place, even concurrently', async () => {
		const made = []
		for (let number = 0; number < 5; number += 1) made.push((await makeQuestion(cast.author)).id)
		const tried = await Promise.allSettled(
			made.map((id) => decide(cast.moderator, 'query', id, 'pin-everywhere', { until: '' })),
		)
		const refused = tried.flatMap((one) => (one.status === 'rejected' ? [String(one.reason.message)] : []))
		expect(refused).toEqual(Array(2).fill('3 queries are pinned there already. Unpin one of them first.'))
		expect(await pinnedIn()).toHaveLength(3)
		await unpinAll()
	})

	test.each(['pin', 'pin-everywhere'])(
		'at most three of “%s” stand in one place after the undo of a deletion',
		async (act) => {
			const made = []
			for (let number = 0; number < 4; number += 1)
				made.push((await makeQuestion(cast.author, { category: 'others' })).id)
			const [first = 0] = made
			for (const id of made) {
				if (id === made[3]) await deleteQuestion(cast.author, first)
				await decide(cast.moderator, 'query', id, act, { until: '' })
			}
			await restoreQuestion(cast.author, first)
			expect(await pinnedIn(act === 'pin' ? 'others' : undefined)).toEqual(made.slice(1).toReversed())
			await unpinAll()
		},
	)
})

test('every action is logged with who, why and whose text it was', async () => {
	await decide(cast.moderator, 'query', cast.query, 'hide')
	await decide(cast.admin, 'query', cast.query, 'restore', { why: 'A mistake.' })
	await decide(cast.moderator, 'profile', 'author', 'suspend', { time: '1 week' })
	await decide(cast.moderator, 'profile', 'author', 'lift', { why: '' })
	const { rows } = await listLog(cast.admin, { member: '@Author', cursor: null })
	expect(
		rows
			.slice(0, 4)
			.map(({ actor, act, member, why: reason, note }) => [actor.username, act, member.username, reason, note]),
	).toEqual([
		['moderator', 'lift', 'author', '', ''],
		['moderator', 'suspend', 'author', why, 'for 1 week'],
		['admin', 'restore', 'author', 'A mistake.', ''],
		['moderator', 'hide', 'author', why, ''],
	])
})
