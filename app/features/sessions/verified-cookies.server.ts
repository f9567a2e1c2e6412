import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { remember } from '~/lib/remember.ts'
import type { SignedIn } from '~/lib/viewer.ts'

/** Milliseconds for which verified cookies are not verified again. */
const MAX_AGE_MS = 60_000
/** Maximum members; the least recently used one is evicted. About 400 bytes each. */
const MAX_ENTRIES = 5_000

interface Verified {
	viewer: SignedIn
	/** The member version in the signed cookie. */
	version: string
	/** By the monotonic clock. */
	verifiedAt: number
	/** When the first cookie expires, by the system clock. */
	expiresAt: number
}

/** Clocks, in milliseconds: a monotonic one, and the one that cookies expire by. */
interface Clocks {
	now: () => number
	date: () => number
}

/**
 * A cache of Cookie headers whose signatures were verified in the last minute, with their members, so that the same bytes are not
 * verified for each request. An entry counts only while the version of its member is the same. Keys are digests of the whole
 * header: no cookie is stored, and none compared byte by byte.
 */
export class VerifiedCookies {
	// A Map iterates in order of insertion, and each use moves a key to the end.
	readonly #entries = new Map<string, Verified>()
	readonly #clocks: Clocks
	readonly #maxEntries: number

	constructor({
		maxEntries = MAX_ENTRIES,
		now = () => performance.now(),
		date = () => Date.now(),
	}: Partial<Clocks> & { maxEntries?: number } = {}) {
		this.#maxEntries = maxEntries
		this.#clocks = { now, date }
	}

	/**
	 * The member of this Cookie header, if it was verified in the last minute and nothing has changed since; else null.
	 * @param versionOf the version that a signed cookie of a member must carry now
	 */
	find(header: string, versionOf: (userId: number) => string): SignedIn | null {
		const key = cookieDigest(header)
		const entry = this.#entries.get(key)
		if (!entry) return null
		this.#entries.delete(key)
		const { viewer, version, verifiedAt, expiresAt } = entry
		if (this.#clocks.now() - verifiedAt >= MAX_AGE_MS || this.#clocks.date() >= expiresAt) return null
		if (versionOf(viewer.id) !== version) return null
		this.#entries.set(key, entry)
		return viewer
	}

	/**
	 * Adds a Cookie header whose signed cookie was accepted without the database. A header with no such cookie, or several, is not
	 * added.
	 * @param sessionExpiresAt when the session itself expires
	 */
	add(header: string, viewer: SignedIn, sessionExpiresAt: Date): void {
		const signed = signedCookieOf(header)
		if (signed === null) return
		const expiresAt = Math.min(signed.expiresAt, sessionExpiresAt.getTime())
		// The version in the cookie, not the current one: the member may have logged out elsewhere since it was verified.
		const { version } = signed
		const verified = { viewer: Object.freeze(viewer), version, verifiedAt: this.#clocks.now(), expiresAt }
		this.#entries.set(cookieDigest(header), verified)
		const [oldest] = this.#entries.keys()
		if (this.#entries.size > this.#maxEntries && oldest !== undefined) this.#entries.delete(oldest)
	}
}

/** The key of a Cookie header, so that no cookie is stored. */
export function cookieDigest(header: string): string {
	return hash('sha256', header, 'base64')
}

/**
 * The session token of a Cookie header, if its signature is valid. Better Auth's format is `TOKEN.SIGNATURE`, with an HMAC-SHA256 in Base64;
 * its own check takes a tenth of a request's processor time.
 * @param name of the cookie
 * @returns null for a header with none or several, or with an invalid signature
 */
export function sessionTokenOf(header: string, { name, secret }: { name: string; secret: string }): string | null {
	const cookies = header
		.split(';')
		.map((cookie) => cookie.trim())
		.filter((cookie) => cookie.startsWith(`${name}=`))
	const [, token = '', signature = ''] = /^(.+)\.([^.]+)$/.exec(decoded(cookies[0]?.slice(name.length + 1) ?? '')) ?? []
	if (cookies.length !== 1 || token === '') return null
	const [given, good] = [Buffer.from(signature, 'base64'), createHmac('sha256', secret).update(token).digest()]
	return given.length === good.length && timingSafeEqual(given, good) ? token : null
}

/** @returns '' for invalid percent-encoding */
function decoded(text: string): string {
	try {
		return decodeURIComponent(text)
	} catch {
		return ''
	}
}

/** Whether a header has a signed cookie, valid or not; browsers delete it when it expires. */
export function hasSignedCookie(header: string): boolean {
	return /(?:^|;\s*)(?:__Host-)?session_data(?:\.\d+)?=/.test(header)
}

/** The content of the one signed cookie of a header, in Better Auth's format; null for none, several, or one in parts. */
function signedCookieOf(header: string): { version: string; expiresAt: number } | null {
	const signed = [...header.matchAll(/(?:^|;\s*)(?:__Host-)?session_data(?:\.\d+)?=([^;]*)/g)]
	if (signed.length !== 1) return null
	try {
		const text = Buffer.from(decodeURIComponent(signed[0]?.[1] ?? ''), 'base64url').toString()
		const { session, expiresAt } = JSON.parse(text)
		return typeof session.version === 'string' && Number.isFinite(expiresAt)
			? { version: session.version, expiresAt }
			: null
	} catch {
		return null
	}
}

/** Those of this process. */
export const verifiedCookies = () => remember('verified-cookies', () => new VerifiedCookies())
