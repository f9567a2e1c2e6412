import type { Browser, Page } from '@playwright/test'
import { withoutPage } from './support/chat.ts'
import {
	type Account,
	demoModerator,
	enrol,
	enrolAdmin,
	expect,
	expectNoViolations,
	expectNoViolationsInThemes,
	expectToFit,
	htmlOf,
	logIn,
	newPassword,
	test,
} from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

/* Members and the moderator of the demo content: tags, posts awaiting approval, and notices to authors. */

const newPage = async (browser: Browser, options = {}): Promise<Page> =>
	(await browser.newContext({ baseURL: process.env.SITE_URL ?? '', ...options })).newPage()

/** Submits a form as a browser without scripts does. */
function post(page: Account, path: string, form: Record<string, string>) {
	return page.request.post(path, { form, headers: { Origin: process.env.SITE_URL ?? '' }, maxRedirects: 0 })
}

test('the moderator describes a tag, and merges and splits spellings, without JavaScript', async ({ browser }) => {
	const page = await newPage(browser, { javaScriptEnabled: false })
	await logIn(page, demoModerator)
	await page.goto('/forum/tag/resume')
	await page.getByRole('link', { name: 'Edit description' }).click()
	await page.getByLabel('Description').fill('One page about what you have done.')
	await page.getByRole('button', { name: 'Save' }).click()
	await expectNotice(page, 'Description saved.')
	await expect(page.getByText('One page about what you have done.')).toBeVisible()

	await page.goto('/forum/tags')
	await page.getByRole('textbox', { name: 'Synonym' }).fill('resume')
	await page.getByLabel('Main tag').fill('resume')
	await page.getByRole('button', { name: 'Merge tags' }).click()
	await expect(page.getByText('These two are the same tag.').first()).toBeVisible()
	await expect(page.getByRole('textbox', { name: 'Synonym' })).toHaveValue('resume')
	await page.getByRole('textbox', { name: 'Synonym' }).fill('curriculum-vitae')
	await page.getByRole('button', { name: 'Merge tags' }).click()
	await expectNotice(page, '#curriculum-vitae is now a synonym of #resume.')
	await page.goto('/forum/tag/curriculum-vitae')
	expect(new URL(page.url()).pathname).toBe('/forum/tag/resume')
	await expect(page.getByText('Also written curriculum-vitae')).toBeVisible()
	await page.goto('/forum/tags')
	await page.getByRole('button', { name: 'Separate curriculum-vitae from resume' }).click()
	await expectNotice(page, '#curriculum-vitae is its own tag again.')
})

test('a member sees none of this and is refused', async ({ page }) => {
	await logIn(page)
	const tag = await htmlOf(page, '/forum/tag/javascript?describe=1')
	expect(tag).toContain('Follow #javascript')
	expect(tag).not.toMatch(/<(input|textarea)[^>]*name="description"/)
	const tags = await htmlOf(page, '/forum/tags')
	expect(tags).toMatch(/<h1[^>]*>Tags</)
	expect(tags).not.toContain('Synonyms')
	expect((await post(page, '/forum/tag/javascript', { description: 'Mine.' })).status()).toBe(403)
	expect((await post(page, '/forum/tags', { intent: 'join', name: 'a', main: 'b' })).status()).toBe(403)
})

test('the tag pages pass axe in either theme and fit a phone', async ({ browser }) => {
	const page = await newPage(browser, { viewport: { width: 360, height: 740 } })
	await logIn(page, demoModerator)
	for (const path of ['/forum/tag/javascript?describe=1', '/forum/tags']) {
		await page.goto(path)
		await expectNoViolationsInThemes(page)
		await expectToFit(page, [360])
	}
	await page.context().close()
})

