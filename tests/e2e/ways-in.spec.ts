import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import pg from 'pg'
import { hashToken } from '../../app/lib/secrets.server.ts'
import { type SiteProcess, siteDatabase, startSite } from '../support/site-process.ts'
import {
	endLinks,
	expect,
	expectNoViolations,
	expectNoViolationsInThemes,
	htmlOf,
	mailedLink,
	test,
} from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

/* A new site that requires confirmed addresses, as its first members find it. */

test.describe.configure({ mode: 'serial' })

const password = 'a lantern at the ford'
const dataDir = mkdtempSync(join(tmpdir(), 'devquad-ways-in-'))
let site: SiteProcess

test.beforeAll(async () => {
	site = await startSite({ DATA_DIR: dataDir, SEED: 'none', REQUIRE_EMAIL_VERIFICATION: '1' })
})

test.afterAll(async () => {
	await site?.stop()
	rmSync(dataDir, { recursive: true, force: true })
})

async function register(page: Page, name: string, email: string): Promise<void> {
	await page.goto(`${site.url}/register`)
	await sendRegistration(page, name, email)
}

async function sendRegistration(page: Page, name: string, email: string, secret = password): Promise<void> {
	await page.getByLabel('Full Name').fill(name)
	await page.getByLabel('Email').fill(email)
	await page.getByLabel('Password', { exact: true }).fill(secret)
	await page.getByLabel('Confirm Password').fill(secret)
	await page.getByRole('button', { name: 'Register', exact: true }).click()
}

async function logIn(page: Page): Promise<void> {
	await expect(page.getByRole('heading', { level: 1, name: 'Login' })).toBeVisible()
	await page.getByLabel('Password', { exact: true }).fill(password)
	await page.getByRole('button', { name: 'Login', exact: true }).click()
}

for (const javaScriptEnabled of [true, false])
	test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
		test.use({ javaScriptEnabled })
		const email = javaScriptEnabled ? 'ada.vale@campus.example' : 'bea.vale@campus.example'

		test('a newcomer learns which passwords are refused, confirms by mail, and logs in', async ({ page, browser }) => {
			await page.goto(`${site.url}/register`)
			// Each message differs from the one before, which the form shows until the next answer.
			for (const [secret, message] of [
				[email, 'This password is too close to the site’s name, your name or your email address.'],
				['password1234', 'This password is too common.'],
				['DevQuad2026', 'This password is too close to the site’s name, your name or your email address.'],
			] as const) {
				await sendRegistration(page, 'Ada Vale', email, secret)
				await expect(page.getByText(message).first()).toBeVisible()
			}
			await sendRegistration(page, 'Ada Vale', email)
			await expectNotice(page, 'We have emailed you a link to confirm your address.')
			const first = await mailedLink(email, { dataDir })
			await logIn(page)
			await expect(page.getByText('or the address is not confirmed yet. Check your email.').first()).toBeVisible()
			// The correct password sent another mail, whose link replaces the first.
			const second = await mailedLink(email, { dataDir, before: first })
			let link = site.url + second
			// The mail is opened on a phone first: another browser, which asks for the password.
			const phone = await browser.newPage({ viewport: { width: 360, height: 740 }, javaScriptEnabled })
			await phone.goto(link)
			await expect(phone.getByText(`“Ada Vale” was registered with ${email}. Is that you?`)).toBeVisible()
			await phone.getByLabel('Password', { exact: true }).fill('not the lantern')
			await phone.getByRole('button', { name: 'Confirm my address' }).click()
			await expect(phone.getByText('This is not the password you chose for this account.').first()).toBeVisible()
			expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
			await phone.close()

			await page.goto(link)
			await expect(page.getByRole('heading', { level: 1, name: 'Confirm your address' })).toBeVisible()
			// Its ten minutes expire while the page is open.
			await endLinks('email_links', dataDir)
			await page.getByRole('button', { name: 'Confirm my address' }).press('Enter')
			await expect(page.getByRole('heading', { level: 1, name: 'This link is too old' })).toBeVisible()
			if (javaScriptEnabled) await expectNoViolationsInThemes(page)
			await page.getByRole('button', { name: 'Send me a new link' }).press('Enter')
			await expect(page.getByRole('heading', { level: 1, name: 'Check your mailbox' })).toBeVisible()
			link = site.url + (await mailedLink(email, { dataDir, before: second }))
			await page.goto(link)
			await page.getByRole('button', { name: 'Confirm my address' }).focus()
			await page.keyboard.press('Enter')
			await expectNotice(page, 'Your address is confirmed. Login to continue.')
			await expect(page.getByLabel('Email')).toHaveValue(email)
			await page.goto(link)
			await expect(page.getByText('This address is already confirmed. Log in.')).toBeVisible()
			await page.getByRole('main').getByRole('link', { name: 'Login' }).click()
			await page.getByLabel('Email').fill(email)
			await logIn(page)
			await page.waitForURL('**/find-dev')
		})

		test('“I did not register” cancels a registration by a stranger', async ({ page }) => {
			const victim = `not-${email}`
			await register(page, 'Somebody Else', victim)
			await expect(page.getByText('We have emailed you a link')).toBeVisible()
			const link = site.url + (await mailedLink(victim, { dataDir }))
			await page.goto(link)
			await page.getByRole('button', { name: 'I did not register' }).click()
			await expectNotice(page, 'The registration is cancelled. Nobody can log in with it.')
			expect((await page.goto(link))?.status()).toBe(422)
			await expect(page.getByRole('heading', { level: 1, name: 'Not confirmed' })).toBeVisible()
		})
	})

