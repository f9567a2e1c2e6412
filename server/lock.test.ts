import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { lockDataDir } from './lock.ts'

const lock = new URL('./lock.ts', import.meta.url).pathname

test('a data directory is held by one process at a time', async () => {
	const release = await lockDataDir('/some/where')
	await expect(lockDataDir('/some/where')).rejects.toThrow(/Another DevQuad is already running on \/some\/where/)
	const other = await lockDataDir('/some/where/else')
	release()
	other()
	const again = await lockDataDir('/some/where')
	again()
})

test('a process that is killed leaves no lock behind', async () => {
	const script = `import { lockDataDir } from ${JSON.stringify(lock)}; await lockDataDir('/crashed'); console.log('held'); setInterval(() => {}, 1000)`
	const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
		stdio: ['ignore', 'pipe', 'ignore'],
	})
	await once(child.stdout, 'data')
	await expect(lockDataDir('/crashed')).rejects.toThrow(/already running/)
	child.kill('SIGKILL')
	await once(child, 'exit')
	const release = await lockDataDir('/crashed')
	release()
})

test('of twenty that ask at once, one gets it', async () => {
	const asked = await Promise.allSettled(Array.from({ length: 20 }, () => lockDataDir('/wanted')))
	const won = asked.filter((outcome) => outcome.status === 'fulfilled')
	expect(won).toHaveLength(1)
	for (const outcome of won) outcome.value()
})
