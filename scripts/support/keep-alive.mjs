// Restarts a process when it ends. Plain JavaScript, as `npm start` needs it before TypeScript can run.

/** Milliseconds after which a process counts as healthy; if it ends later, that is a new problem, and the delays are reset. */
const wellAfterMs = 60_000
const minWaitMs = 250
const maxWaitMs = 30_000

/** Exponentially growing delays between restarts, from 0.25 s to 30 s. */
export class BackOff {
	#waitMs = minWaitMs

	next(livedMs) {
		const wait = livedMs >= wellAfterMs ? minWaitMs : this.#waitMs
		this.#waitMs = Math.min(maxWaitMs, wait * 2)
		return wait
	}
}

/**
 * Runs a process, and restarts it when it ends.
 * @param start starts it and returns its emitter: `exit` restarts it, `replace` starts another one beside it
 * @param onEnd called with `{ code, signal, wait }`; `wait` is the delay in milliseconds @returns whether to restart
 * @returns stops restarting; the running process goes on
 */
export function keepAlive(start, onEnd) {
	const backOff = new BackOff()
	let timer
	let isOver = false
	const begin = () => {
		const begun = performance.now()
		const running = start()
		let isReplaced = false
		running.once('replace', () => {
			isReplaced = true
			begin()
		})
		running.once('exit', (code, signal) => {
			if (isReplaced) return
			const wait = backOff.next(performance.now() - begun)
			if (onEnd({ code, signal, wait }) && !isOver) timer = setTimeout(begin, wait)
		})
	}
	begin()
	return () => {
		isOver = true
		clearTimeout(timer)
	}
}
