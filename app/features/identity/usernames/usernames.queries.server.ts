import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'

/** Names that members had before, with whose they are for ever. */
export async function listFormerNames(): Promise<{ username: string; user_id: number }[]> {
	const { rows } = await sql<{ username: string; user_id: number }>`
		select former.username, former.user_id from users join usernames former on former.user_id = users.id
		where users.renamed_at is not null and former.username <> users.username`.execute(db())
	return rows
}

/** A member as a rename needs them. */
export interface NamedRow {
	username: string
	role: string
	/** When they may choose another username themselves; null when they may now. */
	free_at: Date | null
}

/** What a member is called, and since when. @param days between two changes; @param lock holds the row until the transaction ends */
export async function findNamed(
	userId: number,
	days: number,
	executor: Executor = db(),
	{ lock = false } = {},
): Promise<NamedRow | undefined> {
	const { rows } = await sql<NamedRow>`
		select username, role, case when renamed_at > now() - make_interval(days => ${days})
			then renamed_at + make_interval(days => ${days}) end as free_at
		from users where id = ${userId} and not imported ${lock ? sql`for no key update` : sql``}`.execute(executor)
	return rows[0]
}

/** Takes a username for a member, if it never was anybody else's. Of two at once the key lets one. @returns whether it is theirs */
export async function claimUsernameFor(trx: Executor, userId: number, username: string): Promise<boolean> {
	const { rows } = await sql`
		insert into usernames (username, user_id) values (${username}, ${userId})
		on conflict (username) do update set claimed_at = usernames.claimed_at where usernames.user_id = ${userId}
		returning username`.execute(trx)
	return rows.length > 0
}

/** Calls a member so from now on. */
export async function writeUsername(trx: Executor, userId: number, username: string): Promise<void> {
	await sql`update users set username = ${username}, renamed_at = now(), updated_at = now() where id = ${userId}`.execute(
		trx,
	)
}
