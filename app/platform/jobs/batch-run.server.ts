import { log } from '~/lib/log.server.ts'
import { db, type Executor } from '../db/db.server.ts'

/** Failed items after which a run aborts, as the cause is then unlikely to be the items. */
const MAX_FAILED = 20

/**
 * Processes many independent items, such as members. An item that fails is logged and skipped, so that it does not block the others.
 * Call {@link finish} at the end, so that the job fails and is retried.
 */
export class BatchRun<Id extends number | string = number> {
	/** Ids of the failed items. */
	readonly failed: Id[] = []
	readonly #what: string
	#failing: Id | undefined
	#lastError: { error: unknown } | undefined

	/** @param what the log message for a failed item: “a reminder could not be sent” */
	constructor(what: string) {
		this.#what = what
	}

	/**
	 * Processes each item; the work on one must be complete in itself, such as a transaction of its own.
	 * @throws the error of an item when {@link MAX_FAILED} others have failed before
	 */
	async each<Item>(
		items: Iterable<Item>,
		idOf: (item: Item) => Id,
		work: (item: Item) => Promise<void>,
	): Promise<void> {
		for (const item of items) {
			try {
				await work(item)
			} catch (error) {
				this.#skip(idOf(item), error)
			}
		}
	}

	/**
	 * Processes several items in one transaction; wrap the work of each in {@link of}.
	 * @returns undefined when an item failed and the transaction was rolled back; the next batch must omit the items in `failed`
	 * @throws any error that occurs outside {@link of}
	 */
	async batch<Result>(work: (trx: Executor) => Promise<Result>): Promise<Result | undefined> {
		// Also here: a transaction may fail before it begins.
		this.#failing = undefined
		try {
			return await db()
				.transaction()
				.execute((trx) => {
					this.#failing = undefined
					return work(trx)
				})
		} catch (error) {
			if (this.#failing === undefined) throw error
			this.#skip(this.#failing, error)
			return undefined
		}
	}

	/** Does the work of one item of a {@link batch}, so that a failure is attributed to it. @throws whatever `work` throws */
	async of<Result>(id: Id, work: () => Promise<Result>): Promise<Result> {
		try {
			return await work()
		} catch (error) {
			this.#failing = id
			throw error
		}
	}

	/** @throws the last error, if any item failed */
	finish(): void {
		if (this.#lastError) throw this.#lastError.error
	}

	#skip(id: Id, error: unknown): void {
		if (this.failed.length === MAX_FAILED) throw error
		log.error({ err: error, id }, this.#what)
		this.failed.push(id)
		this.#lastError = { error }
	}
}

/** The length of one run and the pause after each batch, in milliseconds. Two jobs run at a time, and others wait while both are such runs. */
const MAX_RUN_MS = 20_000
const PAUSE_MS = 20

/**
 * A run of a job that runs every minute and does much work in small transactions: the next run continues where this one ends. Where single
 * items may fail and the others are still to be processed, use {@link BatchRun}.
 * @param batch one of these transactions. Returns whether there may be more
 */
export async function runInBatches(batch: () => Promise<boolean>): Promise<void> {
	const until = Date.now() + MAX_RUN_MS
	while ((await batch()) && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
}
