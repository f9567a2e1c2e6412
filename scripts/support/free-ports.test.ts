import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { freePort } from './free-ports.ts'

const asked = 30
const ask = `
	import { freePort } from ${JSON.stringify(fileURLToPath(new URL('./free-ports.ts', import.meta.url)))}
	for (let time = 0; time < ${asked}; time += 1) console.log(await freePort())
	process.stdin.resume()`

test('processes at the same time are given different ports, none that is in use or that the system gives out itself', async () => {
	const alias = fileURLToPath(new URL('./alias.mjs', import.meta.url))
	const others = Array.from({ length: 2 }, () =>
		spawn(process.execPath, ['--import', alias, '--input-type=module', '-e', ask], {
			stdio: ['pipe', 'pipe', 'inherit'],
		}),
	)
	const told = others.map((other) => text(other.stdout))
	const own: number[] = []
	const taken = createServer().listen((await freePort()) + 3, 'localhost')
	await once(taken, 'listening')
	for (let time = 0; time < asked; time += 1) own.push(await freePort())
	await new Promise((resolve) => taken.close(resolve))
	for (const other of others) other.stdin.end()
	const ports = [...own, ...(await Promise.all(told)).flatMap((lines) => lines.trim().split('\n').map(Number))]
	expect(ports).toHaveLength(3 * asked)
	expect(new Set(ports).size).toBe(ports.length)
	expect(Math.max(...ports)).toBeLessThan(32_768)
})
