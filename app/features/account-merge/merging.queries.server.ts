import { sql } from 'kysely'
import { suspendedUntil } from '~/features/accounts/accounts.queries.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { Merge } from '~/platform/member-data.ts'

/** What decides whether an account can be merged. */
export interface MergeableRow {
	id: number
	username: string
	name: string
	image: string | null
	email: string
	second_email: string | null
	role: SignedIn['role']
	/** End of the suspension, as ISO 8601 or `infinity`; null if not suspended. */
	suspended_until: string | null
	hidden: boolean
	leaves: boolean
	/** Whether a takedown of the account is in progress. */
	taken_down: boolean
}

const columns = sql`u.id, u.username, u.name, u.image, u.email, u.second_email, u.role, ${suspendedUntil('u')} as suspended_until,
	u.leaves_at is not null as leaves,
	exists (select from profiles where user_id = u.id and hidden_at is not null) as hidden,
	exists (select from takedowns where member_id = u.id and state in ('running', 'undoing')) as taken_down`

/** The accounts with these usernames or addresses, in any order. A former username finds its present owner. */
export async function findMergeable(words: readonly string[]): Promise<(MergeableRow & { word: string })[]> {
	const { rows } = await sql<MergeableRow & { word: string }>`
		select word, ${columns} from unnest(${words}::text[]) as word
		join users u on u.id = coalesce(
			(select user_id from usernames where usernames.username = word), (select user_id from account_emails where email = word))
		where not u.imported and u.id <> 0`.execute(db())
	return rows
}

/** The two accounts of a merge, in the order in which {@link lockBoth} locks them. */
export async function findBoth(trx: Executor, { goneId, keptId }: Merge): Promise<MergeableRow[]> {
	const { rows } = await sql<MergeableRow>`
		select ${columns} from users u where id in (${goneId}, ${keptId}) and not imported`.execute(trx)
	return rows
}

/**
 * Locks both accounts. First it takes the locks that posting, voting and messaging take before that of the account, in the same order, to
 * avoid deadlocks. Rows that only reference an account can still be added. Merges and changes of roles run one at a time.
 */
export async function lockBoth(trx: Executor, { goneId, keptId }: Merge): Promise<void> {
	const both = sql`(${goneId}, ${keptId})`
	const accounts = sql`(select id from users where id in ${both} or pseudonym_of in ${both})`
	await sql`select pg_advisory_xact_lock(hashtext('roles'))`.execute(trx)
	// A message sent by socket locks its session first.
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

/** Waits until no transaction adds rows that reference the merged account, and blocks new ones. */
export async function closeAccount(trx: Executor, goneId: number): Promise<void> {
	await sql`select from users where id = ${goneId} for update`.execute(trx)
}

/**
 * Removes what the two accounts did for each other's posts and what nobody can do for their own: votes, “I have this too”, following,
 * requests to answer, reports that a solution no longer works. Posts under a pseudonym are left alone: a number that changes at that moment could reveal the author.
 */
export async function removeMutualActivity(trx: Executor, { goneId, keptId }: Merge): Promise<void> {
	const both = sql`(${goneId}, ${keptId})`
	const ownQuestion = (table: string) => sql`question_id in (select id from questions where author_id in ${both})
		and ${sql.ref(`${table}.user_id`)} in ${both}`
	for (const table of ['question_votes', 'affected_members', 'question_asks', 'follows'])
		await sql`delete from ${sql.table(table)} where ${ownQuestion(table)}`.execute(trx)
	for (const table of ['comment_votes', 'outdated_marks'])
		await sql`
			delete from ${sql.table(table)} where user_id in ${both}
				and comment_id in (select id from comments where author_id in ${both})`.execute(trx)
	await sql`
		delete from invitations where user_id in ${both} and (inviter_id in ${both} or ${ownQuestion('invitations')})`.execute(
		trx,
	)
}

/**
 * Copies the columns of the account itself. The stricter suspension wins. The role, the addresses, the name and the date of joining are
 * those of the kept account.
 */
export async function mergeAccountColumns(trx: Executor, { goneId, keptId }: Merge): Promise<void> {
	// Former names are only looked up for members with a `renamed_at`. The date of joining does not delay the next rename of an old account.
	await sql`
		update users kept set renamed_at = coalesce(kept.renamed_at, kept.created_at),
			cohort = case when kept.cohort = '' then gone.cohort else kept.cohort end,
			suspended_until = greatest(kept.suspended_until, gone.suspended_until),
			suspended_reason = case when gone.suspended_until > coalesce(kept.suspended_until, '-infinity')
				then gone.suspended_reason else kept.suspended_reason end,
			updated_at = now()
		from users gone where kept.id = ${keptId} and gone.id = ${goneId}`.execute(trx)
}

/** Deletes the merged account, once nothing references it. */
export async function deleteMerged(trx: Executor, { goneId }: Merge): Promise<void> {
	await sql`delete from users where id = ${goneId}`.execute(trx)
}

/**
 * Recalculates the evidence for the kept account's skills, and for the skills of everybody whom either account voted for: two votes by one
 * person count once.
 */
export async function recalculateSharedEvidence(trx: Executor, { keptId }: Merge): Promise<void> {
	await sql`
		select refresh_evidence(array(
			select ${keptId}::int union select author_id from comments join comment_votes on comment_id = comments.id
				where comment_votes.user_id = ${keptId} and value = 1
			order by 1))`.execute(trx)
}

/** All usernames of an account, including the present one. */
export async function listUsernames(trx: Executor, userId: number): Promise<string[]> {
	const { rows } = await sql<{ username: string }>`select username from usernames where user_id = ${userId}`.execute(
		trx,
	)
	return rows.map(({ username }) => username)
}

/** What the two accounts have in common. */
export interface MergeOverlapRow {
	conversations: number
	/** Conversations that both have with the same member. */
	shared_conversations: number
	/** Messages between the two. */
	messages_between: number
	/** Votes for each other's posts, except those under a pseudonym. */
	own_votes: number
}

/** Counts what two accounts share, for the preview of their merge. */
export async function countMergeOverlap({ goneId, keptId }: Merge): Promise<MergeOverlapRow> {
	const both = sql`(${goneId}, ${keptId})`
	const { rows } = await sql<MergeOverlapRow>`
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
