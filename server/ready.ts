import { pool } from '~/platform/db/db.server.ts'

/** Milliseconds that the database may take to answer; with them, /readyz answers within a second. */
const databaseTimeoutMs = 800

let isDraining = false
/** The question that is under way: a database that does not answer is not asked again by every probe. */
let pending: Promise<boolean> | undefined

/** From now on {@link readiness} says that this process stops. */
export function beginDraining(): void {
	isDraining = true
}

/** Whether new visitors may be sent to this process: it does not stop, and its database answers. Takes at most a second. */
export async function readiness(): Promise<'ready' | 'draining' | 'not ready'> {
	if (isDraining) return 'draining'
	pending ??= queryDatabase().finally(() => {
		pending = undefined
	})
	const timeout = Promise.withResolvers<false>()
	const timer = setTimeout(() => timeout.resolve(false), databaseTimeoutMs)
	const isReady = await Promise.race([pending, timeout.promise])
	clearTimeout(timer)
	return isReady ? 'ready' : 'not ready'
}

async function queryDatabase(): Promise<boolean> {
	try {
		await pool().query('select 1')
		return true
	} catch {
		return false
	}
}
