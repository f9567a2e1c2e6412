import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { connectRedis } from '~/platform/bus/redis.server.ts'
import { keepPart, type Part } from './part.ts'

/** Redis stores nothing that must survive it, so persistence is off. Other accounts on this machine do not know the password. */
function settings(port: number, password: string, folder: string): string {
	return `bind 127.0.0.1\nport ${port}\nrequirepass ${password}\nsave ""\nappendonly no\nmaxmemory 64mb\npidfile "${folder}/redis.pid"\n`
}

/** Runs a Redis for the cluster. @throws Error with one sentence when it does not start */
export async function startRedis(program: string, port: number, folder: string): Promise<Part & { url: string }> {
	const password = randomBytes(18).toString('hex')
	const url = `redis://:${password}@127.0.0.1:${port}`
	const start = () => {
		// In its own process group: Ctrl-C is for the script, which ends the parts in order.
		const child = spawn(program, ['-'], { stdio: ['pipe', 'pipe', 'pipe'], detached: true })
		child.stdin.end(settings(port, password, folder))
		return child
	}
	const isUp = async () => {
		const client = await connectRedis(url).catch(() => null)
		client?.disconnect()
		return client !== null
	}
	return { url, ...(await keepPart({ name: 'Redis', start, isUp, patience: 700 })) }
}
