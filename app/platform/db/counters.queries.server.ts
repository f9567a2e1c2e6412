import { type RawBuilder, sql } from 'kysely'
import { log } from '~/lib/log.server.ts'
import { db } from './db.server.ts'

/** A number that is stored beside what it counts. A feature lists it in its manifest, and it is checked every night. */
export interface Counter {
	table: string
	column: string
	/** The column that orders the rows and by which their writers lock them; `id` unless given. */
	key?: string
	/** The rows that have such a number; all unless given. The row is `t`. */
	where?: RawBuilder<unknown>
	/** What the number must be. The row is `t`. Whoever changes this locks the row of the number before the commit. */
	actual: RawBuilder<unknown>
}

/** A number that was wrong: of which row, and what it said before and after. */
export interface Correction {
	key: string
	was: string
	is: string
}

/** Rows that are looked at in one statement. */
const BATCH = 500
const MAX_LOGGED = 20

/**
 * Compares counters with what they count, in batches, and corrects those that differ. Nothing is locked or written where all is
 * right; whatever is corrected is logged as a warning.
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

async function checkCounter(counter: Counter): Promise<Correction[]> {
	const corrections: Correction[] = []
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

/** Rows in the order of their key, each with its number as of one moment: a writer changes both in one transaction. */
async function compareBatch(counter: Counter, after: string | null): Promise<ComparedRow[]> {
	const { table, column, key, where, actual } = namesOf(counter)
	const { rows } = await sql<ComparedRow>`
		select ${key}::text as key, ${column} is distinct from ${actual} as differs
		from (select * from ${table} t where ${where} and ${after === null ? sql`true` : sql`${key} > ${after}`} order by ${key} limit ${BATCH}) t
		order by ${key}`.execute(db())
	return rows
}

/**
 * Counts again with the rows locked, in a statement of its own: it sees what every writer before has committed, and those after
 * wait. In one statement a number could be overwritten with a count from before the wait for its row.
 */
function correct(counter: Counter, keys: string[]): Promise<Correction[]> {
	const { table, column, key, actual } = namesOf(counter)
	return db()
		.transaction()
		.execute(async (trx) => {
			await sql`select from ${table} t where ${key} = any(${keys}) order by ${key} for no key update`.execute(trx)
			const { rows } = await sql<Correction>`
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
