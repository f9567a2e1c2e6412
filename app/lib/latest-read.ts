/** Overlapping reads of something that changes. A read that ends after another one that began later is out of date, and does not count. */
export class LatestRead {
	#begun = 0
	#taken = 0

	/** Whether a read has counted. */
	get hasEnded(): boolean {
		return this.#taken > 0
	}

	/** Reads, and calls `take` with the result if it counts. @throws whatever either throws */
	async run<Result>(read: () => Promise<Result>, take: (result: Result) => void): Promise<void> {
		this.#begun += 1
		const own = this.#begun
		const result = await read()
		if (own < this.#taken) return
		this.#taken = own
		take(result)
	}
}
