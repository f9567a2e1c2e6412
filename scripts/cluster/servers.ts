import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { connectRedis } from '~/platform/bus/redis.server.ts'
import { shutdownLimits } from '../../server/limits.ts'
import { root, siteCommand } from '../support/install.mjs'
import { type ClusterServer, keepServerRunning } from './part.ts'

/**
 * Runs a node of the cluster, and restarts it.
 * @param settings that override the environment
 * @throws Error with one sentence when the first start fails
 */
export function startNode(settings: Record<string, string>): Promise<ClusterServer> {
	const { args, env } = siteCommand(false)
	return keepServerRunning({
		name: `The node on port ${settings.PORT}`,
		start: () =>
			spawn(process.execPath, args, {
				cwd: root,
				// The IPC channel tells it when this process is gone, even by SIGKILL.
				stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
				detached: true,
				env: { ...process.env, ...env, ...settings },
			}),
		isUp: (line) => line?.startsWith('Press Ctrl-C') ?? false,
		patience: shutdownLimits.processMs,
	})
}

/** Redis stores nothing that must survive it, so persistence is off. Other accounts on this machine do not know the password. */
function redisSettings(port: number, password: string, folder: string): string {
	return `bind 127.0.0.1\nport ${port}\nrequirepass ${password}\nsave ""\nappendonly no\nmaxmemory 64mb\npidfile "${folder}/redis.pid"\n`
}

/** Runs a Redis for the cluster. @throws Error with one sentence when it does not start */
export async function startRedis(
	program: string,
	port: number,
	folder: string,
): Promise<ClusterServer & { url: string }> {
	const password = randomBytes(18).toString('hex')
	const url = `redis://:${password}@127.0.0.1:${port}`
	const start = () => {
		// In its own process group: Ctrl-C is for the script, which ends the parts in order.
		const child = spawn(program, ['-'], { stdio: ['pipe', 'pipe', 'pipe'], detached: true })
		child.stdin.end(redisSettings(port, password, folder))
		return child
	}
	const isUp = async () => {
		const client = await connectRedis(url).catch(() => null)
		client?.disconnect()
		return client !== null
	}
	return { url, ...(await keepServerRunning({ name: 'Redis', start, isUp, patience: 700 })) }
}
