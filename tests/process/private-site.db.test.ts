import { Hono } from 'hono'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '~/features/api/openapi.server.ts'
import '~/features/index.server.ts'
import { saveSection } from '~/features/site-settings/site-settings.server.ts'
import { makeToken } from '~/features/tokens/tokens.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { privateSite } from '../../server/middleware/private-site.ts'
import { makeMember, makeQuestion } from '../factories/forum.ts'
import { picture } from '../factories/pictures.ts'
import { useDatabase } from '../support/database.ts'
import { logInMember, type MembersSite, startOnTestDatabase } from '../support/members-site.ts'
import { routePaths } from '../support/raw-http.ts'

/* What visitors can reach on a private site with two processes on one port. */

useDatabase()

const secret = 'Marmalade'
const login = /^\/login\?redirectTo=/

/** All routes that visitors of a private site can reach. A new route is closed until it is listed here and in the guard. */
const open = [
	'/.well-known/security.txt',
	'/answer/feed.atom',
	'/confirm-campus',
	'/forgot-password',
	'/imprint',
	'/invite',
	'/login',
	'/login/:provider',
	'/login/:provider/callback',
	'/login/campus/backchannel-logout',
	'/login/code',
	'/login/ldap',
	'/login/link',
	'/login/passkey',
	'/login/saml/acs',
	'/login/saml/metadata',
	'/logout',
	'/mail/bounces',
	'/offline',
	'/privacy',
	'/register',
	'/reset-password',
	'/robots.txt',
	'/service-worker.js',
	'/site.webmanifest',
	'/terms',
	'/theme',
	'/undo-email',
	'/unsubscribe',
	'/verify-email',
]

/** Open too, but these require a session on any site. */
const ownGuards = ['/claim-admin', '/confirm-email']

let site: MembersSite
let cookie = ''
let admin: SignedIn
let question: { id: number; url: string }
let version = 0

beforeAll(async () => {
	site = await startOnTestDatabase(undefined, { WEB_CONCURRENCY: '2', LOG_LEVEL: 'warn' })
	const owner = await logInMember(site, 'oda', 'admin')
	cookie = owner.cookie
	admin = owner.member
	question = await makeQuestion(await makeMember('mira'), { title: `${secret} on every page` })
})

afterAll(() => site?.stop())

/** Uses a new connection, so that both processes are reached in turn. */
function ask(path: string, { headers, ...init }: RequestInit = {}): Promise<Response> {
	const all = { Connection: 'close', Origin: new URL(site.url).origin, ...(headers as Record<string, string>) }
	return fetch(site.url + path, { redirect: 'manual', headers: all, ...init })
}

async function save(readers: 'everybody' | 'members'): Promise<void> {
	version += 1
	const form = { intent: 'save', readers, version: String(version) }
	const answer = await site.ask('/admin/settings/access', cookie, form)
	expect(answer.status, await answer.text()).toBeLessThan(400)
}

/** A valid address of a route. */
function fill(route: string): string {
	const [, , category = '', username = '', id = ''] = question.url.split('/')
	return route
		.replace(':category', category)
		.replace(':username', username)
		.replace(':id', id)
		.replace(':tag', 'testing')
		.replace(':kind', 'query')
		.replace(':slug?', '')
		.replace(/:\w+/, 'others')
		.replace('*', 'nothing-here')
		.replace(/(.)\/$/, '$1')
}

const isRefused = ({ status, headers }: Response) =>
	status === 401 || (status === 302 && login.test(headers.get('Location') ?? ''))

