import type { MiddlewareHandler } from 'hono'
import { callerOf } from '~/features/api/caller.server.ts'
import { corsHeaders } from '~/features/api/responses.server.ts'
import { loginPath } from '~/lib/addresses.ts'
import { problem } from '~/platform/http/problem.ts'
import { isPrivateSite } from '~/platform/http/site-access.server.ts'
import { addSession, type LoginRedirect, senderOf } from '../site-faults.ts'

/**
 * Addresses of a private site that are open to visitors: login and registration, links in mails, legal texts, and files that
 * browsers and programs expect.
 */
export const openPaths: readonly RegExp[] = [
	/^\/login(\/code|\/[^/]+(\/callback)?|\/saml\/(acs|metadata)|\/campus\/backchannel-logout)?$/,
	/^\/(register|invite|forgot-password|reset-password|verify-email|claim-admin|logout|theme)$/,
	/^\/(confirm-email|undo-email|confirm-campus|unsubscribe)$/,
	/^\/(terms|privacy|imprint)$/,
	/^\/(robots\.txt|\.well-known\/security\.txt|site\.webmanifest|service-worker\.js|offline)$/,
	// Each of these has its own check: a key in the address, a secret in a header, or Better Auth's.
	/^\/answer\/feed\.atom$/,
	/^\/mail\/bounces$/,
	/^\/api\/auth\//,
]

/** The logo of the site, which the login page shows. It is the same for everybody, so caches may keep it. */
const logoFile = /^\/media\/logos\//

const sentence = 'This site is for its members. Log in first.'

/** The login for each request whose routes must not run. */
const locked = new WeakMap<Request, LoginRedirect>()

/** The login that routes must redirect this request to; null where they may run. */
export function loginRedirectFor(request: Request): LoginRedirect | null {
	return locked.get(request) ?? null
}

/**
 * Protects a private site against visitors: pages, their data, forms, files and the API. Whatever is not in {@link openPaths} is
 * refused, so routes added later are closed. A response that was made while the site became private is held back.
 */
export function privateSite(): MiddlewareHandler {
	return async (context, next) => {
		const request = context.req.raw
		if (logoFile.test(context.req.path)) return next()
		let session: Headers | undefined
		const wasPrivate = isPrivateSite()
		if (wasPrivate) {
			const { isAdmitted, headers } = await askWho(request)
			if (!isAdmitted) {
				const answer = refuse(request)
				if (answer) return answer
			}
			session = headers
		}
		await next()
		if (!isPrivateSite()) return
		if (!wasPrivate && !(await askWho(request)).isAdmitted) {
			context.res = undefined
			context.res = refusal(request)
		}
		if (session) addSession(context.res.headers, session)
		context.res.headers.set('Cache-Control', 'private, no-store')
	}
}

/** Whether a request is a member's, or for an address that is open to visitors. */
async function askWho(request: Request): Promise<{ isAdmitted: boolean; headers?: Headers }> {
	const path = pageOf(request).pathname
	if (openPaths.some((open) => open.test(path))) return { isAdmitted: true }
	if (path.startsWith('/api/v1/')) {
		// A CORS preflight carries no token, and its response reveals only the allowed methods.
		if (request.method === 'OPTIONS') return { isAdmitted: true }
		return { isAdmitted: (await callerOf(request)).viewer !== null }
	}
	const { viewer, headers, fault } = await senderOf(request, request.method !== 'GET' && request.method !== 'HEAD')
	// No route runs while the database is unavailable and the viewer is unknown (site-faults.ts).
	return { isAdmitted: viewer !== null || fault !== null, headers }
}

/** The error for a visitor's request; null where the routes answer it, as they keep what was typed and respond to requests for page data. */
function refuse(request: Request): Response | null {
	const isRead = request.method === 'GET' || request.method === 'HEAD'
	const { pathname } = new URL(request.url)
	const isData = pathname.endsWith('.data')
	if (pathname.startsWith('/api/v1/') || (isRead && !isData)) return refusal(request)
	locked.set(request, { login: loginOfPage(request), isData })
	return null
}

/** As {@link refuse}, for requests that cannot be repeated. */
function refusal(request: Request): Response {
	const headers = { 'Cache-Control': 'private, no-store' }
	const { pathname } = pageOf(request)
	if (pathname === '/sitemap.xml') return new Response('This site has no sitemap.', { status: 404, headers })
	if (pathname.startsWith('/api/'))
		return problem(401, 'This site is for its members. Log in first, or send an access token.', {
			headers: { ...headers, ...corsHeaders, 'WWW-Authenticate': 'Bearer' },
		})
	const wantedBy = request.headers.get('Sec-Fetch-Dest') ?? 'document'
	if (wantedBy !== 'document' || isFile.test(pathname))
		return Response.json({ message: sentence, login: loginOfPage(request) }, { status: 401, headers })
	return new Response(null, { status: 302, headers: { ...headers, Location: loginOfPage(request) } })
}

/** Paths that are no pages: feeds, pictures, files and suggestions. */
const isFile = /^\/(media|suggest)\/|\.(atom|csv|json|png|xml|zip)$/

function loginOfPage(request: Request): string {
	const { pathname, search } = pageOf(request)
	return loginPath(pathname + search)
}

/** The address of a page, also for a request for its data. */
function pageOf(request: Request): URL {
	const url = new URL(request.url)
	if (!url.pathname.endsWith('.data')) return url
	url.pathname = url.pathname.replace(/((?<=\/)_)?\.data$/, '')
	url.searchParams.delete('_routes')
	return url
}
