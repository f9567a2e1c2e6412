import { endLinks, enrol, expect, expectNoViolations, mailedLink, test } from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

for (const javaScriptEnabled of [true, false]) {
	test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
		test.use({ javaScriptEnabled })

		test('a member changes address and username by keyboard, then undoes the address change from the old mailbox', async ({
			page,
		}) => {
			const username = await enrol(page, `Greta ${javaScriptEnabled ? 'Scripted' : 'Plain'}`)
			const [old, next] = [`${username}@eastmere.example`, `${username}@home.example`]
			await page.goto('/settings/email')
			const field = page.getByRole('textbox', { name: 'New address' })
			await field.fill(old)
			await field.press('Enter')
			await expect(page.getByText('This is your address already.').first()).toBeVisible()
			await expect(field).toHaveValue(old)
			await field.fill(next)
			await field.press('Enter')
			await expect(page.getByText('once you follow the link that we sent to it')).toBeVisible()
			const late = await mailedLink(next)
			await endLinks('email_changes')
			await page.goto(late)
			await expect(page.getByRole('heading', { name: 'This link is too old' })).toBeVisible()
			if (javaScriptEnabled) await expectNoViolations(page)
			await page.getByRole('button', { name: 'Send me a new link' }).press('Enter')
			await expect(page.getByRole('button', { name: 'Send a new link' })).toBeVisible()
			const link = await mailedLink(next, { before: late })
			// A mail scanner opens the link once, the reader once.
			await page.request.get(link)
			await page.goto(link)
			await page.getByRole('button', { name: 'Confirm this address' }).press('Enter')
			await expectNotice(page, `${next} is confirmed.`)
			if (javaScriptEnabled) await expectNoViolations(page)

			await page.goto('/settings/username')
			await page.getByLabel('New username').fill(`${username}.new`)
			await page.getByLabel('New username').press('Enter')
			await expectNotice(page, `You are @${username}.new now.`)
			const renamed = await page.request.get(`/my-profile/${username}`)
			expect(renamed.url()).toMatch(new RegExp(`/my-profile/${username}.new$`))

			await page.goto(await mailedLink(old))
			await page.getByRole('button', { name: 'Undo the change' }).press('Enter')
			await expect(page.getByRole('heading', { name: 'The change is undone' })).toBeVisible()
			expect((await page.request.get('/settings/email')).url()).toMatch(/\/login/)
			await expect.poll(() => mailedLink(old)).toMatch(/^\/reset-password/)
		})
	})
}
