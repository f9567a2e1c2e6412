import { sql } from 'kysely'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { useDatabase } from '../../../tests/support/database.ts'
import { db, pool } from './db.server.ts'
import { pipelinedTransaction } from './transaction.server.ts'

useDatabase()

/* A newer version adds columns while nodes of the version before serve, on connections that know their statements already. */

const all = 'select * from growing where id = $1'

test('a statement that returns all columns still works after a column was added, on every connection', async () => {
	await pool().query('create table growing (id integer primary key)')
	await pool().query('insert into growing values (1)')
	await onConnections(4, async (ask) => expect(await ask()).toEqual([{ id: 1 }]))
	await pool().query("alter table growing add column note text default 'new'")
	await onConnections(4, async (ask) => expect(await ask()).toEqual([{ id: 1, note: 'new' }]))
	await pool().query('alter table growing add column more integer')
	const answered = new Promise((resolve, reject) =>
		pool().query(all, [1], (error, result) => (error ? reject(error) : resolve(result.rows))),
	)
	expect(await answered).toEqual([{ id: 1, note: 'new', more: null }])
})

test('a transaction that fails because of it reports that, and the next one succeeds', async () => {
	await pool().query('create table growing_too (id integer primary key)')
	const add = (id: number) =>
		pipelinedTransaction((trx) =>
			sql`insert into growing_too (id) values (${id}) returning *`.execute(trx).then(({ rows }) => rows),
		)
	expect(await add(1)).toEqual([{ id: 1 }])
	await pool().query('alter table growing_too add column note text')
	await expect(add(2)).rejects.toThrow('cached plan must not change result type')
	expect(await add(3)).toEqual([{ id: 3, note: null }])
	expect((await sql`select id from growing_too order by id`.execute(db())).rows).toEqual([{ id: 1 }, { id: 3 }])
})

test('the rows of a statement are described once per connection, and parsed the same each time', async () => {
	const text = `select $1::int as n, now() > $2::timestamptz as later, array[1, 2] as list, null::text as nothing, date '2026-11-27' as day
		from generate_series(1, $1::int)`
	const describe = vi.spyOn(pg.Connection.prototype, 'describe')
	try {
		for (const client of await Promise.all([pool().connect(), pool().connect()])) {
			describe.mockClear()
			const ask = async (n: number) => (await client.query(text, [n, new Date(0)])).rows
			const row = (n: number) => ({ n, later: true, list: [1, 2], nothing: null, day: new Date(2026, 10, 27) })
			expect([await ask(2), await ask(0), await ask(1)]).toEqual([[row(2), row(2)], [], [row(1)]])
			expect(await Promise.all([ask(1), ask(0), ask(2)])).toEqual([[row(1)], [], [row(2), row(2)]])
			expect(describe).toHaveBeenCalledTimes(1)
			client.release()
		}
	} finally {
		describe.mockRestore()
	}
})

test('rows of a cursor are parsed by their own description, although another cursor had its name before', async () => {
	const client = await pool().connect()
	const fetchAll = async (statement: string) => {
		await client.query('begin')
		await client.query(`declare shown no scroll cursor for ${statement}`, [])
		const { rows } = await client.query('fetch 10 from shown', [])
		await client.query('commit')
		return rows
	}
	try {
		expect(await fetchAll(`select 1 as one, 'x' as other`)).toEqual([{ one: 1, other: 'x' }])
		expect(await fetchAll(`select 'y' as first, 2 as second`)).toEqual([{ first: 'y', second: 2 }])
		expect(await fetchAll('select true as only')).toEqual([{ only: true }])
	} finally {
		client.release()
	}
})

test('a statement that first failed is parsed correctly once it succeeds, and one without rows returns its row count', async () => {
	const client = await pool().connect()
	try {
		const divide = async (by: number) => (await client.query('select 6 / $1::int as result', [by])).rows
		await expect(divide(0)).rejects.toThrow('division by zero')
		expect([await divide(2), await divide(3)]).toEqual([[{ result: 3 }], [{ result: 2 }]])
		await expect(divide(0)).rejects.toThrow('division by zero')
		expect(await divide(6)).toEqual([{ result: 1 }])
		await client.query('create temporary table counted (n integer)')
		const add = async (n: number) => {
			const { rows, rowCount, command } = await client.query('insert into counted select generate_series(1, $1::int)', [
				n,
			])
			return [command, rowCount, rows]
		}
		expect([await add(3), await add(2)]).toEqual([
			['INSERT', 3, []],
			['INSERT', 2, []],
		])
	} finally {
		client.release()
	}
})

/** Runs a query on this many connections at the same time, each of which has sent a statement before. */
async function onConnections(count: number, check: (ask: () => Promise<unknown[]>) => Promise<void>): Promise<void> {
	const clients = await Promise.all(Array.from({ length: count }, () => pool().connect()))
	try {
		for (const client of clients) await check(async () => (await client.query(all, [1])).rows)
	} finally {
		for (const client of clients) client.release()
	}
}