test('once the setting is saved, no process serves a page to visitors, cached or not; members continue', async () => {
	const etags: string[] = []
	for (let count = 0; count < 4; count++) {
		const page = await ask('/forum')
		expect(await page.text()).toContain(secret)
		etags.push(page.headers.get('ETag') ?? '')
	}
	const late: string[] = []
	let savedAt = Number.POSITIVE_INFINITY
	let isOver = false
	const reader = async () => {
		while (!isOver) {
			const askedAt = performance.now()
			const page = await ask('/forum', { headers: { 'If-None-Match': etags[0] ?? '' } })
			await page.body?.cancel()
			if (askedAt > savedAt && !isRefused(page)) late.push(`${page.status}`)
		}
	}
	const readers = Array.from({ length: 4 }, reader)
	await save('members')
	savedAt = performance.now()
	for (let count = 0; count < 10; count++) {
		const page = await ask('/forum', { headers: { 'If-None-Match': etags[count % 4] ?? '' } })
		expect([page.status, page.headers.get('Location'), page.headers.get('Cache-Control')]).toEqual([
			302,
			'/login?redirectTo=%2Fforum',
			'private, no-store',
		])
	}
	isOver = true
	await Promise.all(readers)
	expect(late).toEqual([])
	const own = await ask('/forum', { headers: { Cookie: cookie } })
	expect([own.status, own.headers.get('Cache-Control')]).toEqual([200, 'private, no-store'])
	expect(await own.text()).toContain(secret)
	expect((await ask('/forum')).status).toBe(302)
})

