/** A process says something every 5 s at least; one that has been silent for so many milliseconds is dead. */
export const silence = 15_000

/**
 * The other processes of the site, as far as they are heard of. One that was killed may have stored something and told nobody:
 * whoever hears of its end has its own tabs ask.
 */
export class Neighbours {
	private readonly heardAt = new Map<string, number>()
	private checkedAt: number

	/** @param now milliseconds of any clock that is never set back; so everywhere below */
	constructor(now: number) {
		this.checkedAt = now
	}

	heard(id: string, now: number): void {
		this.heardAt.set(id, now)
	}

	/** It stops in order, and has told everything. */
	left(id: string): void {
		this.heardAt.delete(id)
	}

	/** To be called far more often than processes fall silent. @returns whether one has died since the last time */
	hasOneDied(now: number): boolean {
		const paused = now - this.checkedAt > silence / 2
		this.checkedAt = now
		const silent = [...this.heardAt].filter(([, at]) => now - at > silence)
		// What stood still for so long was this process: what the others said meanwhile is read after this.
		if (paused) for (const [id] of silent) this.heardAt.set(id, now)
		else for (const [id] of silent) this.heardAt.delete(id)
		return !paused && silent.length > 0
	}
}
