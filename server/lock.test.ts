import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { eventually } from '../tests/support/eventually.ts'
import { lockByHeartbeat, lockDataDir } from './lock.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const folders: string[] = []

afterEach(() => {
	for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function newFolder(): string {
	const folder = mkdtempSync(join(tmpdir(), 'devquad-lock-'))
	folders.push(folder)
	return folder
}

/** Makes another process lock a folder. @returns once it holds the lock */
async function holdElsewhere(call: string, folder: string) {
	const script = `import { ${call} } from './server/lock.ts'; await ${call}(${JSON.stringify(folder)}, () => {}); console.log('held'); setInterval(() => {}, 1000)`
	const child = spawn(
		process.execPath,
		['--import', './scripts/support/alias.mjs', '--input-type=module-typescript', '-e', script],
		{
			cwd: root,
			stdio: ['ignore', 'pipe', 'inherit'],
		},
	)
	await once(child.stdout, 'data')
	return child
}

test('a data directory is held by one process at a time', async () => {
	const [one, another] = [newFolder(), newFolder()]
	const release = await lockDataDir(one)
	await expect(lockDataDir(one)).rejects.toThrow(
		`Another DevQuad is already running on ${one}. Stop it first, or choose another DATA_DIR.`,
	)
	const other = await lockDataDir(another)
	release()
	other()
	const again = await lockDataDir(one)
	again()
	expect(statSync(join(one, 'site.lock')).mode & 0o777).toBe(0o600)
})

test.each(['lockDataDir', 'lockByHeartbeat'] as const)(
	'%s: a process that is killed leaves no lock behind',
	async (call) => {
		const folder = newFolder()
		const child = await holdElsewhere(call, folder)
		const take = () => (call === 'lockDataDir' ? lockDataDir(folder) : lockByHeartbeat(folder, () => {}))
		await expect(take()).rejects.toThrow(/already running/)
		child.kill('SIGKILL')
		await once(child, 'exit')
		const release = await take()
		release()
	},
)

test('of twenty concurrent attempts, one gets the lock', async () => {
	const folder = newFolder()
	const asked = await Promise.allSettled(Array.from({ length: 20 }, () => lockDataDir(folder)))
	const won = asked.filter((outcome) => outcome.status === 'fulfilled')
	expect(won).toHaveLength(1)
	for (const outcome of won) outcome.value()
})

/** Writes a heartbeat as a site on another machine would. */
function writeBeat(folder: string, count = 0): void {
	const beat = { id: 'another', space: 'another machine', pid: 1, count }
	writeFileSync(join(folder, 'site.heartbeat'), JSON.stringify(beat))
}

test('without file locks, one of ten takes over from a silent site elsewhere, and none from one with a heartbeat', async () => {
	const folder = newFolder()
	let count = 0
	writeBeat(folder)
	const beating = setInterval(() => writeBeat(folder, ++count), 50)
	await expect(lockByHeartbeat(folder, () => {}, 1_000)).rejects.toThrow(/already running/)
	clearInterval(beating)
	const asked = await Promise.allSettled(Array.from({ length: 10 }, () => lockByHeartbeat(folder, () => {}, 1_000)))
	const won = asked.filter((outcome) => outcome.status === 'fulfilled')
	expect(won).toHaveLength(1)
	for (const outcome of won) outcome.value()
	const again = await lockByHeartbeat(folder, () => {}, 1_000)
	again()
})

test('without file locks, a clock that is set forward does not make a live site look silent', async () => {
	const folder = newFolder()
	vi.useFakeTimers({ toFake: ['Date'] })
	onTestFinished(() => void vi.useRealTimers())
	let count = 0
	writeBeat(folder)
	const beating = setInterval(() => writeBeat(folder, ++count), 300)
	const asked = lockByHeartbeat(folder, () => {}, 1_000)
	vi.setSystemTime(Date.now() + 3_600_000)
	await expect(asked).rejects.toThrow(/already running/)
	clearInterval(beating)
})

test('without file locks, a site renews its file, notices when another site takes over, and leaves that file alone', async () => {
	const folder = newFolder()
	let isLost = false
	const release = await lockByHeartbeat(
		folder,
		() => {
			isLost = true
		},
		1_000,
	)
	const first = readFileSync(join(folder, 'site.heartbeat'), 'utf8')
	await eventually(() => expect(readFileSync(join(folder, 'site.heartbeat'), 'utf8')).not.toBe(first))
	expect(isLost).toBe(false)
	writeBeat(folder)
	await eventually(() => expect(isLost).toBe(true))
	release()
	expect(readFileSync(join(folder, 'site.heartbeat'), 'utf8')).toContain('another machine')
})

test('without file locks, a site that cannot write its file for a while, as on a full disk, continues and writes it later', async () => {
	const folder = newFolder()
	const file = join(folder, 'site.heartbeat')
	const beatNow = () => JSON.parse(readFileSync(file, 'utf8')) as { id: string; count: number }
	const onLost = vi.fn()
	const told = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
	const release = await lockByHeartbeat(folder, onLost, 1_000)
	const inTheWay = `${file}.${beatNow().id}`
	await eventually(() => mkdirSync(inTheWay))
	const { count } = beatNow()
	await eventually(() => expect(told).toHaveBeenCalledWith(expect.stringContaining('could not be renewed')))
	told.mockRestore()
	rmSync(inTheWay, { recursive: true })
	await eventually(() => expect(beatNow().count).toBeGreaterThan(count))
	release()
	expect(onLost).not.toHaveBeenCalled()
})

test('without file locks, a site that runs out of file descriptors does not assume that another took over', async () => {
	const script = `
		import { closeSync, openSync } from 'node:fs'
		import { lockByHeartbeat } from './server/lock.ts'
		const lost = () => { console.log('lost'); process.exit() }
		await lockByHeartbeat(${JSON.stringify(newFolder())}, lost, 1_000)
		const opened = []
		try { for (;;) opened.push(openSync('/dev/null')) } catch {}
		setTimeout(() => { for (const fd of opened) closeSync(fd); console.log('held'); process.exit() }, 700)`
	const node = `${process.execPath} --import ./scripts/support/alias.mjs --input-type=module-typescript -e "$1"`
	const child = spawn('sh', ['-c', `ulimit -n 200; exec ${node}`, 'sh', script], {
		cwd: root,
		stdio: ['ignore', 'pipe', 'inherit'],
	})
	const [said] = await once(child.stdout, 'data')
	expect(String(said).trim()).toBe('held')
})
