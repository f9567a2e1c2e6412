import { spawnSync } from 'node:child_process'
import { closeSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type FileLock, lockFile } from '~/lib/file-lock.server.ts'

/**
 * The server of a cluster:
 * - `running`, or `stopped` by a signal (SIGSTOP): its process is seen from here
 * - `unseen`: some process of it still holds the cluster's lock, but its leader has ended or is in another container
 * - `absent`: no process of it exists on this machine
 */
export type Server = { state: 'running' | 'stopped'; pid: number } | { state: 'unseen' } | { state: 'absent' }

/** The lock that every process of a cluster's server holds as long as it lives. */
export function lockCluster(cluster: string): FileLock {
	return lockFile(`${cluster}.lock`)
}

/**
 * Looks for the server of a cluster by its processes, whether it answers or not: one that recovers, has no connection left or
 * was stopped by a signal is alive. Where the file system knows no locks, the process of postmaster.pid alone decides.
 * @param cluster absolute path of the folder that PostgreSQL keeps its files in
 */
export function findServer(cluster: string): Server {
	const pid = pidOf(cluster)
	if (pid && isServerOf(pid, cluster)) return { state: isStopped(pid) ? 'stopped' : 'running', pid }
	const lock = lockCluster(cluster)
	if (lock.state === 'held') closeSync(lock.fd)
	return { state: lock.state === 'taken' ? 'unseen' : 'absent' }
}

/**
 * Removes what a server that is gone has left, where PostgreSQL would take it for a running one: its number is another
 * program's by now, waits for a parent that never looks (a zombie), or was never written as the disk was full.
 * Call it only for an `absent` server, with the cluster's lock held where there are locks.
 */
export function removeLeftovers(cluster: string, socketFolder: string): void {
	const pid = pidOf(cluster)
	// PostgreSQL itself sees that a number is nobody's, and looks further than we do before it starts.
	if (pid && (isServerOf(pid, cluster) || !exists(pid))) return
	for (const file of [join(cluster, 'postmaster.pid'), join(socketFolder, '.s.PGSQL.5432.lock')])
		rmSync(file, { force: true })
}

/** The name that each process of a cluster's server bears in the list of processes, by the setting `cluster_name`. */
export function clusterName(cluster: string): string {
	const { dev, ino } = statSync(cluster)
	return `devquad-${dev}-${ino}`
}

/**
 * Kills the processes of a server whose leader was killed. They end by themselves as a rule, but not one that waits for a lock in
 * shared memory which another had when it was killed; PostgreSQL does not start beside it. Linux only, this container only.
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
			// It has ended meanwhile, or is another account's.
		}
	}
}

/** The folder of the socket that the server of a cluster listens on, by its own word; undefined before it listens. */
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
		if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
		return []
	}
}

/** Whether this process is a PostgreSQL that was started on this cluster. One that has ended and waits for its parent is none. */
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

/** Whether any process has this number, be it another account's. */
function exists(pid: number): boolean {
	try {
		return process.kill(pid, 0)
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM'
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

/** The letter that Linux has for what a process does. */
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
