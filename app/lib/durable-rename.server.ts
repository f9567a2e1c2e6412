import { closeSync, fsyncSync, openSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf } from './error-code.ts'

/** Codes of file systems that cannot sync a folder, as some of the network. */
const cannotSync = /^(EINVAL|ENOTSUP|EISDIR|EPERM|EACCES|EBADF)$/

/** Renames a file, and returns once a loss of power cannot undo that: the new name is part of the folder, not of the file. */
export async function renameDurably(from: string, to: string): Promise<void> {
	await rename(from, to)
	try {
		const folder = await open(dirname(to))
		await folder.sync().finally(() => folder.close())
	} catch (error) {
		if (!cannotSync.test(codeOf(error))) throw error
	}
}

/** Returns once the names of a folder's files are on disk, too. */
export function syncFolder(path: string): void {
	const folder = openSync(path, 'r')
	try {
		fsyncSync(folder)
	} catch (error) {
		if (!cannotSync.test(codeOf(error))) throw error
	} finally {
		closeSync(folder)
	}
}
