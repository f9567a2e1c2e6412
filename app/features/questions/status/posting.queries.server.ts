import { sql } from 'kysely'
import type { Executor } from '~/platform/db/db.server.ts'
import { isRecent } from '~/platform/db/recent.server.ts'

const tables = { query: sql`questions`, comment: sql`comments` }

/**
 * Seconds until a member may write one more, if they wrote more than `most` in the last hour, the one just written included;
 * null when they did not. What they deleted counts.
 */
export async function secondsOverLimit(
	trx: Executor,
	kind: 'query' | 'comment',
	userId: number,
	most: number,
): Promise<number | null> {
	const { rows } = await sql<{ seconds: number }>`
		select extract(epoch from created_at + interval '1 hour' - now())::float8 as seconds from ${tables[kind]}
		where author_id = ${userId} and ${isRecent('created_at', '1 hour')}
		order by created_at desc, id desc limit 1 offset ${most}`.execute(trx)
	return rows[0]?.seconds ?? null
}

/** The text of a post as it is shown, and whose it is. */
export async function readPost(
	trx: Executor,
	kind: 'query' | 'comment',
	id: number,
): Promise<{ author_id: number; html: string } | undefined> {
	const html = kind === 'query' ? sql`description_html` : sql`body_html`
	const { rows } = await sql<{ author_id: number; html: string }>`
		select author_id, ${html} as html from ${tables[kind]} where id = ${id}`.execute(trx)
	return rows[0]
}

/** Whether nobody may comment on a query that the caller holds. */
export async function isLocked(trx: Executor, questionId: number): Promise<boolean> {
	const query = await trx.selectFrom('questions').select('locked_at').where('id', '=', questionId).executeTakeFirst()
	return query?.locked_at != null
}

/** Who wrote a comment, and whom it answers; null for nobody. */
export async function findAuthors(
	trx: Executor,
	commentId: number,
): Promise<{ author_id: number; parent_author_id: number | null } | undefined> {
	const { rows } = await sql<{ author_id: number; parent_author_id: number | null }>`
		select m.author_id, parent.author_id as parent_author_id
		from comments m left join comments parent on parent.id = m.parent_id where m.id = ${commentId}`.execute(trx)
	return rows[0]
}
