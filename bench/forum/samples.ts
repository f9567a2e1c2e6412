import { pool } from '~/platform/db/db.server.ts'

/** A measured page; it returns the number of rows that it shows. */
export type Journey = [name: string, page: () => Promise<number>]

/** Parameters for the journeys, sampled from a forum in the same way at each size. */
export interface Samples {
	/** Ids with the timestamps that lists are sorted by, in the cursor's format. */
	places: { id: number; created_at: string; active_at: string }[]
	categories: string[]
	/** The ten most used tags, and some with 100 to 300 questions at each size. */
	commonTags: string[]
	rareTags: string[]
	/** Pairs of tags that occur together, one of them among the most used. */
	tagPairs: [string, string][]
	/** Words by frequency: in more than a fifth of the questions, in 1 to 10 per cent, in 20 to 300 questions. */
	veryCommon: string[]
	common: string[]
	rare: string[]
	/** Adjacent words of a title. */
	phrases: string[]
	questions: { title: string; description: string }[]
	/** The most active askers, and random ones. */
	busy: string[]
	users: string[]
	userIds: number[]
	/** Ids of questions by number of comments. */
	discussed: Record<5 | 50 | 2_000, number[]>
}

const iso = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as ${column}`

/** Samples questions, members and tags; deterministic for a database. */
export async function takeSamples(): Promise<Samples> {
	const some =
		'select * from questions where id in (select 1 + floor(random() * (select max(id) from questions))::int from generate_series(1, 400))'
	await pool().query('select setseed(0.5)')
	const list = async <Row>(statement: string) =>
		(await pool().query<{ value: Row }>(statement)).rows.map(({ value }) => value)
	const words = (share: string) =>
		list<string>(`select word as value from similar_words, similar_totals t
			where word ~ '^[a-z]{4,}$' and to_tsvector('english', word) @@ quote_literal(word)::tsquery
			and ${share} order by random() limit 200`)
	const part = 'similar_words.documents::float8 / t.documents'
	const discussed = (count: number) =>
		list<number>(`select id as value from questions where comment_count = ${count} order by random() limit 100`)
	const { rows: places } = await pool().query<Samples['places'][number]>(
		`select id, ${iso('created_at')}, ${iso('active_at')} from (${some}) chosen`,
	)
	const { rows: questions } = await pool().query<Samples['questions'][number]>(
		`select title, description from (${some}) chosen`,
	)
	const popular = 'select name from tags order by question_count desc limit 10'
	return {
		places,
		questions,
		categories: await list(`select slug as value from categories where question_count > 0`),
		commonTags: await list(`select name as value from (${popular}) popular`),
		rareTags: await list(
			`select name as value from tags where question_count between 100 and 300 order by abs(question_count - 150), name limit 50`,
		),
		tagPairs: await list(`select json_build_array(one, other) as value from (
			select one, other, count(*) from (${some.replace('400', '5000')}) chosen, unnest(tags) one, unnest(tags) other
			where one in (${popular}) and one < other group by 1, 2 order by 3 desc limit 10) pairs`),
		veryCommon: await words(`${part} > 0.2`),
		common: await words(`${part} between 0.01 and 0.1`),
		rare: await words(`${part} * (select value from counters where name = 'questions') between 20 and 300`),
		phrases: await list(
			`select found[1] as value from (${some}) chosen, regexp_match(title, '([A-Za-z]{5,} [A-Za-z]{5,})') found where found is not null`,
		),
		busy: await list(
			'select username as value from users join (select author_id as id, count(*) from questions group by 1 order by 2 desc limit 5) top using (id)',
		),
		users: await list(`select username as value from (${some}) chosen join users on users.id = author_id`),
		userIds: await list(`select author_id as value from (${some}) chosen`),
		discussed: { 5: await discussed(5), 50: await discussed(50), 2000: await discussed(2_000) },
	}
}
