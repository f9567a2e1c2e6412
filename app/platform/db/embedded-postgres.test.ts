import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
	appendFileSync,
	chownSync,
	existsSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { eventually } from '../../../tests/support/eventually.ts'
import { makeOldCluster } from '../../../tests/support/old-cluster.ts'
import { makeCluster } from '../../../tests/support/own-postgres.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.server.ts'
import { findServer } from './postgres-process.server.ts'

const isRoot = process.getuid?.() === 0
const folders: string[] = []
const running: EmbeddedPostgres[] = []
/** Nothing of these tests outlives them. */
const fast = ['fsync=off', 'full_page_writes=off']

afterEach(async () => {
	vi.useRealTimers()
	for (const postgres of running.splice(0)) await postgres.stop()
	for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function newFolder(): string {
	const folder = mkdtempSync(join(tmpdir(), 'devquad-embedded-'))
	folders.push(folder)
	return folder
}

async function start(dataDir: string, tell?: (line: string) => void): Promise<EmbeddedPostgres> {
	const postgres = await startEmbeddedPostgres(dataDir, fast, tell)
	running.push(postgres)
	return postgres
}

async function rowsOf(connection: pg.ClientConfig, statement: string): Promise<unknown[]> {
	const client = new pg.Client(connection)
	// A server that shuts down notifies every connection, including one that is still authenticating.
	client.on('error', () => {})
	try {
		await client.connect()
		return (await client.query(statement)).rows
	} finally {
		await client.end()
	}
}

function pidOf(dataDir: string): number {
	return Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10)
}

/** Objects of the site that its role does not own. */
const foreign = `select nspname, relname from pg_class join pg_namespace n on n.oid = relnamespace
	where nspname in ('public', 'graphile_worker') and relowner <> 'devquad'::regrole
		and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
	union all select nspname, proname from pg_proc join pg_namespace n on n.oid = pronamespace
	where nspname in ('public', 'graphile_worker') and proowner <> 'devquad'::regrole
		and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
	union all select nspname, null from pg_namespace where nspname = 'graphile_worker' and nspowner <> 'devquad'::regrole`

describe('access', () => {
	test('the socket is in the data directory, a password is required, and the site’s role is no superuser', async () => {
		const dataDir = newFolder()
		const { connection, admin } = await start(dataDir)
		expect(connection.host).toBe(join(dataDir, 'postgres-socket'))
		expect(lstatSync(String(connection.host)).mode & 0o777).toBe(0o700)
		for (const file of ['postgres-password', 'postgres-admin-password'])
			expect(statSync(join(dataDir, file)).mode & 0o777).toBe(0o600)
		expect(
			await rowsOf(
				connection,
				`select rolsuper or rolcreaterole or rolcreatedb or rolreplication as may from pg_roles where rolname = current_user`,
			),
		).toEqual([{ may: false }])
		expect(await rowsOf(admin, `select left(rolpassword, 13) as kept from pg_authid where rolcanlogin`)).toEqual(
			Array(2).fill({ kept: 'SCRAM-SHA-256' }),
		)
		for (const one of [connection, admin])
			for (const password of ['', 'devquad', undefined])
				await expect(rowsOf({ ...one, password }, 'select 1')).rejects.toThrow(/password/)
		for (const forbidden of [
			`select pg_read_file('/etc/passwd')`,
			`copy (select 1) to program 'true'`,
			'create role more',
		])
			await expect(rowsOf(connection, forbidden)).rejects.toThrow(/permission denied/)
	})

	test('a lost password is replaced by the next start', async () => {
		const dataDir = newFolder()
		await makeCluster(dataDir)
		const first = await start(dataDir)
		await rowsOf(first.connection, 'create table kept as select 1 as one')
		await first.stop()
		rmSync(join(dataDir, 'postgres-password'))
		const { connection } = await start(dataDir)
		expect(connection.password).not.toBe(first.connection.password)
		expect(await rowsOf(connection, 'select one from kept')).toEqual([{ one: 1 }])
		await expect(rowsOf({ ...connection, password: String(first.connection.password) }, 'select 1')).rejects.toThrow()
	})

	test.each(['stopped', 'left running by a site that was killed'])(
		'a cluster of version 0.1.0, %s, keeps all it has and asks for passwords',
		async (how) => {
			const dataDir = newFolder()
			const old = await makeOldCluster(dataDir)
			folders.push(String(old.connection.host))
			await rowsOf(old.connection, `create type public.mood as enum ('calm')`)
			await rowsOf(
				old.connection,
				`create schema graphile_worker create table jobs (id serial primary key, mood public.mood)`,
			)
			await rowsOf(old.connection, `insert into graphile_worker.jobs (mood) values ('calm')`)
			const before = await rowsOf(old.connection, 'select name from migrations order by name')
			if (how === 'stopped') old.stop()
			const { connection, admin } = await start(dataDir)
			expect(await rowsOf(connection, 'select name from migrations order by name')).toEqual(before)
			expect(await rowsOf({ ...admin, database: 'devquad' }, foreign)).toEqual([])
			expect(await rowsOf(connection, 'select rolname, rolsuper from pg_roles where rolcanlogin order by 1')).toEqual([
				{ rolname: 'devquad', rolsuper: false },
				{ rolname: 'devquad_admin', rolsuper: true },
			])
			// As future migrations will: alter, index, extend.
			await rowsOf(connection, `insert into graphile_worker.jobs (mood) values ('calm')`)
			await rowsOf(connection, 'alter table migrations add column note text')
			await rowsOf(connection, `alter type mood add value 'merry'`)
			await rowsOf(connection, 'create extension citext')
			await rowsOf(
				connection,
				`create or replace function search_text(value text) returns text language sql immutable as 'select value'`,
			)
			await expect(rowsOf({ ...connection, password: undefined }, 'select 1')).rejects.toThrow(/password/)
			await expect(rowsOf(old.connection, 'select 1')).rejects.toThrow()
		},
	)

	test('a start that was interrupted between two of these steps is completed by the next one', async () => {
		const dataDir = newFolder()
		const old = await makeOldCluster(dataDir)
		folders.push(String(old.connection.host))
		old.stop()
		const first = await start(dataDir)
		await first.stop()
		// As if it had been interrupted after the roles were split, before ownership was changed and the rules were written.
		writeFileSync(join(dataDir, 'postgres', 'pg_hba.conf'), 'local all all trust\n')
		const second = await start(dataDir)
		expect(await rowsOf({ ...second.admin, database: 'devquad' }, foreign)).toEqual([])
		await expect(rowsOf({ ...second.connection, password: '' }, 'select 1')).rejects.toThrow(/password/)
	})

	test('a cluster of version 0.1.0 that a site is using is left alone', async () => {
		const dataDir = newFolder()
		const old = await makeOldCluster(dataDir)
		folders.push(String(old.connection.host))
		const used = new pg.Client(old.connection)
		used.on('error', () => {})
		await used.connect()
		await expect(start(dataDir)).rejects.toThrow(`Another DevQuad is already running on ${dataDir}.`)
		expect((await used.query('select 1 as one')).rows).toEqual([{ one: 1 }])
		await used.end()
		old.stop()
	})
})

describe('folders of another account', { skip: !isRoot }, () => {
	/** An account that is neither root nor PostgreSQL's. */
	const stranger = 65_534

	test.each(['postgres-socket', 'postgres'])(
		'a link at %s is refused, and what it names keeps its owner',
		async (name) => {
			const dataDir = newFolder()
			const victim = newFolder()
			chownSync(victim, stranger, stranger)
			symlinkSync(victim, join(dataDir, name))
			await expect(start(dataDir)).rejects.toThrow(`${join(dataDir, name)} is a symbolic link`)
			expect(statSync(victim).uid).toBe(stranger)
			const own = newFolder()
			rmSync(join(dataDir, name))
			symlinkSync(own, join(dataDir, name))
			await expect(start(dataDir)).rejects.toThrow(/symbolic link/)
			expect(statSync(own).uid).toBe(0)
		},
	)

	test.each(['postgres-socket', 'postgres'])(
		'a folder of another account at %s is refused and keeps its owner',
		async (name) => {
			const dataDir = newFolder()
			mkdirSync(join(dataDir, name))
			chownSync(join(dataDir, name), stranger, stranger)
			await expect(start(dataDir)).rejects.toThrow(/belongs to another account \(uid 65534\)/)
			expect(statSync(join(dataDir, name)).uid).toBe(stranger)
		},
	)

	test('where the path is too long for a socket, its folder has an unpredictable name, and is never one of another account', async () => {
		const dataDir = join(newFolder(), 'long'.repeat(25))
		await makeCluster(dataDir)
		const first = await start(dataDir)
		const sockets = String(first.connection.host)
		expect(sockets.startsWith(join(tmpdir(), 'devquad-'))).toBe(true)
		expect(readFileSync(join(dataDir, 'postgres-socket.path'), 'utf8')).toBe(sockets)
		expect(lstatSync(sockets).mode & 0o777).toBe(0o700)
		// A start with another temporary folder finds the running server.
		vi.stubEnv('TMPDIR', newFolder())
		const second = await start(dataDir)
		vi.unstubAllEnvs()
		expect(second.connection).toEqual(first.connection)
		await second.stop()
		expect(existsSync(sockets)).toBe(false)
		for (const plant of [() => mkdirSync(sockets), () => symlinkSync(newFolder(), sockets)]) {
			plant()
			lstatSync(sockets).isSymbolicLink() ? undefined : chownSync(sockets, stranger, stranger)
			const owner = statSync(sockets).uid
			const third = await start(dataDir)
			expect(third.connection.host).not.toBe(sockets)
			expect(statSync(sockets).uid).toBe(owner)
			await third.stop()
			rmSync(sockets, { recursive: true })
			writeFileSync(join(dataDir, 'postgres-socket.path'), sockets)
		}
	})
})

describe('a running server', () => {
	test('one that was stopped by a signal is waited for with a message, never replaced, and adopted when it continues', async () => {
		const dataDir = newFolder()
		await makeCluster(dataDir)
		const first = await start(dataDir)
		const file = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')
		const pid = pidOf(dataDir)
		process.kill(pid, 'SIGSTOP')
		const told: string[] = []
		try {
			const waiting = start(dataDir, (line) => told.push(line))
			await eventually(() =>
				expect(told.join()).toMatch(/stopped by a signal \(SIGSTOP\); waiting for it \(\d+ s so far\)/),
			)
			expect(findServer(join(dataDir, 'postgres'))).toEqual({ state: 'stopped', pid })
			expect(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]).toBe(file.split('\n')[0])
			process.kill(pid, 'SIGCONT')
			await waiting
		} finally {
			process.kill(pid, 'SIGCONT')
		}
		expect(pidOf(dataDir)).toBe(pid)
		expect(await rowsOf(first.connection, 'select 1 as one')).toEqual([{ one: 1 }])
	})

	test('one that ends is waited for, though the clock is set forward meanwhile', async () => {
		const dataDir = newFolder()
		await makeCluster(dataDir)
		const { connection } = await start(dataDir)
		const client = new pg.Client(connection)
		client.on('error', () => {})
		await client.connect()
		vi.useFakeTimers({ toFake: ['Date'] })
		const stopping = running.pop()?.stop()
		vi.setSystemTime(Date.now() + 3_600_000)
		await stopping
		expect(findServer(join(dataDir, 'postgres'))).toEqual({ state: 'absent' })
	})

	test('one without a free connection counts as alive', async () => {
		const dataDir = newFolder()
		await makeCluster(dataDir)
		const postgres = await startEmbeddedPostgres(dataDir, [...fast, 'max_connections=8'])
		running.push(postgres)
		const pid = pidOf(dataDir)
		const clients = Array.from({ length: 5 }, () => new pg.Client(postgres.connection))
		for (const client of clients) client.on('error', () => {})
		await Promise.all(clients.map((client) => client.connect()))
		await expect(rowsOf(postgres.connection, 'select 1')).rejects.toThrow(/connection slots/)
		await start(dataDir)
		expect(pidOf(dataDir)).toBe(pid)
		await Promise.all(clients.map((client) => client.end()))
	})

	test.each(['of another program', 'that was never written, as the disk was full'])(
		'a pid file with a number %s does not hold a start up',
		async (what) => {
			const dataDir = newFolder()
			await makeCluster(dataDir)
			const first = await start(dataDir)
			await rowsOf(first.connection, 'create table kept as select 1 as one')
			const { uid } = statSync(join(dataDir, 'postgres'))
			const file = join(dataDir, 'postgres', 'postmaster.pid')
			const text = readFileSync(file, 'utf8')
			process.kill(pidOf(dataDir), 'SIGKILL')
			await eventually(() => expect(findServer(join(dataDir, 'postgres')).state).toBe('absent'))
			// The kernel reuses the process id for another program of the account, as it does at once in a container.
			const other = spawn('sleep', ['600'], { stdio: 'ignore', uid })
			writeFileSync(file, what.startsWith('of') ? text.replace(/^\d+/, String(other.pid)) : '')
			const second = await start(dataDir)
			expect(await rowsOf(second.connection, 'select one from kept')).toEqual([{ one: 1 }])
			expect(other.exitCode ?? other.signalCode).toBeNull()
			other.kill()
			await once(other, 'exit')
		},
	)
})

