/** Our own cookies; those of the session are named in the accounts feature. */
type OwnCookie = 'flash' | 'theme' | 'login' | 'login_flow' | 'login_link' | 'announcement'

let isSecure = false

/** Called once at the start: whether the site's address is https. Our cookies are then Secure, and named `__Host-…`. */
export function secureCookies(secure: boolean): void {
	isSecure = secure
}

/** With https, no other host of the domain, and no page without TLS, can set a cookie of this name. */
function nameOf(cookie: OwnCookie): string {
	return isSecure ? `__Host-${cookie}` : cookie
}

/**
 * The value of a Set-Cookie header. The cookie is HttpOnly, and valid for the whole site.
 * @param maxAge seconds that the browser keeps it; 0 deletes it
 */
export function setCookieHeader(cookie: OwnCookie, value: string, maxAge: number): string {
	return `${nameOf(cookie)}=${value}; Path=/; Max-Age=${maxAge}; SameSite=Lax; HttpOnly${isSecure ? '; Secure' : ''}`
}

/** The value of one of our cookies in a request, or null. @param header the Cookie header */
export function readCookie(header: string | null | undefined, cookie: OwnCookie): string | null {
	return cookieValue(header, nameOf(cookie))
}

/**
 * The theme that the reader chose. A cookie from before the prefix still counts: it expires within a year, and anyone else who could
 * set it only changes colours.
 * @param header the Cookie header
 */
export function readTheme(header: string | null | undefined): 'light' | 'dark' | 'system' {
	const theme = readCookie(header, 'theme') ?? cookieValue(header, 'theme')
	return theme === 'light' || theme === 'dark' ? theme : 'system'
}

/** Whether a request may be of a member, or be answered with a message for one reader. @param header the Cookie header */
export function isPersonal(header: string | null | undefined): boolean {
	return /(?:^|;\s*)(?:__Host-)?(?:session|flash)=/.test(header ?? '')
}

/** The Set-Cookie header that stores a theme. `system` is stored too, as an older cookie may say otherwise. */
export function themeCookie(theme: unknown): string {
	return setCookieHeader('theme', theme === 'light' || theme === 'dark' ? theme : 'system', 31_536_000)
}

function cookieValue(header: string | null | undefined, name: string): string | null {
	const pairs = (header ?? '').split(/;\s*/)
	return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? null
}
