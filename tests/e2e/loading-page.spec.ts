import type { Page } from '@playwright/test'
import { holdAnswers, withoutScripts } from './support/chat.ts'
import { enrol, enrolAdmin, expect, settled, test } from './support/journey.ts'

/* What a reader does on a page while the next one is loading. */

const theme = (page: Page) => page.locator('html')
const announcement = (page: Page) => page.getByRole('complementary', { name: 'Announcement' })

async function announce(page: Page, text: string): Promise<void> {
	await page.goto('/admin/settings/announcement')
	await page.getByLabel('Text', { exact: true }).fill(text)
	await page.getByRole('button', { name: 'Save', exact: true }).click()
	await expect(page.getByText(`to “${text || 'nothing'}”`).first()).toBeVisible()
}

test('an announcement that is closed, and a theme that is chosen, leave the page that is loading alone', async ({
	page,
}) => {
	await enrolAdmin(page)
	await announce(page, 'The pool is closed on Monday.')
	await page.goto('/forum')
	const reader = await withoutScripts(page)
	// Also the part of the page that shows the announcement, which has a script of its own.
	await settled(page)
	const question = page.locator('article h2 a').first()
	const address = (await question.getAttribute('href')) ?? ''
	const { first, release } = await holdAnswers(page)
	await question.click()
	await first
	await announcement(page).getByRole('button', { name: 'Close the announcement' }).press('Enter')
	await expect(announcement(page)).toHaveCount(0)
	await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
	await page.getByRole('contentinfo').getByRole('button', { name: 'Dark theme' }).press('Enter')
	await expect(theme(page)).toHaveAttribute('data-theme', 'dark')
	await release()
	await expect(page).toHaveURL(address)
	await expect(announcement(page)).toHaveCount(0)
	await expect(theme(page)).toHaveAttribute('data-theme', 'dark')
	await page.reload()
	await expect(announcement(page)).toHaveCount(0)
	await expect(theme(page)).toHaveAttribute('data-theme', 'dark')

	await reader.goto('/forum/tags')
	await announcement(reader).getByRole('button', { name: 'Close the announcement' }).click()
	await expect(reader).toHaveURL('/forum/tags')
	await expect(announcement(reader)).toHaveCount(0)
	await reader.context().close()
	await announce(page, '')
})

test('a theme that is chosen in the settings leaves the page that is loading alone', async ({ page }) => {
	await enrol(page, 'Thea Loading')
	await page.goto('/settings')
	await settled(page)
	const region = page.getByRole('region', { name: 'Theme' })
	const { first, release } = await holdAnswers(page)
	await page.getByRole('link', { name: 'Change username' }).click()
	await first
	await region.getByRole('button', { name: 'Dark' }).press('Enter')
	await expect(region.getByRole('button', { name: 'Dark' })).toHaveAttribute('aria-pressed', 'true')
	await release()
	await expect(page).toHaveURL('/settings/username')
	await expect(theme(page)).toHaveAttribute('data-theme', 'dark')
})

test('a theme stays chosen when a link is followed before the page has loaded again', async ({ page }) => {
	await enrol(page, 'Thea Quick')
	await page.goto('/settings')
	await settled(page)
	const free = Promise.withResolvers<void>()
	await page.route('**/settings.data', async (route) => {
		await free.promise
		// The page may have stopped waiting.
		await route.continue().catch(() => {})
	})
	const again = page.waitForRequest('**/settings.data')
	await page.getByRole('region', { name: 'Theme' }).getByRole('button', { name: 'Dark' }).click()
	await again
	await page.getByRole('link', { name: 'Change username' }).click()
	await expect(page).toHaveURL('/settings/username')
	free.resolve()
	await settled(page)
	await expect(theme(page)).toHaveAttribute('data-theme', 'dark')
})

test('a search that is typed while the page is loading keeps the focus', async ({ page }) => {
	await enrol(page, 'Thea Typing')
	await page.goto('/settings')
	await settled(page)
	const { first, release } = await holdAnswers(page)
	await page.getByRole('link', { name: 'Change username' }).click()
	await first
	const search = page.getByRole('banner').getByRole('combobox')
	await search.click()
	await page.keyboard.type('pyt')
	await release()
	await expect(page).toHaveURL('/settings/username')
	await expect(page.getByRole('heading', { level: 1 })).toHaveText('Username')
	await page.keyboard.type('hon')
	await expect(search).toHaveValue('python')
	await expect(search).toBeFocused()
	// Its own page has the focus on the heading, as any other.
	await search.press('Enter')
	await expect(page).toHaveURL('/search?q=python')
	await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
})