test('a failed start reports the current error, not an earlier one', async () => {
	const dataDir = newFolder()
	await makeCluster(dataDir)
	const first = await start(dataDir)
	await first.stop()
	appendFileSync(join(dataDir, 'postgres.log'), '2026-01-01 00:00:00 UTC [1] FATAL:  the moon was full\n')
	appendFileSync(join(dataDir, 'postgres', 'postgresql.conf'), 'work_mem = lots\n')
	await expect(start(dataDir)).rejects.toThrow(/^PostgreSQL did not start: (?!.*moon).*configuration file/)
	rmSync(join(dataDir, 'postgres.log'))
	symlinkSync('/dev/full', join(dataDir, 'postgres.log'))
	await expect(start(dataDir)).rejects.toThrow(/its log .*postgres\.log cannot be written/)
})

test('leftovers of an interrupted first start do not block the next one', async () => {
	const dataDir = newFolder()
	for (const name of ['postgres', 'postgres-new']) mkdirSync(join(dataDir, name), { mode: 0o700 })
	writeFileSync(join(dataDir, 'postgres-new', 'PG_VERSION'), '18\n')
	const { connection } = await start(dataDir)
	expect(await rowsOf(connection, 'select 1 as one')).toEqual([{ one: 1 }])
	expect(existsSync(join(dataDir, 'postgres-new'))).toBe(false)
})
