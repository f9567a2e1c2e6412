import { type Generated, sql } from 'kysely'
import { campusProviders } from '~/features/campus-login/identities.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { CheckView, LeaverView } from './campus-leavers.view.ts'
import type { NameKind } from './list-reading.ts'

declare module '~/platform/db/schema.ts' {
	interface Database {
		directory_checks: {
			id: Generated<number>
			at: Generated<Date>
			state: CheckView['state']
			asked: number
			missing: Generated<number>
			staff: Generated<number>
		}
	}
}

/** An identity of the directory, and its member. */
export interface DirectoryIdentity {
	id: number
	user_id: number
	subject: string
	role: 'member' | 'moderator' | 'admin'
}

/** The identities of a directory whose members are not marked as having left. */
export async function listDirectoryIdentities(issuer: string): Promise<DirectoryIdentity[]> {
	const { rows } = await sql<DirectoryIdentity>`
		select i.id, i.user_id, i.subject, u.role from identities i join users u on u.id = i.user_id
		where i.provider = 'ldap' and i.issuer = ${issuer} and u.left_campus_at is null order by i.id`.execute(db())
	return rows
}

/** Records which identities were found. The time of those that are still missing stays; those that an admin spared are not missing. */
export async function writeMissing(asked: readonly number[], missing: readonly number[]): Promise<void> {
	await sql`
		update identities set missing_since = null, spared = false
		where id = any(${[...asked]}::int[]) and id <> all(${[...missing]}::int[]) and (missing_since is not null or spared)`.execute(
		db(),
	)
	await sql`
		update identities set missing_since = now()
		where id = any(${[...missing]}::int[]) and missing_since is null and not spared`.execute(db())
}

/** Hours between two checks that count as two: somebody missing in both has left. */
const HOURS_APART = 20

/**
 * The identities of a directory that were missing for at least two checks up to a time, of members who are not marked yet and have not
 * logged in at another login of the campus since.
 */
export async function listMissing(issuer: string, before: Date): Promise<DirectoryIdentity[]> {
	const { rows } = await sql<DirectoryIdentity>`
		select i.id, i.user_id, i.subject, u.role from identities i join users u on u.id = i.user_id
		where i.provider = 'ldap' and i.issuer = ${issuer} and u.left_campus_at is null and u.leaves_at is null
			and i.missing_since <= ${before}::timestamptz - make_interval(hours => ${HOURS_APART})
			and not exists (select from identities other where other.user_id = i.user_id and other.id <> i.id
				and other.provider = any(${[...campusProviders]}) and other.used_at > i.missing_since)
		order by i.id`.execute(db())
	return rows
}

/** Forgets who was missing, so that two more checks have to miss them. */
export async function clearMissing(trx: Executor): Promise<void> {
	await sql`update identities set missing_since = null where missing_since is not null`.execute(trx)
}

/** Checks that are kept. */
const MAX_CHECKS = 30

/** Records a check of the directory. */
export async function insertCheck(check: {
	at?: Date
	state: CheckView['state']
	asked: number
	missing?: number
	staff?: number
}): Promise<void> {
	await db().insertInto('directory_checks').values(check).execute()
	await sql`
		delete from directory_checks where id <= (select max(id) from directory_checks) - ${MAX_CHECKS}`.execute(db())
}

export interface CheckRow {
	id: number
	at: Date
	state: CheckView['state']
	asked: number
	missing: number
	staff: number
}

/** The last check of the directory. @param isClear the last that did not fail */
export async function findLastCheck(isClear = false): Promise<CheckRow | undefined> {
	const { rows } = await sql<CheckRow>`
		select id, at, state, asked, missing, staff from directory_checks
		where not ${isClear} or state <> 'failed' order by id desc limit 1`.execute(db())
	return rows[0]
}

/** Decides about a held check, if it is the last one. @returns when it was; undefined if it was decided, or there is a newer one */
export async function decideCheck(
	trx: Executor,
	id: number,
	state: 'confirmed' | 'ignored',
): Promise<Date | undefined> {
	const { rows } = await sql<{ at: Date }>`
		update directory_checks set state = ${state}
		where id = ${id} and state = 'held' and id = (select max(id) from directory_checks) returning at`.execute(trx)
	return rows[0]?.at
}

/** Keeps an account from being deleted until the transaction ends. @returns false if it is gone */
export async function lockAccount(trx: Executor, userId: number): Promise<boolean> {
	const { rows } = await sql`select from users where id = ${userId} for key share`.execute(trx)
	return rows.length > 0
}

/**
 * Marks a member as having left the university.
 * @returns false for staff, who are never marked, and for members who are marked or being deleted
 */
export async function writeLeft(trx: Executor, userId: number): Promise<boolean> {
	const { rows } = await sql`
		update users set left_campus_at = now()
		where id = ${userId} and role = 'member' and left_campus_at is null and leaves_at is null
			and not imported and pseudonym_of is null returning id`.execute(trx)
	return rows.length > 0
}

