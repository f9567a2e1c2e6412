import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import Tinypool from 'tinypool'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { deleteQuestion, editQuestion } from '~/features/asking/asking.server.ts'
import { deleteComment, editComment, restoreComment } from '~/features/discussion/commenting.server.ts'
import { erasePost } from '~/features/questions/leaving/leaving.queries.server.ts'
import { remember } from '~/lib/remember.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { encode, hasEncoder, stopEncoder } from '~/platform/encoder/encoder.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { eventually } from '../../../../tests/support/eventually.ts'
import { beginMeaning, encodeQuestions } from './meaning.server.ts'
import { refreshWordCounts } from './similar.queries.server.ts'
import { findSimilar } from './similar.server.ts'
import { noteUnencoded, readUnencoded, readVectors, storeVector } from './vectors.queries.server.ts'

useDatabase()

const held = remember<{ pool?: Tinypool; folder?: string | null }>('encoder thread', () => ({}))
let asker: SignedIn
beforeAll(async () => {
	asker = await makeMember('asker')
})
afterAll(stopEncoder)
// The first text waits until the model is loaded.
beforeEach(async () => void (await encode('warm', { maxPieces: 8 })))

async function vectorOf(id: number): Promise<Buffer | null> {
	return (await readVectors([id]))[0]?.vector ?? null
}

async function rowOf(id: number): Promise<unknown> {
	return (await sql`select * from question_vectors where question_id = ${id}`.execute(db())).rows[0]
}

async function isDue(id: number): Promise<boolean> {
	return (await readUnencoded(1_000)).some((question) => question.id === id)
}

/** Sets a time of the row this many minutes back. */
async function age(id: number, column: 'changed_at' | 'outdated_since', minutes: number): Promise<void> {
	await sql`update question_vectors set ${sql.ref(column)} = ${sql.ref(column)} - make_interval(mins => ${minutes})
		where question_id = ${id}`.execute(db())
}

async function hasRow(id: number): Promise<boolean> {
	return (await sql`select from question_vectors where question_id = ${id}`.execute(db())).rows.length > 0
}

test('a question has a vector after the next run, and another one when its texts have changed', async () => {
	const { id } = await makeQuestion(asker, { title: 'How do I undo a rebase?', description: 'I lost two commits.' })
	expect(await vectorOf(id)).toBeNull()
	await encodeQuestions()
	const first = await vectorOf(id)
	expect(first).toHaveLength(516)

	// An added comment is missing in the vector until a while later.
	const comment = await makeComment(asker, id, 'The reflog still knows the old commit.')
	await encodeQuestions()
	expect(await vectorOf(id)).toEqual(first)
	await age(id, 'changed_at', 16)
	await encodeQuestions()
	const second = await vectorOf(id)
	expect(second).not.toEqual(first)

	const changes = [
		() => editComment(asker, comment, { body: 'The stash still knows it.' }),
		() => deleteComment(asker, comment),
		() => restoreComment(asker, comment),
		() => erasePost(db(), 'comment', comment, false),
		() =>
			editQuestion(asker, id, {
				title: 'How do I undo a merge?',
				description: 'I lost two.',
				tags: 'git',
				category: 'others',
			}),
	]
	for (const change of changes) {
		await encodeQuestions()
		expect(await vectorOf(id)).not.toBeNull()
		await change()
		// What was removed or replaced is in no vector, from that moment.
		expect(await vectorOf(id)).toBeNull()
	}
})

test('an ongoing discussion is encoded once an hour', async () => {
	const { id } = await makeQuestion(asker, { title: 'A question that many discuss' })
	await encodeQuestions()
	await makeComment(asker, id)
	await age(id, 'outdated_since', 59)
	await makeComment(asker, id)
	expect(await isDue(id)).toBe(false)
	await age(id, 'outdated_since', 2)
	expect(await isDue(id)).toBe(true)
	await encodeQuestions()
	expect(await isDue(id)).toBe(false)
})

test('replies, votes, and comments behind the twentieth leave the vector as it is', async () => {
	const { id } = await makeQuestion(asker, { title: 'A question with many comments' })
	const made = await sql<{ id: number }>`
		insert into comments (id, question_id, author_id, path, body, body_html)
		select n, ${id}, ${asker.id}, array[n], 'Text', ''
		from (select nextval(pg_get_serial_sequence('comments', 'id'))::int as n from generate_series(1, 20)) made returning id`.execute(
		db(),
	)
	await encodeQuestions()
	const before = await rowOf(id)
	const reply = await makeComment(asker, id, 'A reply.', made.rows[0]?.id)
	const behind = await makeComment(asker, id, 'Comment 21.')
	await deleteComment(asker, reply)
	await editComment(asker, behind, { body: 'Comment 21, edited.' })
	await deleteComment(asker, behind)
	await sql`update comments set score = 5 where question_id = ${id}`.execute(db())
	expect(await rowOf(id)).toEqual(before)
	await deleteComment(asker, made.rows[19]?.id ?? 0)
	expect(await vectorOf(id)).toBeNull()
})

