import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'

/** Whose an address is, and what is known of it. */
export interface WayRow {
	user_id: number
	email: string
	is_marked: boolean
	has_complained: boolean
}

/** Who has this address, and whether mail to it comes back; undefined where it is nobody's. */
export async function findWay(email: string): Promise<WayRow | undefined> {
	const { rows } = await sql<WayRow>`
		select account.user_id, account.email, bounce.marked_at is not null as is_marked,
			bounce.complained_at is not null as has_complained
		from account_emails account left join mail_bounces bounce using (email)
		where account.email = lower(${email})`.execute(db())
	return rows[0]
}

/** The one or two addresses of an account. */
export async function listAddresses(userId: number): Promise<string[]> {
	const { rows } = await sql<{ email: string }>`
		select email from account_emails where user_id = ${userId}`.execute(db())
	return rows.map(({ email }) => email)
}

const today = sql`(now() at time zone 'UTC')::date`

/** Takes one of the mails that an address may get today although they come back. @returns false when there were too many */
export async function takeTry(email: string, most: number): Promise<boolean> {
	const { numAffectedRows } = await sql`
		update mail_bounces set tries = case when tried_on = ${today} then tries + 1 else 1 end, tried_on = ${today}
		where email = ${email} and (tried_on is distinct from ${today} or tries < ${most})`.execute(db())
	return numAffectedRows === 1n
}

/** Gives one back that was not sent after all. */
export async function giveBackTry(email: string): Promise<void> {
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

/**
 * Locks what is known of an address, of whoever has it.
 * @param makes whether a row is made where there is none
 * @returns undefined where the account has no such address
 */
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

/** Writes what is known of an address by now; what is left out stays. */
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

/** Takes the mark off an address of an account, or off all of them. @returns the addresses that had one, or were about to get one */
export async function clearMarks(trx: Executor, userId: number, email: string | null): Promise<string[]> {
	const { rows } = await sql<{ email: string }>`
		update mail_bounces set marked_at = null, cleared_at = now(), failed_days = '{}', status = ''
		where user_id = ${userId} and (${email}::text is null or email = ${email})
			and (marked_at is not null or failed_days <> '{}')
		returning email`.execute(trx)
	return rows.map((row) => row.email)
}

/** Forgets that mails to a member were reported as spam. */
export async function clearComplaints(userId: number): Promise<void> {
	await sql`
		update mail_bounces set complained_at = null, cleared_at = now()
		where user_id = ${userId} and complained_at is not null`.execute(db())
}

export interface AddressProblemRow {
	email: string
	/** Mails go there; otherwise it is the one beside it. */
	is_first: boolean
	status: string
	marked_at: Date | null
	complained_at: Date | null
}

/** What is wrong with the addresses of an account, that which mails go to first. */
export async function listAddressProblems(userId: number): Promise<AddressProblemRow[]> {
	const { rows } = await sql<AddressProblemRow>`
		select bounce.email, bounce.email = users.email as is_first, bounce.status, bounce.marked_at, bounce.complained_at
		from mail_bounces bounce join users on users.id = bounce.user_id
		where bounce.user_id = ${userId} and (bounce.marked_at is not null or bounce.complained_at is not null)
		order by is_first desc`.execute(db())
	return rows
}

/** Whether a member is sent no mails of convenience at present, as part of a statement. */
export const isWithheldFrom = (userId: number) => sql`exists (
	select from users join mail_bounces bounce using (email)
	where users.id = ${userId} and (bounce.marked_at is not null or bounce.complained_at is not null))`

/** Whether mail to any address of the member `u` comes back. */
export const isReturned = sql`exists (select from mail_bounces where user_id = u.id and marked_at is not null)`

/** Addresses to which mail comes back, and from which it was reported as spam. */
export async function countAddressProblems(): Promise<{ returned: number; complained: number }> {
	const { rows } = await sql<{ returned: number; complained: number }>`
		select count(marked_at)::int as returned, count(complained_at)::int as complained from mail_bounces`.execute(db())
	return rows[0] ?? { returned: 0, complained: 0 }
}

/** Forgets what is known of addresses that mail arrives at, where nothing was heard for so many days. @returns how many */
export async function sweepBounces(days: number, limit: number): Promise<number> {
	const { numAffectedRows = 0n } = await sql`
		delete from mail_bounces where email in (
			select email from mail_bounces where marked_at is null and complained_at is null
				and greatest(sent_at, cleared_at) < now() - make_interval(days => ${days})
			limit ${limit} for update skip locked)`.execute(db())
	return Number(numAffectedRows)
}
