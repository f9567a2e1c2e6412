import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectRedis } from '~/platform/bus/redis.server.ts'
import { freePort } from '../../scripts/support/free-ports.ts'
import { findProgram } from '../../scripts/support/programs.ts'

/** Whether Redis is installed. */
export const hasRedis = findProgram('redis-server') !== null

export interface TestRedis {
	url: string
	/** Kills it, as a crash would; its data are lost. */
	stop: () => Promise<void>
	/** Restarts it at the same address. */
	start: () => Promise<void>
}

/** A Redis for one test, without persistence. */
export async function startRedis(): Promise<TestRedis> {
	const port = await freePort()
	const url = `redis://127.0.0.1:${port}`
	let child: ChildProcess
	const start = async () => {
		const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
		child = spawn(findProgram('redis-server') ?? '', settings, { stdio: 'ignore' })
		for (;;) {
			const client = await connectRedis(url).catch(() => sleep(20))
			if (client) return client.disconnect()
		}
	}
	const stop = async () => {
		if (child.exitCode !== null || child.signalCode !== null) return
		child.kill('SIGKILL')
		await once(child, 'exit')
	}
	await start()
	return { url, start, stop }
}
