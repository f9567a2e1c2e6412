import type { ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startNginx } from '../../scripts/cluster/nginx.ts'
import { type ClusterServer, keepServerRunning } from '../../scripts/cluster/part.ts'
import { freePort } from '../../scripts/support/free-ports.ts'
import { findProgram } from '../../scripts/support/programs.ts'
import { shutdownLimits } from '../../server/limits.ts'
import { startRedis } from './redis.ts'
import { spawnSite } from './site-process.ts'

/** nginx with its waiting room and a Redis, in front of nodes that are started later. */
export interface NodesBehindNginx {
	/** The address of nginx. */
	url: string
	/** The addresses of the nodes. */
	nodes: string[]
	/**
	 * Starts all nodes at once, and restarts each one that exits.
	 * @returns when all of them serve
	 * @throws Error with the last output of one that does not start
	 */
	start: () => Promise<void>
	/** The running nodes' process ids. */
	pids: () => number[]
	stop: () => Promise<void>
}

/**
 * Starts everything but the nodes: `npm run cluster` would migrate before nginx listens.
 * @param env settings of the nodes; they share DATA_DIR
 * @param folder of the project
 */
export async function openNginx(env: Record<string, string>, folder: string, count = 3): Promise<NodesBehindNginx> {
	const dataDir = env.DATA_DIR ?? mkdtempSync(join(tmpdir(), 'devquad-nodes-'))
	const [front = 0, ...ports] = await Promise.all(Array.from({ length: count + 1 }, freePort))
	const url = `http://localhost:${front}`
	const redis = await startRedis()
	mkdirSync(join(dataDir, 'cluster'), { recursive: true, mode: 0o700 })
	const site = { HOST: 'localhost', PORT: front, publicUrl: url }
	const nginx = await startNginx(findProgram('nginx') ?? '', join(dataDir, 'cluster'), site, ports)
	const shared = { SEED: 'none', HOST: '127.0.0.1', PUBLIC_URL: url, TRUST_PROXY: '1', REDIS_URL: redis.url }
	const children = new Set<ChildProcess>()
	const startNode = (port: number) => {
		const start = () => {
			const { child } = spawnSite({ ...shared, ...env, DATA_DIR: dataDir, PORT: String(port) }, folder)
			children.add(child)
			return child.once('exit', () => children.delete(child))
		}
		const isUp = (line?: string) => line?.startsWith('Press Ctrl-C') ?? false
		return keepServerRunning({ name: `The node on port ${port}`, start, isUp, patience: shutdownLimits.processMs })
	}
	const parts: ClusterServer[] = []
	return {
		url,
		nodes: ports.map((port) => `http://127.0.0.1:${port}`),
		start: async () => void parts.push(...(await Promise.all(ports.map(startNode)))),
		pids: () => [...children].map(({ pid }) => pid ?? 0),
		stop: async () => {
			await nginx.stop()
			await Promise.all(parts.map((part) => part.stop()))
			for (const child of children) child.kill('SIGKILL')
			await redis.stop()
			rmSync(dataDir, { recursive: true, force: true })
		},
	}
}
