import { spawnSync } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'

/** A lock that is held: closing the descriptor releases it, and so does the end of every process that has it open. */
export type FileLock = { state: 'held'; fd: number } | { state: 'taken' } | { state: 'unsupported' }

/**
 * Asks the kernel for the only lock on a file (flock), without waiting. The lock belongs to the open file, not to a process:
 * it holds across containers that share the file, a child that inherits the descriptor holds it too, and no crash leaves it behind.
 * Node has no flock of its own, so the program of util-linux or BusyBox places it on a descriptor of ours.
 * @param file absolute path; made readable by its owner alone when it is not there; a symbolic link is refused
 * @returns `unsupported` where there is no such program, or the file system knows no locks
 * @throws the error of the file system when the file cannot be opened
 */
export function lockFile(file: string): FileLock {
	const fd = openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)
	const { status, stderr } = spawnSync('flock', ['-n', '3'], { stdio: ['ignore', 'ignore', 'pipe', fd] })
	if (status === 0) return { state: 'held', fd }
	closeSync(fd)
	// Somebody else's lock is status 1 without a word; everything else is explained on standard error.
	return status === 1 && stderr.length === 0 ? { state: 'taken' } : { state: 'unsupported' }
}
