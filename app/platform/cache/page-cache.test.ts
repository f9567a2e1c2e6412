import { describe, expect, test } from 'vitest'
import { type CacheEntry, PageCache } from './page-cache.ts'

const page = (size = 100, status = 200): CacheEntry => ({
	status,
	headers: [],
	etag: 'W/"x"',
	shows: [],
	br: Buffer.alloc(size),
})

/** A page that is being made until `done` is called. */
function slow() {
	const { promise, resolve, reject } = Promise.withResolvers<CacheEntry>()
	let made = 0
	const make = () => {
		made += 1
		return promise
	}
	return { make, done: resolve, fail: reject, made: () => made }
}

function cache(maxBytes = 1_000_000, now?: () => number): PageCache {
	return new PageCache({ maxBytes, maxAge: 60_000, ...(now && { now }) })
}

test('a page is made once and handed out from then on', async () => {
	const pages = cache()
	const first = await pages.fill('a', ['t'], async () => page())
	const second = await pages.fill('a', ['t'], async () => page())
	expect(second).toBe(first)
	expect(pages.get('a')).toBe(first)
})

test('a hundred requests for a page that is not there make it once', async () => {
	const pages = cache()
	const { make, done, made } = slow()
	const answers = Array.from({ length: 100 }, () => pages.fill('a', ['t'], make))
	done(page())
	expect(new Set(await Promise.all(answers)).size).toBe(1)
	expect(made()).toBe(1)
})

test('a failure reaches everybody who waits, and the next one tries again', async () => {
	const pages = cache()
	const { make, fail } = slow()
	const answers = [pages.fill('a', ['t'], make), pages.fill('a', ['t'], make)]
	fail(new Error('the database is away'))
	for (const answer of answers) await expect(answer).rejects.toThrow('away')
	expect((await pages.fill('a', ['t'], async () => page())).status).toBe(200)
})

test.each([301, 404, 500])('an answer of %i is handed out and not kept', async (status) => {
	const pages = cache()
	expect((await pages.fill('a', ['t'], async () => page(100, status))).status).toBe(status)
	expect(pages.get('a')).toBeUndefined()
})

test('a page is made anew once it is too old', async () => {
	let now = 0
	const pages = cache(1_000_000, () => now)
	await pages.fill('a', ['t'], async () => page())
	now = 59_999
	expect(pages.get('a')).toBeDefined()
	now = 60_000
	expect(pages.get('a')).toBeUndefined()
})

describe('while no page can be made', () => {
	test.each<[string, (pages: PageCache, advance: (ms: number) => void) => void, number, boolean]>([
		['an old page is there', (_pages, advance) => advance(3_600_000), 3_000_000, true],
		['one that was dropped is not', (pages) => pages.drop(['t']), 0, false],
		[
			'one whose drop may be missed since the outage is there',
			(pages, advance) => {
				pages.close()
				advance(60_000)
			},
			60_000,
			true,
		],
		[
			'one whose drop may have been missed before is not',
			(pages, advance) => {
				pages.close()
				advance(60_000)
			},
			10_000,
			false,
		],
		[
			'one that may have changed unheard is not, once drops are heard again',
			(pages) => {
				pages.close()
				pages.reopen()
			},
			0,
			false,
		],
	])('%s', async (_what, happen, lasting, isThere) => {
		let now = 0
		const pages = cache(1_000_000, () => now)
		const kept = await pages.fill('a', ['t'], async () => page())
		happen(pages, (milliseconds) => {
			now += milliseconds
		})
		expect(pages.getStale('a', lasting)).toBe(isThere ? kept : undefined)
	})

	test('a failure leaves the old page, and a page that is gone takes it away', async () => {
		let now = 0
		const pages = cache(1_000_000, () => now)
		const kept = await pages.fill('a', ['t'], async () => page())
		now = 60_000
		await pages.fill('a', ['t'], async () => page(100, 503))
		expect(pages.getStale('a', 0)).toBe(kept)
		await pages.fill('a', ['t'], async () => page(100, 404))
		expect(pages.getStale('a', 0)).toBeUndefined()
	})
})

