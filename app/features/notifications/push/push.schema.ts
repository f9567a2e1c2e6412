import { z } from 'zod'

/** Limits of browser push. */
export const pushLimits = {
	/** Browsers per member; a further one replaces the oldest. */
	browsers: 20,
	/** Characters of an endpoint; the longest known ones have about 500. */
	endpoint: 2_000,
	/** Characters of a title and of a text: as much as systems show, and well within the 4 KB of a push. */
	title: 100,
	body: 200,
	/** Notifications and conversations that are listed as unread, the newest of each. */
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

/** A browser's push subscription (RFC 8291: a point of P-256, and a secret). */
export const subscriptionInput = endpointInput.extend({ p256dh: bytes(65), auth: bytes(16) })

/**
 * Whether this is an address of a push service that the site may call. It comes from a member's browser, so any other
 * one could be an address within the server's network.
 * @param hosts allowed names, with a port unless it is 443; `*.` stands for one or more labels before the rest
 */
export function isPushService(endpoint: string, hosts: readonly string[]): boolean {
	if (!URL.canParse(endpoint)) return false
	const { protocol, host, username, password } = new URL(endpoint)
	if (protocol !== 'https:' || username || password) return false
	return hosts.some((allowed) => (allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : host === allowed))
}
