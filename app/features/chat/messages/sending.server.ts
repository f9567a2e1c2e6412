import { lockMember } from '~/features/accounts/accounts.queries.server.ts'
import { refuseSuspended } from '~/features/accounts/security/suspension.server.ts'
import { attachPictures } from '~/features/chat-pictures/chat-pictures.server.ts'
import type { NamedPicture } from '~/features/chat-pictures/chat-pictures.view.ts'
import { startingLimitAt } from '~/features/conversations/conversations.policy.ts'
import {
	type ConversationRow,
	lockConversationWith,
	secondsUntilStart,
	startConversation,
} from '~/features/conversations/conversations.queries.server.ts'
import {
	announceAccepted,
	announceWaiting,
	NO_SUCH_MEMBER,
	namesOf,
	presentState,
	relationWith,
	requireMember,
} from '~/features/conversations/conversations.server.ts'
import { type AccountStatusRow, findAccountStatus } from '~/features/moderation/members.queries.server.ts'
import { pushUnseen } from '~/features/notifications/push/delivery.server.ts'
import { isRecord, isUsername } from '~/lib/checks.ts'
import { Conflict, DomainError, isSiteFault, NotAllowed, NotFound, TooMany } from '~/lib/errors.ts'
import { log } from '~/lib/log.server.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { type Last, transact } from '~/platform/db/transaction.server.ts'
import { parseInput } from '~/platform/http/form.server.ts'
import { renderMarkdown } from '~/platform/markdown/render.server.ts'
import { messageInput } from '../chat.schema.ts'
import { type ChatMessage, chatLimits, presentMessage, type SendAnswer } from '../chat.view.ts'
import { announceMessage } from './announcing.server.ts'
import { findSent, insertMessage, type MessageRow, secondsUntilSend } from './messages.queries.server.ts'

interface Sending {
	/** Username of the peer. */
	to: unknown
	clientId?: unknown
	body?: unknown
	/** Paths of pictures that the sender uploaded for this message, and what they show. */
	pictures?: unknown
}

interface Stored {
	row: MessageRow
	/** How the two stand now that it is stored. */
	peer: ConversationRow
	/** Whether it answered a request. */
	answered: boolean
}

/**
 * Sends a message to another member. When this returns it is committed. Sending it again under the same id, from wherever
 * and however often, answers with the one that stands.
 * @param sessionId of the socket that it came by, which must be good until the commit; null for a request just checked
 * @throws NotFound, NotAllowed, Invalid, TooMany, Conflict for an id that names another message, SessionEnded
 */
export async function sendMessage(
	viewer: Viewer,
	{ to, ...input }: Sending,
	sessionId: number | null = null,
): Promise<ChatMessage> {
	const sender = requireMember(viewer)
	const { body, clientId, pictures } = parseInput(messageInput, input)
	if (!isUsername(to)) throw new NotFound(NO_SUCH_MEMBER)
	const { html } = await renderMarkdown(body)
	const message = { sender, to, sessionId, clientId, body, html, pictures }
	const stored = await transact((trx, last) => store(trx, last, message))
	// Also of one that stood already: the process that stored it may have ended before it told anybody.
	const { recipient_id: readerId, conversation_id: conversationId } = stored.row
	await Promise.all([
		announceMessage(sender, stored.peer, stored.row),
		readerId !== null && pushUnseen('message', readerId, conversationId),
	])
	if (stored.answered) await announceAccepted(sender, stored.peer)
	if (stored.peer.peer_pending) await announceWaiting(sender, stored.peer)
	return presentMessage(stored.row, sender.id, namesOf(sender, stored.peer))
}

interface Storing {
	sender: SignedIn
	/** Username of the peer. */
	to: string
	sessionId: number | null
	clientId: string
	body: string
	html: string
	pictures: NamedPicture[]
}

