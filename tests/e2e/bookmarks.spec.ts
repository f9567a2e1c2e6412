import type { Page } from '@playwright/test'
import { enrol, expect, expectSound, expectToFit, htmlOf, test } from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

/** Opens a question of the demo content with comments by others. */
async function openQuestion(page: Page): Promise<string> {
	await page.goto('/forum?view=solved')
	await page.getByRole('article').first().getByRole('heading').getByRole('link').click()
	await expect(page.getByRole('heading', { name: /^Comments/ })).toBeVisible()
	return new URL(page.url()).pathname
}

/** Bookmarks a question as this page's member, without the UI. */
async function bookmark(page: Page, id: number): Promise<void> {
	await page.request.post('/forum/bookmark', {
		form: { kind: 'query', id: String(id), value: '1' },
		headers: { Origin: process.env.SITE_URL ?? '', Accept: 'application/json' },
	})
}

const ofQuery = (page: Page) => page.getByRole('button', { name: 'Bookmark this query' })
const ofComment = (page: Page) => page.getByRole('button', { name: /^Bookmark the comment of/ }).first()
const rows = (page: Page) => page.getByRole('main').getByRole('listitem').filter({ hasText: 'bookmarked' })

test('a member bookmarks by keyboard, writes a note, searches, removes and undoes', async ({ page }) => {
	await enrol(page, 'Berta Markwell')
	const path = await openQuestion(page)
	const title = await page.getByRole('heading', { level: 1 }).innerText()
	await ofQuery(page).focus()
	for (const press of ['Enter', 'Space']) {
		const button = press === 'Enter' ? ofQuery(page) : ofComment(page)
		await button.focus()
		const stored = page.waitForResponse('**/forum/bookmark')
		await page.keyboard.press(press)
		await expect(button).toHaveAttribute('aria-pressed', 'true')
		expect((await stored).status()).toBe(200)
	}
	const known = await htmlOf(page, path)
	expect(known).toContain('aria-pressed="true" aria-label="Bookmark this query"')
	expect(known).toContain('aria-pressed="true" aria-label="Bookmark the comment of')

	await page.getByRole('button', { name: 'Berta Markwell, account menu' }).click()
	await page.getByRole('link', { name: 'Bookmarks' }).click()
	await expect(page.getByRole('heading', { name: 'Bookmarks', level: 1 })).toBeVisible()
	await expect(rows(page)).toHaveCount(2)
	await rows(page).first().getByText('Add a note').click()
	await rows(page).first().getByLabel('Note', { exact: true }).fill('For the exam,\nsecond part.')
	await rows(page).first().getByRole('button', { name: 'Save note' }).click()
	await expectNotice(page, 'Note saved.')
	await expect(rows(page).first()).toContainText('For the exam,')
	await expect(page.getByLabel('Note', { exact: true }).filter({ visible: true })).toHaveCount(0)
	await expectSound(page)

	await page.getByRole('searchbox', { name: 'Search titles and notes' }).fill('exam')
	await page.keyboard.press('Enter')
	await expect(rows(page)).toHaveCount(1)
	const shown = page.getByRole('navigation', { name: 'Which bookmarks' })
	await shown.getByRole('link', { name: 'Queries' }).click()
	await expect(page.getByText('No bookmark found.')).toBeVisible()
	await page.getByRole('link', { name: 'Show all bookmarks' }).click()
	await expect(rows(page)).toHaveCount(2)
	await shown.getByRole('link', { name: 'Queries' }).click()
	await expect(rows(page)).toHaveCount(1)
	await expect(rows(page)).toContainText(title)

	await shown.getByRole('link', { name: 'All' }).click()
	await expect(rows(page)).toHaveCount(2)
	await rows(page)
		.first()
		.getByRole('button', { name: /^Remove the bookmark of/ })
		.click()
	await expect(rows(page)).toHaveCount(1)
	await page.getByRole('button', { name: 'Undo' }).click()
	await expect(rows(page)).toHaveCount(2)
	await expect(rows(page).first()).toContainText('For the exam,')
	await rows(page).nth(1).getByRole('link', { name: title }).click()
	const removed = page.waitForResponse('**/forum/bookmark')
	await ofQuery(page).click()
	await removed
	await expect(ofQuery(page)).toHaveAttribute('aria-pressed', 'false')
	await page.goto('/bookmarks')
	await expect(rows(page)).toHaveCount(1)
})

