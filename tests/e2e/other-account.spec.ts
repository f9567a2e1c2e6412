import { picture } from '../factories/pictures.ts'
import {
	demoModerator,
	enrol,
	expect,
	expectNoViolationsInThemes,
	firstQuestion,
	logIn,
	settled,
	submit,
	test,
} from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

/* Two accounts of one browser: a login in one tab is that of all others. */

test('a tab of one member reports that another one has logged in, and continues as them after a reload', async ({
	page,
	context,
}) => {
	const username = await enrol(page, 'Tamsin Taborder')
	const asked = { title: 'Who votes on this?', description: 'One of us.', tags: 'names', category: 'others' }
	await submit(page, '/forum/ask', asked)
	const question = await firstQuestion(page, `/forum?q=user:${username}`)
	await page.goto('/forum/ask')
	await settled(page)
	await page.getByLabel('Title').fill('Asked under which name?')
	// A request that is under way when its session ends is answered with that end, for the whole browser.
	await expect(page.getByText(/^Draft saved/)).toBeVisible()
	await settled(page)
	const bar = page.locator('.connection-bar')
	const other = await context.newPage()
	await logIn(other, demoModerator)
	await other.goto('/forum')
	await expect(bar).toHaveText(/^This browser is logged in as @odalys\.fernbrook now\./)
	await expect(page.getByLabel('Title')).toHaveValue('Asked under which name?')
	await expectNoViolationsInThemes(page)

	await test.step('what the tab sends until then is refused, and stays', async () => {
		const refusal = 'Nothing was sent: someone else has logged in in this browser.'
		await page.getByLabel('Description').fill('Not under the name of a moderator.')
		await page.getByRole('combobox', { name: 'Tags' }).fill('names')
		const post = page.locator('main').getByRole('button', { name: 'Post question' })
		await post.click()
		await expectNotice(page, refusal)
		await expect(page.locator('main').getByText(refusal)).toBeVisible()
		await expect(page.getByLabel('Title')).toHaveValue('Asked under which name?')
		const small = { name: 'small.png', mimeType: 'image/png', buffer: await picture('png') }
		await page.getByLabel('Choose pictures').setInputFiles(small)
		await expect(page.locator('main').getByText(refusal)).toHaveCount(2)
		await expect(page.getByLabel('Description')).toHaveValue('Not under the name of a moderator.')
		await other.goto('/forum?q=user:odalys.fernbrook+sort:newest')
		await expect(other.getByText('Asked under which name?')).toHaveCount(0)
		await page.evaluate((to) => window.__reactRouterDataRouter.navigate(to), question)
		await page.getByRole('button', { name: 'Vote up' }).first().click()
		await expectNotice(page, refusal)
		await page.evaluate(() => window.__reactRouterDataRouter.navigate('/settings'))
		await page.locator('main').getByRole('button', { name: 'Dark', exact: true }).click()
		await expectNotice(page, refusal)
		await page.getByRole('button', { name: 'Save notifications' }).click()
		await expectNotice(page, refusal)
	})
	await bar.getByRole('button', { name: 'Reload' }).click()
	await expect(page.getByRole('button', { name: 'Odalys Fernbrook, account menu' })).toBeVisible()
	await settled(page)
	await expect(bar).toHaveCount(0)
	await other.close()
})
