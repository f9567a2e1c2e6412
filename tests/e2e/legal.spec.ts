import { enrolAdmin, expect, expectNoViolationsInThemes, expectToFit, logIn, test } from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

/* Terms, from the admin form to the member who accepts them, with and without scripts. */

test('an admin writes terms, a visitor accepts them to register, and a member is asked once about a new version', async ({
	page,
	browser,
}) => {
	const baseURL = process.env.SITE_URL ?? ''
	await enrolAdmin(page)
	await page.goto('/admin/legal')
	await expectNoViolationsInThemes(page)
	await page.getByRole('link', { name: 'Terms', exact: true }).first().click()
	await expect(page.getByLabel('Text', { exact: true })).toHaveValue(/## Your account/)
	await page.getByLabel('Text', { exact: true }).fill('Be kind to {{everyone}}.')
	await page.getByRole('button', { name: 'Publish' }).click()
	await expect(page.getByText('{{everyone}} is not a placeholder').first()).toBeVisible()
	await page.getByLabel('Text', { exact: true }).fill('Be **kind** on {{site}}.')
	await page.getByRole('button', { name: 'Preview' }).click()
	await expect(page.getByRole('region', { name: 'Preview' }).getByText('Be kind on DevQuad.')).toBeVisible()
	await expectNoViolationsInThemes(page)
	await expectToFit(page, [390, 1280])
	await page.getByRole('button', { name: 'Publish' }).click()
	await expect(page.getByRole('heading', { name: 'Please read the terms' })).toBeVisible()
	await expectNoViolationsInThemes(page)
	await expectToFit(page, [390, 1280])
	await page.getByRole('button', { name: 'Accept' }).click()
	await expect(page.getByText(/^Published/).first()).toBeVisible()

	const plain = await browser.newContext({ baseURL, javaScriptEnabled: false })
	const newcomer = await plain.newPage()
	await newcomer.goto('/register')
	await newcomer.getByLabel('Full Name').fill('Tilda Newcome')
	await newcomer.getByLabel('Email').fill('tilda.newcome@eastmere.example')
	for (const label of ['Password', 'Confirm Password'])
		await newcomer.getByLabel(label, { exact: true }).fill('a lantern at the ford')
	await newcomer.getByRole('button', { name: 'Register' }).click()
	await expect(newcomer.getByText('Read the terms and tick the box').first()).toBeVisible()
	// axe needs scripts.
	const visitor = await (await browser.newContext({ baseURL })).newPage()
	await visitor.goto('/register')
	await visitor.getByRole('button', { name: 'Register' }).click()
	await expect(visitor.getByLabel('I accept the terms')).toBeVisible()
	await expectNoViolationsInThemes(visitor)
	await visitor.goto('/privacy')
	await expectNoViolationsInThemes(visitor)
	await expectToFit(visitor, [390, 1280])
	await newcomer.getByLabel('I accept the terms').check()
	for (const label of ['Password', 'Confirm Password'])
		await newcomer.getByLabel(label, { exact: true }).fill('a lantern at the ford')
	await newcomer.getByRole('button', { name: 'Register' }).click()
	await expectNotice(newcomer, 'User registered successfully!')

	// An existing member is asked on the next page and can read on without accepting.
	const reader = await plain.newPage()
	await logIn(reader)
	await reader.goto('/forum/tags')
	await expect(reader.getByRole('heading', { name: 'Please read the terms' })).toBeVisible()
	await reader.getByRole('button', { name: 'Not now' }).click()
	await expect(reader).toHaveURL(/\/forum\/tags$/)
	expect((await reader.request.get('/forum')).url()).toMatch(/\/forum$/)
	// A form says why it cannot be sent, and keeps what was typed.
	await reader.goto('/settings/tokens')
	await reader.getByLabel('Name', { exact: true }).fill('A script')
	await reader.getByRole('button', { name: 'Create token' }).click()
	await expect(reader.getByText('Accept the terms of this site at /terms/accept')).toBeVisible()
	await expect(reader.getByLabel('Name', { exact: true })).toHaveValue('A script')
	await reader.getByRole('contentinfo').getByRole('link', { name: 'Privacy' }).click()
	await expect(reader.getByRole('cell', { name: '90 days' }).first()).toBeVisible()

	// Later journeys expect no terms.
	await page.goto('/admin/legal/terms')
	await page.getByLabel('Text', { exact: true }).fill('')
	await page.getByRole('button', { name: 'Publish' }).click()
	await expect(page.getByText('Withdrawn.').first()).toBeVisible()

	// Where members see their security events, they read how long the site stores them.
	await page.goto('/admin/settings/retention')
	await page.getByLabel('Security events of an account, such as logins').fill('30')
	await page.getByRole('button', { name: 'Save' }).click()
	await expect(page.getByText('such as logins: from “90” to “30”').first()).toBeVisible()
	await page.goto('/settings/activity')
	await expect(page.getByText('The last 50 events of your account, for at most 30 days.')).toBeVisible()
	await page.goto('/admin/settings/retention')
	await page.getByRole('button', { name: 'Undo the change of Security events' }).click()
	await expectNotice(page, 'Undone.')

	// On a private site, strangers see the login and the imprint.
	const readers = async (before: string, who: string) => {
		await page.goto('/admin/settings/access')
		await page.getByLabel('Who may read the site', { exact: true }).selectOption(who)
		await page.getByRole('button', { name: 'Save' }).click()
		await expect(page.getByText(`Who may read the site: from “${before}” to “${who}”`).first()).toBeVisible()
	}
	await readers('Everybody', 'Members only')
	await visitor.goto('/forum')
	await expect(visitor.getByText('This site is for its members. Log in to read it.')).toBeVisible()
	await expectNoViolationsInThemes(visitor)
	await expectToFit(visitor, [390, 1280])
	for (const kind of ['Terms', 'Privacy', 'Imprint']) {
		await visitor.getByRole('contentinfo').getByRole('link', { name: kind }).press('Enter')
		await expect(visitor.getByRole('heading', { level: 1, name: kind })).toBeVisible()
	}
	await readers('Members only', 'Everybody')
	await plain.close()
})
