import { type RawBuilder, sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { isRecent } from '~/platform/db/times.server.ts'
import { FORMER_NAME } from '~/platform/member-data.ts'

/*
 * A pseudonym is an account without a login, the `author_id` of its posts. Statements that ignore pseudonyms therefore reveal nothing about
 * the member. Code that needs the member, for permissions or notifications, uses this file.
 */

/** An SQL expression: the member behind an account, which may be a pseudonym. @param account a column, or an id */
export function memberBehind(account: RawBuilder<unknown> | number): RawBuilder<number> {
	return sql<number>`(select coalesce(behind.pseudonym_of, behind.id) from users behind where behind.id = ${account})`
}

/** An SQL expression: the ids of a member and their pseudonyms as an array. Only for the member. */
export function accountIdsOf(memberId: RawBuilder<number> | number): RawBuilder<number[]> {
	return sql<number[]>`array(select ${memberId}::int union all select id from users where pseudonym_of = ${memberId})`
}

/** The ids of a member and their pseudonyms. Only for the member. */
export async function listAccountIds(memberId: number): Promise<number[]> {
	const { rows } = await sql<{ ids: number[] }>`select ${accountIdsOf(memberId)} as ids`.execute(db())
	return rows[0]?.ids ?? [memberId]
}

/**
 * The columns of an author for a statement that has `users u`: `author_id` is the member, who has the permissions; the names shown to
 * others are those of the account. `pseudonym_id` and `pseudonym_verified` are null for members who post under their own name.
 */
export const authorColumns = sql<AuthorRow>`
	coalesce(u.pseudonym_of, u.id) as author_id, case when u.pseudonym_of is not null then u.id end as pseudonym_id,
	u.pseudonym_verified, u.username, u.name, u.image`

/** The author of a text. Only the last four columns may leave the server. */
export interface AuthorRow {
	/** The member. */
	author_id: number
	pseudonym_id: number | null
	pseudonym_verified: boolean | null
	username: string
	name: string
	image: string | null
}

/** Inserts a pseudonym of a member, with a username claimed for it. @returns its id */
export async function insertPseudonym(
	trx: Executor,
	memberId: number,
	{ username, name, email }: { username: string; name: string; email: string },
): Promise<number> {
	const { rows } = await sql<{ id: number }>`
		insert into users (username, name, email, imported, pseudonym_of, pseudonym_verified)
		values (${username}, ${name}, ${email}, true, ${memberId}, coalesce((
			select campus_verified_at > now() - interval '365 days' from shown_profiles where user_id = ${memberId}), false))
		returning id`.execute(trx)
	if (!rows[0]) throw new Error('No pseudonym was made.')
	return rows[0].id
}

/** Seconds until a member may take another pseudonym, with a limit of `max` in 24 hours; null if they may now. */
export async function secondsUntilPseudonym(trx: Executor, memberId: number, max: number): Promise<number | null> {
	const { rows } = await sql<{ seconds: number }>`
		select extract(epoch from created_at + interval '24 hours' - now())::float8 as seconds from users
		where pseudonym_of = ${memberId} and ${isRecent('created_at', '24 hours')}
		order by created_at desc limit 1 offset ${max - 1}`.execute(trx)
	return rows[0]?.seconds ?? null
}

/** Whether a username belongs to a pseudonym. */
export async function isPseudonym(username: string): Promise<boolean> {
	const { rows } = await sql`select from users where username = ${username} and pseudonym_of is not null`.execute(db())
	return rows.length > 0
}

/**
 * Whether pictures of a text reveal who wrote it.
 * @param text.accountId the account that it is by; null for a pseudonym that is not made yet
 * @param text.paths pictures that it shows @param text.folders the folders of their addresses
 * @returns whether a folder is a username of the member, also a former one; whether another of their accounts shows an upload of theirs
 */
export async function findRevealingPictures(
	executor: Executor,
	text: { memberId: number; accountId: number | null; paths: string[]; folders: string[] },
): Promise<{ isNamed: boolean; isShown: boolean }> {
	const { memberId, accountId, paths, folders } = text
	const { rows } = await sql<{ isNamed: boolean; isShown: boolean }>`
		select exists (select from usernames where user_id = ${memberId} and username = any(${folders}::text[])) as "isNamed",
			exists (
				select from pictures join post_pictures shown on shown.path = pictures.path
				left join revisions r on r.id = shown.revision_id
				left join questions q on q.id = coalesce(shown.question_id, r.question_id)
				left join comments c on c.id = coalesce(shown.comment_id, r.comment_id)
				where pictures.path = any(${paths}::text[]) and pictures.user_id = ${memberId}
					and coalesce(c.author_id, q.author_id) = any(${accountIdsOf(memberId)})
					and coalesce(c.author_id, q.author_id) is distinct from ${accountId}::int
			) as "isShown"`.execute(executor)
	return rows[0] ?? { isNamed: false, isShown: false }
}

/** Records that a moderator unmasked a pseudonym. @returns false if they had before */
export async function insertUnmasking(trx: Executor, pseudonymId: number, moderatorId: number): Promise<boolean> {
	const { rows } = await sql`
		insert into unmaskings (pseudonym_id, moderator_id) values (${pseudonymId}, ${moderatorId})
		on conflict do nothing returning 1`.execute(trx)
	return rows.length > 0
}

/** The member behind a pseudonym, if this moderator has unmasked it; undefined otherwise. */
export async function findUnmasked(
	pseudonymId: number,
	moderatorId: number,
): Promise<{ username: string; name: string; image: string | null } | undefined> {
	const { rows } = await sql<{ username: string; name: string; image: string | null }>`
		select member.username, member.name, member.image
		from unmaskings join users pseudonym on pseudonym.id = pseudonym_id join users member on member.id = pseudonym.pseudonym_of
		where pseudonym_id = ${pseudonymId} and moderator_id = ${moderatorId}`.execute(db())
	return rows[0]
}

/** Inserts the account that replaces a leaving member in conversations, unless it exists. @returns its id */
export async function insertPlaceholderAccount(trx: Executor, alias: string): Promise<number> {
	await sql`
		insert into users (username, name, email, imported, former)
		values (${alias}, ${FORMER_NAME}, ${`${alias}@import.invalid`}, true, true) on conflict (username) do nothing`.execute(
		trx,
	)
	const { rows } = await sql<{ id: number }>`select id from users where username = ${alias} and former`.execute(trx)
	if (!rows[0]) throw new Error('There is no account to take the member’s place.')
	return rows[0].id
}
