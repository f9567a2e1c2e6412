import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoAccounts } from '~/features/forum/import/demo-account.server.ts'
import { type SiteProcess, startSite } from '../support/site-process.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'devquad-proxy-'))
let site: SiteProcess

beforeAll(async () => {
	site = await startSite({ DATA_DIR: dataDir, TRUST_PROXY: '1', PUBLIC_URL: 'https://quad.example', LOG_LEVEL: 'info' })
}, 60_000)

afterAll(async () => {
	await site?.stop()
	rmSync(dataDir, { recursive: true, force: true })
})

/** What a proxy that ends TLS for quad.example passes on. */
async function logIn(origin: string): Promise<Response> {
	const password = (await demoAccounts(dataDir))?.member.password ?? ''
	return fetch(`${site.url}/login`, {
		method: 'POST',
		redirect: 'manual',
		headers: {
			Origin: origin,
			'X-Forwarded-Proto': 'https',
			'X-Forwarded-Host': 'quad.example',
			'X-Forwarded-For': '203.0.113.9',
		},
		body: new URLSearchParams({ email: 'mira.quillon@eastmere.example', password }),
	})
}

test('a member logs in through a proxy, with cookies that only TLS carries', async () => {
	const answer = await logIn('https://quad.example')
	expect(answer.status).toBe(303)
	expect(answer.headers.get('Strict-Transport-Security')).toMatch(/^max-age=\d+/)
	const cookies = answer.headers.getSetCookie().filter((cookie) => /session/.test(cookie))
	expect(cookies.length).toBeGreaterThan(0)
	for (const cookie of cookies) expect(cookie).toMatch(/^__Host-(?=.*HttpOnly)(?=.*Secure)(?=.*SameSite=Lax)/i)
})

test('the same form from a page of another site is refused, and nothing is logged about it', async () => {
	const answer = await logIn('https://other.example')
	expect(answer.status).toBe(403)
	expect(answer.headers.getSetCookie()).toEqual([])
	expect(site.output()).not.toContain('"level":50')
})
