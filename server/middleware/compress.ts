import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync, zstdCompressSync } from 'node:zlib'
import type { MiddlewareHandler } from 'hono'

/** A content coding of RFC 9110 8.4.1; `identity` is none. */
export type Coding = 'zstd' | 'br' | 'gzip' | 'identity'

/** What an answer made for one request may be compressed with, the best first. */
export const CODINGS = ['zstd', 'br', 'gzip'] as const

const brotliInPool = promisify(brotliCompress)
const gzipInPool = promisify(gzip)
const compressible = /^(text\/|application\/(json|xml|atom\+xml|ld\+json|manifest\+json)|image\/svg)/
/** Below this many bytes compression costs more than it saves: the answer fits one packet. */
const MIN_BYTES = 1_000
/** More bytes than these would hold up everybody else, and go to the thread pool. */
const MAX_BYTES_AT_ONCE = 256 * 1024

const brotliOptions = {
	params: {
		// Level 5 is three times faster than 9 on pages of 40 KB and 4% larger.
		[constants.BROTLI_PARAM_QUALITY]: 5,
		[constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
		// A window of 128 KB covers a page; the usual one of 4 MB is allocated and cleared for each of them.
		[constants.BROTLI_PARAM_LGWIN]: 17,
	},
}

/** Compresses answers that are whole in memory. Nothing stands between a stream and its reader. */
export function compress(): MiddlewareHandler {
	return async (context, next) => {
		await next()
		const { res: response } = context
		const type = response.headers.get('Content-Type') ?? ''
		if (!response.body || !compressible.test(type) || response.headers.has('Content-Encoding')) return
		const body = Buffer.from(await response.arrayBuffer())
		const headers = new Headers(response.headers)
		if (!headers.get('Vary')?.includes('Accept-Encoding')) headers.append('Vary', 'Accept-Encoding')
		const coding = body.length < MIN_BYTES ? 'identity' : accepted(context.req.header('Accept-Encoding') ?? '', CODINGS)
		const packed = await encode(body, coding)
		if (coding !== 'identity') headers.set('Content-Encoding', coding)
		headers.set('Content-Length', String(packed.length))
		context.res = undefined
		context.res = new Response(new Uint8Array(packed), { status: response.status, headers })
	}
}

/**
 * Compresses what is whole in memory, small bodies on this thread: handing them to the pool costs more than it saves
 * (docs/decisions/0050-compression-on-the-spot.md).
 */
export async function encode(body: Buffer, coding: Coding): Promise<Buffer> {
	if (coding === 'identity') return body
	if (coding === 'zstd') return zstdCompressSync(body)
	const isLarge = body.length > MAX_BYTES_AT_ONCE
	if (coding === 'br') return isLarge ? brotliInPool(body, brotliOptions) : brotliCompressSync(body, brotliOptions)
	return isLarge ? gzipInPool(body) : gzipSync(body, { level: 4 })
}

/**
 * The best coding that the reader takes, after RFC 9110 12.5.3; a weight of 0 means "not this".
 * @param header Accept-Encoding
 * @param offered what there is, the best first
 */
export function accepted<Offered extends Coding>(header: string, offered: readonly Offered[]): Offered | 'identity' {
	const weights = new Map(
		header.split(',').map((part) => {
			const [name = '', ...parameters] = part
				.trim()
				.toLowerCase()
				.split(/\s*;\s*/)
			const weight = parameters.find((parameter) => parameter.startsWith('q='))
			return [name, weight ? Number(weight.slice(2)) : 1] as const
		}),
	)
	const weightOf = (coding: Coding) => weights.get(coding) ?? (coding === 'gzip' ? weights.get('*') : undefined) ?? 0
	return offered.find((coding) => weightOf(coding) > 0) ?? 'identity'
}
