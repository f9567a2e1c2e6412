import { type RawBuilder, sql } from 'kysely'
import { log } from '~/lib/log.server.ts'
import { db } from './db.server.ts'

/** A number that is stored beside what it counts. Features list them in the manifest; all are checked every night. */
export interface Counter {
	table: string
	column: string
	/** The column that orders the rows, and by which writers lock them; `id` by default. */
	key?: string
	/** The rows that have such a number; all by default. The row is `t`. */
	where?: RawBuilder<unknown>
	/** The correct value. The row is `t`. Writers that change what is counted lock the row of the number before the commit. */
	actual: RawBuilder<unknown>
}

/** A corrected number: its row, and the values before and after. */
export interface CounterCorrection {
	key: string
	was: string
	is: string
}

/** Rows that one statement compares. */
const BATCH = 500
const MAX_LOGGED = 20

/**
 * Compares counters with what they count, in batches, and corrects wrong ones. Correct ones are neither locked nor written. Each
 * correction is logged as a warning.
 */
export async function checkCounters(counters: readonly Counter[]): Promise<void> {
	for (const counter of counters) {
		const corrections = await checkCounter(counter)
		if (corrections.length === 0) continue
		log.warn(
			{
				counter: `${counter.table}.${counter.column}`,
				corrected: corrections.length,
				rows: corrections.slice(0, MAX_LOGGED),
			},
			'a counter differed from its rows and was corrected',
		)
	}
}

async function checkCounter(counter: Counter): Promise<CounterCorrection[]> {
	const corrections: CounterCorrection[] = []
	let after: string | null = null
	do {
		const rows: ComparedRow[] = await compareBatch(counter, after)
		const wrong = rows.flatMap(({ key, differs }) => (differs ? [key] : []))
		if (wrong.length > 0) corrections.push(...(await correct(counter, wrong)))
		after = rows.length < BATCH ? null : (rows.at(-1)?.key ?? null)
	} while (after !== null)
	return corrections
}

interface ComparedRow {
	key: string
	differs: boolean
}

/** Rows by key, each with its number in one snapshot: writers change both in one transaction. */
async function compareBatch(counter: Counter, after: string | null): Promise<ComparedRow[]> {
	const { table, column, key, where, actual } = namesOf(counter)
	const { rows } = await sql<ComparedRow>`
		select ${key}::text as key, ${column} is distinct from ${actual} as differs
		from (select * from ${table} t where ${where} and ${after === null ? sql`true` : sql`${key} > ${after}`} order by ${key} limit ${BATCH}) t
		order by ${key}`.execute(db())
	return rows
}

/**
 * Recounts with the rows locked, in a second statement: it sees what all earlier writers committed, and later writers wait. A
 * single statement could write a count from before it waited for the row.
 */
function correct(counter: Counter, keys: string[]): Promise<CounterCorrection[]> {
	const { table, column, key, actual } = namesOf(counter)
	return db()
		.transaction()
		.execute(async (trx) => {
			await sql`select from ${table} t where ${key} = any(${keys}) order by ${key} for no key update`.execute(trx)
			const { rows } = await sql<CounterCorrection>`
				with before as (select ${key} as key, ${column} as number from ${table} t where ${key} = any(${keys}))
				update ${table} t set ${sql.ref(counter.column)} = ${actual} from before
				where before.key = ${key} and before.number is distinct from ${actual}
				returning ${key}::text as key, before.number::text as was, ${column}::text as is`.execute(trx)
			return rows
		})
}

function namesOf({ table, column, key = 'id', where = sql`true`, actual }: Counter) {
	return { table: sql.table(table), column: sql.ref(`t.${column}`), key: sql.ref(`t.${key}`), where, actual }
}
