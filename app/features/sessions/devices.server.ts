import { config } from '~/config.server.ts'
import { hashToken, newToken } from '~/lib/secrets.server.ts'
import { findDevice, insertDevice, touchDevice } from './sessions.queries.server.ts'

/** Seconds after which an unused device is forgotten. */
const DEVICE_LIFETIME = 365 * 86_400
/** Accounts for which one browser is remembered: a shared lab computer knows the last few. */
const MAX_ACCOUNTS_PER_BROWSER = 4
const tokenShape = /^[\w-]{32}$/

/** A cookie in the form that Better Auth's hooks and a plain header need. */
export interface DeviceCookie {
	name: string
	value: string
	options: { path: '/'; httpOnly: true; secure: boolean; sameSite: 'lax'; maxAge: number }
}

/**
 * The device tokens that a browser sends, one for each account that it logged in to, latest first. They need no
 * signature: each is 192 random bits, and useless without the matching hash in the database.
 */
export function deviceTokens(headers: Headers | undefined): string[] {
	const pairs = (headers?.get('Cookie') ?? '').split(/;\s*/)
	const value = pairs.find((pair) => pair.startsWith(`${cookieName()}=`))?.slice(cookieName().length + 1) ?? ''
	return value
		.split('.')
		.filter((token) => tokenShape.test(token))
		.slice(0, MAX_ACCOUNTS_PER_BROWSER)
}

/** The hash of the token that makes this browser known for the account with this address, or null. */
export async function findKnownDevice(email: string, headers: Headers | undefined): Promise<string | null> {
	const hashes = deviceTokens(headers).map(hashToken)
	return hashes.length === 0 ? null : findDevice(email, hashes)
}

/** A token for a browser that may become known, and the cookie that stores it beside those it has. */
export function newDevice(headers: Headers | undefined): { hash: string; cookie: DeviceCookie } {
	const token = newToken()
	return { hash: hashToken(token), cookie: cookieOf([token, ...deviceTokens(headers)]) }
}

/**
 * Remembers the browser after a successful login.
 * @returns the cookie, and whether the account had devices before and this is a new one
 */
export async function rememberDevice(
	user: { id: number; email: string },
	headers: Headers | undefined,
): Promise<{ cookie: DeviceCookie; isForeign: boolean }> {
	const known = await findKnownDevice(user.email, headers)
	if (known) {
		await touchDevice(known)
		return { cookie: cookieOf(deviceTokens(headers)), isForeign: false }
	}
	const { hash, cookie } = newDevice(headers)
	return { cookie, isForeign: await insertDevice(user.id, hash) }
}

/** A device cookie as the value of a Set-Cookie header. */
export function deviceCookieHeader({ name, value, options }: DeviceCookie): string {
	const secure = options.secure ? '; Secure' : ''
	return `${name}=${value}; Path=/; Max-Age=${options.maxAge}; HttpOnly; SameSite=Lax${secure}`
}

function cookieOf(tokens: string[]): DeviceCookie {
	const value = tokens.slice(0, MAX_ACCOUNTS_PER_BROWSER).join('.')
	const { secure } = config()
	return {
		name: cookieName(),
		value,
		options: { path: '/', httpOnly: true, secure, sameSite: 'lax', maxAge: DEVICE_LIFETIME },
	}
}

function cookieName(): string {
	return config().secure ? '__Host-device' : 'device'
}

const browsers = [
	[/Firefox\/|FxiOS\//, 'Firefox'],
	[/Edg(A|iOS)?\//, 'Edge'],
	[/OPR\//, 'Opera'],
	[/Chrom(e|ium)\/|CriOS\//, 'Chrome'],
	[/Safari\//, 'Safari'],
] as const

const systems = [
	[/Android/, 'Android'],
	[/iPhone|iPad/, 'iOS'],
	[/Mac OS/, 'macOS'],
	[/Windows/, 'Windows'],
	[/CrOS/, 'ChromeOS'],
	[/Linux/, 'Linux'],
] as const

/** A description by which a member recognises a session, from the User-Agent header: “Firefox on Linux”. */
export function deviceOf(agent: string): string {
	const browser = browsers.find(([pattern]) => pattern.test(agent))?.[1] ?? 'A browser'
	const system = systems.find(([pattern]) => pattern.test(agent))?.[1] ?? 'an unknown system'
	return `${browser} on ${system}`
}
