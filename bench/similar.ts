// npm run bench:similar [-- FOLDER [SIZE [FILE]]]: the quality and speed of "similar questions". With an import file, the quality among SIZE
// questions that are recombined from it.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { seedDomain } from '~/features/demo/people/people.ts'
import { seedMembers } from '~/features/demo/people/seed.server.ts'
import { seedQuestions } from '~/features/demo/seed.server.ts'
import { refreshStatistics } from '~/features/import/import.queries.server.ts'
import { importQuestions } from '~/features/import/import.server.ts'
import { encodeQuestions } from '~/features/search/similar/meaning.server.ts'
import { findSimilar } from '~/features/search/similar/similar.server.ts'
import { closeDatabase, openDatabase, pool } from '~/platform/db/db.server.ts'
import { startEmbeddedPostgres } from '~/platform/db/embedded-postgres.server.ts'
import { migrate } from '~/platform/db/migrate.server.ts'
import { NO_TIME_LIMITS } from '~/platform/db/time-limits.server.ts'
import { hasEncoder, stopEncoder } from '~/platform/encoder/encoder.server.ts'
import { progressLine } from '../scripts/support/progress.ts'
import { allowMeasuring } from './allow-measuring.ts'
import { seedForum } from './forum/seed.ts'
import { readTexts } from './forum/texts.ts'
import { saveResult } from './results.ts'

const folder = process.argv[2] && resolve(process.env.INIT_CWD ?? '.', process.argv[2])
const size = Number(process.argv[3] ?? 100_000)
const among = process.argv[4] && resolve(process.env.INIT_CWD ?? '.', process.argv[4])
if (!folder) {
	process.stdout.write(`Give a folder with
  corpus.jsonl     {"id": "T1-A1", "thread": "T1", "question": "…", "answer": "…"} a line, one line an answer
  queries.*.jsonl  {"id": "Q1", "text": "…"} a line
  qrels.*.txt      Q1 0 T1-A1 1
such as a collection of frequently asked questions with paraphrases made from (StackFAQ, Karan and Šnajder 2018, is one).
`)
	process.exit(1)
}

interface Thread {
	question: string
	answers: string[]
}
interface Query {
	text: string
	/** Threads that answer it. */
	wanted: Set<string>
}

/** Rankings are cut here, as nobody reads on. */
const depth = 20

const { threads, questions } = readFolder(folder)
const dataDir = mkdtempSync(join(tmpdir(), 'devquad-similar-'))
const postgres = await startEmbeddedPostgres(dataDir, ['shared_buffers=1GB', 'max_wal_size=4GB'])
try {
	openDatabase({ ...postgres.connection, ...NO_TIME_LIMITS })
	await migrate(pool(), fileURLToPath(new URL('../migrations', import.meta.url)))
	if (among) {
		await allowMeasuring(postgres.admin)
		await seedForum(size, readTexts(among), 2_000)
	}
	await load()
	if (among) await spread()
	await encodeAll()
	const quality = await evaluateAll()
	const speed = among ? null : await timeLarge()
	report(quality, speed)
} finally {
	await stopEncoder()
	await closeDatabase()
	await postgres.stop()
	rmSync(dataDir, { recursive: true, force: true })
}

function readFolder(path: string) {
	const named = (pattern: RegExp) =>
		readdirSync(path)
			.filter((file) => pattern.test(file))
			.flatMap((file) => readFileSync(join(path, file), 'utf8').split('\n').filter(Boolean))
	const threads = new Map<string, Thread>()
	const threadOf = new Map<string, string>()
	for (const line of named(/^corpus\.jsonl$/)) {
		const { id, thread, question, answer } = JSON.parse(line)
		threadOf.set(id, thread)
		threads.set(thread, { question, answers: [...(threads.get(thread)?.answers ?? []), answer] })
	}
	const wanted = new Map<string, Set<string>>()
	for (const line of named(/^qrels\..*\.txt$/)) {
		const [query = '', , answer = '', relevant] = line.trim().split(/\s+/)
		if (Number(relevant) > 0) wanted.set(query, (wanted.get(query) ?? new Set()).add(threadOf.get(answer) ?? answer))
	}
	const questions = named(/^queries\..*\.jsonl$/).map((line): Query => {
		const { id, text } = JSON.parse(line)
		return { text, wanted: wanted.get(id) ?? new Set() }
	})
	return { threads, questions: questions.filter((query) => query.wanted.size > 0) }
}

