import type { Page } from '@playwright/test'
import {
	enrol,
	expect,
	expectNoViolations,
	expectNoViolationsInThemes,
	htmlOf,
	hydrated,
	settled,
	test,
} from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

const search = (page: Page) => page.getByRole('combobox', { name: 'Search people and skills' })
const cards = (page: Page) => page.getByRole('main').getByRole('article')
/** The names on the page without the online status, because members of earlier journeys are still going offline. */
const names = async (page: Page) =>
	(await cards(page).getByRole('heading').allTextContents()).map((text) => text.split(',')[0] ?? '')

test('keyboard only: a reader finds somebody with slash, letters with a typo, arrows and Enter', async ({ page }) => {
	await page.goto('/find-dev')
	// The key works only after the scripts have loaded.
	await hydrated(page)
	await page.keyboard.press('/')
	await expect(search(page)).toBeFocused()
	await page.keyboard.type('odalis')
	const list = page.getByRole('listbox', { name: 'Suggestions' })
	await expect(list.getByRole('group', { name: 'People' }).getByRole('option')).toContainText(['Odalys Fernbrook'])
	await expect(search(page)).toHaveAttribute('aria-expanded', 'true')
	await page.keyboard.press('ArrowDown')
	await expect(list.getByRole('option').first()).toHaveAttribute('aria-selected', 'true')
	await page.keyboard.press('Escape')
	await expect(list).toBeHidden()
	await page.keyboard.press('Enter')
	await expect(page).toHaveURL('/find-dev?q=odalis')
	await expect(page.getByRole('heading', { level: 1 })).toContainText('matches “odalis”')
	await expect(cards(page).first()).toContainText('Odalys Fernbrook')
	await expect(cards(page).first()).toContainText('Found by name')
})

test('the list updates on each keystroke without disturbing the input, and Back leaves the search', async ({
	page,
}) => {
	await page.goto('/')
	await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Community' }).click()
	await expect(page).toHaveURL('/find-dev')
	const box = search(page)
	await box.pressSequentially('fernbrok')
	await expect(page).toHaveURL('/find-dev?q=fernbrok')
	await expect(cards(page)).toHaveCount(1)
	await expect(box).toBeFocused()
	// Typing continues where it stopped, in the middle of the word.
	await box.press('ArrowLeft')
	await box.pressSequentially('o')
	await expect(page).toHaveURL('/find-dev?q=fernbrook')
	await expect(box).toBeFocused()
	expect(await box.evaluate((input: HTMLInputElement) => input.selectionStart)).toBe(8)
	await box.fill('zzqqxx')
	await expect(page.getByRole('search').getByRole('status')).toHaveText('No developers found')
	await expect(page.getByText('No data found!')).toBeVisible()
	await box.fill('fernbrook')
	await expect(page).toHaveURL('/find-dev?q=fernbrook')
	await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Forum' }).click()
	await expect(page).toHaveURL('/forum')
	await page.goBack()
	await expect(box).toHaveValue('fernbrook')
	await expect(cards(page)).toHaveCount(1)
	await page.goBack()
	await expect(page).toHaveURL('/')
})

test('a suggested skill narrows the list, and an empty search box clears the search', async ({ page }) => {
	await page.goto('/find-dev?q=fernbrook')
	await expect(search(page)).toHaveValue('fernbrook')
	await search(page).fill('')
	await expect(page).toHaveURL('/find-dev')
	await search(page).fill('rea')
	await page
		.getByRole('option', { name: /^React/ })
		.last()
		.click()
	await expect(page).toHaveURL('/find-dev?skill=React')
	await expect(search(page)).toHaveValue('')
	await expect(cards(page).first().getByRole('list', { name: 'Skills' }).getByRole('listitem').first()).toHaveText(
		'React',
	)
})

test('a filter that is followed right after typing leaves no unused text in the field', async ({ page }) => {
	await page.clock.install()
	await page.goto('/find-dev?q=mira')
	await settled(page)
	// The list waits for a pause in typing, which would be over on a busy machine before the click.
	await page.clock.pauseAt(Date.now() + 1_000)
	await search(page).fill('mirabelle')
	await page.getByRole('complementary', { name: 'Filters' }).getByLabel('Mentoring').click()
	await expect(page).toHaveURL('/find-dev?q=mira&open=mentoring')
	await page.clock.runFor(600)
	await expect(page).toHaveURL('/find-dev?q=mira&open=mentoring')
	await expect(search(page)).toHaveValue('mira')
})

