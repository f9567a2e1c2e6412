import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { requestArchive } from '~/features/privacy/archive/archive.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeQuestion } from '../factories/forum.ts'
import { picture } from '../factories/pictures.ts'
import { descendants } from '../support/cluster.ts'
import { useDatabase } from '../support/database.ts'
import { logInMember, type MembersSite, password, startOnTestDatabase } from '../support/members-site.ts'
import { formRequest, type RawAnswer, type RawRequest, routePaths, sendRaw } from '../support/raw-http.ts'

/* Headers of every response of a site with an https address. */

useDatabase()

const own = 'https://quad.example'
const proxied = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'quad.example' }

let site: MembersSite
let mira: SignedIn
let cookie = ''
let url = ''
const pictures = { post: '', certificate: '' }
/** All Set-Cookie headers seen in this file. */
const cookies: string[] = []

beforeAll(async () => {
	site = await startOnTestDatabase(undefined, {
		PUBLIC_URL: own,
		TRUST_PROXY: '1',
		LOG_LEVEL: 'warn',
		SECURITY_CONTACT: 'security@campus.example',
	})
	const owner = await logInMember(site, 'mira')
	mira = owner.member
	cookie = owner.cookie
	url = (await makeQuestion(mira)).url
})

afterAll(() => site?.stop())

/** Sends a request through a TLS-terminating proxy, as a page of the site would. */
async function ask(request: RawRequest): Promise<RawAnswer> {
	const headers = { ...proxied, Origin: own, ...request.headers }
	const answer = await sendRaw(site.url, { ...request, headers })
	cookies.push(...answer.cookies)
	return answer
}

function post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<RawAnswer> {
	return ask(formRequest(path, fields, headers))
}

