import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, expect, test, vi } from 'vitest'
import { descendants, processesOf, signalAll, stillRunning } from '../../../tests/support/cluster.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import { makeCluster } from '../../../tests/support/own-postgres.ts'
import { classifyError, superviseEmbeddedPostgres } from './supervised-postgres.server.ts'

afterEach(() => vi.useRealTimers())

async function newDataDir(): Promise<string> {
	const folder = mkdtempSync(join(tmpdir(), 'devquad-kept-'))
	await makeCluster(folder)
	return folder
}

test('a killed PostgreSQL is restarted with everything committed, and stays stopped when asked to stop', async () => {
	const dataDir = await newDataDir()
	const postgres = await superviseEmbeddedPostgres(dataDir)
	const pool = new pg.Pool(postgres.connection)
	pool.on('error', () => {})
	pool.on('connect', (client) => client.on('error', () => {}))
	await pool.query('create table kept (words text)')
	await pool.query("insert into kept values ('still here')")
	const leader = Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10)
	signalAll(
		descendants(leader).map(({ pid }) => pid),
		'SIGKILL',
	)
	const rows = await eventually(async () => (await pool.query('select words from kept')).rows)
	expect(rows).toEqual([{ words: 'still here' }])
	await pool.end()
	await postgres.stop()
	expect(processesOf(join(dataDir, 'postgres'))).toEqual([])
	rmSync(dataDir, { recursive: true, force: true })
})

test('a live server that refuses all connections is restarted, and one that was stopped by a signal is not', async () => {
	const dataDir = await newDataDir()
	const postgres = await superviseEmbeddedPostgres(dataDir, [], 3_000)
	const leader = () => Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10)
	const pool = new pg.Pool(postgres.connection)
	pool.on('error', () => {})
	pool.on('connect', (client) => client.on('error', () => {}))
	await pool.query("create table kept as select 'still here' as words")
	const stopped = leader()
	process.kill(stopped, 'SIGSTOP')
	// Three times the limit for a server that refuses; a fixed wait, as the test is that nothing happens.
	await sleep(12_000)
	process.kill(stopped, 'SIGCONT')
	expect(leader()).toBe(stopped)
	// A clock that is set back does not make the half a minute longer.
	vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 })
	// As a cleaner of temporary files does: open connections continue to work, and no new one can be opened.
	const socket = join(String(postgres.connection.host), '.s.PGSQL.5432')
	rmSync(socket)
	await eventually(() => expect(existsSync(socket) && leader() !== stopped).toBe(true))
	const rows = await eventually(async () => (await pool.query('select words from kept')).rows)
	expect(rows).toEqual([{ words: 'still here' }])
	await pool.end()
	await postgres.stop()
	expect(processesOf(join(dataDir, 'postgres'))).toEqual([])
	rmSync(dataDir, { recursive: true, force: true })
})

test('a process that outlives its postmaster does not block the start', {
	skip: process.platform !== 'linux',
}, async () => {
	const dataDir = await newDataDir()
	const postgres = await superviseEmbeddedPostgres(dataDir)
	const client = new pg.Client(postgres.connection)
	client.on('error', () => {})
	await client.connect()
	await client.query("create table kept as select 'still here' as words")
	const { rows: own } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
	const orphan = own[0]?.pid ?? 0
	// Unresponsive, like one that waits for a lock that is never released.
	process.kill(orphan, 'SIGSTOP')
	process.kill(Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10), 'SIGKILL')
	const pool = new pg.Pool(postgres.connection)
	pool.on('error', () => {})
	pool.on('connect', (client) => client.on('error', () => {}))
	expect(await eventually(async () => (await pool.query('select words from kept')).rows)).toEqual([
		{ words: 'still here' },
	])
	expect(stillRunning([orphan])).toEqual([])
	await pool.end()
	await postgres.stop()
	rmSync(dataDir, { recursive: true, force: true })
})

test.each([
	['57P03', 'the database system is starting up', 'running', false],
	['57P03', 'the database system is in recovery mode', 'running', false],
	['57P03', 'the database system is not yet accepting connections', 'running', false],
	['57P03', 'the database system is shutting down', 'running', true],
	['53300', 'sorry, too many clients already', 'running', false],
	['ECONNREFUSED', 'connect ECONNREFUSED', 'running', true],
	['ENOENT', 'connect ENOENT', 'running', true],
	['ENOENT', 'connect ENOENT', 'stopped', false],
	['57P03', 'the database system is shutting down', 'stopped', false],
	[undefined, 'timeout expired', 'running', false],
] as const)('%s, "%s", from a server that is %s: does it refuse permanently? %s', (code, message, state, refuses) => {
	expect(classifyError(Object.assign(new Error(message), { code }), state)).toMatchObject({ refuses })
})
