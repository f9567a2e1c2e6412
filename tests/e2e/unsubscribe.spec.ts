import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import pg from 'pg'
import { siteDatabase } from '../support/site-process.ts'
import { enrol, expect, expectNoViolations, newPassword, submit, test } from './support/journey.ts'

/* The mail about missed activity, from the comment that triggers it to the click that unsubscribes. */

const dataDir = () => process.env.SITE_DATA_DIR ?? ''

/** Makes all pending mails due, and runs the mail job now, not within the hour. */
async function passTheHour(): Promise<void> {
	const { DATABASE_URL } = process.env
	const client = new pg.Client(DATABASE_URL ? { connectionString: DATABASE_URL } : siteDatabase(dataDir()))
	await client.connect()
	await client.query(`update notification_boxes set mail_due_at = now() where mail_due_at is not null`)
	await client.query(`select graphile_worker.add_job('mail-digests')`)
	await client.end()
}

/** The mails to an address, as written to the mail folder. */
function mailsTo(address: string): string[] {
	const folder = join(dataDir(), 'mail')
	// The first mail creates the folder.
	const files = existsSync(folder) ? readdirSync(folder) : []
	const mails = files.map((file) => readFileSync(join(folder, file), 'utf8'))
	const whole = mails.map((mail) =>
		mail
			.replace(/=\r?\n/g, '')
			.replaceAll('=3D', '=')
			.replace(/\r?\n[ \t]/g, ' '),
	)
	return whole.filter((mail) => mail.includes(`To: ${address}`) && mail.includes('List-Unsubscribe-Post'))
}

/** A member who got an answer and did not look. @returns the path in the header of the mail about it */
async function missAnAnswer(page: Page, name: string): Promise<string> {
	const username = await enrol(page, name)
	const post = async (form: Record<string, string>, path: string) => {
		const answer = await page.request.post(path, {
			form,
			headers: { Origin: process.env.SITE_URL ?? '' },
			maxRedirects: 0,
		})
		return new URL(answer.headers().location ?? '', process.env.SITE_URL).pathname
	}
	const title = `Who writes to ${name}?`
	const path = await post({ title, description: 'By mail.', tags: 'mailing', category: 'others' }, '/forum/ask')
	await page.context().clearCookies()
	await enrol(page, `${name} Answerer`)
	await post({ intent: 'comment', body: 'I do.' }, path)
	await page.context().clearCookies()
	await passTheHour()
	const address = `${username}@eastmere.example`
	await expect.poll(() => mailsTo(address).length).toBe(1)
	const mail = mailsTo(address)[0] ?? ''
	expect(mail).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
	expect(mail).toMatch(/\/forum\/comment\/\d+/)
	const link = /List-Unsubscribe: <([^>]+)>/.exec(mail)?.[1] ?? ''
	return link.slice(link.indexOf('/unsubscribe'))
}

async function wantsMails(page: Page, name: string): Promise<boolean> {
	const email = `${name.toLowerCase().replaceAll(' ', '.')}@eastmere.example`
	await submit(page, '/login', { email, password: newPassword })
	await page.goto('/settings')
	return page.getByLabel('Email me what I missed').isChecked()
}

test('the link in a mail opens a page whose button unsubscribes, without a login', async ({ page }) => {
	const path = await missAnAnswer(page, 'Una Scribe')
	await page.goto(path)
	await expect(page.getByRole('heading', { name: 'Unsubscribe?' })).toBeVisible()
	await expectNoViolations(page)
	await page.getByRole('button', { name: 'Unsubscribe' }).click()
	await expect(page.getByRole('heading', { name: 'You are unsubscribed.' })).toBeVisible()
	expect(await wantsMails(page, 'Una Scribe')).toBe(false)
})

test('opening the link unsubscribes nobody, but one click in a mail program does', async ({ page, playwright }) => {
	const path = await missAnAnswer(page, 'Otto Click')
	// A mail program has neither cookies nor our origin.
	const program = await playwright.request.newContext({ baseURL: process.env.SITE_URL ?? '' })
	expect((await program.get(path)).status()).toBe(200)
	expect(await wantsMails(page, 'Otto Click')).toBe(true)
	const answer = await program.post(path, { form: { 'List-Unsubscribe': 'One-Click' } })
	expect(answer.status()).toBe(200)
	await program.dispose()
	await page.reload()
	await expect(page.getByLabel('Email me what I missed')).not.toBeChecked()
})
