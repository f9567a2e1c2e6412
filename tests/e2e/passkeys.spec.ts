import { enrol, expect, expectNoViolationsInThemes, expectToFit, test } from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

test('a member adds a passkey, logs in with it, confirms with it, renames it and removes it', async ({ page }) => {
	const browser = await page.context().newCDPSession(page)
	await browser.send('WebAuthn.enable')
	await browser.send('WebAuthn.addVirtualAuthenticator', {
		options: {
			protocol: 'ctap2',
			transport: 'internal',
			hasResidentKey: true,
			hasUserVerification: true,
			isUserVerified: true,
			automaticPresenceSimulation: true,
		},
	})
	await enrol(page, 'Kyra Keyring')
	await page.goto('/settings/passkeys')
	await page.getByLabel('Name', { exact: true }).fill('My laptop')
	await page.getByRole('button', { name: 'Add a passkey' }).click()
	await expect(page.getByText('not used yet')).toBeVisible()
	await expectNoViolationsInThemes(page)
	await expectToFit(page, [390, 1280])
	await page.context().clearCookies()
	await page.goto('/login?redirectTo=/settings/passkeys')
	await page.getByRole('button', { name: 'Log in with a passkey' }).press('Enter')
	await page.waitForURL('**/settings/passkeys')
	await expect(page.getByText('last used')).toBeVisible()
	await page.goto('/confirm-identity?redirectTo=/settings/passkeys')
	await page.getByRole('button', { name: 'Confirm with a passkey' }).click()
	await page.waitForURL('**/settings/passkeys')
	await page.getByLabel('New name of My laptop').fill('The desk')
	await page.getByRole('button', { name: 'Rename' }).press('Enter')
	await expectNotice(page, 'Renamed.')
	await page.getByRole('button', { name: 'Remove The desk' }).click()
	await expect(page.getByText('0 of 20')).toBeVisible()
})

test.describe('without JavaScript', () => {
	test.use({ javaScriptEnabled: false })

	test('the passkey login page lists its requirements', async ({ page }) => {
		await page.goto('/login')
		await page.getByRole('button', { name: 'Log in with a passkey' }).click()
		await expect(page.getByText('Your browser needs JavaScript to use a passkey.')).toBeVisible()
		await expectToFit(page, [390])
	})
})
