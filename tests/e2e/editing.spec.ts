import type { Page } from '@playwright/test'
import sharp from 'sharp'
import { withoutPage } from './support/chat.ts'
import {
	enrol,
	expect,
	expectNoViolations,
	hydrated,
	logIn,
	newPassword,
	settled,
	submit,
	test,
} from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

const saveChanges = (page: Page) => page.getByRole('button', { name: 'Save changes' }).click()

const png = () =>
	sharp({ create: { width: 1280, height: 904, channels: 3, background: '#e3eee5' } })
		.png()
		.toBuffer()

for (const javaScriptEnabled of [true, false]) {
	test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
		test.use({ javaScriptEnabled })
		const last = javaScriptEnabled ? 'Scripted' : 'Plain'

		test('personal details, academics and social links are saved and shown on the profile', async ({ page }) => {
			const username = await enrol(page, `Edda ${last}`)
			await page.goto(`/edit-profile/${username}`)
			await page.getByLabel('Full Name').fill(`Edda M ${last}`)
			await page.getByLabel('City').fill('Eastmere Hills')
			await page.getByLabel('Expertise in').fill('Full-stack web')
			await page.getByLabel('About me').fill('I like small tools.')
			await page.getByLabel('Mentoring').check()
			const skills = page.getByLabel('Skills optional', { exact: true })
			await skills.fill('js, Kite flying')
			await expect(page.getByLabel('Email', { exact: true })).toBeDisabled()
			await expect(page.getByRole('link', { name: 'Change it in Settings' })).toHaveAttribute('href', '/settings/email')
			await saveChanges(page)
			await expectNotice(page, 'Profile updated successfully!')
			await expect(page.getByRole('button', { name: `Edda M ${last}, account menu` })).toBeVisible()

			await page.goto(`/edit-profile/${username}/academics`)
			await page.getByLabel('University optional', { exact: true }).fill('Eastmere University')
			await page.getByLabel('Branch').fill('Computer Science')
			await page.getByLabel('Current year').fill('3')
			await page.getByLabel('Year of passing').fill('2028')
			await saveChanges(page)
			await expectNotice(page, 'Academics data updated successfully!')

			await page.goto(`/edit-profile/${username}/social-links`)
			await page.getByLabel('Github').fill('edda')
			await saveChanges(page)
			await expectNotice(page, 'Social links updated successfully!')
			await expect(page.getByLabel('Github')).toHaveValue('https://github.com/edda')

			await page.goto(`/find-dev/${username}`)
			for (const shown of ['I like small tools.', 'JavaScript', 'Kite flying', 'Eastmere Hills', 'Passing 2028'])
				await expect(page.getByText(shown).first()).toBeVisible()
			await expect(page.getByRole('link', { name: 'Github' })).toHaveAttribute('href', 'https://github.com/edda')
		})

		test('a project is added, edited in the form, and deleted after a confirmation', async ({ page }) => {
			const username = await enrol(page, `Proj ${last}`)
			await page.goto(`/edit-profile/${username}/projects`)
			await expect(page.getByText('No Project found!')).toBeVisible()
			await page.getByLabel('Title').fill('messmate')
			await page.getByLabel('Description').fill('The mess menu as one page.')
			await page.getByLabel('Tech stack').fill('React, Go')
			await page.getByLabel('Source code link').fill('git.example/messmate')
			await page.getByRole('button', { name: 'Add project' }).click()
			await expectNotice(page, 'Project added successfully!')
			await expect(page.getByLabel('Title')).toHaveValue('')
			const [first] = await page.locator('.toast').elementHandles()

			await page.getByRole('link', { name: 'Edit messmate' }).click()
			await expect(page.getByLabel('Title')).toHaveValue('messmate')
			await expect(page.getByLabel('Source code link')).toHaveValue('https://git.example/messmate')
			await page.getByLabel('Title').fill('messmate two')
			await page.getByRole('button', { name: 'Update project' }).click()
			await expectNotice(page, 'Project Updated successfully!')
			// A toast that kept the previous timer would disappear with it.
			if (javaScriptEnabled) expect((await first?.evaluate((node) => node.isConnected)) ?? false).toBe(false)
			await expect(page.getByRole('heading', { name: 'messmate two' })).toBeVisible()

			await page.getByRole('link', { name: 'Delete messmate two' }).click()
			await expect(page.getByText('Delete “messmate two”?')).toBeVisible()
			await page.getByRole('button', { name: 'Delete', exact: true }).click()
			await expectNotice(page, 'Project Deleted Successfully')
			await expect(page.getByText('No Project found!')).toBeVisible()
		})

		test('a certificate is added with its image, edited with the image kept, and deleted', async ({ page }) => {
			const username = await enrol(page, `Certa ${last}`)
			await page.goto(`/edit-profile/${username}/certificates`)
			await expect(page.getByText('No certificates found!')).toBeVisible()
			await expect(page.getByText('A certificate needs an image.')).toBeVisible()
			await page.getByLabel('Title').fill('Cloud Foundations')
			await page.getByLabel('Expiry date').fill('2020-01-31')
			await page.getByLabel('Verification link').fill('verify.example/7731')
			await page
				.locator('input[type=file]')
				.setInputFiles({ name: 'c.png', mimeType: 'image/png', buffer: await png() })
			if (javaScriptEnabled) await expect(page.getByAltText('The picture as it will be shown')).toBeVisible()
			await page.getByRole('button', { name: 'Add certificate' }).click()
			await expectNotice(page, 'Certificate added successfully!')

			await page.getByRole('link', { name: 'Edit Cloud Foundations' }).click()
			await expect(page.getByAltText('The picture as it will be shown')).toBeVisible()
			await page.getByLabel('Title').fill('Cloud Foundations, Level 2')
			await page.getByRole('button', { name: 'Update certificate' }).click()
			await expectNotice(page, 'Certificate Updated successfully!')

			await page.goto(`/find-dev/${username}`)
			await expect(page.getByText('until Jan 2020, expired')).toBeVisible()
			const image = page.locator('img[src*="/media/certificates/"]')
			await image.scrollIntoViewIfNeeded()
			await expect
				.poll(() => image.evaluate((drawn: HTMLImageElement) => drawn.complete && drawn.naturalWidth))
				.toBeTruthy()
			await expect(page.getByRole('link', { name: 'Verify Cloud Foundations, Level 2' })).toHaveAttribute(
				'href',
				'https://verify.example/7731',
			)

			await page.goto(`/edit-profile/${username}/certificates`)
			await page.getByRole('link', { name: /^Delete Cloud/ }).click()
			await page.getByRole('button', { name: 'Delete', exact: true }).click()
			await expectNotice(page, 'Certificate deleted Successfully.')
			await expect(page.getByText('No certificates found!')).toBeVisible()
		})

		test('a late save shows both texts; the member keeps theirs or takes the stored one', async ({ page, context }) => {
			const username = await enrol(page, `Twin ${last}`)
			const address = `/edit-profile/${username}/academics`
			const other = await context.newPage()
			await page.goto(address)
			await other.goto(address)
			await other.getByLabel('Location').fill('From the other tab')
			await saveChanges(other)
			await expectNotice(other, 'Academics data updated successfully!')

			await page.getByLabel('Location').fill('From this tab')
			await saveChanges(page)
			const notice = page.getByRole('region', { name: /changed elsewhere/ })
			await expect(notice).toContainText('From the other tab')
			await expect(notice).toContainText('From this tab')
			await expect(page.getByLabel('Location')).toHaveValue('From this tab')
			await page.getByRole('button', { name: 'Keep mine' }).click()
			await expectNotice(page, 'Academics data updated successfully!')
			await expect(notice).toHaveCount(0)

			await other.getByLabel('Location').fill('Too late')
			await saveChanges(other)
			await other.getByRole('link', { name: 'Use the saved version' }).click()
			await expect(other.getByLabel('Location')).toHaveValue('From this tab')
		})

		test('a rejected form shows the error at the field and keeps what was typed', async ({ page }) => {
			const username = await enrol(page, `Wrong ${last}`)
			await page.goto(`/edit-profile/${username}/social-links`)
			await page.getByLabel('Portfolio').fill('javascript:alert(1)')
			await page.getByLabel('Github').fill('wrong')
			await saveChanges(page)
			await expect(page.getByLabel('Portfolio')).toHaveAttribute('aria-invalid', 'true')
			await expect(page.getByText('This is not a valid link.').first()).toBeVisible()
			await expect(page.getByLabel('Github')).toHaveValue('wrong')

			await page.goto(`/edit-profile/${username}/certificates`)
			await page.getByLabel('Title').fill('Without an image')
			await page.getByRole('button', { name: 'Add certificate' }).click()
			await expect(page.getByText('Before uploading, choose an image!').first()).toBeVisible()
			await expect(page.getByLabel('Title')).toHaveValue('Without an image')
		})
	})
}

