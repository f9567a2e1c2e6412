import {
	type RateLimiterAbstract,
	RateLimiterMemory,
	RateLimiterPostgres,
	RateLimiterRedis,
	RateLimiterRes,
} from 'rate-limiter-flexible'
import { config, hasSeveralProcesses } from '~/config.server.ts'
import { TooManyRequests } from '~/lib/errors.ts'
import { networkOf } from '~/lib/networks.server.ts'
import { remember } from '~/lib/remember.ts'
import { hashToken } from '~/lib/secrets.server.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { redis } from '~/platform/bus/redis.server.ts'
import { db, type Executor, pool } from '~/platform/db/db.server.ts'
import { attemptLimits, type UseLimit, usageLimits } from './limits.server.ts'
import {
	deleteAttempts,
	lockLastAttempt,
	readAttempts,
	refundAttempt,
	secondsToWait,
	takeBackAttempts,
	tryToCount,
} from './rate-limits.queries.server.ts'

type AnyUse = keyof typeof usageLimits

/** Limits of reading or writing with an error message of their own. */
export type UseName = { [Name in AnyUse]: (typeof usageLimits)[Name] extends { words: string } ? Name : never }[AnyUse]

/** The state of a limit. */
export interface Quota {
	/** Uses within the window. */
	limit: number
	/** The minimum that is left. */
	left: number
	/** Whole seconds until the window ends. */
	reset: number
	exceeded: boolean
}

/** Uses taken from a shared counter that this process has not used up. */
interface Block {
	left: number
	/** What was left in the shared counter. */
	others: number
	/** On the monotonic clock, in milliseconds. */
	until: number
}

/** Tolerated difference between the clocks of nodes, in milliseconds. */
const CLOCK_TOLERANCE_MS = 60_000
const MAX_BLOCKS = 10_000
const memory = remember('rate-limits', () => ({
	limiters: new Map<string, RateLimiterMemory>(),
	blocks: new Map<string, Block>(),
	/** Requests for a block in progress. */
	taking: new Map<string, Promise<RateLimiterRes>>(),
}))

/**
 * Counts a use of the member, or of the address for visitors.
 * @param address of the request; visitors without one are not counted
 * @throws TooManyRequests with the seconds to wait
 */
export async function countUse(name: UseName, viewer: Viewer, address = ''): Promise<void> {
	const { exceeded, reset } = await measureUse(name, viewer, address)
	if (!exceeded) return
	// In minutes at least.
	const pause = inWords(Math.max(reset, 60), minutes)
	throw new TooManyRequests(`${usageLimits[name].words} in a short time. Wait ${pause}, then try again.`, reset)
}

/** Pictures and background requests of tabs are not pages: one page may cause dozens of them. */
const noPage = /^\/?(?:media|suggest)\/|\/(?:wire|latest)$/
/** This machine, or a proxy that TRUST_PROXY does not name: not the address of a visitor. */
const ownMachine = /^(?:127\.|::1$|::ffff:127\.)/

/** Counts a rendered page. @param pattern of its route, as anybody can choose an address @throws TooManyRequests */
export async function countPage(viewer: Viewer, address: string, pattern: string): Promise<void> {
	if (noPage.test(pattern) || (!viewer && ownMachine.test(address))) return
	await countUse('pages', viewer, address)
}

/**
 * Counts a use as {@link countUse} does, for features that word the error themselves or report what is left.
 * @returns what is left, and whether the limit is exceeded
 */
export async function measureUse(name: AnyUse, viewer: Viewer, address = ''): Promise<Quota> {
	const rule: UseLimit = usageLimits[name]
	const limit = viewer ? rule.member : rule.address
	const key = viewer ? String(viewer.id) : networkOf(address)
	if (limit === null || key === '') return { limit: 0, left: 0, reset: 0, exceeded: false }
	const size = viewer ? blockSize(rule) : 1
	const count = async () =>
		countUp(await limiterOf(`rate:${name}:${viewer ? 'member' : 'address'}`, rule, limit), key, size)
	return size > 1 ? takeOfBlock(`${name}:${key}`, limit, { size, count }) : quotaOf(await count(), limit)
}

/** The quota after a use; `others` are unused uses of the same block. */
function quotaOf({ consumedPoints, remainingPoints, msBeforeNext }: RateLimiterRes, limit: number, others = 0): Quota {
	const exceeded = consumedPoints > limit
	return { limit, left: exceeded ? 0 : remainingPoints + others, reset: wholeSeconds(msBeforeNext), exceeded }
}

function wholeSeconds(milliseconds: number): number {
	return Math.max(1, Math.ceil(milliseconds / 1_000))
}

/** With several processes, blocks would make the reported remainder too low. */
function blockSize({ block = 1, counted }: UseLimit): number {
	return counted === 'redis' && hasSeveralProcesses() ? 1 : block
}

/** Takes a use from this process's block. If it is used up, one request for a new block serves all callers. */
async function takeOfBlock(
	key: string,
	limit: number,
	{ size, count }: { size: number; count: () => Promise<RateLimiterRes> },
): Promise<Quota> {
	for (;;) {
		const block = memory.blocks.get(key)
		const now = performance.now()
		if (block && block.left > 0 && now < block.until) {
			block.left -= 1
			return { limit, left: block.left + block.others, reset: wholeSeconds(block.until - now), exceeded: false }
		}
		const others = memory.taking.get(key)
		if (!others) break
		await others.catch(() => {})
	}
	const taking = count()
	memory.taking.set(key, taking)
	try {
		const taken = await taking
		const quota = quotaOf(taken, limit, size - 1)
		if (!quota.exceeded) {
			if (memory.blocks.size >= MAX_BLOCKS) memory.blocks.clear()
			const until = performance.now() + taken.msBeforeNext
			memory.blocks.set(key, { left: size - 1, others: taken.remainingPoints, until })
		}
		return quota
	} finally {
		memory.taking.delete(key)
	}
}

