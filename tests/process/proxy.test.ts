import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SiteProcess, startSite } from '../support/site-process.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'devquad-proxy-'))
const password = 'a lantern at the ford'
let site: SiteProcess

beforeAll(async () => {
	site = await startSite({
		DATA_DIR: dataDir,
		TRUST_PROXY: '1',
		PUBLIC_URL: 'https://quad.example',
		LOG_LEVEL: 'info',
		SEED: 'none',
	})
	const registered = await send('/register', 'https://quad.example', { name: 'Mira Vale', confirmPassword: password })
	expect(registered.status).toBe(303)
})

afterAll(async () => {
	await site?.stop()
	rmSync(dataDir, { recursive: true, force: true })
})

/** What a TLS-terminating proxy for quad.example forwards. */
function send(path: string, origin: string, more: Record<string, string> = {}): Promise<Response> {
	return fetch(site.url + path, {
		method: 'POST',
		redirect: 'manual',
		headers: {
			Origin: origin,
			'X-Forwarded-Proto': 'https',
			'X-Forwarded-Host': 'quad.example',
			'X-Forwarded-For': '203.0.113.9',
		},
		body: new URLSearchParams({ email: 'mira@eastmere.example', password, ...more }),
	})
}

test('a member logs in through a proxy, with Secure cookies', async () => {
	const answer = await send('/login', 'https://quad.example')
	expect(answer.status).toBe(303)
	expect(answer.headers.get('Strict-Transport-Security')).toMatch(/^max-age=\d+/)
	const cookies = answer.headers.getSetCookie().filter((cookie) => /session|device/.test(cookie))
	expect(cookies.map((cookie) => cookie.split('=')[0])).toEqual(
		expect.arrayContaining(['__Host-session', '__Host-device']),
	)
	for (const cookie of cookies) expect(cookie).toMatch(/^__Host-(?=.*HttpOnly)(?=.*Secure)(?=.*SameSite=Lax)/i)
})

test('a cross-site form is rejected without a log line', async () => {
	const answer = await send('/login', 'https://other.example')
	expect(answer.status).toBe(403)
	expect(answer.headers.getSetCookie()).toEqual([])
	expect(site.output()).not.toContain('"level":50')
})
