import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashPassword } from '~/features/accounts/security/credentials.server.ts'
import { type DemoAccount, makeDemoAccounts } from '~/features/demo/demo-account.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../factories/forum.ts'
import { useDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { password, requestPage, testDatabaseUrl } from '../support/members-site.ts'
import { type SiteProcess, startSite } from '../support/site-process.ts'

useDatabase()

const dataDir = mkdtempSync(join(tmpdir(), 'devquad-ways-'))
let site: SiteProcess
let demo: (DemoAccount | null)[]

beforeAll(async () => {
	const { member, moderator } = await makeDemoAccounts(dataDir)
	demo = [member, moderator]
	// On a site with members the start adds no demo content, which takes 6 s of processor time.
	for (const account of demo) if (account) await addMember(account)
	site = await startSite({
		DATA_DIR: dataDir,
		DATABASE_URL: await testDatabaseUrl(),
		PUBLIC_URL: 'https://quad.example',
		TRUST_PROXY: '1',
		REQUIRE_EMAIL_VERIFICATION: '1',
	})
})

afterAll(async () => {
	await site?.stop()
	rmSync(dataDir, { recursive: true, force: true })
})

/** Adds a member with a password, as the demo content does. */
async function addMember({ email, password }: DemoAccount): Promise<void> {
	const { id } = await makeMember(email.split('@')[0] ?? '')
	await db().updateTable('users').set({ email, email_verified: true }).where('id', '=', id).execute()
	const account = { user_id: id, account_id: String(id), provider_id: 'credential' }
	await db()
		.insertInto('credentials')
		.values({ ...account, password: await hashPassword(password) })
		.execute()
}

const ask = (path: string, cookie = '', form?: Record<string, string>) => requestPage(site.url, path, cookie, form)

const cookiesOf = (response: Response) =>
	response.headers
		.getSetCookie()
		.filter((cookie) => cookie.startsWith('__Host-'))
		.map((cookie) => cookie.split(';')[0])
		.join('; ')

/** The path in the newest mail to an address, once it was written. */
async function mailedPath(email: string): Promise<string> {
	let path = ''
	await eventually(() => {
		const folder = join(dataDir, 'mail')
		const mails = readdirSync(folder)
			.sort()
			.map((file) => readFileSync(join(folder, file), 'utf8'))
		const mail = mails.findLast((text) => text.includes(`To: ${email}`)) ?? ''
		const plain = mail.replace(/=\r?\n/g, '').replaceAll('=3D', '=')
		path = /https:\/\/quad\.example(\/\S+\?token=[\w-]+)/.exec(plain)?.[1] ?? ''
		expect(path).not.toBe('')
	})
	return path
}

/** All rows that a mailed link could change. */
async function rows(): Promise<string> {
	const tables = [
		'users',
		'credentials',
		'registrations',
		'email_links',
		'campus_links',
		'verifications',
		'admin_claims',
		'profiles',
	]
	const { rows: all } = await sql<{ row: string }>`
		${sql.join(
			tables.map((table) => sql`select to_jsonb(t)::text as row from ${sql.table(table)} as t`),
			sql` union all `,
		)} order by row`.execute(db())
	return all.map(({ row }) => row).join('\n')
}

async function opensOnly(path: string, cookie = ''): Promise<string> {
	const before = await rows()
	const head = await fetch(site.url + path, { method: 'HEAD', redirect: 'manual', headers: { Cookie: cookie } })
	expect([path, head.status]).toEqual([path, 200])
	const page = await ask(path, cookie)
	expect(page.status).toBe(200)
	await ask(path.replace('?', '.data?'), cookie)
	expect(await rows()).toBe(before)
	return page.text()
}

const tokenOf = (path: string) => new URL(path, site.url).searchParams.get('token') ?? ''

test('at a public address, the start prints no demo account, and none can be used', async () => {
	expect(site.output()).toContain('Become admin once: https://quad.example/claim-admin?token=')
	expect(site.output()).not.toContain('Demo')
	for (const account of demo) {
		const refused = await ask('/login', '', { email: account?.email ?? '', password: account?.password ?? '' })
		expect([refused.status, cookiesOf(refused)]).toEqual([422, ''])
	}
	const ordinary = { email: 'ordinary@campus.example', password }
	await addMember(ordinary)
	expect((await ask('/login', '', ordinary)).status, 'any other member with such rows can log in').toBe(303)
})

test('a mailed link only opens a page; its button works once, even pressed twenty times, and one member becomes admin', async () => {
	const email = 'wanda.vale@campus.example'
	const form = { name: 'Wanda Vale', email, password, confirmPassword: password }
	const registered = await ask('/register', '', form)
	expect(registered.status).toBe(303)
	const browser = cookiesOf(registered)
	expect(registered.headers.getSetCookie().find((cookie) => cookie.startsWith('__Host-device='))).toMatch(
		/^__Host-device=[\w-]{32}; (?=.*Path=\/)(?=.*HttpOnly)(?=.*Secure)(?=.*SameSite=Lax)(?=.*Max-Age=31536000)/,
	)

	const first = await mailedPath(email)
	const early = await ask('/login', '', { email, password })
	expect([early.status, cookiesOf(early)]).toEqual([422, ''])
	// The right password mailed another link, which replaces the first.
	await eventually(async () => expect(await mailedPath(email)).not.toBe(first))
	expect((await ask('/verify-email', browser, { token: tokenOf(first) })).status).toBe(422)
	const late = await mailedPath(email)
	await sql`update email_links set works_until = now()`.execute(db())
	expect(await opensOnly(late, browser)).toContain('Send me a new link')
	// The page was open when the link expired.
	const refused = await ask('/verify-email', browser, { token: tokenOf(late) })
	expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('works for 10 minutes')])
	for (const token of ['nonsense', tokenOf(late)]) {
		const resent = await ask('/verify-email', '', { token, intent: 'resend' })
		expect([resent.status, resent.headers.get('Location')]).toEqual([302, '/verify-email?sent'])
	}
	expect(await (await ask('/verify-email?sent')).text()).toContain('We send at most three an hour.')
	await eventually(async () => expect(await mailedPath(email)).not.toBe(late))
	const confirmation = await mailedPath(email)
	const page = await opensOnly(confirmation, browser)
	expect(page).toContain('Wanda Vale')
	expect(page).toContain('I did not register')
	expect(page).not.toContain('type="password"')
	expect(await opensOnly(confirmation)).toContain('type="password"')
	const presses = await Promise.all(
		Array.from({ length: 20 }, () => ask('/verify-email', browser, { token: tokenOf(confirmation) })),
	)
	expect(presses.map(({ status }) => status)).toEqual(Array(20).fill(303))
	expect((await sql`select from users where email = ${email}`.execute(db())).rows).toHaveLength(1)
	expect(await opensOnly(confirmation)).toContain('This address is already confirmed. Log in.')

	const cookie = cookiesOf(await ask('/login', browser, { email, password }))
	expect(cookie).toContain('__Host-session=')
	await sql`truncate account_mails`.execute(db())
	await ask('/forgot-password', '', { email })
	await eventually(async () => expect(await mailedPath(email)).toMatch(/^\/reset-password/))
	await opensOnly(await mailedPath(email))

	const claim = /claim-admin\?token=\S+/.exec(site.output())?.[0] ?? ''
	expect((await ask(`/${claim}`)).headers.get('Location')).toBe(`/login?redirectTo=${encodeURIComponent(`/${claim}`)}`)
	expect(await opensOnly(`/${claim}`, cookie)).toContain('Become the admin of this site?')
	expect((await ask('/claim-admin', '', { token: tokenOf(claim) })).headers.get('Location')).toMatch(/^\/login/)
	const claims = await Promise.all(
		Array.from({ length: 5 }, () => ask('/claim-admin', cookie, { token: tokenOf(claim) })),
	)
	expect(claims.map(({ status }) => status).sort()).toEqual([303, 422, 422, 422, 422])
	const { rows: admins } = await sql<{ email: string }>`select email from users where role = 'admin'`.execute(db())
	expect(admins).toEqual([{ email }])
	expect((await ask(`/${claim}`, cookie)).status).toBe(422)
})

