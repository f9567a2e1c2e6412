import { config } from '~/config.server.ts'
import { themeColors } from '~/lib/theme-colors.ts'

const icon = (name: string, size: number, purpose: 'any' | 'maskable') => ({
	src: `/icons/${name}-${size}.png`,
	sizes: `${size}x${size}`,
	type: 'image/png',
	purpose,
})

const shortcut = (name: string, url: string) => ({ name, url, icons: [icon('icon', 192, 'any')] })

/** What a browser needs to install the site as an app. A manifest holds one theme: the pages name the colours of both. */
export function loader(): Response {
	const { SITE_NAME } = config()
	const manifest = {
		id: '/',
		name: SITE_NAME,
		short_name: SITE_NAME,
		description: 'Connect, collaborate, build and learn new skills.',
		lang: 'en',
		start_url: '/',
		scope: '/',
		display: 'standalone',
		background_color: themeColors.light,
		theme_color: themeColors.light,
		categories: ['education', 'social'],
		icons: [
			icon('icon', 192, 'any'),
			icon('icon', 512, 'any'),
			icon('maskable', 192, 'maskable'),
			icon('maskable', 512, 'maskable'),
			{ src: '/favicon.svg', sizes: 'any', type: 'image/svg+xml' },
		],
		shortcuts: [
			shortcut('Ask a question', '/forum/ask'),
			shortcut('Messages', '/messages'),
			shortcut('Find a developer', '/find-dev'),
		],
	}
	return new Response(JSON.stringify(manifest), {
		headers: { 'Content-Type': 'application/manifest+json', 'Cache-Control': 'public, max-age=3600' },
	})
}
