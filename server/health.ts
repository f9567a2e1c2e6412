import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { version } from '~/lib/version.ts'
import { pool } from '~/platform/db/db.server.ts'
import { authSecret } from '~/platform/encryption.server.ts'
import { clientIpHeader } from './middleware/public-request.ts'

/* Health checks of a process: for liveness probes, for proxies, and for `npm run doctor`. */

/** Milliseconds that the database may take, so that /readyz answers within a second. */
const DATABASE_TIMEOUT_MS = 800

let isDraining = false
/** The check in flight: probes share it, so that they do not pile up on an unresponsive database. */
let pending: Promise<boolean> | undefined

/** Makes {@link readiness} report that this process is draining. */
export function beginDraining(): void {
	isDraining = true
}

/** Whether this process accepts new visitors: it is not stopping, and its database answers. Takes at most a second. */
export async function readiness(): Promise<'ready' | 'draining' | 'not ready'> {
	if (isDraining) return 'draining'
	pending ??= queryDatabase().finally(() => {
		pending = undefined
	})
	const timeout = Promise.withResolvers<false>()
	const timer = setTimeout(() => timeout.resolve(false), DATABASE_TIMEOUT_MS)
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

/** Where a request came from and went to, as the site understands it, with the proxy's headers. */
export interface ObservedRequest {
	address: string
	/** Scheme and host of the request. */
	origin: string
	forwarded: { for: string | null; proto: string | null; host: string | null }
}

/** The header by which `npm run doctor` requests how its request arrived. */
export const doctorHeader = 'x-devquad-doctor'

/** The value of that header; it proves knowledge of the site's secret. */
export function doctorToken(): string {
	return createHmac('sha256', authSecret()).update('npm run doctor').digest('base64url')
}

/** The response of /healthz. @param request as the site understands it @param incoming as it arrived */
export function health(request: Request, incoming: IncomingMessage) {
	const basic = { status: 'ok', version: version.number, commit: version.commit }
	const given = Buffer.from(String(incoming.headers[doctorHeader] ?? ''))
	if (given.length === 0) return basic
	const expected = Buffer.from(doctorToken())
	if (given.length !== expected.length || !timingSafeEqual(given, expected)) return basic
	const header = (name: string) => incoming.headers[name]?.toString() ?? null
	const seen: ObservedRequest = {
		address: request.headers.get(clientIpHeader) ?? '',
		origin: new URL(request.url).origin,
		forwarded: {
			for: header('x-forwarded-for'),
			proto: header('x-forwarded-proto'),
			host: header('x-forwarded-host'),
		},
	}
	return { ...basic, seen }
}
