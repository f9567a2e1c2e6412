import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'

/** Devices that are remembered for one account: the most recently used ones. */
const MAX_DEVICES = 10

/** Which of these tokens, by their hashes, is known for the account with this address. */
export async function findDevice(email: string, hashes: string[]): Promise<string | null> {
	const { rows } = await sql<{ token_hash: string }>`
		select token_hash from known_devices join users on users.id = user_id
		where users.email = ${email} and token_hash = any(${hashes})
			and known_devices.used_at > now() - interval '1 year' limit 1`.execute(db())
	return rows[0]?.token_hash ?? null
}

/** Notes that a device was used. */
export async function touchDevice(hash: string): Promise<void> {
	await sql`update known_devices set used_at = now() where token_hash = ${hash}`.execute(db())
}

/** Adds a device, and forgets those beyond the limit. @returns whether the account had devices before */
export async function insertDevice(userId: number, hash: string, executor: Executor = db()): Promise<boolean> {
	const { rows } = await sql<{ had: boolean }>`
		insert into known_devices (token_hash, user_id) values (${hash}, ${userId})
		on conflict (token_hash) do nothing
		returning exists (select from known_devices where user_id = ${userId}) as had`.execute(executor)
	await sql`
		delete from known_devices where user_id = ${userId} and token_hash not in (
			select token_hash from known_devices where user_id = ${userId}
			order by used_at desc, token_hash limit ${MAX_DEVICES})`.execute(executor)
	return rows[0]?.had ?? false
}

/** Forgets every device of an account, as after a new password. */
export async function deleteDevices(userId: number): Promise<void> {
	await sql`delete from known_devices where user_id = ${userId}`.execute(db())
}
