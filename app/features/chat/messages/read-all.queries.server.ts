import { sql } from 'kysely'
import { isBlocking } from '~/features/members/blocks.queries.server.ts'
import type { Executor } from '~/platform/db/db.server.ts'

/**
 * Locks a member's conversations in which something is unread; requests are left out, as looking at them is free. This is
 * the one place that locks more than one, and it does so in the order of their ids.
 * @returns their ids
 */
export async function lockUnread(trx: Executor, userId: number): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`
		select c.id from conversation_members m join conversations c on c.id = m.conversation_id
		where m.user_id = ${userId} and m.unread > 0 and not m.pending order by c.id for no key update of c`.execute(trx)
	return rows.map(({ id }) => id)
}

/** How far a member has come in a conversation, and with whom it is. */
export interface ReadRow {
	peer_id: number
	username: string
	delivered_id: number
	read_id: number
	blocked_by_me: boolean
}

/** Marks everything in these conversations, which are locked, as read by a member. */
export async function writeAllRead(trx: Executor, userId: number, conversationIds: number[]): Promise<ReadRow[]> {
	const { rows } = await sql<ReadRow>`
		update conversation_members m set unread = 0, read_id = greatest(m.read_id, got.id),
			delivered_id = greatest(m.delivered_id, got.id)
		from conversations c, users p, lateral (
			select id from messages where conversation_id = c.id and recipient_id = ${userId} order by id desc limit 1) got
		where m.user_id = ${userId} and m.conversation_id = any(${conversationIds}::int[]) and c.id = m.conversation_id
			and p.id in (c.lower_id, c.higher_id) and p.id <> ${userId}
		returning p.id as peer_id, p.username, m.delivered_id, m.read_id,
			${isBlocking(userId, sql.ref('p.id'))} as blocked_by_me`.execute(trx)
	return rows
}
