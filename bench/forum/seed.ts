import type pg from 'pg'
import { seedMembers } from '~/features/demo/people/seed.server.ts'
import { refreshStatistics } from '~/features/import/import.queries.server.ts'
import { pool } from '~/platform/db/db.server.ts'
import { progressLine } from '../../scripts/support/progress.ts'
import { type Texts, wordOf } from './texts.ts'

/** Questions per transaction. */
const batchSize = 20_000
/** Batches that are written concurrently. */
const writers = 2
const rareWords = 300_000

/** Tables whose indexes are created after the rows, which takes a third of the time. */
const filled = ['questions', 'comments', 'question_tags', 'question_votes', 'notifications', 'search_spellings']

/**
 * Fills an empty forum with questions and five times as many comments, in bulk, without triggers and importer. Everything that those would
 * derive is computed here, and `findDifferences` verifies it. Of each thousand questions 200 have no comment, most a few, 8 have 50
 * and two 150 and 200; the first five have 2,000.
 * @param members who may write; the first few of them write much
 * @returns rows written and seconds
 */
export async function seedForum(
	size: number,
	texts: Texts,
	members = 10_000,
): Promise<{ rows: number; seconds: number }> {
	await seedMembers(members, { onProgress: progressLine(`${members.toLocaleString('en')} members`) })
	const began = Date.now()
	await fillPools(texts)
	await makePlan(size)
	const indexes = await takeIndexes()
	const onProgress = progressLine(`${size.toLocaleString('en')} queries`)
	let next = 1
	const work = async () => {
		while (next <= size) {
			const from = next
			next += batchSize
			await fillBatch(from, Math.min(next, size + 1))
			onProgress(Math.min(next, size), size)
		}
	}
	await Promise.all(Array.from({ length: writers }, work))
	for (const statement of wholes) await step(statement)
	const make = async () => {
		for (let index = indexes.pop(); index; index = indexes.pop()) await step(index)
	}
	await Promise.all(Array.from({ length: writers }, make))
	await step('drop schema bench cascade')
	// What follows reads all of the forum.
	await refreshStatistics()
	for (const statement of around) await step(statement)
	await pool().query(
		'vacuum (analyze) search_words, search_spellings, similar_words, notifications, question_votes, related_questions, skill_evidence, skill_strengths, cases, reports',
	)
	const { rows } = await pool().query<{ rows: string }>(`
		select (select count(*) from questions) + (select count(*) from comments) + (select count(*) from question_tags)
			+ (select count(*) from question_votes) + (select count(*) from notifications) as rows`)
	return { rows: Number(rows[0]?.rows), seconds: (Date.now() - began) / 1_000 }
}

/** Runs work without triggers and foreign keys. */
async function bulk(work: (client: pg.PoolClient) => Promise<unknown>): Promise<void> {
	const client = await pool().connect()
	try {
		await client.query('begin')
		await client.query(
			`set local session_replication_role = replica; set local work_mem = '256MB'; set local maintenance_work_mem = '1GB'`,
		)
		await work(client)
		await client.query('commit')
	} catch (error) {
		await client.query('rollback')
		throw error
	} finally {
		client.release()
	}
}

async function step(statement: string): Promise<void> {
	const began = Date.now()
	await bulk((client) => client.query(statement))
	const seconds = (Date.now() - began) / 1_000
	if (seconds > 5)
		process.stdout.write(`${seconds.toFixed(0)} s: ${statement.trim().slice(0, 90).replace(/\s+/g, ' ')}\n`)
}

