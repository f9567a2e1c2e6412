import { type RawBuilder, sql } from 'kysely'
import { isBlocking } from '~/features/members/blocks.queries.server.ts'
import { batchCalls } from '~/lib/batch-calls.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { statement, type Value } from '~/platform/db/statement.server.ts'
import { isPast, isRecent, statementTime } from '~/platform/db/times.server.ts'
import { byPosition } from '~/platform/db/transaction.server.ts'
import { isConnected } from '~/platform/realtime/presence.queries.server.ts'
import { MAX_UNANSWERED } from './conversations.policy.ts'

/** The columns that lists show of the peer, for statements that call it `p` and its profile `pp`. */
export const peerColumns = (userId: number) => sql`p.id as peer_id, p.username, p.name, p.image,
	exists (select from connections where connections.user_id = p.id and ${isConnected})
		and not ${isBlocking(sql.ref('p.id'), userId)} as online,
	case when coalesce(pp.show_presence, true) and not ${isBlocking(sql.ref('p.id'), userId)} then pp.last_seen_at end as last_seen_at`

export interface PeerRow {
	peer_id: number
	username: string
	name: string
	image: string | null
	online: boolean
	last_seen_at: Date | null
}

/** The state between two members, with or without a conversation: it decides whether they may write. */
export interface PairStateRow {
	peer_id: number
	username: string
	name: string
	imported: boolean
	/** Id of the conversation; null while nobody has written. */
	id: number | null
	pending: boolean
	last_message_id: number | null
	muted: boolean
	read_id: number
	peer_pending: boolean
	/** How far the peer has read, and how far messages were delivered to them. */
	peer_read_id: number
	peer_delivered_id: number
	unanswered: number
	blocked_by_me: boolean
	blocked_me: boolean
	accepts: 'members' | 'verified' | 'nobody'
	verified: boolean
}

/** A conversation, existing or possible, as one of its members sees it. */
export type ConversationRow = PeerRow & PairStateRow

type UserId = RawBuilder<unknown> | number

/** An SQL condition: a member hides when they are online. */
export const hidesPresence = (userId: UserId) =>
	sql`exists (select from profiles where profiles.user_id = ${userId} and not show_presence)`

/** Finds former usernames as well: a tab that was open during a rename still sends the old one. */
const idByName = (username: RawBuilder<unknown> | string) =>
	sql`(select user_id from usernames where usernames.username = ${username})`

/** The columns of {@link PairStateRow}, for statements with {@link pairStateJoins}. */
const pairStateColumns = (userId: UserId) => sql`p.id as peer_id, p.username, p.name, p.imported, c.id,
	coalesce(mine.pending, false) as pending, mine.last_message_id, coalesce(mine.muted, false) as muted,
	coalesce(mine.read_id, 0) as read_id, coalesce(theirs.pending, false) as peer_pending,
	coalesce(theirs.read_id, 0) as peer_read_id, coalesce(theirs.delivered_id, 0) as peer_delivered_id,
	case when theirs.pending then (select count(*)::int from (
		select from messages where conversation_id = c.id and sender_id = ${userId} limit ${MAX_UNANSWERED}) first)
		else 0 end as unanswered,
	${isBlocking(userId, sql.ref('p.id'))} as blocked_by_me, ${isBlocking(sql.ref('p.id'), userId)} as blocked_me,
	coalesce(s.accepts, 'members') as accepts,
	exists (select from profiles where user_id = ${userId} and campus_verified_at > now() - interval '365 days') as verified`

/** The conversation `c` of `p` and a member. A lateral index lookup, as a join may scan a small table. */
export const conversationJoin = (kind: 'left' | 'inner', userId: UserId) => sql`${sql.raw(kind)} join lateral (
	select id from conversations where lower_id = least(p.id, ${userId}) and higher_id = greatest(p.id, ${userId}) limit 1) c on true`

/** Lateral index lookups, even where the planner expects small tables: there are few rows for each of a few pairs. */
const pairStateJoins = (userId: UserId) => sql`
	left join lateral (select accepts from chat_settings where user_id = p.id limit 1) s on true
	${conversationJoin('left', userId)}
	left join lateral (select * from conversation_members where conversation_id = c.id and user_id = ${userId} limit 1) mine on true
	left join lateral (select * from conversation_members where conversation_id = c.id and user_id = p.id limit 1) theirs on true`

