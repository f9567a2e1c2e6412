import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { DiskFull, Unavailable } from '~/lib/errors.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { canLimitFiles, runWithFewFiles } from '../../../tests/support/few-files.ts'
import { db, type Executor, pool } from './db.server.ts'
import { outageKindOf } from './outage.server.ts'
import { longWork, withoutDatabase } from './scope.server.ts'
import { CLIENT_TIMEOUT_MS, LOST_CHECK_MS, STATEMENT_TIMEOUT_MS } from './time-limits.server.ts'
import { pipelinedTransaction } from './transaction.server.ts'

useDatabase(undefined, {})

const coded = (code: string, facts: object = {}) => Object.assign(new Error('from PostgreSQL'), { code, ...facts })

const pgError = (message: string) => new pg.DatabaseError(message, message.length, 'error')

describe('the classification of errors', () => {
	test.each([
		['57P01 terminated by an administrator', coded('57P01'), 'away'],
		['57P03 starting up', coded('57P03'), 'away'],
		['53300 too many clients', coded('53300'), 'away'],
		['08006 connection failure', coded('08006'), 'away'],
		['ECONNREFUSED', coded('ECONNREFUSED'), 'away'],
		['ECONNRESET', coded('ECONNRESET'), 'away'],
		['a socket that is not there', coded('ENOENT', { syscall: 'connect' }), 'away'],
		['a socket in a folder of another account', coded('EACCES', { syscall: 'connect' }), 'away'],
		['a file of another account', coded('EACCES', { syscall: 'open' }), null],
		['a file that is not there', coded('ENOENT', { syscall: 'open' }), null],
		['a connection that ended', new Error('Connection terminated unexpectedly'), 'away'],
		['no connection in time', new Error('timeout exceeded when trying to connect'), 'away'],
		['a pool that is closed', new Error('Cannot use a pool after calling end on the pool'), 'away'],
		['57014 statement timeout', coded('57014'), 'busy'],
		['55P03 lock timeout', coded('55P03'), 'busy'],
		['too many open files', coded('EMFILE', { syscall: 'connect' }), 'busy'],
		['53100 disk full', coded('53100'), 'disk-full'],
		['ENOSPC', coded('ENOSPC'), 'disk-full'],
		['EDQUOT', coded('EDQUOT'), 'disk-full'],
		['a quota', coded('XX000', { message: 'could not extend file: Disk quota exceeded' }), 'disk-full'],
		['an I/O error for want of room', new Error('could not write: No space left on device'), 'disk-full'],
		['25006 a replica', coded('25006'), 'read-only'],
		['a read-only disk', pgError('could not write to file: Read-only file system'), 'read-only'],
		['23505 a unique key', coded('23505'), null],
		['40P01 a deadlock', coded('40P01'), null],
		['another error', new Error('no'), null],
		['no error', 'no', null],
	])('%s', (_what, error, kind) => {
		expect(outageKindOf(error)).toBe(kind)
	})
})

test('a statement that takes too long is cancelled by PostgreSQL, and the connection stays usable', async () => {
	const began = performance.now()
	await expect(sql`select pg_sleep(30)`.execute(db())).rejects.toBeInstanceOf(Unavailable)
	expect(performance.now() - began).toBeLessThan(CLIENT_TIMEOUT_MS + 3_000)
	expect((await sql`select 1`.execute(db())).rows).toHaveLength(1)
})

test('connections to a server that can only be read, as it is a replica since a failover, are replaced', async () => {
	await sql`create table noted ()`.execute(db())
	const clients = await Promise.all(Array.from({ length: 4 }, () => pool().connect()))
	for (const client of clients) {
		await client.query('set default_transaction_read_only = on')
		client.release()
	}
	const write = (executor: Executor) => sql`insert into noted default values`.execute(executor)
	const ways = [
		() => write(db()),
		() => db().transaction().execute(write),
		() => pipelinedTransaction((trx) => write(trx)),
		() => pool().query('insert into noted default values'),
	]
	for (const way of ways)
		await expect(way()).rejects.toMatchObject({ status: 503, message: expect.stringMatching(/only be read/) })
	for (const way of ways) await way()
	expect((await sql`select from noted`.execute(db())).rows).toHaveLength(ways.length)
})

test('a statement of the pool itself whose connection ends says so in the words of the site', async () => {
	pool().once('acquire', (client) => {
		const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
		setImmediate(() => stream.destroy())
	})
	await expect(pool().query('select pg_sleep(30)')).rejects.toBeInstanceOf(Unavailable)
})

test.runIf(canLimitFiles)('a process with too many open files says that the site is busy', () => {
	const { host, port, user, password, database } = (pool() as unknown as { options: pg.PoolConfig }).options
	const { status, stdout } = runWithFewFiles(
		`
		const { closeDatabase, db, openDatabase, pool } = await import('~/platform/db/db.server.ts')
		const { sql } = await import('kysely')
		openDatabase(JSON.parse(process.env.LOGIN))
		const held = await pool().connect()
		await held.query('select 1')
		const release = useUp()
		const ask = () => sql\`select 1\`.execute(db()).then(() => 'answered', (error) => String(error.status))
		const answers = [await ask(), await held.query('select 1').then(() => 'answered')]
		release()
		answers.push(await ask())
		held.release()
		await closeDatabase()
		process.stdout.write(answers.join(', '))`,
		{ LOGIN: JSON.stringify({ host, port, user, password, database }) },
	)
	expect([status, stdout]).toEqual([0, '503, answered, answered'])
})

