import type { Locator, Page } from '@playwright/test'
import { picture } from '../factories/pictures.ts'
import { withoutScripts } from './support/chat.ts'
import { enrol, expect, expectNoViolations, openWithoutScripts, test } from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

test('a member chooses a picture, crops it, and sees the upload and the result, with the header updated at once', async ({
	page,
}) => {
	const username = await enrol(page, 'Rosalind Picture')
	await page.goto(`/edit-profile/${username}`)
	const field = page.getByRole('group', { name: 'Profile picture' })
	await field.locator('input[type=file]').setInputFiles({
		name: 'me.jpg',
		mimeType: 'image/jpeg',
		buffer: await picture('jpeg', 1_200, 900),
	})
	const dialog = page.getByRole('dialog', { name: 'Choose the part to show' })
	await expect(dialog.getByRole('button', { name: 'Save picture' })).toBeEnabled()
	await expectNoViolations(page)
	await dialog.getByLabel('Zoom').fill('2')
	await dialog.getByRole('button', { name: 'Save picture' }).click()
	const shown = field.getByRole('img')
	await expect(shown).toHaveAttribute('srcset', /-96\.webp 96w, .*-224\.webp 224w, .*-512\.webp 512w/)
	await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
	await expectNotice(page, 'Profile picture uploaded successfully!')
	await expect(page.getByRole('banner').locator('.avatar img').first()).toHaveAttribute('src', /^\/media\/profiles\//)
	await field.getByRole('button', { name: 'Remove' }).press('Enter')
	await expect(page.getByRole('banner').locator('.avatar img')).toHaveCount(0)
	await expect(field.locator('input[type=file]')).toBeFocused()
})

test('a file that is not an image gets an explanation, and an upload can be cancelled', async ({ page }) => {
	const username = await enrol(page, 'Jonas Picture')
	await page.goto(`/edit-profile/${username}/projects`)
	const field = page.getByRole('group', { name: 'Image' })
	const choose = async (name: string, buffer: Buffer) =>
		field.locator('input[type=file]').setInputFiles({ name, mimeType: 'image/png', buffer })
	await choose('drawing.png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))
	await expect(field.getByRole('alert')).toHaveText('Invalid file type!')
	await choose('large.png', Buffer.alloc(5 * 1024 * 1024 + 1))
	await expect(field.getByRole('alert')).toHaveText('This picture is larger than 5 MB. Choose a smaller one.')
	let release = () => {}
	const held = new Promise<void>((resolve) => {
		release = resolve
	})
	await page.route('**/media', async (route) => {
		await held
		await route.continue().catch(() => {})
	})
	await choose('slow.png', await picture('png'))
	await expect(field.getByText(/^slow\.png, \d+%$/)).toBeVisible()
	await page.getByLabel('Title').fill('A project with a slow picture')
	await page.getByRole('button', { name: 'Add project' }).click()
	await expect(field.getByRole('alert')).toHaveText('The picture is still uploading. Wait a moment, or cancel it.')
	await field.getByRole('button', { name: 'Cancel upload' }).press('Enter')
	await expect(field.getByRole('alert')).toHaveText('The upload was cancelled.')
	await expect(field.locator('input[type=file]')).toBeFocused()
	release()
})

test('a picture that is too large for a question is refused before it is sent', async ({ page }) => {
	await enrol(page, 'Tabea Picture')
	await page.goto('/forum/ask')
	const sent: string[] = []
	page.on('request', (request) => request.method() === 'POST' && sent.push(new URL(request.url()).pathname))
	const [large, small] = [Buffer.alloc(5 * 1024 * 1024 + 1), await picture('png')]
	await page.getByLabel('Choose pictures').setInputFiles([
		{ name: 'large.jpg', mimeType: 'image/jpeg', buffer: large },
		{ name: 'small.png', mimeType: 'image/png', buffer: small },
	])
	await expect(page.getByLabel('Description')).toHaveValue(/^!\[small\]/)
	await expect(page.getByRole('alert')).toHaveText('This picture is larger than 5 MB. Choose a smaller one.')
	expect(sent.filter((path) => path === '/media')).toHaveLength(1)
})

test('a dropped file that is no picture is refused, and not opened by the browser', async ({ page }) => {
	await enrol(page, 'Dorothea Picture')
	await page.goto('/forum/ask')
	const area = page.getByLabel('Description')
	await area.fill('See the file:')
	const isTaken = await area.evaluate((element) => {
		const dataTransfer = new DataTransfer()
		dataTransfer.items.add(new File(['words'], 'notes.pdf', { type: 'application/pdf' }))
		return !element.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
	})
	expect(isTaken).toBe(true)
	await expect(page.getByRole('alert')).toHaveText('Invalid file type!')
	await expect(area).toHaveValue('See the file:')
})

test('saving the form keeps a profile picture that is still uploading', async ({ page }) => {
	const username = await enrol(page, 'Ottilie Picture')
	await page.goto(`/edit-profile/${username}`)
	let release = () => {}
	const held = new Promise<void>((resolve) => {
		release = resolve
	})
	await page.route('**/media', async (route) => {
		await held
		await route.continue().catch(() => {})
	})
	const field = page.getByRole('group', { name: 'Profile picture' })
	const dialog = await chooseToCrop(page, 'first.png')
	await dialog.getByRole('button', { name: 'Save picture' }).click()
	await page.getByLabel('City').fill('Eastmere')
	await page.getByRole('button', { name: 'Save changes' }).click()
	await expect(field.getByRole('alert')).toHaveText('The picture is still uploading. Wait a moment, or cancel it.')
	release()
	await expectNotice(page, 'Profile picture uploaded successfully!')
	await page.getByRole('button', { name: 'Save changes' }).click()
	await expectNotice(page, 'Profile updated successfully!')
	await expect(field.getByRole('img')).toBeVisible()
})

test('the next picture to crop does not start with the zoom of the last one', async ({ page }) => {
	const username = await enrol(page, 'Ferris Picture')
	await page.goto(`/edit-profile/${username}`)
	const first = await chooseToCrop(page, 'first.png')
	await first.getByLabel('Zoom').fill('4')
	await first.getByRole('button', { name: 'Cancel' }).click()
	const next = await chooseToCrop(page, 'next.png')
	await expect(next.getByLabel('Zoom')).toHaveValue('1')
})

/** Chooses a profile picture. @returns the dialog that crops it, once it is shown */
async function chooseToCrop(page: Page, name: string): Promise<Locator> {
	await page
		.getByRole('group', { name: 'Profile picture' })
		.locator('input[type=file]')
		.setInputFiles({ name, mimeType: 'image/png', buffer: await picture('png', 600, 400) })
	const dialog = page.getByRole('dialog', { name: 'Choose the part to show' })
	await expect(dialog.getByRole('button', { name: 'Save picture' })).toBeEnabled()
	return dialog
}

test('an upload retries after a lost connection', async ({ page }) => {
	const username = await enrol(page, 'Theodora Picture')
	await page.goto(`/edit-profile/${username}/projects`)
	const field = page.getByRole('group', { name: 'Image' })
	let tries = 0
	await page.route('**/media', (route) => {
		tries += 1
		return tries < 3 ? route.abort('connectionreset') : route.continue()
	})
	await field
		.locator('input[type=file]')
		.setInputFiles({ name: 'bench.png', mimeType: 'image/png', buffer: await picture('png') })
	await expect(field.getByText('The connection failed. Trying again')).toBeVisible()
	await expect(field.getByRole('img')).toBeVisible({ timeout: 15_000 })
	expect(tries).toBe(3)
})

test.describe('without JavaScript', () => {
	test.use({ javaScriptEnabled: false })

	test('the form uploads the file', async ({ page }) => {
		const username = await enrol(page, 'Corwin Picture')
		await page.goto(`/edit-profile/${username}/projects`)
		await page.getByLabel('Title').fill('A kite that films')
		await page
			.locator('input[type=file]')
			.setInputFiles({ name: 'kite.png', mimeType: 'image/png', buffer: await picture('png') })
		await page.getByRole('button', { name: 'Add project' }).click()
		await expectNotice(page, 'Project added successfully!')
		await page.goto(`/my-profile/${username}?tab=projects`)
		await expect(page.locator('img[src^="/media/projects/"]')).toHaveCount(1)
	})
})

test('a picture that is removed while it is being saved stays removed', async ({ page }) => {
	const username = await enrol(page, 'Ludmila Picture')
	await page.goto(`/edit-profile/${username}`)
	const { promise: held, resolve: release } = Promise.withResolvers<void>()
	const sent: string[] = []
	await page.route('**/picture.data*', async (route) => {
		sent.push(route.request().postData() ?? '')
		if (sent.length === 1) await held
		await route.continue().catch(() => {})
	})
	const dialog = await chooseToCrop(page, 'first.png')
	await dialog.getByRole('button', { name: 'Save picture' }).click()
	await expect.poll(() => sent.length).toBe(1)
	const field = page.getByRole('group', { name: 'Profile picture' })
	await field.getByRole('button', { name: 'Remove' }).click()
	await expect(field.getByRole('img')).toHaveCount(0)
	// The second request must not overtake the first: it is not among those sent before this one.
	await page.evaluate(async () => {
		await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
		await fetch('/robots.txt')
	})
	expect(sent).toHaveLength(1)
	release()
	await expectNotice(page, 'Profile picture removed.')
	expect(sent).toEqual([expect.stringMatching(/profile_url=.+/), 'profile_url='])
	await page.reload()
	await expect(field.getByRole('img')).toHaveCount(0)
})

test('a picture that cannot be saved without a connection is reported once', async ({ page }) => {
	const username = await enrol(page, 'Una Picture')
	await page.goto(`/edit-profile/${username}`)
	await page.route('**/picture.data*', (route) => route.abort('internetdisconnected'))
	const dialog = await chooseToCrop(page, 'first.png')
	await dialog.getByRole('button', { name: 'Save picture' }).click()
	const field = page.getByRole('group', { name: 'Profile picture' })
	await expect(field.getByRole('alert')).toHaveText('Something went wrong!')
	await expect(field.getByRole('img')).toHaveCount(0)
	expect(await page.evaluate(() => window.notices?.map(({ textContent }) => textContent))).toEqual([
		'Something went wrong!',
	])
})

test('the fields below a picture stay where they are when the scripts start', async ({ page }) => {
	const username = await enrol(page, 'Stella Picture')
	const start = await openWithoutScripts(page, `/edit-profile/${username}`)
	const city = page.getByLabel('City')
	const before = (await city.boundingBox())?.y
	await start()
	expect((await city.boundingBox())?.y).toBe(before)
})

test('without scripts, a refused picture is named as its field', async ({ page }) => {
	const username = await enrol(page, 'Perpetua Picture')
	const plain = await withoutScripts(page)
	await plain.goto(`/edit-profile/${username}`)
	const file = { name: 'me.png', mimeType: 'image/png', buffer: Buffer.from('no picture') }
	await plain.locator('input[type=file]').setInputFiles(file)
	await plain.getByRole('button', { name: 'Save changes' }).click()
	await expect(plain.getByRole('alert').getByRole('link')).toHaveText(['Profile picture'])
	await plain.context().close()
})