test('through a proxy that ends TLS, a login sets Secure cookies, and a cross-site form is rejected without a log line', async () => {
	const logIn = (origin: string) =>
		fetch(`${site.url}/login`, {
			method: 'POST',
			redirect: 'manual',
			headers: {
				Origin: origin,
				'X-Forwarded-Proto': 'https',
				'X-Forwarded-Host': 'quad.example',
				'X-Forwarded-For': '203.0.113.9',
			},
			body: new URLSearchParams({ email: 'wanda.vale@campus.example', password }),
		})
	const answer = await logIn('https://quad.example')
	expect(answer.status).toBe(303)
	expect(answer.headers.get('Strict-Transport-Security')).toMatch(/^max-age=\d+/)
	const cookies = answer.headers.getSetCookie().filter((cookie) => /session|device/.test(cookie))
	expect(cookies.map((cookie) => cookie.split('=')[0])).toEqual(
		expect.arrayContaining(['__Host-session', '__Host-device']),
	)
	for (const cookie of cookies) expect(cookie).toMatch(/^__Host-(?=.*HttpOnly)(?=.*Secure)(?=.*SameSite=Lax)/i)

	const errors = () => site.output().split('"level":50').length
	const before = errors()
	const refused = await logIn('https://other.example')
	expect([refused.status, refused.headers.getSetCookie()]).toEqual([403, []])
	// The output comes by a pipe, later than the response: the line of this report is after what the login has logged.
	const body = JSON.stringify({ 'csp-report': { 'effective-directive': 'after-the-login' } })
	await fetch(`${site.url}/csp-report`, { method: 'POST', headers: { 'Content-Type': 'application/csp-report' }, body })
	await eventually(() => expect(site.output()).toContain('after-the-login'))
	expect(errors()).toBe(before)
})

test('fifty concurrent logins are all answered, and other requests are served meanwhile', async () => {
	const waits: number[] = []
	let isOver = false
	const watching = (async () => {
		while (!isOver) {
			const begun = performance.now()
			await (await fetch(`${site.url}/healthz`)).text()
			waits.push(performance.now() - begun)
		}
	})()
	const logins = Array.from({ length: 50 }, (_, index) =>
		ask('/login', '', { email: `nobody${index}@campus.example`, password: 'a wrong password' }),
	)
	const began = performance.now()
	const answers = await Promise.all(logins)
	const tookMs = performance.now() - began
	isOver = true
	await watching
	for (const { status } of answers) expect([422, 429]).toContain(status)
	// As a share of the total, as other tests use the machine: with all threads hashing, a request waited most of the time.
	expect(Math.max(...waits) / tookMs).toBeLessThan(0.5)
})
