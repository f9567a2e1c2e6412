import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { EmailSlot } from './emails.view.ts'

/** The addresses of an account. */
export interface EmailsRow {
	email: string
	second_email: string | null
	email_verified: boolean
	name: string
	username: string
}

/** The addresses of an account. @param lock holds its row until the transaction ends */
export async function findEmails(
	userId: number,
	executor: Executor = db(),
	{ lock = false } = {},
): Promise<EmailsRow | undefined> {
	const { rows } = await sql<EmailsRow>`
		select email, second_email, email_verified, name, username from users where id = ${userId}
		${lock ? sql`for no key update` : sql``}`.execute(executor)
	return rows[0]
}

/**
 * Gives an account these addresses, both of them confirmed. The unique keys see to it that neither is anybody else's.
 * @throws what {@link isTaken} knows
 */
export async function writeEmails(
	trx: Executor,
	userId: number,
	{ email, second_email }: Pick<EmailsRow, 'email' | 'second_email'>,
): Promise<void> {
	await sql`
		update users set email = ${email}, second_email = ${second_email}, updated_at = now(),
			email_verified = email_verified or email <> ${email}
		where id = ${userId}`.execute(trx)
}

/** Whether a statement failed as another account has the address. */
export function isTaken(error: unknown): boolean {
	const { code, constraint } = error as { code?: string; constraint?: string }
	return code === '23505' && (constraint === 'account_emails_pkey' || constraint === 'users_email_key')
}

/** An address that a member asked for and has not confirmed. */
export interface EmailChangeRow {
	user_id: number
	place: EmailSlot
	email: string
	/** Its link was mailed, and the ten minutes are over. */
	is_over: boolean
}

const changeColumns = sql`user_id, place, email, works_until <= now() as is_over`

/** Notes which address a member asks for, in place of one that they asked for before: its link works no more. */
export async function replaceEmailChange(
	executor: Executor,
	{ userId, place, email, seconds }: { userId: number; place: EmailSlot; email: string; seconds: number },
): Promise<void> {
	await sql`
		insert into email_changes (user_id, place, email, expires_at)
		values (${userId}, ${place}, ${email}, now() + make_interval(secs => ${seconds}))
		on conflict (user_id) do update set place = excluded.place, email = excluded.email, token_hash = null,
			requested_at = now(), expires_at = excluded.expires_at`.execute(executor)
}

/** What a member has asked for and not confirmed yet. */
export async function findEmailChange(
	userId: number,
	executor: Executor = db(),
): Promise<(EmailChangeRow & { is_mailed: boolean }) | undefined> {
	const { rows } = await sql<EmailChangeRow & { is_mailed: boolean }>`
		select ${changeColumns}, token_hash is not null as is_mailed from email_changes
		where user_id = ${userId} and expires_at > now()`.execute(executor)
	return rows[0]
}

/** What a link would confirm; the member may have another one sent when its time is over. */
export async function findChangeByToken(hash: string): Promise<EmailChangeRow | undefined> {
	const { rows } = await sql<EmailChangeRow>`
		select ${changeColumns} from email_changes
		where token_hash = ${hash} and expires_at > now()`.execute(db())
	return rows[0]
}

/** Gives the change that waits its link, which works for so many seconds. */
export async function writeChangeToken(trx: Executor, userId: number, hash: string, seconds: number): Promise<void> {
	await sql`
		update email_changes set token_hash = ${hash}, works_until = now() + make_interval(secs => ${seconds})
		where user_id = ${userId}`.execute(trx)
}

/** Has a link work for so many seconds from now. @returns false when it was used or taken back, or is too old */
export async function beginChangeLink(hash: string, seconds: number): Promise<boolean> {
	const { numAffectedRows } = await sql`
		update email_changes set works_until = now() + make_interval(secs => ${seconds})
		where token_hash = ${hash} and expires_at > now()`.execute(db())
	return numAffectedRows === 1n
}

/** Takes the link of the change that waits back, so that another one can be mailed. @returns the address; undefined where nothing waits */
export async function withdrawChangeToken(trx: Executor, userId: number): Promise<string | undefined> {
	const { rows } = await sql<{ email: string }>`
		update email_changes set token_hash = null where user_id = ${userId} and expires_at > now()
		returning email`.execute(trx)
	return rows[0]?.email
}

/** Takes a link out of use. Of two at once, one gets it. */
export async function takeEmailChange(
	trx: Executor,
	userId: number,
	hash: string,
): Promise<EmailChangeRow | undefined> {
	const { rows } = await sql<EmailChangeRow>`
		delete from email_changes where user_id = ${userId} and token_hash = ${hash} and expires_at > now()
		returning ${changeColumns}`.execute(trx)
	return rows[0]
}

/** Forgets what a member asked for. */
export async function deleteEmailChange(userId: number, executor: Executor = db()): Promise<void> {
	await sql`delete from email_changes where user_id = ${userId}`.execute(executor)
}

/** What an account had before a change, and shall have again. */
export interface EmailUndoRow {
	user_id: number
	username: string
	email: string
	second_email: string | null
}

/** Stores a link that undoes a change. */
export async function insertEmailUndo(
	trx: Executor,
	undo: { hash: string; userId: number; email: string; second_email: string | null; seconds: number },
): Promise<void> {
	const { hash, userId, email, second_email, seconds } = undo
	await sql`
		insert into email_undos (token_hash, user_id, email, second_email, expires_at)
		values (${hash}, ${userId}, ${email}, ${second_email}, now() + make_interval(secs => ${seconds}))`.execute(trx)
}

/** What a link would undo, while it works. @param lock holds it until the transaction ends: of two at once one finds it */
export async function findEmailUndo(
	hash: string,
	executor: Executor = db(),
	{ lock = false } = {},
): Promise<EmailUndoRow | undefined> {
	const { rows } = await sql<EmailUndoRow>`
		select undo.user_id, users.username, undo.email, undo.second_email
		from email_undos undo join users on users.id = undo.user_id
		where token_hash = ${hash} and expires_at > now() ${lock ? sql`for update of undo` : sql``}`.execute(executor)
	return rows[0]
}

/** Takes back every link that undoes a change of this account, and what waits to be confirmed. */
export async function deleteEmailUndos(trx: Executor, userId: number): Promise<void> {
	await sql`delete from email_undos where user_id = ${userId}`.execute(trx)
	await deleteEmailChange(userId, trx)
}

/** Deletes links whose time is over. */
export async function sweepEmailChanges(): Promise<void> {
	await sql`delete from email_changes where expires_at < now()`.execute(db())
	await sql`delete from email_undos where expires_at < now()`.execute(db())
}
