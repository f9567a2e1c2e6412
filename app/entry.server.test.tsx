import type { ReactNode } from 'react'
import {
	createRequestHandler,
	Outlet,
	RouterContextProvider,
	Scripts,
	type ServerBuild,
	UNSAFE_decodeViaTurboStream,
} from 'react-router'
import { expect, test, vi } from 'vitest'
import { factsContext } from '~/lib/context.ts'
import * as entry from './entry.server.tsx'
import { deferScripts, plainJson, withData } from './shell/late-scripts.ts'

// Vitest gives style sheets no address.
vi.mock('~/app.css?url', () => ({ default: '/app.css' }))

/** A site of one page. */
function siteOf(
	Layout: (props: { children: ReactNode }) => ReactNode,
	Page: () => ReactNode,
	mode: 'initial' | 'lazy' = 'initial',
) {
	const route = { id: 'root', path: '', hasAction: false, hasLoader: false, hasErrorBoundary: true, module: '/root.js' }
	const root = { id: 'root', path: '', module: { default: Page, Layout, ErrorBoundary: () => <h1>The error page</h1> } }
	return siteOfRoutes({ root }, { root: route }, mode)
}

function siteOfRoutes(routes: object, manifest: object, mode: 'initial' | 'lazy') {
	return createRequestHandler({
		entry: { module: entry as unknown as ServerBuild['entry']['module'] },
		routes,
		assets: { entry: { module: '/entry.js', imports: [] }, routes: manifest, url: '', version: '' },
		publicPath: '/',
		assetsBuildDirectory: '',
		future: {},
		ssr: true,
		isSpaMode: false,
		prerender: [],
		routeDiscovery: { mode, manifestPath: '/__manifest' },
	} as unknown as ServerBuild)
}

async function open(handle: ReturnType<typeof siteOf>, path = '/'): Promise<{ status: number; text: string }> {
	const context = new RouterContextProvider()
	context.set(factsContext, { nonce: undefined } as never)
	const answer = await handle(new Request(`http://localhost${path}`), context)
	return { status: answer.status, text: await answer.text() }
}

const frame = ({ children }: { children: ReactNode }) => <html lang="en">{children}</html>
const frameWithScripts = ({ children }: { children: ReactNode }) => (
	<html lang="en">
		{children}
		<Scripts />
	</html>
)
const fail = (): never => {
	throw new Error('It cannot be drawn.')
}

test.each([
	['a page is drawn in its frame', frame, () => <h1>The page</h1>, 200, 'The page'],
	['a page that fails gives way to the error page', frame, fail, 500, 'The error page'],
	['a frame that fails gives way to a plain page', fail, () => <h1>The page</h1>, 500, 'This page cannot be shown.'],
])('%s', async (_, Layout, Page, status, text) => {
	const answer = await open(siteOf(Layout, Page))
	expect(answer.status).toBe(status)
	expect(answer.text).toContain(`>${text}</h1>`)
	expect(answer.text.startsWith('<!DOCTYPE html>')).toBe(true)
})

