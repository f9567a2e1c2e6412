import type { EventEmitter } from 'node:events'

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

/** How a process ended, and after how many milliseconds the next one is started unless `onEnd` says otherwise. */
export interface Ending {
	code: number | null
	signal: string | null
	wait: number
}

/**
 * Starts a process, and another one whenever it ends.
 * @param start gives what emits `exit` when it ends
 * @param onEnd hears of each end, and says whether there shall be another start
 */
export function keepAlive(start: () => EventEmitter, onEnd: (ending: Ending) => boolean): void {
	const backOff = new BackOff()
	const begin = () => {
		const begun = performance.now()
		start().once('exit', (code: number | null, signal: string | null) => {
			const wait = backOff.next(performance.now() - begun)
			if (onEnd({ code, signal, wait })) setTimeout(begin, wait).unref()
		})
	}
	begin()
}