describe('headers of every response', () => {
	const values: Record<string, string> = {
		':username': 'mira',
		':slug': 'python',
		':tag': 'testing',
		':category': 'others',
	}
	const paths = () => {
		const filled = routePaths().map((path) =>
			path
				.replace(/:(username|slug|tag|category)/g, (name) => values[name] ?? name)
				.replace(':kind', 'query')
				.replace(':id', String(url.split('/')[4]))
				.replace('*', 'nothing-here'),
		)
		const data = filled
			.filter((path) => !/\.\w+$/.test(path))
			.map((path) => (path === '/' ? '/_.data' : `${path}.data`))
		const others = ['/healthz', '/readyz', '/assets/none.js', '/favicon.svg', '/icons/icon-192.png', '/api/none']
		const api = [
			'/api/v1/queries',
			'/api/v1/me',
			'/api/v1/none',
			'/api/v1/openapi.json',
			'/api/auth/get-session',
			'/api/auth/none',
		]
		return [
			...filled,
			...data,
			...others,
			...api,
			'/realtime/?EIO=4&transport=polling',
			`/media/${pictures.post}-640.webp`,
		]
	}

	beforeAll(async () => {
		const file = new File([new Uint8Array(await picture('png', 320, 200))], 'my secret name.png')
		const headers = { ...proxied, Origin: own, Cookie: cookie }
		for (const kind of ['post', 'certificate'] as const) {
			const sent = new FormData()
			sent.set('kind', kind)
			sent.set('file', file)
			const answer = await fetch(`${site.url}/media`, { method: 'POST', headers, body: sent })
			pictures[kind] = ((await answer.json()) as { picture: { path: string } }).picture.path
		}
		await makeQuestion(mira, { description: `![shown](/media/${pictures.post}-640.webp)` })
	})

	test('for a visitor and a member: HSTS and nosniff on all, and nothing made for a member is cacheable', async () => {
		for (const path of paths())
			for (const viewer of ['', cookie]) {
				const { status, headers } = await ask({ path, headers: viewer ? { Cookie: viewer } : {} })
				const what = `${path} for a ${viewer ? 'member' : 'visitor'}, ${status}`
				expect(status, what).toBeLessThan(500)
				expect(headers['strict-transport-security'], what).toBe('max-age=31536000; includeSubDomains')
				expect(headers['x-content-type-options'], what).toBe('nosniff')
				const isOpen = /^\/(assets|healthz|readyz|favicon|icons|realtime|api\/none|api\/v1\/(none|openapi))/.test(path)
				const caching = headers['cache-control'] ?? ''
				if (viewer && !isOpen) expect(caching, what).toMatch(/^(private, no-store|public, )/)
				if (headers['content-type']?.startsWith('text/html')) {
					expect(headers['content-security-policy'], what).toMatch(/img-src 'self' data:( blob:)?;/)
					// The offline page cannot report violations.
					if (path !== '/offline')
						expect(headers['content-security-policy'], what).toContain('report-uri /csp-report; report-to csp')
					expect(headers['reporting-endpoints'], what).toBe('csp="/csp-report"')
				}
			}
	})

	test('public responses to a member do not name them', async () => {
		const open = new Set<string>()
		for (const path of paths()) {
			const { headers, body } = await ask({ path, headers: { Cookie: cookie } })
			if (!headers['cache-control']?.startsWith('public')) continue
			open.add(path.replace(/\/[0-9a-f]{32}-640/, ''))
			if (!path.startsWith('/media/')) expect(body, path).not.toContain('mira@campus.example')
		}
		expect([...open].sort()).toMatchInlineSnapshot(`
			[
			  "/.well-known/security.txt",
			  "/favicon.svg",
			  "/find-dev/mira/card.png",
			  "/find-dev/mira/feed.atom",
			  "/forum/category/python/feed.atom",
			  "/forum/feed.atom",
			  "/forum/tag/testing/feed.atom",
			  "/icons/icon-192.png",
			  "/media/posts/-.webp",
			  "/offline",
			  "/robots.txt",
			  "/service-worker.js",
			  "/site.webmanifest",
			  "/sitemap.xml",
			]
		`)
	})

	test('errors have them too: too large, not found, forbidden, cross-site, unknown method', async () => {
		const type = { 'Content-Type': 'application/x-www-form-urlencoded' }
		const refusals: [number, RawRequest][] = [
			[413, { method: 'POST', path: '/login', headers: type, body: 'x'.repeat(600_000) }],
			[413, { method: 'POST', path: '/api/v1/queries', headers: type, body: 'x'.repeat(600_000) }],
			[403, { method: 'POST', path: '/login', headers: { ...type, Origin: 'https://evil.example' }, body: '' }],
			[405, { method: 'TRACE', path: '/' }],
			[405, { method: 'PROPFIND', path: '/forum' }],
			[405, { method: 'DELETE', path: '/login', body: '' }],
			[405, { method: 'PUT', path: '/api/v1/queries', body: '' }],
			[415, { method: 'POST', path: '/login', headers: { 'Content-Type': 'text/weird' }, body: 'x' }],
			[
				400,
				{ method: 'POST', path: '/login', headers: { 'Content-Type': 'multipart/form-data; boundary=x' }, body: '--y' },
			],
			[404, { path: '/forum/tag/%00' }],
		]
		for (const [status, request] of refusals) {
			const answer = await ask(request)
			const what = `${request.method} ${request.path}: ${answer.body.slice(0, 100)}`
			expect(answer.status, what).toBe(status)
			expect(answer.headers['strict-transport-security'], what).toBeDefined()
			if (status === 405) expect(answer.headers.allow, what).toContain('GET')
		}
	})

	test('a path of many parts, which would take a page seconds, leads to no page', async () => {
		const answer = await ask({ path: `/${'a/'.repeat(3_000)}b?q=/` })
		expect([answer.status, answer.body]).toEqual([404, 'There is nothing at this address.'])
		expect(answer.headers['strict-transport-security']).toBeDefined()
		expect((await ask({ path: `/login?redirectTo=/${'a/'.repeat(300)}` })).status).toBe(200)
	})

	test('the description of the API has one address, however it is spelled: others would get around the limit on it', async () => {
		for (const path of ['/API/docs', '/API/docs/', '/Api/Docs.data', '/%41pi/docs'])
			expect((await ask({ path })).status, path).toBe(404)
		expect((await ask({ path: '/api/docs', headers: { Cookie: cookie } })).status).toBe(200)
	})

	test('pictures have file names made by us, and private ones are not cacheable', async () => {
		const open = await ask({ path: `/media/${pictures.post}-640.webp` })
		expect(open.status).toBe(200)
		expect(open.headers['content-disposition']).toMatch(/^inline; filename="[0-9a-f]{32}-640\.webp"$/)
		expect(open.headers['cache-control']).toBe('public, max-age=31536000, s-maxage=3600, immutable')
		const closed = await ask({ path: `/media/${pictures.certificate}-640.webp`, headers: { Cookie: cookie } })
		expect(closed.status).toBe(200)
		expect(closed.headers['content-disposition']).toMatch(/^inline; filename="[0-9a-f]{32}-640\.webp"$/)
		expect(closed.headers['cache-control']).toBe('private, no-store')
	})
})

