import type { Page } from '@playwright/test'
import { anotherSender, post } from './support/chat.ts'
import {
	type Account,
	demoModerator,
	enrol,
	errorsOf,
	expect,
	expectNoViolationsInThemes,
	expectToFit,
	htmlOf,
	hydrated,
	logIn,
	settled,
	test,
} from './support/journey.ts'

/* Site search: its page, the box in the header, and the switcher. */

const box = (page: Page) => page.getByRole('banner').getByRole('combobox', { name: 'Search the site' })
const field = (page: Page) => page.getByRole('main').getByRole('combobox', { name: 'Search the site' })
const switcher = (page: Page) => page.getByRole('dialog', { name: 'Search' })
const tab = (page: Page, name: string | RegExp) =>
	page.getByRole('navigation', { name: 'What is searched' }).getByRole('link', { name })

/** Holds back the responses of an address until they are released. */
async function hold(page: Page, address: string): Promise<{ asked: Promise<unknown>; release: () => void }> {
	const { promise, resolve } = Promise.withResolvers<void>()
	await page.route(address, async (route) => {
		await promise
		await route.continue().catch(() => {})
	})
	return { asked: page.waitForRequest(address), release: resolve }
}

test('keyboard only: the switcher leads from anywhere to anything', async ({ page }) => {
	const errors = errorsOf(page)
	await logIn(page)
	await page.goto('/forum')
	await hydrated(page)
	// Chrome sends such an event when it fills in a stored value.
	await page.evaluate(() => document.dispatchEvent(new Event('keydown')))
	await page.keyboard.press('Control+k')
	const input = switcher(page).getByRole('combobox', { name: 'Search everything' })
	await expect(input).toBeFocused()
	await expect(switcher(page).getByRole('option', { name: 'Bookmarks' })).toBeVisible()
	await expect(switcher(page).getByRole('option', { name: 'Moderation' })).toHaveCount(0)

	// The browser knows the pages. A selected page stays selected when the response adds results.
	const answer = await hold(page, '**/suggest/everything?q=sett')
	await page.keyboard.type('sett')
	await expect(switcher(page).getByRole('option').first()).toHaveText(/^Settings/)
	const known = await switcher(page).getByRole('option').count()
	await page.keyboard.press('ArrowDown')
	const settings = switcher(page).getByRole('option', { name: 'Settings' })
	await expect(settings).toHaveAttribute('aria-selected', 'true')
	await answer.asked
	answer.release()
	await expect.poll(() => switcher(page).getByRole('option').count()).toBeGreaterThan(known)
	await expect(settings).toHaveAttribute('aria-selected', 'true')
	await page.keyboard.press('Enter')
	await expect(page).toHaveURL('/settings')
	await expect(switcher(page)).toHaveCount(0)

	await page.keyboard.press('Meta+k')
	await expect(input).toBeFocused()
	await page.keyboard.type('react')
	for (const kind of ['People', 'Queries', 'Projects', 'Tags'])
		await expect(switcher(page).getByRole('group', { name: kind }).getByRole('option').first()).toBeVisible()
	await expectNoViolationsInThemes(page)
	await expectToFit(page, [360, 1280])
	await page.keyboard.press('Escape')
	await expect(switcher(page)).toHaveCount(0)
	await expect(page).toHaveURL('/settings')

	// The text stays, and Enter alone searches.
	await page.keyboard.press('Control+k')
	await expect(input).toHaveValue('react')
	await page.keyboard.press('Enter')
	await expect(page).toHaveURL('/search?q=react')
	await expect(tab(page, 'All')).toHaveAttribute('aria-current', 'true')
	await page.keyboard.press('Control+k')
	await page.keyboard.press('Control+a')
	await page.keyboard.press('Delete')
	await expect(switcher(page).getByRole('group', { name: 'Recent searches' }).getByRole('option')).toHaveText([
		/^react/,
	])
	expect(errors()).toEqual([])
})

test('what is typed before the switcher has loaded is searched for, and the focus returns to where it was', async ({
	page,
}) => {
	await page.goto('/forum/ask')
	await settled(page)
	const { asked, release } = await hold(page, '**/assets/switcher-*.js')
	const title = page.getByLabel('Title')
	await title.press('Control+k')
	await page.keyboard.type('react')
	await asked
	release()
	await expect(switcher(page).getByRole('option', { name: 'All results for “react”' })).toBeVisible()
	await page.keyboard.type('s')
	await expect(switcher(page).getByRole('combobox', { name: 'Search everything' })).toHaveValue('reacts')
	await page.keyboard.press('Escape')
	await expect(title).toBeFocused()
	await expect(title).toHaveValue('')
})

