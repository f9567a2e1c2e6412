import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import {
	addCategory,
	mergeCategory,
	moveMergedQuestions,
} from '~/features/administration/categories/categories.server.ts'
import { deleteQuestion } from '~/features/asking/asking.server.ts'
import { eraseDeletedPosts } from '~/features/questions/leaving/leaving.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { importQuestions } from './import.server.ts'

useDatabase()

const folder = mkdtempSync(join(tmpdir(), 'import-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let files = 0

function fileOf(lines: (object | string)[], { gzip = false, end = '\n' } = {}): string {
	files += 1
	const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join(end)
	const file = join(folder, `questions-${files}.jsonl${gzip ? '.gz' : ''}`)
	writeFileSync(file, gzip ? gzipSync(text) : text)
	return file
}

function question(id: string, more: object = {}): object {
	return {
		id,
		title: `Question ${id}`,
		body: 'How?',
		tags: ['python'],
		created: '2012-03-04T05:06:07Z',
		score: 3,
		author: 'u1',
		source: 'test',
		licence: 'CC BY-SA 4.0',
		source_url: `https://qa.example/${id}`,
		...more,
	}
}

async function run(file: string, category?: string) {
	const bad: [number, string][] = []
	const summary = await importQuestions(file, {
		category,
		onBadLine: (line, reason) => bad.push([line, reason]),
		onProgress: () => {},
	})
	return { summary, bad }
}

/** Everything that an import writes, as one text. */
async function everything(): Promise<string> {
	const tables = ['users', 'usernames', 'questions', 'comments', 'tags', 'question_tags', 'categories', 'counters']
	const hashes = tables.map((table) =>
		sql<{
			hash: string
		}>`select md5(coalesce(string_agg(row::text, '|' order by row::text), '')) as hash from ${sql.table(table)} as row`.execute(
			db(),
		),
	)
	return (await Promise.all(hashes)).map(({ rows }) => rows[0]?.hash).join(' ')
}

const thread = {
	answers: [
		{
			id: 'a2',
			body: 'Later, and right',
			created: '2012-03-06T00:00:00Z',
			accepted: true,
			score: 9,
			author: 'u2',
			licence: 'CC BY-SA 3.0',
			source_url: 'https://qa.example/a2',
			comments: [{ body: 'Thanks', created: '2012-03-07T00:00:00Z', author: 'u1' }],
		},
		{ id: 'a1', body: 'Earlier', created: '2012-03-05T00:00:00Z', author: 'u3' },
	],
	comments: [{ body: 'Which version?', created: '2012-03-04T06:00:00Z' }],
}

test('preserves a thread: order, replies, solution, source and licence', async () => {
	const { summary } = await run(fileOf([question('whole', thread)], { gzip: true }))
	expect(summary).toEqual({ imported: 1, comments: 4, known: 0, bad: 0 })
	const { rows } = await sql<{ body: string; depth: number; is_solution: boolean; licence: string }>`
		select c.body, c.depth, c.is_solution, c.licence from comments c join questions q on q.id = question_id where q.source_id = 'whole' order by path`.execute(
		db(),
	)
	expect(rows.map(({ body, depth, is_solution }) => [body, depth, is_solution])).toEqual([
		['Which version?', 0, false],
		['Earlier', 0, false],
		['Later, and right', 0, true],
		['Thanks', 1, false],
	])
	expect(rows[2]?.licence).toBe('CC BY-SA 3.0')
	const row = await db().selectFrom('questions').selectAll().where('source_id', '=', 'whole').executeTakeFirstOrThrow()
	expect(row).toMatchObject({
		comment_count: 4,
		solved: true,
		source_url: 'https://qa.example/whole',
		licence: 'CC BY-SA 4.0',
	})
	expect(row.active_at).toEqual(new Date('2012-03-07T00:00:00Z'))
})

test('importing twice changes nothing, also with duplicates in the file', async () => {
	const file = fileOf([question('twice', thread), question('twice', thread), question('other')])
	expect((await run(file)).summary).toMatchObject({ imported: 2, known: 1 })
	const before = await everything()
	expect((await run(file)).summary).toEqual({ imported: 0, comments: 0, known: 3, bad: 0 })
	expect(await everything()).toBe(before)
})

test('questions of two sources with the same id in one file keep their own comments', async () => {
	const of = (source: string) => question('same', { source, comments: [{ body: `A comment of ${source}` }] })
	const { summary } = await run(fileOf([of('one.example'), of('two.example')]))
	expect(summary).toEqual({ imported: 2, comments: 2, known: 0, bad: 0 })
	const { rows } = await sql<{ source: string; body: string; comment_count: number }>`
		select source, body, comment_count from questions join comments on question_id = questions.id
		where questions.source_id = 'same' order by source`.execute(db())
	expect(rows).toEqual([
		{ source: 'one.example', body: 'A comment of one.example', comment_count: 1 },
		{ source: 'two.example', body: 'A comment of two.example', comment_count: 1 },
	])
})

test('an id that an answer and a comment share costs neither, and no other question', async () => {
	const answer = { id: 7, body: 'An answer', comments: [{ id: 7, body: 'A reply' }] }
	const shared = question('shared', {
		answers: [answer, { id: '7', body: 'Another' }],
		comments: [{ id: 7, body: 'A comment' }],
	})
	const { summary } = await run(fileOf([shared, question('beside')]))
	expect(summary).toEqual({ imported: 2, comments: 4, known: 0, bad: 0 })
	const { rows } = await sql<{ id: string }>`
		select c.source_id as id from comments c join questions q on q.id = question_id where q.source_id = 'shared' order by c.id`.execute(
		db(),
	)
	expect(rows.map(({ id }) => id)).toEqual(['7', 'shared/a0/c0', 'shared/a1', 'shared/c0'])
})

test('reports each invalid line with number and reason, and imports the others', async () => {
	const lines = [
		'{"broken"',
		question('good-1'),
		'',
		{ id: 'x' },
		question('bad-date', { created: 'yesterday' }),
		question('no-date', { created: undefined }),
		'[]',
		question('good-2'),
	]
	const { summary, bad } = await run(fileOf(lines, { end: '\r\n' }))
	expect(summary).toMatchObject({ imported: 2, bad: 5 })
	expect(bad.map(([line]) => line)).toEqual([1, 4, 5, 6, 7])
	expect(bad[0]?.[1]).toBe('is no JSON')
	expect(bad[2]?.[1]).toMatch(/^created: /)
})

test('a Unicode line separator within a text does not end the line', async () => {
	const { summary } = await run(fileOf([question('separator', { body: 'one\u2028two\u2029three' })]))
	expect(summary).toMatchObject({ imported: 1, bad: 0 })
})

test('the next run completes an interrupted batch', async () => {
	const lines = Array.from({ length: 250 }, (_, index) => question(`many-${index}`))
	const stop = new AbortController()
	const file = fileOf(lines)
	const first = await importQuestions(file, {
		onBadLine: () => {},
		onProgress: () => stop.abort(),
		signal: stop.signal,
	})
	expect(first.imported).toBe(100)
	expect((await run(file)).summary).toMatchObject({ imported: 150, known: 100 })
})

test('a truncated gzip file is imported up to the error, which is reported', async () => {
	const whole = gzipSync(
		Array.from({ length: 400 }, (_, index) =>
			JSON.stringify(question(`cut-${index}`, { body: `${index} `.repeat(400) })),
		).join('\n'),
	)
	const file = join(folder, 'cut.jsonl.gz')
	writeFileSync(file, whole.subarray(0, Math.floor(whole.length * 0.8)))
	await expect(run(file)).rejects.toThrow(/could not be read to its end .* What came before line \d+ was kept/)
	const { rows } = await sql<{
		count: number
	}>`select count(*)::int as count from questions where source_id like 'cut-%'`.execute(db())
	expect(rows[0]?.count).toBeGreaterThanOrEqual(100)
})

test.each([
	['a file that is not there', () => join(folder, 'none.jsonl'), undefined, /^There is no file/],
	['a folder', () => folder, undefined, /is not a file\.$/],
	['an unknown category', () => fileOf([question('x')]), 'nothing', /^There is no category "nothing"\. There are: /],
])('%s is refused in one sentence', async (_what, file, category, message) => {
	await expect(run(file(), category)).rejects.toThrow(message)
})

test('imported authors have stable generated names, and cannot log in', async () => {
	const { rows } = await sql<{ imported: boolean; credentials: number; email: string }>`
		select u.imported, u.email, (select count(*)::int from credentials where user_id = u.id) as credentials from users u`.execute(
		db(),
	)
	expect(
		rows.every(
			({ imported, credentials, email }) => imported && credentials === 0 && email.endsWith('@import.invalid'),
		),
	).toBe(true)
})

test('every counter matches its rows', async () => {
	const { rows } = await sql<{ what: string }>`
		select 'category' as what from categories c where question_count <> (select count(*) from questions where category_id = c.id and status = 'published')
		union all select 'tag' from tags t where question_count <> (select count(*) from question_tags where tag_id = t.id)
		union all select 'query' from questions q where comment_count <> (select count(*) from comments where question_id = q.id and status = 'published')
		union all select 'counter' from counters where name = 'questions' and value <> (select count(*) from questions where status = 'published')`.execute(
		db(),
	)
	expect(rows).toEqual([])
})

const nul = 'a\u0000b'
test.each([
	['id', { id: nul }],
	['source', { source: nul }],
	['source_url', { source_url: nul }],
	['licence', { licence: nul }],
	['tags', { tags: [nul] }],
	['answers.0.id', { answers: [{ id: nul, body: 'Yes.' }] }],
	['answers.0.comments.0.licence', { answers: [{ body: 'Yes.', comments: [{ body: 'No.', licence: nul }] }] }],
])('a character that cannot be stored in %s costs its line alone', async (field, more) => {
	const { summary, bad } = await run(
		fileOf([question(`before-${field}`), question('nul', more), question(`after-${field}`)]),
	)
	expect(summary).toMatchObject({ imported: 2, bad: 1 })
	expect(bad).toEqual([[2, expect.stringContaining(field)]])
})

test('a line in another encoding is reported, and not stored with its letters replaced', async () => {
	const file = join(folder, 'latin1.jsonl')
	const german = question('latin-1', { title: 'Wie prüfe ich, ob eine Zahl gerade ist?' })
	const lines = [german, question('ascii')].map((line) => Buffer.from(`${JSON.stringify(line)}\n`, 'latin1'))
	writeFileSync(file, Buffer.concat(lines))
	const { summary, bad } = await run(file)
	expect([summary.imported, bad]).toEqual([1, [[1, 'is not in UTF-8']]])
	writeFileSync(file, JSON.stringify(german))
	expect((await run(file)).summary.imported).toBe(1)
	writeFileSync(file, `\uFEFF${JSON.stringify(question('utf-16'))}\n`, 'utf16le')
	expect((await run(file)).bad.every(([, reason]) => reason === 'is not in UTF-8' || reason === 'is no JSON')).toBe(
		true,
	)
})

test('all complete lines before a cut are kept', async () => {
	const lines = Array.from({ length: 30 }, (_, index) =>
		JSON.stringify(question(`short-${index}`, { body: `${Math.random()}`.repeat(200) })),
	)
	const whole = gzipSync(lines.join('\n'))
	const file = join(folder, 'short.jsonl.gz')
	writeFileSync(file, whole.subarray(0, Math.floor(whole.length * 0.9)))
	const error = await run(file).catch((one: Error) => one.message)
	const kept = Number(/before line (\d+) was kept/.exec(String(error))?.[1]) - 1
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from questions where source_id like 'short-%'`.execute(db())
	expect([kept > 0, rows[0]?.count]).toEqual([true, kept])
})

test('a category that is merged into another one meanwhile gets no more questions', async () => {
	const admin = await makeMember('admin', 'admin')
	const { id } = await addCategory(admin, {
		title: 'Short-lived',
		slug: 'short-lived',
		description: '',
		asking: 'everybody',
		requiredTags: '',
	})
	const file = fileOf(Array.from({ length: 500 }, (_, index) => question(`moved-${index}`, { tags: [] })))
	const merging: Promise<unknown>[] = []
	await importQuestions(file, {
		category: 'short-lived',
		onBadLine: () => {},
		onProgress: () => {
			if (merging.length === 0)
				merging.push(mergeCategory(admin, id, { into: 'others' }).then(() => moveMergedQuestions(id)))
		},
	})
	await Promise.all(merging)
	const { rows } = await sql`select from questions where category_id = ${id}`.execute(db())
	expect(rows).toEqual([])
})

test('a question that was deleted and erased does not come back with its file', async () => {
	const file = fileOf([question('erased', { title: 'Call me at 0170 123456' })])
	await run(file)
	const { rows: made } = await sql<{ id: number }>`select id from questions where source_id = 'erased'`.execute(db())
	await deleteQuestion(await makeMember('eraser', 'moderator'), made[0]?.id ?? 0)
	await sql`update questions set status_at = now() - interval '31 days' where source_id = 'erased'`.execute(db())
	await eraseDeletedPosts(30, 100)
	expect(await eraseDeletedPosts(30, 100)).toBe(0)
	expect((await run(file)).summary).toMatchObject({ imported: 0, known: 1 })
	const { rows } = await sql`
		select title, description, status, source_url from questions where source_id = 'erased'`.execute(db())
	expect(rows).toEqual([{ title: 'Deleted', description: '', status: 'deleted', source_url: null }])
})