test.skipIf(!existsSync('/proc/self/fd'))('an archive that is only asked about with HEAD is closed', async () => {
	// Longer than what is read ahead.
	for (let time = 0; time < 8; time += 1) await makeQuestion(mira, { description: 'A line of words.\n'.repeat(1_700) })
	await requestArchive(mira, mira)
	const archive = { path: '/settings/data/archive.zip', headers: { Cookie: cookie } }
	await expect.poll(async () => (await ask(archive)).status).toBe(200)
	for (let time = 0; time < 3; time += 1) expect((await ask({ ...archive, method: 'HEAD' })).status).toBe(200)
	const openFiles = () =>
		descendants(site.pid)
			.map(({ pid }) => `/proc/${pid}/fd`)
			.flatMap((folder) => readdirSync(folder).map((name) => readlinkSync(`${folder}/${name}`)))
	await expect.poll(() => openFiles().filter((path) => path.endsWith('.zip'))).toEqual([])
})

describe('the origin of writes', () => {
	const json = { 'Content-Type': 'application/json' }
	const typed = { 'Content-Type': 'application/x-www-form-urlencoded' }
	const targets: [string, RawRequest][] = [
		['a form', { method: 'POST', path: '/notifications/read', headers: typed, body: '' }],
		['a form by script', { method: 'POST', path: '/notifications/read.data', headers: typed, body: '' }],
		['the API', { method: 'POST', path: '/api/v1/queries', headers: json, body: '{}' }],
		['the API, PATCH', { method: 'PATCH', path: '/api/v1/queries/1', headers: json, body: '{}' }],
		['the API, PUT', { method: 'PUT', path: '/api/v1/queries/1/vote', headers: json, body: '{}' }],
		['the API, DELETE', { method: 'DELETE', path: '/api/v1/queries/999999', headers: json }],
	]
	const sources: [string, Record<string, string>, boolean][] = [
		['its own Origin', { Origin: own }, true],
		['its own Origin in capitals', { Origin: own.toUpperCase() }, false],
		['another Origin', { Origin: 'https://evil.example' }, false],
		['an Origin with its own as a prefix', { Origin: `${own}.evil.example` }, false],
		['its own host over http', { Origin: 'http://quad.example' }, false],
		['its own host at another port', { Origin: `${own}:8443` }, false],
		['the Origin null', { Origin: 'null' }, false],
		['the Origin null, with Sec-Fetch-Site', { Origin: 'null', 'Sec-Fetch-Site': 'same-origin' }, false],
		['no Origin', {}, false],
		['no Origin, Sec-Fetch-Site: same-origin', { 'Sec-Fetch-Site': 'same-origin' }, true],
		['no Origin, Sec-Fetch-Site: same-site', { 'Sec-Fetch-Site': 'same-site' }, false],
		['no Origin, Sec-Fetch-Site: cross-site', { 'Sec-Fetch-Site': 'cross-site', Referer: `${own}/forum` }, false],
		['no Origin, Sec-Fetch-Site: none', { 'Sec-Fetch-Site': 'none' }, false],
		['no Origin, its own Referer', { Referer: `${own}/forum` }, true],
		['no Origin, another Referer', { Referer: 'https://evil.example/?https://quad.example/' }, false],
		['no Origin, a broken Referer', { Referer: 'quad.example' }, false],
	]

	test.each(sources)('%s, with a cookie', async (_what, source, allowed) => {
		for (const [what, target] of targets) {
			await sql`delete from rate_limits`.execute(db())
			const headers = { ...proxied, ...target.headers, ...source, Cookie: cookie }
			const { status, body } = await sendRaw(site.url, { ...target, headers })
			const refused = status === 403 && body.includes('came from another site')
			expect(refused, `${what}: ${status}`).toBe(!allowed)
		}
	})

	test('a SAML response and a logout token may come from any origin, at their own addresses only', async () => {
		const headers = { ...proxied, ...typed, Origin: 'https://evil.example', Cookie: cookie }
		const post = (path: string) => sendRaw(site.url, { method: 'POST', path, headers, body: 'SAMLResponse=x' })
		const answer = await post('/login/saml/acs')
		expect([answer.status, answer.headers.location]).toEqual([303, '/login/saml/callback'])
		expect((await post('/login/campus/backchannel-logout')).status).toBe(400)
		for (const path of [
			'/login/saml/acs/',
			'/login/saml/acs.data',
			'/login/saml/callback',
			'/login/saml',
			'/login/SAML/acs',
			'/login/campus/backchannel-logout/',
		])
			expect((await post(path)).body, path).toContain('came from another site')
	})

	test('programs without cookies, or with a token, need no origin', async () => {
		for (const [what, target] of targets) {
			const { body } = await sendRaw(site.url, { ...target, headers: { ...proxied, ...target.headers } })
			expect(body, what).not.toContain('came from another site')
		}
		const [, target] = targets[2] ?? ['', { path: '' }]
		const headers = { ...proxied, ...target.headers, Cookie: cookie, Authorization: 'Bearer dq_none' }
		expect((await sendRaw(site.url, { ...target, headers })).status).toBe(401)
		const login = { email: 'mira@campus.example', password }
		const signIn = { method: 'POST', path: '/api/auth/sign-in/email', headers: { ...proxied, ...json } }
		expect((await sendRaw(site.url, { ...signIn, body: JSON.stringify(login) })).status).toBe(200)
	})
})

