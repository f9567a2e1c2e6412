import { mkdtempSync, rmSync } from 'node:fs'
import { request as ask } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { picture } from '../factories/pictures.ts'
import { logInDemoMember } from '../support/demo-member.ts'
import { type SiteProcess, startSite } from '../support/site-process.ts'

// A site with the demo content: the cached pages of its visitors, and pictures.

const dataDir = mkdtempSync(join(tmpdir(), 'devquad-pages-'))
let site: SiteProcess
let session: string

beforeAll(async () => {
	site = await startSite({ DATA_DIR: dataDir })
	session = await logInDemoMember(site.url, dataDir)
})

afterAll(async () => {
	await site?.stop()
	rmSync(dataDir, { recursive: true, force: true })
})

/** Requests as a visitor, unless the headers say otherwise. */
const visit = (path: string, headers: Record<string, string> = {}) =>
	fetch(site.url + path, { headers, redirect: 'manual' })

async function etagOf(path: string, headers: Record<string, string> = {}): Promise<string> {
	const answer = await visit(path, headers)
	await answer.arrayBuffer()
	return answer.headers.get('ETag') ?? ''
}

async function newestQuestion(): Promise<string> {
	const page = await (await visit('/forum')).text()
	return /href="(\/forum\/[a-z-]+\/[\w.-]+\/\d+\/[\w-]+)"/.exec(page)?.[1] ?? ''
}

/** The bytes as transferred: `fetch` decompresses. */
function wire(path: string, headers: Record<string, string>): Promise<{ headers: NodeJS.Dict<unknown>; body: Buffer }> {
	return new Promise((resolve, reject) => {
		ask(site.url + path, { headers }, async (answer) => {
			const chunks = await answer.toArray()
			resolve({ headers: answer.headers, body: Buffer.concat(chunks) })
		})
			.on('error', reject)
			.end()
	})
}

const send = (path: string, fields: Record<string, string>) =>
	fetch(site.url + path, {
		method: 'POST',
		redirect: 'manual',
		headers: { Origin: site.url, Cookie: session },
		body: new URLSearchParams(fields),
	})

test('a visitor with an up-to-date copy gets a 304, the first time and later', async () => {
	const etag = await etagOf('/forum')
	expect(etag).toMatch(/^W\/"[\w-]{22}"$/)
	for (const condition of [etag, `"other", ${etag}`, '*']) {
		const answer = await visit('/forum', { 'If-None-Match': condition })
		expect([answer.status, await answer.text()]).toEqual([304, ''])
		// The visitor's copy may be older, with other hashes of scripts.
		expect(answer.headers.get('Content-Security-Policy')).toBeNull()
		expect(answer.headers.get('Referrer-Policy')).toBe('strict-origin-when-cross-origin')
	}
	expect((await visit('/forum', { 'If-None-Match': '"other"' })).status).toBe(200)
})

test('cached pages have no nonce, and their policy allows exactly their scripts', async () => {
	for (const path of ['/', '/forum', await newestQuestion()]) {
		const answer = await visit(path)
		const html = await answer.text()
		expect(html).not.toContain('nonce="')
		const csp = answer.headers.get('Content-Security-Policy') ?? ''
		expect(csp).not.toContain('nonce-')
		const inline = [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
			([, script = '']) => script,
		)
		expect(inline.length).toBeGreaterThan(1)
		for (const script of inline) {
			const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(script))
			expect(csp).toContain(`'sha256-${Buffer.from(hash).toString('base64')}'`)
		}
	}
})

test.each(['br', 'gzip', 'identity'])('the page is the same in %s, with the same headers', async (coding) => {
	const first = await wire('/forum', { 'Accept-Encoding': coding })
	const second = await wire('/forum', { 'Accept-Encoding': coding })
	expect(second.body.equals(first.body)).toBe(true)
	// Each response has its own request id.
	const known = ({ date: _date, 'x-request-id': _id, ...headers }: NodeJS.Dict<unknown>) => headers
	expect(known(second.headers)).toEqual(known(first.headers))
	expect(first.headers['content-encoding']).toBe(coding === 'identity' ? undefined : coding)
	expect(first.headers.vary).toBe('Accept-Encoding, Cookie')
	if (coding === 'gzip') expect(gunzipSync(first.body).toString()).toContain('<h1')
	const head = await fetch(`${site.url}/forum`, { method: 'HEAD' })
	expect([head.status, await head.text()]).toEqual([200, ''])
})