/** Each thread becomes a question without a description, and its answers comments, through the importer. */
async function load(): Promise<void> {
	const file = join(dataDir, 'threads.jsonl')
	const lines = [...threads].map(([id, { question, answers }]) =>
		JSON.stringify({
			id,
			source: 'bench',
			title: question,
			// The importer requires a text, and this one has no words.
			body: '…',
			created: '2024-01-01T00:00:00Z',
			answers: answers.map((body) => ({ body, score: 0 })),
		}),
	)
	writeFileSync(file, lines.join('\n'))
	const summary = await importQuestions(file, {
		onBadLine: (line, reason) => {
			throw new Error(`Line ${line} ${reason}`)
		},
		onProgress: () => {},
	})
	if (summary.imported !== threads.size) throw new Error(`Only ${summary.imported} of ${threads.size} were imported.`)
}

/** Spreads the threads over the forum, in the place of other questions: the newest ones are searched first. */
async function spread(): Promise<void> {
	const { rows } = await pool().query<{ id: number }>(
		"select id from questions where source = 'bench' order by md5(source_id)",
	)
	const client = await pool().connect()
	try {
		await client.query('begin')
		await client.query('set local session_replication_role = replica')
		for (const [index, { id }] of rows.entries()) {
			const place = Math.floor(((index + 0.5) * size) / rows.length)
			for (const table of ['comments', 'question_tags', 'question_votes', 'related_questions', 'question_vectors']) {
				await client.query(`delete from ${table} where question_id = $1`, [place])
				await client.query(`update ${table} set question_id = $1 where question_id = $2`, [place, id])
			}
			await client.query('delete from questions where id = $1', [place])
			await client.query('update questions set id = $1 where id = $2', [place, id])
		}
		await client.query('commit')
	} finally {
		client.release()
	}
	await refreshStatistics()
	await pool().query('vacuum (analyze) questions, comments')
}

/** Computes the vectors of all threads, if there is an encoder. */
async function encodeAll(): Promise<void> {
	const missing = async () =>
		(await pool().query('select from question_vectors where vector is null limit 1')).rows.length
	while (hasEncoder() && (await missing()) > 0) await encodeQuestions()
}

type Ranker = (text: string) => Promise<string[]>

async function evaluateAll() {
	const { rows } = await pool().query("select id, source_id from questions where source = 'bench'")
	const thread = new Map<number, string>(rows.map(({ id, source_id }) => [id, source_id]))
	const plain =
		(statement: string): Ranker =>
		async (text) =>
			(await pool().query(`${statement} limit ${depth}`, [text])).rows.map(({ id }) => thread.get(id) ?? '')
	const found =
		(byMeaning: boolean): Ranker =>
		async (text) =>
			(await findSimilar({ title: text, limit: depth, byMeaning })).map(({ id }) => thread.get(id) ?? '')
	const rankers: [string, Ranker][] = [
		[
			'full text, any word (ts_rank)',
			plain(`with asked as (select replace(plainto_tsquery('english', search_text($1))::text, '&', '|')::tsquery as words)
				select id from questions, asked where search @@ words order by ts_rank(search, words) desc, id`),
		],
		[
			'title trigram (similarity)',
			plain('select id from questions where similarity(title, $1) > 0 order by similarity(title, $1) desc, id'),
		],
		['what ships, by words alone', found(false)],
		[hasEncoder() ? 'what ships, with the encoder' : 'what ships (no encoder is installed)', found(true)],
	]
	const evaluated = []
	for (const [name, ranker] of rankers) evaluated.push({ name, ...(await evaluate(ranker)) })
	return evaluated
}

async function evaluate(ranker: Ranker) {
	const sums = { map: 0, mrr: 0, p1: 0, p5: 0, r5: 0 }
	const halves = [0, 0]
	const times: number[] = []
	for (const [index, { text, wanted }] of questions.entries()) {
		const began = performance.now()
		const found = await ranker(text)
		times.push(performance.now() - began)
		const hits = found.flatMap((thread, place) => (wanted.has(thread) ? [place + 1] : []))
		const reciprocal = hits[0] ? 1 / hits[0] : 0
		const inFive = hits.filter((place) => place <= 5).length
		sums.map += hits.reduce((sum, place, at) => sum + (at + 1) / place, 0) / wanted.size
		sums.mrr += reciprocal
		sums.p1 += hits[0] === 1 ? 1 : 0
		sums.p5 += inFive / 5
		sums.r5 += inFive / wanted.size
		halves[index % 2] = (halves[index % 2] ?? 0) + reciprocal / Math.ceil((questions.length - (index % 2)) / 2)
	}
	const mean = Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, sum / questions.length]))
	return { ...(mean as typeof sums), halves, ...percentiles(times) }
}

