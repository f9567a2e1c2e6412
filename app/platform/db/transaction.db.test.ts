import { sql } from 'kysely'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { log } from '~/lib/log.server.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { db, type Executor } from './db.server.ts'
import { pipelinedTransaction } from './transaction.server.ts'

useDatabase()

beforeEach(async () => {
	await sql`create table if not exists trials (number integer primary key)`.execute(db())
	await sql`delete from trials`.execute(db())
})

test('statements begun in one tick run in that order, in one transaction', async () => {
	const ids = await pipelinedTransaction(async (trx) => {
		const [, seen, , seenLater] = await Promise.all([add(trx, 1), numbers(trx), add(trx, 2), numbers(trx)])
		expect([seen, seenLater]).toEqual([[1], [1, 2]])
		const ids = await Promise.all([transactionId(trx), transactionId(trx)])
		expect(await numbers(db())).toEqual([])
		return ids
	})
	expect(ids[0]).toBe(ids[1])
	expect(await numbers(db())).toEqual([1, 2])
})

test('the statement declared as the last one is committed with its answer', async () => {
	const seen = await pipelinedTransaction(async (trx, last) => {
		await add(trx, 1)
		return last(numbers(trx))
	})
	expect(seen).toEqual([1])
	expect(await numbers(db())).toEqual([1])
})

test('a read after the commit sees it, and what others committed meanwhile', async () => {
	const [id, later] = await pipelinedTransaction(async (trx, last, after) => {
		await add(trx, 1)
		expect(await numbers(trx)).toEqual([1])
		await add(db(), 2)
		return Promise.all([
			last(transactionId(trx)),
			after(() => Promise.all([numbers(trx), transactionId(trx), numbers(trx)])),
		])
	})
	expect(later).toEqual([[1, 2], expect.not.stringMatching(`^${id}$`), [1, 2]])
})

test('a failed read after the commit is undefined, and changes nothing else', async () => {
	const wrong = async (trx: Executor) => (await sql`select 1 / 0`.execute(trx)).rows
	// More often than there are connections.
	for (let number = 1; number <= 12; number += 1) {
		const read = await pipelinedTransaction((trx, last, after) =>
			Promise.all([last(add(trx, number)), after(() => wrong(trx)), after(() => numbers(trx))]),
		)
		expect(read).toEqual([undefined, undefined, Array.from({ length: number }, (_, index) => index + 1)])
	}
})

test('a connection that is lost after the commit loses only the reads', async () => {
	const end = async (trx: Executor) => (await sql`select pg_terminate_backend(pg_backend_pid())`.execute(trx)).rows
	const read = await pipelinedTransaction((trx, last, after) => Promise.all([last(add(trx, 1)), after(() => end(trx))]))
	expect(read).toEqual([undefined, undefined])
	expect(await numbers(db())).toEqual([1])
})

test.each<[string, Parameters<typeof pipelinedTransaction>[0], string]>([
	['a refusal between the statements', refuse, 'refused'],
	['a statement that fails', (trx) => Promise.all([add(trx, 1), add(trx, 1), numbers(trx)]), 'duplicate key'],
	['a last statement that fails', (trx, last) => Promise.all([add(trx, 1), last(add(trx, 1))]), 'duplicate key'],
	[
		'a last statement that fails before a read',
		(trx, last, after) => Promise.all([add(trx, 1), last(add(trx, 1)), after(() => numbers(trx))]),
		'duplicate key',
	],
])(
	'after %s the transaction is rolled back, the error is passed on, and the connection stays usable',
	async (_what, work, words) => {
		// More often than there are connections.
		for (let time = 0; time < 12; time += 1) await expect(pipelinedTransaction(work)).rejects.toThrow(words)
		expect(await numbers(db())).toEqual([])
		await pipelinedTransaction((trx, last) => last(add(trx, 3)))
		expect(await numbers(db())).toEqual([3])
	},
)