/** The state between a member and the peer with this username; undefined for an unknown one, for oneself and for a pseudonym. */
export async function findConversation(
	userId: number,
	username: string,
	executor: Executor = db(),
): Promise<ConversationRow | undefined> {
	const { rows } = await sql<ConversationRow>`
		select ${peerColumns(userId)}, ${pairStateColumns(userId)}
		from users p left join shown_profiles pp on pp.user_id = p.id ${pairStateJoins(userId)}
		where p.id = ${idByName(username)} and p.id <> ${userId} and p.pseudonym_of is null`.execute(executor)
	return rows[0]
}

export interface Pair {
	userId: number
	username: string
}

/** The pairs, with the peer as `p`. One index lookup each, however few members the planner expects. */
export const pairs = (userIds: Value<number[]>, usernames: Value<string[]>) =>
	sql`unnest(${userIds}::int[], ${usernames}::text[]) with ordinality as pair (user_id, username, place)
		cross join lateral (
			select id, username, name, imported from users
			where id = ${idByName(sql.ref('pair.username'))} and id <> pair.user_id and pseudonym_of is null limit 1) p`

/** The values of {@link pairs}. */
export const pairUserIds = (of: readonly Pair[]) => of.map(({ userId }) => userId)
export const pairUsernames = (of: readonly Pair[]) => of.map(({ username }) => username)

const readPairStates = statement(
	(userIds: Value<number[]>, usernames: Value<string[]>) => sql<PairStateRow & { place: number }>`
		select pair.place::int, ${pairStateColumns(sql.ref('pair.user_id'))}
		from ${pairs(userIds, usernames)} ${pairStateJoins(sql.ref('pair.user_id'))}`,
)

/** The state of each of these pairs, in their order; undefined for unknown peers and for oneself. */
export async function listPairStates(executor: Executor, of: readonly Pair[]): Promise<(PairStateRow | undefined)[]> {
	return byPosition(of, await readPairStates(executor, pairUserIds(of), pairUsernames(of)))
}

/** A message that a member is sending to their peer. */
export interface MessageAttempt extends Pair {
	clientId: string
}

const clientIdsOf = (of: readonly MessageAttempt[]) => of.map(({ clientId }) => clientId)

/** What decides whether a message may be stored, besides its author. */
export interface SendingRow extends PairStateRow {
	/** Whether its sender already sent one with its id. */
	was_sent: boolean
	/** Seconds until its sender may send again, negative if they may now; null if they sent few. */
	wait: number | null
}

const readSending = statement(
	(
		userIds: Value<number[]>,
		usernames: Value<string[]>,
		clientIds: Value<string[]>,
		seconds: Value<number>,
		others: Value<number>,
	) => sql<SendingRow & { place: number }>`
		select pair.place::int, ${pairStateColumns(sql.ref('pair.user_id'))}, sent.id is not null as was_sent, earlier.wait
		from ${pairs(userIds, usernames)} ${pairStateJoins(sql.ref('pair.user_id'))}
		left join lateral (select id from messages
			where sender_id = pair.user_id and client_id = (${clientIds}::uuid[])[pair.place] limit 1) sent on true
		left join lateral (
			select extract(epoch from sent_at + make_interval(secs => ${seconds}) - clock_timestamp())::float8 as wait from messages
			where sender_id = pair.user_id and ${isPast('sent_at')} order by id desc limit 1 offset ${others}) earlier on true`,
)

/** Reads what decides about each of these messages, in their order; undefined for unknown peers and for oneself. */
export async function listSending(
	trx: Executor,
	of: readonly MessageAttempt[],
	{ messages, seconds }: { messages: number; seconds: number },
): Promise<(SendingRow | undefined)[]> {
	return byPosition(
		of,
		await readSending(trx, pairUserIds(of), pairUsernames(of), clientIdsOf(of), seconds, messages - 1),
	)
}

/** Seconds until a member may start another conversation, with a limit of `most` in 24 hours; null if they may now. */
export async function secondsUntilStart(trx: Executor, userId: number, most: number): Promise<number | null> {
	const { rows } = await sql<{ seconds: number }>`
		select extract(epoch from created_at + interval '24 hours' - now())::float8 as seconds from conversations
		where started_by = ${userId} and ${isRecent('created_at', '24 hours')}
		order by created_at desc limit 1 offset ${most - 1}`.execute(trx)
	return rows[0]?.seconds ?? null
}

/** Creates the conversation of two members, unless the peer has just done so. Its first message is a request. */
export async function startConversation(trx: Executor, userId: number, peerId: number): Promise<void> {
	await sql`
		with started as (
			insert into conversations (lower_id, higher_id, started_by)
			values (${Math.min(userId, peerId)}, ${Math.max(userId, peerId)}, ${userId})
			on conflict do nothing returning id)
		insert into conversation_members (conversation_id, user_id, pending)
		select id, member, member = ${peerId} from started, unnest(array[${userId}, ${peerId}]::int[]) as member`.execute(
		trx,
	)
}

