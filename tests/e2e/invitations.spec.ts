import type { Page } from '@playwright/test'
import { anotherBrowser } from './support/chat.ts'
import {
	enrolAdmin,
	expect,
	expectNoViolations,
	expectNoViolationsInThemes,
	expectToFit,
	mailedLink,
	test,
} from './support/journey.ts'

const password = 'a lantern at the ford'

async function join(page: Page, name: string, email?: string): Promise<void> {
	await page.getByLabel('Full Name').fill(name)
	if (email) await page.getByLabel('Email').fill(email)
	await page.getByLabel('Password', { exact: true }).fill(password)
	await page.getByLabel('Confirm Password').fill(password)
	await page.getByRole('button', { name: 'Join', exact: true }).click()
}

test('an admin invites by link and by list; invited people join with and without scripts, and the link is used up', async ({
	page,
	browser,
}) => {
	await enrolAdmin(page)
	await page.goto('/admin/invitations/list')
	await page
		.getByLabel('Or paste the addresses')
		.fill(
			[
				'tom.early@eastmere.example',
				'no address at all',
				'TOM.EARLY@eastmere.example',
				'mira.quillon@eastmere.example',
			].join('\n'),
		)
	await page.getByLabel('Cohort').fill('Day School 2027')
	await page.getByRole('button', { name: 'Check the list' }).click()
	await expect(page.getByText('1 address would be mailed.')).toBeVisible()
	await expect(page.getByText('Line 2: no address at all')).toBeVisible()
	await expect(page.getByText('This site has no mail server, so nobody gets these mails')).toBeVisible()
	await expectNoViolations(page)
	await page.getByRole('button', { name: 'Send 1 mail' }).click()
	await expect(page.getByText('Being sent')).toBeVisible()
	const list = page.url()

	// Mails to a list are sent within a minute. Test the link in the meantime.
	await page.goto('/admin/invitations')
	await page.getByLabel('Number of uses').fill('none')
	await page.getByRole('button', { name: 'Make link' }).click()
	await expect(page.getByRole('alert').first()).toHaveText('One field needs attention: Number of uses')
	await page.getByLabel('Number of uses').fill('1')
	await page.getByLabel('Cohort').fill('Night School 2027')
	await page.getByRole('button', { name: 'Make link' }).click()
	const link =
		(await page
			.getByRole('status')
			.getByText(/\/invite\?token=/)
			.textContent()) ?? ''
	await expectNoViolationsInThemes(page)
	await expectToFit(page, [390])

	const newcomer = await (await anotherBrowser(browser, { javaScriptEnabled: false })).newPage()
	await newcomer.goto(link)
	await expect(newcomer.getByText('You are invited as Night School 2027.')).toBeVisible()
	await join(newcomer, 'Nadia Late', 'nadia.late@eastmere.example')
	await expect(newcomer.getByRole('heading', { level: 1, name: 'Login' })).toBeVisible()
	await newcomer.goto(link)
	await expect(newcomer.getByRole('heading', { level: 1, name: 'You cannot join with this link' })).toBeVisible()
	await page.reload()
	await expect(page.getByText('1 of 1 use')).toBeVisible()
	await expect(page.getByText(/Night School 2027, used up/)).toBeVisible()
	await page.getByRole('link', { name: 'Who came' }).click()
	await expect(page.getByText('Nadia Late').first()).toBeVisible()

	// A new link stays to be copied whatever is done next, unless it is revoked.
	await page.goto('/admin/invitations')
	for (const cohort of ['Older', 'Newer']) {
		await page.getByLabel('Cohort').fill(cohort)
		await page.getByRole('button', { name: 'Make link' }).click()
		await expect(page.getByRole('button', { name: `Revoke the link ${cohort}` })).toBeVisible()
	}
	const shown = page.getByRole('status').getByText(/\/invite\?token=/)
	await page.getByRole('button', { name: 'Revoke the link Older' }).press('Enter')
	await expect(page.getByText('Older, revoked')).toBeVisible()
	await expect(page.getByRole('heading', { name: 'Links' })).toBeFocused()
	await expect(shown).toBeVisible()
	await page.getByRole('button', { name: 'Revoke the link Newer' }).click()
	await expect(page.getByText('Newer, revoked')).toBeVisible()
	await expect(shown).toHaveCount(0)

	const visitor = await (await anotherBrowser(browser)).newPage()
	await expect(async () => {
		await visitor.goto(await mailedLink('tom.early@eastmere.example'))
	}).toPass({ timeout: 90_000 })
	await expect(visitor.getByText('tom.early@eastmere.example is invited as Day School 2027.')).toBeVisible()
	await expectNoViolations(visitor)
	await join(visitor, 'Tom Early')
	await expect(visitor.getByRole('heading', { level: 1, name: 'Login' })).toBeVisible()
	await page.goto(list)
	await expect(page.getByText('1 of 1 address mailed, 1 joined.')).toBeVisible()
	await page.getByRole('link', { name: 'Who joined' }).click()
	await expect(page.getByText('Tom Early').first()).toBeVisible()
	await expect(page.getByText('Nadia Late')).toHaveCount(0)
})
