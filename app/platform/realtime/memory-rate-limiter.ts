/** A fixed-window rate limiter in memory. */
export class MemoryRateLimiter {
	private left: number
	private until = 0
	private readonly limit: number
	private readonly milliseconds: number

	constructor(limit: number, milliseconds: number) {
		this.limit = limit
		this.left = limit
		this.milliseconds = milliseconds
	}

	/** Uses one unit. @returns false when none is left in this window */
	take(now = performance.now()): boolean {
		if (now >= this.until) {
			this.left = this.limit
			this.until = now + this.milliseconds
		}
		this.left -= 1
		return this.left >= 0
	}
}
