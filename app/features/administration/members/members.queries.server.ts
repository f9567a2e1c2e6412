import { sql } from 'kysely'
import { suspendedUntil } from '~/features/accounts/accounts.queries.server.ts'
import { isMailBouncing } from '~/features/bounces/bounces.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { escapeLike, isoTime } from '~/platform/db/times.server.ts'
import type { TimeCursor } from '~/platform/http/cursors.ts'
import { daysBefore, momentOf } from '~/platform/settings/region.server.ts'
import type { MemberFilters, Role } from './members.view.ts'

export interface MemberRow {
	id: number
	username: string
	name: string
	image: string | null
	email: string
	email_verified: boolean
	role: Role
	created_at: string
	logged_in_at: string | null
	suspended_until: string | null
	leaves_at: string | null
	left_campus_at: string | null
	hidden: boolean
	campus: string
	cohort: string
	branch: string
	year: number | null
	mail_returned: boolean
}

/** The confirmation of a university address is valid for a year (`campus.view.ts`). */
const isVerified = sql`(p.campus_name <> '' and p.campus_verified_at > now() - interval '365 days')`

/** The branch, except of members who keep that section of their profile to themselves. */
const branchColumn = sql`case when 'academics' = any(p.only_me) then '' else coalesce(p.enrol_in_branch_name, '') end`

const columns = sql`u.id, u.username, u.name, u.image, u.cohort, u.email, u.email_verified, u.role, ${isoTime('u.created_at')} as created_at,
	${isoTime('u.logged_in_at')} as logged_in_at, ${suspendedUntil('u')} as suspended_until, ${isoTime('u.leaves_at')} as leaves_at,
	${isoTime('u.left_campus_at')} as left_campus_at,
	${branchColumn} as branch, p.hidden_at is not null as hidden, case when ${isVerified} then p.campus_name else '' end as campus, p.year_of_passing as year,
	${isMailBouncing} as mail_returned`

const states: Record<string, ReturnType<typeof sql>> = {
	suspended: sql`u.suspended_until > now()`,
	leaving: sql`u.leaves_at is not null`,
	left: sql`u.left_campus_at is not null`,
	hidden: sql`p.hidden_at is not null`,
	unconfirmed: sql`not u.email_verified`,
	never: sql`u.logged_in_at is null`,
	verified: isVerified,
	returned: isMailBouncing,
}

/** A page of members, newest first, restricted to `ids` if given. Imported authors are left out. */
export async function listMemberRows(
	{ q, role, state, year, domain, cohort, branch, from, to, idle, invite, list }: MemberFilters,
	after: TimeCursor | null,
	limit: number,
	ids: readonly number[] | null = null,
): Promise<MemberRow[]> {
	const pattern = (text: string) => `%${escapeLike(text.toLowerCase())}%`
	const [part, username] = [pattern(q), pattern(q.replace(/^@/, ''))]
	// As in the log of the site, which names nobody.
	const number = Number(/^#(\d{1,9})$/.exec(q)?.[1] ?? 0)
	const conditions = [
		sql`not u.imported`,
		...(ids ? [sql`u.id = any(${[...ids]}::int[])`] : []),
		...(q
			? [sql`(lower(u.name) like ${part} or u.username like ${username} or u.email like ${part} or u.id = ${number})`]
			: []),
		...(role ? [sql`u.role = ${role}`] : []),
		...(states[state] ? [states[state]] : []),
		...(year ? [sql`p.year_of_passing = ${Number(year)}`] : []),
		...(domain ? [sql`split_part(u.email, '@', 2) = ${domain.toLowerCase()}`] : []),
		...(cohort ? [sql`lower(u.cohort) = ${cohort.toLowerCase()}`] : []),
		...(branch ? [sql`lower(${branchColumn}) like ${pattern(branch)}`] : []),
		...(from ? [sql`u.created_at >= ${momentOf(from)}`] : []),
		...(to ? [sql`u.created_at < ${momentOf(daysBefore(to, -1))}`] : []),
		...(idle ? [sql`(u.logged_in_at is null or u.logged_in_at < ${momentOf(idle)})`] : []),
		...(invite ? [sql`u.invite_id = ${Number(invite)}`] : []),
		...(list ? [sql`u.invited_address_id in (select id from invited_addresses where list_id = ${Number(list)})`] : []),
		...(after ? [sql`(u.created_at, u.id) < (${after.at}::timestamptz, ${after.id}::int)`] : []),
	]
	const { rows } = await sql<MemberRow>`
		select ${columns} from users u left join profiles p on p.user_id = u.id
		where ${sql.join(conditions, sql` and `)} order by u.created_at desc, u.id desc limit ${limit}`.execute(db())
	return rows
}

export interface MemberDetailRow extends MemberRow {
	sessions: number
	tokens: number
	questions: number
	comments: number
	reports: number
	second_factor: boolean
	passkeys: number
}

/** A member by username, with counts of what they wrote, each by an index. */
export async function findMemberDetail(username: string): Promise<MemberDetailRow | undefined> {
	const { rows } = await sql<MemberDetailRow>`
		select ${columns}, u.second_factor,
			(select count(*)::int from passkeys where user_id = u.id) as passkeys,
			(select count(*)::int from sessions where user_id = u.id and expires_at > now()) as sessions,
			(select count(*)::int from access_tokens where user_id = u.id and expires_at > now()) as tokens,
			(select count(*)::int from questions where author_id = u.id and status = 'published') as questions,
			(select count(*)::int from comments where author_id = u.id and status = 'published') as comments,
			(select coalesce(sum(report_count), 0)::int from cases where kind = 'profile' and target_id = u.id) as reports
		from users u left join profiles p on p.user_id = u.id where u.username = ${username} and not u.imported`.execute(
		db(),
	)
	return rows[0]
}

export interface LockedMember {
	id: number
	role: Role
	email: string
	email_verified: boolean
	suspended_until: string | null
}

/** Locks a member whose role is to change. Changes of roles are serialized, so that two admins cannot demote each other. */
export async function lockForRole(trx: Executor, id: number): Promise<LockedMember | undefined> {
	await sql`select pg_advisory_xact_lock(hashtext('roles'))`.execute(trx)
	const { rows } = await sql<LockedMember>`
		select id, role, email, email_verified, ${suspendedUntil('users')} as suspended_until
		from users where id = ${id} for no key update`.execute(trx)
	return rows[0]
}

/** Sets the cohort of a member; '' for none. @returns false if it is theirs already */
export async function setCohort(trx: Executor, id: number, cohort: string): Promise<boolean> {
	const { numAffectedRows = 0n } = await sql`
		update users set cohort = ${cohort}, updated_at = now() where id = ${id} and cohort <> ${cohort}`.execute(trx)
	return numAffectedRows > 0n
}
