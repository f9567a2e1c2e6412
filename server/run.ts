import cluster from 'node:cluster'
import { type Config, config } from '../app/config.server.ts'
import { shutdownLimits } from './limits.ts'
import { serve } from './serve.ts'
import { Startup } from './startup.ts'
import { serveAsWorker } from './worker.ts'

const startup = new Startup()

try {
	const settings = config()
	startup.obeySignals()
	process.on('disconnect', () => {
		startup.drainMs = shutdownLimits.orphanDrainMs
		void startup.end(0)
	})
	await begin(settings)
} catch (error) {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
	await startup.end(1)
}

/** A single process does everything, unless WEB_CONCURRENCY asks for several: then the first one manages workers, which serve. */
async function begin(settings: Config): Promise<void> {
	if (cluster.isWorker) return serveAsWorker(startup, settings)
	// `npm start` reports a data directory that takes long; where its disk hangs, this process can do nothing else.
	await tellParent('opening')
	await startup.takeDataDir(settings)
	await tellParent('opened')
	const isAlone = settings.WEB_CONCURRENCY === 1 || settings.NODE_ENV === 'development'
	const port = isAlone
		? await serve(startup, settings, () => startup.openDatabase(settings))
		: await (await import('./primary.ts')).serveAsPrimary(startup, settings)
	await startup.greet({ ...settings, PORT: port })
	// `npm start` restarts a site that ends after this message.
	await tellParent('serving')
}

/** Sends a message to `npm start`, if it started this process. @returns once it is sent */
function tellParent(message: 'opening' | 'opened' | 'serving'): Promise<void> {
	return new Promise((resolve) => (process.send ? process.send(message, undefined, {}, () => resolve()) : resolve()))
}