describe('a reader with a session', () => {
	test('neither gets a cached page nor creates one', async () => {
		await etagOf('/forum')
		const mine = await visit('/forum', { Cookie: session })
		expect(mine.headers.get('ETag')).toBeNull()
		expect(await mine.text()).toContain('account menu')
		expect(await (await visit('/forum')).text()).not.toContain('account menu')
	})
})

test('each theme has a cached page of its own', async () => {
	const [dark, system] = await Promise.all([visit('/forum', { Cookie: 'theme=dark' }), visit('/forum')])
	expect(await dark.text()).toContain('data-theme="dark"')
	expect(await system.text()).not.toContain('data-theme="dark"')
})

test('a flash notice is shown once, to its reader', async () => {
	const flash = encodeURIComponent(JSON.stringify({ type: 'success', message: 'Only for you' }))
	expect(await (await visit('/forum', { Cookie: `flash=${flash}` })).text()).toContain('Only for you')
	expect(await (await visit('/forum')).text()).not.toContain('Only for you')
})

test.each([
	['/forum', true],
	['/forum.data', true],
	['/forum.data?_routes=root', true],
	['/forum.data?_routes=features%2Fforum%2Froutes%2Frecent', false],
	['/suggest/similar?title=react&description=', false],
	['/media/none', false],
])('a request for %s takes the notice away: %s', async (path, taken) => {
	const flash = encodeURIComponent(JSON.stringify({ type: 'success', message: 'Only for you' }))
	const answer = await visit(path, { Cookie: `flash=${flash}` })
	expect(answer.headers.getSetCookie().some((cookie) => cookie.startsWith('flash=;'))).toBe(taken)
})

test('unknown parameters and the order of parameters do not create another entry', async () => {
	const [one, other] = await Promise.all([
		etagOf('/forum?view=active&q=react&utm_source=mail'),
		etagOf('/forum?q=react&fbclid=1&view=active'),
	])
	expect(one).toBe(other)
})

test('other pages are served unchanged', async () => {
	for (const [path, status] of [
		['/forum/category/nothing', 404],
		['/forum/others/nobody/999999', 404],
		['/forum?cursor=forged', 422],
		['/find-dev', 200],
	] as const) {
		const answer = await visit(path)
		expect([path, answer.status]).toEqual([path, status])
		expect(answer.headers.get('ETag')).toBeNull()
	}
})

test('an author sees a write as a visitor at once: asked, commented, edited, deleted', async () => {
	const title = 'Why is my kept page fresh?'
	await etagOf('/forum')
	const asked = await send('/forum/ask', { title, description: 'It is.', tags: 'cache', category: 'others' })
	const url = asked.headers.get('Location') ?? ''
	expect(await (await visit('/forum')).text()).toContain(title)
	expect(await (await visit(url)).text()).toContain('Comments (0)')
	await send(url, { intent: 'comment', body: 'Because it was dropped.' })
	expect(await (await visit(url)).text()).toContain('Because it was dropped.')
	const id = url.split('/')[4]
	const edited = await send(`/forum/edit/mira.quillon/${id}`, {
		title: `${title} Really?`,
		description: 'It is.',
		tags: 'cache',
		category: 'others',
		version: '1',
	})
	expect(edited.status).toBe(303)
	expect(await (await visit('/forum')).text()).toContain(`${title} Really?`)
})

test('two hundred concurrent visitors without a cached page all get the same', async () => {
	const pages = await Promise.all(
		Array.from({ length: 200 }, () => visit('/forum?view=unanswered').then((it) => it.text())),
	)
	expect(new Set(pages).size).toBe(1)
})

async function upload(
	kind: string,
	file: Buffer,
	headers: Record<string, string> = { Cookie: session },
): Promise<Response> {
	const form = new FormData()
	form.set('kind', kind)
	form.set('file', new File([new Uint8Array(file)], 'picture.png'))
	return fetch(`${site.url}/media`, { method: 'POST', headers: { Origin: site.url, ...headers }, body: form })
}