function percentiles(times: number[]) {
	const sorted = times.toSorted((one, other) => one - other)
	return { p50: sorted[Math.floor(sorted.length / 2)] ?? 0, p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0 }
}

/** The same questions, and titles of seeded ones with a description, among many questions. */
async function timeLarge() {
	if (!(size > 0)) return null
	const { signal } = new AbortController()
	await seedMembers(2_000, { onProgress: () => {}, signal })
	await seedQuestions(size, {
		authors: seedDomain,
		onProgress: progressLine(`${size.toLocaleString('en')} queries`),
		signal,
	})
	// The content of a vector does not affect its cost, so existing ones are reused.
	await pool().query(`
		insert into question_vectors (question_id, vector)
		select q.id, made.vector from (select vector, row_number() over () - 1 as place, count(*) over () as count from question_vectors
			where vector is not null) made
		join questions q on q.id % made.count = made.place
		on conflict (question_id) do update set vector = coalesce(question_vectors.vector, excluded.vector)`)
	await pool().query('analyze question_vectors')
	await closeDatabase()
	openDatabase({ ...postgres.connection, ...NO_TIME_LIMITS, max: 2 })
	const { rows } = await pool().query<{ title: string; description: string }>(
		"select title, description from questions where source = 'seed' order by id limit 300",
	)
	const both = async (byMeaning: boolean) => ({
		strange: await times(
			questions.map(({ text }) => ({ title: text })),
			byMeaning,
		),
		own: await times(rows, byMeaning),
	})
	return { words: await both(false), meaning: await both(true) }
}

async function times(asked: { title: string; description?: string }[], byMeaning: boolean) {
	for (const each of asked) await findSimilar({ ...each, byMeaning })
	const taken: number[] = []
	for (const each of asked) {
		const began = performance.now()
		await findSimilar({ ...each, byMeaning })
		taken.push(performance.now() - began)
	}
	return percentiles(taken)
}

function report(quality: Awaited<ReturnType<typeof evaluateAll>>, speed: Awaited<ReturnType<typeof timeLarge>>): void {
	const rows = quality.map(
		({ name, map, mrr, p1, p5, r5, halves, p50, p99 }) =>
			`| ${[name, ...[map, mrr, p1, p5, r5, ...halves].map((value) => value.toFixed(3)), p50.toFixed(1), p99.toFixed(1)].join(' | ')} |`,
	)
	const large = speed
		? [
				`Among ${size.toLocaleString('en')} seeded queries with their comments, milliseconds:`,
				'',
				'| asked | p50 by words alone | p99 | p50 with the encoder | p99 |',
				'|---|---|---|---|---|',
				...(['strange', 'own'] as const).map((kind) => {
					const figures = [speed.words[kind], speed.meaning[kind]].flatMap(({ p50, p99 }) => [p50, p99])
					const name = kind === 'strange' ? 'the same questions' : 'titles and whole descriptions of the seeded ones'
					return `| ${[name, ...figures.map((value) => value.toFixed(1))].join(' | ')} |`
				}),
			].join('\n')
		: ''
	const text = `### Similar questions${among ? ' among many' : ''}

\`npm run bench:similar${among ? ` -- FOLDER ${size} FILE` : ''}\` on ${cpus().length} cores of a shared virtual machine (load ${loadavg()[0]?.toFixed(1)}), ${new Date().toISOString().slice(0, 10)}: ${questions.length} questions as people put them,
asked of ${threads.size} threads${among ? ` among ${size.toLocaleString('en')} questions recombined from an import file` : ''}, each imported as a query without a description, its answers as comments. A ranking is read to its
${depth}th place. “even” and “odd” are the MRR of every other question. Milliseconds include all statements and round trips.

| ranking | MAP | MRR | P@1 | P@5 | recall@5 | even | odd | p50 | p99 |
|---|---|---|---|---|---|---|---|---|---|
${rows.join('\n')}

${large}
`
	process.stdout.write(text)
	saveResult(among ? 'similar-among' : 'similar', text)
}
