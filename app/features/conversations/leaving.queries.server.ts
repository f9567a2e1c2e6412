import { sql } from 'kysely'
import { insertPlaceholderAccount } from '~/features/members/pseudonyms.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { Leaver } from '~/platform/member-data.ts'
import { lockConversation } from './conversations.queries.server.ts'

/** Conversations per batch; each is a transaction of its own. */
const AT_ONCE = 50

/**
 * Transfers the conversations of a leaving member to the account that replaces them. Peers keep all text that reached them, without the
 * author's name. Pictures, and messages that never reached the peer, are deleted.
 * @returns whether there may be more
 */
export async function transferConversations({ id, alias }: Leaver): Promise<boolean> {
	const { rows } = await sql<{ id: number }>`
		select id from conversations where lower_id = ${id} or higher_id = ${id} order by id limit ${AT_ONCE}`.execute(db())
	for (const conversation of rows)
		await db()
			.transaction()
			.execute((trx) => handOver(trx, conversation.id, id, alias))
	return rows.length === AT_ONCE
}

async function handOver(trx: Executor, conversationId: number, leaverId: number, alias: string): Promise<void> {
	await lockConversation(trx, conversationId)
	const { rows } = await sql<{ id: number }>`
		select peer.id from conversations c join users peer on peer.id = case when c.lower_id = ${leaverId} then c.higher_id else c.lower_id end
			join conversation_members theirs on theirs.conversation_id = c.id and theirs.user_id = peer.id
		where c.id = ${conversationId} and not peer.former and theirs.last_message_id is not null`.execute(trx)
	const [peer] = rows
	if (!peer) {
		// Nobody is left to read it.
		await sql`delete from conversations where id = ${conversationId}`.execute(trx)
		return
	}
	const standIn = await findStandIn(trx, { conversationId, peerId: peer.id, alias })
	await sql`
		delete from messages where conversation_id = ${conversationId} and sender_id = ${leaverId} and recipient_id is null`.execute(
		trx,
	)
	// The preview must be what the peer saw; a message that was only a picture counts as deleted.
	await sql`
		update messages set sender_id = ${standIn}, client_id = gen_random_uuid(), pictures = null,
			deleted_at = case when pictures is not null and coalesce(recipient_body, body) = '' then coalesce(deleted_at, now()) else deleted_at end,
			body = coalesce(recipient_body, body), html = case when pictures is not null and coalesce(recipient_body, body) = '' then '' else coalesce(recipient_html, html) end,
			recipient_body = null, recipient_html = null
		where conversation_id = ${conversationId} and sender_id = ${leaverId}`.execute(trx)
	await sql`
		update messages set recipient_id = ${standIn}
		where conversation_id = ${conversationId} and recipient_id = ${leaverId}`.execute(trx)
	await sql`
		update conversation_members set user_id = ${standIn}, unread = 0, read_id = got.id, delivered_id = got.id, last_message_id = got.own
		from (select coalesce(max(id), 0) as id, max(id) filter (where ${standIn} in (sender_id, recipient_id)) as own
			from messages where conversation_id = ${conversationId}) got
		where conversation_id = ${conversationId} and user_id = ${leaverId}`.execute(trx)
	await sql`
		update conversations set lower_id = least(${peer.id}, ${standIn}::int), higher_id = greatest(${peer.id}, ${standIn}::int),
			started_by = case when started_by = ${leaverId} then ${standIn} else started_by end, version = version + 1
		where id = ${conversationId}`.execute(trx)
	await sql`
		update conversation_members side set unread = (select count(*) from messages m where m.conversation_id = ${conversationId}
			and m.recipient_id = ${peer.id} and m.id > side.read_id and m.deleted_at is null)
		where conversation_id = ${conversationId} and user_id = ${peer.id} and unread > 0`.execute(trx)
}

/** The account that replaces the leaver, with which the peer has no conversation yet: another one after a merge of two peers. */
async function findStandIn(
	trx: Executor,
	{ conversationId, peerId, alias }: { conversationId: number; peerId: number; alias: string },
): Promise<number> {
	const usual = await insertPlaceholderAccount(trx, alias)
	const { rows } = await sql`
		select from conversations
		where lower_id = least(${peerId}::int, ${usual}::int) and higher_id = greatest(${peerId}::int, ${usual}::int)`.execute(
		trx,
	)
	return rows.length === 0 ? usual : insertPlaceholderAccount(trx, `${alias}-${conversationId}`)
}
