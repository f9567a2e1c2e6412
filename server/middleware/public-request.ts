import { isIP } from 'node:net'
import type { Config } from '~/config.server.ts'

/** The header that carries the reader's address inward; whatever a client sent under this name is replaced. */
export const clientIpHeader = 'x-client-ip'

/**
 * The request as the reader made it: behind a trusted proxy its address is rebuilt from X-Forwarded-*, so that
 * origin checks, cookies and redirects see the public one.
 * A NUL in it becomes U+FFFD, as in HTML: PostgreSQL stores no NUL, and nothing here is named with either. A path whose
 * escapes are no UTF-8 has U+FFFD in their place, so that every route can read its parameters.
 * @param remote the address of the socket's other end
 */
export function publicRequest(request: Request, remote: string, { TRUST_PROXY }: Pick<Config, 'TRUST_PROXY'>): Request {
	const url = new URL(request.url.replaceAll('%00', '%EF%BF%BD'))
	if (!isDecodable(url.pathname)) url.pathname = url.pathname.replaceAll('%', '%EF%BF%BD')
	const { headers } = request
	let ip = remote
	if (TRUST_PROXY) {
		const scheme = lastOf(headers.get('x-forwarded-proto'))
		const host = lastOf(headers.get('x-forwarded-host')) ?? headers.get('host')
		if (scheme === 'http' || scheme === 'https') url.protocol = scheme
		if (host && /^[\w.:[\]-]+$/.test(host)) {
			// `host` without a port would keep the old one.
			url.port = ''
			url.host = host
		}
		const forwarded = lastOf(headers.get('x-forwarded-for'))
		if (forwarded && isIP(forwarded)) ip = forwarded
	}
	const withBody = request.method !== 'GET' && request.method !== 'HEAD'
	const seen = new Request(url, {
		method: request.method,
		headers,
		signal: request.signal,
		...(withBody && { body: request.body, duplex: 'half' }),
	} as RequestInit)
	seen.headers.set(clientIpHeader, ip)
	return seen
}

function isDecodable(path: string): boolean {
	try {
		// Its result is used: the bundler takes the call for one without effects.
		return decodeURIComponent(path) !== ''
	} catch {
		return false
	}
}

/** The nearest proxy writes last; what stands before it came from the client. */
function lastOf(header: string | null): string | undefined {
	return header?.split(',').at(-1)?.trim() || undefined
}
