import { describe, expect, test } from 'vitest'
import { type CacheEntry, PageCache } from './page-cache.ts'

const page = (size = 100, status = 200): CacheEntry => ({
	status,
	headers: [],
	etag: 'W/"x"',
	shows: [],
	br: Buffer.alloc(size),
})

/** A page whose loading ends with a call of `done` or `fail`. */
function slowLoad() {
	const { promise, resolve, reject } = Promise.withResolvers<CacheEntry>()
	let loads = 0
	const load = () => {
		loads += 1
		return promise
	}
	return { load, done: resolve, fail: reject, loads: () => loads }
}

function cache(maxBytes = 1_000_000, now?: () => number): PageCache {
	return new PageCache({ maxBytes, maxAge: 60_000, ...(now && { now }) })
}

test('a page is rendered once and then served from the cache', async () => {
	const pages = cache()
	const first = await pages.fill('a', ['t'], async () => page())
	const second = await pages.fill('a', ['t'], async () => page())
	expect(second).toBe(first)
	expect(pages.get('a')).toBe(first)
})

test('a hundred concurrent misses share one load', async () => {
	const pages = cache()
	const { load, done, loads } = slowLoad()
	const answers = Array.from({ length: 100 }, () => pages.fill('a', ['t'], load))
	done(page())
	expect(new Set(await Promise.all(answers)).size).toBe(1)
	expect(loads()).toBe(1)
})

test('a failed load rejects for all that wait, and the next request loads again', async () => {
	const pages = cache()
	const { load, fail } = slowLoad()
	const answers = [pages.fill('a', ['t'], load), pages.fill('a', ['t'], load)]
	fail(new Error('the database is away'))
	for (const answer of answers) await expect(answer).rejects.toThrow('away')
	expect((await pages.fill('a', ['t'], async () => page())).status).toBe(200)
})

test.each([301, 404, 500])('a response with status %i is returned and not stored', async (status) => {
	const pages = cache()
	expect((await pages.fill('a', ['t'], async () => page(100, status))).status).toBe(status)
	expect(pages.get('a')).toBeUndefined()
})

test('a page expires', async () => {
	let now = 0
	const pages = cache(1_000_000, () => now)
	await pages.fill('a', ['t'], async () => page())
	now = 59_999
	expect(pages.get('a')).toBeDefined()
	now = 60_000
	expect(pages.get('a')).toBeUndefined()
})

describe('during an outage', () => {
	test.each<[string, (pages: PageCache, advance: (ms: number) => void) => void, number, boolean]>([
		['an expired page is served', (_pages, advance) => advance(3_600_000), 3_000_000, true],
		['an invalidated page is not', (pages) => pages.invalidate(['t']), 0, false],
		[
			'a page that may have missed an invalidation since the outage began is served',
			(pages, advance) => {
				pages.close()
				advance(60_000)
			},
			60_000,
			true,
		],
		[
			'a page that may have missed an invalidation before the outage is not',
			(pages, advance) => {
				pages.close()
				advance(60_000)
			},
			10_000,
			false,
		],
		[
			'a page that may have missed an invalidation is not, once they are received again',
			(pages) => {
				pages.close()
				pages.reopen()
			},
			0,
			false,
		],
	])('%s', async (_what, act, lasting, isThere) => {
		let now = 0
		const pages = cache(1_000_000, () => now)
		const cached = await pages.fill('a', ['t'], async () => page())
		act(pages, (milliseconds) => {
			now += milliseconds
		})
		expect(pages.getStale('a', lasting)).toBe(isThere ? cached : undefined)
	})

	test('a server error leaves the stale page, and a missing page removes it', async () => {
		let now = 0
		const pages = cache(1_000_000, () => now)
		const cached = await pages.fill('a', ['t'], async () => page())
		now = 60_000
		await pages.fill('a', ['t'], async () => page(100, 503))
		expect(pages.getStale('a', 0)).toBe(cached)
		await pages.fill('a', ['t'], async () => page(100, 404))
		expect(pages.getStale('a', 0)).toBeUndefined()
	})
})

