import { buildPushPayload } from '@block65/webcrypto-web-push'
import { config } from '~/config.server.ts'
import { log } from '~/lib/log.server.ts'
import { shortened } from '~/lib/text.ts'
import { limits } from './push.limits.ts'
import { isPushService } from './push.policy.ts'
import { forgetSubscription, noteSuccess, type Subscription } from './subscriptions.queries.server.ts'
import { vapidKeys } from './vapid.server.ts'

/** What a browser is told; `app/offline/worker.js` shows it. */
export interface Push {
	title: string
	body: string
	/** A path of this site. */
	url: string
	/** What takes the place of what: `c` and the id of a conversation, `n` and that of a notice. */
	tag: string
	/** The tags of what is still unread; whatever else is shown was read elsewhere and is closed. */
	open: string[]
}

/** Seconds that a push service keeps what it cannot deliver: a browser that was off for longer has more to show than this. */
const keepFor = 86_400
/** Milliseconds that a push service may keep us waiting. */
const REQUEST_TIMEOUT_MS = 10_000

/**
 * Sends a push to one browser, so that its push service can read none of it (RFC 8291). A browser that its service does not
 * know any more is forgotten.
 * @throws Error where another try may succeed; the job that called tries again later
 */
export async function deliver(browser: Subscription, push: Push, urgency: 'normal' | 'high'): Promise<void> {
	const { endpoint, p256dh, auth } = browser
	// The list may have become shorter since it was stored.
	if (!isPushService(endpoint, config().PUSH_HOSTS)) return forgetSubscription(browser)
	const { title, body } = push
	const message = {
		data: { ...push, title: shortened(title, limits.title), body: shortened(body, limits.body) },
		options: { ttl: keepFor, urgency, topic: push.tag },
	}
	const request = await buildPushPayload(
		message,
		{ endpoint, expirationTime: null, keys: { p256dh, auth } },
		vapidKeys(),
	)
	// A redirect would lead to an address that nobody allowed.
	const answer = await fetch(endpoint, {
		...request,
		redirect: 'manual',
		signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
	})
	await answer.body?.cancel()
	if (answer.ok) return noteSuccess(browser.id)
	if (answer.status === 404 || answer.status === 410) return forgetSubscription(browser)
	if (answer.status === 429 || answer.status >= 500) throw new Error(`The push service answered ${answer.status}.`)
	log.warn({ status: answer.status, service: new URL(endpoint).host }, 'a push service refused a push')
}
