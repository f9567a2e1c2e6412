import type { MiddlewareHandler } from 'hono'
import type { Config } from '~/config.server.ts'
import { log } from '~/lib/log.server.ts'
import { robotsTag } from '~/platform/http/indexing.server.ts'
import { REPORT_PATH } from '../csp-reports.ts'

/**
 * The headers that every answer carries. A page's nonce is named in its policy; anything that is no page needs none.
 * A page that comes with a policy of its own keeps it.
 * @param nonceOf the nonce of the page being answered
 */
export function security(config: Config, nonceOf: (request: Request) => string): MiddlewareHandler {
	const always = securityHeaders(config)
	return async (context, next) => {
		await next()
		const headers = context.res.headers
		// A script, style or font is no document: the rest means nothing on it, and weighs more than some of them.
		if (context.req.path.startsWith('/assets/')) {
			for (const [name, value] of everywhere(config)) headers.set(name, value)
			// Its name changes with its content, so nobody asks whether it was modified.
			headers.delete('Last-Modified')
			return
		}
		for (const [name, value] of [...always, ...indexingHeaders()]) headers.set(name, value)
		stayOnSite(headers, context.req.url)
		// A picture that is opened by itself is shown and nothing else, whatever a browser might take it for.
		if (context.req.path.startsWith('/media/')) headers.set(policyHeader, "default-src 'none'; sandbox")
		// Where nothing was modified, a browser goes by the policy of the answer that it has.
		else if (context.res.status !== 304 && !headers.has(policyHeader))
			headers.set(policyHeader, policy(inlineOf(config, context.req.raw, nonceOf)))
	}
}

export const policyHeader = 'Content-Security-Policy'

/** What every answer carries, whatever it is and whoever gives it. */
export function everywhere({ secure }: Pick<Config, 'secure'>): [string, string][] {
	const sniffing: [string, string] = ['X-Content-Type-Options', 'nosniff']
	return secure ? [sniffing, ['Strict-Transport-Security', 'max-age=31536000; includeSubDomains']] : [sniffing]
}

/** What every page carries besides its policy. */
export function securityHeaders(config: Pick<Config, 'secure'>): [string, string][] {
	return [
		...everywhere(config),
		['Referrer-Policy', 'strict-origin-when-cross-origin'],
		['Cross-Origin-Opener-Policy', 'same-origin'],
		['Permissions-Policy', 'camera=(), microphone=(), geolocation=(), payment=(), usb=()'],
		['Reporting-Endpoints', `csp="${REPORT_PATH}"`],
	]
}

/** What every answer says to search engines, as admins have set it now. */
export function indexingHeaders(): [string, string][] {
	const tag = robotsTag()
	return tag === null ? [] : [['X-Robots-Tag', tag]]
}

/**
 * The last look at a redirect, behind safeRedirect: no answer of this site leads to another one.
 * @param url the address that was asked for, which a relative Location is read against
 */
function stayOnSite(headers: Headers, url: string): void {
	const location = headers.get('Location')
	if (location === null || URL.parse(location, url)?.origin === new URL(url).origin) return
	log.error({ path: new URL(url).pathname }, 'a redirect to another site was held back')
	headers.set('Location', '/')
}

/** In development Vite puts its reload script into the page by itself, so inline is allowed there alone. */
function inlineOf({ NODE_ENV }: Config, request: Request, nonceOf: (request: Request) => string): string {
	return NODE_ENV === 'development' ? "'unsafe-inline'" : `'nonce-${nonceOf(request)}'`
}

/** @param inline which inline scripts may run: a nonce, or hashes; styles may be inline only where scripts of any kind are */
export function policy(inline: string): string {
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