test('an author edits and withdraws waiting posts; the moderator reads the latest text, and the author the decision', async ({
	browser,
}) => {
	const viewport = { width: 1280, height: 800 }
	const [author, moderator] = [await newPage(browser, { viewport }), await newPage(browser, { viewport })]
	await enrol(author, 'Wilma Waiting')
	await logIn(moderator, demoModerator)
	const texts = { description: 'See https://guides.example/', tags: 'waiting', category: 'others' }
	const [kept, dropped] = ['A guide to waiting in line', 'A guide to leaving the line']
	const ask = async (title: string) => (await post(author, '/forum/ask', { ...texts, title })).headers().location ?? ''

	await author.goto(await ask(kept))
	await expect(author.getByText('its author can edit or delete it')).toBeVisible()
	await author.getByRole('link', { name: 'Edit query' }).click()
	await author.getByLabel('Title').fill('A better guide to waiting in line')
	await author.getByRole('button', { name: 'Save' }).click()
	await expectNotice(author, 'Query updated successfully! Others will see it once a moderator approves it')
	await expect(author.getByRole('heading', { level: 1 })).toHaveText('A better guide to waiting in line')
	await expect(author.getByText('This query is waiting for a moderator')).toBeVisible()

	await author.goto(`${await ask(dropped)}?delete=1`)
	await author.getByRole('button', { name: 'Delete' }).last().click()
	await expectNotice(author, 'Query Deleted Successfully')
	await expect(author.getByRole('button', { name: 'Undo' })).toHaveCount(0)

	await moderator.goto('/forum')
	await moderator.getByRole('button', { name: 'Odalys Fernbrook, account menu' }).click()
	await moderator.getByRole('link', { name: /^Moderation \d+ open$/ }).click()
	await expect(moderator.getByRole('article', { name: dropped })).toHaveCount(0)
	const entry = moderator.getByRole('article', { name: 'A better guide to waiting in line' })
	await entry.getByLabel('Why').fill('We know how to wait.')
	const titles = moderator.getByRole('article').getByRole('heading')
	await expect(titles.first()).toHaveText('A better guide to waiting in line')
	const following = titles.filter({ hasText: await titles.nth(1).innerText() })
	// This one arrives above the decided one.
	await ask('A guide to the front of the line')
	await moderator.evaluate(() => window.scrollTo(0, 100))
	await entry.getByRole('button', { name: 'Reject' }).press('Enter')
	await expectNotice(moderator, 'Rejected. Its author sees your reason.')
	await expect(entry).toHaveCount(0)
	await expect(titles.first()).toHaveText('A guide to the front of the line')
	await expect(following.getByRole('link'), 'the case after it').toBeFocused()
	expect(await moderator.evaluate(() => window.scrollY)).toBe(100)

	await author.goto('/notifications')
	const notification = author.getByRole('link', { name: /A moderator rejected your query A better guide/ })
	await expect(notification).toContainText('Reason: We know how to wait.')
	await expectNoViolations(author)
	await notification.click()
	await expect(author.getByText('Reason: We know how to wait.')).toBeVisible()
	await expect(author.getByRole('link', { name: 'Edit query' })).toHaveCount(0)
})

test('whoever decides too late reads so, also where the form of the decision is gone', async ({ browser }) => {
	const [author, quick, admin] = [await withoutPage(browser), await newPage(browser), await newPage(browser)]
	await enrol(author, 'Lena Late')
	await logIn(quick, demoModerator)
	await enrolAdmin(admin)
	const title = 'Is a late guide any good?'
	const texts = { title, description: 'See https://guides.example/late', tags: 'late', category: 'others' }
	const asked = await post(author, '/forum/ask', texts)
	const late = await quick.context().newPage()
	await quick.goto('/moderation?handler=none&order=reported')
	await late.goto('/moderation')
	const entryOn = (page: Page) => page.getByRole('article', { name: title })
	await entryOn(quick).getByRole('button', { name: 'Approve' }).click()
	await expectNotice(quick, 'It is now visible to everyone.')
	await expect(quick).toHaveURL(/\/moderation\?handler=none&order=reported$/)
	await entryOn(late).getByLabel('Why').fill('No guides here.')
	await entryOn(late).getByRole('button', { name: 'Reject' }).click()
	await expect(late.getByRole('alert')).toContainText('Someone else has already decided this, or it has changed.')

	const number = asked.headers().location?.split('/')[4]
	const account = '/moderation/account/lena.late'
	const read = async (page: Account, path: string) => (await page.request.get(path)).text()
	expect((await post(quick, account, { intent: 'hide', from: '', time: '', why: 'Guides.' })).status()).toBe(303)
	const [, id = ''] = /name="id" value="(\d+)"/.exec(await read(quick, account)) ?? []
	expect((await post(quick, account, { intent: 'undo', id, why: 'Good guides.' })).status()).toBe(303)
	const [term = ''] = /\/moderation\/term\/\d+/.exec(await read(quick, '/moderation/terms?q=javascript')) ?? []
	for (const [page, path, form, words] of [
		[quick, `/moderation/query/${number}`, { intent: 'take', assigned: '' }, 'This case is decided.'],
		[quick, '/moderation/profile/lena.late', { intent: 'lift' }, 'Someone else has already decided this.'],
		[quick, account, { intent: 'undo', id, why: 'Good guides.' }, 'This has already been undone'],
		[quick, term, { intent: 'remove-alias', alias: 'no such word' }, 'There is no such spelling.'],
		[admin, '/admin/members/lena.late', { intent: 'clear-mail' }, 'Mail to this member is no longer being returned.'],
		[admin, '/admin/members/lena.late', { intent: 'lift' }, 'Someone else has already decided this.'],
	] as const) {
		const answer = await (await post(page, path, form)).text()
		const seen = answer.replace(/<script[\s\S]*?<\/script>/g, '')
		expect(seen, `${path} ${form.intent}`).toMatch(new RegExp(`role="alert"(?:(?!</main>)[\\s\\S])*${words}`))
	}
})