describe('every 429 has Retry-After', () => {
	const login = { email: 'tomas@campus.example', password: 'not the right one' }
	const json = { 'Content-Type': 'application/json' }
	const ways: [string, number, () => Promise<RawAnswer>][] = [
		['a form', 10, () => post('/login', login)],
		['a form by script', 10, () => post('/login.data', login)],
		[
			'Better Auth',
			10,
			() => ask({ method: 'POST', path: '/api/auth/sign-in/email', headers: json, body: JSON.stringify(login) }),
		],
		['a preview', 80, () => post('/forum/preview', { description: 'x' }, { Cookie: cookie })],
		[
			'the API',
			80,
			() => ask({ method: 'POST', path: '/api/v1/queries', headers: { ...json, Cookie: cookie }, body: '{}' }),
		],
	]

	test.each(ways)('%s', async (_what, tries, send) => {
		for (let tried = 0; tried < tries; tried += 1) {
			const { status, headers } = await send()
			if (status !== 429) continue
			expect(headers['retry-after']).toMatch(/^[1-9]\d*$/)
			return
		}
		throw new Error('nothing was limited')
	})
})

test('CSP reports are logged without personal data, and rate limited', async () => {
	const reports = [
		{
			'csp-report': {
				'document-uri': `${own}/messages/mira.quillon?q=secret`,
				'effective-directive': 'script-src-elem',
				'blocked-uri': 'https://evil.example/x.js?me=mira.quillon',
				'source-file': `${own}/assets/root-x.js`,
				'line-number': 7,
				'script-sample': 'secret',
			},
		},
		[
			{
				type: 'csp-violation',
				body: { documentURL: `${own}/login`, effectiveDirective: 'script-src', blockedURL: 'eval' },
			},
		],
	]
	for (const [index, report] of reports.entries()) {
		const type = ['application/csp-report', 'application/reports+json'][index] ?? ''
		const request = { method: 'POST', path: '/csp-report', body: JSON.stringify(report) }
		for (const Origin of ['null', own, 'https://evil.example'])
			expect((await ask({ ...request, headers: { 'Content-Type': type, Cookie: cookie, Origin } })).status).toBe(204)
	}
	for (const body of ['', '{', 'null', '[1,null,{"body":7}]', '{"csp-report":{"blocked-uri":{}}}'])
		expect((await ask({ method: 'POST', path: '/csp-report', body })).status).toBe(204)
	expect((await ask({ method: 'POST', path: '/csp-report', body: 'x'.repeat(20_000) })).status).toBe(413)
	for (let sent = 0; sent < 80; sent += 1)
		await ask({ method: 'POST', path: '/csp-report', body: JSON.stringify(reports[1]) })
	const lines = site
		.output()
		.split('\n')
		.filter((line) => line.includes('"csp"'))
	const told = lines.map((line) => JSON.parse(line).csp)
	expect(told[0]).toEqual({
		directive: 'script-src-elem',
		blocked: 'https://evil.example',
		source: '/assets/root-x.js',
		line: 7,
		page: '/messages',
	})
	expect(told.length).toBeLessThanOrEqual(60)
	expect(told.some(({ blocked }) => blocked === 'eval')).toBe(true)
	expect(lines.join('')).not.toMatch(/mira|secret/)
})

