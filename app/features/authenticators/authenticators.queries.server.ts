import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'

/** A member's second factor. */
export interface SecondFactorRow {
	/** Encrypted; null without an app. */
	secret: string | null
	isOn: boolean
	/** Unused recovery codes. */
	codes_left: number
}

/** The state of a member's authenticator app. */
export async function findSecondFactor(userId: number): Promise<SecondFactorRow> {
	const { rows } = await sql<SecondFactorRow>`
		select t.secret, t.confirmed_at is not null as "isOn",
			(select count(*)::int from recovery_codes c where c.user_id = ${userId} and used_at is null) as codes_left
		from (select 1) one left join totp_secrets t on t.user_id = ${userId}`.execute(db())
	return rows[0] ?? { secret: null, isOn: false, codes_left: 0 }
}

/** A member's address, for a mail about the change. */
export async function findEmailById(trx: Executor, userId: number): Promise<string> {
	const { email } = await trx.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirstOrThrow()
	return email
}

/** Stores the secret of an app that is being set up, and replaces an unconfirmed one. @returns false if an app is already in use */
export async function insertTotpSecret(userId: number, secret: string): Promise<boolean> {
	const { rows } = await sql`
		insert into totp_secrets (user_id, secret) values (${userId}, ${secret})
		on conflict (user_id) do update set secret = excluded.secret, created_at = now()
			where totp_secrets.confirmed_at is null
		returning user_id`.execute(db())
	return rows.length > 0
}

interface LockedSecret {
	secret: string
	isOn: boolean
	last_step: number
}

/** Locks a member's secret until the transaction ends, so that a code cannot be used twice at once. */
export async function lockTotpSecret(trx: Executor, userId: number): Promise<LockedSecret | undefined> {
	const { rows } = await sql<LockedSecret>`
		select secret, confirmed_at is not null as "isOn", last_step::float8 as last_step
		from totp_secrets where user_id = ${userId} for update`.execute(trx)
	return rows[0]
}

/** Stores the time step of the used code. The first use activates an app that is being set up. */
export async function writeTotpStep(trx: Executor, userId: number, step: number): Promise<void> {
	await sql`update totp_secrets set last_step = ${step}, confirmed_at = coalesce(confirmed_at, now())
		where user_id = ${userId}`.execute(trx)
}

/** Deletes the app, all recovery codes and pending second steps. @returns whether an app was active */
export async function deleteSecondFactor(trx: Executor, userId: number): Promise<boolean> {
	const { rows } = await sql<{ isOn: boolean }>`
		delete from totp_secrets where user_id = ${userId} returning confirmed_at is not null as "isOn"`.execute(trx)
	await sql`delete from recovery_codes where user_id = ${userId}`.execute(trx)
	await sql`delete from login_challenges where user_id = ${userId}`.execute(trx)
	return rows[0]?.isOn === true
}

/** Replaces all recovery codes. */
export async function replaceRecoveryCodes(
	trx: Executor,
	userId: number,
	codes: readonly { hint: string; hash: string }[],
): Promise<void> {
	await sql`delete from recovery_codes where user_id = ${userId}`.execute(trx)
	await sql`
		insert into recovery_codes (user_id, hint, code_hash)
		select ${userId}, * from unnest(${codes.map(({ hint }) => hint)}::text[], ${codes.map(({ hash }) => hash)}::text[])
	`.execute(trx)
}

/** The member's unused recovery code with this prefix. */
export async function findRecoveryCode(
	userId: number,
	hint: string,
): Promise<{ id: string; code_hash: string } | undefined> {
	const { rows } = await sql<{ id: string; code_hash: string }>`
		select id, code_hash from recovery_codes
		where user_id = ${userId} and hint = ${hint} and used_at is null`.execute(db())
	return rows[0]
}

/** Uses up a recovery code. @returns false if it was used already: of two concurrent uses one succeeds */
export async function consumeRecoveryCode(trx: Executor, id: string): Promise<boolean> {
	const { rows } = await sql`
		update recovery_codes set used_at = now() where id = ${id} and used_at is null returning id`.execute(trx)
	return rows.length > 0
}
