import { closeSync, fsyncSync, openSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf } from './error-code.ts'

/** Codes of file systems that cannot sync a folder, as some of the network. */
const cannotSync = /^(EINVAL|ENOTSUP|EISDIR|EPERM|EACCES|EBADF)$/

/** Renames a file, and returns once a loss of power cannot undo that: the new name is part of the folder, not of the file. */
export async function renameDurably(from: string, to: string): Promise<void> {
	await rename(from, to)
	await syncFolder(dirname(to))
}

/** Returns once the names of a folder's files are on disk, too, where its file system can do that. */
async function syncFolder(path: string): Promise<void> {
	try {
		const folder = await open(path)
		await folder.sync().finally(() => folder.close())
	} catch (error) {
		if (!cannotSync.test(codeOf(error))) throw error
	}
}

/** The same, while nothing else runs yet. */
export function syncFolderSync(path: string): void {
	try {
		const folder = openSync(path, 'r')
		try {
			fsyncSync(folder)
		} finally {
			closeSync(folder)
		}
	} catch (error) {
		if (!cannotSync.test(codeOf(error))) throw error
	}
}
