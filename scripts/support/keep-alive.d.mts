import type { EventEmitter } from 'node:events'

/** How long to wait before a process that ended is started again: longer each time while it dies young. */
export class BackOff {
	/** @param livedMs milliseconds from its start to its end @returns milliseconds */
	next(livedMs: number): number
}

/** How a process ended, and after how many milliseconds the next one is started unless `onEnd` says otherwise. */
export interface Ending {
	code: number | null
	signal: string | null
	wait: number
}

/**
 * Starts a process, and another one whenever it ends.
 * @param start gives what emits `exit` when it ends. If that emits `replace` before, the next one is started at once, beside it,
 * and its end is nobody's concern
 * @param onEnd hears of each end, and says whether there shall be another start
 * @returns has no other one started from then on, one that waits to be started included
 */
export function keepAlive(start: () => EventEmitter, onEnd: (ending: Ending) => boolean): () => void
