import type { Browser, Page } from '@playwright/test'
import { anotherSender } from './support/chat.ts'
import {
	type Account,
	enrol,
	expect,
	expectNoViolations,
	expectNoViolationsInThemes,
	expectSound,
	hydrated,
	settled,
	test,
} from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

/** A second member, in a separate browser. */
async function another(browser: Browser, name: string): Promise<Account> {
	return (await anotherSender(browser, name)).page
}

/** Asks with the site's form, without scripts. @returns the question's path */
async function ask(page: Account, title: string): Promise<string> {
	const answer = await page.request.post('/forum/ask', {
		form: { title, description: 'How does it work?', tags: 'testing', category: 'others' },
		headers: { Origin: process.env.SITE_URL ?? '' },
		maxRedirects: 0,
	})
	expect(answer.status()).toBe(303)
	return new URL(answer.headers().location ?? '', process.env.SITE_URL).pathname
}

async function comment(page: Account, path: string, body: string): Promise<void> {
	const answer = await page.request.post(path, {
		form: { intent: 'comment', body },
		headers: { Origin: process.env.SITE_URL ?? '' },
		maxRedirects: 0,
	})
	expect(answer.status()).toBe(303)
}

const control = 'Messages and notifications'
const bell = (page: Page, unread: number) =>
	page.getByRole('button', { name: unread > 0 ? `${control}, ${unread} unread` : control, exact: true })

