import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { editQuestion } from '~/features/asking/asking.server.ts'
import { deleteComment, editComment } from '~/features/discussion/commenting.server.ts'
import { listComments } from '~/features/discussion/discussion.server.ts'
import { chooseSolution, withdrawSolution } from '~/features/discussion/votes.server.ts'
import { countUnread, listNotifications } from '~/features/notifications/notifications.server.ts'
import { muteQuestion } from '~/features/questions/notifying/notifying.server.ts'
import { Conflict, Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { queuedBehind } from '../../../tests/support/locks.ts'
import { reportOutdated, withdrawOutdated } from './outdated.server.ts'

useDatabase()

let serial = 0
/** Whose id is lower than those of the others. */
let early: SignedIn
let asker: SignedIn
let solver: SignedIn
let readers: SignedIn[]
let questionId: number
let commentId: number

beforeAll(async () => {
	early = await makeMember('early')
})

beforeEach(async () => {
	serial += 1
	asker = await makeMember(`asker${serial}`)
	solver = await makeMember(`solver${serial}`)
	readers = await Promise.all([1, 2, 3].map((n) => makeMember(`reader${n}of${serial}`)))
	questionId = (await makeQuestion(asker)).id
	commentId = await makeComment(solver, questionId)
	await chooseSolution(asker, { questionId, commentId })
})

async function shown(viewer: Viewer) {
	const { solutions } = await listComments(viewer, { questionId, askerUsername: asker.username })
	const [solution] = solutions
	return [solution?.outdated && [solution.outdated.count, solution.outdated.reason], solution?.saysOutdated]
}

const told = async (viewer: SignedIn) =>
	(await listNotifications(viewer)).rows.filter(({ words }) => words.includes('no longer works')).length

const say = (reader: number, reason = '') => reportOutdated(readers[reader] ?? null, commentId, { reason })

describe('reports about a solution', () => {
	test('notify author and asker once with two reports, even concurrent ones, and warn readers', async () => {
		await Promise.all([say(0, 'newer'), say(0, 'newer')])
		expect([await shown(null), await shown(readers[0] ?? null), await told(solver)]).toEqual([
			[null, false],
			[null, true],
			0,
		])
		await Promise.all([say(1), say(2), say(1)])
		expect([await shown(null), await shown(asker)]).toEqual([
			[[3, 'newer'], false],
			[[3, 'newer'], false],
		])
		expect([await told(solver), await told(asker), await told(readers[0] as SignedIn)]).toEqual([1, 1, 0])
		for (const reader of readers.slice(1)) await withdrawOutdated(reader, commentId)
		expect(await shown(readers[1] ?? null)).toEqual([null, false])
		await sql`update notifications set read_at = now()`.execute(db())
		await say(1, 'gone')
		expect([await shown(null), await told(solver)]).toEqual([[[2, 'gone'], false], 1])
	})

	test('expire with an edit, and can be made again for the new text', async () => {
		for (const reader of [0, 1]) await say(reader, 'error')
		await editComment(solver, commentId, { body: 'Like this, since today.' })
		expect([await shown(readers[0] ?? null), await told(solver)]).toEqual([[null, false], 0])
		await say(0)
		expect(await shown(readers[0] ?? null)).toEqual([null, true])
		await say(1)
		expect([await shown(null), await told(solver), await told(asker)]).toEqual([[[2, ''], false], 1, 1])
	})

	test.each<[string, () => Promise<unknown>]>([
		['is edited', () => editComment(solver, commentId, { body: 'Like this, since today.' })],
		['is deleted', () => deleteComment(solver, commentId)],
		['is no longer chosen', () => withdrawSolution(asker, { questionId, commentId })],
	])('are no longer notified of once it %s', async (_what, act) => {
		for (const reader of [0, 1]) await say(reader)
		expect([await told(solver), await told(asker)]).toEqual([1, 1])
		const before = await countUnread(asker)
		await act()
		expect([await told(solver), await told(asker)]).toEqual([0, 0])
		expect(await countUnread(asker)).toBeLessThan(before)
	})

	test('do not notify members who muted the question, and cannot be made by suspended members', async () => {
		await muteQuestion(asker, questionId, true)
		for (const reader of [0, 1]) await say(reader)
		expect([await told(asker), await told(solver)]).toEqual([0, 1])
		await sql`update users set suspended_until = 'infinity' where id = ${readers[0]?.id}`.execute(db())
		expect((await shown(null))[0]).toBeNull()
		await expect(say(0)).rejects.toThrow(NotAllowed)
	})
})

test.each<[string, () => Promise<unknown>, unknown]>([
	['a visitor', () => reportOutdated(null, commentId, {}), NotAllowed],
	['who wrote it', () => reportOutdated(solver, commentId, {}), NotAllowed],
	['an unknown reason', () => say(0, 'because'), Invalid],
	['what is no comment', () => reportOutdated(asker, 2_000_000_000, {}), NotFound],
	[
		'a comment that is no solution any more',
		async () => {
			await withdrawSolution(asker, { questionId, commentId })
			await say(0)
		},
		Conflict,
	],
	[
		'a deleted one',
		async () => {
			await deleteComment(solver, commentId)
			await say(0)
		},
		NotFound,
	],
])('%s is refused', async (_what, act, error) => {
	await expect(act()).rejects.toThrow(error as new () => Error)
})

test.each<[string, () => SignedIn, () => Promise<unknown>]>([
	['an edit of a solution', () => early, () => editComment(solver, commentId, { body: 'As @early says.' })],
	['an edit of a question', () => early, editWithMention],
	['withdrawing a solution', () => asker, () => withdrawSolution(asker, { questionId, commentId })],
])('%s locks the boxes of all members in one order', async (_what, first, change) => {
	await say(0)
	await say(1)
	const [changed, probed] = await queuedBehind<unknown>(
		(trx) =>
			sql`insert into notification_boxes (user_id) values (${first().id}) on conflict (user_id) do update set unread = notification_boxes.unread`.execute(
				trx,
			),
		[change, () => sql`select from notification_boxes where user_id = ${solver.id} for update nowait`.execute(db())],
	)
	expect([changed?.status, probed?.status]).toEqual(['fulfilled', 'fulfilled'])
})

function editWithMention() {
	const texts = {
		title: 'A title with enough words',
		description: 'As @early says.',
		tags: 'testing',
		category: 'others',
	}
	return editQuestion(asker, questionId, texts)
}
