import { once } from 'node:events'
import type { Config } from '../app/config.server.ts'
import type { FromWorker, ToWorker } from './primary.ts'
import { serve } from './serve.ts'
import type { Startup } from './startup.ts'

/** Serves as one of several processes, on the database that the leading one names. What fails is told to that one. */
export async function follow(startup: Startup, settings: Config): Promise<void> {
	// Ctrl-C reaches every process of the terminal; the leading one ends its workers when it is time.
	process.removeAllListeners('SIGINT')
	process.on('SIGINT', () => {})
	const told = once(process, 'message') as Promise<[ToWorker]>
	try {
		await serve(startup, settings, async () => {
			const [{ connection }] = await told
			startup.reachDatabase(connection)
		})
		tell({ kind: 'ready' })
	} catch (error) {
		tell({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) })
		await startup.end(1)
	}
}

function tell(message: FromWorker): void {
	process.send?.(message)
}
