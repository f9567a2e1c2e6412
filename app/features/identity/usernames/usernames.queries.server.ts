import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'

/** All former usernames with their members. */
export async function listFormerNames(): Promise<{ username: string; user_id: number }[]> {
	const { rows } = await sql<{ username: string; user_id: number }>`
		select former.username, former.user_id from users join usernames former on former.user_id = users.id
		where users.renamed_at is not null and former.username <> users.username`.execute(db())
	return rows
}

/** A member as a rename needs them. */
export interface MemberToRenameRow {
	username: string
	role: string
	/** When the member may choose another username; null if they may now. */
	free_at: Date | null
}

/**
 * The names of a member, and when they last changed.
 * @param days between two changes
 * @param lock whether to lock the row until the transaction ends
 */
export async function findMemberToRename(
	userId: number,
	days: number,
	executor: Executor = db(),
	{ lock = false } = {},
): Promise<MemberToRenameRow | undefined> {
	const { rows } = await sql<MemberToRenameRow>`
		select username, role, case when renamed_at > now() - make_interval(days => ${days})
			then renamed_at + make_interval(days => ${days}) end as free_at
		from users where id = ${userId} and not imported ${lock ? sql`for no key update` : sql``}`.execute(executor)
	return rows[0]
}

/**
 * Claims a username, unless it ever was somebody else's. The primary key decides between concurrent claims.
 * @returns whether the member has it
 */
export async function claimUsernameFor(trx: Executor, userId: number, username: string): Promise<boolean> {
	const { rows } = await sql`
		insert into usernames (username, user_id) values (${username}, ${userId})
		on conflict (username) do update set claimed_at = usernames.claimed_at where usernames.user_id = ${userId}
		returning username`.execute(trx)
	return rows.length > 0
}

/** Sets a member's username, and the time of the rename. */
export async function writeUsername(trx: Executor, userId: number, username: string): Promise<void> {
	await sql`update users set username = ${username}, renamed_at = now(), updated_at = now() where id = ${userId}`.execute(
		trx,
	)
}
