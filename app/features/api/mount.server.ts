import { type Context, Hono } from 'hono'
import { requireConfirmed } from '~/features/accounts/security/confirmation.server.ts'
import { currentUsername } from '~/features/identity/usernames/former-names.server.ts'
import { countPage, measureUse } from '~/features/rate-limits/rate-limits.server.ts'
import { log } from '~/lib/log.server.ts'
import { siteFaultOf } from '~/lib/request-scope.server.ts'
import type { Operation } from '~/platform/http/operation.ts'
import { problem } from '~/platform/http/problem.ts'
import { type Caller, callerError, callerOf } from './caller.server.ts'
import { readBody, readIfMatch, readParams, readQuery } from './input.server.ts'
import { openApiDocument, operations } from './openapi.server.ts'
import { corsHeaders, operationResponse, problemResponse, rateHeaders, withEtag } from './responses.server.ts'

const base = '/api/v1'

/** Handles a request below /api/v1. Never throws: unexpected errors are logged and returned as a problem. */
export function handleApiRequest(request: Request): Response | Promise<Response> {
	api ??= mount()
	return api.fetch(request)
}

let api: Hono | undefined

function mount(): Hono {
	const api = new Hono().basePath(base)
	// Also refusals, which a browser would otherwise report to a page of another site as a failure of the network.
	api.use(async (context, next) => {
		await next()
		if (['GET', 'HEAD'].includes(context.req.method)) publicAnswer(context.res)
	})
	api.get('/openapi.json', ({ req }) => descriptionOf(req.raw))
	for (const operation of operations)
		api.on(operation.method, pattern(operation.path), (context) => answer(operation, context))
	for (const path of new Set(operations.map(({ path }) => path)))
		api.all(pattern(path), (context) => others(methodsOf(path), context))
	api.all('/openapi.json', (context) => others(['GET'], context))
	api.all('*', (context) =>
		context.req.header('Access-Control-Request-Method')
			? others(['GET'], context)
			: problem(404, 'There is nothing at this address. /api/docs lists all addresses.'),
	)
	api.onError((error, context) => {
		const fault = siteFaultOf(error)
		if (fault) return problemResponse(fault)
		log.error({ err: error, path: context.req.path }, 'a call of the API failed')
		return problem(500, 'Something went wrong here.')
	})
	return api
}

/** The text of the description that was requested last: generating it takes longer than any page. */
const written = { of: {}, text: '' }

/** The description of the API, which is larger than any page, and is counted as one. */
async function descriptionOf(request: Request): Promise<Response> {
	try {
		await countPage(null, request.headers.get('x-client-ip') ?? '', `${base}/openapi.json`)
	} catch (error) {
		return problemResponse(error)
	}
	const description = openApiDocument()
	if (written.of !== description) Object.assign(written, { of: description, text: JSON.stringify(description) })
	return withEtag(request, written.text, new Headers())
}

/** Authenticates, authorizes, parses the input and calls the use case. Every response reports the rate limit. */
async function answer(operation: Operation, context: Context): Promise<Response> {
	const request = context.req.raw
	const url = new URL(request.url)
	const reads = operation.method === 'get'
	const caller = await callerOf(request)
	const address = request.headers.get('x-client-ip') ?? 'unknown'
	const quota = await measureUse(reads ? 'apiReads' : 'apiWrites', caller.viewer, address)
	const whole = quota.exceeded
		? problem(429, `Too many calls. Wait ${quota.reset} s, then try again.`, {
				headers: { 'Retry-After': String(quota.reset) },
			})
		: (callerError(caller, operation) ?? (await run(operation, context, caller, url)))
	for (const [name, value] of Object.entries(rateHeaders(reads ? 'read' : 'write', quota)))
		whole.headers.set(name, value)
	for (const cookie of caller.headers.getSetCookie()) whole.headers.append('Set-Cookie', cookie)
	whole.headers.set('Cache-Control', caller.viewer ? 'private, no-store' : 'private, no-cache')
	whole.headers.set('Vary', 'Authorization, Cookie')
	return whole
}

async function run(operation: Operation, context: Context, { viewer, scopes }: Caller, url: URL) {
	try {
		if (operation.confirmed && viewer && !scopes) await requireConfirmed(viewer, context.req.raw)
		const params = await withCurrentName(readParams(operation, context.req.param() as Record<string, string>))
		const query = readQuery(operation, url)
		const body = await readBody(operation, context.req.raw)
		if (body instanceof Response) return body
		return operationResponse(
			operation,
			await operation.run({
				viewer,
				params,
				query,
				body,
				ifMatch: readIfMatch(context.req.raw),
				key: context.req.header('Idempotency-Key') ?? null,
			}),
			url,
			context.req.raw,
		)
	} catch (error) {
		return problemResponse(error)
	}
}

/** Former usernames work in the API too. */
async function withCurrentName<Params extends Record<string, unknown>>(params: Params): Promise<Params> {
	const { username } = params
	return typeof username === 'string' ? { ...params, username: await currentUsername(username.toLowerCase()) } : params
}

function methodsOf(path: string): string[] {
	return operations.filter((operation) => operation.path === path).map(({ method }) => method.toUpperCase())
}

/** OPTIONS lists the methods of an address, with CORS headers; other methods are rejected. */
function others(own: string[], context: Context): Response {
	const readable = own.includes('GET')
	const allow = [...(readable ? ['GET', 'HEAD'] : []), ...own.filter((method) => method !== 'GET'), 'OPTIONS'].join(
		', ',
	)
	if (context.req.method !== 'OPTIONS')
		return problem(405, `This address allows ${allow}.`, { headers: { Allow: allow } })
	const answer = new Response(null, { status: 204, headers: { Allow: allow } })
	if (!readable) return answer
	answer.headers.set('Access-Control-Allow-Methods', 'GET, HEAD')
	answer.headers.set('Access-Control-Allow-Headers', 'Authorization, If-None-Match')
	answer.headers.set('Access-Control-Max-Age', '86400')
	return publicAnswer(answer)
}

function publicAnswer(answer: Response): Response {
	for (const [name, value] of Object.entries(corsHeaders)) answer.headers.set(name, value)
	return answer
}

function pattern(path: string): string {
	return path.replace(/\{(\w+)\}/g, ':$1')
}
