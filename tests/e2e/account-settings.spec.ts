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