describe('a visitor of a private site', () => {
	test('reaches the open routes, and no others', async () => {
		const reached: string[] = []
		for (const route of routePaths()) {
			const page = await ask(fill(route))
			expect(await page.text(), route).not.toContain(secret)
			if (!isRefused(page) && route !== '/sitemap.xml') reached.push(route)
		}
		expect(reached.sort()).toEqual(open)
		expect((await ask('/sitemap.xml')).status).toBe(404)
		expect(await (await ask('/robots.txt')).text()).toContain('Disallow: /\n')
		expect(await (await ask('/login?redirectTo=%2F')).text()).toContain('This site is for its members.')
	})

	test('sees the site’s logo and accent on the login page of each process', async () => {
		const form = new FormData()
		for (const [name, value] of Object.entries({
			intent: 'save',
			accent: '#123456',
			ground: 'none',
			logo: '',
			version: '1',
		}))
			form.set(name, value)
		form.set('logo_file', new Blob([new Uint8Array(await picture('png', 200, 100))]))
		const saved = await ask('/admin/settings/appearance', { method: 'POST', headers: { Cookie: cookie }, body: form })
		expect(saved.status, await saved.text()).toBe(303)
		for (let count = 0; count < 4; count++) {
			const [, href = ''] = /href="(\/appearance\.css[^"]*)"/.exec(await (await ask('/login')).text()) ?? []
			const style = await ask(href)
			expect(style.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
			const [, logo = ''] = /url\(([^)]+)\)/.exec(await style.text()) ?? []
			const shown = await ask(logo)
			expect([shown.status, shown.headers.get('Content-Type')]).toEqual([200, 'image/webp'])
			expect(shown.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
		}
		expect((await ask('/icons/icon-192.png')).headers.get('Content-Type')).toBe('image/png')
		expect(isRefused(await ask('/media/posts/-/00000000000000000000000000000000-320.webp'))).toBe(true)
	})

	test('gets no data of a page, and cannot submit forms', async () => {
		const closed = routePaths().filter((route) => ![...open, ...ownGuards].includes(route))
		for (const route of closed) {
			const path = fill(route)
			for (const [address, init] of [
				[path === '/' ? '/_.data' : `${path}.data`, {}],
				[path, { method: 'POST', body: new URLSearchParams({ title: 'x' }) }],
			] as const) {
				const answer = await ask(address, init)
				const text = await answer.text()
				const told = `${answer.headers.get('Location')} ${text}`
				const is = [302, 401].includes(answer.status) || told.includes('/login?redirectTo=')
				expect(is || answer.status === 405, `${address} ${answer.status}`).toBe(true)
				expect(text, address).not.toContain(secret)
			}
		}
	})

	test('is rejected by every operation of the API', async () => {
		for (const { method, path } of operations) {
			const address = `/api/v1${path.replace(/\{\w+\}/g, '1')}`
			const answer = await ask(address, { method: method.toUpperCase() })
			await answer.body?.cancel()
			expect([address, answer.status]).toEqual([address, 401])
		}
		for (const address of ['/api/v1/openapi.json', '/api/v1/none', '/api/docs.data'])
			expect(await (await ask(address)).text(), address).not.toContain('"paths"')
	})

	test('learns from HEAD no more than from GET', async () => {
		for (const route of routePaths().filter((one) => ![...open, ...ownGuards].includes(one))) {
			const [head, page] = await Promise.all([ask(fill(route), { method: 'HEAD' }), ask(fill(route))])
			await page.body?.cancel()
			expect([route, head.status, head.headers.get('Location')]).toEqual([
				...[route, page.status, page.headers.get('Location')],
			])
			expect([route, isRefused(head) || route === '/sitemap.xml', head.headers.get('ETag')]).toEqual([
				route,
				true,
				null,
			])
		}
	})

	test('gets no picture, not even public ones of an open site, and uploads none', async () => {
		const form = new FormData()
		form.set('kind', 'profile')
		form.set('file', new File([new Uint8Array(await picture('png', 200, 200))], 'face.png'))
		const none = { method: 'POST', body: new URLSearchParams({ kind: 'profile' }) }
		expect(isRefused(await ask('/media', none))).toBe(true)
		const made = await ask('/media', { method: 'POST', body: form, headers: { Cookie: cookie } })
		const { picture: stored } = (await made.json()) as { picture: { path: string } }
		const path = `/media/${stored.path}-96.webp`
		const own = await ask(path, { headers: { Cookie: cookie } })
		await own.body?.cancel()
		expect([own.status, own.headers.get('Cache-Control')]).toEqual([200, 'private, no-store'])
		const asked: Record<string, string>[] = [
			{},
			{ 'Sec-Fetch-Dest': 'image' },
			{ 'If-None-Match': own.headers.get('ETag') ?? '' },
		]
		for (const headers of asked)
			for (const method of ['GET', 'HEAD']) expect((await ask(path, { method, headers })).status).toBe(401)
	})

	test('with a member’s token can read the API, and nothing else, until it is revoked', async () => {
		const { token } = await makeToken(admin, { name: 'a program', scopes: ['read'], days: 30 })
		const headers = { Authorization: `Bearer ${token}` }
		const address = `/api/v1/queries/${question.id}`
		const answer = await ask(address, { headers })
		expect([answer.status, answer.headers.get('Cache-Control')]).toEqual([200, 'private, no-store'])
		expect(await answer.text()).toContain(secret)
		for (const path of ['/forum', question.url, '/forum.data']) {
			const page = await ask(path, { headers })
			expect([path, (await page.text()).includes(secret)]).toEqual([path, false])
		}
		await sql`update access_tokens set expires_at = now() where user_id = ${admin.id}`.execute(db())
		expect((await ask(address, { headers })).status).toBe(401)
	})

	test('with an invalid cookie or token is a visitor', async () => {
		const forged = await ask('/forum', { headers: { Cookie: 'session=forged.value' } })
		expect(forged.status).toBe(302)
		const program = await ask('/api/v1/openapi.json', { headers: { Authorization: 'Bearer none' } })
		// Also a page of another site may read why.
		expect([program.status, program.headers.get('Access-Control-Allow-Origin')]).toEqual([401, '*'])
	})
})

test('when the site is public again, visitors see pages', async () => {
	await save('everybody')
	for (let count = 0; count < 4; count++) expect(await (await ask('/forum')).text()).toContain(secret)
})

test('a response that was generated while the site became private is discarded', async () => {
	const app = new Hono()
	app.use(privateSite())
	app.get('/forum', async (context) => {
		await saveSection(admin, 'access', { readers: 'members', version: String(version + 1) })
		return context.text(secret)
	})
	const answer = await app.request('/forum')
	expect([answer.status, await answer.text()]).toEqual([302, ''])
})
