import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, globSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { freePort } from '../../scripts/support/free-ports.ts'
import { processesOf, signalAll } from '../support/cluster.ts'
import { makeDataDir, spawnSite, startFirst } from '../support/site-process.ts'
import { makeSites } from '../support/sites.ts'

// These tests run the built site as a child process; `npm test` builds it first.

const { keep, newDataDir, start, startAnew, fails } = makeSites({ SEED: 'none' })

test('a request during the start waits and is answered', async () => {
	const port = await freePort()
	const dataDir = newDataDir()
	await makeDataDir(dataDir, 'none')
	const site = spawnSite({ SEED: 'none', DATA_DIR: dataDir, PORT: String(port) })
	keep(site)
	const { answer } = await firstConnection(port)
	expect(site.output()).not.toContain('Press Ctrl-C')
	expect(await answer).toContain('HTTP/1.1 200 OK')
})

test('the built server is ASCII, so that V8 keeps its sources in one byte a character', () => {
	const files = globSync('build/server/**/*.js')
	expect(files.length).toBeGreaterThan(50)
	const wide = files.filter((file) => /[\u0080-\uffff]/.test(readFileSync(file, 'utf8')))
	expect(wide).toEqual([])
})

test('of two concurrent starts on a data directory one runs; a later one reports it, exits with 1, and does no harm; an open connection does not delay the stop', async () => {
	const dataDir = newDataDir()
	await makeDataDir(dataDir, 'none')
	const outcomes = await Promise.allSettled([
		startFirst({ SEED: 'none', DATA_DIR: dataDir }),
		startFirst({ SEED: 'none', DATA_DIR: dataDir }),
	])
	const running = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [keep(outcome.value)] : []))
	expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
	const later = await fails({ DATA_DIR: dataDir })
	expect(later).toEqual({
		code: 1,
		output: `Another DevQuad is already running on ${dataDir}. Stop it first, or choose another DATA_DIR.\n`,
	})
	const hanging = await fetch(`${running[0]?.url}/forum`, { headers: { Connection: 'keep-alive' } })
	expect(hanging.status).toBe(200)
	expect(await running[0]?.stop()).toBe(0)
})

test('a site starts on an empty folder and serves; after kill -9 of Node and PostgreSQL, and then of Node alone, the next start recovers all data on its own; SIGTERM leaves no process behind', async () => {
	const dataDir = newDataDir()
	const first = await startAnew({ DATA_DIR: dataDir })
	expect(first.output()).toContain(dataDir)
	for (const path of ['/healthz', '/readyz', '/forum']) expect((await fetch(first.url + path)).status).toBe(200)
	await killAll(first.child, dataDir)
	const second = await start({ DATA_DIR: dataDir })
	expect((await fetch(`${second.url}/forum`)).status).toBe(200)
	second.child.kill('SIGKILL')
	await once(second.child, 'exit')
	expect(processesOf(join(dataDir, 'postgres')), 'PostgreSQL outlived Node').not.toEqual([])
	const third = await start({ DATA_DIR: dataDir })
	expect((await fetch(`${third.url}/forum`)).status).toBe(200)
	expect(await third.stop()).toBe(0)
	expect(processesOf(join(dataDir, 'postgres'))).toEqual([])
})

test('a port in use is reported in one sentence', async () => {
	const server = createServer().listen(0, 'localhost')
	await once(server, 'listening')
	const { port } = server.address() as AddressInfo
	const dataDir = newDataDir()
	const outcome = await fails({ DATA_DIR: dataDir, PORT: String(port) })
	server.close()
	expect(outcome).toEqual({
		code: 1,
		output: `Port ${port} is taken by another program. Stop that one, or set PORT to another number.\n`,
	})
	expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
})

test.each([
	['an unknown setting', { SEEDS: 'demo' }, /^The setting SEEDS is not known\. .*\n$/],
	['a wrong value', { PORT: 'eighty' }, /^The setting PORT is not right: .*\n$/],
	[
		'a data directory below a file',
		{ DATA_DIR: '/dev/null/data' },
		/^The data directory \/dev\/null\/data cannot be used: .*\n$/,
	],
	[
		'a database that is not there',
		{ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' },
		// A slow machine may have logged the outage before.
		/^(.*the database cannot be reached.*\n)*The database of DATABASE_URL cannot be used: .*\n$/,
	],
])('%s ends the start with one clear sentence', async (_what, env, message) => {
	const outcome = await fails({ DATA_DIR: newDataDir(), ...env })
	expect(outcome.output).toMatch(message)
	expect(outcome.code).toBe(1)
})

test('a data directory that is not writable is refused', {
	skip: process.getuid?.() === 0,
}, async () => {
	const dataDir = newDataDir()
	chmodSync(dataDir, 0o500)
	expect(await fails({ DATA_DIR: dataDir })).toMatchObject({
		code: 1,
		output: expect.stringContaining('cannot be used'),
	})
})

async function killAll(child: ChildProcess, dataDir: string): Promise<void> {
	child.kill('SIGKILL')
	await once(child, 'exit')
	signalAll(
		processesOf(join(dataDir, 'postgres')).map(({ pid }) => pid),
		'SIGKILL',
	)
}

/** Requests the forum on the first connection that the port accepts. @returns a promise of the response's beginning */
async function firstConnection(port: number): Promise<{ answer: Promise<string> }> {
	for (;;) {
		const socket = connect(port, 'localhost')
		try {
			await once(socket, 'connect')
		} catch {
			await sleep(5)
			continue
		}
		socket.write('GET /forum HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
		return { answer: once(socket, 'data').then(([chunk]) => String(chunk)) }
	}
}
