import type { Locator, Page } from '@playwright/test'
import { withoutPage } from './support/chat.ts'
import { demoModerator, enrol, expect, expectSound, expectToFit, logIn, test } from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

/** Opens a solved question of the demo content. @returns its title */
async function openQuestion(page: Page): Promise<string> {
	await page.goto('/forum?view=solved')
	await page.getByRole('article').first().getByRole('heading').getByRole('link').click()
	await expect(page.getByRole('heading', { name: /^Comments/ })).toBeVisible()
	return page.getByRole('heading', { level: 1 }).innerText()
}

const too = (page: Page) => page.getByRole('button', { name: 'I have this too' })
const follow = (page: Page) => page.getByRole('button', { name: /^Follow(ing)? this query$/ })
const stored = (page: Page) => page.waitForResponse((answer) => answer.url().endsWith('/forum/following'))

test('a member has a problem too, follows the question, reports an outdated solution, asks somebody, and saves searches', async ({
	page,
	browser,
}) => {
	await enrol(page, 'Fenna Follower')
	await page.goto('/forum?view=unsolved')
	await expect(page.getByRole('navigation', { name: 'Order' }).getByRole('link', { name: 'Unsolved' })).toHaveAttribute(
		'aria-current',
		'true',
	)
	await expect(page.getByRole('article').first()).toBeVisible()
	await expect(page.getByRole('article').filter({ hasText: 'Answered' })).toHaveCount(0)
	await expectToFit(page, [390, 360])

	const title = await openQuestion(page)
	const address = new URL(page.url()).pathname
	await too(page).focus()
	const answer = stored(page)
	await page.keyboard.press('Enter')
	await expect(too(page)).toHaveAttribute('aria-pressed', 'true')
	await expect(follow(page)).toHaveAttribute('aria-pressed', 'true')
	await expect(page.getByText('1 member has this too')).toBeVisible()
	expect((await answer).status()).toBe(200)

	await page.getByText('This no longer works', { exact: true }).first().click()
	await page.getByLabel('Why').selectOption('newer')
	await page.getByRole('button', { name: 'Say so' }).click()
	await expectNotice(page, 'Noted. Thank you.')
	await expect(page.getByRole('button', { name: /^You say this no longer works/ })).toBeVisible()
	const other = await browser.newPage()
	await enrol(other, 'Second Opinion')
	await other.goto(address)
	await other.getByText('This no longer works', { exact: true }).first().click()
	await other.getByRole('button', { name: 'Say so' }).click()
	await expect(other.getByText('2 members say this no longer works')).toBeVisible()
	await expect(other.getByText('A newer version changed it,')).toBeVisible()
	await other.close()
	await page.goto(address)
	await expect(page.getByText('2 members say this no longer works')).toBeVisible()
	await expectSound(page)

	await page.getByRole('link', { name: 'Ask somebody to answer' }).click()
	await expect(page.getByRole('heading', { name: 'Ask somebody to answer' })).toBeVisible()
	await page.getByRole('searchbox', { name: 'Search by name or skill' }).fill('Juniper')
	const ask = page.getByRole('button', { name: /^Ask(ed)? Juniper/ })
	await ask.press('Enter')
	await expectNotice(page, 'is asked to answer.')
	await expect(page.getByRole('heading', { name: 'You asked' })).toBeVisible()
	// The search stays for whoever is asked next.
	await expect(page.getByRole('searchbox', { name: 'Search by name or skill' })).toHaveValue('Juniper')
	await expect(ask).toHaveText('Asked')
	await expect(ask).toBeFocused()
	await expectSound(page)

	await page.goto('/find-dev?skill=React')
	await page.getByText('Save this search').click()
	await page.getByLabel('Name of the search').fill('React people')
	await page.getByRole('button', { name: 'Save', exact: true }).click()
	await expectNotice(page, 'Search saved.')
	await expect(page).toHaveURL(/\/find-dev\?skill=React$/)
	await page.goto('/search?q=python&in=questions')
	await page.getByText('Save this search').click()
	await page.getByRole('button', { name: 'Save', exact: true }).click()
	await expectNotice(page, 'Search saved.')

	await page.getByRole('button', { name: 'Fenna Follower, account menu' }).click()
	await page.getByRole('link', { name: 'Following' }).click()
	await expect(page.getByRole('heading', { name: 'Following', level: 1 })).toBeVisible()
	await expect(page.getByRole('link', { name: title })).toBeVisible()
	await expectSound(page)
	const search = page.getByRole('link', { name: 'React people' })
	await page.getByRole('button', { name: 'Remove the search React people' }).press('Enter')
	await expect(search).toHaveCount(0)
	await expect(page.getByRole('heading', { name: 'Saved searches' })).toBeFocused()
	await page.getByRole('button', { name: 'Undo' }).click()
	await expect(search).toBeVisible()
	await search.click()
	await expect(page).toHaveURL(/\/find-dev\?skill=React$/)
	// All the buttons under a question fit a phone.
	await logIn(page, demoModerator)
	await page.goto(address)
	await expectToFit(page, [390, 360])
})

