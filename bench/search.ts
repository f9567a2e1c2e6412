// npm run bench:search -- FILE [--count 300]: whether a search finds the question that a reader has in mind.
// npm run bench:search -- --people 5000 [--count 300]: whether a search for people finds the members with what was typed.
// --further adds more forms of searches, --seed N chooses others, --misses lists what was not found; --keep DIR keeps the database for the
// next run, which searches it again.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { refreshStatistics } from '~/features/import/import.queries.server.ts'
import { importQuestions } from '~/features/import/import.server.ts'
import { listQuestions } from '~/features/question-lists/lists.server.ts'
import { closeDatabase, openDatabase, pool } from '~/platform/db/db.server.ts'
import { startEmbeddedPostgres } from '~/platform/db/embedded-postgres.server.ts'
import { migrate } from '~/platform/db/migrate.server.ts'
import { NO_TIME_LIMITS } from '~/platform/db/time-limits.server.ts'
import { progressLine } from '../scripts/support/progress.ts'
import { saveResult } from './results.ts'
import { type DiscussedQuestion, makeFurtherItems } from './search/further-items.ts'
import { furtherKinds, furtherPerson } from './search/further-people.ts'
import { type KnownItem, makeKnownItems } from './search/known-items.ts'
import { knownPerson, searchKinds } from './search/known-people.ts'
import { databaseTime, evaluatePeople, reportPeople } from './search/people.ts'

const { values: given, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		count: { type: 'string', default: '300' },
		people: { type: 'string' },
		further: { type: 'boolean', default: false },
		seed: { type: 'string', default: '0' },
		misses: { type: 'boolean', default: false },
		// Restricts the searches to those whose name contains this.
		only: { type: 'string', default: '' },
		keep: { type: 'string' },
	},
})
const { further, misses, only } = given
const [count, seed] = [Number(given.count), Number(given.seed)]
const file = positionals[0] && resolve(process.env.INIT_CWD ?? '.', positionals[0])
if (!file && !given.people) {
	process.stdout.write('Give an import file, or --people 5000: npm run bench:search -- questions.jsonl.gz\n')
	process.exit(1)
}

/** A question counts as found among the first ten. */
const READ = 10

const dataDir = given.keep
	? resolve(process.env.INIT_CWD ?? '.', given.keep)
	: mkdtempSync(join(tmpdir(), 'devquad-search-'))
const postgres = await startEmbeddedPostgres(dataDir, ['shared_buffers=512MB', 'max_wal_size=4GB'])
try {
	openDatabase({ ...postgres.connection, ...NO_TIME_LIMITS, max: 1 })
	await migrate(pool(), fileURLToPath(new URL('../migrations', import.meta.url)))
	if (given.people) {
		const [person, ways] = further ? [furtherPerson, furtherKinds] : [knownPerson, searchKinds]
		const size = Number(given.people)
		const results = await evaluatePeople(size, { person, ways, count, seed, only, onMiss: printMiss })
		reportPeople(size, results, further)
	}
	if (file) await evaluateQuestions(file)
} finally {
	await closeDatabase()
	await postgres.stop()
	if (!given.keep) rmSync(dataDir, { recursive: true, force: true })
}

async function evaluateQuestions(from: string): Promise<void> {
	const { rows: kept } = await pool().query('select from questions limit 1')
	if (kept.length === 0) {
		await importQuestions(from, {
			onBadLine: (line, reason) => process.stderr.write(`Line ${line} ${reason}\n`),
			onProgress: progressLine('questions'),
		})
		await refreshStatistics()
	}
	const { rows } = await pool().query<DiscussedQuestion>(`
		select q.id, q.title, q.description, q.tags, u.username as author, c.slug as category,
			array(select body from comments where question_id = q.id and status = 'published' order by id limit 300) as comments
		from questions q join users u on u.id = q.author_id join categories c on c.id = q.category_id order by q.id`)
	const results = []
	for (const [kind, items] of (further ? makeFurtherItems : makeKnownItems)(rows, count, seed))
		if (kind.includes(only)) results.push(await evaluate(kind, items))
	report(rows.length, results)
}

function printMiss(kind: string, search: string, found: string): void {
	if (misses) process.stderr.write(`${kind}\t${search}\t${found}\n`)
}

interface Result {
	kind: string
	searches: number
	recall: number
	/** Searches whose words were corrected. */
	corrected: number
	/** Mean milliseconds of PostgreSQL's processor time per search, where the system reports it. */
	database: number | null
}

async function evaluate(kind: string, items: KnownItem[]): Promise<Result> {
	const before = await databaseTime()
	let found = 0
	let corrected = 0
	for (const { id, search } of items) {
		const { rows, instead } = await listQuestions(null, { search, limit: READ })
		if (rows.some((row) => row.id === id)) found += 1
		else printMiss(kind, search, `${id} of ${rows.length}, ${JSON.stringify(instead ?? null)}`)
		if (instead?.kind === 'corrected') corrected += 1
	}
	const after = await databaseTime()
	const database = before === null || after === null ? null : (after - before) / items.length
	return { kind, searches: items.length, recall: found / items.length, corrected, database }
}

function report(questions: number, results: Result[]): void {
	const rows = results.map(
		({ kind, searches, recall, corrected, database }) =>
			`| ${kind} | ${searches} | ${recall.toFixed(3)} | ${corrected} | ${database?.toFixed(1) ?? ''} |`,
	)
	const which = further ? ' in further forms' : ''
	const options = `${further ? ' --further' : ''}${seed ? ` --seed ${seed}` : ''}`
	const text = `### Search of questions${which}

\`npm run bench:search -- FILE${options}\` on ${new Date().toISOString().slice(0, 10)}: of ${questions.toLocaleString('en')} imported questions some were chosen by chance and searched for,
each kind of search made by a rule (\`bench/search/${further ? 'further' : 'known'}-items.ts\`). “Found” is the share among the first ${READ} results.

| search | searches | found | shown for other words | ms of PostgreSQL's processor |
|---|---|---|---|---|
${rows.join('\n')}
`
	process.stdout.write(text)
	if (!only) saveResult(further ? 'search-further' : 'search', text)
}