/** Stores the texts with their search documents, each computed once; `pick` selects one by a number and a purpose. */
async function fillPools({ titles, bodies, answers, tags }: Texts): Promise<void> {
	await step(`
		drop schema if exists bench cascade;
		create schema bench;
		create function bench.pick(number bigint, what int, among bigint) returns bigint language sql immutable parallel safe as
			'select (hashint8extended(number, what) & 9223372036854775807) % among';
		create function bench.share(number bigint, what int) returns float8 language sql immutable parallel safe as
			'select bench.pick(number, what, 1000000) / 1e6';
		create aggregate bench.joined(tsvector) (sfunc = tsvector_concat, stype = tsvector, initcond = '');
		create function bench.html(text) returns text language sql immutable parallel safe as
			$$ select '<p>' || replace(replace(replace($1, '&', '&amp;'), '<', '&lt;'), E'\\n\\n', E'</p>\\n<p>') || '</p>' $$`)
	for (const [table, columns, values] of [
		['titles', `value #>> '{}' as title`, titles],
		['bodies', `value #>> '{}' as body`, bodies],
		['answers', `value #>> '{}' as body`, answers],
		['tags', `array(select json_array_elements_text(value)) as tags`, tags],
		['rare', `value #>> '{}' as word`, Array.from({ length: rareWords }, (_, number) => wordOf(number + 6_400))],
	] as const)
		await bulk(async (client) => {
			await client.query('create temporary table given (list json) on commit drop')
			await client.query('insert into given values ($1)', [JSON.stringify(values)])
			await client.query(
				`create table bench.${table} as select (place - 1)::bigint as n, ${columns}
				from given, json_array_elements(list) with ordinality as one (value, place)`,
			)
		})
	await step(`
		alter table bench.bodies add document tsvector, add html text, add excerpt text;
		update bench.bodies set document = setweight(text_document(body), 'C'), html = bench.html(body),
			excerpt = left(regexp_replace(body, '\\s+', ' ', 'g'), 200);
		alter table bench.answers add document tsvector, add html text;
		update bench.answers set document = comment_document(body), html = bench.html(body);
		alter table bench.tags add document tsvector, add category_id int;
		update bench.tags t set document = setweight(text_document(array_to_string(tags, ' ')), 'B'),
			category_id = coalesce(
				(select id from categories c where c.tags && t.tags order by position limit 1),
				(select id from categories where slug = 'others'));
		create table bench.people as select row_number() over (order by id) - 1 as n, id as user_id from users order by id;
		create unique index on bench.titles (n); create unique index on bench.bodies (n); create unique index on bench.answers (n);
		create unique index on bench.tags (n); create unique index on bench.rare (n); create unique index on bench.people (n);
		analyze bench.titles; analyze bench.bodies; analyze bench.answers; analyze bench.tags; analyze bench.rare; analyze bench.people`)
}

/** Assigns each question its number of comments and the id of the first. */
async function makePlan(size: number): Promise<void> {
	await step(`
		create table bench.plan as
		select n, count, (sum(count) over (order by n) - count + 1)::int as first, now() - interval '10 days' - make_interval(mins => ((${size} - n) * (10 * 525600.0 / ${size}))::int) as created_at
		from (select n::int, case when n <= 5 then 2000 when r < 200 then 0 when r < 500 then 2 when r < 800 then 5 when r < 950 then 9
			when r < 990 then 20 when r < 998 then 50 when r = 998 then 150 else 200 end as count
			from (select n, (n * 617) % 1000 as r from generate_series(1, ${size}) n) numbered) counted;
		create unique index on bench.plan (n);
		analyze bench.plan`)
}

async function takeIndexes(): Promise<string[]> {
	const { rows } = await pool().query<{ name: string; definition: string }>(
		`select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
		where indrelid::regclass::text = any($1) and not exists (select from pg_constraint where conindid = indexrelid)
		order by pg_get_indexdef(indexrelid) ilike '%using gin%', 1`,
		[filled],
	)
	for (const { name } of rows) await pool().query(`drop index ${name}`)
	return rows.map(({ definition }) => definition)
}

/** An author: a few write much, most little. */
const author = (number: string, what: number) =>
	`(select user_id from bench.people person where person.n = floor(power(bench.share(${number}, ${what}), 2.5) * (select count(*) from bench.people))::bigint)`

