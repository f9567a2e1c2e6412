import { createHash } from 'node:crypto'
import { usageLimits } from '~/features/rate-limits/limits.server.ts'
import type { Quota } from '~/features/rate-limits/rate-limits.server.ts'
import { DomainError, Invalid, retryHeaders } from '~/lib/errors.ts'
import { type Operation, StaleEdit } from '~/platform/http/operation.ts'
import { problem } from '~/platform/http/problem.ts'

/** CORS for pages of any site, but without cookies: `*` excludes credentials. */
export const corsHeaders = {
	'Access-Control-Allow-Origin': '*',
	'Access-Control-Expose-Headers': 'ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After',
}

/** Turns a domain error into a problem response. @throws any other error */
export function problemResponse(error: unknown): Response {
	if (!(error instanceof DomainError)) throw error
	return problem(error.status, error.message, {
		...(error instanceof StaleEdit && { members: error.members }),
		...(error instanceof Invalid && { fields: error.fields }),
		headers: retryHeaders(error),
	})
}

/**
 * The response of an operation; its schema strips other fields. A list has a `Link` to the next page, and a versioned resource an ETag for
 * `If-Match`. Reads are {@link withEtag}.
 */
export function operationResponse(operation: Operation, result: unknown, url: URL, request: Request): Response {
	if (!operation.answer) return new Response(null, { status: 204 })
	const body = operation.answer.parse(result)
	const headers = new Headers()
	const { next, version } = body as { next?: string | null; version?: number }
	if (version !== undefined) headers.set('ETag', `W/"v${version}"`)
	if (next) {
		const address = new URL(url)
		address.searchParams.set('cursor', next)
		headers.set('Link', `<${address}>; rel="next"`)
	}
	if (operation.location) headers.set('Location', `/api/v1${operation.location(body as { id: number })}`)
	if (operation.method === 'get') return withEtag(request, JSON.stringify(body), headers)
	return Response.json(body, { status: operation.status, headers })
}

/** The RateLimit headers of draft-ietf-httpapi-ratelimit-headers-10. */
export function rateHeaders(kind: 'read' | 'write', { limit, left, reset }: Quota): Record<string, string> {
	const { duration } = kind === 'read' ? usageLimits.apiReads : usageLimits.apiWrites
	return { 'RateLimit-Policy': `"${kind}";q=${limit};w=${duration}`, RateLimit: `"${kind}";r=${left};t=${reset}` }
}

/**
 * A response with an ETag, which starts with the version if there is one; 304 if the client has it. The tag is weak, as the response may be
 * compressed.
 * @param json the body
 * @param headers of the response; modified
 */
export function withEtag(request: Request, json: string, headers: Headers): Response {
	const version = /"(v\d+)"/.exec(headers.get('ETag') ?? '')?.[1]
	const hash = createHash('sha256').update(json).digest('base64url').slice(0, 27)
	const tag = `W/"${version ? `${version}-` : ''}${hash}"`
	headers.set('ETag', tag)
	const known = (request.headers.get('If-None-Match') ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''))
	if (known.includes('*') || known.includes(tag.slice(2))) return new Response(null, { status: 304, headers })
	headers.set('Content-Type', 'application/json')
	return new Response(json, { headers })
}
