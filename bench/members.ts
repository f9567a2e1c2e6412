// npm run bench:members [-- SMALL LARGE]: what the community and a profile cost in the database, at two sizes.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { closeDatabase, openDatabase, pool } from '~/db/db.server.ts'
import { startEmbeddedPostgres } from '~/db/embedded-postgres.server.ts'
import { migrate } from '~/db/migrate.server.ts'
import { seedDomain } from '~/features/directory/seed/people.ts'
import { seedMembers } from '~/features/directory/seed/seed.server.ts'
import { seedQueries } from '~/features/forum/import/seed.server.ts'
import { progressLine } from '../scripts/support/progress.ts'
import { type Figures, measure } from './measure.ts'
import { journeys } from './members-journeys.ts'

const sets = 300
const [small = 1_000, large = 1_000_000] = process.argv.slice(2).map(Number)
/** A database of a million members is given the memory that it needs; a small one gets the same. */
const settings = ['shared_buffers=3GB', 'max_wal_size=4GB']

const results: { size: number; figures: Map<string, Figures>; seconds: number; rows: number }[] = []
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort())
for (const size of [small, large]) if (!stopping.signal.aborted) results.push(await run(size))
if (!stopping.signal.aborted) report()

async function run(size: number) {
	const dataDir = mkdtempSync(join(tmpdir(), 'devquad-members-'))
	const postgres = await startEmbeddedPostgres(dataDir, settings)
	try {
		openDatabase(postgres.connection)
		await migrate(pool(), new URL('../migrations', import.meta.url).pathname)
		const began = Date.now()
		const { signal } = stopping
		const onProgress = progressLine(`${size.toLocaleString('en')} members`)
		const { rows } = await seedMembers(size, { onProgress, signal })
		const seconds = (Date.now() - began) / 1_000
		if (!signal.aborted) await seedQueries(1_000, { authors: seedDomain, onProgress: () => {}, signal })
		await warm()
		// One connection: the statements of a page one after the other, so that their times add up to the page's.
		await closeDatabase()
		openDatabase({ ...postgres.connection, max: 1 })
		const figures = new Map<string, Figures>()
		for (const [name, journey] of journeys(size)) {
			if (signal.aborted) break
			figures.set(name, await measure(journey, sets))
			process.stdout.write(`${name}: ${JSON.stringify({ ...figures.get(name), plan: undefined })}\n`)
		}
		return { size, figures, seconds, rows }
	} finally {
		await closeDatabase()
		await postgres.stop()
		rmSync(dataDir, { recursive: true, force: true })
	}
}

/** Reads every table and index into memory, as a site that has run for a day has them. */
async function warm(): Promise<void> {
	await pool().query('create extension if not exists pg_prewarm')
	await pool().query(
		"select sum(pg_prewarm(oid)) from pg_class where relkind in ('r', 'i', 't') and relnamespace = 'public'::regnamespace",
	)
}

function report(): void {
	const [one, other] = results
	if (!one || !other) return
	const rows = [...other.figures].map(([name, at]) => {
		const before = one.figures.get(name)
		const ratio = before ? (at.p50 / before.p50).toFixed(1) : ''
		return `| ${name} | ${at.statements} | ${ms(before?.p50)} | ${ms(before?.p99)} | ${before?.rows.toFixed(0)} | ${ms(at.p50)} | ${ms(at.p99)} | ${at.rows.toFixed(0)} | ${ratio} |`
	})
	const plans = [...other.figures].map(([name, { plan }]) => `### ${name}\n\`\`\`\n${plan}\n\`\`\``)
	const text = `## Community and profiles at ${one.size.toLocaleString('en')} and ${other.size.toLocaleString('en')} members

\`npm run bench:members\` on ${cpus().length} cores of a shared virtual machine, ${new Date().toISOString().slice(0, 10)}: all statements of a page together, one after
the other through one connection, with the way there and back; ${sets} different pages each, after as many others to warm
up, the database in memory (shared_buffers=3GB). Milliseconds; “rows” is how many members a page shows on average.

| page | statements | p50 small | p99 small | rows | p50 large | p99 large | rows | ratio of p50 |
|---|---|---|---|---|---|---|---|---|
${rows.join('\n')}

The members were made in ${other.seconds.toFixed(0)} s: ${Math.round(other.rows / other.seconds).toLocaleString('en')} rows a second.

<details><summary>The plan of each page’s dearest statement at ${other.size.toLocaleString('en')} members</summary>

${plans.join('\n\n')}

</details>
`
	process.stdout.write(`${rows.join('\n')}\n`)
	const file = 'bench/RESULTS.md'
	const marks = ['<!-- members -->', '<!-- /members -->'] as const
	const before = readFileSync(file, 'utf8')
	const [head = '', rest = ''] = before.includes(marks[0]) ? before.split(marks[0]) : [`${before}\n`, '']
	writeFileSync(file, `${head}${marks[0]}\n${text}${marks[1]}${rest.split(marks[1])[1] ?? '\n'}`)
}

function ms(value = 0): string {
	return value.toFixed(1)
}
