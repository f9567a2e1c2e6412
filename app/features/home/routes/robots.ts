import { config } from '~/config.server.ts'

/** Everything that is open may be indexed; forms, searches and members' own pages need not be visited. */
export function loader(): Response {
	const lines = [
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
