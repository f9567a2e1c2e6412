import type { MiddlewareHandler } from 'hono'
import { log } from '~/lib/log.server.ts'
import { siteAppearance } from '~/platform/appearance/appearance.server.ts'
import { isIconPath, siteIcon } from '~/platform/appearance/icons.server.ts'

/** The path of the stylesheet with the site's own look; see app/platform/appearance. */
export const APPEARANCE_PATH = '/appearance.css'

/** Caching of files whose address stays when they change, such as icons: a change of the look appears after five minutes at most. */
export const SHORT_CACHE_CONTROL = 'public, max-age=300'

/**
 * Serves the site's own look: its stylesheet, and icons with its logo or colour in place of those of public/. It is the same for
 * everybody, and open on private sites, whose login page shows it.
 */
export function appearance(): MiddlewareHandler {
	return async (context, next) => {
		const { path, method } = context.req
		if (method !== 'GET' && method !== 'HEAD') return next()
		if (path !== APPEARANCE_PATH && !isIconPath(path)) return next()
		const { style } = siteAppearance()
		// A page from before the last change asks for a stylesheet that no longer exists.
		const isCurrent = style !== null && context.req.query('v') === style.version
		const caching = isCurrent ? 'public, max-age=31536000, immutable' : SHORT_CACHE_CONTROL
		if (path === APPEARANCE_PATH)
			return context.body(style?.css ?? '', 200, {
				'Content-Type': 'text/css; charset=utf-8',
				'Cache-Control': isCurrent ? caching : 'no-store',
			})
		const icon = await siteIcon(path).catch((error) => {
			log.warn({ err: error, path }, 'an icon with the logo of the site could not be drawn')
			return null
		})
		if (!icon) return next()
		return context.body(new Uint8Array(icon.body), 200, { 'Content-Type': icon.type, 'Cache-Control': caching })
	}
}
