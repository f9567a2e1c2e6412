import { log } from '~/lib/log.server.ts'

/* Requests to identity providers, with limits on time and size, and without redirects. */

/** Milliseconds for a complete response. */
const TIME_LIMIT_MS = 8_000
/** Bytes of a response. Key sets and profiles have a few thousand. */
const MAX_BYTES = 512 * 1024

/** The identity provider does not respond in time, or not with anything readable. */
export class ProviderUnreachable extends Error {}

/** Whether secrets may be sent to an address: by TLS, or to this machine. */
export function isSafeAddress(address: string): boolean {
	const url = URL.parse(address)
	if (!url || url.username || url.password) return false
	return (
		url.protocol === 'https:' || (url.protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname))
	)
}

/** `fetch` within the limits above. A redirect is returned, not followed. @throws ProviderUnreachable */
export async function providerFetch(address: string, options: RequestInit = {}): Promise<Response> {
	if (!isSafeAddress(address)) throw new ProviderUnreachable(`${new URL(address).origin} is not reached by https.`)
	try {
		const answer = await fetch(address, {
			...options,
			redirect: 'manual',
			signal: AbortSignal.timeout(TIME_LIMIT_MS),
		})
		const bytes = await readUpTo(answer, MAX_BYTES)
		const { status, statusText, headers } = answer
		return new Response(bytes.length === 0 ? null : bytes, { status, statusText, headers })
	} catch (error) {
		log.warn({ err: error, origin: new URL(address).origin }, 'a login provider did not answer')
		throw new ProviderUnreachable('The site did not answer.', { cause: error })
	}
}

async function readUpTo(answer: Response, limit: number): Promise<Uint8Array<ArrayBuffer>> {
	const parts: Uint8Array[] = []
	let size = 0
	for await (const part of answer.body ?? []) {
		size += part.length
		if (size > limit) throw new Error(`The answer has more than ${limit} bytes.`)
		parts.push(part)
	}
	return new Uint8Array(Buffer.concat(parts))
}
