import { sql } from 'kysely'
import { expect, test } from 'vitest'
import '~/features/index.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { findBrokenFigures } from './factories/chat.ts'
import { ConversationHistory } from './support/conversation-history.ts'
import { useDatabase } from './support/database.ts'

/* Conversations under many writers at once, whose accounts are merged and deleted. `npm run test:histories` runs it with other seeds. */

useDatabase()

const seed = Number(process.env.CHAT_HISTORY_SEED ?? 1)
const ROUNDS = 5
const ACTS = 80

test(`messages, receipts, blocks, merges and departures at the same time leave consistent conversations (seed ${seed})`, async () => {
	const history = new ConversationHistory(seed)
	await history.begin()
	for (let round = 0; round < ROUNDS; round += 1) {
		const failures = await history.run(ACTS)
		expect(failures.join('\n'), `acts of round ${round}`).toBe('')
		expect(await findBrokenFigures(), `figures after round ${round}`).toEqual([])
		expect(await contradictions(), `rows after round ${round}`).toEqual([])
	}
})

/** Rows that contradict others, beyond the figures of a conversation. */
async function contradictions(): Promise<unknown[]> {
	const { rows } = await sql`
		select 'members of a conversation' as what, id from conversations c
			where array[lower_id, higher_id] is distinct from (
				select array_agg(user_id order by user_id) from conversation_members s where s.conversation_id = c.id)
		union all select 'sender or recipient', m.id from messages m join conversations c on c.id = m.conversation_id
			where m.sender_id not in (lower_id, higher_id) or m.recipient_id not in (lower_id, higher_id)
		union all select 'unread notifications', user_id from notification_boxes b
			where unread <> (select count(*) from notifications n where n.user_id = b.user_id and read_at is null and on_site)`.execute(
		db(),
	)
	return rows
}