test('waiting for a lock is limited, with a higher limit for long work', async () => {
	await sql`create table held (id integer)`.execute(db())
	const holder = await pool().connect()
	await holder.query('begin; lock table held')
	await expect(sql`select * from held`.execute(db())).rejects.toBeInstanceOf(Unavailable)
	const long = longWork(async () => (await sql`select 'done' as state`.execute(db())).rows)
	const waiting = longWork(async () => (await sql`select * from held`.execute(db())).rows)
	expect(await long).toEqual([{ state: 'done' }])
	await sleep(STATEMENT_TIMEOUT_MS + 500)
	await holder.query('rollback')
	holder.release()
	expect(await waiting).toEqual([])
})

test('when all connections are in use, waiting for one is limited', async () => {
	const taken = await Promise.all(Array.from({ length: 10 }, () => pool().connect()))
	const began = performance.now()
	await expect(pool().query('select 1')).rejects.toBeInstanceOf(Unavailable)
	expect(performance.now() - began).toBeLessThan(6_000)
	for (const client of taken) client.release()
	expect((await pool().query('select 1')).rowCount).toBe(1)
})

test('a connection with a missing answer is destroyed, and not reused for the next statement', async () => {
	const client = await pool().connect()
	const { rows } = await client.query('select pg_backend_pid() as pid')
	const pid = rows[0]?.pid as number
	process.kill(pid, 'SIGSTOP')
	const began = performance.now()
	try {
		await expect(client.query('select 1')).rejects.toBeInstanceOf(Unavailable)
		expect(performance.now() - began).toBeLessThan(CLIENT_TIMEOUT_MS + 3_000)
		client.release()
		const pids = await Promise.all(
			Array.from({ length: 20 }, async () => (await pool().query('select pg_backend_pid() as pid')).rows[0]?.pid),
		)
		expect(pids).not.toContain(pid)
	} finally {
		process.kill(pid, 'SIGCONT')
	}
})

test('a statement of long work whose connection was lost on the way fails soon, and one that takes long does not', async () => {
	const [client, other] = await longWork(() => Promise.all([pool().connect(), pool().connect()]))
	const { rows } = await client.query('select pg_backend_pid() as pid')
	const pid = rows[0]?.pid as number
	process.kill(pid, 'SIGSTOP')
	// Without an end of its own, the statement would then be answered.
	const goOn = setTimeout(() => process.kill(pid, 'SIGCONT'), 3 * LOST_CHECK_MS)
	try {
		const working = other.query('select pg_sleep($1)', [LOST_CHECK_MS / 1_000 + 2])
		await expect(client.query('select 1')).rejects.toBeInstanceOf(Unavailable)
		await expect(working).resolves.toMatchObject({ rowCount: 1 })
	} finally {
		clearTimeout(goOn)
		process.kill(pid, 'SIGCONT')
		client.release()
		other.release()
	}
})

test('PostgreSQL notices by itself that a node is gone', async () => {
	const keepAlive = `select reset_val from pg_settings where name = 'tcp_keepalives_idle'`
	for (const ask of [() => pool().query(keepAlive), () => longWork(() => pool().query(keepAlive))])
		expect((await ask()).rows).toEqual([{ reset_val: '60' }])
})

test('a write whose connection is lost is reported as having an unknown outcome', async () => {
	await sql`create table written (id integer primary key)`.execute(db())
	const done = db()
		.transaction()
		.execute(async (trx) => {
			await sql`insert into written values (1)`.execute(trx)
			const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
			await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(db())
		})
	await expect(done).rejects.toBeInstanceOf(Unavailable)
	expect((await sql`select * from written`.execute(db())).rows).toEqual([])
})

test('work for an unknown viewer may not use the database, but what it leaves running afterwards may', async () => {
	const refusal = new Unavailable('away')
	let later: Promise<unknown> | undefined
	const { promise: ended, resolve: end } = Promise.withResolvers<void>()
	const work = withoutDatabase(refusal, async () => {
		later = ended.then(() => sql`select 1`.execute(db()))
		await sql`select 1`.execute(db())
	})
	await expect(work).rejects.toBe(refusal)
	end()
	expect(await later).toMatchObject({ rows: [{}] })
})

test('a full disk is an error class of its own', async () => {
	const full = sql`do $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`.execute(db())
	await expect(full).rejects.toBeInstanceOf(DiskFull)
})

test('a transaction that meets an outage is not run again', async () => {
	let runs = 0
	const failing = db()
		.transaction()
		.execute(async () => {
			runs += 1
			throw new Unavailable('away')
		})
	await expect(failing).rejects.toBeInstanceOf(Unavailable)
	expect(runs).toBe(1)
})
