// npm run bench:forum [-- FILE] [--sizes 10000,1000000] [--keep DIR] [--only TEXT] [--sets 200]: the forum's cost in the database, at two
// sizes.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { PoolConfig } from 'pg'
import { closeDatabase, openDatabase, pool } from '~/platform/db/db.server.ts'
import { startEmbeddedPostgres } from '~/platform/db/embedded-postgres.server.ts'
import { migrate } from '~/platform/db/migrate.server.ts'
import { NO_TIME_LIMITS } from '~/platform/db/time-limits.server.ts'
import { allowMeasuring } from './allow-measuring.ts'
import { measuringSettings, seedingSettings } from './database-settings.ts'
import { findDifferences } from './forum/check.ts'
import { journeys } from './forum/journeys.ts'
import { type Measured, report } from './forum/report.ts'
import { takeSamples } from './forum/samples.ts'
import { seedForum } from './forum/seed.ts'
import { readTexts } from './forum/texts.ts'
import { measure } from './measure.ts'

const { values: given, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		sizes: { type: 'string', default: '10000,1000000' },
		// Stores the two databases in this folder for the next run; existing ones are reused.
		keep: { type: 'string' },
		// Measures only journeys with this text in their name, and writes no report.
		only: { type: 'string' },
		sets: { type: 'string', default: '200' },
	},
})
const here = process.env.INIT_CWD ?? '.'
const sizes = given.sizes.split(',').map(Number)
const file = positionals[0] && resolve(here, positionals[0])
const source = file ? 'recombined from an import file' : 'invented words, as unevenly common as those of a language'
/** Up to this size the seeded forum is compared, row by row, with what the triggers derive. */
const MAX_COMPARED = 20_000
interface Forum extends Measured {
	connection: PoolConfig
	stop: () => Promise<void>
	samples: Awaited<ReturnType<typeof takeSamples>>
}

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort())
const forums: Forum[] = []
try {
	for (const size of sizes) if (!stopping.signal.aborted) forums.push(await open(size))
	for (const name of forums[0] ? journeys(forums[0].samples).map(([name]) => name) : []) {
		if (given.only && !name.includes(given.only)) continue
		// Both sizes within the same minute, so that other load on the machine affects both.
		for (const forum of forums) if (!stopping.signal.aborted) await visit(forum, name)
	}
	const [small, large] = forums
	if (small && large && !given.only && !stopping.signal.aborted) report([small, large], source, Number(given.sets))
} finally {
	for (const { stop } of forums) await stop()
}

/** Opens a forum of this size in a database of its own, which is created unless an earlier run kept it. */
async function open(size: number): Promise<Forum> {
	const dataDir = given.keep
		? join(resolve(here, given.keep), String(size))
		: mkdtempSync(join(tmpdir(), 'devquad-forum-'))
	mkdirSync(dataDir, { recursive: true, mode: 0o711 })
	let postgres = await startEmbeddedPostgres(dataDir, seedingSettings)
	await allowMeasuring(postgres.admin)
	const stop = async () => {
		await closeDatabase()
		await postgres.stop()
		if (!given.keep) rmSync(dataDir, { recursive: true, force: true })
	}
	try {
		openDatabase({ ...postgres.connection, ...NO_TIME_LIMITS, max: 2 })
		await migrate(pool(), fileURLToPath(new URL('../migrations', import.meta.url)))
		const recordFile = join(dataDir, 'made.json')
		if (!existsSync(recordFile)) await make(size, recordFile)
		const made: Measured['made'] = JSON.parse(readFileSync(recordFile, 'utf8'))
		await closeDatabase()
		await postgres.stop()
		postgres = await startEmbeddedPostgres(dataDir, measuringSettings)
		openDatabase({ ...postgres.connection, ...NO_TIME_LIMITS, max: 2 })
		await warm()
		const samples = await takeSamples()
		await closeDatabase()
		return { size, made, connection: postgres.connection, stop, samples, figures: new Map() }
	} catch (error) {
		await stop()
		throw error
	}
}

/** Reads everything into the system's memory, as on a site that has run for a day. */
async function warm(): Promise<void> {
	await pool().query(
		`select sum(pg_prewarm(oid, 'read')) from pg_class where relkind in ('r', 'i', 't') and pg_has_role(relowner, 'usage') and relnamespace = any('{public,pg_toast}'::regnamespace[])`,
	)
}

/** @throws Error if the seeded forum differs from one whose questions were inserted one by one */
async function make(size: number, recordFile: string): Promise<void> {
	const made = await seedForum(size, readTexts(file))
	process.stdout.write(`${Math.round(made.rows / made.seconds).toLocaleString('en')} rows a second\n`)
	const differences = size <= MAX_COMPARED ? await findDifferences() : []
	if (differences.length > 0) throw new Error(`The seeded forum differs from a written one. ${differences.join('; ')}`)
	writeFileSync(recordFile, JSON.stringify(made))
}

/** Measures one kind of page over one connection: its statements run in sequence and add up to the page's time. */
async function visit({ size, connection, samples, figures }: Forum, name: string): Promise<void> {
	openDatabase({ ...connection, ...NO_TIME_LIMITS, max: 1 })
	const page = journeys(samples).find(([other]) => other === name)?.[1]
	if (page) figures.set(name, await measure(page, Number(given.sets)))
	const { p50 = 0, p99 = 0, work = null, plan = '' } = figures.get(name) ?? {}
	const rounded = [p50, p99, work?.p50 ?? 0, work?.p99 ?? 0].map((ms) => ms.toFixed(1))
	process.stdout.write(
		`${size.toLocaleString('en')} queries, ${name}: p50 ${rounded[0]} ms, p99 ${rounded[1]} ms; work p50 ${rounded[2]} ms, p99 ${rounded[3]} ms\n`,
	)
	if (given.only) process.stdout.write(`${plan}\n`)
	await closeDatabase()
}
