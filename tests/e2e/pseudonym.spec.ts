import type { Browser, Page } from '@playwright/test'
import { anotherBrowser } from './support/chat.ts'
import {
	ageEdits,
	demoModerator,
	enrol,
	expect,
	expectSound,
	htmlOf,
	hydrated,
	logIn,
	test,
} from './support/journey.ts'

const asked = 'How do I tell my supervisor that I am stuck?'
const box = (page: Page) => page.getByRole('checkbox', { name: 'Ask under a pseudonym' })
const asker = (page: Page) => page.getByRole('complementary', { name: 'About this query' })

async function newPage(browser: Browser, options = {}): Promise<Page> {
	return (await anotherBrowser(browser, { viewport: { width: 1280, height: 800 }, ...options })).newPage()
}

test('a member asks under a pseudonym by keyboard, and others see it until a moderator reveals the name', async ({
	page,
	browser,
}) => {
	await enrol(page, 'Selma Quietwell')
	const reader = await newPage(browser)
	await enrol(reader, 'Ruben Readmore')
	let path = ''
	let name = ''

	await test.step('the draft keeps the choice, and it is submitted', async () => {
		await page.goto('/forum/ask')
		await hydrated(page)
		await page.getByLabel('Title').fill(asked)
		await page.getByRole('textbox', { name: 'Description' }).fill('We meet on Friday.')
		await page.getByRole('combobox', { name: 'Tags' }).fill('thesis')
		await page.keyboard.press('Enter')
		const stored = page.waitForResponse((answer) => answer.url().endsWith('/forum/drafts') && answer.ok())
		await box(page).focus()
		await page.keyboard.press('Space')
		await stored
		await page.reload()
		await hydrated(page)
		await expect(page.getByText('Draft restored')).toBeVisible()
		await expect(box(page)).toBeChecked()
		await expect(box(page)).toHaveAccessibleDescription(/Moderators can look up who you are if they give a reason/)
		await expectSound(page)
		await page.getByRole('button', { name: 'Post question' }).click()
		await expect(page.getByRole('heading', { level: 1, name: asked })).toBeVisible()
		path = new URL(page.url()).pathname
	})

	await test.step('authors see the name they write under', async () => {
		await expect(asker(page)).toContainText('You, under a pseudonym')
		name = (await asker(page).locator('p').first().innerText()).trim()
		expect(name).toMatch(/^[A-Z][a-z]+ [A-Z][a-z]+$/)
		await expect(page.getByRole('main').getByText('Selma')).toHaveCount(0)
		await page.getByPlaceholder('Add to the discussion').fill('Or shall I write first?')
		await expect(page.getByText(`You write here as ${name}`)).toBeVisible()
		await page.getByRole('button', { name: 'Comment', exact: true }).click()
		await expect(page.locator('.comment').filter({ hasText: 'Or shall I write first?' })).toContainText(name)
		await expect(page.getByRole('button', { name: /new comment/ })).toHaveCount(0)
	})

	await test.step('a reader sees, mentions and answers the pseudonym, which leads nowhere else', async () => {
		await reader.goto(path)
		await hydrated(reader)
		await expect(asker(reader)).toContainText(name)
		await expect(asker(reader)).toContainText('A pseudonym')
		await expect(asker(reader).getByRole('link')).toHaveCount(0)
		await expect(reader.getByText('Quietwell')).toHaveCount(0)
		const username = path.split('/')[3] ?? ''
		await reader.getByPlaceholder('Add to the discussion').fill(`Just tell them.\n\nAll the best, @${username}`)
		await reader.getByRole('button', { name: 'Comment', exact: true }).click()
		const mention = reader.getByRole('link', { name: `@${username}` })
		await mention.click()
		await expect(reader).toHaveURL(new RegExp(`${path}$`))
		await expectSound(reader)
		await reader.goto('/find-dev/selma.quietwell')
		await expect(reader.getByRole('link', { name: /^Queries 0/ })).toBeVisible()
		expect(await htmlOf(page, '/notifications')).toContain('mentioned you in')
		expect(await htmlOf(page, '/my-profile/selma.quietwell?tab=queries')).toContain(`as <bdi>${name}</bdi>`)
	})

	await test.step('a moderator reveals the name with a reason, without scripts, and the author is notified', async () => {
		const moderator = await newPage(browser, { javaScriptEnabled: false })
		await logIn(moderator, demoModerator)
		const id = path.split('/')[4]
		await moderator.goto(`/moderation/query/${id}`)
		await expect(moderator.getByText('Quietwell')).toHaveCount(0)
		await expect(moderator.getByRole('heading', { name: /^Suspend/ })).toHaveCount(0)
		const form = moderator.getByRole('region', { name: 'Unmask the author' })
		await form.getByRole('button', { name: 'Unmask' }).click()
		await expect(form.getByText('Say why, in a few words.').first()).toBeVisible()
		await form.getByLabel('Why').fill('The same threat as in March.')
		await form.getByRole('button', { name: 'Unmask' }).click()
		await expect(moderator.getByRole('main').getByRole('link', { name: 'Selma Quietwell' })).toBeVisible()
		await expect(form).toHaveCount(0)
		const notifications = await htmlOf(page, '/notifications')
		expect(notifications).toContain('The same threat as in March.')
		expect(notifications).toContain('looked up that it was you who asked, under a pseudonym,')
		await moderator.context().close()
	})
})

