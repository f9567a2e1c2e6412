import { describe, expect, test } from 'vitest'
import { cachedPage, visitorAddress } from './cached-page.ts'

const list = cachedPage({
	path: '/list',
	searchParams: ['q', 'cursor'],
	memberSearchParams: ['edit'],
	tags: () => ['lists'],
})
const home = cachedPage({ path: '/' })
const item = cachedPage({
	path: '/list/:group/:id',
	where: { group: /^(?!edit$)/, id: /^\d+$/ },
	tags: ({ id }) => [`item:${id}`],
})
const pages = [list, home, item]

describe('the address that a visitor’s page is made for', () => {
	test.each<[string, string | null, string[]]>([
		['/list', '/list', ['lists']],
		['/list?q=react&utm_source=mail&cursor=x', '/list?cursor=x&q=react', ['lists']],
		['/list?utm_source=mail', '/list', ['lists']],
		['/list?edit=1', '/list', ['lists']],
		['/list.data?_routes=a&other=b', '/list.data?_routes=a', ['lists']],
		['/', '/', []],
		['/_.data', '/_.data', []],
		['/list/a/7?q=react', '/list/a/7', ['item:7']],
		['/list/a/7.data', '/list/a/7.data', ['item:7']],
		['/list/a/seven', null, []],
		['/list/edit/7', null, []],
		['/list/a', null, []],
		['/lists', null, []],
		[`/list?q=${'x'.repeat(400)}`, null, []],
	])('%s → %s', (url, path, tags) => {
		expect(visitorAddress(pages, url)).toEqual(path === null ? null : { path, tags })
	})
})

test('a parameter that a page declares reaches its loader, one that it does not declare cannot be read', () => {
	const before = cachedPage({ path: '/list', searchParams: ['q'] })
	const after = cachedPage({ path: '/list', searchParams: ['q', 'fresh'] })
	const asked = '/list?fresh=yes&q=react'
	const made = (page: typeof before | typeof after) =>
		new URL(visitorAddress([page], asked)?.path ?? '', 'http://site.example')
	expect(after.read(made(after))).toEqual({ q: 'react', fresh: 'yes' })
	expect(before.read(made(before))).toEqual({ q: 'react' })
	// @ts-expect-error: read before it is declared, it does not compile.
	expect(before.read(made(before)).fresh).toBeUndefined()
	expect(after.read(new URL('http://site.example/list?q='))).toEqual({ q: '', fresh: null })
})
