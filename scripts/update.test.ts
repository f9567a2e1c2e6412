import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	rmSync,
	writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../tests/support/eventually.ts'
import { canCutPower, mountPoweredDisk, powerNote } from '../tests/support/power.ts'

/*
 * `npm run update` in a clone of a small test project, whose versions prepare and serve, or fail to. All it requires of a version is that
 * `scripts/start.mjs --prepare` prepares it, and `scripts/start.mjs` serves it.
 */

const folder = mkdtempSync(join(tmpdir(), 'devquad-update-test-'))
const [origin, clone] = [join(folder, 'origin'), join(folder, 'clone')]
const script = fileURLToPath(new URL('./update.mjs', import.meta.url))
const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@campus.example', '-c', 'commit.gpgsign=false']

/** What a version does when it is prepared, and when it is started. */
interface Doing {
	prepare?: string
	start?: string
}

const prepares = `writeFileSync('commit', process.env.COMMIT)`
const serves = `
	const server = createServer((_, answer) => answer.end(JSON.stringify({ commit: readFileSync('commit', 'utf8') })))
	server.listen(0, '127.0.0.1', () => console.log('Quad is ready:  http://127.0.0.1:' + server.address().port))
	process.on('SIGTERM', () => process.exit(0))`

/** Commits a version at the origin. @returns the name of its folder in releases/ */
function release(version: string, { prepare = prepares, start = serves }: Doing = {}): string {
	mkdirSync(join(origin, 'scripts'), { recursive: true })
	writeFileSync(join(origin, 'package.json'), JSON.stringify({ version, type: 'module' }))
	const text = `import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
if (process.argv.includes('--prepare')) { ${prepare} } else { ${start} }
`
	writeFileSync(join(origin, 'scripts', 'start.mjs'), text)
	cpSync(script, join(origin, 'scripts', 'update.mjs'))
	git(origin, 'add', '.')
	git(origin, 'commit', '--quiet', '-m', version)
	git(origin, 'tag', `v${version}`)
	return `${version}-${git(origin, 'rev-parse', 'HEAD').trim().slice(0, 10)}`
}

function git(where: string, ...args: string[]): string {
	return execFileSync('git', ['-C', where, ...identity, ...args], {
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'pipe'],
	})
}

function update(...args: string[]) {
	const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/update.mjs', ...args], {
		cwd: clone,
		encoding: 'utf8',
		timeout: 60_000,
	})
	return { status, words: stdout + stderr }
}

const current = () => readlinkSync(join(clone, 'releases', 'current'))
const inReleases = () => readdirSync(join(clone, 'releases')).sort()

let first = ''

beforeAll(() => {
	mkdirSync(origin)
	git(origin, 'init', '--quiet', '--initial-branch=main')
	first = release('1.0.0')
	git(folder, 'clone', '--quiet', origin, clone)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a version is prepared in a folder of its own, tried, and made current; a second update has nothing to do', () => {
	expect(update()).toEqual({
		status: 0,
		words: expect.stringContaining(`${first} is ready, and the next start runs it`),
	})
	expect(current()).toBe(first)
	expect(update()).toEqual({ status: 0, words: `${first} is current already.\n` })
})

test(`a version that is there after a loss of power is whole${powerNote}`, { skip: !canCutPower }, async () => {
	const disk = await mountPoweredDisk()
	onTestFinished(disk.remove)
	const there = join(disk.folder, 'clone')
	const [enter = '', ...inside] = disk.prefix
	execFileSync(enter, [...inside, 'git', 'clone', '--quiet', origin, there])
	execFileSync(enter, [...inside, process.execPath, join(there, 'scripts', 'update.mjs')])
	// The names reach the disk within seconds, what is in the files up to half a minute later; another file hurries the names.
	writeFileSync(join(disk.seen, 'other'), '', { flush: true })
	const release = join(disk.cutPower(), 'clone', 'releases', first)
	expect(readFileSync(join(release, 'scripts', 'start.mjs'), 'utf8')).toContain('createServer')
})

test.each([
	['cannot be prepared', { prepare: `console.error('The build failed.'); process.exit(1)` }, 'The build failed.'],
	['ends before it serves', { start: `console.error('No such module.'); process.exit(1)` }, 'No such module.'],
	['is not what was asked for', { prepare: `writeFileSync('commit', 'another')` }, 'It says that it is another.'],
])('a version that %s leaves the previous one current, and no files of its own', (_what, doing, reason) => {
	release(`1.1.${inReleases().length}${reason.length}`, doing)
	const { status, words } = update()
	expect([status, words]).toEqual([1, expect.stringContaining('What runs is as it was.')])
	if (!reason.startsWith('The build')) expect(words).toContain(reason)
	expect([current(), inReleases()]).toEqual([first, [first, 'current']])
})