async function fillBatch(from: number, until: number): Promise<void> {
	await bulk(async (client) => {
		// Eight comments form one or two threads of up to three levels, every tenth group a chain of eight.
		await client.query(`
			insert into comments (id, question_id, author_id, parent_id, path, body, body_html, created_at, is_solution, score)
			select id, c.n, ${author('id', 21)}, path[cardinality(path) - 1], path, a.body, a.html, created_at + i * interval '47 minutes',
				i = 1 and c.n % 3 = 0, (power(bench.share(id, 22), 6) * 40)::int
			from (select plan.*, i, first + i - 1 as id, first + (i - 1) / 8 * 8 as b, (i - 1) % 8 as p, (i - 1) / 8 % 10 = 9 as chain
				from bench.plan, generate_series(1, count) i where n >= ${from} and n < ${until}) c
			cross join lateral (select case when chain then array(select generate_series(b, id)) else case p
				when 0 then array[b] when 1 then array[b, id] when 2 then array[b, b + 1, id] when 3 then array[b, id]
				when 4 then array[id] when 5 then array[id] when 6 then array[b + 5, id] else array[id] end end as path) placed
			join bench.answers a on a.n = bench.pick(id, 23, (select count(*) from bench.answers))`)
		await client.query(`
			insert into questions (id, author_id, category_id, title, description, description_html, excerpt, tags, created_at, active_at,
				comment_count, score, solved, search)
			select p.n, ${author('p.n', 1)}, t.category_id, whole.title, b.body, b.html, b.excerpt, t.tags, p.created_at,
				p.created_at + p.count * interval '47 minutes', p.count, (power(bench.share(p.n, 2), 4) * 12)::int,
				p.count > 0 and p.n % 3 = 0,
				joined.document
			from bench.plan p
			join bench.bodies b on b.n = bench.pick(p.n, 3, (select count(*) from bench.bodies))
			join bench.tags t on t.n = bench.pick(p.n, 4, (select count(*) from bench.tags))
			join bench.titles one on one.n = bench.pick(p.n, 5, (select count(*) from bench.titles))
			join bench.titles other on other.n = bench.pick(p.n, 6, (select count(*) from bench.titles))
			join bench.rare r on r.n = floor(power(bench.share(p.n, 7), 3) * ${rareWords})::bigint
			cross join lateral (select left(left(one.title, length(one.title) / 2 + position(' ' in substr(one.title, length(one.title) / 2)))
				|| substr(other.title, length(other.title) / 2 + 1 + position(' ' in substr(other.title, length(other.title) / 2)))
				|| case when p.n % 3 = 0 then ' ' || r.word else '' end, 180) as title) whole
			cross join lateral (select bench.joined(part.document order by part.id) as document from (
				select 0::bigint as id, setweight(title_document(whole.title), 'A') || t.document || b.document as document
				union all
				select c.id, a.document from (select id from generate_series(p.first::bigint, p.first + least(p.count, 300) - 1) id) c
				join bench.answers a on a.n = bench.pick(c.id, 23, (select count(*) from bench.answers))) part) joined
			where p.n >= ${from} and p.n < ${until}`)
		await client.query(`
			insert into question_votes (user_id, question_id, value)
			select p.user_id, q.id, 1 from questions q, generate_series(1, least(q.score, 12)) s
			join lateral (select user_id from bench.people where n = (q.id * 13 + s) % (select count(*) from bench.people)) p on true
			where q.id >= ${from} and q.id < ${until}`)
	})
}

/** What triggers and importer would derive, for the whole forum at once, and notifications of the last comments. */
const wholes = [
	`insert into tags (name) select distinct unnest(tags) from bench.tags order by 1 on conflict do nothing`,
	`insert into question_tags (tag_id, question_id, created_at, active_at, unanswered, solved)
		select t.id, q.id, q.created_at, q.active_at, q.comment_count = 0, q.solved
		from questions q, unnest(q.tags) name join tags t using (name)`,
	`update tags set question_count = counted.count from (select tag_id, count(*) from question_tags group by 1) counted where tag_id = id`,
	`update categories set question_count = counted.count from (select category_id, count(*) from questions group by 1) counted where category_id = id`,
	`update counters set value = (select count(*) from questions) where name = 'questions'`,
	`insert into search_words (word) select distinct word from questions, title_words(title) as word`,
	`insert into search_words (word, tag) select name, true from tags where question_count > 0 on conflict (word) do update set tag = true`,
	`insert into search_spellings (spelling, word) select distinct spelling, word from search_words, unnest(spellings_of(word)) as spelling`,
	`select setval(pg_get_serial_sequence('questions', 'id'), (select max(id) from questions)),
		setval(pg_get_serial_sequence('comments', 'id'), (select max(id) from comments))`,
	`insert into notifications (user_id, kind, group_key, actor_ids, subject_type, subject_id, title, url, on_site, by_mail, created_at, updated_at, read_at)
		select q.author_id, 'comment', 'comment:query:' || q.id, array[1], 'query', q.id, q.title, '/forum/others/' || q.id, true, false, q.active_at, q.active_at,
			case when q.id % 4 <> 0 then q.active_at end
		from questions q where comment_count > 0 and id % 2 = 0`,
	`insert into notification_boxes (user_id, unread) select user_id, count(*) filter (where read_at is null) from notifications group by 1
		on conflict (user_id) do update set unread = excluded.unread`,
]

/** What pages around the forum read: related questions, evidence of skills, and reports of every hundredth question, a fifth of them open. */
const around = [
	`insert into related_questions (question_id, related_ids, made_at, wanted_at)
		select id, array(select 1 + (id::bigint * 7919 + n * 104729) % (select count(*) from questions) from generate_series(1, 5) n)::int[], now(), null
		from questions on conflict do nothing`,
	`select refresh_evidence(array_agg(id)) from users group by id / 500`,
	`insert into cases (kind, target_id, report_count, waits, active_at, closed_at)
		select 'query', id, 1 + id % 4, false, created_at, case when id % 500 > 0 then created_at end from questions where id % 100 = 0`,
	`insert into reports (case_id, reporter_id, reason, details, created_at, settled_at)
		select cases.id, reporter.id, 'off-topic', 'This is not what the forum is for.', active_at, closed_at
		from cases cross join generate_series(1, report_count) n
		join lateral (select id from users where id > (cases.id * 37 + n * 101) % 4900 order by id limit 1) reporter on true
		on conflict do nothing`,
]
