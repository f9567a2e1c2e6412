import { sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'

/** Of a question so many comments are read, in the order of the page, and of each text so many characters. */
const MAX_COMMENTS = 20
const MAX_CHARACTERS = 1_000
/** So many questions without a row are noted at once. */
const MAX_NOTED = 50_000

export interface QuestionTexts {
	id: number
	/** When they changed last, as text, so that the very moment is compared. */
	changed: string
	title: string
	/** The description and the comments that answer the question itself: Markdown, none empty. */
	texts: string[]
}

/** The stored vectors of these questions; those that have none are left out. */
export async function readVectors(ids: number[]): Promise<{ id: number; vector: Buffer }[]> {
	if (ids.length === 0) return []
	const { rows } = await sql<{ id: number; vector: Buffer }>`
		select question_id as id, vector from question_vectors where question_id = any(${ids}) and vector is not null`.execute(
		db(),
	)
	return rows
}

/** The texts of some questions without a vector, the newest first. */
export async function readUnencoded(limit: number): Promise<QuestionTexts[]> {
	const { rows } = await sql<QuestionTexts>`
		select q.id, v.changed_at::text as changed, q.title,
			array(select text from (
				select left(q.description, ${MAX_CHARACTERS}) as text, null as path
				union all
				(select left(c.body, ${MAX_CHARACTERS}), c.path from comments c
					where c.question_id = q.id and c.status = 'published' and cardinality(c.path) = 1
					order by c.path limit ${MAX_COMMENTS})) shown
				where text ~ '\\w' order by path nulls first) as texts
		from question_vectors v join questions q on q.id = v.question_id
		where v.vector is null and q.status = 'published'
		order by v.question_id desc limit ${limit}`.execute(db())
	return rows
}

/** Whether the texts of `questions q` changed within the last ten minutes, and no vector is made of them yet: one mostly is within two. */
export const isEncodedSoon = sql`exists (select from question_vectors v where v.question_id = q.id
	and v.vector is null and v.changed_at > now() - interval '10 minutes')`

/** Stores a vector, unless the texts that it was made of have changed. */
export async function storeVector({ id, changed }: QuestionTexts, vector: Buffer): Promise<void> {
	await sql`update question_vectors set vector = ${vector} where question_id = ${id} and changed_at = ${changed}::timestamptz`.execute(
		db(),
	)
}

/** Notes questions that have no row, such as those from before the table was there, the newest first. */
export async function noteUnencoded(): Promise<void> {
	await sql`
		insert into question_vectors (question_id)
		select q.id from questions q
		where q.status = 'published' and not exists (select from question_vectors v where v.question_id = q.id)
		order by q.id desc limit ${MAX_NOTED}
		on conflict do nothing`.execute(db())
}
