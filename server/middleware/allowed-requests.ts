import type { MiddlewareHandler } from 'hono'
import type { Config } from '~/config.server.ts'
import { PAGE_MEMBER_HEADER } from '~/lib/page-handle.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { problem } from '~/platform/http/problem.ts'
import { securityHeaders } from './security.ts'

const pageMethods = ['GET', 'HEAD', 'POST']
/** The only path where scripts send DELETE: drafts of questions. */
const deletable = /^\/forum\/drafts(\?|$)/
const apiMethods = [...pageMethods, 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/**
 * The error for an unsupported method, or null. It is checked before the request becomes a fetch Request: TRACE cannot be one, and
 * would end as a server error.
 * @param path the path as sent, possibly with a query
 */
export function refuseMethod(method: string, path: string, settings: Pick<Config, 'secure'>): Response | null {
	const forPrograms = path.startsWith('/api/')
	const ofPage = deletable.test(path) ? [...pageMethods, 'DELETE'] : pageMethods
	const allowed = forPrograms ? apiMethods : ofPage
	if (allowed.includes(method)) return null
	const headers = new Headers([...securityHeaders(settings), ['Allow', allowed.join(', ')]])
	const detail = `This address allows ${allowed.join(', ')}.`
	if (forPrograms) return problem(405, detail, { headers })
	headers.set('Content-Type', 'text/plain; charset=utf-8')
	return new Response(detail, { status: 405, headers })
}

/** Parts of a path; the longest address of the API has eight. */
const MAX_PATH_PARTS = 20

/**
 * The error for a path of more parts than any address has, or null. React Router looks up each beginning of a page's path: a single
 * request for a path of seven thousand parts would stop the process for seconds.
 * @param path the path as sent, possibly with a query
 */
export function refuseLongPath(path: string, settings: Pick<Config, 'secure'>): Response | null {
	const [pathname = ''] = path.split('?', 1)
	if (pathname.split('/', MAX_PATH_PARTS + 2).length <= MAX_PATH_PARTS + 1) return null
	const headers = new Headers([...securityHeaders(settings), ['Content-Type', 'text/plain; charset=utf-8']])
	return new Response('There is nothing at this address.', { status: 404, headers })
}

/** Headers that identify the page that made a request, as they were sent. */
interface Provenance {
	origin: string | null | undefined
	/** The header Sec-Fetch-Site, which browsers set and scripts cannot. */
	fetchSite: string | null | undefined
	referer: string | null | undefined
	cookie: string | null | undefined
}

/**
 * Whether a page of another site may have made this request with our reader's cookies. An Origin decides. Without one, a request
 * with cookies must prove by Sec-Fetch-Site or Referer that it comes from this site. A request without cookies acts on nobody's behalf.
 * @param own the origin of this site
 */
export function isCrossSite({ origin, fetchSite, referer, cookie }: Provenance, own: string): boolean {
	if (origin) return origin !== own
	if (!cookie) return false
	if (fetchSite) return fetchSite !== 'same-origin'
	return URL.parse(referer ?? '')?.origin !== own
}

/**
 * Rejects a write that a page of another site may have sent with our reader's cookies, see {@link isCrossSite}.
 * @param open paths that accept forms of other sites; what is sent there loses its cookies
 */
export function sameOrigin(open: ReadonlySet<string> = new Set()): MiddlewareHandler {
	return async (context, next) => {
		const { method, headers, url } = context.req.raw
		if (method === 'GET' || method === 'HEAD') return next()
		if (method === 'POST' && open.has(context.req.path)) {
			context.req.raw = withoutCookies(context.req.raw)
			return next()
		}
		const forPrograms = context.req.path.startsWith('/api/v1/')
		// A CORS preflight; its response allows nothing else.
		if (forPrograms && method === 'OPTIONS') return next()
		const provenance = {
			origin: headers.get('Origin'),
			fetchSite: headers.get('Sec-Fetch-Site'),
			referer: headers.get('Referer'),
			// With a token, the API ignores cookies.
			cookie: forPrograms && headers.has('Authorization') ? null : headers.get('Cookie'),
		}
		if (!isCrossSite(provenance, new URL(url).origin)) return next()
		return forPrograms ? problem(403, foreign) : context.text(foreign, 403)
	}
}

/** A logout is about the browser, whoever is logged in. A login comes from a visitor's page, unless it is to be linked to an account. */
const logout = /^\/logout(\.data)?$/

/**
 * The refusal of a write from a page that was loaded for another member than the one who is logged in now, in another tab of the same browser;
 * null for all others, such as forms sent without scripts, which do not say for whom their page was loaded.
 * @param viewer who is logged in; for a visitor, the routes lead to the login
 */
export function refuseOtherMember({ headers, url }: Request, viewer: Viewer): Response | null {
	const loadedFor = headers.get(PAGE_MEMBER_HEADER)
	if (!viewer || loadedFor === null || loadedFor === String(viewer.id) || logout.test(new URL(url).pathname))
		return null
	return Response.json({ message: otherMember }, { status: 403, headers: { [PAGE_MEMBER_HEADER]: String(viewer.id) } })
}

const otherMember = 'Nothing was sent: someone else has logged in in this browser. Copy what you typed, then reload.'

/** Everything that pages show as pictures, besides files of the build. */
const picture = /^\/media\/|\/card\.png$/i

/**
 * Refuses to render a page for a browser that wants a picture, as its reader did not ask for it: a text of a member could name a
 * thousand pages as its pictures.
 */
export function refusePagesAsPictures(): MiddlewareHandler {
	return async (context, next) => {
		const isWanted = context.req.header('Sec-Fetch-Dest') !== 'image' || picture.test(context.req.path)
		return isWanted ? next() : context.text('There is no such picture.', 404, { 'Cache-Control': 'no-store' })
	}
}

function withoutCookies(request: Request): Request {
	const headers = new Headers(request.headers)
	headers.delete('Cookie')
	return new Request(request, { headers })
}

const foreign = 'This request came from another site, so it was refused.'
