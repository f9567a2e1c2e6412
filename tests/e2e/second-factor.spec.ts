import type { Page } from '@playwright/test'
import { Secret, TOTP } from 'otpauth'
import { enrol, expect, expectNoViolationsInThemes, expectToFit, htmlOf, test } from './support/journey.ts'

const password = 'a lantern at the ford'

for (const javaScriptEnabled of [true, false])
	test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
		test.use({ javaScriptEnabled })

		test('a member sets up an authenticator app and logs in with a code once, or with a recovery code', async ({
			page,
		}) => {
			const username = await enrol(page, javaScriptEnabled ? 'Ciara Codewell' : 'Cato Codewell')
			await page.goto('/settings/two-factor')
			await page.getByRole('button', { name: 'Set up an authenticator app' }).click()
			const code = page.getByRole('textbox', { name: 'Code', exact: true })
			await expect(code).toBeVisible()
			if (javaScriptEnabled) await expectNoViolationsInThemes(page)
			await expectToFit(page, [360, 1280])
			const key = (await page.getByText(/^[A-Z2-7]{4}( [A-Z2-7]{4}){7}$/).innerText()).replaceAll(' ', '')
			const app = new TOTP({ secret: Secret.fromBase32(key) })
			const wrong = app.generate() === '000000' ? '111111' : '000000'
			await code.fill(wrong)
			await page.getByRole('button', { name: 'Turn on' }).click()
			await expect(page.getByText(/^That code is not right/).first()).toBeVisible()
			const used = app.generate()
			await code.fill(used)
			await page.getByRole('button', { name: 'Turn on' }).click()
			await expect(page.getByRole('heading', { name: 'Your recovery codes' })).toBeVisible()
			const recovery = (await page.getByRole('main').innerText()).match(/\b\w{4}-\w{4}-\w{4}\b/g) ?? []
			expect(recovery).toHaveLength(10)
			await page.context().clearCookies()
			await logInByForm(page, username)
			await expect(page.getByRole('heading', { name: 'One more step' })).toBeVisible()
			if (javaScriptEnabled) await expectNoViolationsInThemes(page)
			await code.fill(used)
			await page.getByRole('button', { name: 'Login' }).click()
			// Once its half minute is over, the code is wrong, no longer “used”.
			await expect(page.getByText(/^That code (has been used|is not right)/).first()).toBeVisible()
			await code.fill(recovery[0] ?? '')
			await page.getByRole('button', { name: 'Login' }).click()
			await page.waitForURL('**/find-dev')
			expect(await htmlOf(page, '/settings/two-factor')).toContain('You have 9 of 10')
		})
	})

async function logInByForm(page: Page, username: string): Promise<void> {
	await page.goto('/login')
	await page.getByLabel('Email').fill(username)
	await page.getByLabel('Password', { exact: true }).fill(password)
	await page.getByRole('button', { name: 'Login', exact: true }).click()
	await page.waitForURL('**/login/code**')
}
