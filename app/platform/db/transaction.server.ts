import {
	type DatabaseConnection,
	DefaultQueryExecutor,
	Kysely,
	PostgresAdapter,
	PostgresDialect,
	PostgresQueryCompiler,
} from 'kysely'
import type pg from 'pg'
import { batchCalls } from '~/lib/batch-calls.ts'
import { isSiteFault, Unavailable } from '~/lib/errors.ts'
import { log } from '~/lib/log.server.ts'
import { type Executor, pool, withTransactionRetries } from './db.server.ts'
import type { Database } from './schema.ts'

/** Declares that this statement, just begun, is the last one. */
export type SendLast = <Result>(statement: Promise<Result>) => Promise<Result>

/**
 * Begins reads that are sent with COMMIT and run after it, each as a transaction of its own: they see this transaction, and all that was
 * committed before it. Call it in the same tick as {@link SendLast}.
 * @returns their result; undefined where they failed, which does not fail the transaction
 */
export type AfterCommit = <Result>(read: () => Promise<Result>) => Promise<Result | undefined>

/**
 * Statements here find rows by key, at most a few hundred, so one plan fits all. PostgreSQL would otherwise plan each time, which
 * takes longer than the statement, or keep a plan that scans a table which was small then.
 */
const BEGIN = 'begin; set local plan_cache_mode = force_generic_plan; set local enable_seqscan = off'

const executors = new WeakMap<pg.PoolClient, Kysely<Database>>()

/**
 * A transaction whose statements are pipelined, for hot paths. Statements begun in the same tick are sent together; PostgreSQL runs
 * them in the order in which they were begun. It is retried as others are, by {@link withTransactionRetries}.
 * @param work begins its first statements at once; BEGIN is sent with them. COMMIT is sent with a statement that is given to
 * `last`: after it, nothing may be begun except reads that are given to `after`, and nothing refused
 * @returns the result of `work`, once committed and all was read
 */
export function pipelinedTransaction<Result>(work: Work<Result>): Promise<Result> {
	return withTransactionRetries(() => transactOnce(work))
}

type Work<Result> = (trx: Executor, last: SendLast, after: AfterCommit) => Promise<Result>

async function transactOnce<Result>(work: Work<Result>): Promise<Result> {
	const client = await pool().connect()
	const trx = executorOf(client)
	let committing: Promise<void> | undefined
	const reads: Promise<unknown>[] = []
	let hasReadFailed = false
	const last: SendLast = (statement) => {
		committing = commit(client)
		// The caller awaits the statement, and gets its error first.
		committing.catch(() => {})
		return statement
	}
	const after: AfterCommit = (read) => {
		const result = read().catch(() => {
			hasReadFailed = true
			return undefined
		})
		reads.push(result)
		return result
	}
	try {
		const [begun, done] = await Promise.allSettled([client.query(BEGIN), work(trx, last, after)])
		if (begun.status === 'rejected') throw begun.reason
		if (done.status === 'rejected') throw done.reason
		await (committing ?? commit(client))
		return done.value
	} catch (error) {
		await (committing ?? client.query('rollback', [])).catch(() => {})
		throw error
	} finally {
		await Promise.all(reads)
		// Discarded if it is still within a transaction, or may be lost.
		client.release(hasReadFailed || client.getTransactionStatus() !== 'I')
	}
}

/** @throws Error when an earlier statement failed: PostgreSQL then rolls back */
async function commit(client: pg.PoolClient): Promise<void> {
	const { command } = await client.query('commit', [])
	if (command === 'ROLLBACK') throw new Error('A transaction that had failed was to be committed.')
}

/** Kysely on one connection that sends statements synchronously, so that they are sent in the order in which they were begun. */
function executorOf(client: pg.PoolClient): Kysely<Database> {
	const known = executors.get(client)
	if (known) return known
	const connection: DatabaseConnection = {
		executeQuery: async ({ sql, parameters }) => {
			const { rowCount, rows } = await client.query(sql, parameters as unknown[])
			return { numAffectedRows: BigInt(rowCount ?? 0), rows }
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

/** @returns for each item the row with its 1-based position, as `unnest … with ordinality` counts; undefined where there is none */
export function byPosition<Row extends { place: number }>(items: readonly unknown[], rows: Row[]): (Row | undefined)[] {
	const found = new Map(rows.map((row) => [row.place, row]))
	return items.map((_, index) => found.get(index + 1))
}

/** Items of one batch. In a longer one, the first would wait for the last. */
const MAX_BATCH = 200

/** The outcome of an item of a batch; null for one that needs its own transaction. */
export type BatchOutcome<Answer> = { answer: Answer } | { refusal: unknown } | null

interface Batching<Item, Answer> {
	/** Processes items in one transaction, without waiting for locks. Answers in their order, after the commit. */
	together: (items: Item[]) => Promise<readonly BatchOutcome<Answer>[]>
	/** Processes one item in its own transaction. */
	alone: (item: Item) => Promise<Answer>
	/** Items that share a key are never in the same batch. */
	keysOf: (item: Item) => readonly string[]
}

/**
 * Batches work on single items: whatever is requested while one batch is being committed forms the next. When nothing is running, a
 * batch begins at once. One item never fails another: when a batch fails, its items are processed one by one.
 * @returns processes an item; it throws the item's refusal, or Unavailable or DiskFull when nothing can be stored
 */
export function batched<Item, Answer>(batching: Batching<Item, Answer>): (item: Item) => Promise<Answer> {
	const { together, alone, keysOf } = batching
	const tryTogether = async (items: Item[]) => {
		try {
			return await together(items)
		} catch (error) {
			const isBusy = error instanceof Unavailable && !error.isOutage
			if (isSiteFault(error) && !isBusy) throw error
			log.warn({ err: error, items: items.length }, 'a batch failed, so its items are processed one by one')
			return items.map(() => null)
		}
	}
	const inBatch = batchCalls<Item, BatchOutcome<Answer>>(tryTogether, MAX_BATCH, keysOf)
	return async (item) => {
		const outcome = await inBatch(item)
		if (outcome === null) return alone(item)
		if ('refusal' in outcome) throw outcome.refusal
		return outcome.answer
	}
}
