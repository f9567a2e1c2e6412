import { expect, test } from 'vitest'
import { flashOf, redirectWithToast, safeRedirect } from './http.ts'

test.each([
	['/forum?view=active#top', '/forum?view=active#top'],
	['/', '/'],
	['//evil.example', '/home'],
	['/\\evil.example', '/home'],
	['/\t/evil.example', '/home'],
	['https://evil.example', '/home'],
	['javascript:alert(1)', '/home'],
	['forum', '/home'],
	['', '/home'],
	[null, '/home'],
])('a redirect to %j leads to %s', (to, expected) => {
	expect(safeRedirect(to, '/home')).toBe(expected)
})

test('a toast travels with a redirect to the next page', () => {
	const response = redirectWithToast('/forum', {
		type: 'success',
		message: 'Query added successfully! ünïcode; "quoted"',
	})
	expect(response.status).toBe(303)
	const [cookie = ''] = response.headers.getSetCookie()
	const request = new Request('http://site.example/', { headers: { Cookie: cookie.split(';')[0] ?? '' } })
	expect(flashOf(request)).toEqual({ type: 'success', message: 'Query added successfully! ünïcode; "quoted"' })
})

test.each(['flash=', 'flash=%', 'flash={}', `flash=${encodeURIComponent('{"type":"evil","message":"x"}')}`, 'other=1'])(
	'the cookie %s is no toast',
	(cookie) => {
		expect(flashOf(new Request('http://site.example/', { headers: { Cookie: cookie } }))).toBeNull()
	},
)
