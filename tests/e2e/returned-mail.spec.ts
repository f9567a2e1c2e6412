import type { APIRequestContext } from '@playwright/test'
import {
	bounceSecret,
	enrol,
	enrolAdmin,
	expect,
	expectNoViolationsInThemes,
	expectToFit,
	hydrated,
	mailedLink,
	test,
} from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

/* A bounced mail: what the member sees and does about it on a phone, and what an admin does without scripts. */

/** A mail provider's report on an address. */
async function report(request: APIRequestContext, recipient: string, event: object): Promise<void> {
	const answer = await request.post('/mail/bounces', {
		headers: { Authorization: `Bearer ${bounceSecret}` },
		data: { recipient, ...event },
	})
	expect(await answer.json()).toEqual({ noted: true })
}

const gone = { type: 'bounce', permanent: true, status: '5.1.1' }

test('a member learns of bounced mail and clears it with a test mail; an admin sees the reason and clears it', async ({
	page,
	browser,
	request,
}) => {
	const username = await enrol(page, 'Rona Turnback')
	const email = `${username}@eastmere.example`
	await report(request, email, gone)
	await page.goto('/settings')
	const notice = page.getByRole('region', { name: `Mail to ${email} came back` })
	await expect(notice).toContainText('We have stopped emailing you notifications.')
	await expect(page.getByRole('region', { name: 'Notifications' })).toContainText('No notifications are emailed to you')
	await expectToFit(page, [1280, 390])
	await expectNoViolationsInThemes(page)
	await hydrated(page)
	await notice.getByRole('button', { name: 'Send a test mail' }).press('Enter')
	await page.waitForURL('**/settings/email')
	await expect(notice).toBeVisible()

	// The link is opened from a mail program, without scripts. It changes nothing until its button is pressed.
	const context = await browser.newContext({
		baseURL: process.env.SITE_URL ?? '',
		javaScriptEnabled: false,
		storageState: await page.context().storageState(),
		viewport: { width: 390, height: 844 },
	})
	const mailed = await context.newPage()
	await mailed.goto(await mailedLink(email))
	await expect(mailed.getByRole('heading', { name: `Mail to ${email} came back` })).toBeVisible()
	await mailed.getByRole('button', { name: 'Mail arrives again' }).click()
	await expect(mailed.getByRole('heading', { name: 'Email addresses' })).toBeVisible()
	await expect(mailed.getByRole('button', { name: 'Send a test mail' })).toHaveCount(0)

	// The member reports a mail as spam, then wants mails again.
	await report(request, email, { type: 'complaint' })
	await page.reload()
	await page.getByRole('button', { name: 'Email me again' }).click()
	await expect(page.getByRole('button', { name: 'Email me again' })).toHaveCount(0)

	await report(request, email, gone)
	await context.clearCookies()
	await enrolAdmin(mailed)
	await mailed.goto('/admin/members')
	await mailed.getByLabel('State').selectOption('Mail comes back')
	await mailed.getByRole('button', { name: 'Search' }).click()
	await expect(mailed.getByRole('listitem').filter({ hasText: 'Rona Turnback' })).toContainText('mail comes back')
	await mailed.getByRole('link', { name: 'Rona Turnback' }).click()
	const mail = mailed.getByRole('region', { name: 'Mail' })
	await expect(mail).toContainText('There is no such mailbox (5.1.1).')
	await expectToFit(mailed, [390])
	await mail.getByRole('button', { name: 'Clear' }).click()
	await expectNotice(mailed, 'Notifications are mailed again.')
	await expect(mail).toHaveCount(0)
	await context.close()
})