async function store(trx: Executor, last: Last, message: Storing): Promise<Stored> {
	const { sender, to, sessionId, clientId, body, html } = message
	// One way to the database: what is read after the lock is read as the last one left it.
	const [writer, locked, read] = await Promise.all([
		currentWriter(trx, sender.id, sessionId),
		lockConversationWith(trx, sender.id, to),
		readStanding(trx, message),
	])
	const conversationId = locked ?? (await start(trx, message, writer, read.peer))
	const { before, seconds, peer } = locked === undefined ? await readStanding(trx, message) : read
	if (before) return { row: same(before, conversationId), peer, answered: false }
	refuseSuspended(writer)
	if (seconds !== null) throw new TooMany('You are sending very fast. This message will be sent in a moment.', seconds)
	refuseClosed(peer)
	const pictures = message.pictures.length > 0 ? await attachPictures(trx, sender, message.pictures) : []
	const { peer_id: peerId, blocked_me: unseen } = peer
	const added = { conversationId, senderId: sender.id, peerId, unseen, clientId, body, html, pictures }
	const row = await last(insertMessage(trx, added))
	return { row, peer, answered: peer.pending && peer.last_message_id !== null }
}

/** What decides whether a message may be stored, besides who writes. Begins all of it at once. */
async function readStanding(trx: Executor, { sender, to, clientId }: Storing) {
	const [before, seconds, peer] = await Promise.all([
		findSent(trx, sender.id, clientId),
		secondsUntilSend(trx, sender.id, chatLimits.burst),
		relationWith(sender, to, trx),
	])
	return { before, seconds, peer }
}

/** @throws Conflict when the id is that of a message to somebody else */
function same(row: MessageRow, conversationId: number): MessageRow {
	if (row.conversation_id !== conversationId) throw new Conflict('This message was sent to somebody else before.')
	return row
}

function refuseClosed(peer: ConversationRow): void {
	const { kind, reason } = presentState(peer)
	if (kind === 'closed') throw new NotAllowed(reason ?? 'Nothing can be sent here.')
}

/** Begins a conversation, unless somebody just did. @returns its id, locked */
async function start(
	trx: Executor,
	{ sender, to }: Storing,
	writer: AccountStatusRow,
	peer: ConversationRow,
): Promise<number> {
	refuseSuspended(writer)
	refuseClosed(peer)
	// One after the other: of two beginnings the second one counts the first, and of two tries of one message finds it.
	await lockMember(trx, sender.id)
	const begun = await lockConversationWith(trx, sender.id, to)
	if (begun !== undefined) return begun
	const most = startingLimitAt(writer.hours)
	const seconds = await secondsUntilStart(trx, sender.id, most)
	if (seconds !== null)
		throw new TooMany(`You may start ${most} conversations a day for now. You can continue the ones you have.`, seconds)
	await startConversation(trx, sender.id, peer.peer_id)
	const id = await lockConversationWith(trx, sender.id, to)
	if (id === undefined) throw new Error('A conversation was begun and is not there.')
	return id
}

/** Seconds after which a refused message may be tried again without anybody pressing anything. */
const MAX_RETRY_AFTER = 60

/**
 * Sends what a script says is a message, by a socket or by HTTP, and answers in words whatever it is. The answer follows the
 * commit.
 * @param sessionId of the socket; null for a request just checked
 * @returns the answer, and whether the session had ended
 */
export async function answerSending(
	viewer: SignedIn,
	message: unknown,
	sessionId: number | null,
): Promise<{ reply: SendAnswer; ended: boolean }> {
	try {
		const words = isRecord(message) ? message : {}
		return {
			reply: { ok: true, message: await sendMessage(viewer, { ...words, to: words.to }, sessionId) },
			ended: false,
		}
	} catch (error) {
		const ended = error instanceof SessionEnded
		const isRefused = error instanceof DomainError && !isSiteFault(error)
		if (!isRefused) log.warn({ err: error }, 'a message could not be stored')
		const text = isRefused ? error.message : 'The message could not be saved. Trying again.'
		const retry = ended || !isRefused || (error instanceof TooMany && error.retryAfter <= MAX_RETRY_AFTER)
		const limited = error instanceof TooMany ? { retryAfter: error.retryAfter } : {}
		return { reply: { ok: false, message: text, retry, ...limited }, ended }
	}
}

/** The session of a socket ended while the socket was still open. */
class SessionEnded extends NotAllowed {}

/**
 * Who writes, whose session is good until the transaction ends.
 * @param sessionId of a socket; null where the request was just checked
 * @throws SessionEnded
 */
export async function currentWriter(
	trx: Executor,
	userId: number,
	sessionId: number | null,
): Promise<AccountStatusRow> {
	const writer = await findAccountStatus(trx, userId, sessionId)
	if (!writer) throw new SessionEnded('You were logged out. Log in again, and your messages will be sent.')
	return writer
}
