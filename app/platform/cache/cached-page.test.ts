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

describe('the canonical address of a visitor’s page', () => {
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
	const url = '/list?fresh=yes&q=react'
	const canonical = (page: typeof before | typeof after) =>
		new URL(visitorAddress([page], url)?.path ?? '', 'http://site.example')
	expect(after.read(canonical(after))).toEqual({ q: 'react', fresh: 'yes' })
	expect(before.read(canonical(before))).toEqual({ q: 'react' })
	// @ts-expect-error: an undeclared parameter does not compile.
	expect(before.read(canonical(before)).fresh).toBeUndefined()
	expect(after.read(new URL('http://site.example/list?q='))).toEqual({ q: '', fresh: null })
})
