import { db, type Executor } from '~/db/db.server.ts'
import { Conflict, NotAllowed, TooMany } from '~/lib/errors.ts'
import { parseInput } from '~/lib/parse.server.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { cook } from '~/markdown/cook.server.ts'
import { tellAway } from './away/pushing.server.ts'
import { limits, startingLimitAt } from './chat.limits.ts'
import { presentMessage, presentState } from './chat.present.ts'
import { messageInput } from './chat.schema.ts'
import {
	type ConversationRow,
	lockConversationOf,
	lockMember,
	secondsUntilStart,
	startConversation,
	type WriterRow,
} from './conversations.queries.server.ts'
import { member, namesOf, standingWith } from './members.server.ts'
import { findSent, insertMessage, type MessageRow, secondsUntilSend } from './messages.queries.server.ts'
import { attachPictures, type NamedPicture } from './pictures/pictures.server.ts'
import type { ChatMessage } from './protocol.ts'
import { tellAccepted, tellMessage, tellWaiting } from './telling.server.ts'
import { currentWriter, refuseSuspended } from './writers.server.ts'

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
	const sender = member(viewer)
	const { body, clientId, pictures } = parseInput(messageInput, input)
	const { peer_id: peerId, username } = await standingWith(sender, to)
	const { html } = await cook(body)
	const stored = await db()
		.transaction()
		.execute((trx) => store(trx, { sender, peerId, username, sessionId, clientId, body, html, pictures }))
	// Also of one that stood already: the process that stored it may have ended before it told anybody.
	await tellMessage(sender, stored.peer, stored.row)
	await tellAway(stored.row)
	if (stored.answered) await tellAccepted(sender, stored.peer)
	if (stored.peer.peer_pending) await tellWaiting(sender, stored.peer)
	return presentMessage(stored.row, sender.id, namesOf(sender, stored.peer))
}

interface Storing {
	sender: SignedIn
	peerId: number
	username: string
	sessionId: number | null
	clientId: string
	body: string
	html: string
	pictures: NamedPicture[]
}

async function store(trx: Executor, message: Storing): Promise<Stored> {
	const { sender, peerId, username, sessionId, clientId } = message
	const writer = await currentWriter(trx, sender.id, sessionId)
	const conversationId = (await lockConversationOf(trx, sender.id, peerId)) ?? (await start(trx, message, writer))
	const before = await findSent(trx, sender.id, clientId)
	if (before)
		return { row: same(before, conversationId), peer: await standingWith(sender, username, trx), answered: false }
	refuseSuspended(writer)
	await refuseFlood(trx, sender.id)
	const peer = await standingWith(sender, username, trx)
	refuseClosed(peer)
	const { body, html } = message
	const pictures = message.pictures.length > 0 ? await attachPictures(trx, sender, message.pictures) : []
	const unseen = peer.blocked_me
	const row = await insertMessage(trx, {
		...{ conversationId, senderId: sender.id, peerId, unseen, clientId },
		...{ body, html, pictures },
	})
	return { row, peer, answered: peer.pending && peer.last_message_id !== null }
}

/** @throws Conflict when the id is that of a message to somebody else */
function same(row: MessageRow, conversationId: number): MessageRow {
	if (row.conversation_id !== conversationId) throw new Conflict('This message was sent to somebody else before.')
	return row
}

async function refuseFlood(trx: Executor, senderId: number): Promise<void> {
	const seconds = await secondsUntilSend(trx, senderId, limits.burst)
	if (seconds !== null) throw new TooMany('You write very fast. This message follows in a moment.', seconds)
}

function refuseClosed(peer: ConversationRow): void {
	const { kind, reason } = presentState(peer)
	if (kind === 'closed') throw new NotAllowed(reason ?? 'Nothing can be sent here.')
}

/** Begins a conversation, unless somebody just did. @returns its id, locked */
async function start(trx: Executor, { sender, peerId, username }: Storing, writer: WriterRow): Promise<number> {
	refuseSuspended(writer)
	refuseClosed(await standingWith(sender, username, trx))
	// One after the other: of two beginnings the second one counts the first, and of two tries of one message finds it.
	await lockMember(trx, sender.id)
	const begun = await lockConversationOf(trx, sender.id, peerId)
	if (begun !== undefined) return begun
	const most = startingLimitAt(writer.hours)
	const seconds = await secondsUntilStart(trx, sender.id, most)
	if (seconds !== null)
		throw new TooMany(`You may start ${most} conversations a day for now. Those you have go on as ever.`, seconds)
	await startConversation(trx, sender.id, peerId)
	const id = await lockConversationOf(trx, sender.id, peerId)
	if (id === undefined) throw new Error('A conversation was begun and is not there.')
	return id
}
