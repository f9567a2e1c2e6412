import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** A server that the cluster has started. */
export interface Part {
	/** Ends it in order. */
	stop: () => Promise<void>
}

/** Ends a process by SIGTERM and waits for it, and by SIGKILL when it takes too long. */
export async function endProcess(child: ChildProcess, milliseconds: number): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return
	const ended = once(child, 'exit')
	child.kill('SIGTERM')
	await Promise.race([ended, sleep(milliseconds, undefined, { ref: false })])
	child.kill('SIGKILL')
}

/**
 * Waits until `isUp` says so.
 * @throws Error with what the process wrote when it ends before that
 */
export async function waitUntilUp(child: ChildProcess, name: string, isUp: () => Promise<boolean>): Promise<void> {
	let written = ''
	for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (written += chunk))
	let hasEnded = false
	child.once('error', () => (hasEnded = true))
	child.once('close', () => (hasEnded = true))
	while (!(await isUp())) {
		if (hasEnded) throw new Error(`${name} did not start. Its last words: ${written.trim().split('\n').at(-1)}`)
		await sleep(30)
	}
}