test('the latest keystroke wins even when its response arrives first, and the suggestions close when the box loses the focus', async ({
	page,
}) => {
	let held: (() => void) | undefined
	await page.route('**/suggest/developers?q=mir', async (route) => {
		await new Promise<void>((resolve) => {
			held = resolve
		})
		await route.continue().catch(() => {})
	})
	await page.goto('/find-dev')
	const asked = page.waitForRequest('**/suggest/developers?q=mir')
	await search(page).pressSequentially('mir')
	await asked
	await search(page).fill('odalys')
	const list = page.getByRole('listbox', { name: 'Suggestions' })
	await expect(list).toContainText('Odalys Fernbrook')
	held?.()
	await expect(list).toContainText('Odalys Fernbrook')
	await expect(list).not.toContainText('Mira Quillon')

	await test.step('the suggestions close shortly after the box loses the focus', async () => {
		await page.getByRole('heading', { level: 1 }).click()
		await expect(list).toBeHidden()
		await search(page).focus()
		await expect(list).toBeVisible()
	})
})

test('filters apply at once, appear in the address, keep the focus, are undone one by one, and show how many people they match', async ({
	page,
}) => {
	await page.goto('/find-dev')
	const rail = page.getByRole('complementary', { name: 'Filters' })
	await rail.getByLabel('Mentoring').press('Space')
	await expect(page).toHaveURL('/find-dev?open=mentoring')
	await expect(rail.getByLabel('Mentoring')).toBeFocused()
	await rail.getByRole('combobox', { name: 'Add a skill' }).fill('pyth')
	await page
		.getByRole('listbox', { name: 'Skills' })
		.getByRole('option', { name: /Python/ })
		.click()
	await expect(page).toHaveURL('/find-dev?skill=Python&open=mentoring')
	await expect(rail.getByLabel('Mentoring')).toBeChecked()
	await page.getByLabel('Sort by').selectOption('Recently active')
	await expect(page).toHaveURL('/find-dev?skill=Python&open=mentoring&sort=active')
	await page.goBack()
	await page.goBack()
	await expect(page).toHaveURL('/find-dev?open=mentoring')
	await expect(rail.getByRole('link', { name: 'Remove Python' })).toBeHidden()
	await page.goBack()
	await expect(rail.getByLabel('Mentoring')).not.toBeChecked()

	await test.step('the number beside a filter is the number of people it shows', async () => {
		await expect(page).toHaveURL('/find-dev')
		const box = rail.locator('label', { hasText: 'Teammates' })
		const count = await box.locator('.num').innerText()
		await box.getByRole('checkbox').check()
		await expect(page.getByRole('heading', { level: 1 })).toContainText(`${count} people`)
	})
})

test('more developers are appended, and Back restores the full list', async ({ page }) => {
	await page.goto('/find-dev')
	const first = await cards(page).count()
	await page.getByRole('link', { name: 'Load more developers' }).click()
	await expect(cards(page)).not.toHaveCount(first)
	const all = await names(page)
	expect(new Set(all).size).toBe(all.length)
	await expect(page).toHaveURL('/find-dev')
	await cards(page).last().getByRole('heading').scrollIntoViewIfNeeded()
	const place = await page.evaluate(() => window.scrollY)
	await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Forum' }).click()
	await expect(page.getByRole('heading', { level: 1 })).toHaveText('Recent Queries')
	await page.goBack()
	await expect(cards(page)).toHaveCount(all.length)
	await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(place)
})

test('people are found by their profile text, each result shows why, and a typed branch and year become filters', async ({
	page,
}) => {
	const [first] = /<article[\s\S]*?<\/article>/.exec(await htmlOf(page, '/find-dev?q=frontend')) ?? []
	expect(first).toContain('Mira Quillon')
	expect(first).toContain('Expertise: Frontend engineering')
	// Sections hidden from visitors do not match for them.
	for (const q of ['foundry', 'panaji']) {
		const found = await page.request.get(`/find-dev?q=${q}`)
		expect(await found.text()).toContain('No data found!')
	}
	await enrol(page, 'Sixten Seeker')
	await page.goto('/find-dev?q=foundry')
	await expect(cards(page).first()).toContainText('Project: Foundry, the campus lost and found')

	await search(page).fill('ts cse 3rd year')
	await expect(page).toHaveURL('/find-dev?q=ts+cse+3rd+year')
	await expect(cards(page).first()).toContainText('Knows TypeScript · Computer Science and Engineering, 3rd year')
	const rail = page.getByRole('complementary', { name: 'Filters' })
	await expect(rail.getByLabel('3rd year')).toBeChecked()
	await expectNoViolationsInThemes(page)
	await page.getByRole('link', { name: 'Remove 3rd year' }).press('Enter')
	await expect(page).toHaveURL(/q=ts&branch=Computer/)
	await expect(search(page)).toHaveValue('ts')

	await page.goto('/find-dev?q=cse+mira')
	await page.getByRole('link', { name: 'Search for the words instead' }).click()
	await expect(page).toHaveURL('/find-dev?q=%22cse+mira%22')
	const some = await htmlOf(page, '/find-dev?q=typescript+zzqqxx')
	expect(some).toContain('Nobody matches all of “typescript zzqqxx”.')
	expect(some).toMatch(/<article[\s\S]*Knows TypeScript/)

	await page.goto('/edit-profile/sixten.seeker')
	await page.getByLabel('Expertise in').fill('Submarine cables')
	const keep = page.getByLabel('What I am expert in')
	await keep.selectOption('Only me')
	await page.getByRole('button', { name: 'Save' }).click()
	await expectNotice(page, 'Profile updated successfully!')
	await expect(keep).toHaveValue('me')
	const found = await page.request.get('/find-dev?q=submarine')
	expect(await found.text()).toContain('No data found!')
	await keep.selectOption('Everybody')
	await page.getByRole('button', { name: 'Save' }).click()
	await expectNotice(page, 'Profile updated successfully!')
	expect(await htmlOf(page, '/find-dev?q=submarine')).toContain('Expertise: Submarine cables')
})

