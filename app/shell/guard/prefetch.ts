import { matchRoutes } from 'react-router'
import { PREFETCH_HEADER } from '~/lib/page-handle.ts'
import { expectPage, isStored, mayRevisit, storing } from './visited-pages.ts'

/** How long a pointer rests on a link before its page is asked for; whoever only passes over it rests for less. */
const REST_MS = 80
/** Pages asked for ahead in a minute: each counts towards its reader's limit. */
const MAX_PER_MINUTE = 20

let planned: ReturnType<typeof setTimeout> | undefined
let asked: number[] = []

/**
 * Asks ahead for the page whose link a pointer rests on, a finger touches or the focus is on. Pages that are no reading, and readers
 * who save data, are left alone. Called once.
 * @param read passes on an answer of this site that is whole, and throws for any other
 */
export function prefetchLinks(read: (answer: Response) => Promise<Response>): void {
	const plan = ({ target }: Event, wait: number) => {
		clearTimeout(planned)
		const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href]') : null
		if (link) planned = setTimeout(() => void prefetch(link, read).catch(() => {}), wait)
	}
	document.addEventListener('pointerover', (event) => plan(event, REST_MS), { passive: true })
	document.addEventListener('touchstart', (event) => plan(event, 0), { passive: true })
	document.addEventListener('focusin', (event) => plan(event, REST_MS))
}

async function prefetch(link: HTMLAnchorElement, read: (answer: Response) => Promise<Response>): Promise<void> {
	const { origin, pathname, search } = link
	const isElsewhere = origin !== location.origin || link.target !== '' || link.hasAttribute('download')
	if (isElsewhere || (pathname === location.pathname && search === location.search) || savesData()) return
	const url = await dataOf(pathname, search)
	if (!url || isStored(url) || !mayAsk()) return
	const store = storing(url)
	// What is no object of URL is no request of React Router, and not tried again.
	const asking = fetch(url.href, { headers: { [PREFETCH_HEADER]: '1' }, priority: 'low' })
		.then(read)
		.then(store)
	expectPage(url, asking)
}

/** The address that React Router asks for when it opens a page; null for a page that is not shown from what was stored. */
async function dataOf(pathname: string, search: string): Promise<URL | null> {
	const matches = matchRoutes(window.__reactRouterDataRouter.routes, pathname) ?? []
	const entries = matches.flatMap(({ route }) => window.__reactRouterManifest.routes[route.id] ?? [])
	const leaf = entries.at(-1)
	if (!leaf?.hasLoader || !(await mayRevisit(leaf.id))) return null
	const url = new URL(`${pathname === '/' ? '/_' : pathname}.data${search}`, location.origin)
	// The root is asked again by forms alone.
	const asked = entries.filter(({ id, hasLoader }) => hasLoader && id !== 'root').map(({ id }) => id)
	url.searchParams.set('_routes', asked.join(','))
	return url
}

function savesData(): boolean {
	return (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true
}

function mayAsk(): boolean {
	const now = Date.now()
	asked = asked.filter((at) => now - at < 60_000)
	if (asked.length >= MAX_PER_MINUTE) return false
	asked.push(now)
	return true
}
