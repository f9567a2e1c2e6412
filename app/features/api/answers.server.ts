import { createHash } from 'node:crypto'
import { useLimits } from '~/features/rate-limits/limits.server.ts'
import type { Quota } from '~/features/rate-limits/rate-limits.server.ts'
import { DomainError, Invalid, retryHeaders } from '~/lib/errors.ts'
import { type Operation, StaleEdit } from '~/platform/http/operation.ts'
import { problem } from '~/platform/http/problem.ts'

/** Everybody's programs may read from a page of any site, but never with our reader's cookies: `*` excludes them. */
export const openToAll = {
	'Access-Control-Allow-Origin': '*',
	'Access-Control-Expose-Headers': 'ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After',
}

/** Domain errors as problems of the API. @throws any other error */
export function refusal(error: unknown): Response {
	if (!(error instanceof DomainError)) throw error
	return problem(error.status, error.message, {
		...(error instanceof StaleEdit && { members: error.members }),
		...(error instanceof Invalid && { fields: error.fields }),
		headers: retryHeaders(error),
	})
}

/**
 * The answer of an operation as its schema describes it: what that does not name is left out.
 * A page of a list that has a next one links to it; what has a version carries it as its tag, for `If-Match`. What is read is {@link tagged}.
 */
export function answerOf(operation: Operation, result: unknown, url: URL, request: Request): Response {
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
	if (operation.method === 'get') return tagged(request, JSON.stringify(body), headers)
	return Response.json(body, { status: operation.status, headers })
}

/** What is left of a caller's limit, after draft-ietf-httpapi-ratelimit-headers-10. */
export function rateHeaders(kind: 'read' | 'write', { limit, left, reset }: Quota): Record<string, string> {
	const { duration } = kind === 'read' ? useLimits.apiReads : useLimits.apiWrites
	return { 'RateLimit-Policy': `"${kind}";q=${limit};w=${duration}`, RateLimit: `"${kind}";r=${left};t=${reset}` }
}

/**
 * A whole answer with its tag, which begins with its version where it has one; 304 for a reader who has it. The tag is weak, as the same text
 * is sent compressed too.
 * @param json the text of the answer
 * @param headers of the answer; they are changed
 */
export function tagged(request: Request, json: string, headers: Headers): Response {
	const version = /"(v\d+)"/.exec(headers.get('ETag') ?? '')?.[1]
	const hash = createHash('sha256').update(json).digest('base64url').slice(0, 27)
	const tag = `W/"${version ? `${version}-` : ''}${hash}"`
	headers.set('ETag', tag)
	const known = (request.headers.get('If-None-Match') ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''))
	if (known.includes('*') || known.includes(tag.slice(2))) return new Response(null, { status: 304, headers })
	headers.set('Content-Type', 'application/json')
	return new Response(json, { headers })
}
