import { type ChildProcess, spawn } from 'node:child_process'
import { keepAlive } from '../../server/keep-alive.ts'
import { root, siteFlags } from '../support/install.mjs'
import { endProcess, type Part } from './part.ts'

/** Milliseconds that a node may take to stop. */
const patience = 3_300

/**
 * Starts a node of the cluster, and again whenever it ends.
 * @param settings what this one has in place of the environment's
 * @returns `ready` rejects with one sentence when the first start fails
 */
export function startNode(settings: Record<string, string>): Part & { ready: Promise<void> } {
	const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
	let child: ChildProcess
	let hasServed = false
	let isStopping = false
	const hear = (line: string) => {
		if (line.startsWith('{')) process.stdout.write(`${line}\n`)
		if (!line.startsWith('Press Ctrl-C')) return
		hasServed = true
		resolve()
	}
	const start = () => {
		child = spawn(process.execPath, [...siteFlags(false), 'server/main.ts'], {
			cwd: root,
			// The channel tells it when this process is gone, even by SIGKILL.
			stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
			detached: true,
			env: { ...process.env, NODE_ENV: 'production', ...settings },
		})
		let rest = ''
		child.stdout?.on('data', (chunk) => {
			const lines = `${rest}${chunk}`.split('\n')
			rest = lines.pop() ?? ''
			for (const line of lines) hear(line)
		})
		return child
	}
	keepAlive(start, ({ code, signal, wait }) => {
		if (isStopping) return false
		if (!hasServed) {
			reject(new Error(`The node on port ${settings.PORT} did not start.`))
			return false
		}
		process.stderr.write(
			`The node on port ${settings.PORT} ended (${signal ?? code}) and is started again in ${wait} ms.\n`,
		)
		return true
	})
	const stop = () => {
		isStopping = true
		return endProcess(child, patience)
	}
	return { ready, stop }
}