test('each page of edits under a pseudonym, whose times are shown by the hour, has its own entries', async ({
	page,
}) => {
	await enrol(page, 'Edda Oftenedited')
	const send = async (to: string, form: Record<string, string>) => {
		const headers = { Origin: process.env.SITE_URL ?? '' }
		const answer = await page.request.post(to, { form, headers, maxRedirects: 0 })
		return answer.headers().location ?? ''
	}
	const texts = { title: 'How often may this be edited?', tags: 'names', category: 'others' }
	const path = await send('/forum/ask', { ...texts, description: 'text0', pseudonym: 'on' })
	const [, , , username = '', id = ''] = path.split('/')
	for (let edit = 1; edit <= 12; edit += 1)
		await send(`/forum/edit/${username}/${id}`, { ...texts, description: `text${edit}` })
	await ageEdits(id, 4)
	const added = page.getByRole('main').locator('ins')
	await page.goto(`/forum/history/${id}`)
	await expect(added).toHaveText([12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map((edit) => `text${edit}`))
	await page.getByRole('link', { name: 'Earlier edits' }).click()
	await expect(page).toHaveURL(/cursor=/)
	await expect(added).toHaveText(['text2', 'text1'])
})

test('without scripts, the checkbox is submitted with the form and keeps its state after an error', async ({
	page,
	browser,
}) => {
	await enrol(page, 'Nils Nameless')
	const plain = await newPage(browser, {
		javaScriptEnabled: false,
		storageState: await page.context().storageState(),
		viewport: { width: 390, height: 844 },
	})
	await plain.goto('/forum/ask')
	await plain.getByLabel('Title').fill('May I ask this without a name?')
	const tags = plain.locator('input[name=tags], textarea[name=tags]')
	await tags.fill('a1,b2,c3,d4,e5,f6,g7,h8,i9,j10,k11')
	await plain.locator('textarea[name=description]').fill('No scripts here.')
	await box(plain).check()
	await plain.getByRole('button', { name: 'Post question' }).click()
	await expect(plain.getByText('A query has at most 10 tags.').first()).toBeVisible()
	await expect(box(plain)).toBeChecked()
	await tags.fill('names')
	await plain.getByRole('button', { name: 'Post question' }).click()
	await expect(plain.getByRole('heading', { level: 1, name: 'May I ask this without a name?' })).toBeVisible()
	await expect(plain.getByRole('main').getByText('Nils')).toHaveCount(0)
	expect(new URL(plain.url()).pathname).toMatch(/^\/forum\/others\/[a-z]+-[a-z]+-[a-z0-9]{4}\/\d+\//)
	await plain.context().close()
})

test('without scripts, the checkbox stays where the session ended, and the query is sent again after a login', async ({
	page,
	browser,
}) => {
	await enrol(page, 'Oona Loggedout')
	const { cookies } = await page.context().storageState()
	const plain = await newPage(browser, { javaScriptEnabled: false })
	await plain.context().addCookies(cookies)
	await plain.goto('/forum/ask')
	await plain.getByLabel('Title').fill('May I still ask this without a name?')
	await plain.locator('input[name=tags]').fill('names')
	await plain.locator('textarea[name=description]').fill('It took a whole evening.')
	await box(plain).check()
	await plain.context().clearCookies()
	await plain.getByRole('button', { name: 'Post question' }).click()
	await expect(plain.getByText(/You are no longer logged in/)).toBeVisible()
	await expect(box(plain)).toBeChecked()
	await plain.context().addCookies(cookies)
	await plain.getByRole('button', { name: 'Post question' }).click()
	await expect(plain.getByRole('heading', { level: 1, name: 'May I still ask this without a name?' })).toBeVisible()
	await expect(plain.getByRole('main').getByText('Oona')).toHaveCount(0)
	await plain.context().close()
})