test('a page makes components of its own routes, and hands the browser those of the paths above it too', async () => {
	const read = new Set<string>()
	const routes = Object.fromEntries(
		[
			{ id: 'root', path: '' },
			{ id: 'home', parentId: 'root', index: true },
			{ id: 'list', parentId: 'root', path: 'forum' },
			{ id: 'question', parentId: 'root', path: 'forum/:id' },
			{ id: 'other', parentId: 'root', path: 'other' },
		].map((route) => [route.id, { ...route, hasAction: false, hasLoader: false, module: `/${route.id}.js` }]),
	)
	const modules = Object.entries(routes).map(([id, route]) => [
		id,
		{ ...route, module: { default: () => <h1>{id}</h1> } },
	])
	const watched = Object.entries(routes).map(([id, { path, ...route }]) => [
		id,
		{
			...route,
			get path() {
				read.add(id)
				return path
			},
		},
	])
	const site = Object.fromEntries(modules)
	site.root.module.Layout = frameWithScripts
	site.root.module.default = Outlet
	const handle = siteOfRoutes(site, Object.fromEntries(watched), 'lazy')
	const { text } = await open(handle, '/forum/7')
	expect(text).toContain('<h1>question</h1>')
	const listed = ['root', 'home', 'list', 'question', 'other'].filter((id) => text.includes(`"/${id}.js"`))
	expect(listed).toEqual(['root', 'home', 'list', 'question'])
	expect(read).not.toContain('other')
	// The scripts start after the first paint: the browser finds none that it would fetch or run before.
	const body = text.indexOf('</head>')
	const { head, foot } = deferScripts(text.slice(0, body), text.slice(body), undefined)
	const late = head + foot
	expect(text.slice(body)).toContain('<script>window.__reactRouterContext = ')
	expect(late).not.toContain('<link rel="modulepreload"')
	expect(late).not.toContain('type="module"')
	expect(late).toContain('data-files="/entry.js /root.js /question.js"')
	const [, imports = ''] = /<script type="text\/plain"[^>]*>(.*?)<\/script>/.exec(late) ?? []
	expect(imports).toMatch(/^;import \* as route0 from "\/root.js";import .*import\("\/entry.js"\);$/)
})

test('a page has its data in the script that opens its stream, whatever they say', async () => {
	const opening = await openingScript()
	const text = '[{"_1":2},"it\'s \\"</script><!--\\\\ é 😀\u2028"]\nP2:[]\r\n'
	const script = withData(opening, { isJson: false, text })
	expect(script).not.toContain('<')
	expect(await new Response(streamOf(script)).text()).toBe(text)
	expect(() => withData('<script></script>', { isJson: false, text })).toThrow()
})

test('plain data are sent as JSON, and arrive as React Router would have encoded them', async () => {
	const opening = await openingScript()
	const row = { name: 'Zoë\'s "</b>\n', tags: [], open: false, count: 0.5 }
	const data = { rows: [row, row], next: null }
	const text = plainJson(data) ?? ''
	expect(JSON.parse(text)).toStrictEqual(data)
	const script = withData(opening, { isJson: true, text })
	expect(script).not.toContain('<')
	const { value } = await UNSAFE_decodeViaTurboStream(streamOf(script), globalThis as never)
	expect(value).toStrictEqual(data)
})

test('what a document omits is no part of its data', () => {
	expect(plainJson(Object.defineProperty({ rows: [new Date()], next: null }, 'rows', { enumerable: false }))).toBe(
		'{"next":null}',
	)
})

test('data with a value that JSON does not have stay in React Router’s encoding', () => {
	const others = [new Date(), new Set(), undefined, Number.NaN, -0, 1n, JSON.parse('{"__proto__":[]}'), new Error()]
	for (const at of [...others, Object.create(null), new Array(1), Promise.resolve(), URL.parse('https://a.example')])
		expect(plainJson({ data: [{ at }] }), String(at?.constructor)).toBeNull()
})

/** The script of a page that opens the stream of its data. */
async function openingScript(): Promise<string> {
	const { text } = await open(siteOf(frameWithScripts, () => <h1>The page</h1>, 'lazy'))
	const [, opening = ''] = /<script>(window\.__reactRouterContext = .*?)<\/script>/.exec(text) ?? []
	return opening
}

/** The stream that such a script opens in a browser. */
function streamOf(script: string): ReadableStream<Uint8Array<ArrayBuffer>> {
	const context: { stream?: ReadableStream<Uint8Array<ArrayBuffer>> } = {}
	new Function('window', script)({
		set __reactRouterContext(_: object) {},
		get __reactRouterContext() {
			return context
		},
	})
	if (!context.stream) throw new Error('The script opened no stream.')
	return context.stream
}
