import { sql } from 'kysely'
import { accountIdsOf } from '~/features/members/pseudonyms.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { DAYS_TO_COME_BACK } from '../privacy.limits.ts'

/** How much a member has written, shown before they leave. */
export interface ContributionsRow {
	questions: number
	comments: number
	/** Posts among these that others replied to or link to: they stay, without the name, whatever the member chooses. */
	built_on: number
	conversations: number
	pictures: number
}

/** An SQL condition: a question `q` that others commented on, or that another one was merged into. @param accounts of the author */
export const isBuiltOn = (accounts: ReturnType<typeof accountIdsOf>) => sql<boolean>`(
	exists (select from comments c where c.question_id = q.id and c.status = 'published' and c.author_id <> all(${accounts}))
	or exists (select from questions other where other.merged_into = q.id))`

/** Counts what a member has written, including pseudonyms. */
export async function countContributions(memberId: number): Promise<ContributionsRow> {
	const accounts = accountIdsOf(memberId)
	const { rows } = await sql<ContributionsRow>`
		with mine as materialized (select ${accounts} as accounts),
		own_questions as (select q.id, ${isBuiltOn(sql`(select accounts from mine)::int[]`)} as kept
			from questions q where q.author_id = any((select accounts from mine)::int[]) and q.status in ('published', 'merged')),
		own_comments as (select m.id, m.is_solution or exists (select from comments reply where reply.parent_id = m.id
				and reply.status = 'published' and reply.author_id <> all((select accounts from mine)::int[])) as kept
			from comments m where m.author_id = any((select accounts from mine)::int[]) and m.status = 'published')
		select (select count(*)::int from own_questions) as questions, (select count(*)::int from own_comments) as comments,
			(select count(*)::int from own_questions where kept) + (select count(*)::int from own_comments where kept) as built_on,
			(select count(*)::int from conversation_members where user_id = ${memberId} and last_message_id is not null) as conversations,
			(select count(*)::int from pictures where user_id = ${memberId}) as pictures`.execute(db())
	return rows[0] ?? { questions: 0, comments: 0, built_on: 0, conversations: 0, pictures: 0 }
}

/** A pending departure. */
export interface DepartureRow {
	user_id: number
	keeps_texts: boolean
	asked_at: Date
	leaves_at: Date
	begun: boolean
	by_rule: boolean
}

/** A member's pending departure; undefined without one. */
export async function findDeparture(userId: number): Promise<DepartureRow | undefined> {
	const { rows } = await sql<DepartureRow>`
		select d.user_id, d.keeps_texts, d.asked_at, u.leaves_at, d.begun_at is not null as begun, d.by_rule
		from departures d join users u on u.id = d.user_id where d.user_id = ${userId}`.execute(db())
	return rows[0]
}

/** Serializes departures and changes of roles, so that the last admin cannot leave. */
export async function lockRoleChanges(trx: Executor): Promise<void> {
	await sql`select pg_advisory_xact_lock(hashtext('roles'))`.execute(trx)
}

/** Whether a member is an admin, and no other one is there who is neither leaving nor unknown to the campus by now. */
export async function isLastAdmin(trx: Executor, userId: number): Promise<boolean> {
	const { rows } = await sql`
		select from users where id = ${userId} and role = 'admin' and leaves_at is null and not exists (
			select from users where role = 'admin' and id <> ${userId} and leaves_at is null and absent_since is null
		)`.execute(trx)
	return rows.length > 0
}

/**
 * Records a departure, and removes the member from all lists; the account must be locked. One that the site asked for becomes one that the
 * member asked for.
 * @returns false if one is pending already
 */
export async function insertDeparture(
	trx: Executor,
	{ userId, keepsTexts, hidProfile }: { userId: number; keepsTexts: boolean; hidProfile: boolean },
): Promise<boolean> {
	const { rows } = await sql`
		insert into departures (user_id, keeps_texts, was_listed, hid_profile)
		select ${userId}, ${keepsTexts}, listed, ${hidProfile} from profiles where user_id = ${userId}
		on conflict (user_id) do update set keeps_texts = excluded.keeps_texts, asked_at = now(), by_rule = false
			where departures.by_rule and departures.begun_at is null
		returning 1`.execute(trx)
	if (rows.length === 0) return false
	await sql`update profiles set listed = false where user_id = ${userId}`.execute(trx)
	await sql`update users set leaves_at = now() + make_interval(days => ${DAYS_TO_COME_BACK}) where id = ${userId}`.execute(
		trx,
	)
	return true
}

