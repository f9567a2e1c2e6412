import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'

/** What a member has set up besides a password. */
export interface SecondFactorRow {
	/** Encrypted; null when nothing is set up. */
	secret: string | null
	isOn: boolean
	/** Recovery codes that were not used yet. */
	codes_left: number
}

/** The state of a member's authenticator app. */
export async function findSecondFactor(userId: number, executor: Executor = db()): Promise<SecondFactorRow> {
	const { rows } = await sql<SecondFactorRow>`
		select t.secret, t.confirmed_at is not null as "isOn",
			(select count(*)::int from recovery_codes c where c.user_id = ${userId} and used_at is null) as codes_left
		from (select 1) one left join totp_secrets t on t.user_id = ${userId}`.execute(executor)
	return rows[0] ?? { secret: null, isOn: false, codes_left: 0 }
}

/** The address of a member, to tell them what changed. */
export async function findAddress(userId: number, trx: Executor): Promise<string> {
	const { email } = await trx.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirstOrThrow()
	return email
}

/** Stores the secret of an app that is being set up, in place of one that was. @returns whether there is none in use */
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

/** Holds a member's secret until the transaction ends, so that of two uses of one code the second sees the first. */
export async function lockTotpSecret(trx: Executor, userId: number): Promise<LockedSecret | undefined> {
	const { rows } = await sql<LockedSecret>`
		select secret, confirmed_at is not null as "isOn", last_step::float8 as last_step
		from totp_secrets where user_id = ${userId} for update`.execute(trx)
	return rows[0]
}

/** Notes that the code of a time step was used, by which an app that was being set up is on. */
export async function writeTotpStep(trx: Executor, userId: number, step: number): Promise<void> {
	await sql`update totp_secrets set last_step = ${step}, confirmed_at = coalesce(confirmed_at, now())
		where user_id = ${userId}`.execute(trx)
}

/** Takes the app and all recovery codes away, and what waits for a code. @returns whether an app was on */
export async function deleteSecondFactor(userId: number, trx: Executor): Promise<boolean> {
	const { rows } = await sql<{ isOn: boolean }>`
		delete from totp_secrets where user_id = ${userId} returning confirmed_at is not null as "isOn"`.execute(trx)
	await sql`delete from recovery_codes where user_id = ${userId}`.execute(trx)
	await sql`delete from login_challenges where user_id = ${userId}`.execute(trx)
	return rows[0]?.isOn === true
}

/** Puts these recovery codes in the place of all earlier ones. */
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

/** The code of a member that begins like this, unless it was used. */
export async function findRecoveryCode(
	userId: number,
	hint: string,
): Promise<{ id: string; code_hash: string } | undefined> {
	const { rows } = await sql<{ id: string; code_hash: string }>`
		select id, code_hash from recovery_codes
		where user_id = ${userId} and hint = ${hint} and used_at is null`.execute(db())
	return rows[0]
}

/** Uses a recovery code up. @returns whether it was still good: of two at once only one gets through */
export async function takeRecoveryCode(trx: Executor, id: string): Promise<boolean> {
	const { rows } = await sql`
		update recovery_codes set used_at = now() where id = ${id} and used_at is null returning id`.execute(trx)
	return rows.length > 0
}
