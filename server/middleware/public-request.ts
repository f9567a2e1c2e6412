import { isIP } from 'node:net'
import type { Config } from '~/config.server.ts'

/** The internal header with the client's address; a client's own value is replaced. */
export const clientIpHeader = 'x-client-ip'

/**
 * The request as the client made it. Behind a trusted proxy its address is rebuilt from X-Forwarded-*, so that origin checks,
 * cookies and redirects see the public one. NUL characters and invalid UTF-8 in the address become U+FFFD, as in HTML: PostgreSQL
 * stores no NUL, and every route can decode its parameters.
 * @param remote the address of the socket's peer
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
			// Setting `host` without a port would keep the old one.
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
		// The result is used because the bundler would remove the call as one without effects.
		return decodeURIComponent(path) !== ''
	} catch {
		return false
	}
}

/** The last value, which the nearest proxy wrote; earlier ones came from the client. */
function lastOf(header: string | null): string | undefined {
	return header?.split(',').at(-1)?.trim() || undefined
}