test('a connection that is lost midway loses only its own transaction', async () => {
	const lost = pipelinedTransaction(async (trx) => {
		await add(trx, 1)
		return sql`select pg_terminate_backend(pg_backend_pid())`.execute(trx)
	})
	await expect(lost).rejects.toThrow()
	expect(await numbers(db())).toEqual([])
	await pipelinedTransaction((trx) => add(trx, 2))
	expect(await numbers(db())).toEqual([2])
})

describe.each<[string, (work: (trx: Executor) => Promise<unknown>) => Promise<unknown>]>([
	['pipelinedTransaction', (work) => pipelinedTransaction(work)],
	['transaction', (work) => db().transaction().execute(work)],
])('%s', (_name, begin) => {
	test('two that lock the same rows in opposite orders both succeed, one by a retry', async () => {
		await add(db(), 1)
		await add(db(), 2)
		const warn = vi.spyOn(log, 'warn')
		let started = 0
		const first = Promise.withResolvers<void>()
		const done = Promise.withResolvers<void>()
		const change = async (one: number, other: number) => {
			await begin(async (trx) => {
				// On a busy machine, a retry could lock its row again before the other transaction, which waits for it, wakes up.
				if (started >= 2) await done.promise
				await sql`update trials set number = number + 10 where number % 10 = ${one}`.execute(trx)
				started += 1
				if (started === 2) first.resolve()
				await first.promise
				await sql`update trials set number = number + 10 where number % 10 = ${other}`.execute(trx)
			})
			done.resolve()
		}
		await Promise.all([change(1, 2), change(2, 1)])
		expect(await numbers(db())).toEqual([21, 22])
		expect(started).toBe(3)
		expect(warn).toHaveBeenCalledOnce()
	})

	test('one that fails passes on the cause, also if whoever waits for it learns of it last', async () => {
		const wrapped = async (statement: Promise<unknown>, layers: number): Promise<unknown> =>
			layers === 0 ? statement : await wrapped(statement, layers - 1)
		await add(db(), 1)
		const both = begin((trx) => Promise.all([wrapped(add(trx, 1), 20), numbers(trx)]))
		await expect(both).rejects.toThrow('duplicate key')
	})

	test('one that refers to a row which was just deleted is retried, and then sees that', async () => {
		await sql`create table if not exists notes (number integer references trials)`.execute(db())
		await add(db(), 1)
		const outcome = await begin(async (trx) => {
			const found = await numbers(trx)
			if (found.length === 0) return 'gone'
			await sql`delete from trials`.execute(db())
			await sql`insert into notes values (${found[0]})`.execute(trx)
			return 'noted'
		})
		expect(outcome).toBe('gone')
	})

	test('one that fails by itself is tried five times, and a refusal once', async () => {
		await sql`create table if not exists notes (number integer references trials)`.execute(db())
		let runs = 0
		const failing = begin((trx) => {
			runs += 1
			return sql`insert into notes values (5)`.execute(trx)
		})
		await expect(failing).rejects.toThrow('foreign key')
		expect(runs).toBe(5)
		const refused = begin(async () => {
			runs += 1
			throw new Error('refused')
		})
		await expect(refused).rejects.toThrow('refused')
		expect(runs).toBe(6)
		expect(await numbers(db())).toEqual([])
	})
})

async function refuse(trx: Executor): Promise<void> {
	await add(trx, 1)
	throw new Error('refused')
}

async function add(trx: Executor, number: number): Promise<void> {
	await sql`insert into trials values (${number})`.execute(trx)
}

async function numbers(trx: Executor): Promise<number[]> {
	const { rows } = await sql<{ number: number }>`select number from trials order by number`.execute(trx)
	return rows.map(({ number }) => number)
}

async function transactionId(trx: Executor): Promise<string | undefined> {
	const { rows } = await sql<{ id: string }>`select pg_current_xact_id()::text as id`.execute(trx)
	return rows[0]?.id
}
