import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { ChatMessage } from '~/features/chat/chat.view.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'

export async function makeMessage(from: SignedIn, to: SignedIn, body = 'Hello there.'): Promise<ChatMessage> {
	// Imported on demand: some files only look at the rows, and each file loads its imports anew.
	const { sendMessage } = await import('~/features/chat/messages/sending.server.ts')
	return sendMessage(from, { to: to.username, clientId: randomUUID(), body })
}

/** A conversation in which both have written. */
export async function makeConversation(one: SignedIn, other: SignedIn): Promise<void> {
	await makeMessage(one, other, 'Are you there?')
	await makeMessage(other, one, 'I am.')
}

/** Backdates these members' messages, so that rate limits do not apply. */
export async function passTime(): Promise<void> {
	await sql`update messages set sent_at = sent_at - interval '1 minute'`.execute(db())
}

/** Counters and versions that do not match the rows; empty if all are consistent. */
export async function findBrokenFigures(): Promise<unknown[]> {
	const { rows } = await sql`
		select 'unread' as what, conversation_id as id from conversation_members mine where unread <> (
			select count(*) from messages m where m.conversation_id = mine.conversation_id and m.recipient_id = mine.user_id
				and m.deleted_at is null and m.id > mine.read_id)
		union all select 'last', conversation_id from conversation_members mine where last_message_id is distinct from (
			select max(id) from messages m where m.conversation_id = mine.conversation_id and mine.user_id in (m.sender_id, m.recipient_id))
		union all select 'version', id from conversations c where version < (select coalesce(max(version), 0) from messages where conversation_id = c.id)
		union all select 'one change a version', min(conversation_id) from messages group by conversation_id, version having count(*) > 1
		union all select 'order', conversation_id from (
			select conversation_id, id, sent_at, lag(sent_at) over (partition by conversation_id order by id) as earlier from messages) m
			where sent_at < earlier
		union all select 'receipts', conversation_id from conversation_members where read_id > delivered_id
		union all select 'members', conversation_id from conversation_members group by conversation_id having count(*) <> 2`.execute(
		db(),
	)
	return rows
}
