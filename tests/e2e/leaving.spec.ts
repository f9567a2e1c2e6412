import { enrol, expect, expectNoViolationsInThemes, expectToFit, test } from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

const password = 'a lantern at the ford'

for (const javaScriptEnabled of [true, false])
	test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
		test.use({ javaScriptEnabled })

		test('a member downloads their data, leaves, and returns by logging in', async ({ page }) => {
			const username = await enrol(page, javaScriptEnabled ? 'Lea Farewell' : 'Leo Farewell')
			await page.goto('/settings/data')
			if (javaScriptEnabled) await expectNoViolationsInThemes(page)
			await page.getByRole('button', { name: 'Make an archive' }).click()
			const link = page.getByRole('link', { name: /^Download/ })
			await expect(async () => {
				if (!javaScriptEnabled) await page.goto('/settings/data')
				await expect(link).toBeVisible({ timeout: 2_000 })
			}).toPass({ timeout: 30_000 })
			const archive = await page.request.get('/settings/data/archive.zip')
			expect(archive.headers()['content-type']).toBe('application/zip')
			expect((await archive.body()).subarray(0, 2).toString()).toBe('PK')

			await page.goto('/settings/leave')
			if (javaScriptEnabled) await expectNoViolationsInThemes(page)
			await expectToFit(page, [360, 1280])
			await page.getByLabel('They stay under “Former member”').check()
			await page.getByRole('button', { name: 'Delete my account' }).click()
			await page.waitForURL('**/login')
			await expect(
				page.getByText('Your account will be deleted in 14 days. Log in until then to keep it.'),
			).toBeVisible()
			expect((await page.request.get(`/find-dev/${username}`, { maxRedirects: 0 })).status()).toBe(302)

			await page.getByLabel('Email').fill(`${username}@eastmere.example`)
			await page.getByLabel('Password', { exact: true }).fill(password)
			await page.getByRole('button', { name: 'Login', exact: true }).click()
			await expect(page.getByRole('heading', { name: 'Your account is being deleted' })).toBeVisible()
			await page.getByRole('button', { name: 'Keep my account' }).click()
			await expectNotice(page, 'Welcome back. Your account stays.')
			await page.goto('/settings/leave')
			await expect(page.getByRole('button', { name: 'Delete my account' })).toBeVisible()
		})
	})