test('skills are suggested, picked by keyboard and removed', async ({ page }) => {
	const username = await enrol(page, 'Skye Keys')
	await page.goto(`/edit-profile/${username}`)
	const skills = page.getByRole('combobox', { name: 'Skills' })
	await skills.pressSequentially('postg')
	await expect(page.getByRole('option', { name: /PostgreSQL/ })).toHaveAttribute('aria-selected', 'true')
	await skills.press('Enter')
	await skills.pressSequentially('Knitting')
	await expect(page.getByRole('option', { name: 'Add “Knitting”' })).toBeVisible()
	await skills.press('Escape')
	await expect(page.getByRole('listbox')).toHaveCount(0)
	await skills.press('Enter')
	await skills.pressSequentially('nonsense,')
	await skills.press('Backspace')
	await expect(page.getByText('2 of 30.')).toBeVisible()
	await page.getByRole('button', { name: 'Remove Knitting' }).click()
	await skills.pressSequentially('dja')
	await page.getByRole('option', { name: 'Django', exact: false }).first().click()
	await expectNoViolations(page)
	await saveChanges(page)
	await expectNotice(page, 'Profile updated successfully!')
	await page.reload()
	await expect(page.getByRole('button', { name: /^Remove / })).toHaveCount(2)
	await expect(page.getByRole('button', { name: 'Remove PostgreSQL' })).toBeVisible()
})

