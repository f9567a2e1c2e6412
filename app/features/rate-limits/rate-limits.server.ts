import { isIPv6 } from 'node:net'
import {
	type RateLimiterAbstract,
	RateLimiterMemory,
	RateLimiterPostgres,
	RateLimiterRedis,
	RateLimiterRes,
} from 'rate-limiter-flexible'
import { config, isOneOfSeveral } from '~/config.server.ts'
import { TooMany } from '~/lib/errors.ts'
import { remember } from '~/lib/remember.ts'
import { hashToken } from '~/lib/secrets.server.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { redis } from '~/platform/bus/redis.server.ts'
import { db, type Executor, pool } from '~/platform/db/db.server.ts'
import { attemptLimits, type UseLimit, useLimits } from './limits.server.ts'
import {
	deleteAttempts,
	lockLastAttempt,
	readAttempts,
	refund,
	takeBackAttempts,
	tryToCount,
	waitLeft,
} from './rate-limits.queries.server.ts'

type AnyUse = keyof typeof useLimits

/** A limit of reading or saving whose refusal is worded here. */
export type UseName = { [Name in AnyUse]: (typeof useLimits)[Name] extends { words: string } ? Name : never }[AnyUse]

/** What was counted. */
export interface Quota {
	/** Uses within the duration of the limit. */
	limit: number
	/** How many are left at least. */
	left: number
	/** Whole seconds until everything is allowed again. */
	reset: number
	exceeded: boolean
}

/** Uses that this process took from a counter of the site and did not count yet. */
interface Block {
	left: number
	/** What was left in the counter besides. */
	others: number
	/** Of the clock that only goes forward, in milliseconds. */
	until: number
}

/** Clocks of nodes may differ by this much, in milliseconds. */
const CLOCK_TOLERANCE_MS = 60_000
const MAX_BLOCKS = 10_000
const memory = remember('rate-limits', () => ({
	limiters: new Map<string, RateLimiterMemory>(),
	blocks: new Map<string, Block>(),
	/** Blocks that are being taken. */
	taking: new Map<string, Promise<RateLimiterRes>>(),
}))

/**
 * Counts one use, of the member where there is one, else of the address.
 * @param address where the request comes from; without one a visitor is not counted
 * @throws TooMany with the seconds to wait
 */
export async function countUse(name: UseName, viewer: Viewer, address = ''): Promise<void> {
	const { exceeded, reset } = await measureUse(name, viewer, address)
	if (!exceeded) return
	const minutes = Math.ceil(reset / 60)
	const pause = minutes <= 1 ? 'a minute' : `${minutes} minutes`
	throw new TooMany(`${useLimits[name].words} in a short time. Wait ${pause}, then try again.`, reset)
}

/** Pictures and what tabs ask by themselves are no pages: one page may ask for dozens of them. */
const noPage = /^\/(?:media|suggest)\/|\/(?:wire|latest)$/
/** The machine that the site runs on, and everybody behind a proxy that TRUST_PROXY does not name: no address of anyone. */
const ownMachine = /^(?:127\.|::1$|::ffff:127\.)/

/** Counts a page that is made for this request. @param path of its address @throws TooMany */
export async function countPage(viewer: Viewer, address: string, path: string): Promise<void> {
	if (noPage.test(path) || (!viewer && ownMachine.test(address))) return
	await countUse('pages', viewer, address)
}

/**
 * Counts one use as {@link countUse} does, for a feature that words the refusal itself or tells what is left.
 * @returns what is left, and whether this one is too many
 */
export async function measureUse(name: AnyUse, viewer: Viewer, address = ''): Promise<Quota> {
	const rule: UseLimit = useLimits[name]
	const limit = viewer ? rule.member : rule.address
	const key = viewer ? String(viewer.id) : network(address)
	if (limit === null || key === '') return { limit: 0, left: 0, reset: 0, exceeded: false }
	const size = viewer ? blockSize(rule) : 1
	const count = () => countUp(limiterOf(`rate:${name}:${viewer ? 'member' : 'address'}`, rule, limit), key, size)
	return size > 1 ? takeOfBlock(`${name}:${key}`, limit, { size, count }) : quotaOf(await count(), limit)
}

/** What a counter says of the last of these uses; `others` of the same block are not used yet. */
function quotaOf({ consumedPoints, remainingPoints, msBeforeNext }: RateLimiterRes, limit: number, others = 0): Quota {
	const exceeded = consumedPoints > limit
	return { limit, left: exceeded ? 0 : remainingPoints + others, reset: wholeSeconds(msBeforeNext), exceeded }
}

function wholeSeconds(milliseconds: number): number {
	return Math.max(1, Math.ceil(milliseconds / 1_000))
}

/** Where several processes count in one Redis, blocks would have each of them tell less than is left. */
function blockSize({ block = 1, counted }: UseLimit): number {
	return counted === 'redis' && isOneOfSeveral() ? 1 : block
}

/** One use of the block that this process has. Where it has none it takes one, for whoever else comes meanwhile, too. */
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
 * Counts so many more in a counter. One that ends later than a whole stretch from now was begun before the machine's clock was set
 * back: it counts for nothing, and begins again.
 * @throws Error when it cannot be counted
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

