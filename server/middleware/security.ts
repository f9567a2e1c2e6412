import type { MiddlewareHandler } from 'hono'
import type { Config } from '~/config.server.ts'

/**
 * The headers that every answer carries. A page's nonce is named in its policy; anything that is no page needs none.
 * @param nonceOf the nonce of the page being answered
 */
export function security({ secure, NODE_ENV }: Config, nonceOf: (request: Request) => string): MiddlewareHandler {
	return async (context, next) => {
		await next()
		const headers = context.res.headers
		headers.set('X-Content-Type-Options', 'nosniff')
		// A script, style or font is no document: the rest means nothing on it, and weighs more than some of them.
		if (context.req.path.startsWith('/assets/')) return
		headers.set('Referrer-Policy', 'strict-origin-when-cross-origin')
		headers.set('Cross-Origin-Opener-Policy', 'same-origin')
		headers.set('Permissions-Policy', 'camera=(), microphone=(), geolocation=(), payment=(), usb=()')
		// A picture that is opened by itself is shown and nothing else, whatever a browser might take it for.
		if (context.req.path.startsWith('/media/')) headers.set('Content-Security-Policy', "default-src 'none'; sandbox")
		else headers.set('Content-Security-Policy', policy(nonceOf(context.req.raw), NODE_ENV === 'development'))
		if (secure) headers.set('Strict-Transport-Security', 'max-age=31536000; includeSubDomains')
	}
}

/** In development Vite puts styles and its reload script into the page by itself, so inline is allowed there alone. */
function policy(nonce: string, development: boolean): string {
	const inline = development ? "'unsafe-inline'" : `'nonce-${nonce}'`
	return [
		"default-src 'none'",
		`script-src 'self' ${inline}`,
		`style-src 'self'${development ? " 'unsafe-inline'" : ''}`,
		"img-src 'self' https: data: blob:",
		"font-src 'self'",
		"connect-src 'self'",
		"manifest-src 'self'",
		"form-action 'self'",
		"base-uri 'none'",
		"frame-ancestors 'none'",
	].join('; ')
}
