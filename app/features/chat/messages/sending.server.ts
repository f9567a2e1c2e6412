import {
	announceAccepted,
	announceWaiting,
	NO_SUCH_MEMBER,
	usernamesById,
} from '~/features/conversations/conversations.server.ts'
import { pushUnseen } from '~/features/notifications/push/delivery.server.ts'
import { isRecord, isUsername } from '~/lib/checks.ts'
import { DomainError, isSiteFault, NotFound, TooManyRequests } from '~/lib/errors.ts'
import { log } from '~/lib/log.server.ts'
import { requireSignedIn, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import { parseInput } from '~/platform/http/form.server.ts'
import { renderMarkdown } from '~/platform/markdown/render.server.ts'
import { counter } from '~/platform/metrics/metrics.server.ts'
import { messageInput } from '../chat.schema.ts'
import { type ChatMessage, presentMessage, type SendResult } from '../chat.view.ts'
import { announceMessage } from './announcing.server.ts'
import { SessionEnded, storeMessage } from './storing.server.ts'

const countMessage = counter('devquad_messages_total', 'Messages that members sent to each other.')

interface Sending {
	/** Username of the peer. */
	to: unknown
	clientId?: unknown
	body?: unknown
	/** Paths of pictures that the sender uploaded for this message, and their descriptions. */
	pictures?: unknown
}

/**
 * Sends a message to another member; it is committed when this returns. Sending again with the same id, any number of times,
 * returns the stored message.
 * @param sessionId of the socket that it came by, which must be valid until the commit; null for a request just checked
 * @throws NotFound, NotAllowed, Invalid, TooManyRequests, Conflict for an id of another message, SessionEnded
 */
export async function sendMessage(
	viewer: Viewer,
	{ to, ...input }: Sending,
	sessionId: number | null = null,
): Promise<ChatMessage> {
	const sender = requireSignedIn(viewer)
	const { body, clientId, pictures } = parseInput(messageInput, input)
	if (!isUsername(to)) throw new NotFound(NO_SUCH_MEMBER)
	const { html } = await renderMarkdown(body)
	const stored = await storeMessage({ sender, to, sessionId, clientId, body, html, pictures })
	countMessage()
	// Announces an already stored message too: the process that stored it may have died before it did.
	const { recipient_id: readerId, conversation_id: conversationId } = stored.row
	await Promise.all([
		announceMessage(sender, stored.peer, stored.row, stored.unread),
		readerId !== null && pushUnseen('message', readerId, conversationId),
	])
	if (stored.answered) await announceAccepted(sender, stored.peer)
	if (stored.peer.peer_pending) await announceWaiting(sender, stored.peer)
	return presentMessage(stored.row, sender.id, usernamesById(sender, stored.peer))
}

/** Seconds after which a refused message is retried automatically, at most. */
const MAX_RETRY_AFTER = 60

/**
 * Sends a message from a script, by socket or HTTP, and answers every error with a message. The answer follows the commit.
 * @param sessionId of the socket; null for a request just checked
 * @returns the answer, and whether the session had ended
 */
export async function handleSend(
	viewer: SignedIn,
	message: unknown,
	sessionId: number | null,
): Promise<{ reply: SendResult; ended: boolean }> {
	try {
		const words = isRecord(message) ? message : {}
		const sent = await sendMessage(viewer, { ...words, to: words.to }, sessionId)
		return { reply: { ok: true, message: sent }, ended: false }
	} catch (error) {
		const ended = error instanceof SessionEnded
		const isRefused = error instanceof DomainError && !isSiteFault(error)
		if (!isRefused) log.warn({ err: error }, 'a message could not be stored')
		const text = isRefused ? error.message : 'The message could not be saved. Trying again.'
		const retry = ended || !isRefused || (error instanceof TooManyRequests && error.retryAfter <= MAX_RETRY_AFTER)
		const limited = error instanceof TooManyRequests ? { retryAfter: error.retryAfter } : {}
		return { reply: { ok: false, message: text, retry, ...limited }, ended }
	}
}
