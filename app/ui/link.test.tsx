import { renderToStaticMarkup } from 'react-dom/server'
import {
	createMemoryRouter,
	Form as RouterForm,
	Link as RouterLink,
	NavLink as RouterNavLink,
	RouterProvider,
} from 'react-router'
import { expect, test } from 'vitest'
import { Form, Link, NavLink } from './link.tsx'

const addresses = [
	'/',
	'/forum',
	'/forum/',
	'/forum?q=a//b&view=solved#top',
	'/forum?',
	'/forum#',
	'/forum?#x',
	'/forum//python',
	'/forum/../x',
	'/forum/./x',
	'//other.example/x',
	'/\\x',
	'/forum/tag/c%2B%2B?q=é ü#ß',
	'https://other.example/x?y#z',
	'mailto:a@b.example',
	'?page=2',
	'#top',
	'.',
	'..',
	'reply',
	'',
]

/** The markup of an element on the page /forum/python/?q=x. */
function markup(element: React.ReactElement): string {
	const routes = [{ path: '/forum', children: [{ path: ':category', element }] }]
	const router = createMemoryRouter(routes, { initialEntries: ['/forum/python/?q=x'] })
	return renderToStaticMarkup(<RouterProvider router={router} />)
}

test.each(addresses)('the server draws a link and a form to “%s” as React Router does', (to) => {
	const link = {
		to,
		className: 'btn',
		rel: 'nofollow',
		'aria-label': 'There',
		replace: true,
		preventScrollReset: true,
		state: { from: 'here' },
		onClick: () => {},
	}
	for (const more of [{}, { discover: 'none' as const }, { reloadDocument: true }, { relative: 'path' as const }]) {
		const attributes = { ...link, ...more, children: <b>There</b> }
		expect(attributesOf(markup(<Link {...attributes} />))).toEqual(attributesOf(markup(<RouterLink {...attributes} />)))
		for (const method of [undefined, 'post', 'GET'] as const) {
			const form = {
				action: to,
				method,
				className: 'f',
				replace: true,
				navigate: true,
				children: <input name="q" />,
				...more,
			}
			expect(attributesOf(markup(<Form {...form} />))).toEqual(attributesOf(markup(<RouterForm {...form} />)))
		}
	}
})

test.each([
	...addresses,
	'/FORUM',
	'/forum/python',
	'/forum/python/',
	'/forum/py',
	'/forum/python/list',
	'/forum/josé',
])('the server renders a menu link to “%s” as React Router does', (to) => {
	for (const more of [
		{},
		{ end: true },
		{ className: 'tab' },
		{ className: () => 'x' },
		{ 'aria-current': 'true' as const },
	]) {
		const attributes = { to, ...more, children: 'There' }
		expect(attributesOf(markup(<NavLink {...attributes} />))).toEqual(
			attributesOf(markup(<RouterNavLink {...attributes} />)),
		)
	}
})

test('an absolute path needs no router', () => {
	expect(renderToStaticMarkup(<Link to="/forum">Forum</Link>)).toBe('<a href="/forum" data-discover="true">Forum</a>')
	expect(() => renderToStaticMarkup(<Link to="?page=2">More</Link>)).toThrow()
})

/** Attributes have no order. */
function attributesOf(html: string): string[] {
	return html.split(/[ >]/).sort()
}
