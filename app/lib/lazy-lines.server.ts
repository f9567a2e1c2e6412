import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The lines of a text file, read on first use. The path is relative to the project's folder, from which every script and the server run. */
export function lazyLines(path: string): () => ReadonlySet<string> {
	let lines: ReadonlySet<string> | undefined
	return () => {
		lines ??= new Set(readFileSync(find(path), 'utf8').split(/\r?\n/).filter(Boolean))
		return lines
	}
}

function find(path: string): string {
	const file = join(process.cwd(), path)
	if (!existsSync(file)) throw new Error(`The file ${path} of the project is missing.`)
	return file
}
