import { type Config, config } from '~/config.server.ts'

type Secure = Pick<Config, 'secure'>

/** The cookies that we set ourselves; those of the session are named in the accounts feature. */
type OwnCookie = 'flash' | 'theme'

/** The name as browsers see it: under https with `__Host-`, which no other host of the domain and no page without TLS can set. */
function cookieName(name: OwnCookie, { secure }: Secure): string {
	return secure ? `__Host-${name}` : name
}

/**
 * The value of a Set-Cookie header. The cookie is for the server alone and for the whole site.
 * @param maxAge seconds that the browser keeps it; 0 takes it back
 */
export function ownCookie(name: OwnCookie, value: string, maxAge: number, settings: Secure = config()): string {
	const attributes = `Path=/; Max-Age=${maxAge}; SameSite=Lax; HttpOnly${settings.secure ? '; Secure' : ''}`
	return `${cookieName(name, settings)}=${value}; ${attributes}`
}

/** The value of one of our cookies as it was sent, or null. @param header the Cookie header */
export function readOwnCookie(
	header: string | null | undefined,
	name: OwnCookie,
	settings: Secure = config(),
): string | null {
	return cookieValue(header, cookieName(name, settings))
}

/**
 * The theme that the reader chose. One that was chosen before the site's cookies had a prefix still counts: it expires within
 * a year, and whoever else could set it changes no more than colours.
 * @param header the Cookie header
 */
export function readTheme(header: string | null | undefined, settings: Secure = config()): 'light' | 'dark' | 'system' {
	const theme = readOwnCookie(header, 'theme', settings) ?? cookieValue(header, 'theme')
	return theme === 'light' || theme === 'dark' ? theme : 'system'
}

/** The Set-Cookie header that remembers a theme. `system` is remembered too: an older cookie may name another one. */
export function themeCookie(theme: unknown, settings: Secure = config()): string {
	return ownCookie('theme', theme === 'light' || theme === 'dark' ? theme : 'system', 31_536_000, settings)
}

function cookieValue(header: string | null | undefined, name: string): string | null {
	const pairs = (header ?? '').split(/;\s*/)
	return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? null
}
