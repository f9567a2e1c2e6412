import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { version } from '~/lib/version.ts'
import { pool } from '~/platform/db/db.server.ts'
import { authSecret } from '~/platform/encryption.server.ts'
import { clientIpHeader } from './middleware/public-request.ts'

/* What a process says of itself: to whoever looks whether it lives, to proxies, and to `npm run doctor`. */

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

/** Where a request came from and went to, as the site takes it, and what a proxy wrote into its headers. */
export interface Seen {
	address: string
	/** Scheme and host that it was made to. */
	origin: string
	forwarded: { for: string | null; proto: string | null; host: string | null }
}

/** The header by which `npm run doctor` asks how its request arrived. */
export const doctorHeader = 'x-devquad-doctor'

/** What the doctor shows in that header: it knows the secret of the site. */
export function doctorToken(): string {
	return createHmac('sha256', authSecret()).update('npm run doctor').digest('base64url')
}

/** What /healthz answers. @param request as the site takes it @param incoming as it arrived */
export function health(request: Request, incoming: IncomingMessage) {
	const told = { status: 'ok', version: version.number, commit: version.commit }
	const given = Buffer.from(String(incoming.headers[doctorHeader] ?? ''))
	if (given.length === 0) return told
	const wanted = Buffer.from(doctorToken())
	if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return told
	const header = (name: string) => incoming.headers[name]?.toString() ?? null
	const seen: Seen = {
		address: request.headers.get(clientIpHeader) ?? '',
		origin: new URL(request.url).origin,
		forwarded: {
			for: header('x-forwarded-for'),
			proto: header('x-forwarded-proto'),
			host: header('x-forwarded-host'),
		},
	}
	return { ...told, seen }
}
