import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hashOfSources, isBuilt, missingPackages } from './install.mjs'

const scripts = fileURLToPath(new URL('..', import.meta.url))
let folder = ''

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'devquad-install-'))
	mkdirSync(join(folder, 'node_modules'))
	mkdirSync(join(folder, 'app'))
	mkdirSync(join(folder, 'build', 'server'), { recursive: true })
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

type Packages = Record<string, Record<string, unknown>>

const wanted: Packages = {
	'': { name: 'site' },
	'node_modules/one': { version: '1.0.0', integrity: 'sha512-1' },
	'node_modules/tool': { version: '2.0.0', integrity: 'sha512-2', dev: true },
	'node_modules/elsewhere': { version: '3.0.0', integrity: 'sha512-3', optional: true },
}
const { 'node_modules/one': one = {}, 'node_modules/tool': tool = {} } = wanted

function write(path: string, packages: Packages, age = 0): void {
	writeFileSync(join(folder, path), JSON.stringify({ packages }))
	setAge(path, age)
}

function copyScripts(): void {
	for (const file of ['run.mjs', 'support/install.mjs'])
		cpSync(join(scripts, file), join(folder, 'scripts', file), { recursive: true })
}

/** @param age seconds since it was changed */
function setAge(path: string, age: number): void {
	const time = Date.now() / 1_000 - age
	utimesSync(join(folder, path), time, time)
}

describe('a start installs only what the site needs, and tests what they need', () => {
	test.each([
		['a lock file that git wrote anew', { 'node_modules/one': one, 'node_modules/tool': tool }, [], []],
		['no tools of tests', { 'node_modules/one': one }, [], ['node_modules/tool']],
		[
			'an older tool',
			{ 'node_modules/one': one, 'node_modules/tool': { ...tool, version: '1.0.0' } },
			[],
			['node_modules/tool'],
		],
		[
			'another version',
			{ 'node_modules/one': { ...one, version: '0.9.0' }, 'node_modules/tool': tool },
			['node_modules/one'],
			['node_modules/one'],
		],
		[
			'another content',
			{ 'node_modules/one': { ...one, integrity: 'sha512-9' }, 'node_modules/tool': tool },
			['node_modules/one'],
			['node_modules/one'],
		],
	])('%s', (_what, installed, forSite, forTests) => {
		write('node_modules/.package-lock.json', installed, 60)
		write('package-lock.json', wanted)
		expect([missingPackages(folder), missingPackages(folder, true)]).toEqual([forSite, forTests])
	})

	test('nothing is installed yet', () => {
		write('package-lock.json', wanted)
		expect(missingPackages(folder)).toEqual(['node_modules/one'])
	})

	test('tests miss their tools in an installation that is newer than the lock file', () => {
		write('package-lock.json', wanted, 60)
		write('node_modules/.package-lock.json', { 'node_modules/one': one })
		expect([missingPackages(folder), missingPackages(folder, true)]).toEqual([[], ['node_modules/tool']])
	})

	test.each([
		['for a site', {}, [], 'ci --omit=dev'],
		['for tests', {}, ['--with-tools'], 'ci --include=dev'],
		['for tests beside a running site', { 'node_modules/one': one }, ['--with-tools'], 'install --include=dev'],
		[
			'for a site in a clone with the tools of tests, which stay',
			{ 'node_modules/tool': tool },
			[],
			'ci --include=dev',
		],
	])('what is missing is installed %s', (_what, installed, options, command) => {
		write('package-lock.json', wanted)
		write('node_modules/.package-lock.json', installed, 60)
		copyScripts()
		const node = 'mkdir -p node_modules/node/bin\nln -sf /bin/true node_modules/node/bin/node\n'
		if ('node_modules/one' in installed) execFileSync('sh', ['-c', node], { cwd: folder })
		writeFileSync(join(folder, 'npm'), `#!/bin/sh\necho "$@" > arguments\n${node}`, { mode: 0o755 })
		const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` }
		execFileSync(process.execPath, [join(folder, 'scripts/run.mjs'), ...options, 'scripts/some.ts'], {
			env,
			cwd: folder,
		})
		expect(readFileSync(join(folder, 'arguments'), 'utf8')).toMatch(new RegExp(`^${command} --no-save `))
	})
})

test('where npm is missing too, as in an image, a message says so', () => {
	write('package-lock.json', wanted)
	copyScripts()
	const env = { ...process.env, PATH: folder }
	const run = spawnSync(process.execPath, ['scripts/run.mjs'], { env, cwd: folder, encoding: 'utf8' })
	expect([run.status, run.stderr]).toEqual([1, expect.stringMatching(/^npm has to install .+ npm ENOENT\.\n$/)])
})

describe('a start builds only what has changed', () => {
	beforeEach(() => {
		write('package-lock.json', wanted, 60)
		writeFileSync(join(folder, 'app', 'root.tsx'), 'one')
		setAge('app/root.tsx', 60)
		setAge('app', 60)
	})

	const build = (withHash: boolean) => {
		writeFileSync(join(folder, 'build', 'server', 'main.js'), '')
		setAge('build/server/main.js', 30)
		if (withHash) writeFileSync(join(folder, 'build', 'server', 'sources.sha256'), hashOfSources(folder))
	}

	test('there is no build', () => expect(isBuilt(folder)).toBe(false))

	test('sources that are older than the build, and those that were only touched or copied, are built', () => {
		build(false)
		expect(isBuilt(folder)).toBe(true)
		setAge('app/root.tsx', 0)
		expect(isBuilt(folder), 'without a hash, time is all that is known').toBe(false)
		build(true)
		expect(isBuilt(folder)).toBe(true)
		const copy = `${folder}-copy`
		cpSync(folder, copy, { recursive: true })
		expect(isBuilt(copy)).toBe(true)
		rmSync(copy, { recursive: true })
	})

	test.each([
		['a source that was changed', () => writeFileSync(join(folder, 'app', 'root.tsx'), 'two')],
		['a source that was added', () => writeFileSync(join(folder, 'app', 'more.tsx'), '')],
		['a source that was removed', () => rmSync(join(folder, 'app', 'root.tsx'))],
	])('%s is not', (_what, change) => {
		build(true)
		change()
		expect(isBuilt(folder)).toBe(false)
	})

	test('a changed test file does not outdate the build', () => {
		build(true)
		writeFileSync(join(folder, 'app', 'root.test.tsx'), '')
		expect(isBuilt(folder)).toBe(true)
	})
})
