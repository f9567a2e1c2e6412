import type { MiddlewareHandler } from 'hono'
import { callerOf } from '~/features/api/caller.server.ts'
import { loginPath } from '~/lib/addresses.ts'
import { problem } from '~/platform/http/problem.ts'
import { isPrivateSite } from '~/platform/http/site-access.server.ts'
import { addSession, type LoginInstead, senderOf } from '../site-faults.ts'

/** What a visitor of a private site reaches: the ways into an account, what a mail leads to, the legal texts, and what browsers and programs look for. */
export const openPaths: readonly RegExp[] = [
	/^\/login(\/code|\/[^/]+(\/callback)?|\/saml\/(acs|metadata))?$/,
	/^\/(register|invite|forgot-password|reset-password|verify-email|claim-admin|logout|theme)$/,
	/^\/(confirm-email|undo-email|confirm-campus|unsubscribe)$/,
	/^\/(terms|privacy|imprint)$/,
	/^\/(robots\.txt|\.well-known\/security\.txt|site\.webmanifest|service-worker\.js|offline)$/,
	// Each of these guards itself: by the key in the address, by a secret in a header, or by what Better Auth asks for.
	/^\/answer\/feed\.atom$/,
	/^\/mail\/bounces$/,
	/^\/api\/auth\//,
]

/** The logo of the site, which the login page shows. It is the same for everybody, so caches may keep it. */
const logoFile = /^\/media\/logos\//

const sentence = 'This site is for its members. Log in first.'

/** Where routes lead instead of running, by request. */
const locked = new WeakMap<Request, LoginInstead>()

/** Where the routes must lead whoever sent this request; null where they may run. */
export function loginInstead(request: Request): LoginInstead | null {
	return locked.get(request) ?? null
}

/**
 * Where members alone may read the site, the one guard of all that visitors ask for: pages, their data, forms, files and the API. What is not
 * in {@link openPaths} is refused, so a route added later is closed. An answer that was made while the site became private is held back.
 */
export function privateSite(): MiddlewareHandler {
	return async (context, next) => {
		const request = context.req.raw
		if (logoFile.test(context.req.path)) return next()
		let session: Headers | undefined
		const wasPrivate = isPrivateSite()
		if (wasPrivate) {
			const { isMember, headers } = await askWho(request)
			if (!isMember) {
				const answer = refuse(request)
				if (answer) return answer
			}
			session = headers
		}
		await next()
		if (!isPrivateSite()) return
		if (!wasPrivate && !(await askWho(request)).isMember) {
			context.res = undefined
			context.res = refusal(request)
		}
		if (session) addSession(context.res.headers, session)
		context.res.headers.set('Cache-Control', 'private, no-store')
	}
}

async function askWho(request: Request): Promise<{ isMember: boolean; headers?: Headers }> {
	const path = pageOf(request).pathname
	if (openPaths.some((open) => open.test(path))) return { isMember: true }
	if (path.startsWith('/api/v1/')) {
		// What asks before a call carries no token, and its answer says no more than which methods there are.
		if (request.method === 'OPTIONS') return { isMember: true }
		return { isMember: (await callerOf(request)).viewer !== null }
	}
	const { viewer, headers, fault } = await senderOf(request, request.method !== 'GET' && request.method !== 'HEAD')
	// Of whom nobody can name while the database is away, no route runs (site-faults.ts).
	return { isMember: viewer !== null || fault !== null, headers }
}

/** The refusal of a visitor's request; null where the routes answer it, as they keep what was typed and speak the language of page data. */
function refuse(request: Request): Response | null {
	const isRead = request.method === 'GET' || request.method === 'HEAD'
	const { pathname } = new URL(request.url)
	const isData = pathname.endsWith('.data')
	if (pathname.startsWith('/api/v1/') || (isRead && !isData)) return refusal(request)
	locked.set(request, { login: loginOfPage(request), isData })
	return null
}

/** As {@link refuse}, for what cannot be asked again. */
function refusal(request: Request): Response {
	const headers = { 'Cache-Control': 'private, no-store' }
	const { pathname } = pageOf(request)
	if (pathname === '/sitemap.xml') return new Response('This site has no sitemap.', { status: 404, headers })
	if (pathname.startsWith('/api/'))
		return problem(401, 'This site is for its members. Log in first, or send an access token.', {
			headers: { ...headers, 'WWW-Authenticate': 'Bearer' },
		})
	const wantedBy = request.headers.get('Sec-Fetch-Dest') ?? 'document'
	if (wantedBy !== 'document' || isFile.test(pathname))
		return Response.json({ message: sentence, login: loginOfPage(request) }, { status: 401, headers })
	return new Response(null, { status: 302, headers: { ...headers, Location: loginOfPage(request) } })
}

/** What is no page: feeds, pictures, files, and what fields ask for. */
const isFile = /^\/(media|suggest)\/|\.(atom|csv|json|png|xml|zip)$/

function loginOfPage(request: Request): string {
	const { pathname, search } = pageOf(request)
	return loginPath(pathname + search)
}

/** The address of a page, also where its data alone are asked for. */
function pageOf(request: Request): URL {
	const url = new URL(request.url)
	if (!url.pathname.endsWith('.data')) return url
	url.pathname = url.pathname.replace(/((?<=\/)_)?\.data$/, '')
	url.searchParams.delete('_routes')
	return url
}
