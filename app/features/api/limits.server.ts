import { type RateLimiterAbstract, RateLimiterPostgres, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { config } from '~/config.server.ts'
import { network } from '~/features/rate-limits/attempts.server.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { redis } from '~/platform/bus/redis.server.ts'
import { pool } from '~/platform/db/db.server.ts'
import { countUp } from '~/platform/http/rate-limit.server.ts'

/** Seconds that a limit counts over. */
const window = 60

/**
 * Calls in a minute, of a member with all their tokens and sessions, or of an address that shows neither. A page of ours makes
 * about five; a whole campus may share an address.
 */
export const callRates = {
	read: { member: 600, address: 600 },
	write: { member: 60, address: 60 },
} as const

/** What was counted, for the headers of the answer. */
export interface CallQuota {
	kind: keyof typeof callRates
	limit: number
	left: number
	/** Whole seconds until everything is allowed anew. */
	reset: number
	exceeded: boolean
}

/** Counts a call, together with all other processes. */
export async function countCall(viewer: Viewer, address: string, writes: boolean): Promise<CallQuota> {
	const kind = writes ? 'write' : 'read'
	const who = viewer ? 'member' : 'address'
	const limit = callRates[kind][who]
	const counter = limiter(`api-${kind}:${who}`, limit)
	const outcome = await countUp(counter, viewer ? String(viewer.id) : network(address)).catch(
		(refusal: unknown) => refusal,
	)
	if (!(outcome instanceof RateLimiterRes)) throw outcome
	return {
		kind,
		limit,
		left: Math.max(0, outcome.remainingPoints),
		reset: Math.max(1, Math.ceil(outcome.msBeforeNext / 1_000)),
		exceeded: outcome.consumedPoints > limit,
	}
}

/** The headers of draft-ietf-httpapi-ratelimit-headers-10. */
export function rateHeaders({ kind, limit, left, reset }: CallQuota): Record<string, string> {
	return { 'RateLimit-Policy': `"${kind}";q=${limit};w=${window}`, RateLimit: `"${kind}";r=${left};t=${reset}` }
}

/** Redis counts when there is one, as every call is counted; while it is away PostgreSQL does, from nothing. */
function limiter(name: string, points: number): RateLimiterAbstract {
	const { REDIS_URL, publicUrl } = config()
	const stored = new RateLimiterPostgres({
		storeClient: pool(),
		tableName: 'rate_limits',
		tableCreated: true,
		keyPrefix: name,
		clearExpiredByTimeout: false,
		points,
		duration: window,
	})
	if (!REDIS_URL) return stored
	return new RateLimiterRedis({
		storeClient: redis(REDIS_URL),
		rejectIfRedisNotReady: true,
		keyPrefix: `${publicUrl} ${name}`,
		insuranceLimiter: stored,
		points,
		duration: window,
	})
}
