import { rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '~/lib/error-code.ts'

/*
 * A restored site has the settings and keys of the original, so it writes its backups to the same place. If it is only a trial, it must
 * not remove those of the original: a file of the data directory, which no backup contains, marks it until an admin confirms that it
 * has replaced the original.
 */

function fileOf(dataDir: string): string {
	return join(dataDir, 'site.restored')
}

/** Marks the site of a data directory as restored. */
export async function markRestored(dataDir: string): Promise<void> {
	await writeFile(fileOf(dataDir), '', { mode: 0o600, flush: true })
}

/** When the site was restored; null where it was not, or an admin has confirmed it. */
export async function restoredAt(dataDir: string): Promise<Date | null> {
	try {
		return (await stat(fileOf(dataDir))).mtime
	} catch (error) {
		if (codeOf(error) === 'ENOENT') return null
		throw error
	}
}

/** Removes the mark. */
export async function unmarkRestored(dataDir: string): Promise<void> {
	await rm(fileOf(dataDir), { force: true })
}
