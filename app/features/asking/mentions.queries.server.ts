import { sql } from 'kysely'
import { isListed } from '~/features/members/members.queries.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { escapeLike } from '~/platform/db/times.server.ts'

/** The newest comments that are searched for a question's participants. */
const MAX_COMMENTS_READ = 200

/**
 * Members whose username starts with `prefix` (lower case): first participants of the question, whose name may match too, then other listed
 * members. An empty prefix only matches participants. They are suggested even if they are not listed, as their names are on the page
 * already.
 */
export async function listPeople(
	prefix: string,
	questionId: number | null,
	limit: number,
): Promise<{ username: string; name: string }[]> {
	const like = `${escapeLike(prefix)}%`
	const { rows } = await sql<{ username: string; name: string }>`
		with part as (
			select author_id as id from questions where id = ${questionId} and status = 'published'
			union
			select author_id from (select author_id from comments where question_id = ${questionId} and status = 'published'
				order by id desc limit ${MAX_COMMENTS_READ}) latest)
		(select username, name from users join part using (id)
			where username like ${like} or lower(name) like ${like} order by username limit ${limit})
		union all
		(select username, name from users where ${prefix} <> '' and username like ${like} and id not in (select id from part) and ${isListed}
			order by username limit ${limit})
		limit ${limit}`.execute(db())
	return rows
}

/** Those of these usernames that exist, or did: former ones still lead to their members. */
export async function findUsernames(usernames: string[]): Promise<ReadonlySet<string>> {
	const { rows } = await sql<{ username: string }>`
		select username from usernames where username = any(${usernames}) and user_id is not null`.execute(db())
	return new Set(rows.map(({ username }) => username))
}