test('a comment appears in every tab at once, is read in the panel, and reading it clears all tabs', async ({
	page,
	browser,
}) => {
	await enrol(page, 'Bella Ringer')
	const path = await ask(page, 'Who rings the bell?')
	await page.goto('/forum')
	const other = await page.context().newPage()
	await other.goto('/settings')
	await expect(bell(other, 0)).toBeVisible()
	const zubin = await another(browser, 'Zubin Bellfounder')
	await comment(zubin, path, 'I do.')
	for (const tab of [page, other]) {
		await expect(bell(tab, 1)).toBeVisible()
		await expect(tab).toHaveTitle(/^\(1\) /)
	}
	await bell(page, 1).click()
	const panel = page.getByRole('dialog', { name: control })
	const notification = panel.getByRole('link', { name: /Zubin Bellfounder commented on Who rings the bell/ })
	await expect(notification).toBeVisible()
	await expectNoViolations(page)
	await notification.click()
	await expect(page.getByRole('heading', { name: 'Who rings the bell?' })).toBeVisible()
	for (const tab of [page, other]) {
		await expect(bell(tab, 0)).toBeVisible()
		await expect(tab).not.toHaveTitle(/^\(/)
	}
	await expect(panel).toBeHidden()
	await zubin.context().close()
})

test('a muted question sends no notifications, and the panel marks all as read', async ({ page, browser }) => {
	await enrol(page, 'Quentin Hush')
	const muted = await ask(page, 'What is a quiet question?')
	const loud = await ask(page, 'What is a loud question?')
	await page.goto(muted)
	await page.getByRole('button', { name: 'Mute this query' }).click()
	await expect(page.getByRole('button', { name: 'Mute this query', pressed: true })).toBeVisible()
	const pia = await another(browser, 'Pia Saffronbell')
	await comment(pia, muted, 'Hush.')
	await comment(pia, loud, 'Hey!')
	await expect(bell(page, 1)).toBeVisible()
	await bell(page, 1).click()
	await page.getByRole('button', { name: 'Mark all as read' }).click()
	await expect(bell(page, 0)).toBeVisible()
	await pia.context().close()
})

test('the unread notifications and the panel fit a phone and a wide screen and pass axe in either theme', async ({
	page,
	browser,
}) => {
	await enrol(page, 'Lena Sightwell')
	const path = await ask(page, 'How does this look?')
	const rohan = await another(browser, 'Rohan Kitebell')
	await comment(rohan, path, 'Well.')
	await page.goto('/notifications?show=unread')
	await expectSound(page)
	const panel = page.getByRole('dialog', { name: control })
	for (const width of [390, 1280]) {
		await page.setViewportSize({ width, height: 844 })
		await page.getByRole('button', { name: /^Messages and notifications/ }).click()
		await expect(panel.getByRole('link', { name: /commented on How does this look/ }).first()).toBeVisible()
		await (width === 390 ? expectNoViolations(page) : expectNoViolationsInThemes(page))
		await page.keyboard.press('Escape')
		await expect(panel).toBeHidden()
	}
	await rohan.context().close()
})

test('opening the panel after the session has ended leaves the page with what was typed', async ({ page }) => {
	const username = await enrol(page, 'Paula Panel')
	await page.goto(`/edit-profile/${username}`)
	await hydrated(page)
	await page.getByLabel('City').fill('Half a city')
	await page.context().clearCookies()
	await bell(page, 0).click()
	const refused = page.waitForResponse(/notifications\/latest/)
	await page.getByRole('tab', { name: 'Notifications' }).click()
	await refused
	await settled(page)
	await page.keyboard.press('Escape')
	await expect(page.getByLabel('City')).toHaveValue('Half a city')
})

test('an open panel shows who else commented, and counts nothing as seen while its tab is hidden', async ({
	page,
	browser,
}) => {
	await enrol(page, 'Petra Panelbell')
	const path = await ask(page, 'Who else?')
	const [first, second] = [await another(browser, 'Fritz Firstbell'), await another(browser, 'Sina Secondbell')]
	await comment(first, path, 'Me.')
	await page.goto('/forum')
	await bell(page, 1).click()
	await expect(page.getByRole('link', { name: /Fritz Firstbell commented on Who else/ })).toBeVisible()
	await comment(second, path, 'And me.')
	await expect(page.getByRole('link', { name: /Sina Secondbell and 1 other commented on Who else/ })).toBeVisible()
	// A screen reader would read all of it aloud, and its times every minute.
	await expect(page.locator('[aria-live] time')).toHaveCount(0)
	const loads: string[] = []
	page.on('request', (request) => loads.push(new URL(request.url()).pathname))
	await page.evaluate(() => Object.defineProperty(document, 'hidden', { value: true, configurable: true }))
	await comment(first, await ask(page, 'Anybody there?'), 'Not now.')
	await expect(bell(page, 2)).toBeVisible()
	await page.evaluate(() => fetch('/robots.txt').then(() => null))
	expect(loads).not.toContain('/notifications/latest')
	await page.evaluate(() => {
		Reflect.deleteProperty(document, 'hidden')
		document.dispatchEvent(new Event('visibilitychange'))
	})
	await expect(page.getByRole('link', { name: /Fritz Firstbell commented on Anybody there/ })).toBeVisible()
	for (const one of [first, second]) await one.context().close()
})

test('marking all as read after the session has ended leads back to the page by way of the login', async ({
	page,
	browser,
}) => {
	await enrol(page, 'Ulla Returner')
	const otto = await another(browser, 'Otto Returnbell')
	await comment(otto, await ask(page, 'Where was I?'), 'Here.')
	await page.goto('/forum?view=unsolved')
	await hydrated(page)
	await page.context().clearCookies()
	await bell(page, 1).click()
	await page.getByRole('button', { name: 'Mark all as read' }).click()
	await expect(page).toHaveURL('/login?redirectTo=%2Fforum%3Fview%3Dunsolved')
	await otto.context().close()
})

test('keyboard only: marking notifications as read keeps the focus and the place in the list', async ({
	page,
	browser,
}) => {
	await enrol(page, 'Norma Keybell')
	const otto = await another(browser, 'Otto Bellows')
	for (const title of ['First to be read', 'Second to be read'])
		await comment(otto, await ask(page, title), 'Read this.')
	await page.setViewportSize({ width: 390, height: 360 })
	await page.goto('/notifications')
	await hydrated(page)
	const mark = page.getByRole('button', { name: 'Mark as read: First to be read' })
	await mark.focus()
	await mark.evaluate((button) => button.scrollIntoView({ block: 'start' }))
	const place = await page.evaluate(() => window.scrollY)
	await mark.press('Enter')
	await expect(page.getByRole('link', { name: /commented on First to be read/ })).toBeFocused()
	expect(Math.abs((await page.evaluate(() => window.scrollY)) - place)).toBeLessThan(100)
	await page.goto('/notifications?show=unread')
	await hydrated(page)
	await page.getByRole('button', { name: 'Mark as read: Second to be read' }).press('Enter')
	await expect(page.getByRole('heading', { name: 'Notifications', level: 1 })).toBeFocused()
	await otto.context().close()
})

test('the page marks as read what it shows, and shows at once what was read in another tab', async ({
	page,
	browser,
}) => {
	await enrol(page, 'Dora Dotwell')
	const otto = await another(browser, 'Otto Dotbell')
	const paths = [await ask(page, 'First of two dots'), await ask(page, 'Second of two dots')]
	for (const path of paths) await comment(otto, path, 'Read this.')
	await page.goto('/notifications')
	await settled(page)
	const dots = page.getByRole('main').getByRole('img', { name: 'Unread' })
	await expect(dots).toHaveCount(2)
	const other = await page.context().newPage()
	await other.goto(paths[0] ?? '')
	await expect(dots).toHaveCount(1)
	await other.goto('/notifications')
	await comment(otto, paths[0] ?? '', 'Not on the page yet.')
	await expect(bell(other, 2)).toBeVisible()
	await other.getByRole('button', { name: 'Mark all as read' }).click()
	for (const tab of [page, other]) await expect(bell(tab, 1)).toBeVisible()
	await expect(dots).toHaveCount(1)
	await expect(other.getByRole('button', { name: 'Mark as read: First of two dots' })).toBeVisible()
	await other.getByRole('button', { name: 'Mark all as read' }).click()
	await expect(dots).toHaveCount(0)
	await otto.context().close()
})

test('without JavaScript, the header shows the count, opening the question clears it, and the forms work', async ({
	page,
	browser,
}) => {
	await enrol(page, 'Nina Countwell')
	const paths = [await ask(page, 'One without scripts'), await ask(page, 'Two without scripts')]
	await page.request.post('/notifications/read.data', { headers: { Origin: process.env.SITE_URL ?? '' } })
	const ines = await another(browser, 'Ines Plainbell')
	for (const path of paths) await comment(ines, path, 'Plain.')
	const context = await browser.newContext({
		baseURL: process.env.SITE_URL ?? '',
		javaScriptEnabled: false,
		storageState: await page.context().storageState(),
	})
	const plain = await context.newPage()
	await plain.goto('/forum')
	await expect(plain.getByRole('link', { name: `${control}, 2 unread` })).toBeVisible()
	await plain.goto(paths[0] ?? '')
	await expect(plain.getByRole('link', { name: `${control}, 1 unread` })).toBeVisible()
	await plain.getByRole('link', { name: `${control}, 1 unread` }).click()
	await comment(ines, paths[1] ?? '', 'Not on the page yet.')
	const mark = plain.getByRole('button', { name: 'Mark as read: Two without scripts' })
	for (const left of [1, 0]) {
		await mark.click()
		await expectNotice(plain, 'Marked as read.')
		await expect(mark).toHaveCount(left)
	}
	await expect(plain.getByRole('link', { name: control, exact: true })).toBeVisible()
	const later = Buffer.from(JSON.stringify(['2999-01-01T00:00:00Z', 1])).toString('base64url')
	await plain.goto(`/notifications?cursor=${later}`)
	await expect(plain.getByRole('link', { name: /Two without scripts/ })).toBeVisible()
	await expect(plain.getByRole('button', { name: 'Mark all as read' })).toHaveCount(0)
	await plain.goto('/settings')
	await plain.getByLabel('Replies to my comments: by email').uncheck()
	await plain.getByRole('button', { name: 'Save notifications' }).click()
	await expect(plain.getByLabel('Replies to my comments: by email')).not.toBeChecked()
	await expect(plain.getByLabel('Replies to my comments: on the site')).toBeChecked()
	await context.close()
	await ines.context().close()
})

test('a visitor sees no notifications, and a forged link unsubscribes nobody', async ({ page, request }) => {
	expect((await page.request.get('/notifications')).url()).toMatch(/\/login\?redirectTo=%2Fnotifications/)
	expect((await request.get('/notifications/latest.data')).status()).not.toBe(200)
	const forged = await request.post(`/unsubscribe?token=1.99999999999999.${'A'.repeat(43)}`, {
		form: { 'List-Unsubscribe': 'One-Click' },
	})
	expect(forged.status()).toBe(422)
	expect((await page.request.get('/unsubscribe?token=')).status()).toBe(422)
})
