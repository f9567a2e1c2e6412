import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { ClientConfig } from 'pg'
import type { FloorCommand } from './baseline-process.ts'
import { Crowd } from './crowd.ts'
import type { WriteResult } from './crowd-process.ts'

interface Pace {
	pairs: number
	/** Seconds of warm-up, and of the measurement; each pair sends one message per second. */
	warmSeconds: number
	seconds: number
}

/**
 * The baseline latency of a message without checks, counters and rendering: the same tabs and the same socket library, in a
 * process beside the site's, which is idle meanwhile.
 * @param database where each message is inserted and committed first; null to store none
 */
export async function measureBaseline(
	database: ClientConfig | null,
	{ pairs, warmSeconds, seconds }: Pace,
): Promise<WriteResult> {
	const server = fork(new URL('./baseline-process.ts', import.meta.url))
	const crowd = new Crowd()
	try {
		server.send({ database } satisfies FloorCommand)
		const [port] = (await once(server, 'message')) as [number]
		const members = Array.from({ length: pairs * 2 }, (_, index) => ({
			username: `member-${index}`,
			peer: `member-${index ^ 1}`,
			cookie: `member-${index}`,
		}))
		await crowd.open(members, port)
		await crowd.write({ rate: pairs, seconds: warmSeconds })
		return await crowd.write({ rate: pairs, seconds })
	} finally {
		await crowd.end()
		server.disconnect()
	}
}
