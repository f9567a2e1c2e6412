import { sql } from 'kysely'
import type { Executor } from '~/platform/db/db.server.ts'
import type { Merge } from '~/platform/member-data.ts'

/**
 * Moves the conversations of a merged account to the kept account. Two conversations with the same member become one, in the order of
 * sending. The conversation between the two accounts is deleted.
 */
export async function mergeConversations(trx: Executor, merge: Merge): Promise<void> {
	const { goneId, keptId } = merge
	// Where both accounts have a conversation with the same member, both conversations change.
	await sql`
		select from conversations where lower_id in (${goneId}, ${keptId}) or higher_id in (${goneId}, ${keptId})
		order by id for no key update`.execute(trx)
	await sql`delete from conversations
		where lower_id = least(${goneId}::int, ${keptId}::int) and higher_id = greatest(${goneId}::int, ${keptId}::int)`.execute(
		trx,
	)
	// Clients choose these ids, so both accounts may have the same.
	await sql`
		update messages m set client_id = gen_random_uuid() where sender_id = ${goneId}
			and exists (select from messages other where other.sender_id = ${keptId} and other.client_id = m.client_id)`.execute(
		trx,
	)
	await joinTwins(trx, merge)
	await sql`
		update conversations c set version = version + 1, lower_id = least(peer, ${keptId}), higher_id = greatest(peer, ${keptId}),
			started_by = case when started_by = ${goneId} then ${keptId} else started_by end
		from (select id, case when lower_id = ${goneId} then higher_id else lower_id end as peer
			from conversations where ${goneId} in (lower_id, higher_id)) theirs
		where theirs.id = c.id`.execute(trx)
	await sql`update conversation_members set user_id = ${keptId} where user_id = ${goneId}`.execute(trx)
	await sql`update messages set sender_id = ${keptId} where sender_id = ${goneId}`.execute(trx)
	await sql`update messages set recipient_id = ${keptId} where recipient_id = ${goneId}`.execute(trx)
}

/** Moves the messages with a peer of both accounts into the kept account's conversation. */
async function joinTwins(trx: Executor, { goneId, keptId }: Merge): Promise<void> {
	const { rows } = await sql<{ from_id: number; to_id: number }>`
		select c.id as from_id, twin.id as to_id from conversations c
		join conversations twin on twin.lower_id = least(c.lower_id + c.higher_id - ${goneId}::int, ${keptId}::int)
			and twin.higher_id = greatest(c.lower_id + c.higher_id - ${goneId}::int, ${keptId}::int)
		where ${goneId} in (c.lower_id, c.higher_id)`.execute(trx)
	if (rows.length === 0) return
	const twins = sql`unnest(${rows.map((row) => row.from_id)}::int[], ${rows.map((row) => row.to_id)}::int[]) as twin (from_id, to_id)`
	await joinSides(trx, { goneId, keptId }, twins)
	// Each moved message raises the version of its new conversation.
	const { rows: moved } = await sql<{ to_id: number; count: number }>`
		with placed as (
			select m.id, twin.to_id, into_.version + row_number() over (partition by twin.to_id order by m.id) as version
			from ${twins} join conversations into_ on into_.id = twin.to_id join messages m on m.conversation_id = twin.from_id),
		moved as (
			update messages m set conversation_id = placed.to_id, version = placed.version,
				sender_id = case when sender_id = ${goneId} then ${keptId} else sender_id end,
				recipient_id = case when recipient_id = ${goneId} then ${keptId} else recipient_id end
			from placed where m.id = placed.id returning placed.to_id)
		select to_id, count(*)::int as count from moved group by 1`.execute(trx)
	await sql`
		update conversations set version = version + moved.count + 1
		from unnest(${moved.map((row) => row.to_id)}::int[], ${moved.map((row) => row.count)}::int[]) as moved (id, count)
		where conversations.id = moved.id`.execute(trx)
	await sql`delete from conversations using ${twins} where id = twin.from_id`.execute(trx)
	await sql`
		update conversation_members side set unread = (select count(*) from messages m where m.conversation_id = side.conversation_id
			and m.recipient_id = side.user_id and m.id > side.read_id and m.deleted_at is null)
		from ${twins} where side.conversation_id = twin.to_id`.execute(trx)
}

/**
 * Merges the two rows of each member. Unread messages stay unread, with all that follow them. A peer who answered one account has accepted
 * the person, so a request by the other one is accepted too. The conversation is muted if both were.
 */
async function joinSides(trx: Executor, { goneId, keptId }: Merge, twins: ReturnType<typeof sql>): Promise<void> {
	const firstUnread = (
		side: string,
	) => sql`(select min(m.id) from messages m where m.conversation_id = ${sql.ref(`${side}.conversation_id`)}
		and m.recipient_id = ${sql.ref(`${side}.user_id`)} and m.id > ${sql.ref(`${side}.read_id`)} and m.deleted_at is null)`
	await sql`
		update conversation_members side set last_message_id = greatest(side.last_message_id, other.last_message_id),
			pending = side.pending and other.pending, muted = side.muted and other.muted,
			delivered_id = greatest(side.delivered_id, other.delivered_id),
			read_id = least(${firstUnread('side')} - 1, ${firstUnread('other')} - 1, greatest(side.read_id, other.read_id))
		from ${twins} join conversation_members other on other.conversation_id = twin.from_id
		where side.conversation_id = twin.to_id
			and side.user_id = case when other.user_id = ${goneId} then ${keptId} else other.user_id end`.execute(trx)
}
