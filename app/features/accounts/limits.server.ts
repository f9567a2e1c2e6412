import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { RateLimiterPostgres, type RateLimiterRes } from 'rate-limiter-flexible'
import { pool } from '~/db/db.server.ts'
import { TooMany } from '~/lib/errors.ts'
import { countUp } from '~/lib/rate-limit.server.ts'
import { forgetOldAttempts } from './accounts.queries.server.ts'

/**
 * What is limited: at most `points` in `duration` seconds for one account and, separately, for one address. A whole campus may
 * share an address, so logins that succeed are not counted against it, and a lecture hall may register at once.
 */
const rules = {
	login: { account: { points: 5, duration: 300 }, address: { points: 50, duration: 3_600 } },
	register: { account: { points: 5, duration: 3_600 }, address: { points: 100, duration: 3_600 } },
	forgot: { account: { points: 3, duration: 3_600 }, address: { points: 30, duration: 3_600 } },
	reset: { account: { points: 10, duration: 3_600 }, address: { points: 50, duration: 3_600 } },
	/** Mails to a university address: for one member and, separately, to one address. */
	campus: { account: { points: 5, duration: 86_400 }, address: { points: 100, duration: 3_600 } },
} as const

type Rule = keyof typeof rules
type Kind = 'account' | 'address'

/** One in this many attempts sweeps away counters whose time is over. */
const sweepEvery = 100

/**
 * Counts an attempt before it is looked at, for the account it names and for the address it comes from.
 * The counters live in PostgreSQL, so a restart or a second process forgets nothing.
 * @param account what names the account: an e-mail address, or the token of a link
 * @throws TooMany with the seconds to wait
 */
export async function countAttempt(rule: Rule, account: string, address: string): Promise<void> {
	if (Math.random() * sweepEvery < 1) await forgetOldAttempts()
	await count(rule, 'address', network(address))
	await count(rule, 'account', account)
}

/** Forgets an account's attempts once it has proven who it is, and takes one back from the address it came from. */
export async function forgiveAttempts(rule: Rule, account: string, address: string | null): Promise<void> {
	await limiter(rule, 'account').delete(keyOf(account))
	if (address !== null) await limiter(rule, 'address').reward(keyOf(network(address)), 1)
}

/**
 * What stands for the holder of an address: of IPv6 the first 64 bits, as one reader commands all addresses that share them.
 * IPv4 written as IPv6 (`::ffff:192.0.2.1`) is IPv4.
 */
export function network(address: string): string {
	const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
	if (mapped) return mapped
	if (!isIPv6(address)) return address
	const [head = '', tail = ''] = address.split('%')[0]?.toLowerCase().split('::') ?? []
	const first = head.split(':').filter(Boolean)
	const last = tail.split(':').filter(Boolean)
	const gap = address.includes('::') ? 8 - first.length - last.length : 0
	const groups = [...first, ...Array<string>(Math.max(0, gap)).fill('0'), ...last]
	return `${groups
		.slice(0, 4)
		.map((group) => group.replace(/^0+(?=.)/, ''))
		.join(':')}::/64`
}

async function count(rule: Rule, kind: Kind, key: string): Promise<void> {
	const outcome = await countUp(limiter(rule, kind), keyOf(key)).then(
		() => null,
		(refusal: RateLimiterRes | Error) => refusal,
	)
	if (outcome instanceof Error) throw outcome
	if (outcome) throw new TooMany(pause(outcome.msBeforeNext / 1_000), outcome.msBeforeNext / 1_000)
}

/** Whatever was typed fits the column, also what PostgreSQL takes for no text; and the table lists no addresses. */
function keyOf(text: string): string {
	return createHash('sha256').update(text).digest('base64url')
}

function limiter(rule: Rule, kind: Kind): RateLimiterPostgres {
	return new RateLimiterPostgres({
		storeClient: pool(),
		tableName: 'rate_limits',
		tableCreated: true,
		keyPrefix: `${rule}:${kind}`,
		clearExpiredByTimeout: false,
		...rules[rule][kind],
	})
}

function pause(seconds: number): string {
	const minutes = Math.ceil(seconds / 60)
	return `Too many tries. Wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`}, then try again.`
}
