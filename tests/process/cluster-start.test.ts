import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import {
	descendants,
	hasServers,
	processesOf,
	type RunningCluster,
	startCluster,
	stillRunning,
} from '../support/cluster.ts'
import { makeDataDir } from '../support/site-process.ts'

/* Starting and stopping `npm run cluster`; cluster.db.test.ts tests how nodes work together. */

const clusters: RunningCluster[] = []
const folders: string[] = []

afterEach(async () => {
	for (const cluster of clusters.splice(0)) await cluster.stop()
	for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function newDataDir(): string {
	const folder = mkdtempSync(join(tmpdir(), 'devquad-cluster-'))
	folders.push(folder)
	return folder
}

async function start(env: Record<string, string>): Promise<RunningCluster> {
	const cluster = await startCluster(env)
	clusters.push(cluster)
	return cluster
}

describe.skipIf(!hasServers)('npm run cluster (needs nginx and redis-server)', () => {
	test('starts its own database and Redis, adds the demo content once, and leaves no process behind', async () => {
		const DATA_DIR = newDataDir()
		const cluster = await start({ SEED: 'demo', DATA_DIR })
		for (const url of [cluster.url, ...cluster.nodes]) expect((await fetch(`${url}/forum`)).status).toBe(200)
		expect(cluster.output()).toMatch(/Demo account: +mira/)
		const programs = descendants(cluster.pid).map(({ command }) => command)
		for (const [name, count] of [
			[/^nginx: master/, 1],
			[/redis-server 127\.0\.0\.1:/, 1],
			[/server\/main\.js/, 3],
		] as const)
			expect(programs.filter((command) => name.test(command))).toHaveLength(count)
		const all = descendants(cluster.pid).map(({ pid }) => pid)
		expect(processesOf(join(DATA_DIR, 'postgres'))).not.toEqual([])
		expect(await cluster.stop()).toBe(0)
		expect([stillRunning(all), processesOf(DATA_DIR)]).toEqual([[], []])
	})

	test('reports a port in use in one sentence', async () => {
		const server = createServer().listen(0, 'localhost')
		await once(server, 'listening')
		const { port } = server.address() as AddressInfo
		await expect(start({ PORT: String(port) })).rejects.toThrow(`Port ${port} of localhost cannot be opened.`)
		server.close()
	})

	test('stops processes that an earlier killed run left, and keeps all data', async () => {
		const DATA_DIR = newDataDir()
		await makeDataDir(DATA_DIR, 'none')
		const first = await start({ DATA_DIR })
		const parts = descendants(first.pid).filter(({ pid }) => pid !== first.pid)
		const nodes = parts.filter(({ command }) => command.includes('server/main.js'))
		await first.kill()
		await expect.poll(() => stillRunning(nodes.map(({ pid }) => pid))).toEqual([])
		const second = await start({ DATA_DIR, PORT: new URL(first.url).port })
		expect((await fetch(`${second.url}/forum`)).status).toBe(200)
		expect(stillRunning(parts.filter(({ command }) => /nginx|redis/.test(command)).map(({ pid }) => pid))).toEqual([])
	})
})
