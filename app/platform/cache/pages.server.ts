import { config } from '~/config.server.ts'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import { openBus, publish } from '~/platform/bus/bus.server.ts'
import { PageCache } from './page-cache.ts'

/** The channel on which processes tell each other which pages to drop. */
const channel = 'devquad_pages'

/** Milliseconds a page is shown without being made anew: what no tag tells of, such as who is online, is that old at most. */
const maxAge = 60_000

/** The pages that this process keeps for visitors. */
export const pageCache = remember(
	'pages',
	() => new PageCache({ maxBytes: config().PAGE_CACHE_MB * 1024 * 1024, maxAge }),
)

/** Every page has this tag: for what may stand anywhere, such as a member's name. */
export const everyPage = 'page'

/** The pages that list what members wrote, the home page among them. */
export const LIST_PAGES = 'lists'

/**
 * Drops the pages that show something of this kind, here at once and in the other processes as soon as PostgreSQL has told
 * them. Call it after the commit. It never throws: what others were not told of, they forget within a minute.
 */
export async function dropPages(tags: readonly string[]): Promise<void> {
	pageCache.drop(tags)
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
		onMessage: (text) => pageCache.drop(text.split(' ')),
		onLost: () => pageCache.close(),
		onBack: () => pageCache.reopen(),
	})
}
