import { readFileSync } from 'node:fs'
import pg from 'pg'
import { pool } from '~/platform/db/db.server.ts'

export interface Figures {
	/** Milliseconds in the database for a whole page, with the way there and back. */
	p50: number
	p99: number
	/**
	 * Milliseconds that the database's process itself worked for a page, which other programs on the machine do not
	 * lengthen; null where the system does not tell (Linux does).
	 */
	work: { p50: number; p99: number } | null
	/** Statements of one page. */
	statements: number
	/** Rows that a page shows, on average. */
	rows: number
	/** The plan of the dearest statement of the slowest page, as it ran once more. */
	plan: string
}

interface Spent {
	text: string
	values: unknown[]
	ms: number
}

/** The statements of the page being measured; null while nothing is. */
let spent: Spent[] | null = null
const query = pg.Client.prototype.query
// biome-ignore lint/suspicious/noExplicitAny: pg's query has seven signatures; this one times those that return a promise.
pg.Client.prototype.query = async function (this: pg.Client, ...args: any[]) {
	const began = performance.now()
	const result = await query.apply(this, args as Parameters<typeof query>)
	const { text = args[0], values = args[1] ?? [] } = typeof args[0] === 'object' ? args[0] : {}
	spent?.push({ text, values, ms: performance.now() - began })
	return result
	// biome-ignore lint/suspicious/noExplicitAny: as above
} as any

/** Loads so many pages, each with other parameters, after as many to warm up. @param page answers how many rows it shows */
export async function measure(page: () => Promise<number>, sets: number): Promise<Figures> {
	for (let index = 0; index < sets; index += 1) await page()
	const times: number[] = []
	const worked: number[] = []
	const worker = await findWorker()
	let rows = 0
	let slowest = { ms: -1, statements: [] as Spent[] }
	for (let index = 0; index < sets; index += 1) {
		const statements: Spent[] = []
		spent = statements
		const before = worker()
		rows += await page()
		worked.push(worker() - before)
		const ms = statements.reduce((sum, each) => sum + each.ms, 0)
		times.push(ms)
		if (ms > slowest.ms) slowest = { ms, statements }
	}
	spent = null
	const { statements } = slowest
	// That of a transaction's begin or end has no plan.
	const planned = statements.filter(
		({ text }) => !/^\s*(begin|start|commit|rollback|set|savepoint|release)\b/i.test(text),
	)
	const dearest = planned.toSorted((one, other) => other.ms - one.ms)[0]
	return {
		...percentiles(times),
		work: Number.isNaN(worked[0]) ? null : percentiles(worked),
		statements: statements.length,
		rows: rows / sets,
		plan: dearest ? await explain(dearest) : '',
	}
}

function percentiles(times: number[]): { p50: number; p99: number } {
	const sorted = times.toSorted((one, other) => one - other)
	return { p50: sorted[Math.floor(sorted.length / 2)] ?? 0, p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0 }
}

/** How long the process behind the pool's connection was on a processor so far, in milliseconds; NaN where nobody tells. */
async function findWorker(): Promise<() => number> {
	const { rows } = await pool().query<{ pid: number }>('select pg_backend_pid() as pid')
	return () => {
		try {
			return Number(readFileSync(`/proc/${rows[0]?.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
		} catch {
			return Number.NaN
		}
	}
}

/** What a statement really did, in short: without costs, which mean nothing to a reader. */
async function explain({ text, values }: Spent): Promise<string> {
	const { rows } = await pool().query(`explain (analyze, buffers, costs off, timing off) ${text}`, values)
	const lines = rows.map((row) => String(row['QUERY PLAN']).slice(0, 140))
	const isTelling = (line: string, index: number) =>
		!/^Planning|Storage:|Batches:|Index Searches|Heap Fetches/.test(line.trim()) &&
		(index < 6 || !/Buffers:/.test(line))
	return lines.filter(isTelling).join('\n')
}
