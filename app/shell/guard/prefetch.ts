import { matchRoutes } from 'react-router'
import { PREFETCH_HEADER } from '~/lib/page-handle.ts'
import { beginStoring, expectPage, isStored, mayRevisit } from './visited-pages.ts'

/** Milliseconds that a pointer rests on a link before its page is prefetched; passing over it is faster. */
const REST_MS = 80
/** Pages prefetched per minute: each counts towards the reader's rate limit. */
const MAX_PER_MINUTE = 20

let planned: ReturnType<typeof setTimeout> | undefined
let asked: number[] = []

/**
 * Prefetches the page of a link that is hovered, touched or focused. Only for pages to read, and not for readers who save data.
 * Call it once.
 * @param read returns a complete response of this site, and throws for any other
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
	// A link that is opened sooner loads its page itself.
	document.addEventListener('click', () => clearTimeout(planned), { capture: true })
}

async function prefetch(link: HTMLAnchorElement, read: (answer: Response) => Promise<Response>): Promise<void> {
	const { origin, pathname, search } = link
	const isElsewhere = origin !== location.origin || link.target !== '' || link.hasAttribute('download')
	if (isElsewhere || (pathname === location.pathname && search === location.search) || savesData()) return
	const url = await dataOf(pathname, search)
	if (!url || isStored(url) || !mayAsk()) return
	const store = beginStoring(url)
	// A string instead of a URL marks it as no request of React Router, so it is not retried.
	const asking = fetch(url.href, { headers: { [PREFETCH_HEADER]: '1' }, priority: 'low' })
		.then(read)
		.then(store)
	expectPage(url, asking)
}

/** The address that React Router requests to open a page; null for a page that is not shown from memory. */
async function dataOf(pathname: string, search: string): Promise<URL | null> {
	const matches = matchRoutes(window.__reactRouterDataRouter.routes, pathname) ?? []
	const entries = matches.flatMap(({ route }) => window.__reactRouterManifest.routes[route.id] ?? [])
	const leaf = entries.at(-1)
	if (!leaf?.hasLoader || !(await mayRevisit(leaf.id))) return null
	const url = new URL(`${pathname === '/' ? '/_' : pathname}.data${search}`, location.origin)
	// The root is reloaded by forms only.
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
