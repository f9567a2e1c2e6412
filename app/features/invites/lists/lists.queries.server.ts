import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { addressPattern } from '~/platform/db/member-names.queries.server.ts'
import type { ListReport, ListState } from '../invites.view.ts'

/** Those of these addresses that have an account. */
export async function findMemberAddresses(emails: readonly string[]): Promise<Set<string>> {
	const { rows } = await sql<{ email: string }>`
		select email from account_emails where email = any(${[...emails]}::text[])`.execute(db())
	return new Set(rows.map(({ email }) => email))
}

/** In one statement, so that the longest list stays below the time limit of a statement on a busy machine. */
const ADDRESSES_AT_ONCE = 5_000

interface NewList {
	cohort: string
	days: number
	report: ListReport
	createdBy: number
	emails: readonly string[]
}

/** Stores a checked list as a draft. @returns its id */
export async function insertList(trx: Executor, list: NewList): Promise<number> {
	const { cohort, days, report, createdBy, emails } = list
	const { rows } = await sql<{ id: number }>`
		insert into invite_lists (cohort, report, created_by, expires_at)
		values (${cohort}, ${JSON.stringify(report)}::jsonb, ${createdBy}, now() + make_interval(days => ${days}))
		returning id`.execute(trx)
	const id = rows[0]?.id ?? 0
	for (let from = 0; from < emails.length; from += ADDRESSES_AT_ONCE) {
		const some = emails.slice(from, from + ADDRESSES_AT_ONCE)
		await sql`insert into invited_addresses (list_id, email) select ${id}, unnest(${some}::text[])`.execute(trx)
	}
	return id
}

export interface ListRow {
	id: number
	cohort: string
	state: ListState
	report: ListReport
	created_at: Date
	expires_at: Date
	is_expired: boolean
	by: string | null
	total: number
	mailed: number
	joined: number
}

const columns = sql`list.id, list.cohort, list.state, list.report, list.created_at, list.expires_at,
	list.expires_at <= now() as is_expired, users.username as by,
	(select count(*)::int from invited_addresses one where one.list_id = list.id) as total,
	(select count(*)::int from invited_addresses one where one.list_id = list.id and one.mailed_at is not null) as mailed,
	(select count(*)::int from users came join invited_addresses one on one.id = came.invited_address_id
		where one.list_id = list.id) as joined`

/** A page of lists, newest first. @param before the id of the last one of the page before; null for none */
export async function listLists(before: number | null, limit: number): Promise<ListRow[]> {
	const { rows } = await sql<ListRow>`
		select ${columns} from invite_lists list left join users on users.id = list.created_by
		where ${before === null ? sql`true` : sql`list.id < ${before}`} order by list.id desc limit ${limit}`.execute(db())
	return rows
}

/** Finds a list by its id. */
export async function findList(id: number): Promise<ListRow | undefined> {
	const { rows } = await sql<ListRow>`
		select ${columns} from invite_lists list left join users on users.id = list.created_by where list.id = ${id}`.execute(
		db(),
	)
	return rows[0]
}

/** Changes the state of a list if it is in one of the given states. @returns whether it was */
export async function writeListState(
	trx: Executor,
	id: number,
	{ from, to }: { from: readonly ListState[]; to: ListState },
): Promise<boolean> {
	const { rows } = await sql`
		update invite_lists set state = ${to} where id = ${id} and state = any(${[...from]}::text[]) returning id`.execute(
		trx,
	)
	return rows.length > 0
}

/** Deletes a list that was never mailed. @param trx a transaction @returns whether it was a draft */
export async function deleteDraftList(trx: Executor, id: number): Promise<boolean> {
	const { rows } = await sql`select from invite_lists where id = ${id} and state = 'draft' for update`.execute(trx)
	if (rows.length === 0) return false
	let deleted = 0n
	do {
		const { numAffectedRows = 0n } = await sql`
			delete from invited_addresses where id in (
				select id from invited_addresses where list_id = ${id} limit ${ADDRESSES_AT_ONCE})`.execute(trx)
		deleted = numAffectedRows
	} while (deleted > 0n)
	await sql`delete from invite_lists where id = ${id}`.execute(trx)
	return true
}

export interface WaitingAddress {
	id: string
	email: string
	cohort: string
	expires_at: Date
	/** Whether the address has registered since the list was made; it is not mailed then. */
	is_member: boolean
}

/** Locks the next addresses to mail, oldest list first, and skips those that another process has locked. */
export async function lockNextAddresses(trx: Executor, limit: number): Promise<WaitingAddress[]> {
	const { rows } = await sql<WaitingAddress>`
		select one.id, one.email, list.cohort, list.expires_at, exists (select from account_emails held where held.email = one.email) as is_member
		from invited_addresses one join invite_lists list on list.id = one.list_id
		where one.mailed_at is null and list.state = 'sending' and list.expires_at > now()
		order by list.id, one.id limit ${limit} for update of one skip locked`.execute(trx)
	return rows
}

/** Records that an address is mailed. @param hash of the token in the mail; null if it is skipped, as it has an account */
export async function recordMailed(trx: Executor, id: string, hash: string | null): Promise<void> {
	await sql`update invited_addresses set mailed_at = now(), token_hash = ${hash} where id = ${id}`.execute(trx)
}

/** Finishes lists that are complete or expired. */
export async function finishLists(): Promise<void> {
	await sql`
		update invite_lists list set state = 'done' where state = 'sending' and (expires_at < now() or not exists (
			select from invited_addresses one where one.list_id = list.id and one.mailed_at is null))`.execute(db())
	// An abandoned upload contains personal data of people who do not know about it.
	await sql`delete from invite_lists where state = 'draft' and created_at < now() - interval '1 day'`.execute(db())
}

/** Deletes a batch of addresses whose invitation expired more than `days` ago without being used. @returns their number */
export async function deleteOldAddresses(days: number, limit: number): Promise<number> {
	const { numAffectedRows = 0n } = await sql`
		delete from invited_addresses where id in (
			select one.id from invited_addresses one join invite_lists list on list.id = one.list_id
			where list.expires_at < now() - make_interval(days => ${days})
				and not exists (select from users where users.invited_address_id = one.id)
			limit ${limit})`.execute(db())
	return Number(numAffectedRows)
}

/** Deletes the addresses of a leaving member from all lists, and from the skipped lines. */
export async function deleteInvitedAddresses({ id, emails }: { id: number; emails: readonly string[] }): Promise<void> {
	const pattern = addressPattern(emails)
	await sql`
		delete from invited_addresses where email = any(${[...emails]}::text[])
			or id = (select invited_address_id from users where users.id = ${id})`.execute(db())
	await sql`
		update invite_lists set report = jsonb_set(report, '{leftOut}', (
			select coalesce(jsonb_agg(line order by place), '[]')
			from jsonb_array_elements(report -> 'leftOut') with ordinality as one (line, place)
			where line ->> 'text' !~* ${pattern}))
		where report ->> 'leftOut' ~* ${pattern}`.execute(db())
}
