import { sql } from 'kysely'
import { FORMER_MEMBER } from '../member-data.ts'

/**
 * SQL condition: somebody else wrote comment `comment` than question `q`. All who left share one account, so below a question of theirs any
 * comment may be somebody else's, and counts as such.
 */
export const isByAnother = (comment: string) =>
	sql`(${sql.ref(`${comment}.author_id`)} <> q.author_id or q.author_id = ${sql.lit(FORMER_MEMBER)})`

/**
 * SQL condition: a deleted question `q` keeps its page, as others commented on it; later comments change nothing. A question that
 * its author deleted while pending has no `status_by`, and nothing of it may be seen; neither has one without a page whose author is
 * gone.
 */
export const isDiscussed = sql`(q.status = 'deleted' and q.status_by is not null and exists (
	select from comments d where d.question_id = q.id and d.status = 'published' and ${isByAnother('d')}))`