test('“I did not register” that is pressed twice cancels the registration once', async ({ page }) => {
	const email = 'twice.vale@campus.example'
	await register(page, 'Twice Vale', email)
	await page.goto(site.url + (await mailedLink(email, { dataDir })))
	const [decided, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
	let sent = 0
	await page.route('**/verify-email.data*', async (route) => {
		if (route.request().method() !== 'POST') return route.continue()
		sent += 1
		const response = await route.fetch({ maxRedirects: 0 })
		decided.resolve()
		await done.promise
		await route.fulfill({ response }).catch(() => {})
	})
	await page.getByRole('button', { name: 'I did not register' }).press('Enter')
	await decided.promise
	await page.keyboard.press('Enter')
	done.resolve()
	await expectNotice(page, 'The registration is cancelled.')
	await expect(page).toHaveURL(`${site.url}/login`)
	expect(sent).toBe(1)
})

test('keyboard only: the link printed at startup makes one member admin, and its pages pass axe', async ({ page }) => {
	const claim = /\/claim-admin\?token=\S+/.exec(site.output())?.[0] ?? ''
	await page.goto(site.url + claim)
	await expect(page).toHaveURL(/\/login\?redirectTo=/)
	await page.getByLabel('Email').fill('ada.vale@campus.example')
	await logIn(page)
	await expect(page.getByRole('heading', { level: 1, name: 'Become the admin of this site?' })).toBeVisible()
	await expectNoViolations(page)
	await page.getByRole('button', { name: 'Become admin' }).focus()
	await page.keyboard.press('Enter')
	await expectNotice(page, 'You are now the admin of this site.')
	await expect(page).toHaveURL(`${site.url}/admin`)
	await expect(page.getByText('Make your site ready')).toBeVisible()
	await page.goto(site.url)
	await expect(page.getByRole('main')).toContainText('Nobody has asked a question yet. Ask the first.')
	await expect(page.getByRole('region', { name: 'Recent questions' })).toContainText('No questions yet.')
	expect(await htmlOf(page, `${site.url}/forum/tags`)).toContain('No tags yet.')
	expect((await page.request.get(`${site.url}/moderation/log`)).status()).toBe(200)
	expect((await page.goto(site.url + claim))?.status()).toBe(422)
	await expect(page.getByRole('heading', { name: 'This link no longer works' })).toBeVisible()
	await expectNoViolations(page)
})

test('the confirmation page passes axe in either theme and fits a phone', async ({ browser }) => {
	const context = await browser.newContext({ viewport: { width: 360, height: 740 } })
	const page = await context.newPage()
	const email = 'look@campus.example'
	await register(page, 'Lina Look', email)
	await expect(page.getByText('We have emailed you a link')).toBeVisible()
	const link = site.url + (await mailedLink(email, { dataDir }))
	await page.goto(link)
	await expectNoViolationsInThemes(page)
	await page.context().clearCookies()
	await page.goto(link)
	await expect(page.getByLabel('Password', { exact: true })).toBeVisible()
	await expectNoViolationsInThemes(page)
	expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
	await page.getByRole('button', { name: 'Confirm my address' }).click()
	await expect(page.getByText('Password field is required!').first()).toBeVisible()
	await expectNoViolationsInThemes(page)
	await context.close()
})

test('after many registrations from one network, the browser computes a proof of work, even on a page opened before', async ({
	page,
}) => {
	const address = '203.0.113.77'
	await page.setExtraHTTPHeaders({ 'X-Forwarded-For': address })
	await page.goto('/register')
	const client = new pg.Client(siteDatabase(process.env.SITE_DATA_DIR ?? ''))
	await client.connect()
	// Old enough that nobody has to wait, and recent enough to count.
	const count = () =>
		client.query(
			`insert into attempts (key, count, last_at) values ($1, 31, now() - interval '5 minutes')
			on conflict (key) do update set last_at = excluded.last_at`,
			[`register-address:${hashToken(address)}`],
		)
	await count()
	await page.getByLabel('Full Name').fill('Cleo Fenn')
	await page.getByLabel('Email').fill('cleo.fenn@campus.example')
	const fillPasswords = async () => {
		await page.getByLabel('Password', { exact: true }).fill(password)
		await page.getByLabel('Confirm Password').fill(password)
	}
	await fillPasswords()
	const press = page.getByRole('button', { name: 'Register', exact: true })
	await press.click()
	await expect(
		page.getByText('Many people have just registered from your network. Press Register again.').first(),
	).toBeVisible()
	// The time for the work is random: some 65,000 hashes, sometimes four times as many.
	await expect(page.locator('input[name=proof]')).toHaveValue(/^\d+$/, { timeout: 120_000 })
	await expectNoViolations(page)
	await fillPasswords()
	await count()
	await press.click()
	await expect(page.getByRole('heading', { level: 1, name: 'Login' })).toBeVisible()
	await client.end()
})
