import { config } from '../app/config.server.ts'

/* To be imported first, for its effect: what is imported after it may log, and a log needs settings that are sound. */

try {
	config()
} catch (error) {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
	process.exit(1)
}
