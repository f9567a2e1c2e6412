import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useDatabase } from '../../../tests/support/database.ts'
import { db, pool } from './db.server.ts'
import { transact } from './transaction.server.ts'

useDatabase()

/* A newer version adds columns while nodes of the version before serve, on connections that know their statements already. */

const all = 'select * from growing where id = $1'

test('a statement that returns all columns goes on after a column was added, on every connection', async () => {
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

test('a transaction that fails for it says so, and the next one does not', async () => {
	await pool().query('create table growing_too (id integer primary key)')
	const add = (id: number) =>
		transact((trx) =>
			sql`insert into growing_too (id) values (${id}) returning *`.execute(trx).then(({ rows }) => rows),
		)
	expect(await add(1)).toEqual([{ id: 1 }])
	await pool().query('alter table growing_too add column note text')
	await expect(add(2)).rejects.toThrow('cached plan must not change result type')
	expect(await add(3)).toEqual([{ id: 3, note: null }])
	expect((await sql`select id from growing_too order by id`.execute(db())).rows).toEqual([{ id: 1 }, { id: 3 }])
})

/** Asks on so many connections at the same time, each of which has sent a statement before. */
async function onConnections(count: number, check: (ask: () => Promise<unknown[]>) => Promise<void>): Promise<void> {
	const clients = await Promise.all(Array.from({ length: count }, () => pool().connect()))
	try {
		for (const client of clients) await check(async () => (await client.query(all, [1])).rows)
	} finally {
		for (const client of clients) client.release()
	}
}
