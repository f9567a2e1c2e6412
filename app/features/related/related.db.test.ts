import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { deleteQuestion, editQuestion } from '~/features/asking/asking.server.ts'
import { hidePost, restorePost } from '~/features/questions/status/takedown.server.ts'
import { refreshWordCounts } from '~/features/search/similar/similar.queries.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db, pool } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import { markNeighboursDue, readDueQuestions, recordOpened, storeRelated } from './related.queries.server.ts'
import { findRelated, listRelated } from './related.server.ts'

useDatabase()

let asker: SignedIn
let moderator: SignedIn
beforeAll(async () => {
	asker = await makeMember('asker')
	moderator = await makeMember('warden', 'moderator')
	for (const title of others) await makeQuestion(asker, { title })
	await refreshWordCounts()
})

/** Prevents any word of the questions below from occurring in all questions. */
const others = [
	'Reading a CSV file in Python line by line',
	'useEffect runs twice on mount',
	'Why is my index not used by PostgreSQL?',
	'Soldering iron temperature for a microcontroller board',
	'What to wear for an internship interview',
]

beforeEach(findAll)

/** Runs the job until it has nothing left. */
async function findAll(): Promise<void> {
	while ((await readDueQuestions(1, 1)).length > 0) await findRelated(false)
}

async function idsOf(questionId: number): Promise<number[]> {
	const { rows } = await listRelated(null, questionId)
	return rows.map(({ url }) => Number(url.split('/')[4]))
}

const wantedIds = async () => (await readDueQuestions(1_000, 1)).map(({ id }) => id)

/** Two similar questions, with words that no other test uses. */
async function makePair(words: string): Promise<[number, number]> {
	const one = await makeQuestion(asker, { title: `What is the ${words}?` })
	const other = await makeQuestion(asker, { title: `Why the ${words} again` })
	return [one.id, other.id]
}

async function withoutRow(questionId: number): Promise<void> {
	await sql`delete from related_questions where question_id = ${questionId}`.execute(db())
}

describe('after the next run', () => {
	test('a question shows similar ones in their present state, and no unrelated ones', async () => {
		const [one, other] = await makePair('detached rebase')
		expect(await idsOf(one)).toEqual([])
		await findAll()
		const { rows, tags } = await listRelated(null, one)
		expect(rows).toEqual([
			{
				url: `/forum/others/asker/${other}/why-the-detached-rebase-again`,
				title: 'Why the detached rebase again',
				solved: false,
				commentCount: 0,
			},
		])
		expect(tags).toEqual([`query:${other}`])
		await makeComment(asker, other)
		expect((await listRelated(null, one)).rows[0]?.commentCount).toBe(1)
		// Of the earlier questions none is related to another one.
		const { rows: strangers } = await sql<{ id: number }>`
			select question_id as id from related_questions where related_ids <> '{}' and question_id < ${one}`.execute(db())
		expect(strangers).toEqual([])
	})

	test('without a common category or tag only very similar questions are shown', async () => {
		const one = await makeQuestion(asker, {
			title: 'My thermostat sleeps after two winters of work below a greenhouse roof',
			tags: 'firmware',
		})
		const elsewhere = { category: 'python', description: 'Nothing like it.' }
		const shares = 'Somebody sleeps after two long hours of reading papers'
		await makeQuestion(asker, { ...elsewhere, title: shares, tags: 'reading' })
		const tagged = await makeQuestion(asker, { ...elsewhere, title: shares, tags: 'firmware' })
		const same = await makeQuestion(asker, {
			...elsewhere,
			title: 'A thermostat sleeps after two winters',
			tags: 'heat',
		})
		await findAll()
		expect((await idsOf(one.id)).toSorted()).toEqual([tagged.id, same.id].toSorted())
	})

	test('an older question shows a newer one', async () => {
		const old = await makeQuestion(asker, { title: 'Marmalade compiler crashes on start' })
		await findAll()
		expect(await idsOf(old.id)).toEqual([])
		const newcomer = await makeQuestion(asker, { title: 'The marmalade compiler crashes' })
		await findAll()
		expect([await idsOf(old.id), await idsOf(newcomer.id)]).toEqual([[newcomer.id], [old.id]])
	})

	test('an edited question is no longer related to its former matches, in either direction', async () => {
		const [one, other] = await makePair('walnut lantern')
		await findAll()
		expect([await idsOf(one), await idsOf(other)]).toEqual([[other], [one]])
		await editQuestion(asker, other, {
			title: 'Pomegranate yoghurt without sugar',
			description: 'Where is it sold?',
			tags: 'testing',
			category: 'others',
		})
		await findAll()
		expect([await idsOf(one), await idsOf(other)]).toEqual([[], []])
	})

	test('comments, votes and tags do not trigger a refresh', async () => {
		const [one] = await makePair('ginger squash')
		await findAll()
		await makeComment(asker, one)
		await editQuestion(asker, one, {
			title: 'What is the ginger squash?',
			description: 'How does it work?',
			tags: 'testing, more',
			category: 'others',
		})
		expect(await wantedIds()).toEqual([])
	})

	test('shows at most five of eight stored ones', async () => {
		const made: number[] = []
		for (let number = 0; number < 11; number += 1)
			made.push((await makeQuestion(asker, { title: `Zookeeper quorum lost, try ${number}` })).id)
		await findAll()
		expect(await idsOf(made[0] ?? 0)).toHaveLength(5)
		expect((await listRelated(null, made[0] ?? 0)).tags).toHaveLength(8)
	})
})

