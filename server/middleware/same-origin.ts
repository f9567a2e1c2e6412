import type { MiddlewareHandler } from 'hono'
import { problem } from '~/platform/http/problem.ts'

/** What a request says about the page that made it; each as its header came. */
interface Provenance {
	origin: string | null | undefined
	/** The header Sec-Fetch-Site: browsers write it and scripts cannot. */
	fetchSite: string | null | undefined
	referer: string | null | undefined
	cookie: string | null | undefined
}

/**
 * Whether a request may have been made by a page of another site with our reader's cookies.
 * An Origin decides. Without one, a request that carries cookies has to show by Sec-Fetch-Site or its Referer that it comes
 * from this site. A program that sends no cookies has no reader whose name it could borrow.
 * @param own the origin of this site
 */
export function isCrossSite({ origin, fetchSite, referer, cookie }: Provenance, own: string): boolean {
	if (origin) return origin !== own
	if (!cookie) return false
	if (fetchSite) return fetchSite !== 'same-origin'
	return URL.parse(referer ?? '')?.origin !== own
}

/** Refuses a write that a page of another site may have sent with our reader's cookies, see {@link isCrossSite}. */
export function sameOrigin(): MiddlewareHandler {
	return async (context, next) => {
		const { method, headers, url } = context.req.raw
		if (method === 'GET' || method === 'HEAD') return next()
		const forPrograms = context.req.path.startsWith('/api/v1/')
		// A browser asks so before it reads on behalf of a page elsewhere; the answer allows nothing else.
		if (forPrograms && method === 'OPTIONS') return next()
		const provenance = {
			origin: headers.get('Origin'),
			fetchSite: headers.get('Sec-Fetch-Site'),
			referer: headers.get('Referer'),
			// Where a token is shown, the API looks at no cookie.
			cookie: forPrograms && headers.has('Authorization') ? null : headers.get('Cookie'),
		}
		if (!isCrossSite(provenance, new URL(url).origin)) return next()
		return forPrograms ? problem(403, foreign) : context.text(foreign, 403)
	}
}

const foreign = 'This request came from another site, so it was refused.'
