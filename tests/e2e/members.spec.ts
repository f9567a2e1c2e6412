import { withoutPage } from './support/chat.ts'
import { expect, logIn, test } from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

test('a newcomer registers, logs in, asks, is answered in a thread, edits and deletes', async ({ page }) => {
	await page.goto('/register')
	await page.getByLabel('Full Name').fill('Orin Lampwright')
	await page.getByLabel('Email').fill('orin.lampwright@eastmere.example')
	await page.getByLabel('Password', { exact: true }).fill('a lantern at the ford')
	await page.getByLabel('Confirm Password').fill('a lantern at the ford')
	await page.getByRole('button', { name: 'Register', exact: true }).click()
	await expectNotice(page, 'User registered successfully! Login to continue.')
	await expect(page.getByLabel('Email')).toHaveValue('orin.lampwright@eastmere.example')
	await page.getByLabel('Password', { exact: true }).fill('a lantern at the ford')
	await page.getByRole('button', { name: 'Login', exact: true }).click()
	await page.waitForURL('**/find-dev')

	await page.goto('/forum/ask')
	await page.getByLabel(/^Title/).fill('How do I keep a lantern lit in the rain?')
	await page.getByLabel(/^Description/).fill('The wind comes from **both** sides.\n\n```js\nconst lit = true\n```')
	await page.getByLabel(/^Tags/).fill('Lanterns, rain')
	await page.getByLabel(/^Category/).selectOption('others')
	await page.getByRole('button', { name: 'Post question' }).click()
	await expectNotice(page, 'Query added successfully!')
	await expect(page.getByRole('heading', { level: 1 })).toHaveText('How do I keep a lantern lit in the rain?')
	await expect(page.locator('.prose strong')).toHaveText('both')
	await expect(page.locator('.prose .s-k')).toHaveText('const')

	await page.getByLabel(/your comment/i).fill('A glass chimney helps.')
	await page.getByRole('button', { name: /^comment$/i }).click()
	await expect(page.getByText('A glass chimney helps.')).toBeVisible()
	await page.reload()
	await expect(page.getByRole('heading', { name: 'Comments (1)' })).toBeVisible()
	await page
		.getByRole('link', { name: /^reply/i })
		.or(page.getByRole('button', { name: /^reply/i }))
		.first()
		.click()
	await page.getByLabel(/reply to/i).fill('And a taller wick?')
	await page
		.getByRole('button', { name: /^reply$/i })
		.last()
		.click()
	await expect(page.getByText('And a taller wick?')).toBeVisible()
	await expect(page.getByRole('heading', { name: 'Comments (2)' })).toBeVisible()

	await page.getByRole('link', { name: 'Edit query' }).first().click()
	await page.getByLabel(/^Title/).fill('How do I keep a lantern lit in heavy rain?')
	await page.getByRole('button', { name: 'Save' }).click()
	await expectNotice(page, 'Query updated successfully!')
	await expect(page.getByRole('heading', { level: 1 })).toHaveText('How do I keep a lantern lit in heavy rain?')
})

test.describe('a member without JavaScript', () => {
	test.use({ javaScriptEnabled: false })

	test('logs in, sees the menu with the name, and logs out', async ({ page }) => {
		await logIn(page)
		await page.goto('/find-dev')
		await page.getByRole('button', { name: /account menu/ }).click()
		await page.getByRole('button', { name: 'Logout' }).first().click()
		await page.waitForURL('**/login')
		await expect(page.getByRole('link', { name: 'Register' }).first()).toBeVisible()
	})

	test('changes the theme, which the next page keeps', async ({ page }) => {
		await logIn(page)
		await page.goto('/settings')
		await page.getByRole('button', { name: 'Dark' }).last().click()
		await page.goto('/forum')
		await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
	})
})

test('a rejected form keeps what was typed and shows the error at the field', async ({ page }) => {
	await logIn(page)
	await page.goto('/forum/ask')
	await page.getByLabel(/^Title/).fill('A title that is long enough')
	await page.getByLabel(/^Description/).fill('Something to say')
	await page.getByLabel(/^Tags/).fill('a, b, c, d, e, f, g, h, i, j, k')
	await page.getByRole('button', { name: 'Post question' }).click()
	await expect(page.getByText('A query has at most 10 tags.').first()).toBeVisible()
	await expect(page.getByLabel(/^Title/)).toHaveValue('A title that is long enough')
})

test('a member logged out from another device is logged out on the next page, and recent activity lists both', async ({
	page,
	browser,
}) => {
	const elsewhere = await withoutPage(browser)
	await logIn(elsewhere)
	await logIn(page)
	await page.goto('/settings')
	await page.getByRole('button', { name: 'Log out everywhere else' }).click()
	await expectNotice(page, 'Logged out everywhere else.')
	expect((await elsewhere.request.get('/notifications')).url()).toMatch(/\/login\?redirectTo=/)
	await expect(page.getByRole('region', { name: 'Recent activity' }).getByRole('listitem').first()).toContainText(
		/Ended another session.*Chrome on Linux/,
	)
	await page.getByRole('link', { name: 'All recent activity' }).click()
	await expect(page.getByRole('heading', { level: 1, name: 'Recent activity' })).toBeVisible()
})