describe('invalidating a tag', () => {
	test('removes the pages with this tag, and no others', async () => {
		const pages = cache()
		await pages.fill('a', ['x', 'y'], async () => page())
		await pages.fill('b', ['y'], async () => page())
		await pages.fill('c', ['z'], async () => page())
		pages.invalidate(['x'])
		expect(['a', 'b', 'c'].map((key) => pages.get(key) !== undefined)).toEqual([false, true, true])
		pages.invalidate(['y', 'z', 'unknown'])
		expect([pages.size, pages.bytes]).toEqual([0, 0])
	})

	test('keeps a load in flight from being stored, and later requests do not join it', async () => {
		const pages = cache()
		const old = slowLoad()
		const early = pages.fill('a', ['x'], old.load)
		pages.invalidate(['x'])
		const fresh = page()
		const late = pages.fill('a', ['x'], async () => fresh)
		const stale = page()
		old.done(stale)
		expect(await early).toBe(stale)
		expect(await late).toBe(fresh)
		expect(pages.get('a')).toBe(fresh)
	})
})

describe('tags found while rendering', () => {
	const shows = (...tags: string[]) => ({ ...page(), shows: tags })
	const tagsOf = ({ shows }: CacheEntry) => shows

	test('invalidate the page as those of its address do', async () => {
		const pages = cache()
		await pages.fill('a', ['x'], async () => shows('y'), tagsOf)
		await pages.fill('b', ['x'], async () => shows('z'), tagsOf)
		pages.invalidate(['y'])
		expect(['a', 'b'].map((key) => pages.get(key) !== undefined)).toEqual([false, true])
		pages.invalidate(['x'])
		expect([pages.size, pages.bytes]).toEqual([0, 0])
	})

	test.each([
		['y', false],
		['z', true],
	])('keep the page from being stored when they were invalidated meanwhile: %s', async (tag, isKept) => {
		const pages = cache()
		const { load, done } = slowLoad()
		const answer = pages.fill('a', ['x'], load, tagsOf)
		pages.invalidate([tag])
		done(shows('y'))
		await answer
		expect(pages.get('a') !== undefined).toBe(isKept)
	})

	test('may be those that were invalidated: later requests do not join a load that began before', async () => {
		const pages = cache()
		const old = slowLoad()
		const early = pages.fill('a', ['x'], old.load, tagsOf)
		pages.invalidate(['y'])
		const fresh = shows('y')
		expect(await pages.fill('a', ['x'], async () => fresh, tagsOf)).toBe(fresh)
		old.done(shows('y'))
		expect(await early).not.toBe(fresh)
		expect(pages.get('a')).toBe(fresh)
	})
})

describe('the size limit', () => {
	test('holds with ten thousand addresses, and the newest stay', async () => {
		const bound = 5_000_000
		const pages = cache(bound)
		for (let number = 0; number < 10_000; number += 1) {
			await pages.fill(`/forum?q=${number}`, ['t', `query:${number}`], async () => page(10_000))
			expect(pages.bytes).toBeLessThanOrEqual(bound)
		}
		expect(pages.size).toBeGreaterThan(400)
		expect(pages.get('/forum?q=9999')).toBeDefined()
		expect(pages.get('/forum?q=0')).toBeUndefined()
		pages.invalidate(['t'])
		expect([pages.size, pages.bytes]).toEqual([0, 0])
	})

	test('evicts pages without a hit first', async () => {
		const pages = cache(25_000)
		for (const key of ['a', 'b', 'c']) await pages.fill(key, ['t'], async () => page(5_000))
		pages.get('a')
		await pages.fill('d', ['t'], async () => page(5_000))
		expect([pages.get('a') !== undefined, pages.get('b') !== undefined]).toEqual([true, false])
	})

	test('includes a second content coding of a page', async () => {
		const pages = cache(20_000)
		await pages.fill('a', ['t'], async () => page(5_000))
		await pages.fill('b', ['t'], async () => page(5_000))
		pages.grow('b', 9_000)
		expect([pages.get('a'), pages.bytes <= 20_000]).toEqual([undefined, true])
	})

	test('keeps a page that exceeds it from being stored', async () => {
		const pages = cache(4_000)
		await pages.fill('a', ['t'], async () => page(5_000))
		expect([pages.size, pages.bytes]).toEqual([0, 0])
	})
})

test('while invalidations may be missed, nothing is stored, not even a load that ends later', async () => {
	const pages = cache()
	await pages.fill('a', ['t'], async () => page())
	pages.close()
	expect(pages.get('a')).toBeUndefined()
	const pending = slowLoad()
	const answer = pages.fill('b', ['t'], pending.load)
	pages.reopen()
	pending.done(page())
	await answer
	expect(pages.get('b')).toBeUndefined()
	await pages.fill('c', ['t'], async () => page())
	expect(pages.get('c')).toBeDefined()
})
