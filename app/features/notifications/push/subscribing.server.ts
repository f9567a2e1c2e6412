import { ECDH } from 'node:crypto'
import { config } from '~/config.server.ts'
import { Invalid, NotAllowed } from '~/lib/errors.ts'
import { requireSignedIn, type Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { parseForm } from '~/platform/http/form.server.ts'
import { listEndpoints, removeOfSession, removeSubscription, writeSubscription } from './push.queries.server.ts'
import { endpointInput, isPushService, subscriptionInput } from './push.schema.ts'
import { vapidKeys } from './vapid.server.ts'

/** The data that the settings page needs to turn pushes on. @throws NotAllowed */
export async function getPush(viewer: Viewer): Promise<{ publicKey: string; endpoints: string[] }> {
	const member = requireSignedIn(viewer)
	return { publicKey: vapidKeys().publicKey, endpoints: await listEndpoints(member.id) }
}

/** The session of a browser, looked up in the database; null for a visitor. */
type Session = { viewer: { id: number }; sessionId: number } | null

/**
 * Sends a browser pushes from now on, as long as its session lasts.
 * @throws NotAllowed, Invalid for an invalid subscription, or one that is not at a push service
 */
export async function subscribeBrowser(session: Session, form: FormData): Promise<void> {
	const made = read(session, form)
	await db()
		.transaction()
		.execute((trx) => writeSubscription(trx, made))
}

/**
 * Replaces the subscription of a browser, which got another one by itself. Does nothing in a session without pushes.
 * @throws as {@link subscribeBrowser}
 */
export async function renewSubscription(session: Session, form: FormData): Promise<void> {
	const made = read(session, form)
	await db()
		.transaction()
		.execute(async (trx) => {
			if (await removeOfSession(trx, made)) await writeSubscription(trx, made)
		})
}

function read(session: Session, form: FormData) {
	if (!session) throw new NotAllowed('Log in first.')
	const made = parseForm(subscriptionInput, form)
	if (!isPushService(made.endpoint, config().PUSH_HOSTS))
		throw new Invalid('This site does not support the push service of your browser.')
	if (!isPoint(made.p256dh)) throw new Invalid('The key from your browser is invalid. Reload the page and try again.')
	return { ...made, userId: session.viewer.id, sessionId: session.sessionId }
}

/** Ends a browser's pushes. Idempotent. @throws NotAllowed, Invalid */
export async function unsubscribeBrowser(viewer: Viewer, form: FormData): Promise<void> {
	const member = requireSignedIn(viewer)
	await removeSubscription(member.id, parseForm(endpointInput, form).endpoint)
}

/** Whether these are the coordinates of a point on the curve, to which something can be encrypted. */
function isPoint(key: string): boolean {
	try {
		ECDH.convertKey(key, 'prime256v1', 'base64url', 'base64url', 'uncompressed')
		return key.startsWith('B')
	} catch {
		return false
	}
}