test.each([
	['profile', 96, 'public, max-age=31536000, immutable', 200],
	['certificate', 320, 'private, no-store', 401],
	['project', 640, 'private, no-store', 401],
])(
	'a %s picture is served alone in a sandbox to whom its page is open, for a year if that is everybody',
	async (kind, width, cache, anonymous) => {
		const answer = await upload(kind, await picture('png', 400, 400))
		expect(answer.status).toBe(200)
		const { picture: stored } = (await answer.json()) as { picture: { path: string } }
		const url = `${site.url}/media/${stored.path}-${width}.webp`
		const served = await fetch(url, { headers: { Cookie: session } })
		expect(served.status).toBe(200)
		expect(Object.fromEntries(served.headers)).toMatchObject({
			'content-type': 'image/webp',
			'cache-control': cache,
			'x-content-type-options': 'nosniff',
			'content-security-policy': "default-src 'none'; sandbox",
		})
		// A page may have twenty pictures, and these headers mean something for documents only.
		for (const name of ['permissions-policy', 'cross-origin-opener-policy', 'reporting-endpoints'])
			expect(served.headers.has(name)).toBe(false)
		const known = { Cookie: session, 'If-None-Match': served.headers.get('ETag') ?? '' }
		expect((await fetch(url, { headers: known })).status).toBe(304)
		expect((await fetch(url)).status).toBe(anonymous)
	},
)

test.each([
	['nobody', 'profile', { Cookie: '' }, () => picture('png'), 401, 'unauthenticated'],
	['a page of another site', 'profile', { Origin: 'https://other.example' }, () => picture('png'), 403, null],
	['an unknown kind', 'banner', {}, () => picture('png'), 400, 'invalid-argument'],
	['something that is no picture', 'profile', {}, async () => Buffer.from('<svg/>'), 400, 'invalid-argument'],
	['more than 5 MB', 'profile', {}, async () => Buffer.alloc(5 * 1024 * 1024 + 1), 400, 'invalid-argument'],
	['far more than 5 MB', 'profile', {}, async () => Buffer.alloc(9 * 1024 * 1024), 413, 'invalid-argument'],
])('an upload of %s is refused', async (_what, kind, headers, file, status, error) => {
	const answer = await upload(kind, await file(), { Cookie: session, ...headers })
	expect(answer.status).toBe(status)
	if (error)
		expect(await answer.json()).toMatchObject({ error: { kind: error, message: expect.stringMatching(/\.$|!$/) } })
})

test('uploads are accepted at /media only', async () => {
	const send = (path: string, method = 'POST') =>
		fetch(site.url + path, {
			method,
			headers: { Origin: site.url, Cookie: session },
			body: method === 'GET' ? null : new FormData(),
		})
	expect((await send('/media/profiles/mira')).status).toBe(405)
	expect((await send('/media')).status).toBe(400)
	expect((await send('/media', 'GET')).status).toBe(404)
})

test('an endless upload is cut off while it is received', async () => {
	let sent = 0
	const endless = new ReadableStream({
		pull(controller) {
			sent += 64 * 1024
			controller.enqueue(new Uint8Array(64 * 1024))
			if (sent > 200 * 1024 * 1024) controller.close()
		},
	})
	const request = {
		method: 'POST',
		headers: { Origin: site.url, Cookie: session, 'Content-Type': 'multipart/form-data; boundary=x' },
		body: endless,
		duplex: 'half',
	}
	await fetch(`${site.url}/media`, request as RequestInit).catch(() => null)
	expect(sent).toBeLessThan(100 * 1024 * 1024)
	expect((await fetch(`${site.url}/healthz`)).status).toBe(200)
})

test.each([
	'/media/..%2f..%2fauth-secret',
	'/media/profiles/mira/0123-96.webp',
	`/media/profiles/mira/${'0'.repeat(32)}-97.webp`,
	`/media/profiles/mira/${'0'.repeat(32)}-96.webp`,
	'/media/',
])('%s is a plain 404', async (path) => {
	const answer = await fetch(site.url + path, { headers: { Cookie: session } })
	expect(answer.status).toBe(404)
	expect(await answer.text()).not.toContain('<html')
})
