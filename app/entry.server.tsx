import { Writable } from 'node:stream'
import { LRUCache } from 'lru-cache'
import { renderToPipeableStream, renderToStaticMarkup } from 'react-dom/server'
import { type EntryContext, isRouteErrorResponse, type RouterContextProvider, ServerRouter } from 'react-router'
import { factsOf } from '~/lib/context.ts'
import { log } from '~/lib/log.server.ts'
import { siteFaultOf } from '~/lib/request-scope.server.ts'
import { emptyRootData, type RootData } from '~/lib/root-data.ts'
import { NonceContext } from '~/ui/broken-pictures.tsx'
import { renderAloneAt } from '~/ui/memo-markup.server.tsx'
import { RenderAloneContext } from '~/ui/memo-markup.tsx'
import stylesheet from './app.css?url'
import { deferScripts, nonceAttribute, type PageData, plainJson, withData } from './shell/late-scripts.ts'

/** Milliseconds for rendering a page; its data has been loaded before. */
const MAX_RENDERING_MS = 5_000

/**
 * Renders a page completely before the first byte is sent: it is compressed in one piece, has a length, and a client that
 * disconnects can break only this request.
 */
export default async function handleRequest(
	request: Request,
	status: number,
	headers: Headers,
	entry: EntryContext,
	loadContext: RouterContextProvider,
): Promise<Response> {
	const { nonce } = factsOf(loadContext)
	headers.set('Content-Type', 'text/html; charset=utf-8')
	if (request.method === 'HEAD') return new Response(null, { status, headers })
	// In development Vite's client is one of the scripts, and must start early to be notified of changed modules.
	const hasLateScripts = import.meta.env.PROD
	const context = withOwnRoutes(entry)
	const page = (
		<NonceContext value={nonce}>
			<RenderAloneContext value={renderAloneAt(momentOf(entry))}>
				<ServerRouter context={hasLateScripts ? withoutData(context) : context} url={request.url} nonce={nonce} />
			</RenderAloneContext>
		</NonceContext>
	)
	try {
		const rendered = await render(page, nonce, request.signal)
		const html = hasLateScripts ? withLateScripts(rendered, nonce, await dataOf(entry)) : rendered
		log.debug({ bytes: html.length }, 'page rendered')
		return new Response(html, { status, headers })
	} catch (error) {
		// React Router handles the first failure by the error page. If that fails as well, the frame cannot be rendered.
		if (!entry.staticHandlerContext.errors) throw error
		const { pathname, search } = new URL(request.url)
		const html = renderToStaticMarkup(<LastResortPage address={pathname + search} />)
		return new Response(`<!DOCTYPE html>${html}`, { status: 500, headers })
	}
}

/** The moment that the page's relative times refer to, in milliseconds since the epoch. */
function momentOf({ staticHandlerContext }: EntryContext): number {
	const root: RootData | undefined = staticHandlerContext.loaderData.root
	return Date.parse((root ?? emptyRootData).now)
}

/**
 * For each page, React Router creates two objects for every route that it gets. So it gets only the routes of the page. It can
 * still look up the others, as it does for the paths above the page.
 */
function withOwnRoutes(entry: EntryContext): EntryContext {
	const { routes } = entry.manifest
	const own: typeof routes = Object.create(routes)
	for (const { route } of entry.staticHandlerContext.matches) own[route.id] = routes[route.id]
	const staticHandlerContext = { ...entry.staticHandlerContext, _match: rememberingMatch(entry) }
	return { ...entry, staticHandlerContext, manifest: { ...entry.manifest, routes: own } }
}

/** React Router would render the data of the page as separate scripts. */
function withoutData({ serverHandoffStream: _, ...entry }: EntryContext): EntryContext {
	return entry
}

/** Matches of paths above pages; they stay the same while the site runs. */
const matched = new LRUCache<string, { of: ReturnType<Match> }>({ max: 2_000 })

type Match = EntryContext['staticHandlerContext']['_match']

/**
 * For each page React Router compares every path above it with all routes of the site, to send them to the browser. A path without
 * a route, such as between a category and a question, costs most.
 */
