import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { picture } from '../factories/pictures.ts'
import { logInDemoMember } from '../support/demo-member.ts'
import { type SiteProcess, startSite } from '../support/site-process.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'devquad-media-'))
let site: SiteProcess
let cookie = ''

beforeAll(async () => {
	site = await startSite({ DATA_DIR: dataDir })
	cookie = await logInDemoMember(site.url, dataDir)
})

afterAll(async () => {
	await site?.stop()
	rmSync(dataDir, { recursive: true, force: true })
})

async function upload(
	kind: string,
	file: Buffer,
	headers: Record<string, string> = { Cookie: cookie },
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
		const served = await fetch(url, { headers: { Cookie: cookie } })
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
		const known = { Cookie: cookie, 'If-None-Match': served.headers.get('ETag') ?? '' }
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
	const answer = await upload(kind, await file(), { Cookie: cookie, ...headers })
	expect(answer.status).toBe(status)
	if (error)
		expect(await answer.json()).toMatchObject({ error: { kind: error, message: expect.stringMatching(/\.$|!$/) } })
})

test('uploads are accepted at /media only', async () => {
	const send = (path: string, method = 'POST') =>
		fetch(site.url + path, {
			method,
			headers: { Origin: site.url, Cookie: cookie },
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
		headers: { Origin: site.url, Cookie: cookie, 'Content-Type': 'multipart/form-data; boundary=x' },
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
	const answer = await fetch(site.url + path, { headers: { Cookie: cookie } })
	expect(answer.status).toBe(404)
	expect(await answer.text()).not.toContain('<html')
})
