import { z } from 'zod'
import { limits } from './push.limits.ts'

const notWhole = 'The subscription from your browser is incomplete. Reload the page and try again.'

/** @param length in bytes */
const bytes = (length: number) =>
	z
		.string({ error: notWhole })
		.regex(/^[\w-]+$/, notWhole)
		.refine((text) => Buffer.from(text, 'base64url').length === length, notWhole)

export const endpointInput = z.object({
	endpoint: z.string({ error: notWhole }).min(1, notWhole).max(limits.endpoint, notWhole),
})

/** What a browser gives when it is asked for pushes (RFC 8291: a point of P-256, and a secret). */
export const subscriptionInput = endpointInput.extend({ p256dh: bytes(65), auth: bytes(16) })
