import { type RawBuilder, sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'
import { walkBlocks } from '../scope.queries.server.ts'
import type { QuestionAddress } from '../search.view.ts'
import { bm25K1, type Probe, textWeight, type WeightedWord } from './weights.ts'

/** The newest blocks of 4,096 questions, for {@link Probe.newest}. */
const newestBlocks = 6

/** The condition for suggestions: excludes everything that is not public. */
const visible = sql`q.status = 'published'`

/** {@link visible}, without this question. */
export function visibleExcept(id: number): RawBuilder<unknown> {
	return sql`${visible} and q.id <> ${id}`
}

export interface WordRow {
	word: string
	/** Whether it is in the title of the new question, or only in its description. */
	titled: boolean
	/** The number of sampled questions with it; null if there are none. */
	documents: number | null
}

/** The number of sampled questions, and of all. */
export interface Totals {
	sampled: number
	questions: number
}

/** The distinct words of a question in the search's normal form, with their frequency. */
export async function readWords(title: string, description: string): Promise<WordRow[]> {
	const { rows } = await sql<WordRow>`
		select asked.word, bool_or(asked.titled) as titled, max(s.documents) as documents
		from (
			select unnest(tsvector_to_array(to_tsvector('english', search_text(${title})))) as word, true as titled
			union all
			select unnest(tsvector_to_array(to_tsvector('english', search_text(${description})))), false) asked
		left join similar_words s using (word)
		group by asked.word`.execute(db())
	return rows
}

/** The number of questions that were sampled for word counts, and of all. */
export async function readTotals(): Promise<Totals> {
	const { rows } = await sql<Totals>`
		select t.documents as sampled, greatest(t.documents, c.value)::int as questions
		from similar_totals t, counters c where c.name = 'questions'`.execute(db())
	return rows[0] ?? { sampled: 0, questions: 0 }
}

/** Known words with a spelling similar to unknown ones, at most two for each. */
export async function readSpellings(words: string[]): Promise<{ meant: string; documents: number }[]> {
	const { rows } = await sql<{ meant: string; documents: number }>`
		select near.word as meant, near.documents from unnest(${words}::text[]) asked (word)
		cross join lateral (
			select s.word, s.documents from similar_words s
			where s.word % asked.word and similarity(s.word, asked.word) >= 0.45
			order by similarity(s.word, asked.word) desc, s.documents desc, s.word limit 2) near`.execute(db())
	return rows
}

export interface SimilarCandidate {
	id: number
	title: string
	/** The sum over the words, each at most its weight times 1 + 2.2 × textWeight. */
	score: number
}

/** How often `asked.word` is in the document `d.search`, up to 50: for one word, ts_rank is the sum of 1/n² up to that, divided by π²/6. */
const frequency = sql.raw(
	`greatest(0, 0.608 / greatest(0.012, 1 - ts_rank('{1, 1, 1, 1}', d.search, asked.word)) - 0.608)`,
)

/**
 * The questions that share most with a question, by weight. Each probe reads a bounded part of an index; the results of all probes
 * are sorted by the weights of shared words, and the best are scored word by word. A word scores in the title by the title's length
 * (as if it occurred once) and in the whole text by its frequency and the text's length: BM25 with k1 = 1.2 and b = 0.75 both
 * times.
 */
export async function findCandidates(
	probes: Probe[],
	words: WeightedWord[],
	scored: number,
	condition: RawBuilder<unknown> = visible,
): Promise<SimilarCandidate[]> {
	const hits = [true, false].flatMap((titleOnly) =>
		[true, false].flatMap((newest) => {
			const alike = probes.filter((probe) => probe.titleOnly === titleOnly && probe.newest === newest)
			return alike.length > 0 ? [hitRows(alike, { titleOnly, newest }, condition)] : []
		}),
	)
	if (hits.length === 0) return []
	const { rows } = await sql<SimilarCandidate>`
		with hits as (${sql.join(hits, sql` union all `)}),
		best as (select id from hits group by id order by sum(weight) desc, id desc limit ${scored}),
		asked as materialized (
			select word::tsquery as word, (word || ':A')::tsquery as titled, weight
			from unnest(${words.map(({ word }) => quoted(word))}::text[], ${words.map(({ weight }) => weight)}::float8[]) w (word, weight)),
		-- Unpacked once, by deleting the empty word, which is in none: each use of q.search itself would unpack the document again.
		unpacked as materialized (
			select q.id, q.title, ts_delete(q.search, '') as search from best join questions q using (id)),
		documents as materialized (
			select d.id, d.title, d.search,
				1 + ${bm25K1} * (0.25 + 0.75 * length(ts_filter(d.search, '{a}')) / t.title_words) as title_length,
				greatest(length(d.search), 1) / t.words as length
			from unpacked d, similar_totals t),
		-- Counted once: each use of a rank below would count the word again.
		counted as materialized (
			select d.id, asked.weight, d.search @@ asked.titled as titled, ${frequency} as times, d.title_length, d.length
			from documents d, asked where d.search @@ asked.word),
		scores as (
			select id, sum(weight * (
				case when titled then 1 / title_length else 0 end
				+ ${textWeight} * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length))))::float8 as score
			from counted group by id)
		select d.id, d.title, coalesce(s.score, 0) as score from documents d left join scores s using (id)`.execute(db())
	return rows
}

/**
 * The results of probes of one kind: the newest, where more match than are read. Rows come in the order in which they are stored otherwise, which
 * changes when they are written again.
 */
function hitRows(
	probes: Probe[],
	{ titleOnly, newest }: Pick<Probe, 'titleOnly' | 'newest'>,
	condition: RawBuilder<unknown>,
): RawBuilder<unknown> {
	const document = titleOnly ? sql`title_document(q.title)` : sql`q.search`
	const matching = sql`${document} @@ p.words and ${condition}`
	const rows = newest
		? walkBlocks(matching, sql`0`, sql`${newestBlocks - 1}::int`)
		: sql`with m as materialized (select q.id from questions q where ${matching}) select id from m order by id desc`
	return sql`
		select hit.id, p.weight from ${probeRows(probes)} cross join lateral (${rows} limit p.max) hit`
}

function probeRows(probes: Probe[]) {
	return sql`(select words::tsquery as words, weight, max from unnest(
		${probes.map(({ words }) => words.map(quoted).join(' & '))}::text[],
		${probes.map(({ weight }) => weight)}::float8[],
		${probes.map(({ limit }) => limit)}::int[]) probe (words, weight, max)) p`
}

/** A word quoted for a tsquery, whatever its characters. */
function quoted(word: string): string {
	return `'${word.replace(/['\\]/g, '$&$&')}'`
}

export interface SimilarRow {
	id: number
	username: string
	category_slug: string
	/** The beginning of the description, as HTML that may be truncated anywhere. */
	description_start: string
	title: string
	solved: boolean
	comment_count: number
}

/** The fields of questions that are shown. */
export async function readSimilar(ids: number[]): Promise<SimilarRow[]> {
	const { rows } = await sql<SimilarRow>`
		select q.id, q.title, q.solved, q.comment_count, u.username, c.slug as category_slug, left(q.description_html, 8000) as description_start
		from questions q join users u on u.id = q.author_id join categories c on c.id = q.category_id
		where q.id = any(${ids}) and ${visible}`.execute(db())
	return rows
}

/** Recounts the forum's words; see the migration. */
export async function refreshWordCounts(): Promise<void> {
	await sql`select refresh_similar_words()`.execute(db())
}

/** Records that a question answered a member's own, once per member. @returns its title and address; undefined if there is none */
export async function insertHelped(questionId: number, userId: number | null): Promise<QuestionAddress | undefined> {
	const { rows } = await sql<QuestionAddress>`
		with found as (
			select q.id, q.title, u.username, c.slug as category_slug
			from questions q join users u on u.id = q.author_id join categories c on c.id = q.category_id
			where q.id = ${questionId} and ${visible}),
		noted as (insert into similar_helped (question_id, user_id) select id, ${userId}::int from found on conflict do nothing)
		select * from found`.execute(db())
	return rows[0]
}