test('a profile picture is saved once cropped and removed once that is pressed, and the form beside it is unchanged', async ({
	page,
}) => {
	const username = await enrol(page, 'Ava Tar')
	await page.goto(`/edit-profile/${username}`)
	await hydrated(page)
	await page.getByLabel('City').fill('Typed City')
	const choose = async () => {
		await page.locator('input[type=file]').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: await png() })
		await page.getByRole('button', { name: 'Save picture' }).click()
	}
	const inHeader = page.getByRole('button', { name: /account menu/ }).locator('img')
	const failed = 'Something went wrong! Try again'
	await page.route('**/media', (route) => route.fulfill({ status: 404, json: {} }), { times: 1 })
	await choose()
	await expect(page.getByText(failed)).toBeVisible()
	await expect(inHeader).toHaveCount(0)
	await choose()
	await expectNotice(page, 'Profile picture uploaded successfully!')
	await expect(inHeader).toHaveAttribute('src', /\/media\/profiles\/ava\.tar\//)
	await expect(page.getByLabel('City')).toHaveValue('Typed City')
	await expect(page.getByText('Unsaved changes')).toBeVisible()
	await saveChanges(page)
	await expectNotice(page, 'Profile updated successfully!')
	await page.reload()
	await hydrated(page)
	await expect(inHeader).toHaveAttribute('src', /\/media\/profiles\/ava\.tar\//)
	await expect(page.getByLabel('City')).toHaveValue('Typed City')
	await page.getByRole('button', { name: 'Remove', exact: true }).click()
	await expectNotice(page, 'Profile picture removed.')
	await expect(inHeader).toHaveCount(0)
})

test('more questions by a member are appended in place and are still there when the reader returns', async ({
	page,
}) => {
	// The limit for newcomers would stop so many questions in an hour.
	await logIn(page)
	const username = 'mira.quillon'
	for (let asked = 1; asked <= 12; asked += 1) {
		const form = { title: `Question number ${asked}`, description: 'How?', tags: 'paging', category: 'others' }
		await page.request.post('/forum/ask', { form, headers: { Origin: process.env.SITE_URL ?? '' } })
	}
	await page.goto(`/find-dev/${username}`)
	const own = page.getByRole('region', { name: /^Queries/ })
	const rows = own.getByRole('listitem').filter({ has: page.getByRole('heading') })
	await expect(rows).toHaveCount(10)
	await own.getByRole('link', { name: 'Load more queries' }).click()
	await expect(own.getByRole('link', { name: 'Question number 1', exact: true })).toBeVisible()
	const shown = await rows.count()
	await own.getByRole('link', { name: 'Question number 1', exact: true }).click()
	await page.waitForURL('**/forum/**')
	await page.goBack()
	await expect(rows).toHaveCount(shown)
})