/** Locks a conversation. Every change takes this lock first; a transaction that locks several does so in the order of their ids. */
export async function lockConversation(trx: Executor, id: number): Promise<void> {
	await sql`select from conversations where id = ${id} for no key update`.execute(trx)
}

/** Whether to skip rows that are locked by others instead of waiting. */
export interface LockOptions {
	skipLocked: boolean
}

/** Locks conversations `c` of `from` in the order of their ids. */
export const conversationLocks = (from: RawBuilder<unknown>, skipLocked: boolean) => sql<{ place: number; id: number }>`
	select found.place::int, found.id from (select pair.place, c.id from ${from} order by c.id) found
	cross join lateral (
		select from conversations where id = found.id for no key update ${skipLocked ? sql`skip locked` : sql``}) locked`

const pairLocks = (skipLocked: boolean) =>
	statement((userIds: Value<number[]>, usernames: Value<string[]>) =>
		conversationLocks(
			sql`${pairs(userIds, usernames)} ${conversationJoin('inner', sql.ref('pair.user_id'))}`,
			skipLocked,
		),
	)
const [lockPairs, lockUnlockedPairs] = [pairLocks(false), pairLocks(true)]

/**
 * Locks the conversations of these pairs in the order of their ids.
 * @returns the ids in the order of the pairs; undefined for those missing or skipped
 */
export async function lockConversationsWith(
	trx: Executor,
	of: readonly Pair[],
	{ skipLocked }: LockOptions,
): Promise<(number | undefined)[]> {
	const lock = skipLocked ? lockUnlockedPairs : lockPairs
	return byPosition(of, await lock(trx, pairUserIds(of), pairUsernames(of))).map((row) => row?.id)
}

/** How many of a member's conversations have unread messages. */
export interface UnreadConversations {
	conversations: number
	/** When they were counted, in milliseconds of the database's clock. */
	countedAt: number
}

/** The unread counts of a member of a conversation. */
export interface UnreadRow extends UnreadConversations {
	user_id: number
	/** Unread messages in this conversation. */
	unread: number
}

/** Whether a row `m` of conversation_members counts as unread: muted conversations, requests, and those with blocked members do not. */
const counts = sql`m.unread > 0 and not m.muted and not m.pending and not exists (
	select from conversations c join blocks b on b.blocker_id = m.user_id and b.blocked_id in (c.lower_id, c.higher_id)
	where c.id = m.conversation_id)`

/** An SQL expression: the number of a member's conversations with unread messages. @param userId a column */
export function conversationsWithUnread(userId: RawBuilder<number>): RawBuilder<number> {
	return sql<number>`(select count(*)::int from conversation_members m where m.user_id = ${userId} and ${counts})`
}

/** In a subselect, so that PostgreSQL keeps its plan, as with `idArray`. */
const ids = (given: Value<number[]>) => sql`(select ${given}::int[])::int[]`

const readUnread = statement(
	(conversationIds: Value<number[]>) => sql<UnreadRow & { conversation_id: number }>`
		select side.conversation_id, side.user_id, side.unread,
			${conversationsWithUnread(sql.ref('side.user_id'))} as conversations, ${statementTime} as "countedAt"
		from conversation_members side where side.conversation_id = any(${ids(conversationIds)})`,
)

/** The unread counts of each member of these conversations, by conversation. */
export async function listUnread(executor: Executor, conversationIds: number[]): Promise<Map<number, UnreadRow[]>> {
	return Map.groupBy(await readUnread(executor, conversationIds), (row) => row.conversation_id)
}

/** The unread counts of each member of a conversation. */
export const countUnreadOf = batchCalls(async (conversationIds: number[]): Promise<UnreadRow[][]> => {
	const found = await listUnread(db(), conversationIds)
	return conversationIds.map((id) => found.get(id) ?? [])
})

const readConversationsWithUnread = statement(
	(userIds: Value<number[]>) => sql<UnreadConversations>`
		select ${conversationsWithUnread(sql.ref('member.id'))} as conversations, ${statementTime} as "countedAt"
		from unnest(${ids(userIds)}) with ordinality member (id, place) order by place`,
)

/** The number of each of these members' conversations with unread messages, in their order. */
export function listConversationsWithUnread(executor: Executor, userIds: number[]): Promise<UnreadConversations[]> {
	return readConversationsWithUnread(executor, userIds)
}

