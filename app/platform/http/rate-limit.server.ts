import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'

/** Clocks of nodes may differ by this much, in milliseconds. */
const CLOCK_TOLERANCE_MS = 60_000

/**
 * Counts one more in a limiter whose counters outlive the process. A counter that ends later than a whole stretch from now was
 * begun before the machine's clock was set back; it counts for nothing, and begins anew.
 * @returns what is left
 * @throws RateLimiterRes with the time to wait when nothing is left, Error when it cannot be counted
 */
export async function countUp(limiter: RateLimiterAbstract, key: string): Promise<RateLimiterRes> {
	const outcome: unknown = await limiter.consume(key).catch((refusal: unknown) => refusal)
	if (!(outcome instanceof RateLimiterRes)) throw outcome
	if (outcome.msBeforeNext > limiter.duration * 1_000 + CLOCK_TOLERANCE_MS) {
		await limiter.delete(key)
		return limiter.consume(key)
	}
	if (outcome.consumedPoints > limiter.points) throw outcome
	return outcome
}
