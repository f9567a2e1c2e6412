/** The cookies that we set ourselves; those of the session are named in the accounts feature. */
type OwnCookie = 'flash' | 'theme' | 'login' | 'login_flow' | 'announcement'

let isSecure = false

/** Says once, at the start, whether the site's address is https: our cookies are then Secure and their names `__Host-…`. */
export function secureCookies(secure: boolean): void {
	isSecure = secure
}

/** Under https no other host of the domain, and no page without TLS, can set a cookie of this name. */
function nameOf(cookie: OwnCookie): string {
	return isSecure ? `__Host-${cookie}` : cookie
}

/**
 * The value of a Set-Cookie header. The cookie is for the server alone and for the whole site.
 * @param maxAge seconds that the browser keeps it; 0 takes it back
 */
export function ownCookie(cookie: OwnCookie, value: string, maxAge: number): string {
	return `${nameOf(cookie)}=${value}; Path=/; Max-Age=${maxAge}; SameSite=Lax; HttpOnly${isSecure ? '; Secure' : ''}`
}

/** The value of one of our cookies as it was sent, or null. @param header the Cookie header */
export function readOwnCookie(header: string | null | undefined, cookie: OwnCookie): string | null {
	return cookieValue(header, nameOf(cookie))
}

/**
 * The theme that the reader chose. One that was chosen before the site's cookies had a prefix still counts: it expires within
 * a year, and whoever else could set it changes no more than colours.
 * @param header the Cookie header
 */
export function readTheme(header: string | null | undefined): 'light' | 'dark' | 'system' {
	const theme = readOwnCookie(header, 'theme') ?? cookieValue(header, 'theme')
	return theme === 'light' || theme === 'dark' ? theme : 'system'
}

/** The Set-Cookie header that remembers a theme. `system` is remembered too: an older cookie may name another one. */
export function themeCookie(theme: unknown): string {
	return ownCookie('theme', theme === 'light' || theme === 'dark' ? theme : 'system', 31_536_000)
}

function cookieValue(header: string | null | undefined, name: string): string | null {
	const pairs = (header ?? '').split(/;\s*/)
	return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? null
}
