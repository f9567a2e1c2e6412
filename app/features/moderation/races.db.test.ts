import { describe, expect, test } from 'vitest'
import { addComment } from '~/features/discussion/commenting.server.ts'
import { Conflict, NotFound } from '~/lib/errors.ts'
import { makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { expectCountsToHold } from '../../../tests/support/forum-rows.ts'
import { cast, decide, named, spam, useCast } from '../../../tests/support/moderation-cast.ts'
import { reportSubject } from './reports.server.ts'

useDatabase()
useCast()

describe('concurrency', () => {
	test('of two moderators who decide a case the second gets a conflict', async () => {
		await reportSubject(cast.member, named('query', cast.query), spam)
		const second = await makeMember(`second${cast.query}`, 'moderator')
		for (const [one, other] of [
			['hide', 'hide'],
			['restore', 'restore'],
			['lock', 'lock'],
		] as const) {
			const outcomes = await Promise.allSettled([
				decide(cast.moderator, 'query', cast.query, one),
				decide(second, 'query', cast.query, other),
			])
			const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
			expect(refusals).toHaveLength(1)
			expect(refusals[0]).toBeInstanceOf(Conflict)
		}
		await expectCountsToHold()
	})

	test('comments written while a question or a comment is hidden and restored keep counters right', async () => {
		const writers = Array.from({ length: 20 }, () =>
			addComment(cast.member, { questionId: cast.query, parentId: cast.comment, body: 'Me too.' }),
		)
		const judging = (async () => {
			for (const act of ['hide', 'restore', 'hide', 'restore']) {
				await decide(cast.moderator, 'comment', cast.comment, act)
				await decide(cast.admin, 'query', cast.query, act)
				if (act === 'hide') await decide(cast.admin, 'query', cast.query, 'restore')
			}
		})().catch((error: unknown) => error)
		const outcomes = await Promise.allSettled(writers)
		await judging
		for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(NotFound)
		await expectCountsToHold()
	})

	test('of two opposite merges of questions one succeeds', async () => {
		const other = (await makeQuestion(cast.author, { title: 'The same, the other way' })).id
		const outcomes = await Promise.allSettled([
			decide(cast.moderator, 'query', cast.query, 'merge', { into: String(other) }),
			decide(cast.admin, 'query', other, 'merge', { into: String(cast.query) }),
		])
		expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
		await expectCountsToHold()
	})
})
