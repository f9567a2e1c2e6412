import { sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'

/** Comments on the question itself that are read, the first ones (as in the trigger `note_comment_text`), and characters per text. */
const MAX_COMMENTS = 20
const MAX_CHARACTERS = 1_000
/**
 * Where comments were added, a question is encoded again when there was no other one for the first of these times, and at the latest
 * after the second: an ongoing discussion is not encoded with each of its comments.
 */
const quiet = sql`interval '15 minutes'`
const longest = sql`interval '1 hour'`
/** Questions without a row that are queued per run. */
const MAX_NOTED = 50_000

export interface TextsToEncode {
	id: number
	/** When they last changed, as text, for an exact comparison. */
	changed: string
	title: string
	/** The description and the top-level comments: Markdown, none empty. */
	texts: string[]
}

/** The stored vectors of these questions; those without one are left out. The last comments may be in none yet. */
export async function readVectors(ids: number[]): Promise<{ id: number; vector: Buffer }[]> {
	if (ids.length === 0) return []
	const { rows } = await sql<{ id: number; vector: Buffer }>`
		select question_id as id, vector from question_vectors where question_id = any(${ids}) and vector is not null`.execute(
		db(),
	)
	return rows
}

/** The texts of some questions that have no vector, or have to be encoded again because of added comments, newest first. */
export async function readUnencoded(limit: number): Promise<TextsToEncode[]> {
	const { rows } = await sql<TextsToEncode>`
		select q.id, v.changed_at::text as changed, q.title,
			array(select text from (
				select left(q.description, ${MAX_CHARACTERS}) as text, null::int as id
				union all
				(select left(c.body, ${MAX_CHARACTERS}), c.id from comments c
					where c.question_id = q.id and c.status = 'published' and c.parent_id is null
					order by c.id limit ${MAX_COMMENTS})) shown
				where text ~ '\\w' order by id nulls first) as texts
		from question_vectors v join questions q on q.id = v.question_id
		where (v.vector is null or v.outdated_since is not null)
			and (v.vector is null or v.changed_at < now() - ${quiet} or v.outdated_since < now() - ${longest}) and q.status = 'published'
		order by v.question_id desc limit ${limit}`.execute(db())
	return rows
}

/** SQL condition: the texts of `questions q` changed within the last ten minutes and have no vector yet; most get one within two. */
export const isEncodedSoon = sql`exists (select from question_vectors v where v.question_id = q.id
	and v.vector is null and v.changed_at > now() - interval '10 minutes')`

/** Stores a vector, unless the texts have changed since they were read. */
export async function storeVector({ id, changed }: TextsToEncode, vector: Buffer): Promise<void> {
	await sql`update question_vectors set vector = ${vector}, outdated_since = null
		where question_id = ${id} and changed_at = ${changed}::timestamptz`.execute(db())
}

/** Queues questions that have no row, such as those from before the table existed, newest first. */
export async function noteUnencoded(): Promise<void> {
	await sql`
		insert into question_vectors (question_id)
		select q.id from questions q
		where q.status = 'published' and not exists (select from question_vectors v where v.question_id = q.id)
		order by q.id desc limit ${MAX_NOTED}
		on conflict do nothing`.execute(db())
}
