import type { Page } from '@playwright/test'
import { enrol, expect, openWithoutScripts, settled, test } from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

/* Several tabs with the same draft of a question. */

const title = (page: Page) => page.getByLabel('Title', { exact: true })
const post = (page: Page) => page.getByRole('button', { name: 'Post question' })

/** Waits until the server has saved the draft. */
function saved(page: Page): Promise<unknown> {
	return page.waitForResponse((response) => response.url().endsWith('/forum/drafts') && response.ok())
}

/** Fills in the form of one tab and opens another with the same draft. */
async function openTwoTabs(page: Page, text: string): Promise<Page> {
	await page.goto('/forum/ask')
	await settled(page)
	const save = saved(page)
	await title(page).fill(text)
	await page.getByRole('textbox', { name: 'Description' }).fill('It stops at the second step.')
	await page.getByRole('combobox', { name: 'Tags' }).fill('testing,')
	await save
	const second = await page.context().newPage()
	await second.goto('/forum/ask')
	await expect(title(second)).toHaveValue(text)
	return second
}

/** The titles of a member's questions. */
async function posted(page: Page, username: string): Promise<string[]> {
	const { rows } = await (await page.request.get(`/api/v1/queries?author=${username}`)).json()
	return rows.map((row: { title: string }) => row.title)
}

test('of two tabs, the newer text wins and the other can be restored', async ({ page, context }) => {
	await enrol(page, 'Toni Twotabs')
	await page.goto('/forum/ask')
	await title(page).fill('From the first tab')
	const second = await context.newPage()
	await second.goto('/forum/ask')
	await expect(title(second)).toHaveValue('From the first tab')
	await title(second).fill('From the second tab')
	await expect(page.getByText('This draft was changed in another tab. The newer text is shown')).toBeVisible()
	await expect(title(page)).toHaveValue('From the second tab')
	await page.getByRole('button', { name: 'Show the other text' }).click()
	await expect(title(page)).toHaveValue('From the first tab')
	await expect(title(second)).toHaveValue('From the first tab')
})

test('a draft that is open on two devices is posted once, and a later text of it only after a question', async ({
	page,
	browser,
}) => {
	const username = await enrol(page, 'Dina Twodevice')
	const text = 'Where does the second lamp get its oil?'
	await page.goto('/forum/ask')
	await settled(page)
	await title(page).fill(text)
	await page.getByRole('textbox', { name: 'Description' }).fill('It burns on both.')
	await page.getByRole('combobox', { name: 'Tags' }).fill('testing')
	await page.keyboard.press('Enter')
	const stored = async () => (await page.request.get('/forum/drafts?key=ask')).json()
	await expect.poll(stored).toMatchObject({ draft: { title: text, tags: 'testing' } })
	const devices = await Promise.all([browser.newContext(), browser.newContext()])
	const [phone, tablet] = await Promise.all(
		devices.map(async (device) => {
			await device.addCookies(await page.context().cookies())
			const other = await device.newPage()
			await other.goto('/forum/ask')
			await expect(title(other)).toHaveValue(text)
			return other
		}),
	)
	if (!phone || !tablet) throw new Error('There are not two devices.')
	await post(page).click()
	await page.waitForURL(/\/forum\/others\//)
	await post(phone).click()
	await expect(phone).toHaveURL(page.url())
	await title(tablet).fill(`${text} Of late`)
	await post(tablet).click()
	await expect(tablet.getByText('This has already been posted, without your last change.').first()).toBeVisible()
	expect(await posted(page, username)).toEqual([text])
	for (const device of devices) await device.close()
})

test("a draft saved in another tab before this page's scripts ran is not discarded", async ({ page, context }) => {
	await enrol(page, 'Lena Latetab')
	await page.goto('/forum/ask')
	const second = await context.newPage()
	const hydrate = await openWithoutScripts(second, '/forum/ask')
	for (const text of ['From the first tab', 'From the first tab, and more']) {
		const save = saved(page)
		await title(page).fill(text)
		await save
	}
	await hydrate()
	await expect(title(second)).toHaveValue('From the first tab, and more')
	await expect(title(page)).toHaveValue('From the first tab, and more')
	await second.reload()
	await expect(title(second)).toHaveValue('From the first tab, and more')
})

test('a question that was posted leaves the form of another tab, which can show it again', async ({ page }) => {
	const username = await enrol(page, 'Tabea Twicewell')
	const text = 'Why does the ferry bell ring twice?'
	const second = await openTwoTabs(page, text)
	await post(page).click()
	await expectNotice(page, 'Query added successfully!')
	await expect(second.getByText('This draft was posted or discarded in another tab')).toBeVisible()
	await expect(title(second)).toHaveValue('')
	await second.getByRole('button', { name: 'Show the other text' }).click()
	await expect(title(second)).toHaveValue(text)
	// What was shown again is a new question, and nobody posts an old one unseen.
	expect(await posted(page, username)).toEqual([text])
})

test('two tabs that post the same draft at the same time ask one question', async ({ page }) => {
	const username = await enrol(page, 'Tamar Twicewell')
	const text = 'Why does the harbour bell ring twice?'
	const second = await openTwoTabs(page, text)
	const free = Promise.withResolvers<void>()
	const sent = Promise.withResolvers<void>()
	await page.route('**/forum/ask.data*', async (route) => {
		if (route.request().method() !== 'POST') return route.continue()
		sent.resolve()
		await free.promise
		await route.continue()
	})
	await post(page).click()
	await sent.promise
	await post(second).click()
	await expectNotice(second, 'Query added successfully!')
	free.resolve()
	await expectNotice(page, 'Query added successfully!')
	expect(new URL(page.url()).pathname).toBe(new URL(second.url()).pathname)
	expect(await posted(page, username)).toEqual([text])
})

test('a logout in another tab, which clears all drafts of the browser, leaves the form as it is', async ({ page }) => {
	await enrol(page, 'Tilo Twicewell')
	const text = 'Why does the lighthouse blink twice?'
	const second = await openTwoTabs(page, text)
	const name = await page.evaluate(() => Object.keys(localStorage).find((key) => key.startsWith('draft tilo')))
	await second.getByRole('button', { name: 'Tilo Twicewell, account menu' }).click()
	await second.getByRole('button', { name: 'Logout' }).click()
	await expect.poll(() => page.evaluate((key) => localStorage.getItem(key ?? ''), name)).toBeNull()
	await expect(title(page)).toHaveValue(text)
	await expect(page.getByText('This draft was posted or discarded')).toHaveCount(0)
})
