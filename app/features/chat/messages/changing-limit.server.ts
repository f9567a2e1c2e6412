import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import { TooMany } from '~/lib/errors.ts'
import { pool } from '~/platform/db/db.server.ts'
import { countUp } from '~/platform/http/rate-limit.server.ts'
import { limits } from '../chat.limits.ts'

/**
 * Counts an edit or a deletion before it is looked at, refused ones too. An edit leaves no row of its own that could be
 * counted, so the counter stands with those of the logins, where every process sees it.
 * @throws TooMany with the seconds to wait
 */
export async function countChange(userId: number): Promise<void> {
	const { times, seconds } = limits.changing
	const limiter = new RateLimiterPostgres({
		storeClient: pool(),
		tableName: 'rate_limits',
		tableCreated: true,
		keyPrefix: 'chat:change',
		clearExpiredByTimeout: false,
		points: times,
		duration: seconds,
	})
	try {
		await countUp(limiter, String(userId))
	} catch (refusal) {
		if (!(refusal instanceof RateLimiterRes)) throw refusal
		const wait = Math.ceil(refusal.msBeforeNext / 1_000)
		throw new TooMany(`You changed many messages in a short time. Try again in ${wait} s.`, wait)
	}
}
