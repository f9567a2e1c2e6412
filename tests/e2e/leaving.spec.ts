import { readFileSync } from 'node:fs'
import {
	enrol,
	expect,
	expectNoViolationsInThemes,
	expectToFit,
	htmlOf,
	passTenMinutes,
	submit,
	test,
} from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

const password = 'a lantern at the ford'

for (const javaScriptEnabled of [true, false])
	test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
		test.use({ javaScriptEnabled })

		test('a member downloads their data, leaves, and returns by logging in', async ({ page }) => {
			const username = await enrol(page, javaScriptEnabled ? 'Lea Farewell' : 'Leo Farewell')
			const question = {
				title: 'What does a lantern cost?',
				description: 'At the ford.',
				tags: 'light',
				category: 'others',
			}
			// Who wrote nothing has nothing to choose.
			const form = await htmlOf(page, '/settings/leave')
			expect(form).toContain('In any case')
			expect(form).not.toContain('They stay under')
			await submit(page, '/forum/ask', question)
			await page.goto('/settings/data')
			if (javaScriptEnabled) await expectNoViolationsInThemes(page)
			await page.getByRole('button', { name: 'Make an archive' }).click()
			const link = page.getByRole('link', { name: /^Download/ })
			await expect(async () => {
				if (!javaScriptEnabled) await page.goto('/settings/data')
				await expect(link).toBeVisible({ timeout: 2_000 })
			}).toPass({ timeout: 30_000 })
			// The mail about it is read later than ten minutes after the login.
			await passTenMinutes()
			await link.click()
			await expect(page.getByRole('heading', { level: 1, name: 'Confirm that it is you' })).toBeVisible()
			await page.getByLabel('Password', { exact: true }).fill(password)
			await page.getByRole('button', { name: 'Confirm', exact: true }).click()
			const [archive] = await Promise.all([page.waitForEvent('download'), link.click()])
			expect(archive.suggestedFilename()).toBe(`${username}.zip`)
			expect(
				readFileSync(await archive.path())
					.subarray(0, 2)
					.toString(),
			).toBe('PK')

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
			expect(await htmlOf(page, '/settings/leave')).toContain('Delete my account')
		})
	})
