import { listPairStates, type Pair, type PairStateRow } from '~/features/conversations/conversations.queries.server.ts'
import {
	getStranger,
	NO_SUCH_MEMBER,
	presentState,
	requireConversation,
	requirePairState,
	usernamesById,
} from '~/features/conversations/conversations.server.ts'
import { presentPeer, presentReceipts } from '~/features/conversations/conversations.view.ts'
import { storeReceipt } from '~/features/conversations/receipts.server.ts'
import { listSharedSkills } from '~/features/members/skills.server.ts'
import { batchCalls } from '~/lib/batch-calls.ts'
import { isId, isUsername } from '~/lib/checks.ts'
import { Invalid, NotFound } from '~/lib/errors.ts'
import { requireSignedIn, type Viewer } from '~/lib/viewer.ts'
import { pipelinedTransaction } from '~/platform/db/transaction.server.ts'
import {
	type ChatMessage,
	type ConversationPage,
	chatLimits,
	type MessageWindow,
	presentMessage,
	presentPage,
} from '../chat.view.ts'
import type { ConversationChanges } from '../client/message-history.ts'
import { announceReliably, announceSeen } from './announcing.server.ts'
import {
	listChanges,
	listMessages,
	listMessagesAround,
	listNewerMessages,
	type MessageRow,
	type Snapshot,
} from './messages.queries.server.ts'

const nothing = { rows: [], version: 0 }

/**
 * Opens a conversation, even one without messages. Two statements, three while it is empty, four while it is a request. @throws
 * NotFound, NotAllowed
 */
export async function openConversation(viewer: Viewer, username: unknown): Promise<ConversationPage> {
	const reader = requireSignedIn(viewer)
	const row = await requirePairState(reader, username)
	const { rows, version } =
		row.id === null ? nothing : await listMessages(row.id, reader.id, { before: null, limit: chatLimits.page + 1 })
	const state = presentState(row)
	const isStranger = state.kind === 'request'
	const [common, stranger] = await Promise.all([
		rows.length === 0 || isStranger ? listSharedSkills(reader.id, row.peer_id) : [],
		isStranger ? getStranger(row.peer_id) : null,
	])
	return {
		...presentPage(rows, reader.id, usernamesById(reader, row)),
		peer: presentPeer(row),
		state,
		version,
		receipts: presentReceipts(row),
		readId: row.read_id,
		common,
		stranger,
	}
}

/** The page of messages before one of them. @throws NotFound, NotAllowed, Invalid */
export async function listOlderMessages(
	viewer: Viewer,
	username: unknown,
	before: unknown,
): Promise<Pick<ConversationPage, 'messages' | 'older'>> {
	const reader = requireSignedIn(viewer)
	if (!isId(before)) throw new Invalid('This page of the conversation cannot be found.')
	const row = await requirePairState(reader, username)
	const { rows } =
		row.id === null ? nothing : await listMessages(row.id, reader.id, { before, limit: chatLimits.page + 1 })
	return presentPage(rows, reader.id, usernamesById(reader, row))
}

/**
 * All changes after a version, in order, and the current state between the two. Ask again with the returned version until it is
 * complete.
 * @throws NotFound, NotAllowed, Invalid
 */
export async function listChangesSince(
	viewer: Viewer,
	username: unknown,
	since: unknown,
): Promise<Required<ConversationChanges>> {
	const reader = requireSignedIn(viewer)
	if (since !== 0 && !isId(since)) throw new Invalid('There is no such version of the conversation.')
	const found = isUsername(username) ? await findMissed({ userId: reader.id, username, since }) : undefined
	if (!found) throw new NotFound(NO_SUCH_MEMBER)
	const { row, rows, version } = found
	const complete = rows.length <= chatLimits.changes
	const shown = rows.slice(0, chatLimits.changes)
	const names = usernamesById(reader, row)
	return {
		messages: shown.map((one) => presentMessage(one, reader.id, names)),
		version: complete ? version : (shown.at(-1)?.version ?? version),
		complete,
		receipts: presentReceipts(row),
		state: presentState(row),
		peer: row.username,
	}
}

/** Requests per batch: parsing 200 changes for each blocks the event loop for some 50 ms. */
const MAX_CATCHING_UP = 50

interface Missing extends Pair {
	since: number
}

