import { accessSync, constants, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

/** Where Linux has a folder that lies in memory. */
const memory = '/dev/shm'
/** What must be free there, and in the machine: a run takes a tenth of it. */
const MIN_FREE_BYTES = 4 * 2 ** 30
const prefix = 'devquad-tests-'

/**
 * Has everything that this run and its child processes write to the temporary folder lie in memory, where there is room: they make and
 * remove some hundred thousand files of databases, for which a disk takes a quarter of all the processor time of the run.
 * @returns what removes the folder
 */
export function makeRunFolder(): () => void {
	if (process.env.TEST_RUN_FOLDER || !hasRoom()) return () => {}
	removeAbandoned()
	const folder = join(memory, prefix + process.pid)
	// PostgreSQL's part may belong to an account of its own, which has to pass.
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

/** A run that was killed left its folder in memory. */
function removeAbandoned(): void {
	for (const name of readdirSync(memory).filter((name) => name.startsWith(prefix)))
		if (!isRunning(Number(name.slice(prefix.length)))) rmSync(join(memory, name), { recursive: true, force: true })
}

function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0)
		return true
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM'
	}
}