/** Takes the mark back. The directory only marks them again after it has had them in between. @returns whether there was one */
export async function clearLeft(trx: Executor, userId: number): Promise<boolean> {
	const { rows } = await sql`
		update users set left_campus_at = null where id = ${userId} and left_campus_at is not null returning id`.execute(
		trx,
	)
	await sql`update identities set missing_since = null, spared = provider = 'ldap' where user_id = ${userId}`.execute(
		trx,
	)
	return rows.length > 0
}

/** Ends the confirmation that a member studies at a university. */
export async function endCampusConfirmation(trx: Executor, userId: number): Promise<void> {
	await sql`
		update profiles set campus_name = '', campus_verified_at = null
		where user_id = ${userId} and campus_verified_at is not null`.execute(trx)
}

export interface LeaverRow extends LeaverView {
	left_campus_at: Date
}

/** Those marked last, newest first. */
export async function listLeavers(limit: number): Promise<LeaverRow[]> {
	const { rows } = await sql<LeaverRow>`
		select id, username, name, email, left_campus_at from users where left_campus_at is not null
		order by left_campus_at desc, id desc limit ${limit}`.execute(db())
	return rows
}

/** Whether anybody has left. */
export async function hasLeavers(): Promise<boolean> {
	const { rows } = await sql`select from users where left_campus_at is not null limit 1`.execute(db())
	return rows.length > 0
}

/** When the member with this address left the university, and whether the address is confirmed; undefined for a member who has not left. */
export async function findLeaver(email: string): Promise<{ left_campus_at: Date; is_confirmed: boolean } | undefined> {
	const { rows } = await sql<{ left_campus_at: Date; is_confirmed: boolean }>`
		select u.left_campus_at, u.email_verified or u.email <> held.email as is_confirmed
		from account_emails held join users u on u.id = held.user_id
		where held.email = ${email} and u.left_campus_at is not null`.execute(db())
	return rows[0]
}

export interface NamedMember extends LeaverView {
	role: 'member' | 'moderator' | 'admin'
	isMarked: boolean
	isLeaving: boolean
}

/** Members by their ids. */
export async function listNamed(ids: readonly number[]): Promise<NamedMember[]> {
	const { rows } = await sql<NamedMember>`
		select id, username, name, email, role, left_campus_at is not null as "isMarked", leaves_at is not null as "isLeaving"
		from users where id = any(${[...ids]}::int[]) and not imported and pseudonym_of is null order by name, id`.execute(
		db(),
	)
	return rows
}

/** Whom these names belong to, in lower case: addresses of accounts, confirmed university addresses, usernames, enrolment numbers. */
export async function findByNames(
	names: Readonly<Record<NameKind, readonly string[]>>,
): Promise<{ kind: NameKind; name: string; user_id: number }[]> {
	const { email, username, number } = names
	const { rows } = await sql<{ kind: NameKind; name: string; user_id: number }>`
		select 'email' as kind, email as name, user_id from account_emails where email = any(${[...email]}::text[])
		union select 'email', lower(university_email), user_id from profiles
			where campus_verified_at is not null and lower(university_email) = any(${[...email]}::text[])
		union select 'username', username, user_id from usernames where username = any(${[...username]}::text[]) and user_id is not null
		union select 'number', lower(trim(enrolment_number)), user_id from profiles
			where lower(trim(enrolment_number)) = any(${[...number]}::text[])`.execute(db())
	return rows
}

/** A condition: the user `u` has left, and not logged in since. */
const hasNotReturned = sql`(u.left_campus_at is not null and (u.logged_in_at is null or u.logged_in_at < u.left_campus_at))`

interface ForgottenRow {
	id: number
	username: string
	/** Confirmed addresses. */
	emails: string[]
}

/** Members who left more than `days` ago, and have not logged in since, longest ago first. */
export async function listForgotten(days: number): Promise<ForgottenRow[]> {
	const { rows } = await sql<ForgottenRow>`
		select u.id, u.username, array(select held.email from account_emails held
			where held.user_id = u.id and (u.email_verified or held.email <> u.email)) as emails
		from users u
		where u.left_campus_at < now() - make_interval(days => ${days}) and u.role = 'member' and u.leaves_at is null
			and ${hasNotReturned} order by u.left_campus_at, u.id`.execute(db())
	return rows
}

/** Records that the site asked for a deletion. @returns false if the member is not marked any more, or has logged in since */
export async function markByRule(trx: Executor, userId: number): Promise<boolean> {
	const { rows } = await sql`
		update departures d set by_rule = true from users u
		where d.user_id = ${userId} and u.id = d.user_id and ${hasNotReturned} returning d.user_id`.execute(trx)
	return rows.length > 0
}

/** Members whose deletion the site asked for, and is no longer due: they logged in, are not marked any more, or the rule has ended. */
export async function listSpared(isRuleOn: boolean): Promise<{ id: number; username: string }[]> {
	const { rows } = await sql<{ id: number; username: string }>`
		select u.id, u.username from departures d join users u on u.id = d.user_id
		where d.by_rule and d.begun_at is null
			and (not ${isRuleOn} or u.left_campus_at is null or u.logged_in_at > d.asked_at)`.execute(db())
	return rows
}