/** Cancels a departure unless the deletion has begun; the account must be locked. @returns how to restore the profile */
export async function cancelDeparture(trx: Executor, userId: number): Promise<{ hid_profile: boolean } | undefined> {
	const { rows } = await sql<{ hid_profile: boolean; was_listed: boolean }>`
		delete from departures where user_id = ${userId} and begun_at is null returning hid_profile, was_listed`.execute(
		trx,
	)
	const [departure] = rows
	if (!departure) return undefined
	await sql`update profiles set listed = ${departure.was_listed} where user_id = ${userId}`.execute(trx)
	await sql`update users set leaves_at = null where id = ${userId}`.execute(trx)
	return departure
}

/**
 * A condition on departures `d` and users `u`: the account is to be deleted. If the site asked for that, it is kept once its member
 * has logged in since, or is no longer marked as having left the university: the job that cancels such a departure may be late.
 */
const isStillWanted = sql`(d.begun_at is not null or not d.by_rule
	or (u.left_campus_at is not null and (u.logged_in_at is null or u.logged_in_at <= d.asked_at)))`

/** Members whose 14 days have passed, longest ago first. */
export async function listDue(limit: number): Promise<number[]> {
	const { rows } = await sql<{ user_id: number }>`
		select d.user_id from departures d join users u on u.id = d.user_id
		where u.leaves_at <= now() and ${isStillWanted} order by u.leaves_at limit ${limit}`.execute(db())
	return rows.map((row) => row.user_id)
}

export interface LeaverRow {
	id: number
	accounts: number[]
	username: string
	former_usernames: string[]
	name: string
	email: string
	second_email: string | null
	keeps_texts: boolean
}

/**
 * Starts or resumes the deletion of a member who is due. From here on the member cannot come back, and nothing more is accepted
 * from them.
 * @returns who it is; undefined if they came back or are gone
 */
export async function beginDeletion(trx: Executor, userId: number): Promise<LeaverRow | undefined> {
	await sql`select from users where id = ${userId} for no key update`.execute(trx)
	const { rows } = await sql<LeaverRow>`
		update departures d set begun_at = coalesce(begun_at, now()) from users u
		where d.user_id = ${userId} and u.id = d.user_id and u.leaves_at <= now() and ${isStillWanted}
		returning u.id, ${accountIdsOf(userId)} as accounts, u.username, u.name, u.email, u.second_email, d.keeps_texts,
			array(select usernames.username from usernames where usernames.user_id = u.id and usernames.username <> u.username) as former_usernames`.execute(
		trx,
	)
	return rows[0]
}

/** Deletes the accounts of a member, including pseudonyms. Foreign keys reassign what was written meanwhile. */
export async function deleteAccount(trx: Executor, userId: number): Promise<void> {
	// Their votes end with the account, which changes scores. Whoever votes and comments locks the question before an account.
	await sql`
		select from questions where id in (
			select question_id from question_votes where user_id = ${userId}
			union select question_id from comment_votes join comments on comments.id = comment_id where user_id = ${userId}
			union select question_id from affected_members where user_id = ${userId})
		order by id for no key update`.execute(trx)
	await sql`select from users where id = ${userId} or pseudonym_of = ${userId} order by id for update`.execute(trx)
	await sql`delete from users where id = ${userId}`.execute(trx)
}

/** Deletes queued jobs, such as mails, whose payload matches a regular expression, ignoring case. @returns their number */
export async function deleteJobsNaming(pattern: string): Promise<number> {
	const { numAffectedRows = 0n } = await sql`
		delete from graphile_worker._private_jobs where locked_at is null and payload::text ~* ${pattern}`.execute(db())
	return Number(numAffectedRows)
}
