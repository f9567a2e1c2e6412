import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { namesOneOf, replaceUsername } from '~/platform/db/member-names.queries.server.ts'
import { FORMER_USERNAME, type Leaver, type Merge } from '~/platform/member-data.ts'
import { closeCase, reportCounter } from './cases.queries.server.ts'
import { MEMBER_SUBJECT } from './moderation.policy.ts'

/** Keeps only the decisions about a member, and about their reports: no text of the member, and no name of theirs. */
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
			// A title is a text or name of the member; a note may quote it.
			await sql`update moderation_log set facts = facts - 'title' - 'note' where member_id = any(${ids}::int[])`.execute(
				trx,
			)
			await sql`
				update reported_messages set extract = ${replaceUsername(sql`extract::text`, usernames, FORMER_USERNAME)}::jsonb
				where ${namesOneOf(sql`extract::text`, usernames)}`.execute(trx)
			await sql`
				update moderation_log set facts = ${replaceUsername(sql`facts::text`, usernames, FORMER_USERNAME)}::jsonb
				where ${namesOneOf(sql`facts::text`, usernames)}`.execute(trx)
		})
	return false
}

/** Removes subjects' titles from the log, before they are erased. @param type of the subjects */
export async function clearLoggedTitles(trx: Executor, type: string, ids: readonly number[]): Promise<void> {
	await sql`
		update moderation_log set facts = facts - 'title' where kind = ${type} and target_id = any(${[...ids]}::int[])`.execute(
		trx,
	)
}

/**
 * Joins the cases about two accounts into one, which is open if either was, with the reports and notes of both. Of two open reports
 * by the same person about the same thing, the one about or by the merged account is closed; its text stays.
 */
export async function mergeModeration(trx: Executor, { goneId, keptId }: Merge): Promise<void> {
	const ofProfile = (id: number) => sql`(select id from cases where kind = ${MEMBER_SUBJECT} and target_id = ${id})`
	await sql`select from cases where kind = ${MEMBER_SUBJECT} and target_id in (${goneId}, ${keptId}) order by id for update`.execute(
		trx,
	)
	await sql`
		update cases set target_id = ${keptId} where kind = ${MEMBER_SUBJECT} and target_id = ${goneId} and not exists ${ofProfile(keptId)}`.execute(
		trx,
	)
	await sql`
		update reports r set settled_at = now() where settled_at is null and exists (select from reports other
			where other.settled_at is null and other.id <> r.id and (
				r.case_id = ${ofProfile(goneId)} and other.case_id = ${ofProfile(keptId)}
					and case when r.reporter_id = ${goneId} then ${keptId} else r.reporter_id end
						= case when other.reporter_id = ${goneId} then ${keptId} else other.reporter_id end
				or r.reporter_id = ${goneId} and other.reporter_id = ${keptId} and other.case_id = r.case_id))`.execute(trx)
	await sql`update reports set case_id = ${ofProfile(keptId)} where case_id = ${ofProfile(goneId)}`.execute(trx)
	await sql`update case_notes set case_id = ${ofProfile(keptId)} where case_id = ${ofProfile(goneId)}`.execute(trx)
	await sql`
		update cases one set waits = one.waits or other.waits, active_at = greatest(one.active_at, other.active_at),
			assignee_id = coalesce(one.assignee_id, other.assignee_id),
			closed_at = case when one.closed_at is null or other.closed_at is null then null else greatest(one.closed_at, other.closed_at) end
		from cases other where one.id = ${ofProfile(keptId)} and other.id = ${ofProfile(goneId)}`.execute(trx)
	await sql`delete from cases where kind = ${MEMBER_SUBJECT} and target_id = ${goneId}`.execute(trx)
	await sql`update reports set reporter_id = ${keptId} where reporter_id = ${goneId}`.execute(trx)
	await sql`
		update cases t set report_count = ${reportCounter.actual}
		where id in (select case_id from reports where reporter_id = ${keptId}) or id = ${ofProfile(keptId)}`.execute(trx)
	// Only staff are assigned cases, and roles are never transferred.
	await sql`
		update cases set assignee_id = null where assignee_id = ${goneId}
			and exists (select from users where id = ${keptId} and role = 'member')`.execute(trx)
	await mergeMentionsOf(trx, { goneId, keptId })
}

/** Changes subjects that are an account itself to the kept account. */
async function mergeMentionsOf(trx: Executor, { goneId, keptId }: Merge): Promise<void> {
	await sql`update moderation_log set target_id = ${keptId} where kind = ${MEMBER_SUBJECT} and target_id = ${goneId}`.execute(
		trx,
	)
	await sql`
		update notifications set subject_id = ${keptId} where subject_type = ${MEMBER_SUBJECT} and subject_id = ${goneId}`.execute(
		trx,
	)
	await sql`
		delete from muted_subjects where subject_type = ${MEMBER_SUBJECT} and subject_id in (${goneId}, ${keptId})
			and user_id in (${goneId}, ${keptId})`.execute(trx)
}
