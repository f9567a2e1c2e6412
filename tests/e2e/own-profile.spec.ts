import type { Page } from '@playwright/test'
import { anotherBrowser, withoutPage } from './support/chat.ts'
import {
	demoModerator,
	enrol,
	expect,
	expectNoViolationsInThemes,
	expectToFit,
	htmlOf,
	hydrated,
	logIn,
	settled,
	test,
} from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

const titles = (page: Page) => page.locator('[data-item] h3').allInnerTexts()

async function addProjects(page: Page, names: string[]): Promise<void> {
	for (const [index, name] of names.entries()) {
		await page.getByLabel('Title').fill(name)
		await page.getByRole('button', { name: 'Add project' }).click()
		await expect(page.locator('[data-item]')).toHaveCount(index + 1)
	}
}

test('a member writes about themselves, orders projects, and opens their page to everybody', async ({
	page,
	browser,
	baseURL,
}) => {
	const username = await enrol(page, 'Petra Opendoor')
	const profile = `/find-dev/${username}`
	const visitor = await (await anotherBrowser(browser, { ...(baseURL && { baseURL }) })).newPage()

	await test.step('only members can open a page that its owner has not made public', async () => {
		const answer = await visitor.request.get(profile)
		expect(answer.url()).toMatch(/\/login\?redirectTo=%2Ffind-dev%2Fpetra\.opendoor$/)
	})

	await test.step('their own profile says who sees the address, and moderators do', async () => {
		await page.goto(`/my-profile/${username}`)
		await expect(page.getByText('Only you and moderators see this.')).toBeVisible()
		await page.getByRole('link', { name: 'See public profile' }).click()
		await expect(page).toHaveURL(profile)
		await expect(page.getByText('Only you and moderators see this.')).toBeVisible()
		await page.getByRole('complementary', { name: 'Contact' }).getByRole('link', { name: 'Edit Profile' }).click()
		await expect(page.getByRole('heading', { level: 1 })).toHaveText('Personal Details')
		const moderator = await withoutPage(browser)
		await logIn(moderator, demoModerator)
		const shown = await htmlOf(moderator, profile)
		expect(shown).toContain(`href="mailto:${username}@`)
		expect(shown).toContain('Only the member and moderators see this.')
	})

	await test.step('studies and experience are a list', async () => {
		await page.goto(`/edit-profile/${username}/experience`)
		await hydrated(page)
		await page.getByLabel('Where', { exact: true }).fill('Lantern Works')
		await page.getByLabel('Position or subject').fill('Lamp tester')
		await page.getByLabel('From optional').fill('2024-13')
		await page.getByRole('button', { name: 'Add entry' }).click()
		await expect(page.getByText('Enter a year, or year and month, for example 2026-08.').first()).toBeVisible()
		await page.getByLabel('From optional').fill('2024-08')
		await page.getByRole('button', { name: 'Add entry' }).click()
		await expect(page.getByRole('heading', { name: 'Lamp tester, Lantern Works' })).toBeVisible()
		await expectNoViolationsInThemes(page)
		await expectToFit(page, [390])
	})

	await test.step('projects are moved by keyboard, pinned and dragged', async () => {
		await page.goto(`/edit-profile/${username}/projects`)
		await hydrated(page)
		await addProjects(page, ['one', 'two', 'three'])
		const up = page.getByRole('button', { name: 'Move three up' })
		await up.focus()
		await page.keyboard.press('Enter')
		await expect.poll(() => titles(page)).toEqual(['one', 'three', 'two'])
		await expect(up).toBeFocused()
		await page.keyboard.press('Enter')
		await expect.poll(() => titles(page)).toEqual(['three', 'one', 'two'])
		await page.getByRole('button', { name: 'Pin two' }).click()
		await expect.poll(() => titles(page)).toEqual(['two', 'three', 'one'])
		const handles = page.locator('[data-handle]')
		await expect(handles).toHaveCount(2)
		const [from, to] = [await handles.nth(0).boundingBox(), await handles.nth(1).boundingBox()]
		if (!from || !to) throw new Error('The handles are not to be seen.')
		await page.mouse.move(from.x + 6, from.y + 6)
		await page.mouse.down()
		await page.mouse.move(to.x + 6, to.y + 10, { steps: 4 })
		await page.mouse.up()
		await expect.poll(() => titles(page)).toEqual(['two', 'one', 'three'])
		await page.reload()
		expect(await titles(page)).toEqual(['two', 'one', 'three'])
	})

	await test.step('the page is opened to everybody, section by section', async () => {
		await page.goto(`/edit-profile/${username}`)
		await hydrated(page)
		await page.getByLabel('About me').fill('I keep **lanterns** lit.')
		await page.getByLabel('Pronouns').fill('she/her')
		await page.getByLabel('Status').fill('Away until Monday')
		await page.getByLabel('Anyone may see my profile').check()
		await page.getByLabel('What I have built').selectOption('Everybody')
		await expect(page.getByText('Unsaved changes')).toBeVisible()
		await page.getByRole('button', { name: 'Save changes' }).click()
		await expectNotice(page, 'Profile updated successfully!')
		await visitor.goto(profile)
		await expect(visitor.locator('strong', { hasText: 'lanterns' })).toBeVisible()
		for (const shown of ['she/her', 'Away until Monday', 'three']) await expect(visitor.getByText(shown)).toBeVisible()
		await expect(visitor.getByText('Lantern Works')).toHaveCount(0)
		expect(await visitor.locator('script[type="application/ld+json"]').textContent()).toContain('ProfilePage')
		await expect(visitor.locator('meta[name="robots"]')).toHaveCount(0)
		await expectNoViolationsInThemes(visitor)
		await expectToFit(visitor, [390])
		await page.goto(profile)
		await expect(page.getByText('Lantern Works')).toBeVisible()
	})
	await visitor.context().close()
})