test('“I have this too” that is refused does not show that the query is followed', async ({ page, browser }) => {
	const author = await withoutPage(browser)
	await enrol(author, 'Ruth Refuser')
	const headers = { Origin: process.env.SITE_URL ?? '' }
	const form = { title: 'A tide table that is soon gone', description: 'It ebbs.', tags: 'testing', category: 'others' }
	const asked = await author.request.post('/forum/ask', { form, headers, maxRedirects: 0 })
	const path = asked.headers().location ?? ''
	await enrol(page, 'Rina Refused')
	await page.goto(path)
	await expect(follow(page)).toHaveAttribute('aria-pressed', 'false')
	await author.request.post(path, { form: { intent: 'delete-query' }, headers, maxRedirects: 0 })
	const answer = stored(page)
	await too(page).click()
	expect((await answer).status()).toBe(404)
	await expect(too(page)).toHaveAttribute('aria-pressed', 'false')
	await expect(follow(page)).toHaveAttribute('aria-pressed', 'false')
	await author.context().close()
})

test('“I have this too” shows that it follows, also after the query was unfollowed', async ({ page }) => {
	await enrol(page, 'Una Follower')
	await openQuestion(page)
	const press = async (button: Locator) => {
		const answer = stored(page)
		await button.click()
		expect((await answer).status()).toBe(200)
	}
	await press(follow(page))
	await page.reload()
	await expect(follow(page)).toHaveAttribute('aria-pressed', 'true')
	await press(follow(page))
	await expect(follow(page)).toHaveAttribute('aria-pressed', 'false')
	await press(too(page))
	await expect(follow(page)).toHaveAttribute('aria-pressed', 'true')
})

test.describe('without JavaScript', () => {
	test.use({ javaScriptEnabled: false })

	test('a visitor follows nothing, a member does everything with forms', async ({ page }) => {
		const title = await openQuestion(page)
		const address = new URL(page.url()).pathname
		await expect(too(page)).toHaveCount(0)
		await page.goto('/following')
		await expect(page).toHaveURL('/login?redirectTo=%2Ffollowing')
		await enrol(page, 'Plain Follower')
		await page.goto(address)
		await too(page).click()
		await expect(page).toHaveURL(address)
		await expect(too(page)).toHaveAttribute('aria-pressed', 'true')
		await expect(follow(page)).toHaveAttribute('aria-pressed', 'true')
		await page.getByText('This no longer works', { exact: true }).first().click()
		await page.getByRole('button', { name: 'Say so' }).click()
		await page.getByRole('button', { name: /^You say this no longer works/ }).click()
		await expectNotice(page, 'Undone.')
		await page.getByRole('link', { name: 'Ask somebody to answer' }).click()
		await page.getByRole('searchbox', { name: 'Search by name or skill' }).fill('Juniper')
		await page.keyboard.press('Enter')
		await page.getByRole('button', { name: /^Ask Juniper/ }).click()
		await expectNotice(page, 'is asked to answer.')
		await page.goto('/search?q=python&in=questions')
		await page.getByText('Save this search').click()
		await page.getByLabel('Name of the search').fill('Snakes')
		await page.getByRole('button', { name: 'Save', exact: true }).click()
		await page.goto('/following')
		const snakes = page.getByRole('link', { name: 'Snakes' })
		const saved = (await snakes.getAttribute('href')) ?? ''
		await page.getByRole('button', { name: `Following ${title}` }).click()
		await expect(page).toHaveURL('/following')
		await expect(page.getByRole('link', { name: title })).toHaveCount(0)
		await page.getByRole('button', { name: 'Remove the search Snakes' }).click()
		await page.getByRole('button', { name: 'Undo' }).click()
		await expect(snakes).toBeVisible()
		await expectToFit(page, [360])
		// A mail may still link to a search that was removed.
		await page.getByRole('button', { name: 'Remove the search Snakes' }).click()
		await page.goto(saved)
		await expect(page).toHaveURL('/following')
		await expectNotice(page, 'There is no such search. You may have removed it.')
	})

	test('a button that is refused leads back to its page, which says why', async ({ page, browser }) => {
		const author = await withoutPage(browser)
		await enrol(author, 'Petra Plainly')
		const headers = { Origin: process.env.SITE_URL ?? '' }
		const form = {
			title: 'A barometer that is soon gone',
			description: 'It falls.',
			tags: 'testing',
			category: 'others',
		}
		const asked = await author.request.post('/forum/ask', { form, headers, maxRedirects: 0 })
		const path = asked.headers().location ?? ''
		await enrol(page, 'Paul Plainly')
		await page.goto(path)
		await author.request.post(path, { form: { intent: 'delete-query' }, headers, maxRedirects: 0 })
		await follow(page).click()
		await expect(page).toHaveURL(path)
		await expectNotice(page, 'There is no such query. It may have been deleted.')
		await author.context().close()
	})
})
