import { constants, copyFileSync, openSync, readFileSync, statfsSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { diskError } from '~/lib/system-errors.ts'

/** Bytes at which the log is rotated; one older log is kept. */
const MAX_LOG_BYTES = 10 * 1024 * 1024

/** The file that the server of a data directory writes to. */
export interface PostgresLog {
	fd: number
	/** Why a start failed: from what was added since the log was opened, or from the disk when nothing could be written. */
	reason: () => string
}

/**
 * Opens `postgres.log` for a server that is about to start.
 * @throws Error with one sentence when it cannot be written
 */
export function openPostgresLog(dataDir: string): PostgresLog {
	const path = fileOf(dataDir)
	rotatePostgresLog(dataDir)
	const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW
	try {
		const fd = openSync(path, flags, 0o600)
		const since = statSync(path).size
		return { fd, reason: () => reasonOf(path, since, dataDir) }
	} catch (error) {
		const why = diskError(error) ?? (error instanceof Error ? error.message : String(error))
		throw new Error(`PostgreSQL did not start, as its log ${path} cannot be written: ${why}.`, { cause: error })
	}
}

/**
 * Copies a log of more than 10 MB to `postgres.log.1` and truncates it. Works under a running server, which appends; a line written
 * between the two steps is lost.
 */
export function rotatePostgresLog(dataDir: string): void {
	const path = fileOf(dataDir)
	const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
	if (size <= MAX_LOG_BYTES) return
	try {
		copyFileSync(path, `${path}.1`)
	} catch (error) {
		// A full disk needs the space more than the old lines.
		if (!diskError(error)) throw error
	}
	truncateSync(path)
}

function fileOf(dataDir: string): string {
	return join(dataDir, 'postgres.log')
}

/** With less free space PostgreSQL does not start, and its message may be cut off. */
const MIN_FREE_BYTES = 1024 * 1024

function reasonOf(path: string, since: number, dataDir: string): string {
	const added = readFileSync(path).subarray(since).toString()
	const disk = diskError(added)
	if (disk) return disk
	const lines = added.split('\n').filter((line) => /FATAL|PANIC|ERROR/.test(line))
	const last = lines.at(-1)?.replace(/^.*?(FATAL|PANIC|ERROR):\s*/, '')
	if (last) return last
	const { bavail, bsize } = statfsSync(dataDir)
	if (bavail * bsize < MIN_FREE_BYTES) return 'the disk is full'
	return added.trim().split('\n').at(-1) || `it ended and wrote nothing to ${path}`
}
