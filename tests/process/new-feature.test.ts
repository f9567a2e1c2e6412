import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { whyNot } from '../../scripts/support/feature-names.ts'

/*
 * `npm run new` on a copy of the source: the new feature is formatted, type-checked, built, and passes its own and the architecture test.
 */

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'devquad-new-'))

beforeAll(() => {
	for (const name of ['app', 'server', 'migrations', 'scripts', 'public', 'tests', 'bench', 'docs'])
		cpSync(join(root, name), join(folder, name), { recursive: true })
	for (const name of [
		'package.json',
		'tsconfig.json',
		'vite.config.ts',
		'vitest.config.ts',
		'playwright.config.ts',
		'react-router.config.ts',
		'biome.json',
		'.gitignore',
	])
		cpSync(join(root, name), join(folder, name))
	symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
	// No browser loads this build, so it is neither compressed nor minified, and no process runs it: its server stays without packages.
	const config = join(folder, 'vite.config.ts')
	const quick = readFileSync(config, 'utf8').replace('precompress(), ', '').replace('noExternal: true, ', '')
	writeFileSync(config, quick)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a program of the project in the copy. @returns its output @throws Error with the output if it fails */
function run(program: string, ...args: string[]): string {
	try {
		const env = { ...process.env, NODE_ENV: 'production', NO_COLOR: '1' }
		return execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: 'pipe', env })
	} catch (error) {
		const { stdout, stderr } = error as { stdout: string; stderr: string }
		throw new Error(`${program} ${args.join(' ')}:\n${stdout}\n${stderr}`, { cause: error })
	}
}

const bin = (name: string) => join(root, 'node_modules/.bin', name)
const layOut = (name: string) => run(process.execPath, 'scripts/new.ts', name)

/** The message with which a name is refused. @throws Error when it is accepted */
function refusalOf(name: string): string {
	try {
		layOut(name)
	} catch (error) {
		return (error as Error).message
	}
	throw new Error(`The name “${name}” was accepted.`)
}

/** The files that a new feature adds or changes. */
const touched = () => [
	...['app/features', 'migrations'].flatMap((name) => readdirSync(join(folder, name))),
	...['app/routes.ts', 'app/features/index.server.ts'].map((name) => readFileSync(join(folder, name), 'utf8')),
]

test.each([
	['', 'lower-case letters'],
	['Reading', 'lower-case letters'],
	['../outside', 'lower-case letters'],
	['order', 'a word of SQL'],
	['where', 'a word of SQL'],
	['current-date', 'a word of SQL'],
	['chat', 'already'],
	['blocks', 'already'],
	['question-votes', 'already'],
	['public-profiles', 'already'],
	['layers', 'already'],
	['healthz', 'already'],
	['assets', 'already'],
	['icons', 'already'],
])('the name “%s” is refused', (name, reason) => {
	expect(whyNot(name)).toContain(reason)
})

// The first is refused before anything is written, the others when the files do not compile.
test.each([
	['forum', 'already'],
	['class', 'means something else'],
	['await', 'means something else'],
	['map', 'means something else'],
	['entry', 'means something else'],
	['parse', 'means something else'],
])('the name “%s” is refused in two lines, and nothing is written', (name, reason) => {
	const before = touched()
	const refusal = refusalOf(name)
	expect(refusal).toContain(reason)
	expect(refusal).toMatch(/:\n\n.+\nUsage: npm run new -- NAME.+\n$/)
	expect(touched()).toEqual(before)
})

test('two names are refused', () => {
	expect(() => run(process.execPath, 'scripts/new.ts', 'reading', 'list')).toThrow('A feature has one name')
})

/** Another check covers the whole site: here only what is new or changed is type-checked, with all that it loads. */
function leaveOutFiles(): void {
	const config = join(folder, 'tsconfig.json')
	const settings: { include: string[] } = JSON.parse(readFileSync(config, 'utf8'))
	settings.include = [
		'app/features/reading-list/**/*',
		'app/features/index.server.ts',
		'app/routes.ts',
		'.react-router/types/**/*',
		...declaring(),
	]
	writeFileSync(config, JSON.stringify(settings))
}

/** Files that add to types declared elsewhere: what others load of a feature needs them, and pages that are left out load some of them. */
function declaring(): string[] {
	const sources = ['app', 'server'].flatMap((name) =>
		readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' }).map((file) => join(name, file)),
	)
	return sources.filter(
		(file) => /\.tsx?$/.test(file) && readFileSync(join(folder, file), 'utf8').includes('declare module'),
	)
}

/** Here only the new page and the required ones are typed and built, and of the features only the new one. */
function leaveOutRoutes(): void {
	keepLines('app/routes.ts', (line) => !line.startsWith('\t') || /^\tindex\(|'reading-list'|'\*'/.test(line))
	keepLines('app/features/index.server.ts', (line) => !/^\t\[|from '\.\//.test(line) || /readingList/.test(line))
}

function keepLines(path: string, isKept: (line: string) => boolean): void {
	const file = join(folder, path)
	writeFileSync(file, readFileSync(file, 'utf8').split('\n').filter(isKept).join('\n'))
}

test('a new feature is formatted, typed, tested and built', () => {
	const files = layOut('reading-list').match(/^\S+\.(ts|tsx|sql)$/gm) ?? []
	expect(files).toHaveLength(11)
	run(bin('biome'), 'ci', '--error-on-warnings', ...files.filter((file) => !file.endsWith('.sql')))
	const suites = ['architecture.test.ts', 'features.test.ts', 'member-data.db.test.ts']
	const tests = ['app/features/reading-list', ...suites.map((name) => `tests/${name}`)]
	// The cache of transformed modules is for later runs, and no later one has files of these paths.
	run(bin('vitest'), 'run', '--maxWorkers=1', '--no-fsModuleCache', ...tests)
	leaveOutRoutes()
	leaveOutFiles()
	run(bin('react-router'), 'typegen')
	const checked = run(bin('tsc'), '--noEmit', '--checkers', '1', '--listFiles')
	for (const file of files.filter((each) => !each.endsWith('.sql'))) expect(checked).toContain(`/${file}\n`)
	run(bin('react-router'), 'build', '--minify=false')
	expect(readdirSync(join(folder, 'build/client/assets')).join()).toContain('reading-list')
})
