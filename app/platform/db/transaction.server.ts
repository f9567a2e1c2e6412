import {
	CompiledQuery,
	type DatabaseConnection,
	DefaultQueryExecutor,
	Kysely,
	PostgresAdapter,
	PostgresDialect,
	PostgresQueryCompiler,
} from 'kysely'
import type pg from 'pg'
import { isSiteFault, Unavailable } from '~/lib/errors.ts'
import { gathered } from '~/lib/gathered.ts'
import { log } from '~/lib/log.server.ts'
import { type Executor, pool } from './db.server.ts'
import type { Database } from './schema.ts'

/** Says that this statement, just begun, is the last one. */
export type Last = <Result>(statement: Promise<Result>) => Promise<Result>

/**
 * Rows are found by their keys here, at most a few hundred, so that one plan fits however many they are. PostgreSQL would plan such
 * statements anew each time, which takes longer than they do, or keep a plan that reads the whole of a table that was small then.
 */
const BEGIN = 'begin; set local plan_cache_mode = force_generic_plan; set local enable_seqscan = off'

const executors = new WeakMap<pg.PoolClient, Kysely<Database>>()

/**
 * A transaction whose statements need not wait for each other, for what has to be fast: those that are begun in the same
 * moment travel to PostgreSQL together, which runs them one after the other in the order in which they were begun.
 * @param work begins its first statements at once, and the beginning of the transaction travels with them. To a statement
 * given to `last` the commit is added: nothing is begun, and nothing refused, after it
 * @returns what `work` does, once it is committed
 */
export async function transact<Result>(work: (trx: Executor, last: Last) => Promise<Result>): Promise<Result> {
	const client = await pool().connect()
	const trx = executorOf(client)
	let committing: Promise<void> | undefined
	const last: Last = (statement) => {
		committing = commit(trx)
		// Who waits for the statement hears first why it failed.
		committing.catch(() => {})
		return statement
	}
	try {
		const beginning = trx.executeQuery(CompiledQuery.raw(BEGIN))
		const [begun, done] = await Promise.allSettled([beginning, work(trx, last)])
		if (begun.status === 'rejected') throw begun.reason
		if (done.status === 'rejected') throw done.reason
		await (committing ?? commit(trx))
		return done.value
	} catch (error) {
		await (committing ?? trx.executeQuery(CompiledQuery.raw('rollback'))).catch(() => {})
		throw error
	} finally {
		// In the middle of a transaction it is of no more use to anybody.
		client.release(client.getTransactionStatus() !== 'I')
	}
}

/** @throws Error when a statement before it failed: PostgreSQL rolls back then, and says so. */
async function commit(trx: Executor): Promise<void> {
	const { rows } = await trx.executeQuery<{ command: string }>(CompiledQuery.raw('commit'))
	if (rows[0]?.command === 'ROLLBACK') throw new Error('A transaction that had failed was to be committed.')
}

/** Kysely on one connection, with nothing between beginning a statement and sending it: their order is that of their beginnings. */
function executorOf(client: pg.PoolClient): Kysely<Database> {
	const known = executors.get(client)
	if (known) return known
	const connection: DatabaseConnection = {
		executeQuery: async ({ sql, parameters }) => {
			if (sql === BEGIN) {
				await client.query(sql)
				return { rows: [] }
			}
			const { command, rowCount, rows } = await client.query(sql, [...parameters])
			const ends = command === 'COMMIT' || command === 'ROLLBACK'
			return { numAffectedRows: BigInt(rowCount ?? 0), rows: ends ? [{ command } as never] : rows }
		},
		streamQuery: () => {
			throw new Error('Statements of a transaction like this one answer whole.')
		},
	}
	const provider = { provideConnection: <Result>(use: (one: DatabaseConnection) => Promise<Result>) => use(connection) }
	const dialect = new PostgresDialect({ pool: pool() })
	const made = new Kysely<Database>({
		config: { dialect },
		dialect,
		driver: dialect.createDriver(),
		executor: new DefaultQueryExecutor(new PostgresQueryCompiler(), new PostgresAdapter(), provider),
	})
	executors.set(client, made)
	return made
}

/** @returns for each item the row of its place, as `unnest … with ordinality` counts them from 1; undefined where there is none */
export function byPlace<Row extends { place: number }>(items: readonly unknown[], rows: Row[]): (Row | undefined)[] {
	const found = new Map(rows.map((row) => [row.place, row]))
	return items.map((_, index) => found.get(index + 1))
}

/** Items of one batch. In a longer one the first would wait for the last. */
const MAX_BATCH = 200

/** What became of an item of a batch; null for one that needs a transaction of its own. */
export type Outcome<Answer> = { answer: Answer } | { refusal: unknown } | null

interface Batching<Item, Answer> {
	/** Does items in one transaction, waiting for nobody else's locks. Answers in their order, after the commit. */
	together: (items: Item[]) => Promise<readonly Outcome<Answer>[]>
	/** Does one in a transaction of its own. */
	alone: (item: Item) => Promise<Answer>
	/** Items with a key in common never share a batch. */
	keysOf: (item: Item) => readonly string[]
}

/**
 * Makes of work on one item work on a batch: whatever is asked for while the last batch is being committed is the next one. When
 * nothing is under way a batch begins at once. One item never fails another: when a batch fails, each of its items is done alone.
 * @returns does an item; it throws what the item is refused with, or Unavailable, DiskFull when nothing can be stored
 */
export function batched<Item, Answer>(batching: Batching<Item, Answer>): (item: Item) => Promise<Answer> {
	const { together, alone, keysOf } = batching
	const tryTogether = async (items: Item[]) => {
		try {
			return await together(items)
		} catch (error) {
			const isBusy = error instanceof Unavailable && !error.isOutage
			if (isSiteFault(error) && !isBusy) throw error
			log.warn({ err: error, items: items.length }, 'a batch failed, and is done one by one')
			return items.map(() => null)
		}
	}
	const inBatch = gathered<Item, Outcome<Answer>>(tryTogether, MAX_BATCH, keysOf)
	return async (item) => {
		const outcome = await inBatch(item)
		if (outcome === null) return alone(item)
		if ('refusal' in outcome) throw outcome.refusal
		return outcome.answer
	}
}