function rememberingMatch({ staticHandlerContext: { _match: match }, manifest }: EntryContext): Match {
	return (path) => {
		if (typeof path !== 'string') return match(path)
		const key = `${manifest.version} ${path}`
		const known = matched.get(key) ?? { of: match(path) }
		matched.set(key, known)
		return known.of
	}
}

/** Logs unexpected errors of loaders, actions and rendering. A client that disconnected and an unsupported method are expected. */
export function handleError(error: unknown, { request }: { request: Request }): void {
	if (request.signal.aborted || siteFaultOf(error)) return
	if (isRouteErrorResponse(error) && error.status < 500) return
	log.error({ err: error, path: new URL(request.url).pathname }, 'a page failed')
}

function render(
	element: React.ReactElement,
	nonce: string | undefined,
	signal: AbortSignal,
): Promise<Buffer<ArrayBuffer>> {
	return new Promise((resolve, reject) => {
		const chunks: Buffer<ArrayBuffer>[] = []
		const sink = new Writable({
			write: (chunk: Buffer<ArrayBuffer>, _encoding, done) => {
				chunks.push(chunk)
				done()
			},
			final: (done) => {
				resolve(Buffer.concat(chunks))
				done()
			},
		})
		const stream = renderToPipeableStream(element, {
			nonce,
			// A late or large boundary would be streamed after the page and inserted by a script; readers may have none.
			progressiveChunkSize: Number.POSITIVE_INFINITY,
			onAllReady: () => {
				clearTimeout(timer)
				stream.pipe(sink)
			},
			onShellError: reject,
			onError: (error) => {
				if (!signal.aborted) log.error({ err: error }, 'rendering failed')
			},
		})
		const timer = setTimeout(() => stream.abort(new Error('rendering took too long')), MAX_RENDERING_MS)
		signal.addEventListener('abort', () => stream.abort(), { once: true })
	})
}

/**
 * Edits bytes, and only where needed: links in the head, and the scripts that describe the page. Everything in between, nearly the
 * whole page, stays unchanged.
 */
function withLateScripts(html: Buffer<ArrayBuffer>, nonce: string | undefined, data: PageData): Buffer<ArrayBuffer> {
	const body = Math.max(0, html.indexOf('</head>'))
	const scripts = Math.max(body, html.indexOf(`<script${nonceAttribute(nonce)}>window.__reactRouterContext = `))
	const ends = deferScripts(html.toString('latin1', 0, body), html.toString('latin1', scripts), nonce)
	return Buffer.concat([
		Buffer.from(ends.head, 'latin1'),
		html.subarray(body, scripts),
		Buffer.from(withData(ends.foot, data), 'latin1'),
	])
}

/** The data of a page. What React Router has encoded is read only where it is needed: decoding it would take as long again. */
async function dataOf({ staticHandlerContext, serverHandoffStream }: EntryContext): Promise<PageData> {
	const { loaderData, actionData, errors } = staticHandlerContext
	const json = plainJson({ loaderData, actionData, errors })
	if (json !== null) return { isJson: true, text: Buffer.from(json).toString('latin1') }
	const chunks: Uint8Array[] = []
	for await (const chunk of serverHandoffStream ?? []) chunks.push(chunk)
	return { isJson: false, text: Buffer.concat(chunks).toString('latin1') }
}

/**
 * A document that needs nothing of the site: no data, no script, no frame.
 * @param address path and query for the Reload link
 */
export function LastResortPage({ address }: { address: string }) {
	return (
		<html lang="en">
			<head>
				<meta charSet="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1" />
				<meta name="color-scheme" content="light dark" />
				<title>This page cannot be shown</title>
				<link rel="stylesheet" href={stylesheet} />
			</head>
			<body>
				<main className="mx-auto w-full max-w-page px-4 py-12 sm:px-6">
					<h1 className="text-3xl font-bold">This page cannot be shown.</h1>
					<p className="mt-4 text-lg text-ink-2">Something went wrong. What you had already saved is safe.</p>
					<p className="mt-6 flex flex-wrap gap-2">
						<a className="btn btn-primary" href={address}>
							Reload the page
						</a>
						<a className="btn btn-outline" href="/">
							Go to Home
						</a>
					</p>
				</main>
			</body>
		</html>
	)
}
