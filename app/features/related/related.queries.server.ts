import { sql } from 'kysely'
import { questionJoins } from '~/features/questions/questions.queries.server.ts'
import type { QuestionAddress } from '~/features/search/search.view.ts'
import { isEncodedSoon } from '~/features/search/similar/vectors.queries.server.ts'
import { db } from '~/platform/db/db.server.ts'

/** Related questions are refreshed when a page is opened after this many days. */
const MAX_DAYS = 30
/** A question that was opened after waiting this many seconds takes precedence: the job runs every minute. */
const OPENED_FIRST_AFTER_SECONDS = 120
/** A result computed within this many seconds after a change may have missed it, as a change is committed after its timestamp. */
const COMMIT_SECONDS = 60

export interface RelatedRow extends QuestionAddress {
	solved: boolean
	comment_count: number
}

export interface StoredRelated {
	/** The stored ids, including questions that are no longer public. */
	ids: number[]
	/** Those that are public, in their present state and the stored order. */
	rows: RelatedRow[]
	/** Whether opening the page should call {@link recordOpened}. */
	isDue: boolean
}

/** The stored related questions of a question, in one statement. */
export async function readRelated(questionId: number): Promise<StoredRelated> {
	const { rows } = await sql<StoredRelated>`
		select coalesce(r.related_ids, '{}') as ids,
			coalesce(r.wanted_at < now() - make_interval(secs => ${OPENED_FIRST_AFTER_SECONDS}) and not r.opened,
				r.made_at < now() - make_interval(days => ${MAX_DAYS}), r.question_id is null) as "isDue",
			coalesce((
				select json_agg(json_build_object('id', q.id, 'title', q.title, 'solved', q.solved, 'comment_count', q.comment_count,
					'username', u.username, 'category_slug', c.slug) order by found.place)
				from unnest(r.related_ids) with ordinality found (id, place)
				join questions q on q.id = found.id and q.status = 'published' ${questionJoins}), '[]') as rows
		from (select ${questionId}::int as id) asked left join related_questions r on r.question_id = asked.id`.execute(
		db(),
	)
	return rows[0] ?? { ids: [], rows: [], isDue: false }
}

/** Prioritizes a question whose page was opened. */
export async function recordOpened(questionId: number): Promise<void> {
	await sql`
		insert into related_questions as r (question_id, opened)
		select id, true from questions where id = ${questionId} and status = 'published'
		on conflict (question_id) do update set wanted_at = coalesce(r.wanted_at, excluded.wanted_at), opened = true
		where not r.opened`.execute(db())
}

/** A question that is due. */
export interface DueQuestion {
	id: number
	title: string
	/** The beginning of its Markdown. */
	description: string
	/** Since when, as text, so that it can be compared exactly. */
	wanted: string
	changed: boolean
	/** The previous result. */
	before: number[]
}

/**
 * A batch of questions that are due: opened ones first, then the newest.
 * @param awaitsMeaning leaves out those whose embedding is about to be computed
 */
export async function readDueQuestions(
	limit: number,
	characters: number,
	awaitsMeaning = false,
): Promise<DueQuestion[]> {
	const isDue = awaitsMeaning ? sql`not ${isEncodedSoon}` : sql`true`
	const { rows } = await sql<DueQuestion>`
		select q.id, q.title, left(q.description, ${characters}) as description, r.wanted_at::text as wanted, r.changed, r.related_ids as before
		from related_questions r join questions q on q.id = r.question_id
		where r.wanted_at is not null and q.status = 'published' and ${isDue}
		order by r.opened desc, r.question_id desc limit ${limit}`.execute(db())
	return rows
}

/** Those of the given questions that share the category or a tag with a question. */
export async function pickSameSubject(questionId: number, ids: number[]): Promise<Set<number>> {
	const { rows } = await sql<{ id: number }>`
		select q.id from questions asked join questions q on q.id = any(${ids}::int[])
		where asked.id = ${questionId} and (q.category_id = asked.category_id or q.tags && asked.tags)`.execute(db())
	return new Set(rows.map(({ id }) => id))
}

/** Stores the result, unless the question has changed meanwhile. @returns whether it was stored */
export async function storeRelated({ id, wanted }: DueQuestion, ids: number[]): Promise<boolean> {
	const { numAffectedRows } = await sql`
		update related_questions set related_ids = ${ids}::int[], made_at = clock_timestamp(), wanted_at = null, changed = false, opened = false
		where question_id = ${id} and wanted_at = ${wanted}::timestamptz`.execute(db())
	return numAffectedRows === 1n
}

/**
 * Marks these questions as due if their results are older than a change of a question. Skips locked rows, which are about to be marked
 * anyway, and questions without a row, which are found when they are opened.
 */
export async function markNeighboursDue(ids: number[], wanted: string): Promise<void> {
	await sql`
		update related_questions set wanted_at = clock_timestamp() where question_id in (
			select question_id from related_questions
			where question_id = any(${ids}) and wanted_at is null
			and made_at < ${wanted}::timestamptz + make_interval(secs => ${COMMIT_SECONDS})
			for update skip locked)`.execute(db())
}
