import { sql } from 'kysely'
import type { Executor } from '~/platform/db/db.server.ts'
import { statement, type Value } from '~/platform/db/statement.server.ts'
import { byPosition } from '~/platform/db/transaction.server.ts'
import {
	conversationJoin,
	conversationLocks,
	hidesPresence,
	type LockOptions,
	type Pair,
	pairs,
	pairUserIds,
	pairUsernames,
} from './conversations.queries.server.ts'

/* Receipts: how far messages were delivered to members, and read by them. */

/** A receipt: how far a member got in their conversation with a peer. */
export interface Receipt extends Pair {
	/** Id of a message. */
	upTo: number
	/** False: it was delivered to one of their devices; true: they have read it. */
	read: boolean
}

const receiptLocks = (skipLocked: boolean) =>
	statement((userIds: Value<number[]>, usernames: Value<string[]>, upTo: Value<number[]>, read: Value<boolean[]>) =>
		conversationLocks(
			sql`${pairs(userIds, usernames)} ${conversationJoin('inner', sql.ref('pair.user_id'))}
			cross join lateral (
				select read_id from conversation_members where conversation_id = c.id and user_id = pair.user_id limit 1) mine
			where not ((${read}::boolean[])[pair.place] and mine.read_id >= (${upTo}::int[])[pair.place])`,
			skipLocked,
		),
	)
const [lockReceipts, lockUnlockedReceipts] = [receiptLocks(false), receiptLocks(true)]

/**
 * Locks the conversations of these receipts in the order of their ids, except where the member has read as far before.
 * @returns the ids in the order of the receipts; undefined for those not locked
 */
export async function lockConversationsOfReceipts(
	trx: Executor,
	of: readonly Receipt[],
	{ skipLocked }: LockOptions,
): Promise<(number | undefined)[]> {
	const lock = skipLocked ? lockUnlockedReceipts : lockReceipts
	const [upTo, read] = [of.map((one) => one.upTo), of.map((one) => one.read)]
	return byPosition(of, await lock(trx, pairUserIds(of), pairUsernames(of), upTo, read)).map((row) => row?.id)
}

export interface SeenRow {
	delivered_id: number
	read_id: number
	unread: number
	/** Whether anything changed. */
	further: boolean
	read_further: boolean
}

/** A receipt: how far a member got in a conversation. */
interface SeenEvent {
	conversationId: number
	userId: number
	/** Id of a message. */
	upTo: number
	/** False: it was delivered to one of their devices; true: they have read it. */
	read: boolean
}

const writeReceipts = statement(
	(conversationIds: Value<number[]>, userIds: Value<number[]>, upTo: Value<number[]>, read: Value<boolean[]>) => sql<
		SeenRow & { place: number }
	>`
		with reached as (
			select mark.place, mark.conversation_id, mark.user_id, before.delivered_id as delivered_before,
				before.read_id as read_before, greatest(before.delivered_id, got.id) as delivered_id,
				case when mark.read then greatest(before.read_id, got.id) else before.read_id end as read_id
			from unnest(${conversationIds}::int[], ${userIds}::int[], ${upTo}::int[], ${read}::boolean[]) with ordinality
				as mark (conversation_id, user_id, up_to, read, place)
			cross join lateral (select delivered_id, read_id from conversation_members
				where conversation_id = mark.conversation_id and user_id = mark.user_id limit 1) before, lateral (
				select coalesce(max(m.id), 0) as id from messages m
				where m.conversation_id = mark.conversation_id and m.recipient_id = mark.user_id and m.id <= mark.up_to
					and m.id > before.read_id and (mark.read or not ${hidesPresence(sql.ref('mark.user_id'))})) got)
		update conversation_members side set delivered_id = reached.delivered_id, read_id = reached.read_id,
			unread = case when reached.read_id = reached.read_before then side.unread else (
				select count(*)::int from messages m where m.conversation_id = side.conversation_id and m.id > reached.read_id
					and m.recipient_id = side.user_id and m.deleted_at is null) end
		from reached where side.conversation_id = any(${conversationIds}::int[])
			and side.conversation_id = reached.conversation_id and side.user_id = reached.user_id
		returning reached.place::int, side.delivered_id, side.read_id, side.unread,
			reached.delivered_id > reached.delivered_before or reached.read_id > reached.read_before as further,
			reached.read_id > reached.read_before as read_further`,
)

/**
 * Stores receipts: they never go back, and never beyond what the member was sent. A message that only arrived shows that its reader is
 * online, so members who hide that have receipts of what they read alone. The conversations are locked, so that the counters are right.
 * @param events at most one per member and conversation
 * @returns the result of each, in their order
 */
export async function writeSeen(trx: Executor, events: readonly SeenEvent[]): Promise<(SeenRow | undefined)[]> {
	const all = <Read>(read: (event: SeenEvent) => Read) => events.map(read)
	const rows = await writeReceipts(
		trx,
		all(({ conversationId }) => conversationId),
		all(({ userId }) => userId),
		all(({ upTo }) => upTo),
		all(({ read }) => read),
	)
	return byPosition(events, rows)
}
