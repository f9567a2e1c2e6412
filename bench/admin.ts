// npm run bench:admin [-- --keep DIR] [--only TEXT] [--sets 100]: the database cost of the pages for moderators and admins of a large
// campus.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { closeDatabase, openDatabase, pool } from '~/platform/db/db.server.ts'
import { startEmbeddedPostgres } from '~/platform/db/embedded-postgres.server.ts'
import { migrate } from '~/platform/db/migrate.server.ts'
import { NO_TIME_LIMITS } from '~/platform/db/time-limits.server.ts'
import { siteDatabase, startFirst } from '../tests/support/site-process.ts'
import { type StaffPage, staffPages } from './admin/addresses.ts'
import { seedStaff } from './admin/seed.ts'
import { Statements, type StatementTotals } from './admin/statements.ts'
import { allowMeasuring } from './allow-measuring.ts'
import { seedForum } from './forum/seed.ts'
import { readTexts } from './forum/texts.ts'
import { databaseTime, logReadersIn } from './page-cost.ts'
import { saveResult } from './results.ts'

const { values: given } = parseArgs({
	options: {
		// Stores the database in this folder for the next run; an existing one is reused.
		keep: { type: 'string' },
		// Measures only pages with this text in their name, prints the cost of each statement, and writes no report.
		only: { type: 'string', default: '' },
		sets: { type: 'string', default: '100' },
	},
})
const [members, questions] = [5_000, 20_000]
const sets = Number(given.sets)
const warmups = Math.ceil(sets / 4)
/** The maximum database time of a page at p99, in milliseconds. */
const bound = 100
const secret = 'a secret that only this run knows of'

interface Row {
	name: string
	statements: number
	told: { p50: number; p99: number }
	worked: { p50: number; p99: number }
}

const dataDir = given.keep
	? join(resolve(process.env.INIT_CWD ?? '.', given.keep), 'admin')
	: mkdtempSync(join(tmpdir(), 'devquad-admin-'))
try {
	if (!existsSync(join(dataDir, 'postgres'))) await make()
	const site = await startFirst({ DATA_DIR: dataDir, HOST: '127.0.0.1', SEED: 'none', AUTH_SECRET: secret })
	try {
		await measureSite(site.url)
	} finally {
		await site.stop()
	}
} finally {
	if (!given.keep) rmSync(dataDir, { recursive: true, force: true })
}

/** Creates the site's database, with statistics of statements from the next start on. */
async function make(): Promise<void> {
	mkdirSync(dataDir, { recursive: true, mode: 0o711 })
	const postgres = await startEmbeddedPostgres(dataDir, ['fsync=off', 'autovacuum=off', 'shared_buffers=1GB'])
	try {
		await allowMeasuring(postgres.admin)
		openDatabase({ ...postgres.connection, ...NO_TIME_LIMITS })
		await migrate(pool(), fileURLToPath(new URL('../migrations', import.meta.url)))
		await seedForum(questions, readTexts(undefined), members)
		await seedStaff()
		await Statements.prepare(postgres.admin)
	} finally {
		await closeDatabase()
		await postgres.stop()
	}
}

async function measureSite(url: string): Promise<void> {
	const database = new pg.Client(siteDatabase(dataDir, 'devquad_admin'))
	await database.connect()
	try {
		// A reused database still has those of the previous run.
		await database.query(
			`delete from users where username like 'reader-%'; delete from usernames where username like 'reader-%'; delete from left_usernames`,
		)
		const cookies = await logReadersIn(database, url, secret)
		await database.query(`update users set role = 'admin' where username like 'reader-%'`)
		const statements = await Statements.of(database)
		const rows: Row[] = []
		for (const page of (await staffPages(database)).filter(({ name }) => name.includes(given.only))) {
			rows.push(await measurePage(page, { url, cookies, statements }))
			process.stdout.write(`${rowOf(rows.at(-1) as Row)}\n`)
		}
		if (!given.only) report(rows)
	} finally {
		await database.end()
	}
}

/** Requests a page many times, as one admin. */
async function measurePage(
	{ name, at }: StaffPage,
	{ url, cookies, statements }: { url: string; cookies: string[]; statements: Statements },
): Promise<Row> {
	const [told, worked, counts]: [number[], number[], number[]] = [[], [], []]
	let slowest: StatementTotals | null = null
	for (let turn = 0; turn < warmups + sets; turn += 1) {
		const { path, form } = at(turn)
		await statements.reset()
		const before = databaseTime(dataDir)
		const answer = await fetch(url + path, {
			headers: { cookie: cookies[turn % cookies.length] ?? '', origin: url },
			redirect: 'manual',
			...(form && { method: 'POST', body: new URLSearchParams(form) }),
		})
		await answer.arrayBuffer()
		const work = databaseTime(dataDir) - before
		if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`)
		if (turn < warmups) continue
		const page = await statements.read()
		told.push(page.ms)
		worked.push(work)
		counts.push(page.count)
		if (page.ms > (slowest?.ms ?? -1)) slowest = page
	}
	if (given.only)
		for (const { text, ms, calls } of slowest?.each ?? [])
			process.stdout.write(`${ms.toFixed(1)} ms, ${calls}: ${text}\n`)
	return { name, statements: percentiles(counts).p50, told: percentiles(told), worked: percentiles(worked) }
}

function percentiles(values: number[]): { p50: number; p99: number } {
	const sorted = values.toSorted((one, other) => one - other)
	return { p50: sorted[Math.floor(sorted.length / 2)] ?? 0, p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0 }
}

function rowOf({ name, statements, told, worked }: Row): string {
	const figures = [told.p50, told.p99, worked.p50, worked.p99].map((ms) => ms.toFixed(1))
	return `| ${[name, statements, ...figures].join(' | ')} |`
}

function report(rows: Row[]): void {
	const over = (of: (row: Row) => number) =>
		rows
			.filter((row) => of(row) > bound)
			.map(({ name }) => name)
			.join('; ') || 'none'
	saveResult(
		'admin',
		`### The pages of staff, at ${members.toLocaleString('en')} members and ${questions.toLocaleString('en')} queries

\`npm run bench:admin\` on ${cpus().length} cores of a shared virtual machine (load ${loadavg()[0]?.toFixed(1)}), ${new Date().toISOString().slice(0, 10)}: the built site with
${members.toLocaleString('en')} members, ${questions.toLocaleString('en')} queries, 110,000 comments, 6,000 cases, 20,000 entries of the log, 300 links and 20,000 addresses
that were invited, 18,000 searches without a result, 2,000 failed jobs. Each page of the site map below \`/admin\` and \`/moderation\` is asked for
${sets} times by different admins, most at other addresses each time, after ${warmups} times to warm up. Milliseconds. “Database” is the time of planning and
execution by \`pg_stat_statements\`, all statements of a page added up, of which many run side by side; it grows with the load of the
machine. “Work” is the processor time of the database’s processes, which does not. “Statements” includes BEGIN and COMMIT.

| page | statements | database p50 | database p99 | work p50 | work p99 |
|---|---|---|---|---|---|
${rows.map(rowOf).join('\n')}

Over ${bound} ms of the database at p99: ${over(({ told }) => told.p99)}.
Over ${bound} ms of work at p99: ${over(({ worked }) => worked.p99)}.
`,
	)
}