/** The number of a member's conversations with unread messages. */
export const countConversationsWithUnread = batchCalls((userIds: number[]) =>
	listConversationsWithUnread(db(), userIds),
)

const readNewestTimes = statement(
	(userIds: Value<number[]>) => sql<{ user_id: number; sent_at: Date }>`
		select member.id as user_id, m.sent_at from unnest(${ids(userIds)}) member (id)
		cross join lateral (select last_message_id from conversation_members
			where user_id = member.id and last_message_id is not null order by last_message_id desc limit 1) newest
		join messages m on m.id = newest.last_message_id`,
)

/** When the newest message in any of a member's conversations was sent; null without one. */
export const findNewestTime = batchCalls(async (userIds: number[]): Promise<(Date | null)[]> => {
	const found = new Map((await readNewestTimes(db(), userIds)).map((row) => [row.user_id, row.sent_at]))
	return userIds.map((id) => found.get(id) ?? null)
})

/** Accepts a request, by a first answer or without one. @returns whether it was a request until now */
export async function acceptRequest(trx: Executor, conversationId: number, userId: number): Promise<boolean> {
	const { rows } = await sql`update conversation_members set pending = false
		where conversation_id = ${conversationId} and user_id = ${userId} and pending returning 1`.execute(trx)
	return rows.length > 0
}

/** Mutes or unmutes a conversation for one of its members. */
export async function writeMuted(trx: Executor, conversationId: number, userId: number, muted: boolean): Promise<void> {
	await sql`update conversation_members set muted = ${muted}
		where conversation_id = ${conversationId} and user_id = ${userId}`.execute(trx)
}

/**
 * The peer, where they are shown that the member is typing: both have written, neither blocked the other, and the member is not
 * suspended and hides neither typing nor presence.
 */
export async function findTypingPeer(userId: number, username: string): Promise<{ peer_id: number } | undefined> {
	const { rows } = await sql<{ peer_id: number }>`
		select p.id as peer_id from users p
		join conversations c on c.lower_id = least(p.id, ${userId}) and c.higher_id = greatest(p.id, ${userId})
		where p.id = ${idByName(username)}
			and not exists (select from conversation_members where conversation_id = c.id and pending)
			and not exists (select from blocks where (blocker_id, blocked_id) in ((p.id, ${userId}), (${userId}, p.id)))
			and not ${hidesPresence(userId)}
			and not exists (select from users where id = ${userId} and suspended_until > now())
			and not exists (select from chat_settings where user_id = ${userId} and not shows_typing)`.execute(db())
	return rows[0]
}

/** A member's settings of the chat. */
export interface ChatSettings {
	/** Who may start a conversation with them. */
	accepts: 'members' | 'verified' | 'nobody'
	/** Whether peers see that they are typing. */
	shows_typing: boolean
}

const usual: ChatSettings = { accepts: 'members', shows_typing: true }

/** A member's settings, or the defaults. */
export async function readSettings(userId: number): Promise<ChatSettings> {
	const columns = ['accepts', 'shows_typing'] as const
	return (
		(await db().selectFrom('chat_settings').select(columns).where('user_id', '=', userId).executeTakeFirst()) ?? usual
	)
}

/** Updates the given settings. */
export async function writeSettings(userId: number, change: Partial<ChatSettings>): Promise<void> {
	await db()
		.insertInto('chat_settings')
		.values({ user_id: userId, ...change })
		.onConflict((conflict) => conflict.column('user_id').doUpdateSet(change))
		.execute()
}

/** The conversations that a member can see, with their peers, for the member's archive. */
export function archivedConversations(memberId: number): RawBuilder<unknown> {
	return sql`select c.id, p.name as peer_name, p.username as peer_username, c.created_at
		from conversation_members mine join conversations c on c.id = mine.conversation_id
		join users p on p.id = case when c.lower_id = ${memberId} then c.higher_id else c.lower_id end
		where mine.user_id = ${memberId} and mine.last_message_id is not null order by c.id`
}

/** The messages that a member can see, sent and received, for the member's archive. */
export function archivedMessages(memberId: number): RawBuilder<unknown> {
	return sql`select m.conversation_id, m.sender_id = ${memberId} as mine,
			case when m.sender_id = ${memberId} then m.body else coalesce(m.recipient_body, m.body) end as body,
			m.pictures, m.sent_at, m.edited_at, m.deleted_at
		from messages m where (m.sender_id = ${memberId} or m.recipient_id = ${memberId}) order by m.id`
}
