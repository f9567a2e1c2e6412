import { expect, test } from 'vitest'
import { flashOf, redirectWithToast, safeRedirect } from './http.ts'

const outside = [
	...[
		'//evil.example',
		'///evil.example',
		'////evil.example',
		'//evil.example/%2e%2e',
		'//evil.example:443/x',
		'//[::1]/',
	],
	...[
		'/\\evil.example',
		'\\\\evil.example',
		'\\/evil.example',
		'/\\/evil.example',
		'/\\\\evil.example',
		'/forum\\..\\..\\evil',
	],
	...[
		'/\t/evil.example',
		'/\n/evil.example',
		'/\r/evil.example',
		'/\r\n/evil.example',
		'\t//evil.example',
		'/\t\\evil.example',
	],
	...[
		' //evil.example',
		'\u0000//evil.example',
		'/\u0000/evil.example',
		'/\u007f/evil.example',
		'/\u0085/evil.example',
		'/\u000b/evil',
	],
	...['/.//evil.example', '/..//evil.example', '/././/evil.example', '/x/..//evil.example', '/x/../..//evil.example'],
	...[
		'/%2e//evil.example',
		'/%2e%2e//evil.example',
		'/%2E%2E//evil.example',
		'/.%2e//evil.example',
		'/x/%2e%2e//evil.example',
	],
	...[
		'/.///evil.example',
		'/.//\\evil.example',
		'/.//evil.example?x#y',
		'/.//user@evil.example',
		'/.//evil.example:8080/forum',
	],
	...['/./\t/evil.example', '/.\\/evil.example', '/.%2e/x/..//evil.example', '/x/y/../..//evil.example'],
	...[
		'https://evil.example',
		'http:evil.example',
		'https:/evil.example',
		'https:///evil.example',
		'HTTPS://EVIL.EXAMPLE',
	],
	...[
		'javascript:alert(1)',
		'java\nscript:alert(1)',
		'data:text/html,x',
		'vbscript:x',
		'file:///etc/passwd',
		'ftp://evil.example',
	],
	...[
		'http://site.invalid@evil.example',
		'http://site.invalid.evil.example',
		'http://site.invalid/forum',
		'blob:http://site.invalid/x',
	],
	...[
		'forum',
		'',
		'?view=active',
		'#top',
		'.',
		'..',
		'@evil.example',
		':80/x',
		'%2f%2fevil.example',
		'／／evil.example',
	],
	...[`/${'a'.repeat(4_000)}`, '/\ud800', null, undefined, 7, ['/forum'], { to: '/forum' }],
]

test.each(outside.map((to) => [to]))('a redirect to %j leads to no other site, nor to a broken address', (to) => {
	expect(safeRedirect(to, '/home')).toBe('/home')
})

test.each([
	['/forum?view=active#top', '/forum?view=active#top'],
	['/', '/'],
	['/forum/', '/forum/'],
	['/x/../forum', '/forum'],
	['/%2f%2fevil.example', '/%2f%2fevil.example'],
	['/%252e%252e//evil.example', '/%252e%252e//evil.example'],
	['/%5cevil.example', '/%5cevil.example'],
	['/%09/evil.example', '/%09/evil.example'],
	['/forum//evil.example', '/forum//evil.example'],
	['/@evil.example', '/@evil.example'],
	['/user:password@evil.example', '/user:password@evil.example'],
	['/?to=//evil.example', '/?to=//evil.example'],
	['/#//evil.example', '/#//evil.example'],
	['/／evil.example', '/%EF%BC%8Fevil.example'],
	['/。。//evil.example', '/%E3%80%82%E3%80%82//evil.example'],
	['/find-dev/mira.quillon?tab=skills', '/find-dev/mira.quillon?tab=skills'],
])('a redirect to %j leads to %s of this site', (to, expected) => {
	const path = safeRedirect(to, '/home')
	expect(path).toBe(expected)
	expect(new URL(path, 'https://quad.example').origin).toBe('https://quad.example')
})

test('a toast is carried by a redirect to the next page', () => {
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
