import { sql } from 'kysely'
import { suspendedUntil } from '~/features/accounts/accounts.queries.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { Merge } from '~/platform/member-data.ts'

/** An account, as far as it decides whether it can be merged. */
export interface MergeableRow {
	id: number
	username: string
	name: string
	image: string | null
	email: string
	second_email: string | null
	role: SignedIn['role']
	/** When the suspension ends, in ISO 8601 or `infinity`; null when none lasts. */
	suspended_until: string | null
	hidden: boolean
	leaves: boolean
	/** Whether everything of the account is being hidden or restored. */
	taken_down: boolean
}

const columns = sql`u.id, u.username, u.name, u.image, u.email, u.second_email, u.role, ${suspendedUntil('u')} as suspended_until,
	u.leaves_at is not null as leaves,
	exists (select from profiles where user_id = u.id and hidden_at is not null) as hidden,
	exists (select from takedowns where member_id = u.id and state in ('running', 'undoing')) as taken_down`

/** The accounts with these usernames or addresses, in any order: a former username names its member of today. */
export async function findMergeable(words: readonly string[]): Promise<(MergeableRow & { word: string })[]> {
	const { rows } = await sql<MergeableRow & { word: string }>`
		select word, ${columns} from unnest(${words}::text[]) as word
		join users u on u.id = coalesce(
			(select user_id from usernames where usernames.username = word), (select user_id from account_emails where email = word))
		where not u.imported and u.id <> 0`.execute(db())
	return rows
}

/** Two accounts that are being merged, as {@link lockBoth} holds them. */
export async function findBoth(trx: Executor, { goneId, keptId }: Merge): Promise<MergeableRow[]> {
	const { rows } = await sql<MergeableRow>`
		select ${columns} from users u where id in (${goneId}, ${keptId}) and not imported`.execute(trx)
	return rows
}

/**
 * Locks what whoever posts, votes or writes to one of two accounts locks before the account itself, in the order in which they do, and then
 * the accounts. Whoever adds a row that names one of them need not wait. One merge and one change of a role happens at a time.
 */
export async function lockBoth(trx: Executor, { goneId, keptId }: Merge): Promise<void> {
	const both = sql`(${goneId}, ${keptId})`
	const accounts = sql`(select id from users where id in ${both} or pseudonym_of in ${both})`
	await sql`select pg_advisory_xact_lock(hashtext('roles'))`.execute(trx)
	// Whoever writes by a socket holds its session first.
	await sql`delete from sessions where user_id = ${goneId}`.execute(trx)
	await sql`
		select from conversations where lower_id in ${both} or higher_id in ${both} order by id for no key update`.execute(
		trx,
	)
	await sql`
		select from questions where id in (
			select id from questions where author_id in ${accounts}
			union select question_id from comments where author_id in ${accounts}
			union select question_id from question_votes where user_id in ${both}
			union select question_id from comment_votes join comments on comments.id = comment_id where user_id in ${both}
			union select question_id from affected_members where user_id in ${both})
		order by id for no key update`.execute(trx)
	await sql`select from profiles where user_id in ${both} order by user_id for update`.execute(trx)
	await sql`select from users where id in ${both} order by id for no key update`.execute(trx)
}

/** Waits until nobody adds a row that names the account that goes, and lets nobody begin to. */
export async function closeAccount(trx: Executor, goneId: number): Promise<void> {
	await sql`select from users where id = ${goneId} for update`.execute(trx)
}

/**
 * Takes back what two accounts did for each other's posts, as nobody does that for their own: votes, “I have this too”, asking to answer.
 * Posts under a pseudonym are left alone, as a number that changes at that moment could tell whose they are.
 */
