import type { Page } from '@playwright/test'
import { anotherBrowser } from './support/chat.ts'
import { enrol, expect, expectNoViolationsInThemes, expectSound, hydrated, logIn, test } from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

const helper = 'hana.provewell'
/** Mira asked it under #postgresql. */
const question = 'With OFFSET, posts appear twice or get lost between pages'

const skills = (page: Page) => page.getByRole('region', { name: 'Skills' })

const text = 'Order by a column that never repeats, and go on behind the last row.'

/** The comment with the answer. */
const written = (page: Page) => page.locator('[id^="comment-"]').filter({ hasText: text }).last()

async function openQuestion(page: Page): Promise<void> {
	await page.goto(`/forum?q=${encodeURIComponent(question)}`)
	await page.getByRole('link', { name: question }).first().click()
	await expect(page.getByRole('heading', { level: 1 })).toHaveText(question)
}

test('an accepted answer appears beside the skill on the profile until its member hides it', async ({
	page,
	browser,
}) => {
	await enrol(page, 'Hana Provewell')
	await page.goto(`/edit-profile/${helper}`)
	await hydrated(page)
	await expect(page.getByText('Evidence of your skills')).toHaveCount(0)
	await page.getByRole('combobox', { name: 'Skills' }).fill('Knitting, postgres,')
	await page.getByRole('button', { name: 'Save changes' }).click()
	await expectNotice(page, 'Profile updated successfully!')
	await openQuestion(page)
	await page.getByLabel('Your comment').fill(text)
	await page.getByRole('button', { name: 'Comment', exact: true }).click()
	await expect(written(page)).toBeVisible()

	const mira = await (await anotherBrowser(browser)).newPage()
	await logIn(mira)
	await mira.goto(page.url())
	await written(mira).getByRole('button', { name: 'This solved it' }).click()
	await expect(mira.getByRole('region', { name: 'Accepted answer' }).last()).toContainText(text)

	await mira.goto(`/find-dev/${helper}`)
	const card = mira.getByRole('list', { name: 'Skills' }).getByRole('listitem')
	await expect(card).toHaveText(['PostgreSQL', 'Knitting'])
	const summary = skills(mira).locator('summary')
	await expect(summary).toHaveText([/PostgreSQL\s*Some evidence\s*1 solution/])
	const piece = skills(mira).getByRole('link', { name: question })
	await expect(piece).toBeHidden()
	await hydrated(mira)
	await summary.focus()
	await mira.keyboard.press('Enter')
	await expect(piece).toBeVisible()
	await expectSound(mira)
	const lists = mira.getByRole('navigation', { name: 'Posts' }).getByRole('link')
	await expect(lists).toHaveText(['Queries 0', 'Answers 1', 'Solutions 1', 'Comments 0'])
	await lists.nth(2).click()
	await expect(lists.nth(2)).toHaveAttribute('aria-current', 'page')
	const posts = mira.getByRole('region', { name: 'Queries' })
	await expect(posts).toContainText('Accepted answer')
	await posts.getByRole('link', { name: question }).click()
	await expect(mira).toHaveURL(/#comment-\d+$/)
	await expect(mira.getByText(text).last()).toBeInViewport()

	await page.goto(`/edit-profile/${helper}`)
	const shown = page.getByRole('checkbox', { name: 'PostgreSQL' })
	await hydrated(page)
	await shown.uncheck()
	await page.getByRole('button', { name: 'Save what others see' }).click()
	await expectNotice(page, 'Profile updated successfully!')
	await expect(shown).not.toBeChecked()
	await page.goto(`/my-profile/${helper}?tab=skills`)
	await expect(page.locator('summary', { hasText: 'PostgreSQL' })).toContainText('only you see this')
	await mira.goto(`/find-dev/${helper}`)
	await expect(skills(mira)).toContainText('No evidence of a skill yet.')
	await skills(mira).getByRole('link', { name: 'How evidence is weighed' }).click()
	await expect(mira.getByRole('heading', { level: 1 })).toHaveText('How evidence is weighed')
	await expectNoViolationsInThemes(mira)
	await mira.context().close()
})

test('evidence that was hidden in another tab stays hidden when this one changes that of another skill', async ({
	page,
	context,
}) => {
	const username = await enrol(page, 'Hugo Twotabs')
	await page.goto(`/edit-profile/${username}`)
	await hydrated(page)
	await page.getByRole('combobox', { name: 'Skills' }).fill('React, SQLite,')
	await page.getByRole('button', { name: 'Save changes' }).click()
	await expectNotice(page, 'Profile updated successfully!')
	await page.goto(`/edit-profile/${username}/projects`)
	await page.getByLabel('Title').fill('messmate')
	await page.getByLabel('Tech stack').fill('React, SQLite,')
	await page.getByRole('button', { name: 'Add project' }).click()
	await expectNotice(page, 'Project added successfully!')
	const other = await context.newPage()
	for (const tab of [page, other]) await tab.goto(`/edit-profile/${username}`)
	for (const [tab, skill] of [
		[other, 'React'],
		[page, 'SQLite'],
	] as const) {
		await tab.getByRole('checkbox', { name: skill }).uncheck()
		await tab.getByRole('button', { name: 'Save what others see' }).click()
		await expectNotice(tab, 'Profile updated successfully!')
	}
	await expect(page.getByRole('checkbox', { name: 'React' })).not.toBeChecked()
	await page.reload()
	for (const skill of ['React', 'SQLite']) await expect(page.getByRole('checkbox', { name: skill })).not.toBeChecked()
})

test.describe('without JavaScript', () => {
	test.use({ javaScriptEnabled: false })

	test('evidence opens, lists continue and evidence is hidden with forms', async ({ page }) => {
		await logIn(page)
		await page.goto('/find-dev/imran.cobblestone')
		await expect(skills(page).locator('summary').first()).toContainText('Java Strong evidence')
		const piece = skills(page).locator('details a').first()
		await expect(piece).toBeHidden()
		await skills(page).locator('summary').first().click()
		await expect(piece).toBeVisible()
		await page
			.getByRole('navigation', { name: 'Posts' })
			.getByRole('link', { name: /^Answers/ })
			.click()
		await expect(page).toHaveURL('/find-dev/imran.cobblestone?posts=answers')
		await expect(page.getByRole('region', { name: 'Queries' }).getByRole('heading', { level: 3 }).first()).toBeVisible()
		await page.goto('/edit-profile/mira.quillon')
		const typescript = page.getByRole('checkbox', { name: 'TypeScript' })
		for (const isShown of [false, true]) {
			await typescript.setChecked(isShown)
			await page.getByRole('button', { name: 'Save what others see' }).click()
			await expect(page).toHaveURL('/edit-profile/mira.quillon')
			await expectNotice(page, 'Profile updated successfully!')
			expect(await typescript.isChecked()).toBe(isShown)
		}
	})
})
