import { mkdtempSync, rmSync } from 'node:fs'
import { request as ask } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { logInDemoMember } from '../support/demo-member.ts'
import { type SiteProcess, startSite } from '../support/site-process.ts'

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
