import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Where servers are kept on Debian, which the path of an ordinary account leaves out. */
const alsoIn = ['/usr/local/sbin', '/usr/sbin', '/sbin']

/** The file of a program that this machine has, or null. */
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
