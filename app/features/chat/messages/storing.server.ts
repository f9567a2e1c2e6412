import { lockMember } from '~/features/accounts/accounts.queries.server.ts'
import { requireWritingAllowed } from '~/features/accounts/security/suspension.server.ts'
import { attachPictures } from '~/features/chat-pictures/chat-pictures.server.ts'
import type { PictureReference } from '~/features/chat-pictures/chat-pictures.view.ts'
import { startingLimitAt } from '~/features/conversations/conversations.policy.ts'
import {
	listSending,
	listUnread,
	lockConversationsWith,
	type PairStateRow,
	type SendingRow,
	secondsUntilStart,
	startConversation,
	type UnreadRow,
} from '~/features/conversations/conversations.queries.server.ts'
import { NO_SUCH_MEMBER, presentState } from '~/features/conversations/conversations.server.ts'
import {
	type AccountStatusRow,
	listAccountStatuses,
	type Writer,
} from '~/features/moderation/members.queries.server.ts'
import { Conflict, NotAllowed, NotFound, TooManyRequests } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import {
	type AfterCommit,
	type BatchOutcome,
	batched,
	pipelinedTransaction,
	type SendLast,
} from '~/platform/db/transaction.server.ts'
import { chatLimits } from '../chat.view.ts'
import { insertMessages, listSent, type MessageRow } from './messages.queries.server.ts'

/*
 * Messages of the same moment are stored in one transaction, a batch, by a constant number of statements. A batch skips
 * conversations that other transactions have locked. Skipped messages, first messages and those with pictures get transactions of
 * their own.
 */

/** A message that is to be stored. */
export interface NewMessage {
	sender: SignedIn
	/** Username of the peer. */
	to: string
	/** Of the socket that it came by; null for a request just checked. */
	sessionId: number | null
	clientId: string
	body: string
	html: string
	pictures: PictureReference[]
}

export interface StoredMessage {
	row: MessageRow
	/** The state between the two members, now that it is stored. */
	peer: PairStateRow
	/** Whether it answered a request. */
	answered: boolean
	/** The unread counts of both members, if they were read after the commit. */
	unread?: UnreadRow[] | undefined
}

/**
 * Stores a message, or finds the one with its id; it is committed when this returns. Messages of one sender are stored in the order
 * of calls, except those with a transaction of their own: the browser's outbox waits for each.
 * @throws NotFound, NotAllowed, Invalid, TooManyRequests, Conflict for an id of another message, SessionEnded
 */
export function storeMessage(message: NewMessage): Promise<StoredMessage> {
	return message.pictures.length > 0 ? storeAlone(message) : storeInBatch(message)
}

const storeInBatch = batched({
	together: (messages: NewMessage[]) =>
		pipelinedTransaction((trx, last, after) => storeTogether(trx, messages, last, after)),
	alone: storeAlone,
	// One message per sender and per conversation, so that no message of a batch affects another.
	keysOf: ({ sender, to }) => [`sender ${sender.id}`, `pair ${[sender.username, to].sort().join(' ')}`],
})

function storeAlone(message: NewMessage): Promise<StoredMessage> {
	return pipelinedTransaction((trx, last, after) => storeOne(trx, message, last, after))
}

/** Three statements read, or four if a message was sent before; one writes, one counts. */
async function storeTogether(
	trx: Executor,
	messages: NewMessage[],
	last: SendLast,
	after: AfterCommit,
): Promise<BatchOutcome<StoredMessage>[]> {
	// Sent in one round trip: statements after the lock see what its last holder committed.
	const [writers, locked, peers] = await Promise.all([
		listAccountStatuses(trx, messages.map(writerOf), { skipLocked: true }),
		lockConversationsWith(trx, messages.map(pairOf), { skipLocked: true }),
		listSending(trx, messages.map(pairOf), chatLimits.burst),
	])
	const earlier = await listEarlier(trx, messages, peers)
	const taken = new Set<number>()
	const decided = messages.map((message, index) => {
		const [writer, conversationId, peer] = [writers[index], locked[index], peers[index]]
		if (!writer || !peer || conversationId === undefined || taken.has(conversationId)) return null
		taken.add(conversationId)
		return decide(message, writer, conversationId, { before: earlier[index], peer })
	})
	const added = decided.flatMap((one) => (one && 'added' in one ? [one.added] : []))
	const inserted = added.length > 0 ? await insert(trx, added, last, after) : { rows: new Map() }
	return decided.map((one) => (one && 'added' in one ? { answer: storedAs(inserted, one) } : one))
}

/** What was stored, by conversation. */
interface Inserted {
	rows: Map<number, MessageRow>
	unread?: Map<number, UnreadRow[]> | undefined
}

/** Adds these messages and commits; what is then unread is counted in the same round trip. */
async function insert(trx: Executor, added: Added['added'][], last: SendLast, after: AfterCommit): Promise<Inserted> {
	const ids = added.map(({ conversationId }) => conversationId)
	const [rows, unread] = await Promise.all([last(insertMessages(trx, added)), after(() => listUnread(trx, ids))])
	return { rows, unread }
}

type Added = { added: Parameters<typeof insertMessages>[1][number]; peer: PairStateRow }

