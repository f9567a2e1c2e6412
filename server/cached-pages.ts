import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { config } from '~/config.server.ts'
import { features } from '~/features/index.server.ts'
import { visitorAddress } from '~/platform/cache/cached-page.ts'
import type { CacheEntry } from '~/platform/cache/page-cache.ts'
import { ALL_PAGES, pageCache } from '~/platform/cache/pages.server.ts'
import { outageDurationMs } from '~/platform/db/db.server.ts'
import { isPersonal, readTheme } from '~/platform/http/cookies.ts'
import { isPrivateSite } from '~/platform/http/site-access.server.ts'
import { counter } from '~/platform/metrics/metrics.server.ts'
import { type Coding, compressBody, negotiateCoding, splitHeader } from './middleware/compress.ts'
import { contentSecurityPolicy, indexingHeaders, policyHeader, securityHeaders } from './middleware/security.ts'
import { notifyCachedRead } from './reads.ts'

const countPage = counter(
	'devquad_page_cache_requests_total',
	'Requests of visitors for pages: from the cache (hit), or rendered (miss).',
	['outcome'],
)

const unbrotli = promisify(brotliDecompress)

/** A page for visitors that may be cached. */
export interface VisitorPage {
	key: string
	/** Path and query of the rendered page, without parameters that it does not read. */
	path: string
	theme: 'light' | 'dark' | 'system'
	/** Its cache tags. */
	tags: string[]
}

/** Renders a page for a visitor. @param nonce of its inline scripts @returns the page, and further cache tags found while rendering */
export type Render = (
	visitorPage: VisitorPage,
	nonce: string,
) => Promise<{ response: Response; now: string; requestId: string; shows: readonly string[] }>

/** The cached pages of all features. */
const cachedPages = features.flatMap((feature) => feature.cachedPages ?? [])

/**
 * The cached page for a visitor's request; null for members and for pages that are not cached.
 * @param url path and query as sent
 */
export function visitorPageOf(
	method: string | undefined,
	url: string,
	cookies: string | undefined,
): VisitorPage | null {
	if (method !== 'GET' && method !== 'HEAD') return null
	if (cookies) return isPersonal(cookies) ? null : read(url, readTheme(cookies))
	const known = knownPages.get(url)
	if (known) return known
	const visitorPage = read(url)
	if (!visitorPage) return null
	if (knownPages.size >= MAX_KNOWN_PAGES) knownPages.clear()
	knownPages.set(url, visitorPage)
	return visitorPage
}

/** Parsed addresses: most visitors ask for the same ones, without a cookie. */
const knownPages = new Map<string, VisitorPage>()
const MAX_KNOWN_PAGES = 1_000

function read(url: string, theme: VisitorPage['theme'] = 'system'): VisitorPage | null {
	const address = visitorAddress(cachedPages, url)
	if (!address) return null
	const { path, tags } = address
	return { key: `${theme} ${path}`, path, theme, tags: [ALL_PAGES, ...tags] }
}

/**
 * Answers Node's request directly from the cache, without the middleware of other requests.
 * @returns whether there was a cached page
 */
export function answerFromCache(request: IncomingMessage, response: ServerResponse): boolean {
	if (isPrivateSite()) return false
	const visitorPage = visitorPageOf(request.method, request.url ?? '', request.headers.cookie)
	const page = visitorPage && (pageCache.get(visitorPage.key) ?? stalePage(visitorPage.key))
	if (!page) return false
	const coding = codingOf(request.headers['accept-encoding'])
	const body = coding === 'br' ? page.br : coding === 'gzip' ? page.gzip : undefined
	if (!body || coding === 'identity') return false
	countPage({ outcome: 'hit' })
	if (page.status === 200) notifyCachedRead(visitorPage.path, request)
	if (isCurrent(request.headers['if-none-match'], page)) response.writeHead(304, unmodifiedHeaders(page).flat()).end()
	else {
		response.writeHead(200, rawHeaders(page, coding, body))
		response.end(request.method === 'HEAD' ? undefined : body)
	}
	return true
}

/** Answers a visitor's request, from the cache or by rendering the page; null when this page is never cached. */
export async function answerVisitor(request: Request, renderPage: Render): Promise<Response | null> {
	const url = new URL(request.url)
	const visitorPage = visitorPageOf(
		request.method,
		url.pathname + url.search,
		request.headers.get('Cookie') ?? undefined,
	)
	if (!visitorPage) return null
	let outcome = 'hit'
	const render = (page: VisitorPage, nonce: string) => {
		outcome = 'miss'
		return renderPage(page, nonce)
	}
	const made =
		stalePage(visitorPage.key) ??
		(await pageCache.fill(
			visitorPage.key,
			visitorPage.tags,
			() => renderEntry(visitorPage, render),
			({ shows }) => shows,
		))
	countPage({ outcome })
	const page = made.status < 500 ? made : (stalePage(visitorPage.key) ?? made)
	if (page.status === 200 && isCurrent(request.headers.get('If-None-Match'), page))
		return new Response(null, { status: 304, headers: unmodifiedHeaders(page) })
	const headers = new Headers(page.headers.map(([name, value]) => [name, value]))
	const coding = negotiateCoding(request.headers.get('Accept-Encoding') ?? '', CACHED_CODINGS)
	if (coding !== 'identity') headers.set('Content-Encoding', coding)
	const body = await bodyIn(coding, page, visitorPage.key)
	headers.set('Content-Length', String(body.length))
	return new Response(request.method === 'HEAD' ? null : new Uint8Array(body), { status: page.status, headers })
}

