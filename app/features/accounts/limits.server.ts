import { RateLimiterPostgres, type RateLimiterRes } from 'rate-limiter-flexible'
import { pool } from '~/db/db.server.ts'
import { TooMany } from '~/lib/errors.ts'

/** What is limited: at most `points` in `duration` seconds for one account and, separately, for one address. */
const rules = {
	login: { account: { points: 5, duration: 300 }, address: { points: 50, duration: 3_600 } },
	register: { account: { points: 5, duration: 3_600 }, address: { points: 20, duration: 3_600 } },
	reset: { account: { points: 3, duration: 3_600 }, address: { points: 20, duration: 3_600 } },
} as const

type Rule = keyof typeof rules
type Kind = 'account' | 'address'

/**
 * Counts an attempt before it is looked at, for the account it names and for the address it comes from.
 * The counters live in PostgreSQL, so a restart or a second process forgets nothing.
 * @throws TooMany with the seconds to wait
 */
export async function countAttempt(rule: Rule, account: string, address: string): Promise<void> {
	for (const [kind, key] of [['address', address], ['account', account]] as const) {
		const outcome = await limiter(rule, kind)
			.consume(key.slice(0, 200))
			.then(() => null, (refusal: RateLimiterRes | Error) => refusal)
		if (outcome instanceof Error) throw outcome
		if (outcome) throw new TooMany(pause(outcome.msBeforeNext / 1_000), outcome.msBeforeNext / 1_000)
	}
}

/** Forgets an account's attempts once it has proven who it is. */
export async function clearAttempts(rule: Rule, account: string): Promise<void> {
	await limiter(rule, 'account').delete(account.slice(0, 200))
}

function limiter(rule: Rule, kind: Kind): RateLimiterPostgres {
	return new RateLimiterPostgres({ storeClient: pool(), tableName: 'rate_limits', tableCreated: true, keyPrefix: `${rule}:${kind}`, clearExpiredByTimeout: false, ...rules[rule][kind] })
}

function pause(seconds: number): string {
	const minutes = Math.ceil(seconds / 60)
	return `Too many tries. Wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`}, then try again. [TOO_MANY_TRIES]`
}
