import { sql } from 'kysely'
import type { SignedIn } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { Merge } from '~/platform/member-data.ts'
import type { Group, GroupRole } from './group-roles-section.server.ts'

/** A member whose login has shown a group with a role. */
export interface GroupRoleRow {
	user_id: number
	/** The login that showed it; null once it is unlinked. */
	identity_id: number | null
	provider: string
	group_name: string
	role: GroupRole
	/** The role that returns when the group's ends; null where the group gave none. */
	former_role: 'member' | 'moderator' | null
	/** Since when their logins show other groups only. */
	missing_since: Date | null
	/** The group with a lower role that they show since then. */
	lower_group: string | null
	/** Whether the login was unlinked, and no other one of its provider is linked since, as by a mail after the issuer has changed. */
	is_unlinked: boolean
}

const isUnlinked = sql<boolean>`(g.identity_id is null and not exists (
	select from identities i where i.user_id = g.user_id and i.provider = g.provider))`

/** The group of a member that has a role; undefined for none. */
export async function findGroupRole(userId: number, executor: Executor = db()): Promise<GroupRoleRow | undefined> {
	const { rows } = await sql<GroupRoleRow>`
		select g.user_id, g.identity_id, g.provider, g.group_name, g.role, g.former_role, g.missing_since, g.lower_group,
			${isUnlinked} as is_unlinked
		from group_roles g where g.user_id = ${userId}`.execute(executor)
	return rows[0]
}

export interface LockedMember {
	id: number
	name: string
	email: string
	role: SignedIn['role']
	/** Whether they are suspended or leaving. */
	is_barred: boolean
}

/** Locks a member whose role may change. */
export async function lockForGroupRole(trx: Executor, userId: number): Promise<LockedMember | undefined> {
	const { rows } = await sql<LockedMember>`
		select id, name, email, role, leaves_at is not null or coalesce(suspended_until > now(), false) as is_barred
		from users where id = ${userId} for no key update`.execute(trx)
	return rows[0]
}

/** Stores that a login has just shown a group. Call it after the role is written, as that counts as done by hand. */
export async function saveGroupRole(
	trx: Executor,
	shown: {
		userId: number
		identityId: number | null
		provider: string
		group: Group
		formerRole: GroupRoleRow['former_role']
	},
): Promise<void> {
	const { userId, identityId, provider, group, formerRole } = shown
	await sql`
		insert into group_roles (user_id, identity_id, provider, group_name, role, former_role)
		values (${userId}, ${identityId}, ${provider}, ${group.name}, ${group.role}, ${formerRole})
		on conflict (user_id) do update set identity_id = excluded.identity_id, provider = excluded.provider,
			group_name = excluded.group_name, role = excluded.role, former_role = excluded.former_role,
			shown_at = now(), missing_since = null, lower_group = null, told_at = null`.execute(trx)
}

/** Stores that a member's login no longer shows the group. @param lowerGroup the one with a lower role that it shows; null for none */
export async function markMissing(trx: Executor, userId: number, lowerGroup: string | null): Promise<void> {
	await sql`
		update group_roles set missing_since = coalesce(missing_since, now()), lower_group = ${lowerGroup}
		where user_id = ${userId}`.execute(trx)
}

/** Members whose login no longer shows one of these groups. */
export async function listMissing(provider: string, groups: readonly Group[]): Promise<number[]> {
	const { rows } = await sql<{ user_id: number }>`
		select g.user_id from group_roles g
		join jsonb_to_recordset(${JSON.stringify(groups)}::jsonb) as shown (name text, role text)
			on shown.name = g.group_name and shown.role = g.role
		where g.provider = ${provider} and g.missing_since is not null order by g.user_id`.execute(db())
	return rows.map(({ user_id }) => user_id)
}

/** Members with a role by the group of a login that was unlinked. */
export async function listUnlinked(): Promise<number[]> {
	const { rows } = await sql<{ user_id: number }>`
		select g.user_id from group_roles g where ${isUnlinked} and g.former_role is not null order by g.user_id`.execute(
		db(),
	)
	return rows.map(({ user_id }) => user_id)
}

/** Forgets the group of a member. */
export async function deleteGroupRole(trx: Executor, userId: number): Promise<void> {
	await sql`delete from group_roles where user_id = ${userId}`.execute(trx)
}

/** Makes the role that a group gave one that was given by hand. @returns whether it was one */
export async function keepGroupRole(trx: Executor, userId: number): Promise<boolean> {
	const { rows } = await sql`
		update group_roles set former_role = null where user_id = ${userId} and former_role is not null returning 1`.execute(
		trx,
	)
	return rows.length > 0
}

export interface MissingGroup {
	name: string
	username: string
	role: GroupRole
	group_name: string
	shown_at: Date
}

/**
 * The members with a role by a group that has been missing for a day, or whose login has not shown it for 90 days. Those who were returned
 * within the last week are left out.
 */
export async function takeMissingGroups(trx: Executor): Promise<MissingGroup[]> {
	const { rows } = await sql<MissingGroup>`
		update group_roles g set told_at = now() from users u
		where u.id = g.user_id and g.former_role is not null
			and (g.missing_since < now() - interval '1 day' or g.shown_at < now() - interval '90 days')
			and (g.told_at is null or g.told_at < now() - interval '7 days')
		returning u.name, u.username, g.role, g.group_name, g.shown_at`.execute(trx)
	return rows
}

/** Moves the fact that a role was given or taken by hand to the kept account of a merge. A merge never moves a role itself. */
export async function mergeGroupRole(trx: Executor, { goneId, keptId }: Merge): Promise<void> {
	await sql`
		update group_roles set user_id = ${keptId} where user_id = ${goneId} and former_role is null
			and not exists (select from group_roles where user_id = ${keptId})`.execute(trx)
}
