import { randomBytes, randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import type { Server } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { serveStatic } from '@hono/node-server/serve-static'
import { Hono, type HonoRequest, type MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { every } from 'hono/combine'
import { createRequestHandler, RouterContextProvider } from 'react-router'
import { config } from '~/config.server.ts'
import { authHandler } from '~/features/accounts/auth-handler.server.ts'
import { handleApiRequest } from '~/features/api/mount.server.ts'
import { operations } from '~/features/api/openapi.server.ts'
import { features } from '~/features/index.server.ts'
import { factsContext, type RequestFacts, type Viewer, viewerContext } from '~/lib/context.ts'
import { log, logConsole } from '~/lib/log.server.ts'
import { requestScope, runInRequestScope } from '~/lib/request-scope.server.ts'
import { withoutDatabase } from '~/platform/db/scope.server.ts'
import { readTheme, secureCookies } from '~/platform/http/cookies.ts'
import { clearFlash, flashOf } from '~/platform/http/http.ts'
import { problem } from '~/platform/http/problem.ts'
import { isPrivateSite } from '~/platform/http/site-access.server.ts'
import { areMetricsOn, readMetrics } from '~/platform/metrics/metrics.server.ts'
import { areTracesOn } from '~/platform/tracing/tracing.server.ts'
import { APPEARANCE_PATH, appearance, SHORT_CACHE_CONTROL } from './appearance.ts'
import { answerFromCache, answerVisitor, toVisitorRequest, type VisitorPage } from './cached-pages.ts'
import { logReports, MAX_REPORT_BYTES, REPORT_PATH } from './csp-reports.ts'
import { beginDraining, health, readiness } from './health.ts'
import { measureRequests, metricsPage } from './metrics.ts'
import {
	refuseLongPath,
	refuseMethod,
	refuseOtherMember,
	refusePagesAsPictures,
	sameOrigin,
} from './middleware/allowed-requests.ts'
import { limitBodySizes, limitLargeBodies, readUnreadBodies } from './middleware/bodies.ts'
import { compress } from './middleware/compress.ts'
import { fairQueue } from './middleware/fair-queue.ts'
import { loginRedirectFor, privateSite } from './middleware/private-site.ts'
import { clientIpHeader, publicRequest } from './middleware/public-request.ts'
import { recordRefusals, retryAfter } from './middleware/refusals.ts'
import { security } from './middleware/security.ts'
import { notifyRead } from './reads.ts'
import { patternsOf, routeFinder } from './route-patterns.ts'
import { seedSite, startServices } from './services.ts'
import {
	addRetryAfter,
	addSession,
	faultAnswer,
	faultContext,
	guardRoutes,
	type LoginRedirect,
	senderOf,
} from './site-faults.ts'
import { disconnectTabs, openSockets } from './sockets.ts'
import { nameRequests, traceRequest } from './tracing.ts'
import { reportMetrics } from './worker-metrics.ts'

type Environment = { Bindings: HttpBindings }

/** In development every page is rendered by the current code. */
const cachesPages = config().NODE_ENV === 'production' && config().PAGE_CACHE_MB > 0

if (config().NODE_ENV === 'production') logConsole()
secureCookies(config().secure)

const nonces = new WeakMap<Request, string>()
const app = new Hono<Environment>()

app.use(readUnreadBodies())
app.use(recordRefusals())
app.use(security(config(), nonceOf))
app.use(compress())
app.use(retryAfter())
// Must come before the check of the origin: browsers send reports without an Origin of their own.
const limitReport = bodyLimit({ maxSize: MAX_REPORT_BYTES, onError: (context) => context.body(null, 413) })
app.post(REPORT_PATH, limitReport, async (context) => logReports(await context.req.text()))
app.use(sameOrigin(new Set(features.flatMap(({ crossSiteForms }) => crossSiteForms ?? []))))
app.use(limitLargeBodies((request) => request.headers.get(clientIpHeader) ?? ''))
const pictureForms = features.flatMap((feature) => feature.pictureForms ?? [])
app.use(limitBodySizes(pictureForms, operations))
app.use(appearance())

if (config().NODE_ENV === 'production') {
	const root = './build/client'
	const files = serveStatic({ root, precompressed: true })
	const names = new Set(readdirSync(root))
	// Asset names contain a content hash; the names of the few other files do not.
	app.use('/assets/*', cachedFor('public, max-age=31536000, immutable'), files)
	const otherFiles = every(cachedFor(SHORT_CACHE_CONTROL), files)
	// Checking the disk for each page would cost as much as its route does.
	app.use((context, next) => (names.has(context.req.path.split('/', 2)[1] ?? '') ? otherFiles(context, next) : next()))
}
app.all('/assets/*', (context) => context.text('There is no such file.', 404))

app.get('/healthz', (context) => context.json(health(context.req.raw, context.env.incoming)))
app.get('/readyz', async (context) => {
	const state = await readiness()
	return context.text(state, state === 'ready' ? 200 : 503)
})

app.get('/metrics', metricsPage())

app.use(refusePagesAsPictures())

app.use(fairQueue((request) => request.headers.get(clientIpHeader) ?? ''))

app.use(privateSite())

app.on(['GET', 'POST'], '/api/auth/*', async (context) => {
	const answer = await authHandler(context.req.raw)
	const headers = new Headers(answer.headers)
	forbidCaching(headers)
	return new Response(answer.body, { status: answer.status, headers })
})
app.all('/api/v1/*', (context) => handleApiRequest(context.req.raw))
// React Router ignores the case of a path, and would render the description without the limit on it.
app.use(async (context, next) => {
	const { path } = context.req
	return /^\/api\//i.test(path) && !isDescription(path) ? problem(404, 'There is nothing at this address.') : next()
})

const siteRoutes = async () => guardRoutes(await import('virtual:react-router/server-build'))
// Given a function, React Router rebuilds the routes for each request, which takes a millisecond and is needed only in development.
const pages = createRequestHandler(
	config().NODE_ENV === 'development' ? siteRoutes : await siteRoutes(),
	config().NODE_ENV,
)

app.all('*', async (context) => {
	const request = cachesPages ? context.req.raw : asWithCache(context.req.raw)
	const answer = (await answerFromPageCache(request)) ?? (await answerSender(request, context.req))
	return notifyRead(request, answer)
})

app.onError((error, context) => {
	const answer = faultAnswer(error, context.req.path)
	if (answer) return answer
	log.error({ err: error, path: context.req.path }, 'a request failed')
	return context.text('Something went wrong!', 500)
})

/** Responds to one request. */
export async function handle(request: Request, bindings: HttpBindings): Promise<Response> {
	const { method = 'GET', url = '/' } = bindings.incoming
	const refusal = refuseMethod(method, url, config()) ?? refuseLongPath(url, config())
	if (refusal) {
		refusal.headers.set('X-Request-Id', randomUUID())
		return refusal
	}
	const seen = publicRequest(request, bindings.incoming.socket.remoteAddress ?? '127.0.0.1', config())
	const requestId = randomUUID()
	return runInRequestScope(requestId, seen.headers.get('User-Agent') ?? '', () =>
		traceRequest({ method, url, requestId }, bindings.outgoing, () => app.fetch(seen, bindings)),
	)
}

/** Records metrics and traces of this server's requests, where they are enabled. */
export async function instrumentServer(server: Server): Promise<void> {
	if (!areMetricsOn() && !areTracesOn()) return
	const calls = operations.map(({ path }) => `/api/v1${path.replace(/\{(\w+)\}/g, ':$1')}`)
	const routeOf = routeFinder([...patternsOf((await siteRoutes()).routes), ...calls, ...otherAddresses])
	await measureRequests(server, routeOf)
	nameRequests(routeOf)
	reportMetrics(readMetrics)
}

/** Addresses that are neither pages nor operations of the API. */
const otherAddresses = [
	'/healthz',
	'/readyz',
	'/metrics',
	APPEARANCE_PATH,
	REPORT_PATH,
	'/realtime/*',
	'/assets/*',
	'/api/auth/*',
	'/api/v1/*',
]

export { answerFromCache, beginDraining, disconnectTabs, openSockets, seedSite, startServices }

/** The page for a visitor that the cache has, or is filled with; null for members, and for pages that are not cached. */
async function answerFromPageCache(request: Request): Promise<Response | null> {
	if (!cachesPages || isPrivateSite()) return null
	const ip = request.headers.get(clientIpHeader) ?? ''
	return answerVisitor(request, (page, nonce) => renderForVisitor(page, nonce, ip))
}

/** Renders a page, or runs an action, for the sender of a request. @param original the request before undeclared parameters were removed */
async function answerSender(request: Request, original: HonoRequest): Promise<Response> {
	const writes = request.method !== 'GET' && request.method !== 'HEAD'
	const { viewer, headers, fault } = await senderOf(request, writes)
	const facts = { ...factsOf(request), isViewerUnknown: fault !== null && viewer === null }
	const page = () => renderPage(request, viewer, facts, loginRedirectFor(original.raw))
	const render = () => (fault ? withoutDatabase(fault, page) : page())
	const refusal = writes ? refuseOtherMember(request, viewer) : null
	const answer = refusal ?? (await (isDescription(original.path) ? oneAtATime(render) : render()))
	addSession(answer.headers, headers)
	if (viewer) forbidCaching(answer.headers)
	if (facts.flash && showsFlash(new URL(request.url), answer)) answer.headers.append('Set-Cookie', clearFlash())
	return answer
}

async function renderPage(
	request: Request,
	viewer: Viewer,
	facts: RequestFacts,
	instead: LoginRedirect | null = null,
): Promise<Response> {
	const load = new RouterContextProvider()
	load.set(viewerContext, viewer)
	load.set(factsContext, facts)
	load.set(faultContext, { fault: null, typed: null, instead })
	const response = await pages(instead ? request : await rewriteRequest(request), load)
	const answer = new Response(response.body, response)
	addRetryAfter(answer, load)
	answer.headers.set('X-Request-Id', facts.requestId)
	if (!answer.headers.has('Cache-Control')) answer.headers.set('Cache-Control', 'private, no-cache')
	return answer
}

/** Replaces a request for a former address by one for the current address, as the features know it. */
async function rewriteRequest(request: Request): Promise<Request> {
	let meant = request
	for (const feature of features) if (feature.rewriteRequest) meant = await feature.rewriteRequest(meant)
	return meant
}

/** Removes undeclared parameters from visitors' requests even without the cache, so that such a parameter works nowhere. */
function asWithCache(request: Request): Request {
	const seen = toVisitorRequest(request)
	nonces.set(seen, nonceOf(request))
	return seen
}

/** The page that describes the API, or its data: several times as large as any other. */
function isDescription(path: string): boolean {
	return /^\/api\/docs(\.data)?$/.test(path)
}

let lastTurn: Promise<unknown> = Promise.resolve()

/** Runs such work one at a time, with other requests in between: twenty at once blocked them for a second. */
function oneAtATime<Result>(work: () => Promise<Result>): Promise<Result> {
	const turn = lastTurn.then(work)
	lastTurn = turn.catch(() => {}).then(() => new Promise((resolve) => setImmediate(resolve)))
	return turn
}

/** Keeps a response for one member out of all caches, including that of a shared browser. */
function forbidCaching(headers: Headers): void {
	if (!headers.get('Cache-Control')?.startsWith('public')) headers.set('Cache-Control', 'private, no-store')
}

/**
 * Renders a page for the cache. It contains nothing of the request that triggered it, and is not aborted with that request.
 * @param ip the client address of that request, for counting renderings
 */
async function renderForVisitor({ path, theme }: VisitorPage, nonce: string, ip: string) {
	const request = new Request(new URL(path, config().publicUrl))
	const facts = { ...factsOf(request), theme, nonce, ip }
	const { now, requestId, shows } = facts
	return { response: await renderPage(request, null, facts), now, requestId, shows }
}

/** Whether this response shows the flash of a redirect: a page, or the data from which the root route is drawn. */
function showsFlash({ pathname, searchParams }: URL, answer: Response): boolean {
	if (answer.status >= 300) return false
	if (!pathname.endsWith('.data')) return answer.headers.get('Content-Type')?.startsWith('text/html') ?? false
	const routes = searchParams.get('_routes')
	return routes === null || routes.split(',').includes('root')
}

function cachedFor(time: string): MiddlewareHandler {
	return async (context, next) => {
		await next()
		if (context.res.ok) context.res.headers.set('Cache-Control', time)
	}
}

function nonceOf(request: Request): string {
	const nonce = nonces.get(request) ?? randomBytes(16).toString('base64')
	nonces.set(request, nonce)
	return nonce
}

function factsOf(request: Request): RequestFacts {
	return {
		requestId: requestScope()?.requestId ?? randomUUID(),
		now: new Date().toISOString(),
		// In development the policy allows inline scripts, and React would report each nonce that the browser hides from it.
		nonce: config().NODE_ENV === 'development' ? undefined : nonceOf(request),
		ip: request.headers.get(clientIpHeader) ?? '',
		theme: readTheme(request.headers.get('Cookie')),
		flash: flashOf(request),
		shows: [],
		isViewerUnknown: false,
	}
}
