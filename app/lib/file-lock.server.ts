import { spawnSync } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'

/** A held lock: released by closing the descriptor, or when all processes that have it open have ended. */
export type FileLock = { state: 'held'; fd: number } | { state: 'taken' } | { state: 'unsupported' }

/**
 * Tries to lock a file exclusively with flock, without waiting. The lock belongs to the open file, not to a process: it holds
 * across containers that share the file, children that inherit the descriptor hold it too, and no crash leaves it behind. Node has
 * no flock, so the program of util-linux or BusyBox locks our descriptor.
 * @param file absolute path; created for its owner only if missing; a symbolic link is refused
 * @returns `unsupported` where there is no such program, or the file system has no locks
 * @throws the error of the file system when the file cannot be opened
 */
export function lockFile(file: string): FileLock {
	const fd = openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)
	const { status, stderr } = spawnSync('flock', ['-n', '3'], { stdio: ['ignore', 'ignore', 'pipe', fd] })
	if (status === 0) return { state: 'held', fd }
	closeSync(fd)
	// Status 1 without output means that another process holds the lock; other errors are explained on standard error.
	return status === 1 && stderr.length === 0 ? { state: 'taken' } : { state: 'unsupported' }
}