describe('dropping a tag', () => {
	test('drops the pages that have it, and no others', async () => {
		const pages = cache()
		await pages.fill('a', ['x', 'y'], async () => page())
		await pages.fill('b', ['y'], async () => page())
		await pages.fill('c', ['z'], async () => page())
		pages.drop(['x'])
		expect(['a', 'b', 'c'].map((key) => pages.get(key) !== undefined)).toEqual([false, true, true])
		pages.drop(['y', 'z', 'unknown'])
		expect([pages.size, pages.bytes]).toEqual([0, 0])
	})

	test('has a page that is being made not kept, and nobody who comes later is given it', async () => {
		const pages = cache()
		const old = slow()
		const early = pages.fill('a', ['x'], old.make)
		pages.drop(['x'])
		const fresh = page()
		const late = pages.fill('a', ['x'], async () => fresh)
		const stale = page()
		old.done(stale)
		expect(await early).toBe(stale)
		expect(await late).toBe(fresh)
		expect(pages.get('a')).toBe(fresh)
	})
})

describe('what a page only turns out to show', () => {
	const shows = (...tags: string[]) => ({ ...page(), shows: tags })
	const tagsOf = ({ shows }: CacheEntry) => shows

	test('drops it as what its address tells does', async () => {
		const pages = cache()
		await pages.fill('a', ['x'], async () => shows('y'), tagsOf)
		await pages.fill('b', ['x'], async () => shows('z'), tagsOf)
		pages.drop(['y'])
		expect(['a', 'b'].map((key) => pages.get(key) !== undefined)).toEqual([false, true])
		pages.drop(['x'])
		expect([pages.size, pages.bytes]).toEqual([0, 0])
	})

	test.each([
		['y', false],
		['z', true],
	])('has it not kept when it was dropped meanwhile: %s', async (tag, isKept) => {
		const pages = cache()
		const { make, done } = slow()
		const answer = pages.fill('a', ['x'], make, tagsOf)
		pages.drop([tag])
		done(shows('y'))
		await answer
		expect(pages.get('a') !== undefined).toBe(isKept)
	})

	test('may be what was dropped: nobody who comes later is given a page that was begun before', async () => {
		const pages = cache()
		const old = slow()
		const early = pages.fill('a', ['x'], old.make, tagsOf)
		pages.drop(['y'])
		const fresh = shows('y')
		expect(await pages.fill('a', ['x'], async () => fresh, tagsOf)).toBe(fresh)
		old.done(shows('y'))
		expect(await early).not.toBe(fresh)
		expect(pages.get('a')).toBe(fresh)
	})
})

describe('what it may take', () => {
	test('ten thousand addresses stay within the bound, and the newest are there', async () => {
		const bound = 5_000_000
		const pages = cache(bound)
		for (let number = 0; number < 10_000; number += 1) {
			await pages.fill(`/forum?q=${number}`, ['t', `query:${number}`], async () => page(10_000))
			expect(pages.bytes).toBeLessThanOrEqual(bound)
		}
		expect(pages.size).toBeGreaterThan(400)
		expect(pages.get('/forum?q=9999')).toBeDefined()
		expect(pages.get('/forum?q=0')).toBeUndefined()
		pages.drop(['t'])
		expect([pages.size, pages.bytes]).toEqual([0, 0])
	})

	test('what is read stays longer than what nobody reads', async () => {
		const pages = cache(25_000)
		for (const key of ['a', 'b', 'c']) await pages.fill(key, ['t'], async () => page(5_000))
		pages.get('a')
		await pages.fill('d', ['t'], async () => page(5_000))
		expect([pages.get('a') !== undefined, pages.get('b') !== undefined]).toEqual([true, false])
	})

	test('a page that grows by another coding counts with it', async () => {
		const pages = cache(20_000)
		await pages.fill('a', ['t'], async () => page(5_000))
		await pages.fill('b', ['t'], async () => page(5_000))
		pages.grew('b', 9_000)
		expect([pages.get('a'), pages.bytes <= 20_000]).toEqual([undefined, true])
	})

	test('a page that is larger than everything is handed out and not kept', async () => {
		const pages = cache(4_000)
		await pages.fill('a', ['t'], async () => page(5_000))
		expect([pages.size, pages.bytes]).toEqual([0, 0])
	})
})

test('while drops elsewhere cannot be heard, nothing is kept, nor what was begun then', async () => {
	const pages = cache()
	await pages.fill('a', ['t'], async () => page())
	pages.close()
	expect(pages.get('a')).toBeUndefined()
	const begun = slow()
	const answer = pages.fill('b', ['t'], begun.make)
	pages.reopen()
	begun.done(page())
	await answer
	expect(pages.get('b')).toBeUndefined()
	await pages.fill('c', ['t'], async () => page())
	expect(pages.get('c')).toBeDefined()
})
