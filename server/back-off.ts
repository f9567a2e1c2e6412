/** A process that lived so many milliseconds was well; what ended it then is a matter of its own. */
const wellAfter = 60_000
const shortest = 250
const longest = 30_000

/** How long to wait before a process that ended is started again: longer each time while it dies young. */
export class BackOff {
	private wait = shortest

	/** @param lived milliseconds from its start to its end @returns milliseconds */
	next(lived: number): number {
		const wait = lived >= wellAfter ? shortest : this.wait
		this.wait = Math.min(longest, wait * 2)
		return wait
	}
}
