import { config, hasSeveralProcesses } from '~/config.server.ts'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import { openBus, publish } from '~/platform/bus/bus.server.ts'
import { DataCache, PageCache } from './page-cache.ts'

/** The bus channel for invalidations. */
const channel = 'devquad_pages'

/** Milliseconds until a cached page expires. It limits the age of content that no tag covers, such as who is online. */
const MAX_AGE_MS = 60_000

/** The visitors' pages that this process has cached. */
export const pageCache = remember(
	'pages',
	() => new PageCache({ maxBytes: config().PAGE_CACHE_MB * 1024 * 1024, maxAge: MAX_AGE_MS }),
)

/** Maximum bytes of cached rows; the first page of a list takes about 15 KB. */
const MAX_DATA_BYTES = 8 * 1024 * 1024

/**
 * Rows that members' pages have in common. Disabled in development and in tests, and with several processes: a member's next request
 * may reach another process before the invalidation does.
 */
const dataCache = remember('data', () => {
	const { NODE_ENV, PAGE_CACHE_MB } = config()
	const isEnabled = NODE_ENV === 'production' && PAGE_CACHE_MB > 0 && !hasSeveralProcesses()
	return new DataCache(isEnabled ? MAX_DATA_BYTES : 0, MAX_AGE_MS)
})

/**
 * Rows that are the same for everybody who may see them, cached until one of their tags is invalidated. They are frozen, as callers
 * share them. Never cache anything that depends on the viewer; add it to the result instead.
 * @param key identifies the rows, including everything that they depend on
 * @param tags besides {@link ALL_PAGES}, those of a page that shows these rows
 * @param read reads the rows from the database; undefined is not cached
 * @param tagsOf further tags, which are known only once the rows are read
 * @throws whatever `read` throws
 */
export function sharedData<Value>(
	key: string,
	tags: readonly string[],
	read: () => Promise<Value>,
	tagsOf?: (value: Value) => readonly string[],
): Promise<Value> {
	return dataCache.read(key, [ALL_PAGES, ...tags], read, tagsOf)
}

/** Keys of {@link sharedWhenRepeated} that were read once; the oldest one first. */
const readOnce = remember('data read once', () => new Set<string>())
const MAX_READ_ONCE = 1_000

/**
 * As {@link sharedData}, for rows of which most are never read again, such as those of a search: only the second read of a key is cached, as
 * the memory and the time to measure and freeze them would be wasted on the first.
 */
export function sharedWhenRepeated<Value>(
	key: string,
	tags: readonly string[],
	read: () => Promise<Value>,
): Promise<Value> {
	if (readOnce.has(key)) return sharedData(key, tags, read)
	const [oldest] = readOnce
	if (readOnce.size >= MAX_READ_ONCE && oldest !== undefined) readOnce.delete(oldest)
	readOnce.add(key)
	return read()
}

/** The tag of every page, for changes that may affect any of them, such as a member's name. */
export const ALL_PAGES = 'page'

/** The tag of pages that list what members wrote, including the home page. */
export const LIST_PAGES = 'lists'

/** Whether this process alone caches pages of the site. A script caches none, and tells the process that serves the site. */
const caching = remember('caching of pages', () => ({ isAlone: false }))

/**
 * Invalidates the pages with these tags: in this process at once, in the others as soon as the bus delivers it. Call it after the
 * commit. It never throws: a page that misses an invalidation expires within a minute.
 */
export async function invalidatePages(tags: readonly string[]): Promise<void> {
	invalidatePagesHere(tags)
	if (caching.isAlone) return
	try {
		await publish(channel, tags.join(' '))
	} catch (error) {
		log.warn({ err: error }, 'invalidated pages could not be announced to other processes')
	}
}

/**
 * Subscribes to the invalidations of other processes. While the subscription is interrupted nothing is cached, so no page is stale.
 * @returns unsubscribes
 */
export async function listenForInvalidations(): Promise<() => Promise<void>> {
	const stop = await openBus(channel, {
		onMessage: (text) => invalidatePagesHere(text.split(' ')),
		onLost: () => {
			pageCache.close()
			dataCache.close()
		},
		onBack: () => {
			pageCache.reopen()
			dataCache.reopen()
		},
	})
	caching.isAlone = !hasSeveralProcesses()
	return async () => {
		caching.isAlone = false
		await stop()
	}
}

/** As {@link invalidatePages}, in this process only, for changes that every process detects by itself. */
export function invalidatePagesHere(tags: readonly string[]): void {
	pageCache.invalidate(tags)
	dataCache.invalidate(tags)
}
