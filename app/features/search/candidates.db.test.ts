import { type RawBuilder, sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { listQuestions } from '~/features/question-lists/lists.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { conditionsBesideWords, newestRows, type SearchScope } from './scope.queries.server.ts'
import { refreshWordCounts } from './similar/similar.queries.server.ts'

useDatabase()

/** More than a search ranks, and more than it counts for two combined tags, but fewer than it reads for a phrase. */
const newer = 450
const first = 1_000_000
let asha: SignedIn
let ravi: SignedIn

beforeAll(async () => {
	;[asha, ravi] = await Promise.all([makeMember('asha'), makeMember('ravi')])
	await add(ravi, { id: 5, count: 1, title: 'The teapot and the kettle', body: 'My kettle boils.' })
	await add(asha, { id: first, count: newer, title: 'A kettle', body: 'It boils, says the kettle.' })
	await add(asha, { ...often, tags: ['brass'], title: 'A samovar', body: 'It steams.' })
	await add(asha, { ...seldom, tags: ['brass'], title: 'An urn', body: 'It steams.' })
	await add(ravi, {
		id: literal,
		count: 1,
		tags: ['glass'],
		title: 'In the dark',
		body: 'How does\n_this_ **lantern** work?',
	})
	// In batches, as a statement has a time limit.
	for (const part of [0, 400, 800, 1_200])
		await add(asha, { id: literal + 1 + part, count: 400, tags: ['glass'], title: 'A lantern', body: 'It works.' })
	await add(ravi, { id: 7, count: 1, tags: ['glass'], title: 'To lantern or not to lantern', body: 'That is it.' })
	await add(ravi, { id: unknown, count: 1, tags: ['glass'], title: 'By day', body: 'Are there\nany **of** these?' })
})

/** Spread over the blocks of ids up to the newest: ten per block, and two per block. */
const often = { id: 1_800_000, count: 501, step: 400 }
const seldom = { id: 1_000_501, count: 501, step: 2_000 }

/** It is followed by more matches than are ranked for a phrase. */
const literal = 2_000_502
const unknown = literal + 2_000
const anvils = unknown + 2_000
const kilns = anvils + 6_000

/** Questions with ids `step` apart, an hour between two. */
async function add(author: SignedIn, { id, count, step = 1, tags = ['steam', 'water'], title, body }: Added) {
	await sql`
		with added as (
			insert into questions (id, author_id, category_id, title, description, description_html, excerpt, tags, created_at, search)
			select n, ${author.id}, (select min(id) from categories), ${title}, ${body}, '', '', ${tags}::text[],
				timestamptz '2020-01-01' + n * interval '1 hour', question_document(${title}, ${tags}::text[], ${body})
			from generate_series(${id}::int, ${id + (count - 1) * step}::int, ${step}::int) n returning id, created_at),
		named as (insert into tags (name, question_count) select unnest(${tags}::text[]), ${count}::int
			on conflict (name) do update set question_count = tags.question_count + excluded.question_count returning id)
		insert into question_tags (tag_id, question_id, created_at) select named.id, added.id, added.created_at from added, named`.execute(
		db(),
	)
}

interface Added {
	id: number
	count: number
	step?: number
	tags?: string[]
	title: string
	body: string
}

async function everyPage(search: string): Promise<number[]> {
	const met: number[] = []
	let cursor: string | null = null
	do {
		const { rows, next } = await listQuestions(null, { search, cursor, limit: 50 })
		met.push(...rows.map((row) => row.id))
		cursor = next
	} while (cursor)
	return met
}

test('for a word in very many questions, the newest 150 are ranked', async () => {
	const met = await everyPage('kettle')
	expect(met).toEqual(Array.from({ length: 150 }, (_, index) => first + newer - 1 - index))
})

test.each([
	['often', 'samovar', often],
	['seldom', 'urn', seldom],
])(
	'of a word that stands %s in each block of queries the newest 300 are ranked',
	async (_, word, { id, count, step }) => {
		const newest = Array.from({ length: 300 }, (_, index) => id + (count - 1 - index) * step)
		expect(await everyPage(`${word} -teapot`)).toEqual(newest)
	},
)

test.each([
	['kettle', 150, { id: first, count: newer, step: 1 }],
	['samovar -teapot', 300, often],
	['urn -teapot', 300, seldom],
	['kettle -"steams boils"', 300, { id: first, count: newer, step: 1 }],
])('hidden queries are not among those with “%s” that are ranked', async (search, most, { id, count, step }) => {
	const newest = (skipped: number, length: number) =>
		Array.from({ length }, (_, index) => id + (count - 1 - skipped - index) * step)
	const setStatus = (status: string) =>
		sql`update questions set status = ${status} where id = any(${newest(0, 10)}::int[])`.execute(db())
	await setStatus('hidden')
	try {
		expect(await everyPage(search)).toEqual(newest(10, most))
	} finally {
		await setStatus('published')
	}
})

test('a rare word is found in the oldest query', async () => {
	expect(await everyPage('teapot')).toEqual([5])
})

test('a common word together with a rare one is found in the oldest query', async () => {
	expect(await everyPage('kettle teapot')).toEqual([5])
})

test('a common word is found in the oldest query of a member with few queries', async () => {
	expect(await everyPage('kettle user:ravi')).toEqual([5])
})

test.each(['"kettle boils"', 'kettle_boils', 'kettle__boils', 'kettle=boils'])(
	'%j is found in the oldest query although newer ones contain its words separately',
	async (search) => {
		expect(await everyPage(search)).toEqual([5])
	},
)

test.each([
	['one word is common and the others are in no index', '"how does this lantern"', literal],
	['no word is in an index', '"are there any of"', unknown],
	['it stands beside a word', 'work "how does this lantern"', literal],
])(
	'a phrase of which %s is found where it stands letter by letter, before what only has its words',
	async (_, search, id) => {
		const { rows, instead } = await listQuestions(null, { search, limit: 10 })
		expect([rows[0]?.id, instead]).toEqual([id, undefined])
		const narrowed = await listQuestions(null, { search: `${search} -tag:glass`, limit: 10 })
		expect(narrowed.rows.map(({ id }) => id)).not.toContain(id)
	},
)

test.each(['copper kiln', 'brick oven', 'the fire clay', 'Schamotte heiß'])(
	'the phrase “%s” is found however its words are joined in a text, before a title with its words',
	async (phrase) => {
		const joined = 'A copper_kiln, its brick-oven and *the*\nfire/clay: schamotte, HEISS, (schamotte) heiß.'
		const id = kilns + phrase.length * 2
		await add(ravi, { id, count: 1, tags: ['clay'], title: 'Heat', body: joined })
		const words = phrase.split(' ').toReversed().join(' or ')
		await add(ravi, { id: id + 1, count: 1, tags: ['clay'], title: words, body: 'It is hot.' })
		const { rows } = await listQuestions(null, { search: `"${phrase}" tag:clay`, limit: 10 })
		expect(rows[0]?.title).toBe('Heat')
	},
)

test('an older phrase follows a newer one even if more questions than are ranked lie between them', async () => {
	const forge = (id: number, count: number, body: string) =>
		add(ravi, { id, count, tags: ['iron'], title: 'An anvil', body })
	const [older, newer] = [anvils, anvils + 1_601]
	await forge(older, 1, 'So where is the *anvil*?')
	for (const part of [0, 400, 800, 1_200]) await forge(older + 1 + part, 400, 'It is there.')
	await forge(newer, 1, 'Where is the anvil now?')
	const { rows } = await listQuestions(null, { search: '"where is the anvil"', limit: 10 })
	expect(rows.slice(0, 2).map(({ id }) => id)).toEqual([newer, older])
	const met = await everyPage('"where is the anvil" tag:iron')
	expect([met.slice(0, 2), new Set(met).size]).toEqual([[newer, older], met.length])
	await sql`update questions set status = 'hidden' where id = ${older}`.execute(db())
	expect(await everyPage('"where is the anvil"')).not.toContain(older)
})

test('for a phrase in a hundred titles no other questions are ranked; for one in fewer titles they follow', async () => {
	const described = anvils + 4_000
	await add(ravi, { id: described, count: 1, tags: ['bronze'], title: 'By ear', body: 'It is a bronze gong.' })
	await add(ravi, { id: described + 1, count: 99, tags: ['bronze'], title: 'A bronze gong', body: 'Here.' })
	const titled = Array.from({ length: 99 }, (_, index) => described + 99 - index)
	expect(await everyPage('"bronze gong"')).toEqual([...titled, described])
	await add(ravi, { id: described + 100, count: 1, tags: ['bronze'], title: 'A bronze gong', body: 'Here.' })
	expect(await everyPage('"bronze gong"')).toEqual([described + 100, ...titled])
})

test('a pasted complete title is found first, although a thousand others contain its only word', async () => {
	const { rows } = await listQuestions(null, { search: 'To lantern or not to lantern', limit: 10 })
	expect(rows[0]?.id).toBe(7)
})

test('a minus excludes a phrase, not its single words', async () => {
	expect(await everyPage('teapot -"boils kettle"')).toEqual([5])
	expect(await everyPage('teapot -"kettle boils"')).toEqual([])
})

test('two tags with many common questions are listed completely, by time', async () => {
	const met = await everyPage('tag:steam tag:water')
	expect(met).toEqual([...Array.from({ length: newer }, (_, index) => first + newer - 1 - index), 5])
})

test('alternative tags with many questions are listed by time, each question once', async () => {
	const fibres = anvils + 5_000
	await add(ravi, { id: fibres, count: 120, tags: ['felt', 'wool'], title: 'A fibre', body: 'It is soft.' })
	await add(ravi, { id: fibres + 120, count: 1, tags: ['linen'], title: 'A fibre', body: 'It is soft.' })
	const met = await everyPage('tag:felt or tag:linen or tag:wool')
	expect(met).toEqual(Array.from({ length: 121 }, (_, index) => fibres + 120 - index))
})

test('conditions with few common results are listed by time', async () => {
	expect(await everyPage('tag:steam tag:water user:ravi')).toEqual([5])
})

test.each([
	['questions_found', 40],
	['questions_title', 40],
	['questions_found_unanswered', 40],
	['search_words_spelling', 0],
	['similar_words_spelling', 0],
])('an index has few entries that are not sorted in yet, as each search reads them all: %s', async (index, most) => {
	if (index === 'similar_words_spelling') await refreshWordCounts()
	const { rows } = await sql<{ pages: number }>`
		select gin_clean_pending_list(${index}::regclass)::int as pages`.execute(db())
	expect(rows[0]?.pages).toBeLessThanOrEqual(most)
})

const everywhere: SearchScope = {
	tags: [],
	eitherTags: [],
	categories: null,
	users: null,
	without: { tags: [], categories: [], users: [] },
	except: null,
}

/** The plan for questions in a state, without some indexes. */
function planOf(condition: RawBuilder<unknown>, states: Partial<SearchScope>, missing: string[]) {
	const conditions = conditionsBesideWords({ ...everywhere, ...states }, sql`true`)
	return explain(sql`select id from questions q where ${condition} and ${conditions}`, missing)
}

/** The plan of a statement, without some indexes; the database stays as it is. */
async function explain(statement: RawBuilder<unknown>, missing: string[] = []): Promise<string> {
	const trx = await db().startTransaction().execute()
	await sql`analyze questions`.execute(trx)
	await sql`set local enable_seqscan = off`.execute(trx)
	for (const index of missing) await sql`drop index ${sql.id(index)}`.execute(trx)
	const { rows } = await sql<Record<string, string>>`explain ${statement}`.execute(trx)
	await trx.rollback().execute()
	return rows.map((row) => row['QUERY PLAN']).join('\n')
}

test('beside words, the list of all solved questions is not read', async () => {
	const plan = await planOf(sql`q.status = 'published'`, { solved: true }, [])
	expect(plan).toContain('questions_')
	expect(plan).not.toContain('questions_solved')
})

test('the newest questions for a phrase of unindexed words are read from the newest id on', async () => {
	const plan = await explain(sql`${newestRows(everywhere, 12, sql`true`)} limit 3000`)
	expect(plan).toMatch(/Index Scan Backward using questions_pkey.*\n\s*Index Cond: \(id >=/)
	expect(plan).not.toContain('Sort')
})

test.each(['q.search', 'title_document(q.title)'])(
	'unanswered questions have an index of their words: %s',
	async (document) => {
		const words = sql`${sql.raw(document)} @@ 'kettle'`
		const plan = await planOf(words, { unanswered: true }, ['questions_found', 'questions_title'])
		expect([...plan.matchAll(/on (questions_\w+)/g)].map(([, index]) => index)).toEqual(['questions_found_unanswered'])
	},
)

test('a question has its document in its row, which searches rank by, and its texts elsewhere', async () => {
	const many = (word: string) => Array.from({ length: 120 }, (_, index) => `${word}${index}`).join(' ')
	const { id } = await makeQuestion(asha, { title: `Bellows ${many('a').slice(0, 100)}`, description: many('leather') })
	await makeComment(ravi, id, many('valve'))
	const columns = ['title', 'excerpt', 'tags', 'search', 'description_html']
	const places = columns.map((name) => sql`pg_column_toast_chunk_id(${sql.ref(name)}) is not null as ${sql.ref(name)}`)
	const { rows } = await sql`select ${sql.join(places)} from questions where id = ${id}`.execute(db())
	expect(rows).toEqual([{ title: false, excerpt: false, tags: false, search: false, description_html: true }])
})