function limiterOf(keyPrefix: string, { counted, duration }: UseLimit, points: number): RateLimiterAbstract {
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
		storeClient: redis(REDIS_URL),
		rejectIfRedisNotReady: true,
		keyPrefix: `${publicUrl} ${keyPrefix}`,
		// While Redis is away PostgreSQL counts, from nothing.
		insuranceLimiter: stored,
		points,
		duration,
	})
}

export type AttemptName = keyof typeof attemptLimits

/** What an attempt is counted for: a limit, and the account, device, address or network that it is about. */
export type AttemptCounters = readonly (readonly [AttemptName, string])[]

/**
 * Counts an attempt before it is looked at. One that is refused counts nowhere, so that whoever waits is not slowed further.
 * The counters live in PostgreSQL: a restart or another process forgets nothing, and of many at once no more pass than of
 * one after the other.
 * @param check looks at what is counted with this one; whatever it throws, the attempt counts nowhere
 * @throws TooMany with the seconds to wait
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
 * Counts an attempt as {@link countAttempt} does, for one that perhaps cannot be looked at, as it is somebody else who looks. Until that is
 * known it counts, so that no more pass at once.
 * @returns what makes it uncounted: the wait after it, too
 * @throws TooMany with the seconds to wait
 */
export async function reserveAttempt(counters: AttemptCounters): Promise<() => Promise<void>> {
	const taken = await db()
		.transaction()
		.execute(async (trx) => {
			const each: Parameters<typeof refund>[1][] = []
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
				for (const one of taken) await refund(trx, one)
			})
}

async function countOne(trx: Executor, name: AttemptName, about: string): Promise<void> {
	const key = keyOf(name, about)
	if (await tryToCount(trx, key, attemptLimits[name])) return
	const seconds = await waitLeft(trx, key, attemptLimits[name])
	throw new TooMany(waitMessage(seconds), seconds)
}

/** How many attempts each of these has counted, within what is counted together. */
export async function countedAttempts(counters: AttemptCounters, executor: Executor = db()): Promise<number[]> {
	const asked = counters.map(([name, about]) => ({
		key: keyOf(name, about),
		seconds: attemptLimits[name].forgottenAfter,
	}))
	const counts = await readAttempts(asked, executor)
	return asked.map(({ key }) => counts.get(key) ?? 0)
}

/** Deletes what was counted for these, once somebody has proven who they are. */
export async function resetAttempts(counters: AttemptCounters): Promise<void> {
	await deleteAttempts(counters.map(([name, about]) => keyOf(name, about)))
}

/** Takes one attempt back from each of these: it succeeded. */
export async function takeBackAttempt(counters: AttemptCounters): Promise<void> {
	await takeBackAttempts(counters.map(([name, about]) => keyOf(name, about)))
}

/** Whatever was typed fits the column, also what PostgreSQL takes for no text; and the table lists no addresses. */
function keyOf(name: AttemptName, about: string): string {
	return `${name}:${hashToken(about)}`
}

const units = [
	[86_400, 'a day', 'days'],
	[3_600, 'an hour', 'hours'],
	[60, 'a minute', 'minutes'],
] as const

function waitMessage(seconds: number): string {
	// From one and a half of a unit on the wait is given in it, rounded up: never shorter than it is.
	const [size, one, many] = units.find(([length]) => seconds > length * 1.5) ?? [1, 'a second', 'seconds']
	const count = Math.ceil(seconds / size)
	return `Too many attempts. Wait ${count === 1 ? one : `${count} ${many}`}, then try again.`
}

/**
 * What stands for the holder of an address: of IPv6 the first 64 bits, as one reader commands all addresses that share them.
 * IPv4 written as IPv6 (`::ffff:192.0.2.1`) is IPv4.
 */
export function network(address: string): string {
	const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
	if (mapped) return mapped
	return isIPv6(address) ? prefixOf(address, 4) : address
}

/** The network round an address, for a looser limit: of IPv6 the first 48 bits, a usual customer's; of IPv4 the first 24. */
export function wideNetwork(address: string): string {
	const holder = network(address)
	if (isIPv6(address) && holder.includes(':')) return prefixOf(address, 3)
	return /^\d+\.\d+\.\d+\.\d+$/.test(holder) ? `${holder.replace(/\.\d+$/, '.0')}/24` : holder
}

/** The first groups of 16 bits of an IPv6 address, with the length of the prefix. */
function prefixOf(address: string, groups: number): string {
	const [head = '', tail = ''] = address.split('%')[0]?.toLowerCase().split('::') ?? []
	const first = head.split(':').filter(Boolean)
	const last = tail.split(':').filter(Boolean)
	const gap = address.includes('::') ? 8 - first.length - last.length : 0
	const all = [...first, ...Array<string>(Math.max(0, gap)).fill('0'), ...last]
	return `${all
		.slice(0, groups)
		.map((group) => group.replace(/^0+(?=.)/, ''))
		.join(':')}::/${groups * 16}`
}
