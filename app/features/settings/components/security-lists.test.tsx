import { renderToStaticMarkup } from 'react-dom/server'
import { createRoutesStub } from 'react-router'
import { expect, test } from 'vitest'
import { SessionList } from './security-lists.tsx'

test('the device that shows the list counts as in use, however long ago its last use was stored', () => {
	const seen = { device: 'Firefox on Linux', address: '198.51.100.7', seenAt: '2026-11-20T11:00:00Z' }
	const sessions = [true, false].map((current, id) => ({ ...seen, id, current, createdAt: seen.seenAt }))
	const root = { now: '2026-11-21T07:00:00Z' }
	const Stub = createRoutesStub([
		{
			id: 'root',
			path: '/',
			loader: () => root,
			// biome-ignore lint/correctness/noComponentHookFactories: drawn once
			children: [{ id: 'page', path: '/settings', Component: () => <SessionList sessions={sessions} /> }],
		},
	])
	const html = renderToStaticMarkup(<Stub initialEntries={['/settings']} hydrationData={{ loaderData: { root } }} />)
	const [own, other] = html.split('</li>').map((item) => item.replace(/<[^>]*>/g, ''))
	expect(own).toBe('Firefox on Linuxthis device198.51.100.7, in use now')
	expect(other).toBe('Firefox on Linux198.51.100.7, last used 20 h agoLog out')
})
