import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds for a server of an earlier run to end. */
const TIMEOUT_MS = 3_000

/**
 * Ends nginx and Redis of an earlier run that was killed: nodes notice that by themselves, these do not.
 * @param folder of the cluster
 */
export async function endLeftovers(folder: string): Promise<void> {
	for (const name of ['nginx', 'redis']) {
		const file = join(folder, `${name}.pid`)
		const pid = pidOf(file)
		// The process id may be another program's by now: ours has its folder, or Redis's loopback address, in its command line.
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

/** The command line of a process on Linux; elsewhere nothing is known, and nothing is ended. */
function commandOf(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
	} catch {
		return ''
	}
}
