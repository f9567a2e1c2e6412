import { config } from '~/config.server.ts'

/** How long a copy of the file counts as current. RFC 9116 advises less than a year. */
const VALID_DAYS = 180
const DAY_MS = 86_400_000

/**
 * Where to report a security problem (RFC 9116). The contact is `SECURITY_CONTACT`, otherwise `ADMIN_EMAIL`;
 * without either the answer is 404. `Canonical` needs an https address, so a site without TLS leaves it out.
 */
export function loader(): Response {
	const { SECURITY_CONTACT, ADMIN_EMAIL, publicUrl, secure } = config()
	const contact = SECURITY_CONTACT || ADMIN_EMAIL
	const type = { 'Content-Type': 'text/plain; charset=utf-8' }
	if (!contact) return new Response('This site has no contact for security reports.\n', { status: 404, headers: type })
	// Whole days: the file stays the same until midnight.
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
