import { readFileSync } from 'node:fs'
import pg from 'pg'
import { pool } from '~/platform/db/db.server.ts'

export interface Figures {
	/** Milliseconds of a page's statements, including round trips. */
	p50: number
	p99: number
	/**
	 * Processor milliseconds of the database process for a page, independent of other load; null if the system does not report them (Linux
	 * does).
	 */
	work: { p50: number; p99: number } | null
	/** Statements per page. */
	statements: number
	/** Average rows that a page shows. */
	rows: number
	/** The plan of the most expensive statement of the slowest page, run once more. */
	plan: string
}

interface Spent {
	text: string
	values: unknown[]
	ms: number
}

/** The statements of the page being measured; null between measurements. */
let spent: Spent[] | null = null
const query = pg.Client.prototype.query
// biome-ignore lint/suspicious/noExplicitAny: pg's query has seven signatures; this one times those with a callback or a promise.
pg.Client.prototype.query = function (this: pg.Client, ...args: any[]) {
	const began = performance.now()
	const { text = args[0], values = args[1] ?? [] } = typeof args[0] === 'object' ? args[0] : {}
	const note = () => spent?.push({ text, values, ms: performance.now() - began })
	const answered = args.at(-1)
	// A prepared statement is sent with a callback, and returns before its answer.
	if (typeof answered === 'function') {
		args[args.length - 1] = (...answer: unknown[]) => {
			note()
			answered(...answer)
		}
	}
	const result: unknown = query.apply(this, args as Parameters<typeof query>)
	if (result instanceof Promise) result.then(note, () => {})
	return result
	// biome-ignore lint/suspicious/noExplicitAny: as above
} as any

/** Loads pages with different parameters, after as many for warm-up. @param page returns the number of rows that it shows */
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
	// BEGIN and COMMIT have no plan.
	const planned = statements.filter(
		({ text }) => !/^\s*(begin|start|commit|rollback|set|savepoint|release)\b/i.test(text),
	)
	const costliest = planned.toSorted((one, other) => other.ms - one.ms)[0]
	return {
		...percentiles(times),
		work: Number.isNaN(worked[0]) ? null : percentiles(worked),
		statements: statements.length,
		rows: rows / sets,
		plan: costliest ? await explain(costliest) : '',
	}
}

function percentiles(times: number[]): { p50: number; p99: number } {
	const sorted = times.toSorted((one, other) => one - other)
	return { p50: sorted[Math.floor(sorted.length / 2)] ?? 0, p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0 }
}

/** The processor milliseconds of the process behind the pool's connection; NaN if unknown. */
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

/** The plan with actual times and rows, in short, without cost estimates. */
async function explain({ text, values }: Spent): Promise<string> {
	const { rows } = await pool().query(`explain (analyze, buffers, costs off, timing off) ${text}`, values)
	const lines = rows.map((row) => String(row['QUERY PLAN']).slice(0, 140))
	const isTelling = (line: string, index: number) =>
		!/^Planning|Storage:|Batches:|Index Searches|Heap Fetches/.test(line.trim()) &&
		(index < 6 || !/Buffers:/.test(line))
	return lines.filter(isTelling).join('\n')
}
