import { type Generated, sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { type QuestionRow, questionColumns, questionJoins } from '../questions.queries.server.ts'
import { isPinValid } from './status.queries.server.ts'

declare module '~/platform/db/schema.ts' {
	interface Database {
		question_pins: {
			question_id: number
			place: PinScope
			until: Date | null
			pinned_by: number | null
			pinned_at: Generated<Date>
		}
	}
}

/** The lists on top of which a question is pinned: that of its category, or all that contain it. */
export type PinScope = 'category' | 'forum'

/** Maximum pinned questions in the forum, and in each category. */
export const MAX_PINS = 3

/**
 * The pinned questions of the forum, or of a category with the forum's that belong to it; last pinned first. Of more than the maximum, as
 * after the undo of a deletion or a move to another category, those that were pinned last.
 */
export async function listPinnedRows(categoryId: number | undefined): Promise<QuestionRow[]> {
	const { rows } = await sql<QuestionRow>`
		with valid as materialized (
			select p.question_id, p.place, p.pinned_at, row_number() over (
				partition by p.place, case when p.place = 'category' then q.category_id end order by p.pinned_at desc, q.id) as number
			from question_pins p join questions q on q.id = p.question_id where q.status = 'published' and ${isPinValid()})
		select ${questionColumns} from valid p join questions q on q.id = p.question_id ${questionJoins}
		where p.number <= ${MAX_PINS} and ${categoryId === undefined ? sql`p.place = 'forum'` : sql`q.category_id = ${categoryId}`}
		order by p.pinned_at desc, q.id limit ${2 * MAX_PINS}`.execute(db())
	return rows
}

export interface NewPin {
	questionId: number
	categoryId: number
	place: PinScope
	/** `YYYY-MM-DD`, or null for no end. */
	until: string | null
	by: number
}

/** Pins a question that the caller has locked. @returns false where the maximum is reached */
export async function insertPin(trx: Executor, { questionId, categoryId, place, until, by }: NewPin): Promise<boolean> {
	// Serialized: of two concurrent pins, the second counts the first.
	await sql`select pg_advisory_xact_lock(hashtext('question_pins'))`.execute(trx)
	const { rows } = await sql`
		insert into question_pins (question_id, place, until, pinned_by)
		select ${questionId}, ${place}, ${until}::date, ${by}
		where (select count(*) from question_pins p join questions q on q.id = p.question_id
			where p.place = ${place} and ${isPinValid()} and q.status = 'published' and q.id <> ${questionId}
			${place === 'category' ? sql`and q.category_id = ${categoryId}` : sql``}) < ${MAX_PINS}
		on conflict (question_id) do update
			set place = excluded.place, until = excluded.until, pinned_by = excluded.pinned_by, pinned_at = now()
		returning 1`.execute(trx)
	return rows.length > 0
}

/** Whether a question that the caller has locked is pinned now. */
export async function isPinnedNow(trx: Executor, questionId: number): Promise<boolean> {
	const { rows } = await sql`
		select 1 from question_pins p where p.question_id = ${questionId} and ${isPinValid()}`.execute(trx)
	return rows.length > 0
}

/** Unpins a question, if it is pinned. */
export async function deletePin(trx: Executor, questionId: number): Promise<void> {
	await trx.deleteFrom('question_pins').where('question_id', '=', questionId).execute()
}
