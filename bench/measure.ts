import pg from 'pg'
import { pool } from '~/db/db.server.ts'

export interface Figures {
	/** Milliseconds in the database for a whole page, with the way there and back. */
	p50: number
	p99: number
	/** Statements of one page. */
	statements: number
	/** Members that a page shows, on average. */
	rows: number
	/** The plan of the dearest statement of one page, as it really ran. */
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
	let rows = 0
	let statements: Spent[] = []
	for (let index = 0; index < sets; index += 1) {
		statements = []
		spent = statements
		rows += await page()
		times.push(statements.reduce((sum, { ms }) => sum + ms, 0))
	}
	spent = null
	times.sort((one, other) => one - other)
	const dearest = statements.toSorted((one, other) => other.ms - one.ms)[0]
	return {
		p50: times[Math.floor(sets / 2)] ?? 0,
		p99: times[Math.floor(sets * 0.99)] ?? 0,
		statements: statements.length,
		rows: rows / sets,
		plan: dearest ? await explain(dearest) : '',
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
