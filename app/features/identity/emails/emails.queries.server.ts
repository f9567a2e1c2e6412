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

/** The addresses of an account. @param lock whether to lock its row until the transaction ends */
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

/** Sets the confirmed addresses of an account. Unique keys prevent duplicates. @throws the error that {@link isEmailTakenError} detects */
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

/** Whether a statement failed because another account has the address. */
export function isEmailTakenError(error: unknown): boolean {
	const { code, constraint } = error as { code?: string; constraint?: string }
	return code === '23505' && (constraint === 'account_emails_pkey' || constraint === 'users_email_key')
}

/** An address that a member requested and has not confirmed. */
export interface EmailChangeRow {
	user_id: number
	place: EmailSlot
	email: string
	/** Whether its link was mailed and has expired. */
	is_over: boolean
}

const changeColumns = sql`user_id, place, email, works_until <= now() as is_over`

/** Stores the requested address, in place of an earlier request whose link becomes invalid. */
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

/** A member's pending address. @param lock whether to lock it until the transaction ends, so that no other one takes its place */
export async function findEmailChange(
	userId: number,
	executor: Executor = db(),
	{ lock = false } = {},
): Promise<(EmailChangeRow & { is_mailed: boolean }) | undefined> {
	const { rows } = await sql<EmailChangeRow & { is_mailed: boolean }>`
		select ${changeColumns}, token_hash is not null as is_mailed from email_changes
		where user_id = ${userId} and expires_at > now() ${lock ? sql`for update` : sql``}`.execute(executor)
	return rows[0]
}

/** The change that a link would confirm, even if the link has expired: the member may then request another one. */
export async function findChangeByToken(hash: string): Promise<EmailChangeRow | undefined> {
	const { rows } = await sql<EmailChangeRow>`
		select ${changeColumns} from email_changes
		where token_hash = ${hash} and expires_at > now()`.execute(db())
	return rows[0]
}

/** Sets the link of the pending change, with its lifetime in seconds. */
export async function writeChangeToken(trx: Executor, userId: number, hash: string, seconds: number): Promise<void> {
	await sql`
		update email_changes set token_hash = ${hash}, works_until = now() + make_interval(secs => ${seconds})
		where user_id = ${userId}`.execute(trx)
}

/** Starts the lifetime of a link, in seconds from now. @returns false if it was used or cancelled, or is too old */
export async function activateChangeLink(hash: string, seconds: number): Promise<boolean> {
	const { numAffectedRows } = await sql`
		update email_changes set works_until = now() + make_interval(secs => ${seconds})
		where token_hash = ${hash} and expires_at > now()`.execute(db())
	return numAffectedRows === 1n
}

/** Invalidates the link of the pending change, so that another one can be mailed. @returns the address; undefined if nothing is pending */
export async function withdrawChangeToken(trx: Executor, userId: number): Promise<string | undefined> {
	const { rows } = await sql<{ email: string }>`
		update email_changes set token_hash = null where user_id = ${userId} and expires_at > now()
		returning email`.execute(trx)
	return rows[0]?.email
}

/** Uses up a link. Of two concurrent uses one succeeds. */
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

/** Deletes the pending change. */
export async function deleteEmailChange(userId: number, executor: Executor = db()): Promise<void> {
	await sql`delete from email_changes where user_id = ${userId}`.execute(executor)
}

/** The addresses before a change, which an undo restores. */
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

/** What a link would undo, while it is valid. @param lock whether to lock it until the transaction ends, so that it is used once */
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

/** Deletes all undo links and pending changes of this account. */
export async function deleteEmailUndos(trx: Executor, userId: number): Promise<void> {
	await sql`delete from email_undos where user_id = ${userId}`.execute(trx)
	await deleteEmailChange(userId, trx)
}

/** Deletes expired links. */
export async function sweepEmailChanges(): Promise<void> {
	await sql`delete from email_changes where expires_at < now()`.execute(db())
	await sql`delete from email_undos where expires_at < now()`.execute(db())
}
