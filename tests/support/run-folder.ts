import { accessSync, constants, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../../app/lib/system-errors.ts'

/** Linux's in-memory file system. */
const memory = '/dev/shm'
/** Must be free there, and in the machine's memory; a run uses a tenth of it. */
const MIN_FREE_BYTES = 4 * 2 ** 30
const prefix = 'devquad-tests-'

/**
 * Keeps the temporary files of this run and its child processes in memory, if there is room: they create and delete some hundred thousand
 * database files, which on a disk takes a quarter of the run's processor time.
 * @returns removes the folder
 */
export function makeRunFolder(): () => void {
	if (process.env.TEST_RUN_FOLDER || !hasRoom()) return () => {}
	removeAbandoned()
	const folder = join(memory, prefix + process.pid)
	// PostgreSQL's files may belong to an account of its own, which has to traverse the folder.
	mkdirSync(folder, { mode: 0o711, recursive: true })
	process.env.TEST_RUN_FOLDER = folder
	process.env.TMPDIR = folder
	return () => rmSync(folder, { recursive: true, force: true })
}

function hasRoom(): boolean {
	try {
		accessSync(memory, constants.W_OK)
		const { bavail, bsize } = statfsSync(memory)
		return Math.min(bavail * bsize, process.availableMemory()) >= MIN_FREE_BYTES
	} catch {
		return false
	}
}

/** Deletes the folders of runs that were killed. */
function removeAbandoned(): void {
	for (const name of readdirSync(memory).filter((name) => name.startsWith(prefix)))
		if (!isRunning(Number(name.slice(prefix.length)))) rmSync(join(memory, name), { recursive: true, force: true })
}

function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0)
		return true
	} catch (error) {
		return codeOf(error) === 'EPERM'
	}
}
