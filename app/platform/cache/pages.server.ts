import { config, isOneOfSeveral } from '~/config.server.ts'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import { openBus, publish } from '~/platform/bus/bus.server.ts'
import { DataCache, PageCache } from './page-cache.ts'

/** The channel on which processes tell each other which pages to drop. */
const channel = 'devquad_pages'

/** Milliseconds a page is shown without being made again: what no tag tells of, such as who is online, is that old at most. */
const maxAge = 60_000

/** The pages that this process keeps for visitors. */
export const pageCache = remember(
	'pages',
	() => new PageCache({ maxBytes: config().PAGE_CACHE_MB * 1024 * 1024, maxAge }),
)

/** Bytes of rows that are kept, of about 15 KB for the first page of a list. */
const MAX_DATA_BYTES = 8 * 1024 * 1024

/**
 * What members' pages have in common, as rows. In development and in tests everything is read again; so it is where other processes
 * write too, as a member may be answered by another one before it hears of what they wrote.
 */
const dataCache = remember('data', () => {
	const { NODE_ENV, PAGE_CACHE_MB } = config()
	const keeps = NODE_ENV === 'production' && PAGE_CACHE_MB > 0 && !isOneOfSeveral()
	return new DataCache(keeps ? MAX_DATA_BYTES : 0, maxAge)
})

/**
 * Rows that are the same for everybody who may see them, read once until one of their tags is dropped. They are frozen, as others
 * get the same ones. What depends on the viewer never goes in here; it is laid over what comes out.
 * @param key names what is read, with everything that it depends on
 * @param tags besides {@link everyPage}, as of a page that shows these rows
 * @param read reads them from the database; what is undefined is not kept
 * @param tagsOf further tags, which are known only of what was read
 * @throws whatever `read` throws
 */
export function sharedData<Value>(
	key: string,
	tags: readonly string[],
	read: () => Promise<Value>,
	tagsOf?: (value: Value) => readonly string[],
): Promise<Value> {
	return dataCache.read(key, [everyPage, ...tags], read, tagsOf)
}

/** Every page has this tag: for what may stand anywhere, such as a member's name. */
export const everyPage = 'page'

/** The pages that list what members wrote, the home page among them. */
export const LIST_PAGES = 'lists'

/**
 * Drops the pages that show something of this kind, here at once and in the other processes as soon as PostgreSQL has told
 * them. Call it after the commit. It never throws: what others were not told of, they forget within a minute.
 */
export async function dropPages(tags: readonly string[]): Promise<void> {
	dropPagesHere(tags)
	try {
		await publish(channel, tags.join(' '))
	} catch (error) {
		log.warn({ err: error }, 'other processes could not be told which pages to drop')
	}
}

/**
 * Listens to what other processes drop. While that is impossible nothing is kept, so no page is older than its content.
 * @returns what stops listening
 */
export function listenForDrops(): Promise<() => Promise<void>> {
	return openBus(channel, {
		onMessage: (text) => dropPagesHere(text.split(' ')),
		onLost: () => {
			pageCache.close()
			dataCache.close()
		},
		onBack: () => {
			pageCache.reopen()
			dataCache.reopen()
		},
	})
}

/** As {@link dropPages}, in this process alone: for what every process learns by itself. */
export function dropPagesHere(tags: readonly string[]): void {
	pageCache.drop(tags)
	dataCache.drop(tags)
}