test('every cookie is HttpOnly, Secure and bound to this host', async () => {
	// A member who has not opened the pages above, which use up a minute's.
	const other = await logInMember(site, 'olga')
	await post('/theme', { theme: 'light' })
	await post('/logout', {}, { Cookie: other.cookie })
	expect(new Set(cookies.map((one) => one.split('=')[0]))).toEqual(
		new Set(
			['theme', 'flash', 'session', 'session_data', 'dont_remember', 'login_flow'].map((name) => `__Host-${name}`),
		),
	)
	for (const one of cookies)
		expect(one).toMatch(/^__Host-(?=.*; Path=\/(;|$))(?=.*; HttpOnly)(?=.*; Secure)(?=.*; SameSite=Lax)(?!.*; Domain)/i)
})

test('a theme cookie from before the prefix is read until another theme is chosen', async () => {
	const page = async (Cookie: string) => (await ask({ path: '/forum', headers: { Cookie } })).body
	expect(await page('theme=dark')).toContain('data-theme="dark"')
	expect(await page('theme=dark; __Host-theme=light')).toContain('data-theme="light"')
	const [chosen = ''] = (await post('/theme', { theme: 'system' }, { Cookie: 'theme=dark' })).cookies
	expect(await page(`theme=dark; ${chosen.split(';')[0]}`)).not.toContain('data-theme=')
	// Only this host can set a notice.
	const flash = encodeURIComponent(JSON.stringify({ type: 'success', message: 'Planted' }))
	expect(await page(`flash=${flash}`)).not.toContain('Planted')
	expect(await page(`__Host-flash=${flash}`)).toContain('Planted')
})
