import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { SAME_OWNER_DAYS } from './bounces.policy.ts'

/** The owner of an address, and the state of its mail. */
export interface AddressOwnerRow {
	user_id: number
	email: string
	is_marked: boolean
	has_complained: boolean
	/** Whether the account is being deleted. */
	is_leaving: boolean
	/** Whether its member has left the university long ago, and not logged in since. */
	is_gone: boolean
}

/** The account with this address, and what speaks against mailing it; undefined if nobody has it. */
export async function findAddressOwner(email: string): Promise<AddressOwnerRow | undefined> {
	const { rows } = await sql<AddressOwnerRow>`
		select account.user_id, account.email, bounce.marked_at is not null as is_marked,
			bounce.complained_at is not null as has_complained, users.leaves_at is not null as is_leaving,
			users.absent_since is not null
				and coalesce(users.left_campus_at < now() - make_interval(days => ${SAME_OWNER_DAYS}), false) as is_gone
		from account_emails account left join mail_bounces bounce using (email) join users on users.id = account.user_id
		where account.email = lower(${email})`.execute(db())
	return rows[0]
}

/** The one or two addresses of an account. */
export async function listMemberAddresses(userId: number): Promise<string[]> {
	const { rows } = await sql<{ email: string }>`
		select email from account_emails where user_id = ${userId}`.execute(db())
	return rows.map(({ email }) => email)
}

const today = sql`(now() at time zone 'UTC')::date`

/** Takes one of today's mails to an address that bounces. @returns false if the limit is reached */
export async function reserveDailyMail(email: string, most: number): Promise<boolean> {
	const { numAffectedRows } = await sql`
		update mail_bounces set tries = case when tried_on = ${today} then tries + 1 else 1 end, tried_on = ${today}
		where email = ${email} and (tried_on is distinct from ${today} or tries < ${most})`.execute(db())
	return numAffectedRows === 1n
}

/** Gives back a mail that was not sent after all. */
export async function releaseDailyMail(email: string): Promise<void> {
	await sql`update mail_bounces set tries = greatest(tries - 1, 0) where email = ${email}`.execute(db())
}

export interface BounceRow {
	email: string
	sent_at: Date
	status: string
	/** ISO 8601 dates. */
	failed_days: string[]
	marked_at: Date | null
	complained_at: Date | null
	cleared_at: Date | null
}

/** Locks the record of an address. @param makes whether to create a missing record @returns undefined if the account has no such address */
export async function lockBounce(
	trx: Executor,
	{ userId, email }: { userId: number; email: string },
	{ makes }: { makes: boolean },
): Promise<BounceRow | undefined> {
	if (makes)
		await sql`
			insert into mail_bounces (email, user_id)
			select email, user_id from account_emails where email = ${email} and user_id = ${userId}
			on conflict (email) do nothing`.execute(trx)
	const { rows } = await sql<BounceRow>`
		select email, sent_at, status, failed_days::text[] as failed_days, marked_at, complained_at, cleared_at
		from mail_bounces where email = ${email} and user_id = ${userId} for update`.execute(trx)
	return rows[0]
}

/** Updates the record of an address; omitted columns keep their values. */
export async function writeBounce(
	trx: Executor,
	email: string,
	known: Partial<Omit<BounceRow, 'email'>>,
): Promise<void> {
	const { failed_days, ...others } = known
	const columns = Object.entries(others).map(([name, value]) => sql`${sql.ref(name)} = ${value}`)
	if (failed_days) columns.push(sql`failed_days = ${failed_days}::date[]`)
	await sql`update mail_bounces set ${sql.join(columns)} where email = ${email}`.execute(trx)
}

/** Clears the bounce mark of an address of an account, or of all of them. @returns the addresses that had a mark, or had failures */
export async function clearBounceMarks(trx: Executor, userId: number, email: string | null): Promise<string[]> {
	const { rows } = await sql<{ email: string }>`
		update mail_bounces set marked_at = null, cleared_at = now(), failed_days = '{}', status = ''
		where user_id = ${userId} and (${email}::text is null or email = ${email})
			and (marked_at is not null or failed_days <> '{}')
		returning email`.execute(trx)
	return rows.map((row) => row.email)
}

/** Clears a member's spam complaints. */
export async function clearComplaints(userId: number): Promise<void> {
	await sql`
		update mail_bounces set complained_at = null, cleared_at = now()
		where user_id = ${userId} and complained_at is not null`.execute(db())
}

export interface AddressProblemRow {
	email: string
	/** Whether this is the address that mails go to, not the second one. */
	is_first: boolean
	status: string
	marked_at: Date | null
	complained_at: Date | null
}

/** Problems of the addresses of an account; the address that mails go to comes first. */
export async function listAddressProblems(userId: number): Promise<AddressProblemRow[]> {
	const { rows } = await sql<AddressProblemRow>`
		select bounce.email, bounce.email = users.email as is_first, bounce.status, bounce.marked_at, bounce.complained_at
		from mail_bounces bounce join users on users.id = bounce.user_id
		where bounce.user_id = ${userId} and (bounce.marked_at is not null or bounce.complained_at is not null)
		order by is_first desc`.execute(db())
	return rows
}

/** An SQL condition: whether optional mails to a member are withheld. */
export const isWithheldFrom = (userId: number) => sql`exists (
	select from users join mail_bounces bounce using (email)
	where users.id = ${userId} and (bounce.marked_at is not null or bounce.complained_at is not null))`

/** An SQL condition: whether mail to any address of the member `u` bounces. */
export const isMailBouncing = sql`exists (select from mail_bounces where user_id = u.id and marked_at is not null)`

/** The number of addresses that bounce, and of those that complained. */
export async function countAddressProblems(): Promise<{ returned: number; complained: number }> {
	const { rows } = await sql<{ returned: number; complained: number }>`
		select count(marked_at)::int as returned, count(complained_at)::int as complained from mail_bounces`.execute(db())
	return rows[0] ?? { returned: 0, complained: 0 }
}

/** Deletes old records of addresses without a mark. @returns their number */
export async function sweepBounces(days: number, limit: number): Promise<number> {
	const { numAffectedRows = 0n } = await sql`
		delete from mail_bounces where email in (
			select email from mail_bounces where marked_at is null and complained_at is null
				and greatest(sent_at, cleared_at) < now() - make_interval(days => ${days})
			limit ${limit} for update skip locked)`.execute(db())
	return Number(numAffectedRows)
}
