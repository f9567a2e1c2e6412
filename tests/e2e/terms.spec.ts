import type { Browser, Page } from '@playwright/test'
import {
	demoModerator,
	enrol,
	expect,
	expectNoViolations,
	expectNoViolationsInThemes,
	expectToFit,
	htmlOf,
	hydrated,
	logIn,
	test,
} from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

/* One vocabulary: any spelling a member types is stored as its term. Moderators maintain the terms. */

const newPage = async (browser: Browser, options = {}): Promise<Page> =>
	(await browser.newContext({ baseURL: process.env.SITE_URL ?? '', ...options })).newPage()

test('a member types other spellings and gets the terms; a moderator edits them, without scripts and on a phone', async ({
	browser,
	page,
}) => {
	const username = await enrol(page, 'Tilda Vane')

	// The profile: chips show the stored form, even for a word entered in one go.
	await page.goto(`/edit-profile/${username}`)
	await hydrated(page)
	const skills = page.getByRole('combobox', { name: 'Skills' })
	await skills.pressSequentially('golang')
	await expect(page.getByRole('option', { name: /^Go\b/ }).first()).toBeVisible()
	await skills.press('Escape')
	await skills.pressSequentially(',k8s,Whittlin,')
	await page.getByRole('button', { name: 'Save changes' }).click()
	await expectNotice(page, 'Profile updated successfully!')
	await page.goto(`/find-dev/${username}`)
	for (const skill of ['Go', 'Kubernetes', 'Whittlin'])
		await expect(page.getByRole('main').getByText(skill, { exact: true }).first()).toBeVisible()

	// Other spellings find people, in the search and in the filter.
	for (const address of ['/find-dev?q=golang', '/find-dev?skill=golang', '/find-dev?q=k8s']) {
		// The header names her, too.
		expect(await htmlOf(page, address), address).toMatch(/<article[\s\S]*Tilda Vane/)
	}

	// A question.
	await page.goto('/forum/ask')
	await hydrated(page)
	await page.getByLabel('Title', { exact: true }).fill('Which hook runs after the paint?')
	await page.getByLabel('Description').fill('I want to measure an element.')
	const tags = page.getByRole('combobox', { name: /Tags/ })
	await tags.pressSequentially('reactj')
	await expect(page.getByRole('option', { name: /^react\b/ }).first()).toBeVisible()
	await tags.pressSequentially('s,whittlin,')
	await page.getByRole('button', { name: 'Post question' }).click()
	await expect(page.getByRole('heading', { name: 'Which hook runs after the paint?' })).toBeVisible()
	await expect(page.getByRole('main').getByRole('link', { name: '#react', exact: true })).toBeVisible()
	expect(new URL((await page.request.get('/forum/tag/reactjs')).url()).pathname).toBe('/forum/tag/react')
	expect(await htmlOf(page, '/forum/tag/react')).toContain('Part of')
	expect((await page.request.get('/moderation/terms')).status()).toBe(403)

	// The moderator, without scripts and on a phone.
	const desk = await newPage(browser, { javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
	await logIn(desk, demoModerator)
	await desk.goto('/moderation')
	await desk.getByRole('navigation', { name: 'Moderation' }).getByRole('link', { name: 'Terms' }).click()
	await desk.getByRole('link', { name: 'New words' }).click()
	await expect(desk.getByText('used 2 times').first()).toBeVisible()
	await desk.getByRole('link', { name: 'Decide about Whittlin' }).click()
	await desk.getByRole('textbox', { name: 'Name', exact: true }).fill('Whittling')
	await desk.getByRole('button', { name: 'Add term' }).click()
	await expect(desk.getByRole('heading', { name: 'Make “Whittling” a term with the tag #whittling?' })).toBeVisible()
	await desk.getByRole('button', { name: 'Confirm' }).click()
	await expectNotice(desk, 'Term added.')

	await desk.getByRole('textbox', { name: 'Spelling' }).fill('whittlin')
	await desk.getByRole('button', { name: 'Add spelling' }).click()
	await expect(desk.getByText('This changes 1 profile, 1 query.')).toBeVisible()
	const profile = () => htmlOf(page, `/find-dev/${username}`)
	expect(await profile()).toContain('>Whittlin<')
	await desk.getByRole('button', { name: 'Confirm' }).click()
	await expectNotice(desk, 'Spelling added.')
	await expect(desk.getByRole('button', { name: 'Remove whittlin from Whittling' })).toBeVisible()

	await desk.getByRole('textbox', { name: 'Name', exact: true }).fill('k8s')
	await desk.getByRole('button', { name: 'Rename' }).click()
	await expect(desk.getByText('“k8s” belongs to Kubernetes. Merge the two terms instead.').first()).toBeVisible()
	await desk.getByRole('textbox', { name: 'Name', exact: true }).fill('Wood Whittling')
	await desk.getByRole('button', { name: 'Rename' }).click()
	await expect(desk.getByRole('heading', { name: 'Call this term “Wood Whittling”?' })).toBeVisible()
	await expect(desk.getByText('This changes 1 profile.')).toBeVisible()
	await expectToFit(desk, [390])
	await desk.getByRole('button', { name: 'Confirm' }).click()
	await expectNotice(desk, 'Term renamed.')
	expect(await profile()).toContain('>Wood Whittling<')

	// Merge, with a preview that is not confirmed.
	await desk.goto('/moderation/terms/new')
	await desk.getByRole('textbox', { name: 'Name', exact: true }).fill('Knife work')
	await desk.getByRole('button', { name: 'Add term' }).click()
	await desk.getByRole('button', { name: 'Confirm' }).click()
	await desk.goto('/moderation/terms?q=whittlin')
	await desk.getByRole('link', { name: 'Wood Whittling' }).click()
	await desk.getByRole('textbox', { name: 'Other term' }).fill('knife-work')
	await desk.getByRole('button', { name: 'Merge' }).click()
	await expect(desk.getByText('This changes 1 profile, 1 query.')).toBeVisible()
	await desk.getByRole('link', { name: 'Cancel' }).click()
	await expect(desk.getByRole('heading', { name: 'Wood Whittling' })).toBeVisible()
	await desk.getByRole('textbox', { name: 'Other term' }).fill('knife-work')
	await desk.getByRole('button', { name: 'Merge' }).click()
	await desk.getByRole('button', { name: 'Confirm' }).click()
	await expect(desk.getByRole('heading', { name: 'Knife work' })).toBeVisible()
	expect(await profile()).toContain('>Knife work<')
	expect(new URL((await page.request.get('/forum/tag/whittling')).url()).pathname).toBe('/forum/tag/knife-work')
	expect(await htmlOf(page, '/forum/tag/knife-work')).toContain('Which hook runs after the paint?')
	await desk.context().close()
})

test('the term pages pass axe, fit a phone and work by keyboard', async ({ page }) => {
	await logIn(page, demoModerator)
	await page.goto('/moderation/terms?q=golang')
	await hydrated(page)
	// The field follows the address.
	const field = page.getByRole('searchbox', { name: 'Name or other spelling' })
	await field.fill('k8s')
	await field.press('Enter')
	await expect(page).toHaveURL(/q=k8s$/)
	await page.getByRole('link', { name: 'Terms by use' }).click()
	await expect(field).toHaveValue('')
	await page.goto('/moderation/terms?q=golang')
	await page.getByRole('link', { name: 'Go', exact: true }).click()
	await expect(page.getByRole('heading', { name: 'Go', exact: true })).toBeVisible()
	await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Golang')
	await page.getByRole('textbox', { name: 'Name', exact: true }).press('Enter')
	await expect(page.getByRole('button', { name: 'Confirm' })).toBeVisible()
	await expectNoViolations(page)
	await page.getByRole('link', { name: 'Cancel' }).press('Enter')
	await expect(page.getByRole('button', { name: 'Confirm' })).toHaveCount(0)
	await expect(page.getByRole('heading', { name: 'Go', exact: true })).toBeFocused()
	await page.setViewportSize({ width: 390, height: 844 })
	await page.goto('/moderation/terms?list=new')
	await expectNoViolationsInThemes(page)
	await expectToFit(page, [390])
})
