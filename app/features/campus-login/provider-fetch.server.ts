import { log } from '~/lib/log.server.ts'

/* Requests to sites that vouch for members: bounded in time and size, and nowhere else than to the address that was asked. */

/** Milliseconds until an answer has to be here as a whole. */
const TIME_LIMIT_MS = 8_000
/** Bytes of an answer. Key sets and profiles have a few thousand. */
const MAX_BYTES = 512 * 1024

/** The site that vouches does not answer in time, or with nothing that can be read. */
export class ProviderUnreachable extends Error {}

/** Whether an address is one that secrets may be sent to: by TLS, or to this machine. */
export function isSafeAddress(address: string): boolean {
	const url = URL.parse(address)
	if (!url || url.username || url.password) return false
	return (
		url.protocol === 'https:' || (url.protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname))
	)
}

/**
 * As `fetch`, within the limits above. A redirect is an answer like any other, and not followed.
 * @throws ProviderUnreachable
 */
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
		log.warn({ err: error, origin: new URL(address).origin }, 'a site that vouches for members did not answer')
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
