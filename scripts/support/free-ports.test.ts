import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { freePort } from './free-ports.ts'

const asked = 30
const ask = `
	import { freePort } from ${JSON.stringify(fileURLToPath(new URL('./free-ports.ts', import.meta.url)))}
	for (let time = 0; time < ${asked}; time += 1) console.log(await freePort())
	process.stdin.resume()`

test('concurrent processes get different ports, none in use and none of the system’s ephemeral range', async () => {
	const alias = fileURLToPath(new URL('./alias.mjs', import.meta.url))
	const others = Array.from({ length: 2 }, () =>
		spawn(process.execPath, ['--import', alias, '--input-type=module', '-e', ask], {
			stdio: ['pipe', 'pipe', 'inherit'],
		}),
	)
	const reported = others.map(({ stdout }) => listenTo(stdout))
	const own: number[] = []
	const taken = createServer().listen((await freePort()) + 3, 'localhost')
	await once(taken, 'listening')
	for (let time = 0; time < asked; time += 1) own.push(await freePort())
	await new Promise((resolve) => taken.close(resolve))
	// A process releases its block when it ends, so none may end before all have reported.
	const ports = [...own, ...(await Promise.all(reported)).flat()]
	for (const other of others) other.stdin.end()
	expect(ports).toHaveLength(3 * asked)
	expect(new Set(ports).size).toBe(ports.length)
	expect(Math.max(...ports)).toBeLessThan(32_768)
})

/** The ports that a process reports, once it has reported all of them. */
async function listenTo(output: Readable): Promise<number[]> {
	const ports: number[] = []
	for await (const line of createInterface({ input: output })) if (ports.push(Number(line)) === asked) break
	return ports
}
