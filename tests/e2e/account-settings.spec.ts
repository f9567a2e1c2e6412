import type { Page } from '@playwright/test'
import { enrol, enrolAdmin, expect, passTenMinutes, settled, test } from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

/* Settings of an account, and of the site, that need a confirmed session, and those that another tab has changed. */

const password = 'a lantern at the ford'

async function confirm(page: Page): Promise<void> {
	await expect(page.getByRole('heading', { level: 1, name: 'Confirm that it is you' })).toBeVisible()
	await page.getByLabel('Password', { exact: true }).fill(password)
	await page.getByLabel('Password', { exact: true }).press('Enter')
}

test('a personal address is back in its own form after its member has confirmed who they are', async ({ page }) => {
	const username = await enrol(page, 'Petra Personal')
	await page.goto('/settings/email')
	await settled(page)
	await page.getByRole('textbox', { name: 'Personal address' }).fill(`${username}@home.example`)
	await passTenMinutes()
	await page.getByRole('textbox', { name: 'Personal address' }).press('Enter')
	await confirm(page)
	await expectNotice(page, 'What you typed is back: check it and send it again.')
	await expect(page.getByRole('textbox', { name: 'Personal address' })).toHaveValue(`${username}@home.example`)
	await expect(page.getByRole('textbox', { name: 'New address' })).toHaveValue('')
})

test('an admin who confirms who they are amid a form reads that its secret has to be entered again', async ({
	page,
}) => {
	await enrolAdmin(page)
	await page.goto('/admin/settings/other-logins')
	await settled(page)
	await page.getByLabel('GitHub: client id').fill('typed-id')
	await page.getByLabel('GitHub: client secret').fill('typed secret')
	await passTenMinutes()
	await page.getByRole('button', { name: 'Save' }).click()
	await confirm(page)
	await expectNotice(page, 'What you typed is back, except passwords and secrets: enter them again, then send it.')
	await expect(page.getByLabel('GitHub: client id')).toHaveValue('typed-id')
	await expect(page.getByLabel('GitHub: client secret')).toHaveValue('')
})

test('a token that was revoked, and a device that was logged out, in the meantime end with a notice', async ({
	page,
	browser,
}) => {
	const username = await enrol(page, 'Tessa Twotabs')
	await page.goto('/settings/tokens')
	await page.getByLabel('Name', { exact: true }).fill('Two tabs')
	await page.getByRole('button', { name: 'Create token' }).click()
	await expect(page.getByRole('heading', { name: 'Your new token' })).toBeVisible()
	const tab = await page.context().newPage()
	await tab.goto('/settings/tokens')
	for (const [each, notice] of [
		[tab, 'Token revoked.'],
		[page, 'This token has already been revoked.'],
	] as const) {
		await each.getByRole('button', { name: 'Revoke Two tabs' }).press('Enter')
		await expectNotice(each, notice)
		await expect(each.getByRole('heading', { level: 2, name: 'Access tokens' })).toBeFocused()
	}

	const device = await browser.newContext({ baseURL: process.env.SITE_URL ?? '' })
	const send = (path: string, form: Record<string, string>) =>
		device.request.post(path, { form, headers: { Origin: process.env.SITE_URL ?? '' } })
	await send('/login', { email: `${username}@eastmere.example`, password })
	await page.goto('/settings')
	const end = page.getByRole('region', { name: 'Where you are logged in' }).getByRole('button', { name: /^Log out / })
	await expect(end).toHaveCount(2)
	await send('/logout', {})
	await end.first().press('Enter')
	await expectNotice(page, 'This session has already ended.')
	await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
	await expect(page.getByRole('heading', { name: 'Where you are logged in' })).toBeFocused()
	await expect(page).toHaveURL('/settings#sessions')
	const save = page.getByRole('button', { name: 'Save notifications' })
	await save.press('Enter')
	await expectNotice(page, 'Notification settings saved.')
	await expect(save, 'the page stays where it is').toBeInViewport()
	await page.getByRole('link', { name: 'Change password' }).click()
	await expect(page).toHaveURL(`/edit-profile/${username}/change-password`)
	await device.close()
})

test('a new token stays to be copied while an older one is revoked', async ({ page }) => {
	await enrol(page, 'Tessa Turnover')
	await page.goto('/settings/tokens')
	const shown = page.getByText(/^dq_[\w-]{43}$/)
	for (const name of ['Older', 'Newer']) {
		await page.getByLabel('Name', { exact: true }).fill(name)
		await page.getByRole('button', { name: 'Create token' }).click()
		await expect(page.getByRole('button', { name: `Revoke ${name}` })).toBeVisible()
	}
	const token = await shown.innerText()
	await page.getByRole('button', { name: 'Revoke Older' }).click()
	await expectNotice(page, 'Token revoked.')
	await expect(shown).toHaveText(token)
	await page.getByRole('button', { name: 'Revoke Newer' }).click()
	await expect(page.getByRole('button', { name: /^Revoke/ })).toHaveCount(0)
	await expect(shown).toHaveCount(0)
})

test('a member who logs out and in again to confirm their identity returns to the page that required it', async ({
	page,
}) => {
	const username = await enrol(page, 'Rhea Returning')
	await page.goto('/confirm-identity?redirectTo=/settings/passkeys')
	await page.getByRole('main').getByRole('button', { name: 'log out' }).click()
	await page.getByLabel('Email').fill(`${username}@eastmere.example`)
	await page.getByLabel('Password', { exact: true }).fill(password)
	await page.getByRole('button', { name: 'Login', exact: true }).click()
	await expect(page).toHaveURL(/\/settings\/passkeys$/)
})
