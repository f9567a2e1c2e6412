import type { Browser, Page } from '@playwright/test'
import { enrol, expect, expectNoViolations, hydrated, logIn, test } from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

/** A second member, in a separate browser. */
async function secondPage(browser: Browser): Promise<Page> {
	const context = await browser.newContext({ baseURL: process.env.SITE_URL ?? '' })
	return context.newPage()
}

test('a newcomer appears online in an open list, and goes offline on logout', async ({ page, browser }) => {
	await logIn(page)
	await page.goto('/find-dev')
	const newcomer = await secondPage(browser)
	await enrol(newcomer, 'Lalita Fairweather')
	await newcomer.goto('/find-dev')
	const card = page.getByRole('article').filter({ hasText: 'Lalita Fairweather' })
	await expect(card).toBeVisible()
	await expect(card.getByText(', online')).toBeAttached()
	await card.getByRole('link', { name: 'View Details of Lalita Fairweather' }).click()
	await expect(page.getByText('Online', { exact: true })).toBeVisible()
	await newcomer.getByRole('button', { name: 'Lalita Fairweather, account menu' }).click()
	await newcomer.getByRole('button', { name: 'Logout' }).click()
	await newcomer.waitForURL('**/login')
	await expect(page.getByText('Offline', { exact: true })).toBeVisible()
	await newcomer.context().close()
})

test('a reader further down is notified of a newcomer, and nothing moves until they want it', async ({
	page,
	browser,
}) => {
	await logIn(page)
	await page.goto('/find-dev')
	await page.evaluate(() => window.scrollTo(0, 900))
	const before = await page.evaluate(() => window.scrollY)
	expect(before).toBeGreaterThan(200)
	const newcomer = await secondPage(browser)
	await enrol(newcomer, 'Ottilie Glasswing')
	await newcomer.goto('/find-dev')
	const bar = page.getByRole('button', { name: '1 new developer' })
	await expect(bar).toBeInViewport()
	await expect(page.getByRole('article').filter({ hasText: 'Ottilie Glasswing' })).toHaveCount(0)
	expect(await page.evaluate(() => window.scrollY)).toBe(before)
	// A link may be half covered by the bar where the reader has scrolled to.
	await expectNoViolations(page, { targetSize: false })
	await bar.press('Enter')
	await expect(bar).toHaveCount(0)
	await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
	await expect(page.getByRole('article').first()).toContainText('Ottilie Glasswing')
	// The list may be loaded again for another reason, and shows the newcomers then.
	await page.evaluate(() => window.scrollTo(0, 900))
	await enrol(newcomer, 'Ludo Glasswing')
	await newcomer.goto('/find-dev')
	await expect(bar).toBeInViewport()
	await page.evaluate(() => window.__reactRouterDataRouter.revalidate())
	await expect(page.getByRole('article').first()).toContainText('Ludo Glasswing')
	await expect(bar).toHaveCount(0)
	await newcomer.context().close()
})

test("View Details shows the card's data while the rest loads", async ({ page }) => {
	// Use a newcomer, because the unread count precedes the title.
	await enrol(page, 'Vida Hastings')
	await page.goto('/find-dev?q=odalys+fernbrook')
	// A click before the scripts load opens the page in full, without data from the list.
	await hydrated(page)
	const card = page.getByRole('article').filter({ hasText: 'Odalys Fernbrook' })
	const about = await card.locator('p.line-clamp-3').innerText()
	let release = () => {}
	const held = new Promise<void>((resolve) => {
		release = resolve
	})
	await page.route(/odalys\.fernbrook\.data/, async (route) => {
		await held
		await route.continue()
	})
	await card.getByRole('link', { name: 'View Details of Odalys Fernbrook' }).click()
	await expect(page.getByRole('heading', { level: 1, name: 'Odalys Fernbrook' })).toBeVisible()
	await expect(page.getByText(about.slice(0, 60))).toBeVisible()
	await expect(page.getByRole('status').filter({ hasText: 'Loading the profile' })).toBeAttached()
	await expect(page).toHaveTitle(/^Odalys Fernbrook/)
	release()
	await expect(page.getByRole('heading', { name: 'Academics' })).toBeVisible()
	await expect(page.getByRole('status').filter({ hasText: 'Loading the profile' })).toHaveCount(0)
})

