// npm run bench:members [-- SMALL LARGE [PAGES]]: the database cost of the community and of profiles, at two sizes.
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PoolConfig } from 'pg'
import { seedDomain } from '~/features/demo/people/people.ts'
import { seedMembers } from '~/features/demo/people/seed.server.ts'
import { seedQuestions } from '~/features/demo/seed.server.ts'
import { closeDatabase, openDatabase, pool } from '~/platform/db/db.server.ts'
import { startEmbeddedPostgres } from '~/platform/db/embedded-postgres.server.ts'
import { migrate } from '~/platform/db/migrate.server.ts'
import { NO_TIME_LIMITS } from '~/platform/db/time-limits.server.ts'
import { progressLine } from '../scripts/support/progress.ts'
import { allowMeasuring } from './allow-measuring.ts'
import { type Figures, measure } from './measure.ts'
import { journeys } from './members-journeys.ts'
import { saveResult } from './results.ts'

const [small = 10_000, large = 1_000_000, sets = 300] = process.argv.slice(2).map(Number)
/** Memory for a million members, the same for the small database. */
const settings = ['shared_buffers=3GB', 'max_wal_size=4GB']

interface Community {
	size: number
	connection: PoolConfig
	stop: () => Promise<void>
	/** Seconds that generating its members took, and the number of their rows. */
	seconds: number
	rows: number
	figures: Map<string, Figures>
}

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort())
const communities: Community[] = []
try {
	for (const size of [small, large]) communities.push(await make(size))
	for (const name of journeys(small).map(([name]) => name)) {
		// Both sizes within the same minute, so that other load on the machine affects both.
		for (const community of communities) if (!stopping.signal.aborted) await visit(community, name)
	}
	if (!stopping.signal.aborted) report()
} finally {
	for (const { stop } of communities) await stop()
}

/** Creates a database with generated members, as far as possible in memory. */
async function make(size: number): Promise<Community> {
	const dataDir = mkdtempSync(join(tmpdir(), 'devquad-members-'))
	const postgres = await startEmbeddedPostgres(dataDir, settings)
	await allowMeasuring(postgres.admin)
	const stop = async () => {
		await closeDatabase()
		await postgres.stop()
		rmSync(dataDir, { recursive: true, force: true })
	}
	try {
		openDatabase({ ...postgres.connection, ...NO_TIME_LIMITS })
		await migrate(pool(), fileURLToPath(new URL('../migrations', import.meta.url)))
		const { signal } = stopping
		const began = Date.now()
		const onProgress = progressLine(`${size.toLocaleString('en')} members`)
		const { rows } = await seedMembers(size, { onProgress, signal })
		const seconds = (Date.now() - began) / 1_000
		if (!signal.aborted) await seedQuestions(1_000, { authors: seedDomain, onProgress: () => {}, signal })
		await closeDatabase()
		return { size, connection: postgres.connection, stop, seconds, rows, figures: new Map() }
	} catch (error) {
		await stop()
		throw error
	}
}

/** Measures one kind of page over one connection: its statements run in sequence and add up to the page's time. */
async function visit({ size, connection, figures }: Community, name: string): Promise<void> {
	openDatabase({ ...connection, ...NO_TIME_LIMITS, max: 1 })
	await warm()
	const page = journeys(size).find(([other]) => other === name)?.[1]
	if (page) figures.set(name, await measure(page, sets))
	const { p50 = 0, p99 = 0 } = workOf(figures.get(name)) ?? {}
	process.stdout.write(`${size.toLocaleString('en')} members, ${name}: p50 ${ms(p50)} ms, p99 ${ms(p99)} ms\n`)
	await closeDatabase()
}

/** Reads every table and index into memory, as on a site that has run for a day. */
async function warm(): Promise<void> {
	await pool().query(
		"select sum(pg_prewarm(oid)) from pg_class where relkind in ('r', 'i', 't') and relnamespace = 'public'::regnamespace",
	)
}

function report(): void {
	const [one, other] = communities
	if (!one || !other) return
	const rows = [...other.figures].map(([name, at]) => {
		const [before, after] = [workOf(one.figures.get(name)), workOf(at)]
		const ratio = before && after ? (after.p50 / before.p50).toFixed(1) : ''
		return `| ${name} | ${at.statements} | ${ms(before?.p50)} | ${ms(before?.p99)} | ${one.figures.get(name)?.rows.toFixed(0)} | ${ms(after?.p50)} | ${ms(after?.p99)} | ${at.rows.toFixed(0)} | ${ratio} |`
	})
	const plans = [...other.figures].map(([name, { plan }]) => `### ${name}\n\`\`\`\n${plan}\n\`\`\``)
	const text = `### Community and profiles at ${one.size.toLocaleString('en')} and ${other.size.toLocaleString('en')} members

\`npm run bench:members\` on ${cpus().length} cores of a shared virtual machine, ${new Date().toISOString().slice(0, 10)}: the statements of a page, run one
after another on one connection; ${sets} different pages of each kind, after as many others to warm up, the databases in memory
(shared_buffers=3GB), both sizes of a page within the same minute. Milliseconds of processor time where the system reports it,
which other load on the machine does not change; “rows” is how many members a page shows on average.

| page | statements | p50 small | p99 small | rows | p50 large | p99 large | rows | ratio of p50 |
|---|---|---|---|---|---|---|---|---|
${rows.join('\n')}

The members were created in ${other.seconds.toFixed(0)} s: ${Math.round(other.rows / other.seconds).toLocaleString('en')} rows a second. The plans of the most expensive
statements are in [PLANS.md](PLANS.md).
`
	process.stdout.write(`${rows.join('\n')}\n`)
	saveResult('members', text)
	const plansText = `## Community and profiles at ${other.size.toLocaleString('en')} members

The most expensive statement of each page, as its plan.

${plans.join('\n\n')}
`
	saveResult('members', plansText, 'PLANS.md')
}

/** Processor time of a page if known, else elapsed time. */
function workOf(figures: Figures | undefined): { p50: number; p99: number } | undefined {
	return figures?.work ?? figures
}

function ms(value = 0): string {
	return value.toFixed(1)
}