test('when nobody matches, the page suggests what to remove', async ({ page }) => {
	// Two demo members know MATLAB and one studies architecture. Members from other journeys do neither.
	await page.goto('/find-dev?skill=MATLAB&branch=Architecture')
	await expect(page.getByText('No data found!')).toBeVisible()
	await page.getByRole('link', { name: 'Remove “Architecture”' }).click()
	await expect(page).toHaveURL('/find-dev?skill=MATLAB')
	await expect(cards(page).first()).toBeVisible()
})

test.describe('without JavaScript', () => {
	test.use({ javaScriptEnabled: false })

	test('searching, filtering, sorting and paging work with forms and links', async ({ page }) => {
		await page.goto('/find-dev')
		await search(page).fill('python')
		await search(page).press('Enter')
		await expect(page).toHaveURL(/\/find-dev\?q=python/)
		await expect(cards(page).first()).toContainText('Knows Python')
		await page.getByLabel('Mentoring').check()
		await page.getByLabel('Sort by').selectOption('Recently active')
		await page.getByRole('button', { name: 'Apply' }).first().click()
		await expect(page.getByLabel('Mentoring')).toBeChecked()
		await expect(page.getByLabel('Sort by')).toHaveValue('active')
		await expect(search(page)).toHaveValue('python')
		await page.goto('/find-dev')
		const before = await names(page)
		await page.getByRole('link', { name: 'Load more developers' }).click()
		await expect(page).toHaveURL(/cursor=/)
		expect(before).not.toContain((await names(page))[0])
		await page.getByRole('link', { name: 'Back to the first page' }).click()
		expect(await names(page)).toEqual(before)
	})
})

test.describe('on a phone', () => {
	test.use({ viewport: { width: 390, height: 844 } })

	test('filters open in a sheet that shows how many people they match', async ({ page }) => {
		await page.goto('/find-dev')
		await page.getByRole('button', { name: 'Filters' }).click()
		const sheet = page.getByRole('complementary', { name: 'Filters' })
		await expect(sheet).toBeVisible()
		const show = sheet.getByRole('button', { name: /^Show \d/ })
		const everybody = await show.innerText()
		await sheet.getByLabel('Mentoring').check()
		await expect(show).not.toHaveText(everybody)
		const before = await show.innerText()
		await sheet.getByLabel('Teammates').check()
		await expect(show).not.toHaveText(before)
		const both = await show.innerText()
		await sheet.getByRole('combobox', { name: 'Add a skill' }).fill('pyth')
		await sheet.getByRole('option', { name: /Python/ }).click()
		await expect(show).not.toHaveText(both)
		// Adding or removing a skill waits for the button, like every other filter.
		await expect(sheet).toBeVisible()
		await expect(page).toHaveURL('/find-dev')
		await expectNoViolations(page)
		await sheet.getByRole('link', { name: 'Remove Python' }).click()
		await expect(show).toHaveText(both)
		await expect(sheet).toBeVisible()
		const count = both.replace('Show ', '')
		await show.click()
		await expect(sheet).toBeHidden()
		await expect(page).toHaveURL('/find-dev?open=mentoring&open=teammates')
		await expect(page.getByRole('heading', { level: 1 })).toContainText(`${count} people`)
		await expect(page.getByRole('button', { name: 'Filters 2' })).toBeVisible()
		await page.getByRole('button', { name: 'Filters 2' }).click()
		await page.keyboard.press('Escape')
		await expect(sheet).toBeHidden()
	})

	test('the search opens under the header, and nothing is wider than the screen', async ({ page }) => {
		for (const width of [360, 390]) {
			await page.setViewportSize({ width, height: 844 })
			await page.goto('/find-dev')
			await page.getByRole('button', { name: 'Search', exact: true }).click()
			await expect(search(page)).toBeFocused()
			await search(page).fill('mira')
			await page.getByRole('option', { name: /Mira Quillon/ }).waitFor()
			await expect(page).toHaveURL('/find-dev?q=mira')
			await expect(search(page)).toBeFocused()
			expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
		}
	})
})

test('axe finds no violations on the list, and with suggestions open, in either theme', async ({ page }) => {
	await page.goto('/find-dev?skill=Python')
	await expectNoViolationsInThemes(page)
	await search(page).fill('rea')
	await page.getByRole('option').first().waitFor()
	await expectNoViolationsInThemes(page)
})
