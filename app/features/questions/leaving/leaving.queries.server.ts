import { type RawBuilder, sql } from 'kysely'
import { accountsOf } from '~/features/members/pseudonyms.queries.server.ts'

/** Earlier versions of what a member wrote, whoever edited it, for their archive. */
export function archivedRevisions(memberId: number): RawBuilder<unknown> {
	return sql`select r.question_id, r.comment_id, r.made_at, r.title, r.description, r.tags, r.category, r.body
		from revisions r join questions q on q.id = r.question_id left join comments c on c.id = r.comment_id
		where case when r.comment_id is null then q.author_id else c.author_id end = any(${accountsOf(memberId)}) order by r.id`
}
