import { type RawBuilder, sql } from 'kysely'
import { accountIdsOf } from '~/features/members/pseudonyms.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'

/** What can be followed: a tag or a category. */
export type FollowedId = { tagId: number } | { categoryId: number }

/** Follows or unfollows. Idempotent. */
export async function writeFollow(
	executor: Executor,
	userId: number,
	followed: FollowedId,
	following: boolean,
): Promise<void> {
	const [column, id] = 'tagId' in followed ? ['tag_id', followed.tagId] : ['category_id', followed.categoryId]
	const ref = sql.ref(String(column))
	if (following)
		await sql`insert into follows (user_id, ${ref}) values (${userId}, ${id}) on conflict do nothing`.execute(executor)
	else await sql`delete from follows where user_id = ${userId} and ${ref} = ${id}`.execute(executor)
}

/** Counts the tags that a member follows, except one. */
export async function countFollowedTags(trx: Executor, userId: number, except: number): Promise<number> {
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from follows where user_id = ${userId} and tag_id <> ${except}`.execute(trx)
	return rows[0]?.count ?? 0
}

/** What a member follows, at most 200 tags and every category. */
export async function listFollowedRows(userId: number): Promise<{ tags: string[]; categories: string[] }> {
	const { rows } = await sql<{ tags: string[]; categories: string[] }>`
		select
			array(select name from follows join tags on tags.id = tag_id where user_id = ${userId} order by name limit 200) as tags,
			array(select slug from follows join categories c on c.id = category_id where user_id = ${userId} order by position, title) as categories`.execute(
		db(),
	)
	return rows[0] ?? { tags: [], categories: [] }
}

/** What a member follows by name, for their archive. */
export function archivedFollows(memberId: number): RawBuilder<unknown> {
	return sql`select t.name as tag, c.slug as category, f.question_id, f.followed_at
		from follows f left join tags t on t.id = f.tag_id left join categories c on c.id = f.category_id
		where f.user_id = any(${accountIdsOf(memberId)}) order by f.followed_at`
}
