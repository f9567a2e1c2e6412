import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { Merge } from '~/platform/member-data.ts'

/** Uses of a link: members who registered with it, and registrations of the last day that are not confirmed. */
const used = sql<number>`(
	(select count(*)::int from users where users.invite_id = invites.id)
	+ (select count(*)::int from registrations where registrations.invite_id = invites.id
		and registrations.created_at > now() - interval '1 day'))`

export interface InviteRow {
	id: number
	cohort: string
	max_uses: number
	used: number
	expires_at: Date
	created_at: Date
	revoked_at: Date | null
	is_expired: boolean
	by: string | null
}

const columns = sql`invites.id, invites.cohort, invites.max_uses, ${used} as used, invites.expires_at, invites.created_at,
	invites.revoked_at, invites.expires_at <= now() as is_expired, maker.username as by`

/** Stores a link by the hash of its token. */
export async function insertInvite(
	invite: { hash: string; cohort: string; uses: number; days: number; createdBy: number },
	trx: Executor,
): Promise<number> {
	const { hash, cohort, uses, days, createdBy } = invite
	const { rows } = await sql<{ id: number }>`
		insert into invites (token_hash, cohort, max_uses, expires_at, created_by)
		values (${hash}, ${cohort}, ${uses}, now() + make_interval(days => ${days}), ${createdBy}) returning id`.execute(
		trx,
	)
	return rows[0]?.id ?? 0
}

/** A page of links, newest first. @param before the id of the last one of the page before; null for none */
export async function listInviteRows(before: number | null, limit: number): Promise<InviteRow[]> {
	const { rows } = await sql<InviteRow>`
		select ${columns} from invites left join users maker on maker.id = invites.created_by
		where ${before === null ? sql`true` : sql`invites.id < ${before}`} order by invites.id desc limit ${limit}`.execute(
		db(),
	)
	return rows
}

/** Revokes a link, and deletes unconfirmed registrations made with it. @returns whether it was open */
export async function revokeInviteRow(trx: Executor, id: number): Promise<boolean> {
	const { rows } = await sql`
		update invites set revoked_at = now() where id = ${id} and revoked_at is null returning id`.execute(trx)
	// A statement of its own: the one above may have waited for a registration, which it would not see.
	await sql`delete from registrations where invite_id = ${id}`.execute(trx)
	return rows.length > 0
}

/** Finds a link by its token. @param lock whether to lock it until the transaction ends, so that its last use is taken once */
export async function findInvite(
	hash: string,
	executor: Executor = db(),
	{ lock = false } = {},
): Promise<InviteRow | undefined> {
	if (lock) await sql`select from invites where token_hash = ${hash} for update`.execute(executor)
	const { rows } = await sql<InviteRow>`
		select ${columns} from invites left join users maker on maker.id = invites.created_by
		where invites.token_hash = ${hash}`.execute(executor)
	return rows[0]
}

export interface InvitedAddressRow {
	id: string
	email: string
	cohort: string
	is_expired: boolean
	is_used: boolean
}

/** Finds the address that was mailed this token. @param lock whether to lock it until the transaction ends */
export async function findInvitedAddress(
	hash: string,
	executor: Executor = db(),
	{ lock = false } = {},
): Promise<InvitedAddressRow | undefined> {
	if (lock) await sql`select from invited_addresses where token_hash = ${hash} for update`.execute(executor)
	const { rows } = await sql<InvitedAddressRow>`
		select one.id, one.email, list.cohort, list.expires_at <= now() as is_expired,
			exists (select from account_emails held where held.email = one.email)
				or exists (select from users where users.invited_address_id = one.id) as is_used
		from invited_addresses one join invite_lists list on list.id = one.list_id
		where one.token_hash = ${hash}`.execute(executor)
	return rows[0]
}

/** Records the invitation that a member registered with. */
export async function writeMemberInvite(
	trx: Executor,
	userId: number,
	{
		cohort,
		inviteId = null,
		addressId = null,
	}: { cohort: string; inviteId?: number | null; addressId?: string | null },
): Promise<void> {
	await sql`update users set cohort = ${cohort}, invite_id = ${inviteId}, invited_address_id = ${addressId}
		where id = ${userId}`.execute(trx)
}

/**
 * Records the invitation of a member who came without one, by the confirmed address that a list invited; of several, the newest. Its cohort
 * replaces one that a login of the university delivered, and no other.
 */
export async function writeInvitationOfAddress(userId: number): Promise<void> {
	await sql`
		with invited as (
			select one.id, list.cohort from users u
			join invited_addresses one on one.email = u.email join invite_lists list on list.id = one.list_id
			where u.id = ${userId} and u.email_verified and u.invite_id is null and u.invited_address_id is null
				and list.state <> 'draft' and list.expires_at > now()
				and not exists (select from users other where other.invited_address_id = one.id)
			order by list.id desc limit 1
		)
		update users set invited_address_id = invited.id, cohort = case
			when invited.cohort <> '' and (users.cohort = '' or users.cohort = (
				select value from campus_fields where user_id = users.id and field = 'cohort'
			)) then invited.cohort else users.cohort end
		from invited where users.id = ${userId}`.execute(db())
}

/** Gives the kept account of a merge the invitation of the other one, so that neither can be used again; one that it cannot have ends. */
export async function mergeInvites(trx: Executor, { goneId, keptId }: Merge): Promise<void> {
	await sql`
		update invited_addresses set token_hash = null from users gone, users kept
		where invited_addresses.id = gone.invited_address_id and gone.id = ${goneId} and kept.id = ${keptId}
			and kept.invited_address_id is not null`.execute(trx)
	// The account of an address is unique, at the end of each statement.
	const { rows } = await sql<{ invite: number | null; address: string | null }>`
		with before as (select invite_id as invite, invited_address_id as address from users where id = ${goneId})
		update users set invite_id = null, invited_address_id = null from before where id = ${goneId} returning before.*`.execute(
		trx,
	)
	const [origin] = rows
	await sql`
		update users set invite_id = coalesce(invite_id, ${origin?.invite}), invited_address_id = coalesce(invited_address_id, ${origin?.address})
		where id = ${keptId}`.execute(trx)
}

/** Records the link of an unconfirmed registration. */
export async function writeRegistrationInvite(trx: Executor, email: string, inviteId: number): Promise<void> {
	await sql`update registrations set invite_id = ${inviteId} where email = ${email}`.execute(trx)
}
