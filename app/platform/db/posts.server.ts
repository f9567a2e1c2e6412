import { sql } from 'kysely'

/**
 * SQL condition: a deleted question `q` keeps its page, as others commented on it; later comments change nothing. A question that
 * its author deleted while pending has no `status_by`, and nothing of it may be seen.
 */
export const isDiscussed = sql`(q.status = 'deleted' and q.status_by is not null and exists (
	select from comments d where d.question_id = q.id and d.author_id <> q.author_id and d.status = 'published'))`