/** The request for which a cached page would be rendered: without parameters that the page does not declare. */
export function toVisitorRequest(request: Request): Request {
	const url = new URL(request.url)
	const visitorPage = visitorPageOf(
		request.method,
		url.pathname + url.search,
		request.headers.get('Cookie') ?? undefined,
	)
	if (!visitorPage || visitorPage.path === url.pathname + url.search) return request
	return new Request(new URL(visitorPage.path, url), request)
}

/** A stale page, while the database is unavailable and none can be rendered. */
function stalePage(key: string): CacheEntry | undefined {
	const lasting = outageDurationMs()
	return lasting === null ? undefined : pageCache.getStale(key, lasting)
}

async function renderEntry(visitorPage: VisitorPage, render: Render): Promise<CacheEntry> {
	const nonce = randomBytes(16).toString('base64')
	const { response, now, requestId, shows } = await render(visitorPage, nonce)
	const { text, hashes } = withoutNonce(await response.text(), nonce)
	const always = [...securityHeaders(config()), ...indexingHeaders()]
	const replaced = new Set(
		[...always.map(([name]) => name), policyHeader, 'Content-Length'].map((name) => name.toLowerCase()),
	)
	// The page is shared, and its id would identify another visitor's request.
	if (response.status === 200) replaced.add('x-request-id')
	const headers = [...response.headers].filter(([name]) => !replaced.has(name))
	// Two renderings of an unchanged page differ only in time and request id. Its policy changes only with the page.
	const content = text.replaceAll(now, '').replaceAll(requestId, '')
	const etag = `W/"${createHash('sha256').update(contentSecurityPolicy('')).update(content).digest('base64url').slice(0, 22)}"`
	return {
		status: response.status,
		etag,
		shows,
		br: await compressBody(Buffer.from(text), 'br'),
		headers: [
			...headers,
			...always,
			[policyHeader, contentSecurityPolicy(hashes.join(' '))],
			...(response.status === 200 ? [['ETag', etag] satisfies [string, string]] : []),
			['Vary', 'Accept-Encoding, Cookie'],
		],
	}
}

/**
 * Replaces the nonce of a cached page, which would no longer be secret, by hashes of its scripts. Only scripts with this page's
 * nonce are allowed: injected ones could not know it.
 */
function withoutNonce(html: string, nonce: string): { text: string; hashes: string[] } {
	const hashes = new Set<string>()
	const attribute = ` nonce="${nonce}"`
	const text = html.replace(/<script\b([^>]*)>([\s\S]*?)<\/script>/g, (whole, attributes: string, script: string) => {
		if (!attributes.includes(attribute)) return whole
		const clean = script.replaceAll(nonce, '')
		if (clean) hashes.add(`'sha256-${createHash('sha256').update(clean).digest('base64')}'`)
		return `<script${attributes.replace(attribute, '')}>${clean}</script>`
	})
	return { text: text.replaceAll(attribute, '').replaceAll(nonce, ''), hashes: [...hashes] }
}

async function bodyIn(coding: string, page: CacheEntry, key: string): Promise<Buffer> {
	if (coding === 'br') return page.br
	if (coding === 'identity') return unbrotli(page.br)
	if (!page.gzip) {
		const packed = await compressBody(await unbrotli(page.br), 'gzip')
		if (!page.gzip) pageCache.grow(key, packed.length)
		page.gzip = packed
	}
	return page.gzip
}

function isCurrent(ifNoneMatch: string | null | undefined, { etag }: CacheEntry): boolean {
	if (!ifNoneMatch) return false
	return ifNoneMatch === '*' || splitHeader(ifNoneMatch, ',').some((one) => one.replace(/^W\//, '') === etag.slice(2))
}

/**
 * Headers of a 304. A browser replaces its stored headers with them, so they name no script hashes: its stored page was rendered at
 * another time, with other hashes.
 */
function unmodifiedHeaders({ headers }: CacheEntry): [string, string][] {
	return headers.filter(([name]) => name !== policyHeader).map(([name, value]) => [name, value])
}

const raw = new WeakMap<Buffer, string[]>()

/** The headers of a response as a flat list, which Node sends without validating each. */
function rawHeaders({ headers }: CacheEntry, coding: string, body: Buffer): string[] {
	const known = raw.get(body)
	if (known) return known
	const flat = [...headers.flat(), 'Content-Encoding', coding, 'Content-Length', String(body.length)]
	raw.set(body, flat)
	return flat
}

/** Pages are cached in one coding that every browser accepts, and in gzip for programs that accept no other. */
const CACHED_CODINGS = ['br', 'gzip'] as const satisfies Coding[]
type CachedCoding = (typeof CACHED_CODINGS)[number] | 'identity'

const codings = new Map<string, CachedCoding>()

/** Browsers send few different headers; the limit keeps a client that sends many from filling the memory. */
function codingOf(header = ''): CachedCoding {
	const known = codings.get(header)
	if (known) return known
	const coding = negotiateCoding(header, CACHED_CODINGS)
	if (codings.size < 100) codings.set(header, coding)
	return coding
}
