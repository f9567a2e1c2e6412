import { picture } from '../factories/pictures.ts'
import { anotherBrowser } from './support/chat.ts'
import { enrol, expect, hydrated, test } from './support/journey.ts'

const KEY = 'broken-pictures'

test('a picture that fails is replaced by initials, recorded, and not requested again', async ({ page, browser }) => {
	const username = await enrol(page, 'Petra Pictured')
	await page.goto(`/edit-profile/${username}`)
	const buffer = await picture('png', 300, 300)
	await page.locator('input[type=file]').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer })
	await page.getByRole('button', { name: 'Save picture' }).click()
	const shown = page.getByRole('group', { name: 'Profile picture' }).getByRole('img')
	await expect(shown).toHaveAttribute('srcset', /-96\.webp/)
	await expect(page.getByRole('banner').locator('.avatar img').first()).toHaveAttribute('src', /^\/media\/profiles\//)

	// As a visitor: each load clears their storage, except for data that identifies nobody.
	const reader = await (await anotherBrowser(browser)).newPage()
	let asked = 0
	await reader.route('**/media/profiles/petra.pictured/**', (route) => {
		asked += 1
		return route.fulfill({ status: 404 })
	})
	const avatar = reader.locator('article', { hasText: 'Petra Pictured' }).locator('.avatar')
	const drawn = () =>
		avatar.evaluate((element) => {
			const image = element.querySelector('img')
			const instead = getComputedStyle(element, '::before').content
			return image?.checkVisibility()
				? 'picture'
				: instead === '"PP"' || element.textContent === 'PP'
					? 'initials'
					: 'nothing'
		})
	// The storage of a browser with nineteen other failures, one more than seven days old.
	await reader.goto('/robots.txt')
	await reader.evaluate((key) => {
		const old = Array.from({ length: 20 }, (_, index) => [`${index}`.padStart(32, '0'), index ? Date.now() : 0])
		localStorage.setItem(key, JSON.stringify(old))
	}, KEY)
	const stored = () => reader.evaluate((key) => JSON.parse(localStorage.getItem(key) ?? '[]').length, KEY)

	await reader.goto('/find-dev?q=Petra+Pictured')
	await expect.poll(() => asked).toBe(1)
	await expect.poll(drawn).toBe('initials')
	expect(await stored()).toBe(20)
	await reader.goto('/find-dev?q=Petra+Pictured')
	await hydrated(reader)
	expect(await drawn()).toBe('initials')
	await reader.getByRole('link', { name: 'Home', exact: true }).click()
	await reader.waitForURL((url) => url.pathname === '/')
	await reader.goBack()
	await avatar.waitFor()
	await hydrated(reader)
	expect(await drawn()).toBe('initials')
	expect(asked).toBe(1)
	expect(await stored()).toBe(20)

	// Without the record the picture would be requested, so the record prevents the request.
	await reader.evaluate((key) => localStorage.removeItem(key), KEY)
	await reader.reload()
	await expect.poll(() => asked).toBe(2)
	await reader.context().close()
})
