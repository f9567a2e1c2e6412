/** Lets so many things pass in a stretch of time, and nothing more until the next stretch. */
export class Allowance {
	private left: number
	private until = 0
	private readonly most: number
	private readonly milliseconds: number

	constructor(most: number, milliseconds: number) {
		this.most = most
		this.left = most
		this.milliseconds = milliseconds
	}

	/** Takes one. @returns false when none is left */
	take(now = performance.now()): boolean {
		if (now >= this.until) {
			this.left = this.most
			this.until = now + this.milliseconds
		}
		this.left -= 1
		return this.left >= 0
	}
}
