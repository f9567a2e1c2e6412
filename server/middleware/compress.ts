import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync, zstdCompressSync } from 'node:zlib'
import type { MiddlewareHandler } from 'hono'
import { isPersonal } from '~/platform/http/cookies.ts'

/** A content coding of RFC 9110 8.4.1; `identity` is none. */
export type Coding = 'zstd' | 'br' | 'gzip' | 'identity'

/** The codings for a response to a single request, best first. */
export const CODINGS = ['zstd', 'br', 'gzip'] as const

/**
 * The same for the pages of visitors. For 0.9 ms a page of 100 KB is a tenth smaller, and of a first visit only some 14 KB arrive before
 * another round trip.
 */
const VISITOR_CODINGS = ['br', 'zstd', 'gzip'] as const

const brotliInPool = promisify(brotliCompress)
const gzipInPool = promisify(gzip)
const compressible = /^(text\/|application\/(json|xml|atom\+xml|ld\+json|manifest\+json)|image\/svg)/
/** A smaller response fits one packet, so compression costs more than it saves. */
const MIN_BYTES = 1_000
/** Larger bodies would block other requests, so they are compressed in the thread pool. */
const MAX_BYTES_AT_ONCE = 256 * 1024

/** Most compressed pages fit one block of this size; zlib's own 64 KB would be allocated for each. */
const chunkSize = 16 * 1024

const gzipOptions = { level: 4, chunkSize }
const brotliOptions = {
	chunkSize,
	params: {
		// Level 5 is three times faster than 9 on pages of 40 KB, and 4% larger.
		[constants.BROTLI_PARAM_QUALITY]: 5,
		[constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
		// A window of 128 KB covers a page; the default of 4 MB is allocated and cleared each time.
		[constants.BROTLI_PARAM_LGWIN]: 17,
	},
}

/** Compresses responses that are complete in memory. Streams pass unchanged. */
export function compress(): MiddlewareHandler {
	return async (context, next) => {
		await next()
		const { res: response } = context
		const type = response.headers.get('Content-Type') ?? ''
		if (!response.body || !compressible.test(type) || response.headers.has('Content-Encoding')) return
		const body = Buffer.from(await response.arrayBuffer())
		const headers = new Headers(response.headers)
		if (!headers.get('Vary')?.includes('Accept-Encoding')) headers.append('Vary', 'Accept-Encoding')
		const isVisitorPage = type.startsWith('text/html') && !isPersonal(context.req.header('Cookie'))
		const offered = isVisitorPage ? VISITOR_CODINGS : CODINGS
		const coding =
			body.length < MIN_BYTES ? 'identity' : negotiateCoding(context.req.header('Accept-Encoding') ?? '', offered)
		const encoded = await compressBody(body, coding)
		if (coding !== 'identity') headers.set('Content-Encoding', coding)
		headers.set('Content-Length', String(encoded.length))
		context.res = undefined
		context.res = new Response(encoded, { status: response.status, headers })
	}
}

/**
 * Compresses a complete body. Small bodies are compressed on this thread, as using the pool costs more than it saves
 * (docs/decisions/0050-compression-on-the-spot.md).
 * @returns a buffer that takes no more memory than its bytes, so that it may be cached
 */
export async function compressBody(body: Buffer<ArrayBuffer>, coding: Coding): Promise<Buffer<ArrayBuffer>> {
	if (coding === 'identity') return body
	// zlib returns a part of a block of `chunkSize` bytes, which keeps the block alive; Buffer's own copies share a block, too.
	return Buffer.from(new Uint8Array(await packed(body, coding)).buffer)
}

function packed(body: Buffer, coding: Exclude<Coding, 'identity'>): Buffer | Promise<Buffer> {
	if (coding === 'zstd') return zstdCompressSync(body, { chunkSize })
	const isLarge = body.length > MAX_BYTES_AT_ONCE
	if (coding === 'br') return isLarge ? brotliInPool(body, brotliOptions) : brotliCompressSync(body, brotliOptions)
	return isLarge ? gzipInPool(body, gzipOptions) : gzipSync(body, gzipOptions)
}

/** The parts of a header, trimmed. A pattern for the separator with the white space around it would take quadratic time. */
export function splitHeader(text: string, separator: ',' | ';'): string[] {
	return text.split(separator).map((part) => part.trim())
}

/**
 * The best coding that the client accepts, by RFC 9110 12.5.3; a weight of 0 means "not this".
 * @param header Accept-Encoding
 * @param offered the available codings, best first
 */
export function negotiateCoding<Offered extends Coding>(
	header: string,
	offered: readonly Offered[],
): Offered | 'identity' {
	const weights = new Map(
		header.split(',').map((part) => {
			const [name = '', ...parameters] = splitHeader(part.toLowerCase(), ';')
			const weight = parameters.find((parameter) => parameter.startsWith('q='))
			return [name, weight ? Number(weight.slice(2)) : 1] as const
		}),
	)
	const weightOf = (coding: Coding) => weights.get(coding) ?? (coding === 'gzip' ? weights.get('*') : undefined) ?? 0
	return offered.find((coding) => weightOf(coding) > 0) ?? 'identity'
}
