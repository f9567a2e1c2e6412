import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './install.mjs'

/** All test files and journeys, as paths from the project's root with `/`. */
export function findTests(): string[] {
	const folders = '{app,server,scripts,bench,demo,tests}'
	const files = globSync([`${folders}/**/*.test.{ts,tsx}`, 'tests/e2e/*.spec.ts'], { cwd: root })
	return files.map((file) => file.replaceAll('\\', '/')).sort()
}

/**
 * The tests for `npm test -- PATTERN …`: files whose path contains a pattern, ignoring case. Where no path does, the patterns form
 * one text, and the files are those with it in the name of a test.
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
