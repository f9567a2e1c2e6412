import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { enrol, expect, expectNoViolations, test } from './support/journey.ts'

/** The newest link of this path in the mails to an address, from the folder in which the site keeps them. */
async function linkMailedTo(address: string, path: string): Promise<string> {
	const folder = join(process.env.SITE_DATA_DIR ?? '', 'mail')
	let link = ''
	await expect
		.poll(() => {
			const mails = readdirSync(folder)
				.sort()
				.map((file) =>
					readFileSync(join(folder, file), 'utf8')
						.replace(/=\r?\n/g, '')
						.replaceAll('=3D', '='),
				)
			const mine = mails.filter((mail) => mail.includes(`To: ${address}`))
			link = mine.map((mail) => new RegExp(`${path}\\?token=[\\w-]+`).exec(mail)?.[0] ?? '').findLast(Boolean) ?? ''
			return link
		})
		.not.toBe('')
	return link
}

for (const javaScriptEnabled of [true, false]) {
	test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
		test.use({ javaScriptEnabled })

		test('a member adds a personal address, changes the username, and undoes the address from the old mailbox', async ({
			page,
		}) => {
			const username = await enrol(page, `Greta ${javaScriptEnabled ? 'Scripted' : 'Plain'}`)
			await page.goto('/settings/email')
			const old = (await page.locator('#main p.font-semibold').first().textContent()) ?? ''
			const field = page.getByRole('textbox', { name: 'Personal address' })
			await field.fill(old)
			await field.press('Enter')
			await expect(page.getByText('This is your address already.')).toBeVisible()
			await expect(field).toHaveValue(old)
			const home = `${username}@home.example`
			await field.fill(home)
			await field.press('Enter')
			await expect(page.getByText('once you follow the link that we sent to it')).toBeVisible()
			const link = await linkMailedTo(home, '/confirm-email')
			// Opened once by whoever scans the mail, and once by its reader.
			await page.request.get(link)
			await page.goto(link)
			await page.getByRole('button', { name: 'Confirm this address' }).click()
			await page.getByRole('button', { name: 'Send mails here' }).click()
			await expect(page.getByText(`Mails go to ${home} from now on.`)).toBeVisible()
			if (javaScriptEnabled) await expectNoViolations(page)

			await page.goto('/settings/username')
			await page.getByLabel('New username').fill(`${username}.new`)
			await page.getByLabel('New username').press('Enter')
			await expect(page.getByText(`You are @${username}.new now.`)).toBeVisible()
			await page.goto(`/my-profile/${username}`)
			await expect(page).toHaveURL(new RegExp(`/my-profile/${username}.new$`))

			await page.goto(await linkMailedTo(old, '/undo-email'))
			await page.getByRole('button', { name: 'Undo the change' }).click()
			await expect(page.getByRole('heading', { name: 'New password' })).toBeVisible()
			await page.goto('/settings/email')
			await expect(page).toHaveURL(/\/login/)
		})
	})
}