test('a long list keeps its length, its place and the focus when a note is saved or a bookmark removed', async ({
	page,
}) => {
	await enrol(page, 'Longina Markwell')
	for (let id = 1; id <= 40; id += 1) await bookmark(page, id)
	await page.goto('/bookmarks')
	await expect(rows(page)).toHaveCount(30)
	await page.getByRole('link', { name: 'Load more' }).click()
	const all = await expect
		.poll(() => rows(page).count())
		.toBeGreaterThan(31)
		.then(() => rows(page).count())
	const last = rows(page).last()
	await last.getByText('Add a note').click()
	await last.getByLabel('Note', { exact: true }).fill('The oldest.')
	const place = await page.evaluate(() => window.scrollY)
	await last.getByRole('button', { name: 'Save note' }).click()
	await expectNotice(page, 'Note saved.')
	await expect(last).toContainText('The oldest.')
	await expect(rows(page)).toHaveCount(all)
	await expect(last.getByText('Edit note')).toBeFocused()
	expect(Math.abs((await page.evaluate(() => window.scrollY)) - place)).toBeLessThan(300)
	await last.getByRole('button', { name: /^Remove the bookmark of/ }).press('Enter')
	await expect(rows(page)).toHaveCount(all - 1)
	await expect(page.getByRole('heading', { name: 'Bookmarks' })).toBeFocused()
	// The first page then ends elsewhere.
	await rows(page)
		.first()
		.getByRole('button', { name: /^Remove the bookmark of/ })
		.click()
	await expect(rows(page)).toHaveCount(all - 2)
})

test('what is typed while a note is being saved stays in its form', async ({ page }) => {
	await enrol(page, 'Tilly Markwell')
	await bookmark(page, 1)
	await page.goto('/bookmarks')
	const row = rows(page).first()
	const note = row.getByLabel('Note', { exact: true })
	const save = row.getByRole('button', { name: /^Sav/ })
	await row.getByText('Add a note').click()
	const free = Promise.withResolvers<void>()
	await page.route('**/bookmarks.data*', async (route) => {
		if (route.request().method() === 'POST') await free.promise
		await route.continue()
	})
	await note.fill('First.')
	await save.click()
	await note.press('End')
	await note.pressSequentially(' Second.')
	free.resolve()
	await expectNotice(page, 'Note saved.')
	await expect(row.getByText('First.', { exact: true })).toBeVisible()
	await expect(note).toHaveValue('First. Second.')
	await expect(note).toBeFocused()
	await save.click()
	await expectNotice(page, 'Note saved.')
	await expect(note).toBeHidden()
	await expect(row).toContainText('First. Second.')
	await row.getByText('Edit note').click()
	await expect(note).toHaveValue('First. Second.')
})

test.describe('without JavaScript', () => {
	test.use({ javaScriptEnabled: false })

	test('a visitor has no bookmarks, a member does everything with forms', async ({ page }) => {
		const path = await openQuestion(page)
		await expect(ofQuery(page)).toHaveCount(0)
		await page.goto('/bookmarks')
		await expect(page).toHaveURL('/login?redirectTo=%2Fbookmarks')
		await enrol(page, 'Nora Plainmark')
		await page.goto('/bookmarks')
		await expect(page.getByText('No bookmarks yet.')).toBeVisible()
		await expectToFit(page, [360])
		await page.goto(path)
		await ofQuery(page).click()
		await expect(page).toHaveURL(path)
		await expect(ofQuery(page)).toHaveAttribute('aria-pressed', 'true')
		await ofComment(page).click()
		await expect(ofComment(page)).toHaveAttribute('aria-pressed', 'true')
		await page.goto('/bookmarks?kind=query')
		await rows(page).getByText('Add a note').click()
		await rows(page).getByLabel('Note', { exact: true }).fill('Plain.')
		await rows(page).getByRole('button', { name: 'Save note' }).click()
		await expect(page).toHaveURL('/bookmarks?kind=query')
		await expect(rows(page)).toContainText('Plain.')
		await rows(page)
			.getByRole('button', { name: /^Remove the bookmark of/ })
			.click()
		await expect(rows(page)).toHaveCount(0)
		await page.getByRole('button', { name: 'Undo' }).click()
		await expect(page).toHaveURL('/bookmarks?kind=query')
		await expect(rows(page)).toContainText('Plain.')
	})
})
