import { type RawBuilder, sql } from 'kysely'
import type { ChatPicture } from '~/features/chat-pictures/chat-pictures.view.ts'
import type { ReportedMessageRow } from '~/features/moderation/cases.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { isPast } from '~/platform/db/recent.server.ts'

/** A message as it is stored. */
export interface MessageRow {
	id: number
	conversation_id: number
	sender_id: number
	/** The other member; null when they never see it. */
	recipient_id: number | null
	client_id: string
	body: string
	html: string
	/** What the recipient goes on seeing; null when that is the body. */
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

/** Every reading statement holds this: nobody but the sender, and the one whom it was delivered to. */
const visibleTo = (userId: number) => sql`(m.sender_id = ${userId} or m.recipient_id = ${userId})`

/** Messages, and the version of the conversation at the same moment. */
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
export function listNewer(
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

/** A message with so many that a member sees on either side of it, oldest first. Two ranges of one index, at any age. */
export function listAround(
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

/** What was added, edited or deleted after a version, in the order of the changes; each message once, as it is now. */
export function listChanges(
	conversationId: number,
	userId: number,
	{ since, limit }: { since: number; limit: number },
): Promise<Snapshot> {
	return snapshot(
		conversationId,
		sql`select ${columns} from messages m where m.conversation_id = ${conversationId} and ${visibleTo(userId)}
			and m.version > ${since} order by m.version limit ${limit}`,
		sql`m.version`,
	)
}

async function snapshot(
	conversationId: number,
	messages: RawBuilder<unknown>,
	order: RawBuilder<unknown>,
): Promise<Snapshot> {
	const { rows } = await sql<MessageRow & { now: number }>`
		select c.version as now, ${columns} from conversations c left join lateral (${messages}) m on true
		where c.id = ${conversationId} order by ${order}`.execute(db())
	return { rows: rows.filter(({ id }) => id !== null), version: rows[0]?.now ?? 0 }
}

/** A message that this member sent before under the same id. */
export async function findSent(trx: Executor, senderId: number, clientId: string): Promise<MessageRow | undefined> {
	const { rows } = await sql<MessageRow>`
		select ${columns} from messages m where m.sender_id = ${senderId} and m.client_id = ${clientId}`.execute(trx)
	return rows[0]
}

/** Seconds until a member may send again who may send `messages` in `seconds`; null when they may now. */
export async function secondsUntilSend(
	trx: Executor,
	senderId: number,
	{ messages, seconds }: { messages: number; seconds: number },
): Promise<number | null> {
	const { rows } = await sql<{ left: number }>`
		select extract(epoch from sent_at + make_interval(secs => ${seconds}) - clock_timestamp())::float8 as left
		from messages where sender_id = ${senderId} and ${isPast('sent_at')} order by id desc limit 1 offset ${messages - 1}`.execute(
		trx,
	)
	const left = rows[0]?.left ?? 0
	return left > 0 ? left : null
}

interface NewMessage {
	conversationId: number
	senderId: number
	peerId: number
	/** The peer had blocked the sender: they never see it. */
	unseen: boolean
	clientId: string
	body: string
	html: string
	pictures: ChatPicture[]
}

/** Adds a message to a conversation that is locked, with both members' counters; writing answers a request. */
export async function insertMessage(trx: Executor, message: NewMessage): Promise<MessageRow> {
	const { conversationId, senderId, peerId, unseen, clientId, body, html, pictures } = message
	const shown = pictures.length > 0 ? JSON.stringify(pictures) : null
	const { rows } = await sql<MessageRow>`
		with raised as (update conversations set version = version + 1 where id = ${conversationId} returning version),
		added as (
			insert into messages as m (conversation_id, sender_id, recipient_id, client_id, body, html, pictures, version)
			select ${conversationId}, ${senderId}, ${unseen ? null : peerId}::int, ${clientId}::uuid, ${body}, ${html},
				${shown}::jsonb, version from raised
			returning ${columns}),
		mine as (
			update conversation_members set last_message_id = added.id, pending = false from added
			where conversation_members.conversation_id = ${conversationId} and user_id = ${senderId}),
		theirs as (
			update conversation_members set last_message_id = added.id, unread = unread + 1 from added
			where conversation_members.conversation_id = ${conversationId} and user_id = added.recipient_id)
		select * from added`.execute(trx)
	if (!rows[0]) throw new Error('A message was added to a conversation that is gone.')
	return rows[0]
}

/** A message that this member sent, wherever it stands. */
export async function findOwn(
	senderId: number,
	id: number,
	executor: Executor = db(),
): Promise<MessageRow | undefined> {
	const { rows } = await sql<MessageRow>`
		select ${columns} from messages m where m.id = ${id} and m.sender_id = ${senderId}`.execute(executor)
	return rows[0]
}

/**
 * Changes the text of a message in a conversation that is locked.
 * @param quietly the recipient goes on seeing what they saw
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

/** Takes text and pictures out of a message in a conversation that is locked, and it is unread no longer; a trace stays. */
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

export interface SeenRow {
	delivered_id: number
	read_id: number
	unread: number
	/** Whether anything is different from before. */
	further: boolean
	read_further: boolean
}

/**
 * Notes how far a member's device got, and how far they read: never back, and no further than what they were sent.
 * The conversation is locked, so that the count fits.
 */
export async function writeSeen(
	trx: Executor,
	{ conversationId, userId, upTo, read }: { conversationId: number; userId: number; upTo: number; read: boolean },
): Promise<SeenRow | undefined> {
	const { rows } = await sql<SeenRow>`
		with reached as (
			select before.delivered_id as delivered_before, before.read_id as read_before,
				greatest(before.delivered_id, got.id) as delivered_id,
				case when ${read}::boolean then greatest(before.read_id, got.id) else before.read_id end as read_id
			from conversation_members before, lateral (
				select coalesce(max(m.id), 0) as id from messages m
				where m.conversation_id = ${conversationId} and m.recipient_id = ${userId} and m.id <= ${upTo}
					and m.id > before.read_id) got
			where before.conversation_id = ${conversationId} and before.user_id = ${userId})
		update conversation_members set delivered_id = reached.delivered_id, read_id = reached.read_id,
			unread = case when reached.read_id = reached.read_before then conversation_members.unread else (
				select count(*)::int from messages m where m.conversation_id = ${conversationId} and m.id > reached.read_id
					and m.recipient_id = ${userId} and m.deleted_at is null) end
		from reached where conversation_id = ${conversationId} and user_id = ${userId}
		returning conversation_members.delivered_id, conversation_members.read_id, conversation_members.unread,
			reached.delivered_id > reached.delivered_before or reached.read_id > reached.read_before as further,
			reached.read_id > reached.read_before as read_further`.execute(trx)
	return rows[0]
}

/** A message that this member received and can still read, with at most `context` before it, ascending; [] for none. */
export async function readExtract(
	trx: Executor,
	{ conversationId, userId, id, context }: { conversationId: number; userId: number; id: number; context: number },
): Promise<(ReportedMessageRow & { id: number })[]> {
	const { rows } = await sql<ReportedMessageRow & { id: number }>`
		select m.id, users.username as sender,
			case when m.sender_id = ${userId} then m.body else coalesce(m.recipient_body, m.body) end as body,
			to_char(m.sent_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "sentAt", m.pictures
		from messages m join users on users.id = m.sender_id
		where m.conversation_id = ${conversationId} and m.id <= ${id} and m.deleted_at is null
			and (m.recipient_id = ${userId} or m.sender_id = ${userId} and m.id < ${id})
		order by m.id desc limit ${context + 1}`.execute(trx)
	if (rows[0]?.id !== id) return []
	return rows.reverse()
}