test('leaving with unsaved changes asks first, and after a save it does not', async ({ page }) => {
	const username = await enrol(page, 'Una Saved')
	await page.goto(`/edit-profile/${username}`)
	await page.getByLabel('City').fill('Half-typed')
	await expect(page.getByText('Unsaved changes')).toBeVisible()
	await page.getByRole('link', { name: 'Academics' }).first().click()
	const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
	await dialog.getByRole('button', { name: 'Stay here' }).click()
	await expect(page.getByLabel('City')).toHaveValue('Half-typed')

	page.once('dialog', (question) => question.dismiss())
	await page.close({ runBeforeUnload: true })
	await expect(page.getByLabel('City')).toHaveValue('Half-typed')

	await page.getByRole('button', { name: 'Discard' }).click()
	await expect(page.getByLabel('City')).toHaveValue('')
	await expect(page.getByText('Unsaved changes')).toHaveCount(0)
	await page.getByLabel('City').fill('Eastmere')
	await saveChanges(page)
	await expectNotice(page, 'Profile updated successfully!')
	await page.getByRole('link', { name: 'Academics' }).first().click()
	await expect(page.getByRole('heading', { name: 'Academics', level: 1 })).toBeVisible()

	await page.getByLabel('Location').fill('Gone with the wind')
	await page.getByRole('link', { name: 'Social Links' }).first().click()
	await dialog.getByRole('button', { name: 'Leave' }).click()
	await expect(page.getByRole('heading', { name: 'Social Links', level: 1 })).toBeVisible()
})

test('leaving with a new password that is not saved asks first, and after a save it does not', async ({ page }) => {
	const username = await enrol(page, 'Pavla Unsaved')
	await page.goto(`/edit-profile/${username}/change-password`)
	await hydrated(page)
	const projects = page.getByRole('link', { name: 'Projects' }).first()
	// Browsers fill it in by themselves.
	await page.getByLabel('Current password').fill('a lantern at the ford')
	await page.getByLabel('New password').fill('another lantern at the ford')
	await projects.click()
	const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
	await expect(dialog).toBeVisible()
	await dialog.getByRole('button', { name: 'Stay here' }).click()
	await expect(page.getByLabel('New password')).toHaveValue('another lantern at the ford')
	await page.getByRole('button', { name: 'Save new password' }).click()
	await expectNotice(page, 'Password updated Successfully')
	await page.getByLabel('Current password').fill('another lantern at the ford')
	await projects.click()
	await expect(page.getByRole('heading', { name: 'Projects', level: 1 })).toBeVisible()
})

test('a lost connection loses no text', async ({ page, context }) => {
	const username = await enrol(page, 'Netta Gone')
	await page.goto(`/edit-profile/${username}/academics`)
	await hydrated(page)
	await page.getByLabel('Location').fill('Typed on a train')
	// The first keystroke loads the code that keeps a page alive without a network.
	await settled(page)
	await context.setOffline(true)
	await saveChanges(page)
	await expect(page.getByText('Something went wrong!').first()).toBeVisible()
	await expect(page.getByLabel('Location')).toHaveValue('Typed on a train')
	await context.setOffline(false)
	await saveChanges(page)
	await expectNotice(page, 'Academics data updated successfully!')
})

test('changing the password requires the current one and ends all other sessions', async ({ page, browser }) => {
	const username = await enrol(page, 'Pia Word')
	const elsewhere = await withoutPage(browser)
	await submit(elsewhere, '/login', { email: username, password: newPassword })

	await page.goto(`/edit-profile/${username}/change-password`)
	const button = page.getByRole('button', { name: 'Save new password' })
	await button.click()
	await expect(page.getByText('Password field is required!').first()).toBeVisible()
	await page.getByLabel('Current password').fill('not the lantern')
	await page.getByLabel('New password').fill('another lantern at the ford')
	await button.click()
	await expect(page.getByText('That is not your current password.').first()).toBeVisible()
	await page.getByLabel('Current password').fill('a lantern at the ford')
	await page.getByLabel('New password').fill('another lantern at the ford')
	await button.click()
	await expectNotice(page, 'Password updated Successfully')

	await page.goto('/settings')
	await expect(page.getByRole('heading', { name: 'Where you are logged in' })).toBeVisible()
	await expect(page.getByText('this device')).toHaveCount(1)
	expect((await elsewhere.request.get('/settings')).url()).toContain('/login')
	await elsewhere.context().close()
})

test('somebody else’s edit page redirects to their profile', async ({ page }) => {
	await enrol(page, 'Nosy Parker')
	const answer = await page.request.get('/edit-profile/mira.quillon/certificates')
	expect(answer.url()).toMatch(/\/find-dev\/mira\.quillon$/)
})