export async function removeMutual(trx: Executor, { goneId, keptId }: Merge): Promise<void> {
	const both = sql`(${goneId}, ${keptId})`
	const ownQuestion = (table: string) => sql`question_id in (select id from questions where author_id in ${both})
		and ${sql.ref(`${table}.user_id`)} in ${both}`
	for (const table of ['question_votes', 'affected_members', 'question_asks'])
		await sql`delete from ${sql.table(table)} where ${ownQuestion(table)}`.execute(trx)
	await sql`
		delete from comment_votes where user_id in ${both}
			and comment_id in (select id from comments where author_id in ${both})`.execute(trx)
	await sql`
		delete from invitations where user_id in ${both} and (inviter_id in ${both} or ${ownQuestion('invitations')})`.execute(
		trx,
	)
}

/**
 * Carries over what is in the row of the account itself. The stricter suspension holds. The role, the addresses, the name and since when
 * somebody is a member are those of the kept account.
 */
export async function joinAccounts(trx: Executor, { goneId, keptId }: Merge): Promise<void> {
	// Only names of who was ever renamed are looked up as former ones; one from long ago leaves the next change of the name free.
	await sql`
		update users kept set renamed_at = coalesce(kept.renamed_at, kept.created_at),
			cohort = case when kept.cohort = '' then gone.cohort else kept.cohort end,
			suspended_until = greatest(kept.suspended_until, gone.suspended_until),
			suspended_reason = case when gone.suspended_until > coalesce(kept.suspended_until, '-infinity')
				then gone.suspended_reason else kept.suspended_reason end,
			updated_at = now()
		from users gone where kept.id = ${keptId} and gone.id = ${goneId}`.execute(trx)
}

/** Deletes the account that nothing names any more. */
export async function deleteMerged(trx: Executor, { goneId }: Merge): Promise<void> {
	await sql`delete from users where id = ${goneId}`.execute(trx)
}

/**
 * Weighs again what the skills of the kept account rest on, and those of whoever either account voted for: two who vouched for somebody are
 * one person now.
 */
export async function weighAnew(trx: Executor, { keptId }: Merge): Promise<void> {
	await sql`
		select refresh_evidence(array(
			select ${keptId}::int union select author_id from comments join comment_votes on comment_id = comments.id
				where comment_votes.user_id = ${keptId} and value = 1
			order by 1))`.execute(trx)
}

/** All names of an account, the present one among them. */
export async function listUsernames(trx: Executor, userId: number): Promise<string[]> {
	const { rows } = await sql<{ username: string }>`select username from usernames where user_id = ${userId}`.execute(
		trx,
	)
	return rows.map(({ username }) => username)
}

/** What two accounts have to do with each other, and with the same people. */
export interface SharedRow {
	conversations: number
	/** Conversations of both with the same member. */
	shared_conversations: number
	/** Messages that they wrote to each other. */
	messages_between: number
	/** Votes for posts of the other one, apart from those under a pseudonym. */
	own_votes: number
}

/** What two accounts share, for the preview of their merge. */
export async function countShared({ goneId, keptId }: Merge): Promise<SharedRow> {
	const both = sql`(${goneId}, ${keptId})`
	const { rows } = await sql<SharedRow>`
		with theirs as (
			select id, lower_id + higher_id - ${goneId}::int as peer from conversations where ${goneId} in (lower_id, higher_id))
		select count(*) filter (where peer <> ${keptId})::int as conversations,
			count(*) filter (where exists (select from conversations c
				where c.lower_id = least(peer, ${keptId}::int) and c.higher_id = greatest(peer, ${keptId}::int)) and peer <> ${keptId})::int as shared_conversations,
			(select count(*)::int from messages where conversation_id in (select id from theirs where peer = ${keptId})) as messages_between,
			((select count(*) from question_votes v join questions q on q.id = v.question_id
				where v.user_id in ${both} and q.author_id in ${both})
			+ (select count(*) from comment_votes v join comments c on c.id = v.comment_id
				where v.user_id in ${both} and c.author_id in ${both}))::int as own_votes
		from theirs`.execute(db())
	return rows[0] ?? { conversations: 0, shared_conversations: 0, messages_between: 0, own_votes: 0 }
}
