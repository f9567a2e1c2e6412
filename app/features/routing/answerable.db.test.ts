import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { chooseSolution } from '~/features/discussion/votes.server.ts'
import { writeBlock } from '~/features/members/blocks.queries.server.ts'
import { setSkills } from '~/features/members/skills.server.ts'
import { muteQuestion } from '~/features/questions/notifying/notifying.server.ts'
import { loadTerms } from '~/features/terms/terms.server.ts'
import { Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { decide } from '../../../tests/support/moderation-cast.ts'
import { getRoutingChoice, listAnswerable, readFeed, renewFeed } from './answerable.server.ts'
import { setOptedIn } from './choosing.server.ts'
import { differenceOf, type GainSide, getGain, verdictOf } from './gain.server.ts'
import { ANSWERABLE_PER_PAGE } from './routing.limits.ts'

useDatabase()

let serial = 0
let asker: SignedIn
let moderator: SignedIn
let member: SignedIn

beforeAll(async () => {
	await loadTerms()
	moderator = await makeMember('answer-moderator', 'moderator')
})

beforeEach(async () => {
	serial += 1
	await sql`update questions set status = 'deleted'`.execute(db())
	await sql`truncate question_routing`.execute(db())
	asker = await makeMember(`asker${serial}`)
	member = await makeMember(`member${serial}`)
	await know(['React', 'TypeScript'])
})

describe('the questions that a member can answer', () => {
	test('are open, match what they know, name the reason, and start with the best match', async () => {
		const older = await ask('react', { days: 2 })
		const both = await ask('react, typescript', { days: 2 })
		const fresh = await ask('typescript', { days: 0 })
		const old = await ask('react, typescript', { days: 30 })
		const part = await ask('javascript', { days: 2 })
		await ask('python', { days: 0 })
		const commented = await ask('react', { days: 1 })
		await makeComment(moderator, commented)
		const { rows, next } = await listAnswerable(member, null)
		expect(rows.map(({ id, because }) => [id, because.join(', ')])).toEqual([
			[both, 'React, TypeScript'],
			[fresh, 'TypeScript'],
			[older, 'React'],
			[commented, 'React'],
			[part, rows.find(({ id }) => id === part)?.because.join(', ')],
			[old, 'React, TypeScript'],
		])
		expect(next).toBeNull()
		expect(rows.find(({ id }) => id === commented)).toMatchObject({ commentCount: 1, tags: ['react'] })
	})

	test('keep their order during paging, however often a tag was declined', async () => {
		for (let each = 0; each <= ANSWERABLE_PER_PAGE; each += 1) await ask('react', { days: each })
		const declined = await ask('react', { days: 60 })
		await sql`insert into question_asks (question_id, user_id, round, tag_ids, names, declined_at)
			select ${declined}, ${member.id}, 1, array_fill(id, array[400]), '{React}', now() - interval '40 days' from tags where name = 'react'`.execute(
			db(),
		)
		const { next } = await listAnswerable(member, null)
		expect(next).not.toBeNull()
		await new Promise((resolve) => setTimeout(resolve, 500))
		expect((await listAnswerable(member, null)).next).toBe(next)
	})

	test.each<[what: string, become: (id: number) => Promise<unknown>]>([
		['their own', (id) => sql`update questions set author_id = ${member.id} where id = ${id}`.execute(db())],
		['solved', async (id) => chooseSolution(asker, { questionId: id, commentId: await makeComment(moderator, id) })],
		['locked', (id) => decide(moderator, 'query', id, 'lock')],
		['hidden', (id) => decide(moderator, 'query', id, 'hide')],
		['answered by them', (id) => makeComment(member, id)],
		['muted', (id) => muteQuestion(member, id, true)],
		['of somebody whom they block', () => writeBlock(db(), member.id, asker.id, true)],
		['of somebody who blocks them', () => writeBlock(db(), asker.id, member.id, true)],
		[
			'nothing for them, as they said',
			(id) =>
				sql`insert into question_asks (question_id, user_id, round, tag_ids, names, declined_at)
					values (${id}, ${member.id}, 1, '{}', '{}', now())`.execute(db()),
		],
	])('is not %s', async (_what, become) => {
		const id = await ask('react')
		expect((await listAnswerable(member, null)).rows.map((row) => row.id)).toEqual([id])
		await become(id)
		expect((await listAnswerable(member, null)).rows).toEqual([])
	})

	test('are found by earlier answers too, without a listed skill', async () => {
		await know([])
		const answered = await ask('python')
		const id = await ask('python')
		expect((await listAnswerable(member, null)).rows).toEqual([])
		await makeComment(member, answered)
		expect((await listAnswerable(member, null)).rows).toMatchObject([{ id, because: ['python'] }])
	})

	test('are paged without duplicates, even with equal ranks', async () => {
		const ids = []
		for (let number = 0; number < ANSWERABLE_PER_PAGE + 3; number += 1)
			ids.push(await ask('react', { by: await makeMember(`many${serial}-${number}`) }))
		await sql`update question_tags set created_at = date_trunc('day', created_at)`.execute(db())
		const first = await listAnswerable(member, null)
		const second = await listAnswerable(member, first.next)
		expect(first.rows).toHaveLength(ANSWERABLE_PER_PAGE)
		expect(second.next).toBeNull()
		expect([...first.rows, ...second.rows].map(({ id }) => id)).toEqual(ids.toReversed())
		await expect(listAnswerable(member, 'nonsense')).rejects.toThrow(Invalid)
		await expect(listAnswerable(null, null)).rejects.toThrow(NotAllowed)
	})

	test('name an author under a pseudonym as such, who has no profile', async () => {
		const { id } = await makeQuestion(asker, { tags: 'react', pseudonym: 'on' })
		const other = await ask('react', { days: 1 })
		const { rows } = await listAnswerable(member, null)
		const authorOf = (questionId: number) => rows.find((row) => row.id === questionId)?.author
		expect(authorOf(id)).toMatchObject({ pseudonym: { verified: false }, image: null })
		expect(JSON.stringify(authorOf(id))).not.toContain(asker.username)
		expect(authorOf(other)).toEqual({ username: asker.username, name: asker.name, image: null })
	})
})

describe('the feed', () => {
	const keyOf = ({ feed }: { feed: string }) => new URL(feed, 'https://campus.example').searchParams.get('key') ?? ''

	test('has the same questions as the page, at an address that its member can invalidate', async () => {
		const id = await ask('react')
		const key = keyOf(await getRoutingChoice(member))
		expect((await readFeed(key)).map((row) => row.id)).toEqual([id])
		await renewFeed(member)
		await expect(readFeed(key)).rejects.toThrow(NotFound)
		const fresh = keyOf(await getRoutingChoice(member))
		expect((await readFeed(fresh)).map((row) => row.id)).toEqual([id])
		for (const wrong of ['', key.replace(/^\d+/, String(asker.id)), `${fresh}x`, fresh.slice(0, -1), '1.0.'])
			await expect(readFeed(wrong)).rejects.toThrow(NotFound)
		await expect(renewFeed(null)).rejects.toThrow(NotAllowed)
	})

	test('a new address does not change the opt-in, nor the reverse', async () => {
		await setOptedIn(member, true)
		const before = await getRoutingChoice(member)
		await renewFeed(member)
		const after = await getRoutingChoice(member)
		expect([before.optedIn, after.optedIn, before.feed === after.feed]).toEqual([true, true, false])
		await setOptedIn(member, false)
		expect(await getRoutingChoice(member)).toEqual({ optedIn: false, feed: after.feed })
	})
})

describe('the effect of asking members', () => {
	test('counts questions that are at least a day old, from when they became public', async () => {
		const ages: [routed: boolean, hoursOld: number, hoursToAnswer: number | null][] = [
			[true, 48, 1],
			[true, 72, 2],
			[true, 48, 30],
			[true, 12, 1],
			[true, 24 * 91, 1],
			[false, 48, null],
			[false, 48, 5],
		]
		for (const [routed, hoursOld, hoursToAnswer] of ages) {
			const id = await ask('react', { by: await makeMember(crypto.randomUUID().slice(0, 12)) })
			await sql`update question_routing set routed = ${routed}, published_at = now() - make_interval(hours => ${hoursOld})
				where question_id = ${id}`.execute(db())
			await makeComment(await authorOf(id), id, 'Nobody?')
			if (hoursToAnswer === null) continue
			const comment = await makeComment(moderator, id)
			await sql`update comments set created_at = published_at + make_interval(hours => ${hoursToAnswer})
				from question_routing where question_routing.question_id = ${id} and comments.id = ${comment}`.execute(db())
		}
		const hidden = await ask('react')
		await sql`update question_routing set routed = true, published_at = now() - interval '2 days' where question_id = ${hidden}`.execute(
			db(),
		)
		await decide(moderator, 'query', hidden, 'hide')
		const { routed, leftOut, verdict } = await getGain()
		expect(routed).toEqual({ questions: 3, medianSeconds: 7_200, withinDay: 2 })
		expect(leftOut).toEqual({ questions: 2, medianSeconds: 18_000, withinDay: 1 })
		expect(verdict).toMatch(/^Too few queries/)
	})

	test('is empty without questions', async () => {
		const none = { questions: 0, medianSeconds: null, withinDay: 0 }
		expect(await getGain()).toMatchObject({ routed: none, leftOut: none })
	})

	const side = (questions: number, withinDay: number): GainSide => ({ questions, withinDay, medianSeconds: null })

	test.each<[routed: GainSide, leftOut: GainSide, begins: RegExp]>([
		[side(29, 29), side(400, 0), /^Too few/],
		[side(400, 0), side(29, 29), /^Too few/],
		[side(120, 90), side(30, 15), /^Asking members helps: .* is 25 percentage points higher/],
		[
			side(120, 72),
			side(30, 15),
			/^The difference of \+10 percentage points within 24 hours may be chance \(95% confidence interval −9 to \+29\)/,
		],
		[side(120, 15), side(30, 15), /^Asking members does not help: .* is 38 percentage points lower/],
		[side(30, 30), side(30, 30), /^The difference of 0 percentage points/],
	])('of %o beside %o', (routed, leftOut, begins) => {
		expect(verdictOf(routed, leftOut)).toMatch(begins)
	})

	test('computes Newcombe’s interval: 56 of 70 and 48 of 80 differ by +5.2 to +33.4 points', () => {
		const { points, low, high } = differenceOf(side(70, 56), side(80, 48))
		expect([points, low, high].map((value) => value.toFixed(1))).toEqual(['20.0', '5.2', '33.4'])
	})
})

/** Sets the member's skills. */
function know(skills: string[]): Promise<void> {
	return db()
		.transaction()
		.execute((trx) => setSkills(trx, member.id, skills))
}

/** Adds a question of this age. @returns its id */
async function ask(tags: string, { days = 0, by = asker } = {}): Promise<number> {
	const { id } = await makeQuestion(by, { tags })
	for (const [table, key] of [
		['questions', 'id'],
		['question_tags', 'question_id'],
	] as const)
		await sql`update ${sql.table(table)} set created_at = created_at - make_interval(days => ${days}) where ${sql.ref(key)} = ${id}`.execute(
			db(),
		)
	return id
}

async function authorOf(id: number): Promise<SignedIn> {
	const { rows } = await sql<SignedIn>`
		select users.id, username, name, image, role from users join questions on author_id = users.id where questions.id = ${id}`.execute(
		db(),
	)
	return rows[0] as SignedIn
}