describe('an unpublished question', () => {
	const hidden = { kind: 'query', reason: 'Off-topic.' } as const

	test('disappears from others at once, and returns when it is published again', async () => {
		const [one, other] = await makePair('conflicting merges')
		await findAll()
		await hidePost({ ...hidden, id: other, by: moderator.id }, async () => {})
		const { rows, tags } = await listRelated(moderator, one)
		expect([rows, tags]).toEqual([[], [`query:${other}`]])
		expect(await idsOf(other)).toEqual([])
		await restorePost({ ...hidden, id: other, by: moderator.id, before: { status: 'published' } }, async () => true)
		expect(await idsOf(one)).toEqual([other])
		await findAll()
		expect(await idsOf(other)).toEqual([one])
	})

	test('has no row, and gets none when it is opened', async () => {
		const [one, other] = await makePair('silver stash')
		await findAll()
		await deleteQuestion(asker, other)
		await recordOpened(other)
		const { rows } = await sql`select from related_questions where question_id = ${other}`.execute(db())
		expect(rows).toEqual([])
		expect(await wantedIds()).toEqual([])
		expect(await idsOf(one)).toEqual([])
	})

	test('is not found while it is pending', async () => {
		const [one, other] = await makePair('velvet revert')
		await sql`update questions set status = 'pending' where id = ${other}`.execute(db())
		await findAll()
		expect(await idsOf(one)).toEqual([])
		await sql`update questions set status = 'published' where id = ${other}`.execute(db())
		await findAll()
		expect([await idsOf(one), await idsOf(other)]).toEqual([[other], [one]])
	})
})

describe('a run', () => {
	test('processes an older question when somebody opens it', async () => {
		const [one, other] = await makePair('shallow fetch')
		await findAll()
		await withoutRow(one)
		await findAll()
		expect(await idsOf(one)).toEqual([])
		await eventually(async () => expect(await wantedIds()).toEqual([one]))
		await findAll()
		expect(await idsOf(one)).toEqual([other])
	})

	test('processes opened questions first, then the newest', async () => {
		const [one, other] = await makePair('forced push')
		await withoutRow(one)
		const third = await makeQuestion(asker, { title: 'A question of another kind' })
		await recordOpened(one)
		expect((await readDueQuestions(2, 1)).map(({ id }) => id)).toEqual([one, third.id])
		expect(await wantedIds()).toEqual([one, third.id, other])
	})

	test('prioritizes a waiting or month-old question once when it is opened', async () => {
		const [one, other] = await makePair('bare clone')
		await findAll()
		const opened = async (id: number) => {
			await listRelated(null, id)
			// What it does not wait for is done once no connection is in use.
			await eventually(() => expect([pool().waitingCount, pool().idleCount]).toEqual([0, pool().totalCount]))
			const { rows } = await sql<{ opened: boolean }>`
				select opened from related_questions where question_id = ${id} and wanted_at is not null`.execute(db())
			return rows[0]?.opened ?? null
		}
		expect(await opened(one)).toBeNull()
		await sql`update related_questions set made_at = now() - interval '31 days' where question_id = ${one}`.execute(
			db(),
		)
		expect(await opened(one)).toBe(true)
		await sql`update related_questions set wanted_at = now() where question_id = ${other}`.execute(db())
		expect(await opened(other)).toBe(false)
		await sql`update related_questions set wanted_at = now() - interval '3 minutes' where question_id = ${other}`.execute(
			db(),
		)
		expect(await opened(other)).toBe(true)
	})

	test('with an encoder, a question waits for its vector, ten minutes at most', async () => {
		const { id } = await makeQuestion(asker, { title: 'A tarpaulin for the stage' })
		const isWanted = async () => (await readDueQuestions(1_000, 1, true)).some((question) => question.id === id)
		expect([await isWanted(), (await wantedIds()).includes(id)]).toEqual([false, true])
		await sql`update question_vectors set changed_at = now() - interval '11 minutes' where question_id = ${id}`.execute(
			db(),
		)
		expect(await isWanted()).toBe(true)
		await sql`update question_vectors set changed_at = now(), vector = '' where question_id = ${id}`.execute(db())
		expect(await isWanted()).toBe(true)
	})

	test('does not store a result for a question that changed meanwhile', async () => {
		const [one, other] = await makePair('octopus pull')
		const read = (await readDueQuestions(10, 100)).find(({ id }) => id === one)
		if (!read) throw new Error('It is not among those that are wanted.')
		await editQuestion(asker, one, {
			title: 'How to undo a pull?',
			description: 'Now.',
			tags: 'testing',
			category: 'others',
		})
		expect(await storeRelated(read, [other])).toBe(false)
		expect(await wantedIds()).toContain(one)
	})

	test('a new question refreshes only the questions it matches', async () => {
		const [one, other] = await makePair('signed release tag')
		await findAll()
		const before = { year: '2020-01-01T00:00:00Z', now: new Date().toISOString() }
		await markNeighboursDue([one, other, 2_000_000_000], before.year)
		expect(await wantedIds()).toEqual([])
		await markNeighboursDue([one, 2_000_000_000], before.now)
		expect(await wantedIds()).toEqual([one])
		await findAll()
		expect(await wantedIds()).toEqual([])
	})
})

test('rows are deleted with their question', async () => {
	const [one, other] = await makePair('orphan branch')
	await findAll()
	await sql`delete from questions where id = ${other}`.execute(db())
	const { rows } = await sql`select from related_questions where question_id = ${other}`.execute(db())
	expect([rows, await idsOf(one)]).toEqual([[], []])
})