/** Undefined for an unknown username and for the member's own. */
type Missed = (Snapshot & { row: PairStateRow }) | undefined

/** Requests of many tabs that reconnect at the same time share two statements. */
const findMissed = batchCalls<Missing, Missed>(
	(asked) =>
		pipelinedTransaction(async (trx, last) => {
			const states = await listPairStates(trx, asked)
			const begun = asked.flatMap(({ userId, since }, index) => {
				const conversationId = states[index]?.id
				return conversationId ? [{ index, conversationId, userId, since }] : []
			})
			const changes = begun.length > 0 ? await last(listChanges(trx, begun, chatLimits.changes + 1)) : []
			const snapshots = new Map(begun.map(({ index }, place) => [index, changes[place]]))
			return states.map((row, index) => row && { row, ...(snapshots.get(index) ?? nothing) })
		}),
	MAX_CATCHING_UP,
)

interface Seen {
	/** Username of the peer. */
	with: unknown
	/** Id of the last message. */
	upTo: unknown
	/** False: it was delivered to the device; true: the member has read it. */
	read: unknown
}

/** Records that everything up to a message was delivered or read. An event without a conversation is ignored. */
export async function markSeen(viewer: Viewer, { with: username, upTo, read }: Seen): Promise<void> {
	const reader = requireSignedIn(viewer)
	if (!isUsername(username) || !isId(upTo) || typeof read !== 'boolean') return
	const { peer, seen, counted } = await storeReceipt({ userId: reader.id, username, upTo, read })
	if (peer && seen?.further) await announceReliably(() => announceSeen(reader, peer, seen, counted))
}

/** A position in a conversation: at a message, or before or after one. */
export type MessagePosition = { around: unknown } | { before: unknown } | { after: unknown }

interface Rows {
	rows: MessageRow[]
	older: boolean
	newer: boolean
}

/**
 * Messages at a position of a conversation, of any age: two statements.
 * @param limit of messages; `around` shows half of it on either side
 * @throws NotFound also for the position of a message that the viewer does not see, NotAllowed, Invalid
 */
export async function listMessagesAt(
	viewer: Viewer,
	username: unknown,
	position: MessagePosition,
	limit: number = chatLimits.page,
): Promise<MessageWindow> {
	const reader = requireSignedIn(viewer)
	const [id] = Object.values(position)
	if (!isId(id)) throw new Invalid('This page of the conversation cannot be found.')
	const row = await requireConversation(reader, username)
	const { rows, older, newer } = await ('around' in position
		? around(row.id, reader.id, id, limit)
		: beside(row.id, reader.id, { id, limit, before: 'before' in position }))
	const names = usernamesById(reader, row)
	return { messages: rows.map((one) => presentMessage(one, reader.id, names)), older, newer }
}

/** One message. @throws NotFound also for one that the viewer does not see, NotAllowed */
export async function getMessage(viewer: Viewer, username: unknown, id: unknown): Promise<ChatMessage> {
	const { messages } = await listMessagesAt(viewer, username, { around: id }, 1)
	const found = messages.find((message) => message.id === id)
	if (!found) throw gone()
	return found
}

async function around(conversationId: number, userId: number, id: number, limit: number): Promise<Rows> {
	const each = Math.ceil(limit / 2)
	const { rows } = await listMessagesAround(conversationId, userId, { id, each: each + 1 })
	const at = rows.findIndex((row) => row.id === id)
	if (at === -1) throw gone()
	const end = at + each + 1
	return { rows: rows.slice(Math.max(0, at - each), end), older: at > each, newer: rows.length > end }
}

/** The messages on one side of a position; the named message itself proves that there is something on its own side. */
async function beside(
	conversationId: number,
	userId: number,
	{ id, limit, before }: { id: number; limit: number; before: boolean },
): Promise<Rows> {
	const { rows } = before
		? await listMessages(conversationId, userId, { before: id, limit: limit + 1 })
		: await listNewerMessages(conversationId, userId, { after: id, limit: limit + 1 })
	const shown = rows.slice(0, limit)
	const more = rows.length > limit
	return before ? { rows: shown.reverse(), older: more, newer: true } : { rows: shown, older: true, newer: more }
}

const gone = () => new NotFound('There is no such message here. It may have been in another conversation.')
