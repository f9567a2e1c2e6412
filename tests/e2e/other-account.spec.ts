import { demoModerator, enrol, expect, expectNoViolationsInThemes, logIn, settled, test } from './support/journey.ts'

/* Two accounts of one browser: a login in one tab is that of all others. */

test('a tab of one member reports that another one has logged in, and continues as them after a reload', async ({
	page,
	context,
}) => {
	await enrol(page, 'Tamsin Taborder')
	await page.goto('/forum/ask')
	await settled(page)
	await page.getByLabel('Title').fill('Asked under which name?')
	// A request that is under way when its session ends is answered with that end, for the whole browser.
	await expect(page.getByText(/^Draft saved/)).toBeVisible()
	await settled(page)
	const bar = page.locator('.connection-bar')
	const other = await context.newPage()
	await logIn(other, demoModerator)
	await other.goto('/forum')
	await expect(bar).toHaveText(/^This browser is logged in as @odalys\.fernbrook now\./)
	await expect(page.getByLabel('Title')).toHaveValue('Asked under which name?')
	await expectNoViolationsInThemes(page)
	await bar.getByRole('button', { name: 'Reload' }).click()
	await expect(page.getByRole('button', { name: 'Odalys Fernbrook, account menu' })).toBeVisible()
	await settled(page)
	await expect(bar).toHaveCount(0)
	await other.close()
})
