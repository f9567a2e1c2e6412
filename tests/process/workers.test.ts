import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { descendants, processesOf, stillRunning } from '../support/cluster.ts'
import { makeSites } from '../support/sites.ts'

/* Starting and stopping several workers; cluster.db.test.ts tests how they work together. */

const { newDataDir, startAnew, fails } = makeSites({ WEB_CONCURRENCY: '2' })

test('database and demo content are created once for all workers; when the primary process is killed the workers end, and the next start finds all data; SIGTERM leaves no process behind', async () => {
	const dataDir = newDataDir()
	const site = await startAnew({ DATA_DIR: dataDir })
	expect(site.output().match(/Press Ctrl-C/g)).toHaveLength(1)
	expect(site.output().match(/demo content: 100%/g)).toHaveLength(1)
	const firstTitle = async (url: string) => /<h2.*?<\/h2>/s.exec(await (await fetch(`${url}/forum`)).text())?.[0]
	const title = await firstTitle(site.url)
	expect(title).toBeTruthy()
	const processes = descendants(site.child.pid ?? 0).map(({ pid }) => pid)
	expect(processes).toHaveLength(3)
	site.child.kill('SIGKILL')
	await expect.poll(() => stillRunning(processes)).toEqual([])

	const next = await startAnew({ DATA_DIR: dataDir })
	expect(next.output()).not.toContain('demo content')
	expect(await firstTitle(next.url)).toBe(title)
	const all = descendants(next.child.pid ?? 0).map(({ pid }) => pid)
	expect(all).toHaveLength(3)
	expect(processesOf(join(dataDir, 'postgres'))).not.toEqual([])
	expect(await next.stop()).toBe(0)
	expect([stillRunning(all), processesOf(join(dataDir, 'postgres'))]).toEqual([[], []])
})

test('a port in use is reported once, before anything is created', async () => {
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
	['a database', { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }, /^The database of DATABASE_URL .*\n$/],
	['a Redis', { REDIS_URL: 'redis://127.0.0.1:1' }, /^The Redis of REDIS_URL cannot be used: .*ECONNREFUSED.*\n$/],
	[
		'for one process a Redis',
		{ REDIS_URL: 'redis://127.0.0.1:1', WEB_CONCURRENCY: '1' },
		/^The Redis of REDIS_URL cannot .*\n$/,
	],
])('%s that is not there ends the start with one clear sentence', async (_what, env, message) => {
	const outcome = await fails({ DATA_DIR: newDataDir(), ...env })
	expect(outcome.output).toMatch(message)
	expect(outcome.code).toBe(1)
})
