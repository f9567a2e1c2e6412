import cluster from 'node:cluster'
import type { PoolConfig } from 'pg'
import type { Config } from '../app/config.server.ts'
import { shutdownLimits } from './limits.ts'
import type { FromWorker, ToWorker } from './primary.ts'
import { serve } from './serve.ts'
import type { Startup } from './startup.ts'

/** Serves as one of several processes, on the database that the parent names. A failure is reported to the parent. */
export async function serveAsWorker(startup: Startup, settings: Config): Promise<void> {
	// Ctrl-C and a closed terminal reach all processes; the parent ends its workers when it is time.
	for (const signal of ['SIGINT', 'SIGHUP']) {
		process.removeAllListeners(signal)
		process.on(signal, () => {})
	}
	// When the parent is gone, a failed message is no failure of this worker: it ends by the disconnect.
	cluster.worker?.on('error', () => {})
	const primary = listenToPrimary()
	try {
		const openDatabase = async () => startup.reachDatabase(await primary.connection)
		await serve(startup, settings, openDatabase, await primary.start)
		startup.onEnd(async () => {
			// Stopped on its own, it would leave its work to fewer processes, or the port to none.
			send({ kind: 'leaving' })
			await primary.leave
		}, shutdownLimits.replacementMs)
		send({ kind: 'ready' })
	} catch (error) {
		send({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) })
		await startup.end(1)
	}
}

/** Messages of the parent, as promises. */
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
