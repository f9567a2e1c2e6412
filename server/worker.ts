import cluster from 'node:cluster'
import type { PoolConfig } from 'pg'
import type { Config } from '../app/config.server.ts'
import { stopLimits } from './limits.ts'
import type { FromWorker, ToWorker } from './primary.ts'
import { serve } from './serve.ts'
import type { Startup } from './startup.ts'

/** Serves as one of several processes, on the database that the leading one names. A failure is reported to that one. */
export async function serveAsWorker(startup: Startup, settings: Config): Promise<void> {
	// Ctrl-C and a closed terminal reach every process of it; the leading one ends its workers when it is time.
	for (const signal of ['SIGINT', 'SIGHUP']) {
		process.removeAllListeners(signal)
		process.on(signal, () => {})
	}
	// What cannot be told as that one has ended is no failure of its own: this process ends as it is cut off.
	cluster.worker?.on('error', () => {})
	const primary = listenToPrimary()
	try {
		const openDatabase = async () => startup.reachDatabase(await primary.connection)
		await serve(startup, settings, openDatabase, await primary.start)
		startup.onEnd(async () => {
			// Stopped by itself, it would leave its share of the work to fewer, or the port to nobody.
			send({ kind: 'leaving' })
			await primary.leave
		}, stopLimits.replacementMs)
		send({ kind: 'ready' })
	} catch (error) {
		send({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) })
		await startup.end(1)
	}
}

/** What the leading process says, once it has said it. */
function listenToPrimary(): {
	start: Promise<{ listensFirst: boolean }>
	connection: Promise<PoolConfig>
	leave: Promise<void>
} {
	const started = Promise.withResolvers<{ listensFirst: boolean }>()
	const begun = Promise.withResolvers<PoolConfig>()
	const left = Promise.withResolvers<void>()
	process.on('message', (message: ToWorker) => {
		if (message.kind === 'start') started.resolve(message)
		else if (message.kind === 'begin') begun.resolve(message.connection)
		else if (message.kind === 'leave') left.resolve()
	})
	return { start: started.promise, connection: begun.promise, leave: left.promise }
}

function send(message: FromWorker): void {
	process.send?.(message)
}