/**
 * Adds to a counter. If it ends later than a whole window from now, the clock was set back, and the counter is reset.
 * @throws Error if the store fails
 */
async function countUp(limiter: RateLimiterAbstract, key: string, points: number): Promise<RateLimiterRes> {
	const consume = () =>
		limiter.consume(key, points).catch((refusal: unknown) => {
			if (refusal instanceof RateLimiterRes) return refusal
			throw refusal
		})
	const outcome = await consume()
	if (outcome.msBeforeNext <= limiter.duration * 1_000 + CLOCK_TOLERANCE_MS) return outcome
	await limiter.delete(key)
	return consume()
}

async function limiterOf(
	keyPrefix: string,
	{ counted, duration }: UseLimit,
	points: number,
): Promise<RateLimiterAbstract> {
	if (counted === 'process') {
		const limiter = memory.limiters.get(keyPrefix) ?? new RateLimiterMemory({ keyPrefix, points, duration })
		memory.limiters.set(keyPrefix, limiter)
		return limiter
	}
	const stored = new RateLimiterPostgres({
		storeClient: pool(),
		tableName: 'rate_limits',
		tableCreated: true,
		keyPrefix,
		clearExpiredByTimeout: false,
		points,
		duration,
	})
	const { REDIS_URL, publicUrl } = config()
	if (counted === 'database' || !REDIS_URL) return stored
	return new RateLimiterRedis({
		storeClient: await redis(REDIS_URL),
		rejectIfRedisNotReady: true,
		keyPrefix: `${publicUrl} ${keyPrefix}`,
		// While Redis is unavailable PostgreSQL counts, from zero.
		insuranceLimiter: stored,
		points,
		duration,
	})
}

export type AttemptName = keyof typeof attemptLimits

/** What an attempt is counted for: limits, each with an account, device, address or network. */
export type AttemptCounters = readonly (readonly [AttemptName, string])[]

/**
 * Counts an attempt before it is checked. A refused attempt is not counted, so that waiting is not prolonged. The counters are in
 * PostgreSQL, so they survive restarts and hold for all processes, and concurrent attempts cannot exceed a limit.
 * @param check further checks in the same transaction; if it throws, the attempt is not counted
 * @throws TooManyRequests with the seconds to wait
 */
export async function countAttempt(
	counters: AttemptCounters,
	check: (trx: Executor) => Promise<void> = async () => {},
): Promise<void> {
	await db()
		.transaction()
		.execute(async (trx) => {
			for (const [name, about] of counters) await countOne(trx, name, about)
			await check(trx)
		})
}

/**
 * Counts an attempt as {@link countAttempt} does, while another server decides it, so that the attempt may turn out undecidable. Until then
 * it counts, so that concurrent attempts cannot exceed the limit.
 * @returns a function that takes the attempt and its wait back
 * @throws TooManyRequests with the seconds to wait
 */
export async function reserveAttempt(counters: AttemptCounters): Promise<() => Promise<void>> {
	const taken = await db()
		.transaction()
		.execute(async (trx) => {
			const each: Parameters<typeof refundAttempt>[1][] = []
			for (const [name, about] of counters) {
				const key = keyOf(name, about)
				const before = await lockLastAttempt(trx, key)
				await countOne(trx, name, about)
				each.push({ key, before, at: await lockLastAttempt(trx, key) })
			}
			return each
		})
	return () =>
		db()
			.transaction()
			.execute(async (trx) => {
				for (const one of taken) await refundAttempt(trx, one)
			})
}

async function countOne(trx: Executor, name: AttemptName, about: string): Promise<void> {
	const key = keyOf(name, about)
	if (await tryToCount(trx, key, attemptLimits[name])) return
	const seconds = await secondsToWait(trx, key, attemptLimits[name])
	throw new TooManyRequests(waitMessage(seconds), seconds)
}

/** The number of attempts for each of these. */
export async function getAttemptCounts(counters: AttemptCounters, executor: Executor = db()): Promise<number[]> {
	const asked = counters.map(([name, about]) => ({
		key: keyOf(name, about),
		seconds: attemptLimits[name].forgottenAfter,
	}))
	const counts = await readAttempts(asked, executor)
	return asked.map(({ key }) => counts.get(key) ?? 0)
}

/** Resets these counters, after an identity was proved. */
export async function resetAttempts(counters: AttemptCounters): Promise<void> {
	await deleteAttempts(counters.map(([name, about]) => keyOf(name, about)))
}

/** Takes one attempt back from each of these counters after a success. */
export async function takeBackAttempt(counters: AttemptCounters): Promise<void> {
	await takeBackAttempts(counters.map(([name, about]) => keyOf(name, about)))
}

/** A hash, so that any input fits the column, and the table contains no addresses. */
function keyOf(name: AttemptName, about: string): string {
	return `${name}:${hashToken(about)}`
}

const minutes = [60, 'a minute', 'minutes'] as const
const units = [[86_400, 'a day', 'days'], [3_600, 'an hour', 'hours'], minutes] as const

function waitMessage(seconds: number): string {
	return `Too many attempts. Wait ${inWords(seconds, [1, 'a second', 'seconds'])}, then try again.`
}

/** A wait, rounded up, in the largest unit of which it has more than one and a half. @param smallest the unit of shorter ones */
function inWords(seconds: number, smallest: readonly [size: number, one: string, many: string]): string {
	const [size, one, many] = units.find(([length]) => seconds > length * 1.5) ?? smallest
	const count = Math.ceil(seconds / size)
	return count === 1 ? one : `${count} ${many}`
}
