import { config } from '../app/config.server.ts'

/* Import this first, for its effect: later imports may log, and the log needs valid settings. */

try {
	config()
} catch (error) {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
	process.exit(1)
}
