import { expect, expectNoViolations, expectToFit, logIn, test } from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

test('a member creates a token, reads how to use it, uses it and revokes it', async ({ page, playwright, baseURL }) => {
	await logIn(page)
	await page.goto('/settings')
	await page.getByRole('link', { name: 'New token' }).click()
	await page.getByLabel('Name', { exact: true }).fill('Nightly copy')
	await page.getByLabel('write', { exact: true }).check()
	await page.getByLabel('Expires after').selectOption('7 days')
	await page.getByRole('button', { name: 'Create token' }).click()
	const shown = page.getByText(/^dq_[\w-]{43}$/)
	await expect(shown).toBeVisible()
	const token = await shown.innerText()
	await page.reload()
	await expect(page.getByText('Nightly copy')).toBeVisible()
	await expect(page.getByText(/expires \d+ \w+ \d{4}; never used/)).toBeVisible()
	await expect(page.getByText(token)).toHaveCount(0)

	await page.getByRole('link', { name: 'API', exact: true }).click()
	await expect(page.getByRole('heading', { name: 'Ask a question' })).toBeVisible()
	// A separate context has no cookies.
	const program = await playwright.request.newContext({
		baseURL: baseURL ?? '',
		extraHTTPHeaders: { Authorization: `Bearer ${token}` },
	})
	expect(await (await program.get('/api/v1/me')).json()).toMatchObject({ username: 'mira.quillon', role: 'member' })
	// The token has no scope for messages.
	expect((await program.get('/api/v1/me/conversations')).status()).toBe(403)
	// The token works only for the API.
	expect((await program.get('/settings')).url()).toContain('/login')

	await page.goto('/settings')
	await page.getByRole('button', { name: 'Revoke Nightly copy' }).click()
	await expectNotice(page, 'Token revoked.')
	await expect(page.getByText('Nightly copy')).toHaveCount(0)
	expect((await program.get('/api/v1/me')).status()).toBe(401)
	await program.dispose()
})

test.describe('without JavaScript', () => {
	test.use({ javaScriptEnabled: false })

	test('a token form keeps its input when rejected; the token is created and revoked', async ({ page }) => {
		await logIn(page)
		await page.goto('/settings/tokens')
		await page.getByLabel('Name').fill('Plain')
		await page.getByLabel('read', { exact: true }).uncheck()
		await page.getByRole('button', { name: 'Create token' }).click()
		await expect(page.getByText('Choose at least one permission')).toBeVisible()
		await expect(page.getByRole('alert')).toHaveText('One field needs attention: Permissions')
		await expect(page.getByLabel('Name')).toHaveValue('Plain')
		await page.getByLabel('read', { exact: true }).check()
		await page.getByRole('button', { name: 'Create token' }).click()
		await expect(page.getByText(/^dq_[\w-]{43}$/)).toBeVisible()
		await page.getByRole('button', { name: 'Revoke Plain' }).click()
		await expectNotice(page, 'Token revoked.')
	})
})

test('axe finds no violations in the description of the API in either theme, and it fits a phone', async ({ page }) => {
	await logIn(page)
	// The longest page is checked once per theme, on a wide window in one and a narrow one in the other.
	await page.goto('/api/docs')
	await expectToFit(page, [1280])
	await expectNoViolations(page)
	await expectToFit(page, [360])
	await page.emulateMedia({ colorScheme: 'dark' })
	await expectNoViolations(page)
})