test('the thread ends with the job that started it, and stays while members ask', async () => {
	expect(held.pool).toBeDefined()
	await encodeQuestions()
	expect(held.pool).toBeUndefined()
	await encode('a title being typed', { maxPieces: 8, withinMs: 60_000 })
	await encodeQuestions()
	expect(held.pool).toBeDefined()
})

test('a question that is not published has no row', async () => {
	const { id } = await makeQuestion(asker, { title: 'A question that goes' })
	await encodeQuestions()
	expect(await hasRow(id)).toBe(true)
	await deleteQuestion(asker, id)
	expect(await hasRow(id)).toBe(false)
	await encodeQuestions()
	expect(await hasRow(id)).toBe(false)
})

test('a vector of outdated texts is not stored', async () => {
	const { id } = await makeQuestion(asker, { title: 'A question that changes meanwhile' })
	const [read] = (await readUnencoded(100)).filter((each) => each.id === id)
	if (!read) throw new Error('It is not among those without a vector.')
	await makeComment(asker, id, 'A comment that came meanwhile.')
	await storeVector(read, Buffer.alloc(516))
	expect(await vectorOf(id)).toBeNull()
})

test('a question from before the table is noted once', async () => {
	const { id } = await makeQuestion(asker, { title: 'An old question' })
	await sql`delete from question_vectors where question_id = ${id}`.execute(db())
	await noteUnencoded()
	await noteUnencoded()
	expect((await readUnencoded(100)).filter((each) => each.id === id)).toHaveLength(1)
})

test('of two questions with the same words, the one with the same meaning comes first', async () => {
	const account = await makeQuestion(asker, {
		title: 'Deactivating and removing an account',
		description: 'I want to leave the service and have my profile erased.',
	})
	const bank = await makeQuestion(asker, {
		title: 'Opening and removing an account',
		description: 'Which bank pays the best interest for savings?',
	})
	await encodeQuestions()
	await refreshWordCounts()
	const byMeaning = beginMeaning('erase my profile from the service', 60_000)
	const [first, second] = await byMeaning([
		{ id: bank.id, score: 0.4 },
		{ id: account.id, score: 0.4 },
	])
	expect([first?.id, second?.id]).toEqual([account.id, bank.id])
	expect((first?.score ?? 0) - (second?.score ?? 0)).toBeGreaterThan(0.1)
})

test('questions without a vector are found by their words', async () => {
	const { id } = await makeQuestion(asker, { title: 'Marmalade compiler crashes' })
	await refreshWordCounts()
	const found = await findSimilar({ title: 'marmalade compiler' })
	expect(found[0]?.id).toBe(id)
	expect(found[0]?.score).toBe((await findSimilar({ title: 'marmalade compiler', byMeaning: false }))[0]?.score)
})

describe('if the encoder fails, the response comes without it, in time', () => {
	afterEach(async () => {
		await stopEncoder()
		delete held.folder
	})

	/** Replaces the encoder's thread by one that runs this source. */
	async function replaceThread(source: string): Promise<void> {
		await stopEncoder()
		const folder = mkdtempSync(join(tmpdir(), 'devquad-thread-'))
		const [filename, loaded] = [join(folder, 'thread.mjs'), join(folder, 'loaded')]
		writeFileSync(
			filename,
			`import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(loaded)}, '')\n${source}`,
		)
		held.pool = new Tinypool({ filename, runtime: 'worker_threads', minThreads: 1, maxThreads: 1 })
		await eventually(() => expect(existsSync(loaded)).toBe(true))
		rmSync(folder, { recursive: true })
	}

	test.each([
		['hangs', 'export default () => { for (;;); }'],
		['dies', 'export default () => process.exit(1)'],
		['throws', "export default () => { throw new Error('broken') }"],
	])('where the thread %s, similar queries are found by their words within the time limit', async (_name, source) => {
		const { id } = await makeQuestion(asker, { title: 'Pomegranate parser loses commas' })
		await encodeQuestions()
		await refreshWordCounts()
		await findSimilar({ title: 'pomegranate parser' })
		await replaceThread(source)
		const began = performance.now()
		const found = await findSimilar({ title: 'pomegranate parser' })
		// Long before a hanging thread is terminated.
		expect(performance.now() - began).toBeLessThan(8_000)
		expect(found.map((each) => each.id)).toContain(id)
		// The run ends, and leaves the texts that it could not encode to a later one.
		const other = await makeQuestion(asker, { title: 'A question that waits' })
		if (source.includes('for')) return
		await encodeQuestions()
		expect(await vectorOf(other.id)).toBeNull()
	})

	test('a site without the package searches by words only', async () => {
		const { id } = await makeQuestion(asker, { title: 'Tangerine linker crashes' })
		await encodeQuestions()
		await refreshWordCounts()
		await stopEncoder()
		held.folder = null
		expect(hasEncoder()).toBe(false)
		expect(await encode('anything', { maxPieces: 8 })).toBeNull()
		await encodeQuestions()
		const found = await findSimilar({ title: 'tangerine linker' })
		expect(found[0]?.id).toBe(id)
		expect(found[0]?.score).toBe((await findSimilar({ title: 'tangerine linker', byMeaning: false }))[0]?.score)
		expect(held.pool).toBeUndefined()
	})
})