test('the title of a profile that was opened from a query is the name of its member', async ({ page }) => {
	await enrol(page, 'Petra Titlereader')
	await page.goto('/forum')
	await settled(page)
	await page.getByRole('article').first().locator('a[href^="/find-dev/"]').first().click()
	await page.waitForURL('**/find-dev/*')
	const card = page.getByRole('complementary', { name: 'Contact' })
	const name = await card.getByRole('heading', { level: 1 }).innerText()
	await expect(page).toHaveTitle(new RegExp(`${name} · `))
})

test('an item that is deleted in another tab disappears from this one when it is deleted here too', async ({
	page,
	context,
}) => {
	const username = await enrol(page, 'Petra Twotabs')
	await page.goto(`/edit-profile/${username}/projects`)
	await addProjects(page, ['one', 'two'])
	const other = await context.newPage()
	await other.goto(page.url())
	for (const tab of [other, page]) {
		await tab.getByRole('link', { name: 'Delete one' }).click()
		await tab.getByRole('button', { name: 'Delete', exact: true }).click()
		await expect.poll(() => titles(tab)).toEqual(['two'])
	}
	await expectNotice(page, 'There is no such project. It may have been deleted.')
})

test('a second step while the first one is being saved does not end in a conflict', async ({ page }) => {
	const username = await enrol(page, 'Petra Quickstep')
	await page.goto(`/edit-profile/${username}/projects`)
	await addProjects(page, ['one', 'two', 'three'])
	const up = page.getByRole('button', { name: 'Move three up' })
	const saved = Promise.withResolvers<void>()
	let asked = 0
	await page.route('**/projects.data*', async (route) => {
		asked += 1
		const answer = await route.fetch({ maxRedirects: 0 })
		await saved.promise
		await route.fulfill({ response: answer })
	})
	await up.focus()
	await page.keyboard.press('Enter')
	await expect.poll(() => asked).toBe(1)
	await page.keyboard.press('Enter')
	saved.resolve()
	await expectNotice(page, '“three” is number 2 of 3 now.')
	await expect.poll(() => titles(page)).toEqual(['one', 'three', 'two'])
	await page.keyboard.press('Enter')
	await expect.poll(() => titles(page)).toEqual(['three', 'one', 'two'])
})

test('a date that is typed only in part is not lost', async ({ page }) => {
	const username = await enrol(page, 'Petra Halfdate')
	await page.goto(`/edit-profile/${username}/projects`)
	await hydrated(page)
	await page.getByLabel('Title').fill('one')
	const date = page.getByLabel('Date optional')
	await date.focus()
	await page.keyboard.type('0512')
	const add = page.getByRole('button', { name: 'Add project' })
	await add.click()
	await expect(date).toBeFocused()
	await page.keyboard.press('Tab')
	await page.keyboard.press('Tab')
	await page.keyboard.type('2026')
	await add.click()
	await expectNotice(page, 'Project added successfully!')
	await expect(page.locator('[data-item]')).toContainText('May 2026')
})

test('a conflict says who sees a section, and what was ticked, in words', async ({ page, context }) => {
	const username = await enrol(page, 'Petra Words')
	const other = await context.newPage()
	for (const tab of [page, other]) await tab.goto(`/edit-profile/${username}`)
	await other.getByLabel('Anyone may see my profile').check()
	await other.getByLabel('What I have built').selectOption('Everybody')
	await other.getByRole('button', { name: 'Save changes' }).click()
	await expectNotice(other, 'Profile updated successfully!')
	await page.getByLabel('What I have built').selectOption('Only me')
	await page.getByRole('button', { name: 'Save changes' }).click()
	const sides = page.getByRole('region', { name: /changed elsewhere/ }).locator('dd')
	await expect(sides).toHaveText(['Yes', 'No', 'Everybody', 'Only me'])
})

test.describe('without JavaScript', () => {
	test.use({ javaScriptEnabled: false })

	test('projects are moved with buttons, and a late save in another tab is rejected', async ({ page }) => {
		const username = await enrol(page, 'Petra Scriptless')
		await page.goto(`/edit-profile/${username}/projects`)
		await addProjects(page, ['one', 'two'])
		const other = await page.context().newPage()
		await other.goto(page.url())
		await page.getByRole('button', { name: 'Move one down' }).click()
		await expect(page.getByText('“one” is number 2 of 2 now.')).toBeVisible()
		expect(await titles(page)).toEqual(['two', 'one'])
		await other.getByRole('button', { name: 'Pin two' }).click()
		await expect(other.getByText('This list was changed in another tab.')).toBeVisible()
		expect(await titles(other)).toEqual(['two', 'one'])
	})
})
