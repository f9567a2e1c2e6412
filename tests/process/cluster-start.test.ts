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
	test('starts its own database and Redis, and adds the demo content once; stops processes that a killed run left, and keeps all data; leaves no process behind', async () => {
		const DATA_DIR = newDataDir()
		const first = await start({ SEED: 'demo', DATA_DIR })
		for (const url of [first.url, ...first.nodes]) expect((await fetch(`${url}/forum`)).status).toBe(200)
		expect(first.output()).toMatch(/Demo account: +mira/)
		const parts = descendants(first.pid).filter(({ pid }) => pid !== first.pid)
		const named = (name: RegExp) => parts.filter(({ command }) => name.test(command))
		const [nodes, others] = [named(/server\/main\.js/), named(/nginx|redis/)]
		expect(named(/^nginx: master/)).toHaveLength(1)
		expect(named(/redis-server 127\.0\.0\.1:/)).toHaveLength(1)
		expect(nodes).toHaveLength(3)
		await first.kill()
		await expect.poll(() => stillRunning(nodes.map(({ pid }) => pid))).toEqual([])

		const second = await start({ SEED: 'demo', DATA_DIR, PORT: new URL(first.url).port })
		expect(await (await fetch(`${second.url}/forum`)).text(), 'a question of the demo content').toContain('<article')
		expect(stillRunning(others.map(({ pid }) => pid))).toEqual([])
		const all = descendants(second.pid).map(({ pid }) => pid)
		expect(processesOf(join(DATA_DIR, 'postgres'))).not.toEqual([])
		expect(await second.stop()).toBe(0)
		expect([stillRunning(all), processesOf(DATA_DIR)]).toEqual([[], []])
	})

	test('reports a port in use in one sentence', async () => {
		const server = createServer().listen(0, 'localhost')
		await once(server, 'listening')
		const { port } = server.address() as AddressInfo
		await expect(start({ PORT: String(port) })).rejects.toThrow(`Port ${port} of localhost cannot be opened.`)
		server.close()
	})
})
