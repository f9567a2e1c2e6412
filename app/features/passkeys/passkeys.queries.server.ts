import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'

/** The purpose of a challenge; it is not valid for any other. */
export type ChallengePurpose = 'login' | 'add' | 'confirm'

/** Stores a challenge. @param challenge.userId the member it is for; null for a login */
export async function insertChallenge(challenge: {
	hash: string
	purpose: ChallengePurpose
	userId: number | null
	seconds: number
}): Promise<void> {
	const { hash, purpose, userId, seconds } = challenge
	await sql`insert into passkey_challenges (challenge_hash, purpose, user_id, expires_at)
		values (${hash}, ${purpose}, ${userId}, now() + make_interval(secs => ${seconds}))`.execute(db())
}

/** Uses up a challenge. @returns whether it was valid for this purpose; of two concurrent uses one succeeds */
export async function takeChallenge(hash: string, purpose: ChallengePurpose, userId: number | null): Promise<boolean> {
	const { rows } = await sql<{ counts: boolean }>`
		delete from passkey_challenges where challenge_hash = ${hash}
		returning purpose = ${purpose} and user_id is not distinct from ${userId} and expires_at > now() as counts`.execute(
		db(),
	)
	return rows[0]?.counts === true
}

/** Deletes expired challenges; call it regularly. */
export async function sweepChallenges(): Promise<void> {
	await sql`delete from passkey_challenges where expires_at < now()`.execute(db())
}

export interface PasskeyRow {
	id: number
	credential_id: string
	transports: string[]
	name: string
	created_at: Date
	used_at: Date | null
}

/** A member's passkeys, oldest first; at most twenty. */
export async function listPasskeyRows(userId: number, executor: Executor = db()): Promise<PasskeyRow[]> {
	const { rows } = await sql<PasskeyRow>`
		select id, credential_id, transports, name, created_at, used_at
		from passkeys where user_id = ${userId} order by id`.execute(executor)
	return rows
}

/** @returns false if the credential exists already */
export async function insertPasskey(
	trx: Executor,
	key: {
		userId: number
		credentialId: string
		publicKey: Uint8Array
		counter: number
		transports: string[]
		name: string
	},
): Promise<boolean> {
	const { rows } = await sql`
		insert into passkeys (user_id, credential_id, public_key, counter, transports, name)
		values (${key.userId}, ${key.credentialId}, ${Buffer.from(key.publicKey)}, ${key.counter}, ${key.transports}, ${key.name})
		on conflict (credential_id) do nothing returning id`.execute(trx)
	return rows.length > 0
}

/** Renames a member's passkey. @returns false if it does not exist */
export async function renamePasskeyRow(userId: number, id: number, name: string): Promise<boolean> {
	const { rows } = await sql`
		update passkeys set name = ${name} where id = ${id} and user_id = ${userId} returning id`.execute(db())
	return rows.length > 0
}

/** @returns its name; undefined if it does not exist */
export async function deletePasskey(trx: Executor, userId: number, id: number): Promise<string | undefined> {
	const { rows } = await sql<{ name: string }>`
		delete from passkeys where id = ${id} and user_id = ${userId} returning name`.execute(trx)
	return rows[0]?.name
}

/** @returns the number of deleted passkeys */
export async function deletePasskeys(trx: Executor, userId: number): Promise<number> {
	const { rows } = await sql`delete from passkeys where user_id = ${userId} returning id`.execute(trx)
	return rows.length
}

/** A passkey with the state of its owner's account. */
export interface LockedPasskey {
	id: number
	public_key: Uint8Array<ArrayBuffer>
	counter: number
	user_id: number
	email: string
	email_verified: boolean
	is_leaving: boolean
}

/** Locks a passkey until the transaction ends, so that concurrent signatures check the counter one after the other. */
export async function lockPasskey(trx: Executor, credentialId: string): Promise<LockedPasskey | undefined> {
	const { rows } = await sql<LockedPasskey>`
		select p.id, p.public_key, p.counter::float8 as counter, p.user_id, u.email, u.email_verified,
			u.leaves_at is not null as is_leaving
		from passkeys p join users u on u.id = p.user_id where p.credential_id = ${credentialId} for update of p`.execute(
		trx,
	)
	return rows[0]
}

/** Whether a passkey is still stored, after waiting for a transaction that is removing it. */
export async function isStillStored(id: number): Promise<boolean> {
	const { rows } = await sql`select from passkeys where id = ${id} for key share`.execute(db())
	return rows.length > 0
}

/** Records a use. @param counter the signature counter sent by the device */
export async function recordPasskeyUse(trx: Executor, id: number, counter: number): Promise<void> {
	await sql`update passkeys set counter = ${counter}, used_at = now() where id = ${id}`.execute(trx)
}
