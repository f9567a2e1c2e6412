import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { Conflict, Invalid, NotFound } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { FORMER_USERNAME } from '~/platform/member-data.ts'
import { makeComment, makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { expectCountsToHold, hashForum } from '../../../tests/support/forum-rows.ts'
import { cast, decide, named, spam, useCast } from '../../../tests/support/moderation-cast.ts'
import { getCase, listCases } from './queue.server.ts'
import { getReportable, reportSubject } from './reports.server.ts'

useDatabase()
useCast()

describe('reporting', () => {
	test('several reports make one case, with all texts', async () => {
		const other = await makeMember(`other${cast.query}`)
		await reportSubject(cast.member, named('query', cast.query), { reason: 'spam', details: 'Shoes again.' })
		await reportSubject(other, named('query', cast.query), { reason: 'abusive' })
		const { rows } = await listCases(cast.moderator, { order: 'reported', cursor: null })
		const own = rows.filter(({ kind, id }) => kind === 'query' && id === cast.query)
		expect(own).toHaveLength(1)
		expect(own[0]).toMatchObject({ reportCount: 2, title: 'Zebra crossings in CSS', state: 'visible' })
		expect(own[0]?.reports.map(({ reason, details }) => [reason, details])).toEqual([
			['abusive', ''],
			['spam', 'Shoes again.'],
		])
	})

	test('a duplicate by the same member is refused until a moderator has decided', async () => {
		const eager = await makeMember(`eager${cast.query}`)
		await reportSubject(eager, named('comment', cast.comment), spam)
		expect(await getReportable(eager, named('comment', cast.comment))).toMatchObject({ reported: true })
		await expect(reportSubject(eager, named('comment', cast.comment), spam)).rejects.toThrow(Conflict)
		await decide(cast.moderator, 'comment', cast.comment, 'dismiss')
		await reportSubject(eager, named('comment', cast.comment), spam)
		await expectCountsToHold()
	})

	test('that comes while a moderator dismisses what they read is not dismissed unread', async () => {
		const other = await makeMember(`late${cast.query}`)
		const read = async () => (await getCase(cast.moderator, named('query', cast.query))).activeAt
		await reportSubject(cast.member, named('query', cast.query), spam)
		const active = await read()
		await reportSubject(other, named('query', cast.query), { reason: 'abusive', details: 'He threatens me below.' })
		await expect(decide(cast.moderator, 'query', cast.query, 'dismiss', { active })).rejects.toThrow(
			'reported this again',
		)
		expect((await getCase(cast.moderator, named('query', cast.query))).reportCount).toBe(2)
		await decide(cast.moderator, 'query', cast.query, 'dismiss', { active: await read() })
		expect((await getCase(cast.moderator, named('query', cast.query))).isOpen).toBe(false)
	})

	test.each([
		['no reason', {}, 'reason'],
		['an unknown reason', { reason: 'boring' }, 'reason'],
		['something else without words', { reason: 'other', details: '  ' }, 'details'],
		['a novel', { reason: 'spam', details: 'x'.repeat(1_001) }, 'details'],
	])('with %s is refused at its field', async (_what, input, field) => {
		const before = await hashForum()
		const refusal = await reportSubject(cast.member, named('query', cast.query), input).catch((error: Invalid) => error)
		expect(refusal).toBeInstanceOf(Invalid)
		expect(Object.keys((refusal as Invalid).fields)).toEqual([field])
		expect(await hashForum()).toEqual(before)
	})

	test.each([
		['query', '0'],
		['query', '99999999'],
		['comment', '12x'],
		['profile', 'nobody\u0000'],
		['tag', '1'],
		['profile', FORMER_USERNAME],
		['profile', 'former-0a1b2c'],
	])('%s %j is not there', async (kind, name) => {
		// What stands in the conversations of somebody who left.
		if (name.startsWith('former-0'))
			await sql`insert into users (username, name, email, imported, former) values (${name}, 'Former member', ${name}, true, true)`.execute(
				db(),
			)
		await expect(reportSubject(cast.member, { kind, name }, spam)).rejects.toThrow(NotFound)
	})

	test('at most ten an hour, even concurrently', async () => {
		const busy = await makeMember(`busy${cast.query}`)
		const targets = await Promise.all(Array.from({ length: 12 }, () => makeComment(cast.author, cast.query)))
		const outcomes = await Promise.allSettled(targets.map((id) => reportSubject(busy, named('comment', id), spam)))
		expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
		for (const outcome of outcomes)
			if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ status: 429 })
		await expectCountsToHold()
	})
})

test('the queue is paged in both orders without gaps or duplicates', async () => {
	const reporter = [
		await makeMember(`first${cast.query}`),
		await makeMember(`next${cast.query}`),
		await makeMember(`last${cast.query}`),
	]
	const targets = await Promise.all(Array.from({ length: 24 }, () => makeComment(cast.author, cast.query)))
	for (const [index, id] of targets.entries())
		await reportSubject(reporter[index % 3] as SignedIn, named('comment', id), spam)
	for (const order of ['newest', 'reported'] as const) {
		const seen: string[] = []
		let cursor: string | null = null
		do {
			const page = await listCases(cast.moderator, { order, cursor })
			seen.push(...page.rows.map(({ kind, id }) => `${kind} ${id}`))
			cursor = page.next
		} while (cursor)
		expect(new Set(seen).size).toBe(seen.length)
		for (const id of targets) expect(seen).toContain(`comment ${id}`)
	}
	await expect(listCases(cast.moderator, { order: 'newest', cursor: 'WyJ4IiwxXQ' })).rejects.toThrow(Invalid)
})
