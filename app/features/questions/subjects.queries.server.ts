import { sql } from 'kysely'
import { moderationLimits } from '~/features/moderation/moderation.limits.ts'
import { db } from '~/platform/db/db.server.ts'
import type { PostStatus } from '~/platform/db/schema.ts'
import { fingerprintOf } from './status/status.queries.server.ts'

/** A question or a comment as moderation is told of it, whatever became of it. */
export interface PostRow {
	id: number
	author_id: number
	/** Sanitized HTML of its text. */
	html: string
	/** The beginning of its text as it was written. */
	excerpt: string
	/** As in {@link fingerprintOf}. */
	fingerprint: string
	created_at: string
	status: PostStatus
	status_reason: string
	/** The question that it is, or that it stands under. */
	question_id: number
	question_author_id: number
	/** Of the question's author. */
	username: string
	category_slug: string
	title: string
	tags: string[]
	question_status: PostStatus
	locked: boolean
}

const ofQuestion = sql`q.id as question_id, q.author_id as question_author_id, users.username, c.slug as category_slug, q.title, q.tags,
	q.status as question_status, q.locked_at is not null as locked`
const ofEither = (table: 'q' | 'm') =>
	sql.raw(`${table}.id, ${table}.author_id, ${table}.status, ${table}.status_reason,
		to_char(${table}.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as created_at`)
const joins = sql`join users on users.id = q.author_id left join categories c on c.id = q.category_id`

/** Questions by id, whatever became of them. */
export async function listQuestionSubjects(ids: number[]): Promise<PostRow[]> {
	const { rows } = await sql<PostRow>`
		select ${ofEither('q')}, ${ofQuestion}, q.description_html as html, left(q.description, ${moderationLimits.beginning}) as excerpt,
			${fingerprintOf.query('q')} as fingerprint
		from questions q ${joins} where q.id = any(${ids}::int[])`.execute(db())
	return rows
}

/** Comments by id, whatever became of them. */
export async function listCommentSubjects(ids: number[]): Promise<PostRow[]> {
	const { rows } = await sql<PostRow>`
		select ${ofEither('m')}, ${ofQuestion}, m.body_html as html, left(m.body, ${moderationLimits.beginning}) as excerpt,
			${fingerprintOf.comment('m')} as fingerprint
		from comments m join questions q on q.id = m.question_id ${joins} where m.id = any(${ids}::int[])`.execute(db())
	return rows
}
