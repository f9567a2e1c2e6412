import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Folders of server programs on Debian, which are not in the PATH of ordinary accounts. */
const alsoIn = ['/usr/local/sbin', '/usr/sbin', '/sbin']

/** The path of an installed program, or null. */
export function findProgram(name: string): string | null {
	const folders = [...(process.env.PATH ?? '').split(delimiter), ...alsoIn]
	return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null
}

function isExecutable(file: string): boolean {
	try {
		accessSync(file, constants.X_OK)
		return true
	} catch {
		return false
	}
}
