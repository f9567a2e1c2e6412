import { sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'
import type { Leaver } from '~/platform/member-data.ts'
import { closeCase } from './cases.queries.server.ts'
import { MEMBER_SUBJECT } from './moderation.policy.ts'

/**
 * Leaves of what moderators decided about a member, and of what the member reported, the decisions alone: no words of the member, and
 * nothing that they were called by.
 */
export async function leaveModeration({ id, accounts, usernames }: Leaver): Promise<boolean> {
	const ids = [...accounts]
	await db()
		.transaction()
		.execute(async (trx) => {
			await closeCase(trx, MEMBER_SUBJECT, id)
			await sql`update reports set details = '' where reporter_id = ${id} and details <> ''`.execute(trx)
			await sql`
				update reported_messages set extract = (
					select jsonb_agg(case when line ->> 'sender' = any(${[...usernames]}::text[])
						then (line - 'pictures') || '{"sender": "former-member", "body": ""}'::jsonb else line end order by place)
					from jsonb_array_elements(extract) with ordinality as one (line, place))
				where exists (select from jsonb_array_elements(extract) as line where line ->> 'sender' = any(${[...usernames]}::text[]))`.execute(
				trx,
			)
			await sql`update moderation_log set facts = facts - 'title' where member_id = any(${ids}::int[])`.execute(trx)
		})
	return false
}
