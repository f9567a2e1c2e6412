import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds that a server of an earlier run may take to end. */
const TIMEOUT_MS = 3_000

/**
 * Ends the nginx and the Redis of an earlier run that was killed without a word: nodes notice that by themselves, they do not.
 * @param folder of the cluster
 */
export async function endLeftovers(folder: string): Promise<void> {
	for (const name of ['nginx', 'redis']) {
		const file = join(folder, `${name}.pid`)
		const pid = pidOf(file)
		// The number may be of another process by now; ours names its folder, or that it is a Redis of this machine alone.
		const isOurs = () => commandOf(pid).includes(name === 'nginx' ? folder : 'redis-server 127.0.0.1:')
		if (pid && isOurs()) {
			process.kill(pid, 'SIGTERM')
			for (const end = Date.now() + TIMEOUT_MS; isOurs() && Date.now() < end; ) await sleep(30)
		}
		rmSync(file, { force: true })
	}
}

function pidOf(file: string): number {
	try {
		return Number.parseInt(readFileSync(file, 'utf8'), 10) || 0
	} catch {
		return 0
	}
}

/** The command line of a process, as Linux tells it; elsewhere nothing is known and nothing is ended. */
function commandOf(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
	} catch {
		return ''
	}
}
