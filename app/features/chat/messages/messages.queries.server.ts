import { type RawBuilder, sql } from 'kysely'
import type { ChatPicture } from '~/features/chat-pictures/chat-pictures.view.ts'
import { type MessageAttempt, pairUserIds } from '~/features/conversations/conversations.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { statement, type Value } from '~/platform/db/statement.server.ts'
import { byPosition } from '~/platform/db/transaction.server.ts'

/** A stored message. */
export interface MessageRow {
	id: number
	conversation_id: number
	sender_id: number
	/** The other member; null when they may never see it. */
	recipient_id: number | null
	client_id: string
	body: string
	html: string
	/** The text that the recipient still sees; null when it is the body. */
	recipient_body: string | null
	recipient_html: string | null
	pictures: ChatPicture[] | null
	sent_at: Date
	edited_at: Date | null
	deleted_at: Date | null
	version: number
}

const columns = sql`m.id, m.conversation_id, m.sender_id, m.recipient_id, m.client_id, m.body, m.html, m.recipient_body, m.recipient_html,
	m.pictures, m.sent_at, m.edited_at, m.deleted_at, m.version`

/** The condition of every read: only the sender and the recipient see a message. */
const visibleTo = (userId: RawBuilder<unknown> | number) => sql`(m.sender_id = ${userId} or m.recipient_id = ${userId})`

/** Messages, and the conversation version in the same snapshot. */
export interface Snapshot {
	rows: MessageRow[]
	version: number
}

/** The newest messages that a member sees, or the newest before one of them, newest first. */
export function listMessages(
	conversationId: number,
	userId: number,
	{ before, limit }: { before: number | null; limit: number },
): Promise<Snapshot> {
	return snapshot(
		conversationId,
		sql`select ${columns} from messages m where m.conversation_id = ${conversationId} and ${visibleTo(userId)}
			${before === null ? sql`` : sql`and m.id < ${before}`} order by m.id desc limit ${limit}`,
		sql`m.id desc`,
	)
}

/** The first messages that a member sees after one of them, oldest first. */
export function listNewerMessages(
	conversationId: number,
	userId: number,
	{ after, limit }: { after: number; limit: number },
): Promise<Snapshot> {
	return snapshot(
		conversationId,
		sql`select ${columns} from messages m where m.conversation_id = ${conversationId} and ${visibleTo(userId)}
			and m.id > ${after} order by m.id limit ${limit}`,
		sql`m.id`,
	)
}

/** A message with `each` visible ones on either side, oldest first. Reads two ranges of one index, at any age. */
export function listMessagesAround(
	conversationId: number,
	userId: number,
	{ id, each }: { id: number; each: number },
): Promise<Snapshot> {
	const side = (where: RawBuilder<unknown>, order: RawBuilder<unknown>, limit: number) =>
		sql`(select ${columns} from messages m where m.conversation_id = ${conversationId} and ${visibleTo(userId)}
			and ${where} order by ${order} limit ${limit})`
	return snapshot(
		conversationId,
		sql`${side(sql`m.id <= ${id}`, sql`m.id desc`, each + 1)} union all ${side(sql`m.id > ${id}`, sql`m.id`, each)}`,
		sql`m.id`,
	)
}

/** A member's request for the changes of a conversation. */
interface Missed {
	conversationId: number
	userId: number
	/** The version that they have. */
	since: number
}

/**
 * Messages added, edited or deleted after a version, in the order of changes; each once, in its current state.
 * @param limit of messages for each
 * @returns for each request what its member may see, in the order of the requests
 */
export async function listChanges(trx: Executor, missed: readonly Missed[], limit: number): Promise<Snapshot[]> {
	const all = (read: (one: Missed) => number) => missed.map(read)
	const { rows } = await sql<MessageRow & { place: number; now: number }>`
		select missed.place::int, c.version as now, ${columns}
		from unnest(${all(({ conversationId }) => conversationId)}::int[], ${all(({ userId }) => userId)}::int[],
			${all(({ since }) => since)}::int[]) with ordinality as missed (conversation_id, user_id, since, place)
		cross join lateral (select version from conversations where id = missed.conversation_id limit 1) c
		left join lateral (
			select * from messages m where m.conversation_id = missed.conversation_id and ${visibleTo(sql.ref('missed.user_id'))}
				and m.version > missed.since order by m.version limit ${limit}) m on true
		order by missed.place, m.version`.execute(trx)
	const found = Map.groupBy(rows, ({ place }) => place)
	return missed.map((_, index) => snapshotOf(found.get(index + 1) ?? []))
}

async function snapshot(
	conversationId: number,
	messages: RawBuilder<unknown>,
	order: RawBuilder<unknown>,
): Promise<Snapshot> {
	const { rows } = await sql<MessageRow & { now: number }>`
		select c.version as now, ${columns} from conversations c left join lateral (${messages}) m on true
		where c.id = ${conversationId} order by ${order}`.execute(db())
	return snapshotOf(rows)
}

/** @param rows of one conversation; a row with null ids where there is no message */
function snapshotOf(rows: (MessageRow & { now: number })[]): Snapshot {
	return { rows: rows.filter(({ id }) => id !== null), version: rows[0]?.now ?? 0 }
}

const readSent = statement(
	(senderIds: Value<number[]>, clientIds: Value<string[]>) => sql<MessageRow & { place: number }>`
		select named.place::int, ${columns}
		from unnest(${senderIds}::int[], ${clientIds}::uuid[]) with ordinality as named (sender_id, client_id, place)
		cross join lateral (
			select * from messages where sender_id = named.sender_id and client_id = named.client_id limit 1) m`,
)

