import type { ReactNode } from 'react'
import { createRequestHandler, RouterContextProvider, type ServerBuild } from 'react-router'
import { expect, test, vi } from 'vitest'
import { factsContext } from '~/lib/context.ts'
import * as entry from './entry.server.tsx'

// Vitest gives style sheets no address.
vi.mock('~/app.css?url', () => ({ default: '/app.css' }))

/** A site of one page. */
function siteOf(Layout: (props: { children: ReactNode }) => ReactNode, Page: () => ReactNode) {
	const route = { id: 'root', path: '', hasAction: false, hasLoader: false, hasErrorBoundary: true, module: '' }
	return createRequestHandler({
		entry: { module: entry as unknown as ServerBuild['entry']['module'] },
		routes: {
			root: { id: 'root', path: '', module: { default: Page, Layout, ErrorBoundary: () => <h1>The error page</h1> } },
		},
		assets: { entry: { module: '', imports: [] }, routes: { root: route }, url: '', version: '' },
		publicPath: '/',
		assetsBuildDirectory: '',
		future: {},
		ssr: true,
		isSpaMode: false,
		prerender: [],
		routeDiscovery: { mode: 'initial', manifestPath: '/__manifest' },
	} as unknown as ServerBuild)
}

async function open(handle: ReturnType<typeof siteOf>): Promise<{ status: number; text: string }> {
	const context = new RouterContextProvider()
	context.set(factsContext, { nonce: undefined } as never)
	const answer = await handle(new Request('http://localhost/'), context)
	return { status: answer.status, text: await answer.text() }
}

const frame = ({ children }: { children: ReactNode }) => <html lang="en">{children}</html>
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
