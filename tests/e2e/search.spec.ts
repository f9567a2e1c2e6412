import type { Locator } from '@playwright/test'
import { expect, expectNoViolations, settled, test } from './support/journey.ts'

test.describe('a reader without JavaScript', () => {
	test.use({ javaScriptEnabled: false })

	test('narrows a search with operators and removes one again', async ({ page }) => {
		await page.goto('/forum')
		await page.getByText('Search tips').click()
		await expect(page.getByText('is:unanswered')).toBeVisible()
		await page.getByPlaceholder('Search topics...').fill('-category:python tag:arrays')
		await page.getByPlaceholder('Search topics...').press('Enter')
		await expect(page.getByRole('article').first()).toContainText('arrays')
		await page.getByRole('link', { name: 'Remove tag:arrays' }).click()
		await expect(page).toHaveURL(/q=-category%3Apython$/)
		await expect(page.getByRole('link', { name: 'Remove -category:python' })).toBeVisible()
	})

	test('gets a suggestion for a misspelled word', async ({ page }) => {
		await page.goto('/forum?q=tag:typescirpt')
		await page.getByRole('link', { name: 'tag:typescript', exact: true }).click()
		await expect(page.getByRole('article').first()).toContainText('typescript')
	})
})

test('results follow the input, and the latest keystroke wins', async ({ page }) => {
	await page.goto('/forum')
	const box = page.getByPlaceholder('Search topics...')
	await box.pressSequentially('tag:arrays')
	await expect(page).toHaveURL(/q=tag%3Aarrays$/)
	await expect(page.getByRole('link', { name: 'Remove tag:arrays' })).toBeVisible()
	await expect(box).toBeFocused()
})

test('a link that is followed right after typing is not undone by the search, and the field is empty again', async ({
	page,
}) => {
	await page.clock.install()
	await page.goto('/forum')
	await settled(page)
	// The search waits for a pause in typing, which would be over on a busy machine before the click.
	await page.clock.pauseAt(Date.now() + 1_000)
	const box = page.getByPlaceholder('Search topics...')
	await box.fill('arrays')
	await page.getByRole('link', { name: 'Unanswered' }).click()
	await expect(page).toHaveURL(/\?view=unanswered$/)
	await page.clock.runFor(600)
	await expect(page).toHaveURL(/\?view=unanswered$/)
	await expect(box).toHaveValue('')
})

test('a search that is cleared while its results load does not come back', async ({ page }) => {
	await page.goto('/forum')
	await settled(page)
	const { promise, resolve: release } = Promise.withResolvers<void>()
	const asked: string[] = []
	await page.route(/forum\.data/, async (route) => {
		const search = new URL(route.request().url()).searchParams.get('q') ?? ''
		asked.push(search)
		if (search) await promise
		await route.continue().catch(() => {})
	})
	const box = page.getByPlaceholder('Search topics...')
	await box.fill('arrays')
	await expect.poll(() => asked).toEqual(['arrays'])
	await box.fill('')
	await expect.poll(() => asked).toEqual(['arrays', ''])
	release()
	await settled(page)
	await expect(page).toHaveURL('/forum')
	await expect(page.getByText('Best match')).toHaveCount(0)
})

test('a search field that still has the focus follows Back and Forward', async ({ page }) => {
	const expectField = async (field: Locator, address: string, search: string) => {
		await expect(page).toHaveURL(address)
		await expect(field).toHaveValue(search)
		await expect(field).toBeFocused()
	}

	await test.step('of a list', async () => {
		await page.goto('/forum')
		await page.getByRole('link', { name: 'Solved', exact: true }).click()
		await expect(page).toHaveURL('/forum?view=solved')
		const field = page.getByPlaceholder('Search topics...')
		await field.fill('arrays')
		await expectField(field, '/forum?q=arrays', 'arrays')
		await page.goBack()
		await expectField(field, '/forum', '')
		await page.goForward()
		await expectField(field, '/forum?q=arrays', 'arrays')
	})

	await test.step('of the site', async () => {
		await page.goto('/search')
		const field = page.getByRole('main').getByRole('combobox', { name: 'Search the site' })
		for (const search of ['react', 'python']) {
			await field.fill(search)
			await field.press('Enter')
			await expectField(field, `/search?q=${search}`, search)
		}
		await page.goBack()
		await expectField(field, '/search?q=react', 'react')
		await page.goForward()
		await expectField(field, '/search?q=python', 'python')
	})

	await test.step('of the community', async () => {
		await page.goto('/find-dev')
		await page.getByRole('complementary', { name: 'Filters' }).getByLabel('Mentoring').check()
		await expect(page).toHaveURL('/find-dev?open=mentoring')
		const field = page.getByRole('combobox', { name: 'Search people and skills' })
		await field.fill('react')
		await expectField(field, '/find-dev?q=react&open=mentoring', 'react')
		await page.goBack()
		await expectField(field, '/find-dev', '')
	})
})

test('a search with all its panels passes axe and fits a phone', async ({ page }) => {
	await page.setViewportSize({ width: 360, height: 740 })
	await page.goto('/forum?q=tag:pyhton+is:solved')
	await page.getByText('Search tips').click()
	await expect(page.getByText('No exact matches. Showing results for')).toBeVisible()
	expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
	await expectNoViolations(page)
})
