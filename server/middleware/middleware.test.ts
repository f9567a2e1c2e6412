import { Hono } from 'hono'
import { expect, test } from 'vitest'
import type { Viewer } from '~/lib/viewer.ts'
import { refuseOtherMember, refusePagesAsPictures, sameOrigin } from './allowed-requests.ts'
import { CODINGS, compress, compressBody, negotiateCoding, splitHeader } from './compress.ts'
import { clientIpHeader, publicRequest } from './public-request.ts'

test.each([
	['gzip, deflate, br, zstd', 'zstd'],
	['zstd;q=0, br, gzip', 'br'],
	['br, gzip', 'br'],
	['gzip, deflate, br;q=0', 'gzip'],
	['GZIP;q=0.5', 'gzip'],
	['*', 'gzip'],
	['identity', 'identity'],
	['', 'identity'],
])('a client that accepts %j gets %s', (header, coding) => {
	expect(negotiateCoding(header, CODINGS)).toBe(coding)
})

test.each([
	['a visitor’s page', 'text/html; charset=utf-8', '', 'br'],
	['the page of a visitor with a theme', 'text/html', 'theme=dark', 'br'],
	['a member’s page', 'text/html', 'theme=dark; __Host-session=a.b', 'zstd'],
	['a visitor’s data', 'text/x-script', '', 'zstd'],
])('%s comes in the coding that suits it', async (_, type, cookie, coding) => {
	const app = new Hono()
		.use(compress())
		.get('/', ({ body }) => body('A page. '.repeat(200), 200, { 'Content-Type': type }))
	const answer = await app.request('/', { headers: { 'Accept-Encoding': 'gzip, deflate, br, zstd', Cookie: cookie } })
	expect(answer.headers.get('Content-Encoding')).toBe(coding)
})

test('white space within a header does not take quadratic time', () => {
	const spaces = ' '.repeat(60_000)
	const start = performance.now()
	expect(negotiateCoding(`gzip${spaces}x, br ; q=0.5`, CODINGS)).toBe('br')
	expect(splitHeader(`a${spaces}b , c`, ',')).toHaveLength(2)
	expect(performance.now() - start).toBeLessThan(500)
})

test.each([...CODINGS, 'br of a large body', 'gzip of a large body'])(
	'what %s gives back can be cached without a larger block of memory',
	async (name) => {
		const body = Buffer.from('A page of a few words. '.repeat(name.includes('large') ? 20_000 : 100))
		const encoded = await compressBody(body, CODINGS.find((coding) => name.startsWith(coding)) ?? 'identity')
		expect(encoded.length).toBeLessThan(body.length)
		expect(encoded.buffer.byteLength).toBe(encoded.length)
	},
)

const forwarded = {
	Host: 'inside:3000',
	'X-Forwarded-Proto': 'https',
	'X-Forwarded-Host': 'quad.example',
	'X-Forwarded-For': '203.0.113.9, 198.51.100.7',
	[clientIpHeader]: '1.2.3.4',
}

test.each([
	[false, 'http://inside:3000/login?a=1', '10.0.0.1'],
	[true, 'https://quad.example/login?a=1', '198.51.100.7'],
])('with TRUST_PROXY=%s the request is for %s and comes from %s', async (TRUST_PROXY, url, ip) => {
	const inner = new Request('http://inside:3000/login?a=1', { method: 'POST', headers: forwarded, body: 'email=a' })
	const seen = publicRequest(inner, '10.0.0.1', { TRUST_PROXY })
	expect(seen.url).toBe(url)
	expect(seen.headers.get(clientIpHeader)).toBe(ip)
	expect(await seen.text()).toBe('email=a')
})

test('an invalid forwarded host is ignored', () => {
	const request = new Request('http://inside:3000/', { headers: { 'X-Forwarded-Host': 'a/b?c' } })
	expect(new URL(publicRequest(request, '::1', { TRUST_PROXY: true }).url).host).toBe('inside:3000')
})

test.each([
	['/media/posts/-/abc-1280.webp', 'image', 200],
	['/find-dev/mira/card.png', 'image', 200],
	['/notifications', 'document', 200],
	['/notifications', undefined, 200],
	['/notifications', 'image', 404],
	['/media', 'image', 404],
])('%s, wanted by a browser as %s, gets %s', async (path, wanted, status) => {
	const app = new Hono().use(refusePagesAsPictures()).get('*', (context) => context.text('a page'))
	const answer = await app.request(path, { headers: wanted ? { 'Sec-Fetch-Dest': wanted } : {} })
	expect(answer.status).toBe(status)
})

test('a route that accepts forms of other sites sees their fields and no cookie', async () => {
	const app = new Hono().use(sameOrigin(new Set(['/open'])))
	app.post('*', async (context) => context.text(`${context.req.header('Cookie')} ${await context.req.raw.text()}`))
	const post = (path: string) =>
		app.request(path, { method: 'POST', headers: { Origin: 'https://idp.example', Cookie: 'a=b' }, body: 'x=1' })
	expect(await (await post('/open')).text()).toBe('undefined x=1')
	expect((await post('/open/')).status).toBe(403)
})

test.each<[what: string, path: string, pageOf: string | null, viewer: number | null, status: number | undefined]>([
	['a form', '/forum/ask.data', '7', 8, 403],
	['a form of the member who is logged in', '/forum/ask.data', '7', 7, undefined],
	['a form without scripts', '/forum/ask', null, 8, undefined],
	['a form whose session has ended', '/forum/ask.data', '7', null, undefined],
	['a logout', '/logout.data', '7', 8, undefined],
	['a link of a login at the university', '/login/ldap.data', '7', 8, 403],
	['a theme, after which the page would reload its data', '/theme.data', '7', 8, 403],
	['a page whose name begins like a logout', '/logouts.data', '7', 8, 403],
])('of a page that stays open when another member logs in, %s to %s', (_what, path, pageOf, id, status) => {
	const viewer: Viewer = id === null ? null : { id, username: 'zoe', name: 'Zoe', image: null, role: 'member' }
	const headers = new Headers(pageOf === null ? {} : { 'X-Page-Member': pageOf })
	const request = new Request(`http://quad.example${path}`, { method: 'POST', headers })
	expect(refuseOtherMember(request, viewer)?.status).toBe(status)
})