test('a member who hides their presence appears offline to everybody', async ({ page, browser }) => {
	const hidden = await secondPage(browser)
	const username = await enrol(hidden, 'Piers Nightjar')
	await hidden.goto('/find-dev')
	await logIn(page)
	await page.goto(`/find-dev/${username}`)
	await expect(page.getByText('Online', { exact: true })).toBeVisible()
	await hidden.goto(`/edit-profile/${username}`)
	await hidden.getByLabel('Show when I am online').uncheck()
	await hidden.getByRole('button', { name: 'Save changes' }).click()
	await expectNotice(hidden, 'Profile updated successfully!')
	await expect(page.getByText('Offline', { exact: true })).toBeVisible()
	await expect(page.getByText('Last seen')).toHaveCount(0)
	await page.reload()
	await expect(page.getByText('Offline', { exact: true })).toBeVisible()
	await hidden.context().close()
})

test('a browser closed without logging out goes offline, in the list and on the profile', async ({ page, browser }) => {
	const leaving = await secondPage(browser)
	const username = await enrol(leaving, 'Kestrel Moorgate')
	await leaving.goto('/find-dev')
	await logIn(page)
	await page.goto('/find-dev')
	const profile = await page.context().newPage()
	await profile.goto(`/find-dev/${username}`)
	const card = page.getByRole('article').filter({ hasText: 'Kestrel Moorgate' })
	await expect(card.getByText(', online')).toBeAttached()
	await expect(profile.getByText('Online', { exact: true })).toBeVisible()
	await leaving.context().close()
	await expect(card.getByText(', offline')).toBeAttached({ timeout: 60_000 })
	await expect(profile.getByText('Offline', { exact: true })).toBeVisible()
	await profile.reload()
	await expect(profile.getByText('Last seen')).toBeVisible()
})

test('after a password change the member’s own tab reconnects, and they stay online', async ({ page, browser }) => {
	const changing = await secondPage(browser)
	const username = await enrol(changing, 'Wren Applegarth')
	await changing.goto('/find-dev')
	await logIn(page)
	await page.goto(`/find-dev/${username}`)
	await expect(page.getByText('Online', { exact: true })).toBeVisible()
	const first = changing.waitForEvent('websocket')
	await changing.goto(`/edit-profile/${username}/change-password`)
	await first
	const next = changing.waitForEvent('websocket')
	await page.evaluate(() => {
		const watcher = new MutationObserver(() => {
			if (document.querySelector('main')?.textContent.includes('Offline')) document.body.dataset.left = 'seen'
		})
		watcher.observe(document.body, { childList: true, subtree: true, characterData: true })
	})
	await changing.getByLabel('Current password').fill('a lantern at the ford')
	await changing.getByLabel('New password').fill('another lantern at the ford')
	await changing.getByRole('button', { name: 'Save new password' }).click()
	await (await next).waitForEvent('framereceived')
	await expect(page.getByText('Online', { exact: true })).toBeVisible()
	expect(await page.evaluate(() => document.body.dataset.left)).toBeUndefined()
	await changing.context().close()
})

test('the home page shows members who are online, and shows them leave', async ({ page, browser }) => {
	const leaving = await secondPage(browser)
	await enrol(leaving, 'Isaura Penhallow')
	await leaving.goto('/find-dev')
	await logIn(page)
	// The page lists online members when it is rendered, and the newcomer's socket opens only some time after their page.
	await page.goto('/find-dev/isaura.penhallow')
	await expect(page.getByText('Online', { exact: true })).toBeVisible()
	await page.goto('/')
	const row = page.getByRole('link', { name: /^Isaura Penhallow/ })
	await expect(row.getByText(', online')).toBeAttached()
	await leaving.getByRole('button', { name: 'Isaura Penhallow, account menu' }).click()
	await leaving.getByRole('button', { name: 'Logout' }).click()
	await expect(row.getByText(', offline')).toBeAttached()
	await leaving.context().close()
})
