import type { Page, Route } from '@playwright/test'
import { withoutPage } from './support/chat.ts'
import { type Account, enrol, expect, logIn, settled } from './support/journey.ts'
import { cut, failures, test } from './support/lost-connection.ts'

/* Pages seen before, or prefetched on hover: shown at once, then refreshed. */

const main = (page: Page) => page.getByRole('navigation', { name: 'Main' })
const cards = (page: Page) => page.locator('main h2 a')
const heading = (page: Page) => page.getByRole('heading', { level: 1 })

/** Holds back all page data. @returns `asked`: the addresses requested so far; `release` lets the data through */
async function hold(page: Page) {
	const free = Promise.withResolvers<void>()
	const asked: string[] = []
	const handler = async (route: Route) => {
		asked.push(route.request().url())
		await free.promise
		await route.continue().catch(() => {})
	}
	await page.route(/\.data(\?|$)/, handler)
	const release = async () => {
		free.resolve()
		await page.unroute(/\.data(\?|$)/, handler)
	}
	return { asked, release }
}

async function ask(page: Account, title: string): Promise<void> {
	const form = { title, description: 'Nobody knows.', tags: 'revisits', category: 'others' }
	const headers = { Origin: process.env.SITE_URL ?? '' }
	const answer = await page.request.post('/forum/ask', { form, headers, maxRedirects: 0 })
	expect(answer.status()).toBe(303)
}

test('a list is shown at once, with its appended rows and scroll position, and new content follows', async ({
	page,
	browser,
}) => {
	await logIn(page)
	const other = await withoutPage(browser)
	await enrol(other, 'Rea Visitor')
	await page.goto('/')
	await settled(page)
	await main(page).getByRole('link', { name: 'Forum' }).click()
	await expect(cards(page).first()).toBeVisible()
	await settled(page)
	const first = await cards(page).count()
	await page.getByRole('link', { name: /Load more/ }).click()
	await expect.poll(() => cards(page).count()).toBeGreaterThan(first)
	const all = await cards(page).count()
	await cards(page)
		.nth(all - 2)
		.click()
	await expect(page).toHaveURL(/\/\d+\/[\w-]+$/)
	// The address changes shortly before the page.
	await expect(page.getByRole('link', { name: /Load more/ })).toHaveCount(0)
	await settled(page)
	const title = await heading(page).textContent()
	const question = page.url()

	const held = await hold(page)
	await page.goBack()
	await expect(cards(page)).toHaveCount(all)
	await expect(cards(page).nth(all - 2)).toBeInViewport()
	await expect.poll(() => held.asked.length).toBeGreaterThan(0)
	await page.goForward()
	await expect(heading(page)).toHaveText(title ?? '')
	await page.goBack()
	await expect(cards(page)).toHaveCount(all)
	await held.release()
	await settled(page)
	// The response matches what is shown, so nothing is rendered again.
	await expect(cards(page)).toHaveCount(all)

	await page.goForward()
	await expect(page).toHaveURL(question)
	await settled(page)
	await ask(other, 'What came while a reader was elsewhere?')
	const slow = await hold(page)
	await main(page).getByRole('link', { name: 'Forum' }).click()
	await expect(page).toHaveURL(/\/forum$/)
	await expect(cards(page).first()).toBeVisible()
	await expect(page.getByText('What came while a reader was elsewhere?')).toHaveCount(0)
	await slow.release()
	await expect(cards(page).first()).toHaveText('What came while a reader was elsewhere?')

	// After a write, no stale page is shown.
	await page.goto('/forum')
	await settled(page)
	await main(page).getByRole('link', { name: 'Community' }).click()
	await expect(page.getByRole('link', { name: 'View Details' }).first()).toBeVisible()
	await main(page).getByRole('link', { name: 'Forum' }).click()
	await expect(cards(page).first()).toBeVisible()
	await settled(page)
	await cards(page).first().click()
	await page.getByRole('button', { name: 'Vote up' }).first().click()
	await settled(page)
	const afterVote = await hold(page)
	await main(page).getByRole('link', { name: 'Community' }).click()
	await expect.poll(() => afterVote.asked.length).toBeGreaterThan(0)
	await expect(page.getByRole('link', { name: 'View Details' })).toHaveCount(0)
	await afterVote.release()
	await expect(page.getByRole('link', { name: 'View Details' }).first()).toBeVisible()
	await other.context().close()
})

test('a page loads while the pointer rests on its link, and counts as read only when opened', async ({
	page,
	browser,
}) => {
	// A new member has no other notifications.
	await enrol(page, 'Ahead Asker')
	await ask(page, 'What comes ahead?')
	await page.goto('/')
	await settled(page)
	await main(page).getByRole('link', { name: 'Forum' }).click()
	const link = page.getByRole('link', { name: 'What comes ahead?' }).first()
	const address = await link.getAttribute('href')
	const other = await withoutPage(browser)
	await enrol(other, 'Pre Fetcher')
	const headers = { Origin: process.env.SITE_URL ?? '' }
	await other.request.post(address ?? '', { form: { intent: 'comment', body: 'It does.' }, headers, maxRedirects: 0 })
	const unread = page.getByRole('button', { name: /^Messages and notifications, \d+ unread/ })
	await expect(unread).toBeVisible()
	const prefetched = () => page.waitForResponse((answer) => answer.request().headers()['x-prefetch'] === '1')
	// An aborted prefetch is not cached.
	await settled(page)
	const broken = await cut(page, 'GET', failures['cut in the middle'])
	const incomplete = prefetched()
	await link.hover()
	await broken.failed()
	// The response may reach the page only later, and would be taken for the next one.
	await (await incomplete).finished()
	await broken.mend()
	await page.mouse.move(0, 0)
	await settled(page)
	const ahead = prefetched()
	await link.hover()
	expect((await ahead).status()).toBe(200)
	await (await ahead).finished()
	await expect(unread).toBeVisible()
	// Let other requests finish first, so that they are not held back and do not discard the prefetched data.
	await settled(page)
	const held = await hold(page)
	await link.click()
	await expect(page.getByText('It does.')).toBeVisible()
	await expect(unread).toBeVisible()
	await held.release()
	await expect(unread).toHaveCount(0)
	await other.context().close()
})

test('a form is never shown from the cache', async ({ page }) => {
	await logIn(page)
	await page.goto('/settings')
	await settled(page)
	await page
		.getByRole('link', { name: 'Manage access tokens' })
		.or(page.locator('main a[href="/settings/tokens"]'))
		.first()
		.click()
	await expect(page).toHaveURL(/tokens$/)
	const held = await hold(page)
	await page.goBack()
	await expect.poll(() => held.asked.length).toBeGreaterThan(0)
	await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toHaveCount(0)
	await held.release()
	await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible()
})

test('a list whose address names its filters in another order has one entry in the history', async ({ page }) => {
	await page.goto('/')
	await page.goto('/find-dev?year=3&year=2')
	await settled(page)
	await expect(page.getByRole('complementary', { name: 'Filters' }).locator('input[value="2"]')).toBeChecked()
	await expect(page).toHaveURL('/find-dev?year=3&year=2')
	await page.goBack()
	await expect(page).toHaveURL('/')
})