test('a note that a moderator is writing stays when somebody else has added one', async ({ browser }) => {
	const [author, moderator, admin] = [await withoutPage(browser), await newPage(browser), await newPage(browser)]
	await enrol(author, 'Nora Noted')
	await logIn(moderator, demoModerator)
	await enrolAdmin(admin)
	const texts = { description: 'See https://guides.example/noted', tags: 'noted', category: 'others' }
	const asked = await post(author, '/forum/ask', { ...texts, title: 'Who takes note of this?' })
	const path = `/moderation/query/${asked.headers().location?.split('/')[4]}`
	await moderator.goto(path)
	const notes = moderator.getByRole('region', { name: 'Notes for moderators' })
	await notes.getByLabel('New note').fill('Seen at two other sites, too.')
	await post(admin, path, { intent: 'note', note: 'Looks like a shop.' })
	await moderator.getByRole('button', { name: 'Assign to me' }).click()
	await expect(notes.getByRole('listitem')).toContainText('Looks like a shop.')
	await expect(notes.getByLabel('New note')).toHaveValue('Seen at two other sites, too.')
	await notes.getByRole('button', { name: 'Add the note' }).click()
	await expect(notes.getByRole('listitem').last()).toContainText('Seen at two other sites, too.')
	await expect(notes.getByLabel('New note')).toHaveValue('')
})

test('the posts of an account within a period are hidden without JavaScript; a missing reason loses neither period nor numbers', async ({
	browser,
}) => {
	const [author, moderator] = [await withoutPage(browser), await newPage(browser, { javaScriptEnabled: false })]
	await enrol(author, 'Stella Spread')
	const asked = { title: 'Hats for every head', description: 'Only hats.', tags: 'hats', category: 'others' }
	expect((await post(author, '/forum/ask', asked)).status()).toBe(303)
	await author.context().close()
	await logIn(moderator, demoModerator)
	await moderator.goto('/moderation/account/stella.spread')
	await moderator.getByLabel('Published').selectOption('In the last hour')
	await moderator.getByRole('button', { name: 'Count', exact: true }).click()
	await expect(moderator).toHaveURL(/period=1/)
	await moderator.getByRole('button', { name: 'Hide all 2' }).click()
	await expect(moderator.getByText('Say why, in a few words.').first()).toBeVisible()
	await expect(moderator.getByLabel('Published')).toHaveValue('1 hour')
	await moderator.getByLabel('Why', { exact: true }).fill('Hats.')
	await moderator.getByRole('button', { name: 'Hide all 2' }).click()
	await expectNotice(moderator, 'Hidden: 1 query and the profile.')
})

test('everything of two accounts is hidden in one step and restored in one; they see before they write that they may not', async ({
	browser,
}) => {
	const [one, two, moderator] = [await newPage(browser), await withoutPage(browser), await newPage(browser)]
	for (const [page, name, title] of [
		[one, 'Wanda Wave', 'Socks for every foot'],
		[two, 'Wilma Wave', 'Socks for every other foot'],
	] as const) {
		await enrol(page, name)
		const asked = { title, description: 'Only socks.', tags: 'socks', category: 'others' }
		expect((await post(page, '/forum/ask', asked)).status()).toBe(303)
	}
	await logIn(moderator, demoModerator)
	await moderator.goto('/moderation')
	await moderator.getByRole('link', { name: 'Spam' }).click()
	await moderator.getByLabel('Usernames').fill('@wanda.wave, wilma.wave\nnobody.here')
	await moderator.getByRole('button', { name: 'Count', exact: true }).click()
	await expect(moderator.getByRole('region', { name: 'Left out' })).toContainText('@nobody.here')
	await expectNoViolations(moderator)
	await moderator.getByLabel('Suspend them').selectOption('For 1 day')
	await moderator.getByLabel('Why', { exact: true }).fill('Socks.')
	await moderator.getByRole('button', { name: 'Hide all 4 of 2 accounts' }).click()
	await expectNotice(moderator, 'Done for 2 accounts.')
	const login = await post(one, '/login', { email: 'wanda.wave@eastmere.example', password: newPassword })
	expect(login.status()).toBe(303)
	await one.goto('/forum/ask')
	await expect(one.getByText(/^You are suspended until .* Reason: Socks\.$/)).toBeVisible()
	await expectNoViolations(one)
	await moderator.getByLabel('Why it is undone').fill('Good socks.')
	await moderator.getByRole('button', { name: 'Undo for 2 accounts' }).click()
	await expectNotice(moderator, 'Undone for 2 accounts.')
	await one.reload()
	await expect(one.getByRole('heading', { name: 'Ask a Question' })).toBeVisible()
	await expect(one.getByText(/You are suspended/)).toHaveCount(0)
})

test('a search shows the only comment that matches and leads to it', async ({ page }) => {
	expect((await htmlOf(page, '/forum?q=%22four+seconds+and+said%22')).match(/<article/g)).toHaveLength(1)
	await page.goto('/forum?q=%22an+order+that+works+for+people%22')
	const row = page.getByRole('article')
	await expect(row.locator('mark').first()).toHaveText(/order/)
	await expectNoViolations(page)
	await row.getByRole('link', { name: /^Comment by Leela/ }).click()
	await expect(page).toHaveURL(/#comment-\d+$/)
	await expect(page.getByText('An order that works for people without a job')).toBeVisible()
})
