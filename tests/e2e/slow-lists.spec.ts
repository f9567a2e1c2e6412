import type { Page, Route } from '@playwright/test'
import { enrol, expect, settled, test } from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

/* What a reader chooses in the community while its list is still loading. */

const cards = (page: Page) => page.getByRole('main').getByRole('article')

/** Holds back the lists of the community. @returns how many were requested so far, and what lets them through */
async function holdLists(page: Page) {
	const free = Promise.withResolvers<void>()
	let asked = 0
	const handler = async (route: Route) => {
		asked += 1
		await free.promise
		await route.continue().catch(() => {})
	}
	await page.route('**/find-dev.data*', handler)
	return { asked: () => asked, release: () => free.resolve() }
}

test('filters that are chosen while the list of another is loading narrow it together', async ({ page }) => {
	await page.goto('/find-dev')
	await settled(page)
	const rail = page.getByRole('complementary', { name: 'Filters' })
	const skill = rail.getByRole('combobox', { name: 'Add a skill' })
	const held = await holdLists(page)
	await rail.getByLabel('Mentoring').check()
	await expect.poll(held.asked).toBe(1)
	for (const [index, name] of ['Python', 'React'].entries()) {
		await skill.fill(name)
		await skill.press('Enter')
		await expect(rail.getByRole('link', { name: `Remove ${name}` })).toBeVisible()
		await expect.poll(held.asked).toBe(index + 2)
	}
	await page.getByLabel('Sort by').selectOption('Recently active')
	held.release()
	await expect(page).toHaveURL('/find-dev?skill=Python&skill=React&open=mentoring&sort=active')
	await expect(rail.getByLabel('Mentoring')).toBeChecked()
	await rail.getByRole('link', { name: 'Remove React' }).click()
	await expect(page).toHaveURL('/find-dev?skill=Python&open=mentoring&sort=active')
	await expect(skill).toBeFocused()
	await page.goBack()
	await expect(rail.getByRole('link', { name: 'Remove React' })).toBeVisible()
})

test('a search and a filter of which one follows while the list of the other is loading narrow it together', async ({
	page,
}) => {
	await page.goto('/find-dev')
	await settled(page)
	const rail = page.getByRole('complementary', { name: 'Filters' })
	const search = page.getByRole('combobox', { name: 'Search people and skills' })
	const held = await holdLists(page)
	await rail.getByLabel('Mentoring').check()
	await expect.poll(held.asked).toBe(1)
	await search.fill('react')
	await expect.poll(held.asked).toBe(2)
	await rail.getByLabel('Teammates').check()
	await expect.poll(held.asked).toBe(3)
	await page.getByLabel('Sort by').selectOption('Recently active')
	await expect.poll(held.asked).toBe(4)
	held.release()
	await expect(page).toHaveURL('/find-dev?q=react&open=mentoring&open=teammates&sort=active')
	await expect(search).toHaveValue('react')
	for (const chosen of ['Mentoring', 'Teammates']) await expect(rail.getByLabel(chosen)).toBeChecked()
})

test('a saved search keeps its filters while its list is loading', async ({ page }) => {
	await enrol(page, 'Sandra Slowlist')
	await page.goto('/find-dev')
	await page.getByRole('complementary', { name: 'Filters' }).locator('input[name=year][value="3"]').check()
	await expect(page).toHaveURL('/find-dev?year=3')
	await page.getByText('Save this search').click()
	await page.getByLabel('Name of the search').fill('Third year')
	await page.getByRole('button', { name: 'Save', exact: true }).click()
	await expectNotice(page, 'Search saved.')
	await page.goto('/following')
	await settled(page)
	const held = await holdLists(page)
	await page.getByRole('link', { name: 'Third year' }).click()
	await expect(page.getByRole('list', { name: 'Loading developers' })).toBeAttached()
	held.release()
	await expect(cards(page).first()).toBeVisible()
	await expect(page).toHaveURL('/find-dev?year=3')
})