test('in a description Ctrl and K make a link, and do not open the switcher over it', async ({ page }) => {
	await page.goto('/forum/ask')
	await settled(page)
	await page.getByLabel('Title').press('Control+k')
	await expect(switcher(page).getByRole('option').first()).toBeVisible()
	await page.keyboard.press('Escape')
	await expect(switcher(page)).toHaveCount(0)
	const text = page.getByLabel('Description')
	await text.fill('lanterns')
	await text.press('Control+a')
	await text.press('Control+k')
	await expect(text).toHaveValue(/^\[lanterns\]\(/)
	await expect(switcher(page)).toHaveCount(0)
	await expect(text).toBeFocused()
})

test('the latest response wins, whenever an older one arrives', async ({ page }) => {
	await logIn(page)
	await page.goto('/forum')
	await settled(page)
	await page.keyboard.press('Control+k')
	await switcher(page).getByRole('option').first().waitFor()
	// The first response waits until the second is shown.
	const { asked, release } = await hold(page, '**/suggest/everything?q=mir')
	await page.keyboard.type('mir')
	await asked
	await page.keyboard.type('a')
	await expect(switcher(page).getByRole('option', { name: /^Mira Quillon/ })).toBeVisible()
	release()
	await expect(switcher(page).getByRole('option', { name: 'All results for “mira”' })).toBeVisible()
})

test('the switcher announces its number of results, and stays open when a selection ends beside its field', async ({
	page,
}) => {
	await page.goto('/forum')
	await settled(page)
	await page.keyboard.press('Control+k')
	const input = switcher(page).getByRole('combobox', { name: 'Search everything' })
	await expect(input).toBeFocused()
	await page.keyboard.type('frabjouscallooh')
	await expect(switcher(page).getByRole('option')).toHaveText(['All results for “frabjouscallooh”Enter'])
	await expect(switcher(page).getByRole('status')).toHaveText('1 suggestion')
	const field = await input.boundingBox()
	const frame = await switcher(page).boundingBox()
	if (!field || !frame) throw new Error('The switcher has no size.')
	await page.mouse.move(field.x + 60, field.y + 12)
	await page.mouse.down()
	await page.mouse.move(frame.x - 20, field.y + 12, { steps: 4 })
	await page.mouse.up()
	await page.mouse.click(frame.x + 4, frame.y + 4)
	await expect(input).toBeVisible()
	await input.press('End')
	await page.keyboard.type('s')
	await expect(input).toHaveValue('frabjouscalloohs')
	await page.mouse.click(frame.x - 20, frame.y + 4)
	await expect(switcher(page)).toHaveCount(0)
})

test('the box in the header searches, and the page shows every kind of result with its filters', async ({ page }) => {
	await logIn(page, demoModerator)
	await page.goto('/bookmarks')
	await hydrated(page)
	await box(page).fill('react')
	const offered = page.getByRole('banner').getByRole('option')
	await expect(offered.filter({ hasText: 'Mira Quillon' }).first()).toBeVisible()
	await page.keyboard.press('Escape')
	await expect(offered).toHaveCount(0)
	await page.keyboard.press('Enter')
	await expect(page).toHaveURL('/search?q=react')
	// The page has its own box.
	await expect(box(page)).toHaveCount(0)
	await expect(field(page)).toHaveValue('react')
	for (const kind of ['Queries', 'People', 'Projects', 'Tags'])
		await expect(page.getByRole('region', { name: kind, exact: true })).toBeVisible()
	await expect(page.getByText('Knows React').first()).toBeVisible()
	for (const heading of ['Votes', 'Comments'])
		await expect(page.getByRole('region', { name: 'Queries' }).getByText(heading, { exact: true })).toBeVisible()
	await expectNoViolationsInThemes(page)
	await expectToFit(page, [360, 390, 768, 1280])

	await tab(page, /^Projects/).click()
	await expect(page).toHaveURL('/search?q=react&in=projects')
	await page.getByRole('link', { name: 'Projects with Node.js' }).first().click()
	await expect(page).toHaveURL('/search?q=tag%3Anode.js&in=projects')
	await expect(page.getByRole('article').first()).toContainText('Node.js')
	await expectNoViolationsInThemes(page)
	await page.getByRole('article').first().getByRole('heading').getByRole('link').click()
	await expect(page).toHaveURL(/\/find-dev\/[\w.]+#projects$/)
	await page.goBack()
	await expect(tab(page, /^Projects/)).toHaveAttribute('aria-current', 'true')

	await field(page).fill('python')
	await page.keyboard.press('Enter')
	await expect(page).toHaveURL('/search?in=projects&q=python')
	await tab(page, /^Queries/).click()
	const narrowed = page.getByRole('list', { name: 'Only queries that are' })
	await narrowed.getByRole('link', { name: 'Solved', exact: true }).click()
	await expect(page).toHaveURL('/search?q=python+is%3Asolved&in=questions')
	await expect(narrowed.getByRole('link', { name: 'Solved', exact: true })).toHaveAttribute('aria-current', 'true')
	await expect(page.getByRole('article').first()).toContainText('Answered')
	await expect(tab(page, /^People/)).toHaveText(/0$/)

	// A search without results is not an empty page, and moderators see the words.
	const without = await htmlOf(page, '/search?q=frabjous+calloohs')
	expect(without).toMatch(/Newest queries[\s\S]*<article/)
	expect(without).toMatch(/href="\/forum\/ask\?title=frabjous\+calloohs"[^>]*>(<svg[\s\S]*?<\/svg>)?Ask this</)
	const missed = page.getByRole('listitem').filter({ hasText: 'frabjous calloohs' })
	// No search waits until it is recorded.
	await expect(async () => {
		await page.goto('/moderation/searches')
		await expect(missed).toContainText('1 search', { timeout: 1_000 })
	}).toPass()
	await expectNoViolationsInThemes(page)
	await missed.getByRole('link', { name: 'Make a term: frabjous calloohs' }).click()
	await expect(page).toHaveURL('/moderation/terms/new?word=frabjous+calloohs')
	expect(await htmlOf(page, '/search?q=pyhton')).toMatch(/No exact matches\. Showing results for[\s\S]*<article/)
})

test('people who are found by an operator are the same in the community', async ({ page }) => {
	await logIn(page)
	await page.goto('/search?q=tag%3Areact+eastmere&in=people')
	await page.getByRole('link', { name: 'Filter these people in the Community' }).click()
	await expect(page).toHaveURL('/find-dev?q=eastmere&skill=React')
	await expect(page.getByRole('article').first()).toContainText('React')
})

test('a conversation is found only by its two members', async ({ page, browser }) => {
	const author = await enrol(page, 'Quentin Larkspur')
	const to = await anotherSender(browser, 'Yara Thornfield')
	await post({ page, name: 'Quentin Larkspur', username: author }, to, 'Hello')
	const conversations = async (who: Account, text: string) => {
		const answer = await who.request.get(`/suggest/everything?q=${text}`)
		return ((await answer.json()) as { conversations: { url: string }[] }).conversations.map(({ url }) => url)
	}
	await expect.poll(() => conversations(page, 'yara')).toEqual(['/messages/yara.thornfield'])
	expect(await conversations(to.page, 'quentin')).toEqual([`/messages/${author}`])
	await logIn(to.page)
	expect(await conversations(to.page, 'yara')).toEqual([])
	expect(await conversations(to.page, 'quentin')).toEqual([])
})

test.describe('on a phone', () => {
	test.use({ viewport: { width: 390, height: 844 } })

	test('a project that was found opens at the projects of its member', async ({ page }) => {
		await logIn(page)
		await page.goto('/search?q=tag%3Apython&in=projects')
		await settled(page)
		await page.getByRole('article').first().getByRole('heading').getByRole('link').click()
		await expect(page.getByRole('heading', { name: /^Projects/ })).toBeInViewport()
	})

	test('the menu leads visitors to the search, an icon leads members there, and the header fits the width', async ({
		page,
	}) => {
		await page.goto('/forum')
		await page.getByRole('button', { name: 'Open menu' }).click()
		await page.getByRole('dialog', { name: 'Menu' }).getByRole('link', { name: 'Search' }).click()
		await expect(page).toHaveURL('/search')
		await logIn(page)
		await page.goto('/forum')
		await page.getByRole('banner').getByRole('link', { name: 'Search' }).click()
		await expect(page).toHaveURL('/search')
		await expectNoViolationsInThemes(page)
		for (const link of await page
			.getByRole('region', { name: /^Search for people/ })
			.getByRole('link')
			.all())
			expect((await page.request.get((await link.getAttribute('href')) ?? '')).ok()).toBe(true)
		await field(page).fill('mira')
		await page.keyboard.press('Enter')
		await expect(page).toHaveURL('/search?q=mira')
		await expect(page.getByRole('region').first()).toHaveAccessibleName('People')
		await expectToFit(page, [390, 360])
		await expectNoViolationsInThemes(page)
	})
})

test.describe('without JavaScript', () => {
	test.use({ javaScriptEnabled: false })

	test('a visitor searches with the form on any page and follows tabs', async ({ page }) => {
		await page.goto('/')
		await box(page).fill('react')
		await page.keyboard.press('Enter')
		await expect(page).toHaveURL('/search?q=react')
		await expect(page.locator('meta[name=robots]')).toHaveAttribute('content', 'noindex, follow')
		await tab(page, /^Queries/).click()
		await expect(page.getByRole('article').first()).toContainText('React')
		await tab(page, 'Projects').click()
		await expect(page.getByRole('link', { name: 'Login' }).last()).toHaveAttribute(
			'href',
			'/login?redirectTo=%2Fsearch%3Fq%3Dreact%26in%3Dprojects',
		)
		await expectToFit(page, [360])
		await tab(page, /^People/).click()
		await field(page).fill('mira')
		await page.keyboard.press('Enter')
		await expect(page).toHaveURL('/search?in=people&q=mira')
		await expect(page.getByRole('article').first()).toContainText('Found by name')
	})
})
