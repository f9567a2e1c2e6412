// npm run bench:search -- FILE [--count 300]: does a search find the question that somebody has in mind.
// npm run bench:search -- --people 5000 [--count 300]: does a search of people find who has what was typed.
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
import { type KnownItem, type KnownQuestion, makeKnownItems } from './search/known-items.ts'
import { databaseTime, evaluatePeople, reportPeople } from './search/people.ts'

const { values: given, positionals } = parseArgs({
	allowPositionals: true,
	options: { count: { type: 'string', default: '300' }, people: { type: 'string' } },
})
const file = positionals[0] && resolve(process.env.INIT_CWD ?? '.', positionals[0])
if (!file && !given.people) {
	process.stdout.write('Give an import file, or --people 5000: npm run bench:search -- questions.jsonl.gz\n')
	process.exit(1)
}

/** A question counts as found among the first ten. */
const READ = 10

const dataDir = mkdtempSync(join(tmpdir(), 'devquad-search-'))
const postgres = await startEmbeddedPostgres(dataDir, ['shared_buffers=512MB', 'max_wal_size=4GB'])
try {
	openDatabase({ ...postgres.connection, ...NO_TIME_LIMITS, max: 1 })
	await migrate(pool(), fileURLToPath(new URL('../migrations', import.meta.url)))
	if (given.people) reportPeople(Number(given.people), await evaluatePeople(Number(given.people), Number(given.count)))
	if (file) await evaluateQuestions(file)
} finally {
	await closeDatabase()
	await postgres.stop()
	rmSync(dataDir, { recursive: true, force: true })
}

async function evaluateQuestions(from: string): Promise<void> {
	await importQuestions(from, {
		onBadLine: (line, reason) => process.stderr.write(`Line ${line} ${reason}\n`),
		onProgress: progressLine('questions'),
	})
	await refreshStatistics()
	const { rows } = await pool().query<KnownQuestion>('select id, title, description from questions order by id')
	const results = []
	for (const [kind, items] of makeKnownItems(rows, Number(given.count))) results.push(await evaluate(kind, items))
	report(rows.length, results)
}

interface Result {
	kind: string
	searches: number
	recall: number
	/** Searches that were answered with other words than were typed. */
	corrected: number
	/** Milliseconds of processor of PostgreSQL, where the system tells; the mean of a search. */
	database: number | null
}

async function evaluate(kind: string, items: KnownItem[]): Promise<Result> {
	const before = await databaseTime()
	let found = 0
	let corrected = 0
	for (const { id, search } of items) {
		const { rows, instead } = await listQuestions(null, { search, limit: READ })
		if (rows.some((row) => row.id === id)) found += 1
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
	const text = `## Search of questions

\`npm run bench:search\` on ${new Date().toISOString().slice(0, 10)}: of ${questions.toLocaleString('en')} imported questions some were chosen by chance and searched for,
each kind of search made by a rule (\`bench/search/known-items.ts\`). “Found” is the share among the first ${READ} results.

| search | searches | found | shown for other words | ms of PostgreSQL's processor |
|---|---|---|---|---|
${rows.join('\n')}
`
	process.stdout.write(text)
	saveResult('search', text)
}
