import { config } from '~/config.server.ts'
import { securityContact } from '~/features/site-settings/site.server.ts'
import { themeColors } from '~/lib/theme-colors.ts'
import { siteAppearance } from '~/platform/appearance/appearance.server.ts'
import { robotsTag } from '~/platform/http/site-access.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import type { Route } from './+types/well-known'

/** Files at fixed addresses, such as robots.txt; `routes.ts` maps each of them here. */
export function loader({ url }: Pick<Route.LoaderArgs, 'url'>): Response {
	if (url.pathname === '/robots.txt') return robots()
	return url.pathname === '/site.webmanifest' ? webManifest() : securityTxt()
}

/** Everything public may be indexed, unless the site opts out. Forms, searches and members' own pages are excluded. */
function robots(): Response {
	const lines = robotsTag()
		? ['User-agent: *', 'Disallow: /', '']
		: [
				'User-agent: *',
				'Disallow: /forum/ask',
				'Disallow: /forum/edit/',
				'Disallow: /my-profile/',
				'Disallow: /settings',
				'Disallow: /api/',
				'',
				`Sitemap: ${config().publicUrl}/sitemap.xml`,
				'',
			]
	return new Response(lines.join('\n'), {
		headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'public, max-age=3600' },
	})
}

/** The lifetime of the file. RFC 9116 recommends less than a year. */
const VALID_DAYS = 180
const DAY_MS = 86_400_000

/**
 * Where to report a security problem (RFC 9116). The contact is that of the settings, otherwise `ADMIN_EMAIL`;
 * without either the answer is 404. `Canonical` needs an https address, so a site without TLS leaves it out.
 */
function securityTxt(): Response {
	const { publicUrl, secure } = config()
	const contact = securityContact()
	const type = { 'Content-Type': 'text/plain; charset=utf-8' }
	if (!contact) return new Response('This site has no contact for security reports.\n', { status: 404, headers: type })
	// Rounded to days, so that the file stays the same until midnight.
	const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
	const lines = [
		`Contact: ${contact.startsWith('https://') ? contact : `mailto:${contact}`}`,
		`Expires: ${new Date(today + VALID_DAYS * DAY_MS).toISOString()}`,
		'Preferred-Languages: en',
		...(secure ? [`Canonical: ${publicUrl}/.well-known/security.txt`] : []),
		'',
	]
	return new Response(lines.join('\n'), { headers: { ...type, 'Cache-Control': 'public, max-age=3600' } })
}

/** The address of an icon contains a hash of the appearance, so that installed apps fetch a changed icon. */
const iconUrl = (path: string) => {
	const { style } = siteAppearance()
	return style ? `${path}?v=${style.version}` : path
}

const icon = (name: string, size: number, purpose: 'any' | 'maskable') => ({
	src: iconUrl(`/icons/${name}-${size}.png`),
	sizes: `${size}x${size}`,
	type: 'image/png',
	purpose,
})

const shortcut = (name: string, url: string) => ({ name, url, icons: [icon('icon', 192, 'any')] })

/** The web app manifest. It can hold the colours of only one theme; the pages declare those of both. */
function webManifest(): Response {
	const manifest = {
		id: '/',
		name: siteName(),
		short_name: siteName(),
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
			{ src: iconUrl('/favicon.svg'), sizes: 'any', type: 'image/svg+xml' },
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
