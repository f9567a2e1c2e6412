import { randomUUID } from 'node:crypto'
import { closeSync, linkSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { lockFile } from '../app/lib/file-lock.server.ts'
import { codeOf } from '../app/lib/system-errors.ts'

/** Milliseconds between two heartbeats of {@link lockByHeartbeat}. */
const HEARTBEAT_EVERY_MS = 3_000
/** Milliseconds without a heartbeat after which the holder counts as dead. */
const SILENCE_MS = 15_000

/** Another process holds the data directory. */
export class DataDirLocked extends Error {
	constructor(dataDir: string) {
		super(`Another DevQuad is already running on ${dataDir}. Stop it first, or choose another DATA_DIR.`)
	}
}

/**
 * Locks a data directory for this process, across containers that share it. The kernel holds the lock on `site.lock`, so it ends
 * with the process. Where there are no such locks, a heartbeat file replaces it.
 * @param dataDir absolute path of an existing folder
 * @returns releases the lock
 * @throws DataDirLocked with one sentence when another process holds it
 */
export async function lockDataDir(dataDir: string): Promise<() => void> {
	const lock = lockFile(join(dataDir, 'site.lock'))
	if (lock.state === 'taken') throw new DataDirLocked(dataDir)
	if (lock.state === 'held') return () => closeSync(lock.fd)
	return lockByHeartbeat(dataDir, () => {
		process.stderr.write(`Another process has taken ${dataDir} while this one was silent. This one ends.\n`)
		// Not a graceful shutdown: PostgreSQL belongs to the other process by now.
		process.exit(1)
	})
}

interface Heartbeat {
	id: string
	/** The scope of process ids: a machine since its start, and a pid namespace on it. */
	space: string
	pid: number
	count: number
}

/**
 * The lock of {@link lockDataDir} for file systems and machines without one: the file `site.heartbeat`, rewritten every three
 * seconds. It can be taken over after 15 seconds without a change, measured by the waiting process, so that a clock jump cannot
 * make a live site look dead; and at once when the holder was on this machine and has ended.
 * @param onLost called once when another process has taken the lock, as may happen to a process that was suspended for that long
 * @param silence milliseconds, for tests
 */
export async function lockByHeartbeat(dataDir: string, onLost: () => void, silence = SILENCE_MS): Promise<() => void> {
	const file = join(dataDir, 'site.heartbeat')
	const mine: Heartbeat = { id: randomUUID(), space: processSpace(), pid: process.pid, count: 0 }
	const written = `${file}.${mine.id}`
	try {
		if (!createWhole(file, mine)) {
			const other = readHeartbeat(file)
			if (other && !isGone(other) && !(await isSilent(file, other, silence))) throw new DataDirLocked(dataDir)
			// Of several that find the same dead file, one moves it away; a process that moved a live one restores it and fails.
			renameSync(file, written)
			const moved = readHeartbeat(written)
			if (moved?.id !== other?.id) {
				linkSync(written, file)
				throw new DataDirLocked(dataDir)
			}
			if (!createWhole(file, mine)) throw new DataDirLocked(dataDir)
		}
	} catch (error) {
		if (['ENOENT', 'EEXIST'].includes(codeOf(error))) throw new DataDirLocked(dataDir)
		throw error
	} finally {
		rmSync(written, { force: true })
	}
	const beat = () => {
		if (readHeartbeat(file)?.id !== mine.id) {
			clearInterval(timer)
			return onLost()
		}
		mine.count += 1
		writeHeartbeat(written, mine)
		renameSync(written, file)
	}
	const timer = setInterval(() => ignoringFailure(file, beat), Math.min(HEARTBEAT_EVERY_MS, silence / 5)).unref()
	return () => {
		clearInterval(timer)
		rmSync(written, { force: true })
		if (readHeartbeat(file)?.id === mine.id) rmSync(file, { force: true })
	}
}

/** Files whose last heartbeat failed. */
const failing = new Set<string>()

/** A full disk, or too many open files, is no reason to end: the next heartbeat may work, and finds out whether another took the lock. */
function ignoringFailure(file: string, beat: () => void): void {
	try {
		beat()
		failing.delete(file)
	} catch (error) {
		if (!failing.has(file)) process.stderr.write(`${file} could not be renewed: ${String(error)}\n`)
		failing.add(file)
	}
}

/** Creates the complete file, unless it exists. */
function createWhole(file: string, beat: Heartbeat): boolean {
	const written = `${file}.${beat.id}`
	writeHeartbeat(written, beat)
	try {
		linkSync(written, file)
		return true
	} catch (error) {
		if (codeOf(error) !== 'EEXIST') throw error
		return false
	} finally {
		rmSync(written, { force: true })
	}
}

function writeHeartbeat(file: string, beat: Heartbeat): void {
	writeFileSync(file, JSON.stringify(beat), { mode: 0o600 })
}

/** @returns null when there is no file, or none of ours @throws the error of the system when it cannot be read */
function readHeartbeat(file: string): Heartbeat | null {
	try {
		return JSON.parse(readFileSync(file, 'utf8')) as Heartbeat
	} catch (error) {
		if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return null
		throw error
	}
}

function isGone({ space, pid }: Heartbeat): boolean {
	if (space !== processSpace() || pid === process.pid) return false
	try {
		process.kill(pid, 0)
		return false
	} catch (error) {
		return codeOf(error) === 'ESRCH'
	}
}

/** Watches the file for this many milliseconds. @returns false as soon as it changes */
async function isSilent(file: string, { id, count }: Heartbeat, milliseconds: number): Promise<boolean> {
	for (const end = performance.now() + milliseconds; performance.now() < end; await sleep(milliseconds / 30)) {
		const now = readHeartbeat(file)
		if (now?.id !== id || now.count !== count) return false
	}
	return true
}

function processSpace(): string {
	if (process.platform !== 'linux') return hostname()
	return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`
}
