import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type FileLock, lockFile } from '~/lib/file-lock.server.ts'
import { codeOf } from '~/lib/system-errors.ts'

/**
 * The server of a cluster:
 * - `running`, or `stopped` by a signal (SIGSTOP): we see its process
 * - `unseen`: a process of it still holds the cluster's lock, but its postmaster has ended or is in another container
 * - `absent`: no process of it exists on this machine
 */
export type PostgresServer = { state: 'running' | 'stopped'; pid: number } | { state: 'unseen' } | { state: 'absent' }

/** The lock that every server process of a cluster holds while it lives. */
export function lockCluster(cluster: string): FileLock {
	return lockFile(`${cluster}.lock`)
}

/**
 * Looks for the server of a cluster by its processes, whether it answers or not: it may be recovering, out of connections or
 * suspended. Where the file system has no locks, only postmaster.pid decides.
 * @param cluster absolute path of PostgreSQL's data folder
 */
export function findServer(cluster: string): PostgresServer {
	const pid = pidOf(cluster)
	if (pid && isServerOf(pid, cluster)) return { state: isStopped(pid) ? 'stopped' : 'running', pid }
	const lock = lockCluster(cluster)
	if (lock.state === 'held') closeSync(lock.fd)
	return { state: lock.state === 'taken' ? 'unseen' : 'absent' }
}

/**
 * Removes leftovers of a dead server that PostgreSQL would take for a running one: its process id now belongs to another program or
 * a zombie, or was never written as the disk was full. Call it only for an `absent` server, holding the cluster's lock where there
 * are locks.
 */
export function removeLeftovers(cluster: string, socketFolder: string): void {
	const pid = pidOf(cluster)
	// PostgreSQL itself notices an unused process id, and checks more than we do before it starts.
	if (pid && (isServerOf(pid, cluster) || !exists(pid))) return
	for (const file of [join(cluster, 'postmaster.pid'), join(socketFolder, '.s.PGSQL.5432.lock')])
		rmSync(file, { force: true })
}

/** The name of a cluster's server processes in the process list, by the setting `cluster_name`. */
export function clusterName(cluster: string): string {
	const { dev, ino } = statSync(cluster)
	return `devquad-${dev}-${ino}`
}

/**
 * Kills the processes of a server whose postmaster was killed. They usually end by themselves, except one that waits for a lock in
 * shared memory whose holder was killed; PostgreSQL does not start beside it. Only on Linux, and only within this container.
 */
export function killOrphans(cluster: string): void {
	if (process.platform !== 'linux') return
	const name = `postgres: ${clusterName(cluster)}: `
	for (const pid of readdirSync('/proc').map(Number).filter(Boolean)) {
		const parent = Number(/\) \w (\d+) /.exec(procFile(pid, 'stat'))?.[1])
		if (!procFile(pid, 'cmdline').startsWith(name) || isServerOf(parent, cluster)) continue
		try {
			process.kill(pid, 'SIGKILL')
		} catch {
			// It has ended meanwhile, or belongs to another account.
		}
	}
}

/** The file by which PostgreSQL knows that it has to replay an archive; it removes the file when that is done. */
export const RECOVERY_SIGNAL = 'recovery.signal'

/** A file that is in a cluster until all that comes after the replay is done too. */
export const RESTORING = 'devquad-restoring'

/** Whether the restore of an archive into this cluster has not ended: it runs, or was killed. */
export function isBeingRestored(cluster: string): boolean {
	return [RECOVERY_SIGNAL, RESTORING].some((name) => existsSync(join(cluster, name)))
}

/** Whether the restore of an archive was killed before this cluster had its files. */
export function isBeingUnpacked(cluster: string): boolean {
	return existsSync(unpackingFolderOf(cluster)) && !existsSync(join(cluster, 'PG_VERSION'))
}

/** Where the restore of an archive unpacks this cluster. */
export function unpackingFolderOf(cluster: string): string {
	return `${cluster}-restoring`
}

/** The folder of the socket that a cluster's server listens on, as it says itself; undefined before it listens. */
export function socketFolderOf(cluster: string): string | undefined {
	return pidFileOf(cluster)[4] || undefined
}

function pidOf(cluster: string): number {
	return Number.parseInt(pidFileOf(cluster)[0] ?? '', 10) || 0
}

function pidFileOf(cluster: string): string[] {
	try {
		return readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')
	} catch (error) {
		if (codeOf(error) !== 'ENOENT') throw error
		return []
	}
}

/** Whether this process is a PostgreSQL server of this cluster. A zombie is none. */
function isServerOf(pid: number, cluster: string): boolean {
	if (process.platform !== 'linux') {
		const { stdout } = spawnSync('ps', ['-o', 'stat=,command=', '-p', String(pid)], { encoding: 'utf8' })
		return /postgres/.test(stdout) && stdout.includes(cluster) && !stdout.trim().startsWith('Z')
	}
	const [program = '', ...args] = procFile(pid, 'cmdline').split('\0')
	if (basename(program) !== 'postgres' || stateOf(pid) === 'Z') return false
	const folder = args[args.indexOf('-D') + 1]
	return folder !== undefined && isSameFolder(folder, cluster)
}

/** Whether a process with this id exists, also of another account. */
function exists(pid: number): boolean {
	try {
		return process.kill(pid, 0)
	} catch (error) {
		return codeOf(error) === 'EPERM'
	}
}

function isSameFolder(one: string, other: string): boolean {
	try {
		if (realpathSync(one) === realpathSync(other)) return true
		const [a, b] = [statSync(one), statSync(other)]
		return a.dev === b.dev && a.ino === b.ino
	} catch {
		return one === other
	}
}

function isStopped(pid: number): boolean {
	return stateOf(pid) === 'T'
}

/** Linux's letter for the state of a process. */
function stateOf(pid: number): string {
	return /\) (\w) /.exec(procFile(pid, 'stat'))?.[1] ?? ''
}

function procFile(pid: number, name: string): string {
	try {
		return readFileSync(`/proc/${pid}/${name}`, 'utf8')
	} catch {
		return ''
	}
}
