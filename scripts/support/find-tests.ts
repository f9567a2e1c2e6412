import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './install.mjs'

/** Every file of tests and of journeys, as paths from the root of the project with `/`. */
export function findTests(): string[] {
	const folders = '{app,server,scripts,bench,demo,tests}'
	const files = globSync([`${folders}/**/*.test.{ts,tsx}`, 'tests/e2e/*.spec.ts'], { cwd: root })
	return files.map((file) => file.replaceAll('\\', '/')).sort()
}

/**
 * What `npm test -- PATTERN …` runs: the files whose path has one of the patterns in it, in any case. Where no path has, the
 * patterns are one text, and the files are those in which it stands as part of a test's name.
 * @param read returns the text of a file
 * @returns the files; and `name`, a regular expression of the tests to run in them, or null for all
 */
export function matchingTests(
	files: string[],
	patterns: string[],
	read = (file: string) => readFileSync(join(root, file), 'utf8'),
): { files: string[]; name: string | null } {
	const lower = patterns.map((pattern) => pattern.toLowerCase())
	const byPath = files.filter((file) => lower.some((pattern) => file.toLowerCase().includes(pattern)))
	if (byPath.length > 0) return { files: byPath, name: null }
	const name = patterns.join(' ')
	return { files: files.filter((file) => read(file).includes(name)), name: RegExp.escape(name) }
}
