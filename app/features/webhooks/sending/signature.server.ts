import { createHmac, randomBytes } from 'node:crypto'

/* Signatures of webhooks as the specification Standard Webhooks 1.0 describes them: receivers verify them by its libraries. */

const PREFIX = 'whsec_'

/** A new secret. */
export function newSecret(): string {
	return PREFIX + randomBytes(32).toString('base64')
}

/**
 * The headers that identify and sign a message.
 * @param secret as of {@link newSecret}
 * @param message.id the same in each try, so that receivers recognize repetitions
 * @param message.seconds when it is sent, in seconds since 1970
 */
export function signedHeaders(
	secret: string,
	{ id, seconds, body }: { id: string; seconds: number; body: string },
): Record<'Webhook-Id' | 'Webhook-Timestamp' | 'Webhook-Signature', string> {
	const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
	const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')
	return { 'Webhook-Id': id, 'Webhook-Timestamp': String(seconds), 'Webhook-Signature': `v1,${signature}` }
}
