import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { namesOneOf, renamed } from '~/platform/db/member-names.queries.server.ts'
import { FORMER_USERNAME, type Leaver } from '~/platform/member-data.ts'
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
			await sql`delete from case_notes where case_id in (
				select cases.id from cases where kind = ${MEMBER_SUBJECT} and target_id = ${id})`.execute(trx)
			await sql`update reports set details = '' where reporter_id = ${id} and details <> ''`.execute(trx)
			await sql`
				update reported_messages set extract = (
					select jsonb_agg(case when line ->> 'sender' = any(${[...usernames]}::text[])
						then (line - 'pictures') || jsonb_build_object('sender', ${FORMER_USERNAME}::text, 'body', '') else line end order by place)
					from jsonb_array_elements(extract) with ordinality as one (line, place))
				where exists (select from jsonb_array_elements(extract) as line where line ->> 'sender' = any(${[...usernames]}::text[]))`.execute(
				trx,
			)
			// A title is what the member wrote or was called; a note may quote it.
			await sql`update moderation_log set facts = facts - 'title' - 'note' where member_id = any(${ids}::int[])`.execute(
				trx,
			)
			await sql`
				update reported_messages set extract = ${renamed(sql`extract::text`, usernames, FORMER_USERNAME)}::jsonb
				where ${namesOneOf(sql`extract::text`, usernames)}`.execute(trx)
			await sql`
				update moderation_log set facts = ${renamed(sql`facts::text`, usernames, FORMER_USERNAME)}::jsonb
				where ${namesOneOf(sql`facts::text`, usernames)}`.execute(trx)
		})
	return false
}

/** Forgets in the log what subjects were called, as it is about to be erased. @param type of the subjects */
export async function forgetTitles(trx: Executor, type: string, ids: readonly number[]): Promise<void> {
	await sql`
		update moderation_log set facts = facts - 'title' where kind = ${type} and target_id = any(${[...ids]}::int[])`.execute(
		trx,
	)
}
