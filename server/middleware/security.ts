import type { MiddlewareHandler } from 'hono'
import type { Config } from '~/config.server.ts'
import { log } from '~/lib/log.server.ts'
import { robotsTag } from '~/platform/http/site-access.server.ts'
import { REPORT_PATH } from '../csp-reports.ts'

/**
 * Sets the security headers of every response. A page's policy names its nonce; other responses have none. A page that brings its
 * own policy keeps it.
 * @param nonceOf the nonce of the page being rendered
 */
export function security(config: Config, nonceOf: (request: Request) => string): MiddlewareHandler {
	const always = securityHeaders(config)
	return async (context, next) => {
		await next()
		const headers = context.res.headers
		// Scripts, styles and fonts are not documents: other headers have no effect on them, and are larger than some of them.
		if (context.req.path.startsWith('/assets/')) {
			for (const [name, value] of commonHeaders(config)) headers.set(name, value)
			// Its name changes with its content, so it is never revalidated.
			headers.delete('Last-Modified')
			return
		}
		const isMedia = context.req.path.startsWith('/media/')
		// They have no effect on pictures either, of which a page may have twenty.
		const isPicture = isMedia && headers.get('Content-Type')?.startsWith('image/')
		const own = isPicture ? commonHeaders(config) : always
		for (const [name, value] of [...own, ...indexingHeaders()]) headers.set(name, value)
		stayOnSite(headers, context.req.url)
		// A picture that is opened directly must never be executed, whatever the browser takes it for.
		if (isMedia) headers.set(policyHeader, "default-src 'none'; sandbox")
		// After a 304, a browser uses the policy of its stored response.
		else if (context.res.status !== 304 && !headers.has(policyHeader))
			headers.set(policyHeader, contentSecurityPolicy(inlineOf(config, context.req.raw, nonceOf)))
	}
}

export const policyHeader = 'Content-Security-Policy'

/** Headers of every response. */
export function commonHeaders({ secure }: Pick<Config, 'secure'>): [string, string][] {
	const sniffing: [string, string] = ['X-Content-Type-Options', 'nosniff']
	return secure ? [sniffing, ['Strict-Transport-Security', 'max-age=31536000; includeSubDomains']] : [sniffing]
}

/** Headers of every page, besides its policy. */
export function securityHeaders(config: Pick<Config, 'secure'>): [string, string][] {
	return [
		...commonHeaders(config),
		['Referrer-Policy', 'strict-origin-when-cross-origin'],
		['Cross-Origin-Opener-Policy', 'same-origin'],
		['Permissions-Policy', 'camera=(), microphone=(), geolocation=(), payment=(), usb=()'],
		['Reporting-Endpoints', `csp="${REPORT_PATH}"`],
	]
}

/** Headers of every response for search engines, as admins have set them. */
export function indexingHeaders(): [string, string][] {
	const tag = robotsTag()
	return tag === null ? [] : [['X-Robots-Tag', tag]]
}

/**
 * The last check of redirects, after safeRedirect: no response of this site redirects to another one.
 * @param url the requested address, which a relative Location is resolved against
 */
function stayOnSite(headers: Headers, url: string): void {
	const location = headers.get('Location')
	if (location === null || URL.parse(location, url)?.origin === new URL(url).origin) return
	log.error({ path: new URL(url).pathname }, 'a redirect to another site was blocked')
	headers.set('Location', '/')
}

/** In development Vite injects its own inline script, so inline scripts are allowed there only. */
function inlineOf({ NODE_ENV }: Config, request: Request, nonceOf: (request: Request) => string): string {
	return NODE_ENV === 'development' ? "'unsafe-inline'" : `'nonce-${nonceOf(request)}'`
}

/** @param inline the allowed inline scripts: a nonce, or hashes; inline styles are allowed only with `'unsafe-inline'` */
export function contentSecurityPolicy(inline: string): string {
	const development = inline === "'unsafe-inline'"
	return [
		"default-src 'none'",
		`script-src 'self' ${inline}`,
		`style-src 'self'${development ? " 'unsafe-inline'" : ''}`,
		"img-src 'self' data: blob:",
		"font-src 'self'",
		"connect-src 'self'",
		"manifest-src 'self'",
		"worker-src 'self'",
		"form-action 'self'",
		"base-uri 'none'",
		"frame-ancestors 'none'",
		`report-uri ${REPORT_PATH}`,
		'report-to csp',
	].join('; ')
}
