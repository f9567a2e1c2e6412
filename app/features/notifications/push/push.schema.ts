import { z } from 'zod'

/** What browser push allows. */
export const pushLimits = {
	/** Browsers of one member; one more takes the place of the oldest. */
	browsers: 20,
	/** Characters of an address at a push service; the longest known ones have about 500. */
	endpoint: 2_000,
	/** Characters of a title and of a text: what systems show of them, and well within the 4 KB of a push. */
	title: 100,
	body: 200,
	/** Notifications and conversations that are named as still unread, of each the newest. */
	open: 30,
} as const

const notWhole = 'The subscription from your browser is incomplete. Reload the page and try again.'

/** @param length in bytes */
const bytes = (length: number) =>
	z
		.string({ error: notWhole })
		.regex(/^[\w-]+$/, notWhole)
		.refine((text) => Buffer.from(text, 'base64url').length === length, notWhole)

export const endpointInput = z.object({
	endpoint: z.string({ error: notWhole }).min(1, notWhole).max(pushLimits.endpoint, notWhole),
})

/** What a browser gives when it is asked for pushes (RFC 8291: a point of P-256, and a secret). */
export const subscriptionInput = endpointInput.extend({ p256dh: bytes(65), auth: bytes(16) })

/**
 * Whether this is an address of a push service that the site may call. A member's browser names it, so anything else could
 * be an address within the network of the server.
 * @param hosts names that are allowed, with a port where it is not 443; `*.` stands for one name or several before the rest
 */
export function isPushService(endpoint: string, hosts: readonly string[]): boolean {
	if (!URL.canParse(endpoint)) return false
	const { protocol, host, username, password } = new URL(endpoint)
	if (protocol !== 'https:' || username || password) return false
	return hosts.some((allowed) => (allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : host === allowed))
}
