/** Milliseconds between two looks at the clock. */
const LOOK_EVERY_MS = 5_000
/** A clock that is set back by less, in milliseconds, delays no work that is due every minute. */
const TOLERANCE_MS = 60_000

/**
 * Calls back when the machine's clock is set back by more than a minute, as when it was wrong until it was compared with others.
 * @param lookEvery milliseconds, for tests
 * @returns ends the watch
 */
export function onClockSetBack(onSetBack: () => void, lookEvery = LOOK_EVERY_MS): () => void {
	// The monotonic clock is never set.
	const difference = () => Date.now() - performance.now()
	let before = difference()
	const timer = setInterval(() => {
		const now = difference()
		if (now < before - TOLERANCE_MS) onSetBack()
		before = now
	}, lookEvery).unref()
	return () => clearInterval(timer)
}