/** Messages that these members already sent with these ids, in their order. */
export async function listSent(trx: Executor, named: readonly MessageAttempt[]): Promise<(MessageRow | undefined)[]> {
	const clientIds = named.map(({ clientId }) => clientId)
	return byPosition(named, await readSent(trx, pairUserIds(named), clientIds))
}

interface NewMessage {
	conversationId: number
	senderId: number
	peerId: number
	/** The peer had blocked the sender, and never sees it. */
	unseen: boolean
	clientId: string
	body: string
	html: string
	pictures: ChatPicture[]
}

// Rows to update are found by id: for a join with the input, PostgreSQL might scan a small table.
const insertRows = statement(
	(
		conversationIds: Value<number[]>,
		senderIds: Value<number[]>,
		recipientIds: Value<(number | null)[]>,
		clientIds: Value<string[]>,
		bodies: Value<string[]>,
		htmls: Value<string[]>,
		pictures: Value<(string | null)[]>,
	) => sql<MessageRow>`
		with given as (
			select * from unnest(${conversationIds}::int[], ${senderIds}::int[], ${recipientIds}::int[], ${clientIds}::uuid[],
				${bodies}::text[], ${htmls}::text[], ${pictures}::text[]) with ordinality
				as given (conversation_id, sender_id, recipient_id, client_id, body, html, pictures, place)),
		raised as (
			update conversations set version = version + 1 where id = any(${conversationIds}::int[]) returning id, version),
		added as (
			insert into messages as m (conversation_id, sender_id, recipient_id, client_id, body, html, pictures, version)
			select conversation_id, sender_id, recipient_id, client_id, body, html, pictures::jsonb, raised.version
			from given join raised on raised.id = given.conversation_id order by place
			returning ${columns}),
		counted as (
			update conversation_members side set last_message_id = added.id,
				pending = side.pending and side.user_id <> added.sender_id,
				unread = side.unread + (side.user_id <> added.sender_id)::int
			from added
			where side.conversation_id = any(${conversationIds}::int[]) and side.conversation_id = added.conversation_id
				and side.user_id in (added.sender_id, added.recipient_id))
		select * from added`,
)

/**
 * Adds one message to each of several locked conversations, and updates their members' counters; writing answers a request.
 * @param messages at most one per conversation
 * @returns the rows by conversation
 */
export async function insertMessages(trx: Executor, messages: readonly NewMessage[]): Promise<Map<number, MessageRow>> {
	const all = <Read>(read: (message: NewMessage) => Read) => messages.map(read)
	const rows = await insertRows(
		trx,
		all(({ conversationId }) => conversationId),
		all(({ senderId }) => senderId),
		all(({ unseen, peerId }) => (unseen ? null : peerId)),
		all(({ clientId }) => clientId),
		all(({ body }) => body),
		all(({ html }) => html),
		all(({ pictures }) => (pictures.length > 0 ? JSON.stringify(pictures) : null)),
	)
	if (rows.length !== messages.length) throw new Error('A message was added to a conversation that is gone.')
	return new Map(rows.map((row) => [row.conversation_id, row]))
}

/** A message that this member sent. */
export async function findOwnMessage(
	senderId: number,
	id: number,
	executor: Executor = db(),
): Promise<MessageRow | undefined> {
	const { rows } = await sql<MessageRow>`
		select ${columns} from messages m where m.id = ${id} and m.sender_id = ${senderId}`.execute(executor)
	return rows[0]
}

/**
 * Changes the text of a message in a locked conversation.
 * @param quietly the recipient still sees the earlier text
 */
export async function updateMessage(
	trx: Executor,
	{ id, conversation_id }: MessageRow,
	{ body, html, quietly }: { body: string; html: string; quietly: boolean },
): Promise<MessageRow> {
	const original = quietly
		? sql`coalesce(recipient_body, body), recipient_html = coalesce(recipient_html, html)`
		: sql`null, recipient_html = null`
	return changed(
		trx,
		conversation_id,
		sql`update messages as m set body = ${body}, html = ${html}, recipient_body = ${original}, edited_at = clock_timestamp(),
			version = raised.version from raised where m.id = ${id} returning ${columns}`,
	)
}

/** Deletes text and pictures of a message in a locked conversation, and marks it as read; a placeholder stays. */
export async function eraseMessage(
	trx: Executor,
	{ id, conversation_id, recipient_id }: MessageRow,
): Promise<MessageRow> {
	await sql`update conversation_members set unread = unread - 1
		where conversation_id = ${conversation_id} and user_id = ${recipient_id} and read_id < ${id}`.execute(trx)
	return changed(
		trx,
		conversation_id,
		sql`update messages as m set body = '', html = '', recipient_body = null, recipient_html = null, pictures = null,
			deleted_at = clock_timestamp(),
			version = raised.version from raised where m.id = ${id} returning ${columns}`,
	)
}

async function changed(trx: Executor, conversationId: number, change: RawBuilder<unknown>): Promise<MessageRow> {
	const { rows } = await sql<MessageRow>`
		with raised as (update conversations set version = version + 1 where id = ${conversationId} returning version),
		done as (${change}) select * from done`.execute(trx)
	if (!rows[0]) throw new Error('A message that was locked is gone.')
	return rows[0]
}
