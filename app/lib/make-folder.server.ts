import { existsSync, mkdirSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf } from './error-code.ts'

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