test('the three newest versions stay, and switching back to an earlier one does not prepare it again', () => {
	const names = ['2.0.0', '2.1.0', '2.2.0'].map((version) => {
		const name = release(version)
		expect(update().status).toBe(0)
		return name
	})
	expect(inReleases()).toEqual([...names, 'current'])
	const back = update('--to', 'v2.0.0')
	expect([back.status, current()]).toEqual([0, names[0]])
	expect(back.words).not.toContain('Preparing')
})

test('an earlier version without a migration of the current one becomes current only where that is wanted anyway', () => {
	mkdirSync(join(origin, 'migrations'))
	writeFileSync(join(origin, 'migrations', '0002_later.sql'), '')
	const later = release('2.3.0')
	expect(update().status).toBe(0)
	const back = update('--to', 'v2.2.0')
	expect(back).toEqual({ status: 1, words: expect.stringContaining('does not have the migration 0002_later.sql') })
	expect(current()).toBe(later)
	expect(update('--to', 'v2.2.0', '--anyway').status).toBe(0)
	expect(current()).toMatch(/^2\.2\.0-/)
})

test('the running version stays, however many were prepared since; leftovers of a killed update do not', async () => {
	const running = join(clone, 'releases', current())
	const site = spawn(process.execPath, [join(running, 'scripts', 'start.mjs')], { cwd: running, stdio: 'pipe' })
	try {
		await once(site.stdout, 'data')
		mkdirSync(join(clone, 'releases', '.preparing-2.9.0-0123456789'))
		for (const version of ['3.0.0', '3.1.0', '3.2.0', '3.3.0']) {
			release(version)
			expect(update().status).toBe(0)
		}
		expect(existsSync(join(running, 'scripts', 'start.mjs'))).toBe(true)
		expect(inReleases()).toHaveLength(5)
	} finally {
		site.kill()
		await once(site, 'exit')
	}
	release('3.4.0')
	expect(update().status).toBe(0)
	expect(inReleases()).toHaveLength(4)
})

test('a concurrent update is refused and disturbs nothing; the lock of a killed one does not count', async () => {
	const [began, go] = [join(folder, 'began'), join(folder, 'go')]
	writeFileSync(join(clone, 'releases', '.updating'), '999999999')
	const name = release('4.0.0', {
		prepare: `writeFileSync(${JSON.stringify(began)}, '')
			while (!existsSync(${JSON.stringify(go)})) await new Promise((next) => setTimeout(next, 20))
			${prepares}`,
	})
	const one = spawn(process.execPath, ['scripts/update.mjs'], { cwd: clone, stdio: 'ignore' })
	const ended = once(one, 'exit')
	await eventually(() => expect(existsSync(began)).toBe(true))
	expect(update()).toEqual({ status: 1, words: expect.stringContaining('Another update is running.') })
	writeFileSync(go, '')
	expect([await ended, current()]).toEqual([[0, null], name])
	expect(inReleases()).not.toContain('.updating')
})

test.each(['SIGTERM', 'SIGINT'] as const)(
	'an update that %s stops while it tries a version ends that too, and leaves nothing',
	async (signal) => {
		const [temporary, tried] = [join(folder, `tmp-${signal}`), join(folder, `tried-${signal}`)]
		mkdirSync(temporary)
		const [before, kept] = [current(), inReleases()]
		release(`5.0.${kept.length}${signal.length}`, {
			start: `writeFileSync(${JSON.stringify(tried)}, String(process.pid))
			setInterval(() => {}, 1000)`,
		})
		const one = spawn(process.execPath, ['scripts/update.mjs'], {
			cwd: clone,
			stdio: ['ignore', 'ignore', 'pipe'],
			env: { ...process.env, TMPDIR: temporary },
		})
		const [words, ended] = [text(one.stderr), once(one, 'exit')]
		await eventually(() => expect(readFileSync(tried, 'utf8')).toMatch(/^\d+$/))
		const pid = Number(readFileSync(tried, 'utf8'))
		try {
			one.kill(signal)
			await ended
			expect(() => process.kill(pid, 0)).toThrow('ESRCH')
			expect(await words).toBe('The update was stopped.\nWhat runs is as it was.\n')
			expect([readdirSync(temporary), inReleases(), current()]).toEqual([[], kept, before])
		} finally {
			spawnSync('kill', [String(pid)])
		}
	},
)

test.each([[['--to']], [['--to', 'nothing']], [['latest']]])('%j is refused with a message', (args) => {
	const before = current()
	expect(update(...args)).toEqual({ status: 1, words: expect.stringContaining('What runs is as it was.') })
	expect(current()).toBe(before)
})