/** Decides whether a message of a batch is to be stored, was stored before, or is refused. */
function decide(
	message: NewMessage,
	writer: AccountStatusRow,
	conversationId: number,
	pairState: PairState,
): Added | Exclude<BatchOutcome<StoredMessage>, null> {
	try {
		const { before, peer } = pairState
		if (before) return { answer: { row: requireSameConversation(before, conversationId), peer, answered: false } }
		requireMaySend(writer, peer)
		return newRow(message, conversationId, peer, [])
	} catch (refusal) {
		return { refusal }
	}
}

async function storeOne(
	trx: Executor,
	message: NewMessage,
	last: SendLast,
	after: AfterCommit,
): Promise<StoredMessage> {
	const [writer, locked, read] = await Promise.all([
		lockWriter(trx, writerOf(message)),
		lockConversationOf(trx, message),
		readPeer(trx, message),
	])
	const conversationId = locked ?? (await startOrLockConversation(trx, message, writer, read))
	const peer = locked === undefined ? await readPeer(trx, message) : read
	const [before] = await listEarlier(trx, [message], [peer])
	if (before) return { row: requireSameConversation(before, conversationId), peer, answered: false }
	requireMaySend(writer, peer)
	const pictures = message.pictures.length > 0 ? await attachPictures(trx, message.sender, message.pictures) : []
	const one = newRow(message, conversationId, peer, pictures)
	return storedAs(await insert(trx, [one.added], last, after), one)
}

/** What decides whether a message may be stored, besides its author. */
interface PairState {
	before: MessageRow | undefined
	peer: SendingRow
}

/** For each message the one that was sent with its id before; no statement if none was. */
async function listEarlier(
	trx: Executor,
	messages: NewMessage[],
	peers: (SendingRow | undefined)[],
): Promise<(MessageRow | undefined)[]> {
	return peers.some((peer) => peer?.was_sent) ? listSent(trx, messages.map(pairOf)) : []
}

/** @throws NotFound */
async function readPeer(trx: Executor, message: NewMessage): Promise<SendingRow> {
	const [peer] = await listSending(trx, [pairOf(message)], chatLimits.burst)
	if (!peer) throw new NotFound(NO_SUCH_MEMBER)
	return peer
}

async function lockConversationOf(trx: Executor, message: NewMessage): Promise<number | undefined> {
	const [id] = await lockConversationsWith(trx, [pairOf(message)], { skipLocked: false })
	return id
}

const pairOf = ({ sender, to, clientId }: NewMessage) => ({ userId: sender.id, username: to, clientId })
const writerOf = ({ sender, sessionId }: NewMessage): Writer => ({ userId: sender.id, sessionId })

/** @throws Conflict when the id belongs to a message to another member */
function requireSameConversation(row: MessageRow, conversationId: number): MessageRow {
	if (row.conversation_id !== conversationId) throw new Conflict('This message was sent to somebody else before.')
	return row
}

/** @throws NotAllowed, TooManyRequests for a message that may not be stored */
function requireMaySend(writer: AccountStatusRow, peer: SendingRow): void {
	requireWritingAllowed(writer)
	if (peer.wait !== null && peer.wait > 0)
		throw new TooManyRequests('You are sending very fast. This message will be sent in a moment.', peer.wait)
	requireOpen(peer)
}

function requireOpen(peer: PairStateRow): void {
	const { kind, reason } = presentState(peer)
	if (kind === 'closed') throw new NotAllowed(reason ?? 'Nothing can be sent here.')
}

function newRow(
	{ sender, clientId, body, html }: NewMessage,
	conversationId: number,
	peer: PairStateRow,
	pictures: Added['added']['pictures'],
): Added {
	const { peer_id: peerId, blocked_me: unseen } = peer
	return { added: { conversationId, senderId: sender.id, peerId, unseen, clientId, body, html, pictures }, peer }
}

function storedAs({ rows, unread }: Inserted, { added, peer }: Added): StoredMessage {
	const row = rows.get(added.conversationId)
	if (!row) throw new Error('A message was stored and is not there.')
	const answered = peer.pending && peer.last_message_id !== null
	return { row, peer, answered, unread: unread?.get(added.conversationId) }
}

/** Creates a conversation, unless a concurrent request just did. @returns its id, locked */
async function startOrLockConversation(
	trx: Executor,
	message: NewMessage,
	writer: AccountStatusRow,
	peer: PairStateRow,
): Promise<number> {
	const { id: senderId } = message.sender
	requireWritingAllowed(writer)
	requireOpen(peer)
	// Serialized per sender: of two new conversations, the second counts the first; of two sends of one message, the second finds it.
	await lockMember(trx, senderId)
	const begun = await lockConversationOf(trx, message)
	if (begun !== undefined) return begun
	const most = startingLimitAt(writer.hours)
	const seconds = await secondsUntilStart(trx, senderId, most)
	const refusal = `You may start ${most} conversations a day for now. You can continue the ones you have.`
	if (seconds !== null) throw new TooManyRequests(refusal, seconds)
	await startConversation(trx, senderId, peer.peer_id)
	const id = await lockConversationOf(trx, message)
	if (id === undefined) throw new Error('A conversation was begun and is not there.')
	return id
}

/** The session of a socket ended while the socket was still open. */
export class SessionEnded extends NotAllowed {}

/**
 * Locks the writer's account, whose session then stays valid until the transaction ends.
 * @throws SessionEnded
 */
export async function lockWriter(trx: Executor, writer: Writer): Promise<AccountStatusRow> {
	const [status] = await listAccountStatuses(trx, [writer], { skipLocked: false })
	if (!status) throw new SessionEnded('You were logged out. Log in again, and your messages will be sent.')
	return status
}
