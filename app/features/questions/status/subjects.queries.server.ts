import { sql } from 'kysely'
import { limits } from '~/features/moderation/moderation.limits.ts'
import { db } from '~/platform/db/db.server.ts'
import { fingerprintOf } from './status.queries.server.ts'

/** A query or a comment as moderation is told of it, whatever became of it. */
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
	/** Whether it is out of the forum; without being withheld it was deleted. */
	gone: boolean
	withheld: 'hidden' | 'waiting' | 'merged' | null
	withheld_reason: string
	/** The query that it is, or that it stands under. */
	question_id: number
	question_author_id: number
	/** Of the query's author. */
	username: string
	category_slug: string
	title: string
	tags: string[]
	question_gone: boolean
	locked: boolean
}

const ofQuestion = sql`q.id as question_id, q.author_id as question_author_id, users.username, c.slug as category_slug, q.title, q.tags,
	q.deleted_at is not null as question_gone, q.locked_at is not null as locked`
const ofEither = (table: 'q' | 'm') =>
	sql.raw(`${table}.id, ${table}.author_id, ${table}.deleted_at is not null as gone, ${table}.withheld, ${table}.withheld_reason,
		to_char(${table}.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as created_at`)
const joins = sql`join users on users.id = q.author_id left join categories c on c.id = q.category_id`

/** Questions by id, whatever became of them. */
export async function listQuestionSubjects(ids: number[]): Promise<PostRow[]> {
	const { rows } = await sql<PostRow>`
		select ${ofEither('q')}, ${ofQuestion}, q.description_html as html, left(q.description, ${limits.beginning}) as excerpt,
			${fingerprintOf.query('q')} as fingerprint
		from questions q ${joins} where q.id = any(${ids}::int[])`.execute(db())
	return rows
}

/** Comments by id, whatever became of them. */
export async function listCommentSubjects(ids: number[]): Promise<PostRow[]> {
	const { rows } = await sql<PostRow>`
		select ${ofEither('m')}, ${ofQuestion}, m.body_html as html, left(m.body, ${limits.beginning}) as excerpt,
			${fingerprintOf.comment('m')} as fingerprint
		from comments m join questions q on q.id = m.question_id ${joins} where m.id = any(${ids}::int[])`.execute(db())
	return rows
}
