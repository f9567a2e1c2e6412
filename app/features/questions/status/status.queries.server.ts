import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { type QuestionPageRow, questionJoins, questionPageColumns } from '../questions.queries.server.ts'
import type { EventQuestion, ForumEvent } from '../writing/forum-events.ts'
import { rebuildSearch, removeQuestion, returnQuestion } from '../writing/writing.queries.server.ts'

/* Taking texts out of the forum without deleting them, and back. The caller holds the query: its lock comes first. */

export interface HeldPost {
	author_id: number
	category_id: number
	withheld: 'hidden' | 'waiting' | 'merged' | null
	/** Whether it is out of the forum; without being withheld it was deleted. */
	gone: boolean
	edited: boolean
	locked: boolean
	/** As in {@link fingerprintOf}. */
	fingerprint: string
}

/**
 * What a query or a comment says, as SHA-256 in 64 hex digits: whoever lets it pass must have read these words.
 * The parts are hashed as a JSON array, so that no text can be moved from one part into the next under the same hash.
 */
export const fingerprintOf = {
	query: (table: string) => sha256Of(`${table}.title, ${table}.description, ${table}.tags`),
	comment: (table: string) => sha256Of(`${table}.body`),
}

function sha256Of(columns: string) {
	return sql.raw(`encode(sha256(convert_to(jsonb_build_array(${columns})::text, 'UTF8')), 'hex')`)
}

/** A query for judging: locked, whatever became of it. */
export async function lockAnyQuestion(trx: Executor, id: number): Promise<HeldPost | undefined> {
	const { rows } = await sql<HeldPost>`
		select author_id, category_id, withheld, deleted_at is not null as gone, edited_at is not null as edited, locked_at is not null as locked,
			${fingerprintOf.query('questions')} as fingerprint
		from questions where id = ${id} for update`.execute(trx)
	return rows[0]
}

/** A comment for judging, whatever became of it; its query, which the caller holds already, must be in the forum. */
export async function lockAnyComment(
	trx: Executor,
	id: number,
): Promise<Omit<HeldPost, 'category_id' | 'locked'> | undefined> {
	const { rows } = await sql<HeldPost>`
		select author_id, withheld, deleted_at is not null as gone, edited_at is not null as edited, ${fingerprintOf.comment('comments')} as fingerprint
		from comments where id = ${id} for update`.execute(trx)
	return rows[0]
}

/** Takes a query out of the forum. */
export async function withholdQuestion(
	trx: Executor,
	id: number,
	held: { category_id: number },
	why: { state: 'hidden' | 'waiting' | 'merged'; reason: string; into?: number },
): Promise<void> {
	await removeQuestion(trx, id, held, null)
	await sql`update questions set withheld = ${why.state}, withheld_reason = ${why.reason}, merged_into = ${why.into ?? null} where id = ${id}`.execute(
		trx,
	)
}

/** Takes a withheld query back into the forum. */
export async function releaseQuestion(trx: Executor, id: number): Promise<void> {
	await sql`update questions set withheld = null, withheld_reason = '', merged_into = null where id = ${id}`.execute(
		trx,
	)
	await returnQuestion(trx, id)
}

/** Takes a comment out of the forum; its place stays where replies need it. */
export async function withholdComment(
	trx: Executor,
	id: number,
	questionId: number,
	why: { state: 'hidden' | 'waiting'; reason: string },
): Promise<void> {
	await sql`update comments set deleted_at = now(), withheld = ${why.state}, withheld_reason = ${why.reason},
		withheld_solution = is_solution, is_solution = false where id = ${id}`.execute(trx)
	await settle(trx, questionId, -1)
}

/** Takes a withheld comment back. */
export async function releaseComment(trx: Executor, id: number, questionId: number): Promise<void> {
	await sql`update comments set deleted_at = null, withheld = null, withheld_reason = '', is_solution = withheld_solution, withheld_solution = false
		where id = ${id}`.execute(trx)
	await settle(trx, questionId, 1)
}

/** Says another reason, or another state, of a text that is withheld already. */
export async function rewordWithheld(
	trx: Executor,
	kind: 'query' | 'comment',
	id: number,
	reason: string,
): Promise<void> {
	const table = kind === 'query' ? sql`questions` : sql`comments`
	await sql`update ${table} set withheld = 'hidden', withheld_reason = ${reason} where id = ${id}`.execute(trx)
}

/** Nobody may comment any more, or again. */
export async function setLocked(trx: Executor, id: number, locked: boolean): Promise<void> {
	await sql`update questions set locked_at = ${locked ? sql`now()` : null} where id = ${id}`.execute(trx)
}

/** Count, solved state, time and words of a query after one of its comments came or went. */
async function settle(trx: Executor, questionId: number, difference: 1 | -1): Promise<void> {
	await sql`update questions set comment_count = comment_count + ${difference},
		solved = exists (select 1 from comments where question_id = ${questionId} and is_solution),
		active_at = greatest(created_at, (select max(created_at) from comments where question_id = ${questionId} and deleted_at is null))
		where id = ${questionId}`.execute(trx)
	await rebuildSearch(trx, questionId)
}

/** What happened when a post was let pass: its author added it. */
export async function readAdded(
	trx: Executor,
	kind: 'query' | 'comment',
	id: number,
	query: EventQuestion,
	approvedBy: number,
): Promise<ForumEvent> {
	if (kind === 'query') {
		const { author_id: actorId, description } = await trx
			.selectFrom('questions')
			.select(['author_id', 'description'])
			.where('id', '=', id)
			.executeTakeFirstOrThrow()
		return { kind: 'query-added', actorId, query, description, approvedBy }
	}
	const added = await trx
		.selectFrom('comments')
		.innerJoin('users', 'users.id', 'comments.author_id')
		.select(['author_id as actorId', 'username', 'parent_id as parentId', 'body'])
		.where('comments.id', '=', id)
		.executeTakeFirstOrThrow()
	return { kind: 'comment-added', ...added, query, commentId: id, approvedBy }
}

/* Reading what is out of the forum. */

export interface WithheldRow extends QuestionPageRow {
	withheld: 'hidden' | 'waiting' | 'merged'
	withheld_reason: string
	merged_into: number | null
}

/** A query that is out of the forum without being deleted. */
export async function findWithheldRow(id: number): Promise<WithheldRow | undefined> {
	const { rows } = await sql<WithheldRow>`
		select ${questionPageColumns}, q.withheld, q.withheld_reason, q.merged_into
		from questions q ${questionJoins} where q.id = ${id} and q.withheld is not null`.execute(db())
	return rows[0]
}

export interface MergedRow {
	id: number
	merged_into: number
	title: string
	username: string
	category_slug: string
}

/** A query that was merged into another one, as far as its address and title. */
export async function findMergedRow(id: number): Promise<MergedRow | undefined> {
	const { rows } = await sql<MergedRow>`
		select q.id, q.merged_into, q.title, u.username, c.slug as category_slug
		from questions q ${questionJoins} where q.id = ${id} and q.merged_into is not null`.execute(db())
	return rows[0]
}

/** Address facts of a query, whatever became of it. */
export async function findPlaceOfQuestion(
	id: number,
): Promise<{ id: number; username: string; category_slug: string } | undefined> {
	const { rows } = await sql<{ id: number; username: string; category_slug: string }>`
		select q.id, u.username, c.slug as category_slug from questions q ${questionJoins} where q.id = ${id}`.execute(db())
	return rows[0]
}
