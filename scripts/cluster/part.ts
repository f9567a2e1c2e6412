import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { keepAlive } from '../support/keep-alive.mjs'

/** A server that the cluster keeps running. */
export interface ClusterServer {
	/** Stops it in order. */
	stop: () => Promise<void>
}

/** How a part is started, and when it is ready. */
interface Making {
	name: string
	/** Starts its process, whose output is piped. */
	start: () => ChildProcess
	/** Whether it is ready. @param line one that it has just written; undefined for a periodic check */
	isUp: (line?: string) => boolean | Promise<boolean>
	/** Milliseconds that it may take to stop. */
	patience: number
}

/**
 * Starts a part, and restarts it whenever it ends.
 * @returns once it is ready
 * @throws Error with one sentence when it ends before that
 */
export async function keepServerRunning({ name, start, isUp, patience }: Making): Promise<ClusterServer> {
	const { promise: up, resolve, reject } = Promise.withResolvers<void>()
	let child: ChildProcess | undefined
	let lastWords = 'none'
	let hasServed = false
	let isStopping = false
	const serves = () => {
		hasServed = true
		resolve()
	}
	const hear = async (line: string) => {
		// Only log lines are forwarded; other output is meant for the operator of a single site.
		if (line.startsWith('{')) process.stdout.write(`${line}\n`)
		if (line.trim()) lastWords = line
		if (await isUp(line)) serves()
	}
	const begin = () => {
		child = start()
		for (const stream of [child.stdout, child.stderr]) if (stream) eachLine(stream, hear)
		return child
	}
	const stopRestarting = keepAlive(begin, ({ code, signal, wait }) => {
		if (isStopping) return false
		if (hasServed) process.stderr.write(`${name} ended (${signal ?? code}) and is started again in ${wait} ms.\n`)
		else reject(new Error(`${name} did not start. Its last words: ${lastWords}`))
		return hasServed
	})
	const ask = async () => {
		while (!hasServed && !isStopping) {
			if (await isUp()) serves()
			await sleep(30, undefined, { ref: false })
		}
	}
	void ask()
	await up.finally(() => {
		isStopping = !hasServed
	})
	return {
		stop: async () => {
			isStopping = true
			stopRestarting()
			if (child) await endProcess(child, patience)
		},
	}
}

/** Ends a process by SIGTERM and waits; by SIGKILL when it takes too long. */
async function endProcess(child: ChildProcess, milliseconds: number): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return
	const ended = once(child, 'exit')
	child.kill('SIGTERM')
	await Promise.race([ended, sleep(milliseconds, undefined, { ref: false })])
	child.kill('SIGKILL')
}

function eachLine(stream: NodeJS.ReadableStream, hear: (line: string) => void): void {
	let rest = ''
	stream.on('data', (chunk) => {
		const lines = `${rest}${chunk}`.split('\n')
		rest = lines.pop() ?? ''
		for (const line of lines) hear(line)
	})
}
