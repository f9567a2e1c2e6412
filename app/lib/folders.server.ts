import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { mkdir, open, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf } from './system-errors.ts'

/**
 * Creates a folder and its missing parents, for the owner alone. Node's own recursive `mkdir` loops forever where the system says that a
 * folder cannot be created although its parent exists, as below /proc and in a folder of an automounter whose disk is missing.
 * @param folder an absolute path
 * @throws the error of the system
 */
export async function makeFolder(folder: string): Promise<void> {
	const missing: string[] = []
	for (let at = folder; !(await exists(at)); at = dirname(at)) missing.unshift(at)
	for (const each of missing)
		await mkdir(each, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
			// Another process has just created it.
			if (error.code !== 'EEXIST') throw error
		})
}

/** As {@link makeFolder}, while nothing else runs yet. @param mode the rights of the new folders */
export function makeFolderSync(folder: string, mode: number): void {
	const missing: string[] = []
	for (let at = folder; !existsSync(at) && at !== dirname(at); at = dirname(at)) missing.unshift(at)
	for (const each of missing)
		try {
			mkdirSync(each, { mode })
		} catch (error) {
			// Another process has just created it.
			if (codeOf(error) !== 'EEXIST') throw error
		}
}

async function exists(path: string): Promise<boolean> {
	try {
		await stat(path)
		return true
	} catch (error) {
		if (codeOf(error) === 'ENOENT') return false
		throw error
	}
}

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
