import { log } from '~/lib/log.server.ts'
import { db, type Executor } from '../db/db.server.ts'

/** How many may fail in one run, before it gives up: then something else is wrong. */
const MAX_FAILED = 20

/**
 * Work for many members, or things of theirs, in which one that fails is left out, so that the others do not wait for it. Call {@link finish} at the end, so
 * that the failure is not overlooked.
 */
export class Run<Id extends number | string = number> {
	/** Ids of those that are left out. */
	readonly failed: Id[] = []
	readonly #what: string
	#culprit: Id | undefined
	#last: { error: unknown } | undefined

	/** @param what failed, as the log says it: “a reminder could not be sent” */
	constructor(what: string) {
		this.#what = what
	}

	/** Does something for each; what it did for one must stand without the others. */
	async each<Item>(items: Iterable<Item>, idOf: (item: Item) => Id, act: (item: Item) => Promise<void>): Promise<void> {
		for (const item of items) {
			try {
				await act(item)
			} catch (error) {
				this.#leaveOut(idOf(item), error)
			}
		}
	}

	/**
	 * Runs a transaction for several, within which {@link of} does what concerns one.
	 * @returns undefined if one of them failed: nothing was changed, and the next batch must leave out those in `failed`
	 */
	async batch<Result>(work: (trx: Executor) => Promise<Result>): Promise<Result | undefined> {
		try {
			return await db()
				.transaction()
				.execute((trx) => {
					this.#culprit = undefined
					return work(trx)
				})
		} catch (error) {
			if (this.#culprit === undefined) throw error
			this.#leaveOut(this.#culprit, error)
			return undefined
		}
	}

	/** Does what concerns one of a {@link batch}. */
	async of<Result>(id: Id, act: () => Promise<Result>): Promise<Result> {
		try {
			return await act()
		} catch (error) {
			this.#culprit = id
			throw error
		}
	}

	/** @throws the last error, if somebody was left out */
	finish(): void {
		if (this.#last) throw this.#last.error
	}

	#leaveOut(id: Id, error: unknown): void {
		if (this.failed.length === MAX_FAILED) throw error
		log.error({ err: error, id }, this.#what)
		this.failed.push(id)
		this.#last = { error }
	}
}
