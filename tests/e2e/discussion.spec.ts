import type { Browser, Locator, Page } from '@playwright/test'
import { anotherSender } from './support/chat.ts'
import {
	type Account,
	doNow,
	enrol,
	expect,
	expectNoViolations,
	expectNoViolationsInThemes,
	hasArrived,
	htmlOf,
	hydrated,
	test,
} from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

/** Another member, in a separate browser. */
async function member(browser: Browser, name: string): Promise<Account> {
	return (await anotherSender(browser, name)).page
}

/** Submits a form as this page's member without the UI, to create content quickly. */
async function send(page: Account, path: string, form: Record<string, string>): Promise<string> {
	const headers = { Origin: process.env.SITE_URL ?? '' }
	const response = await page.request.post(path, { form, headers, maxRedirects: 0 })
	expect([302, 303]).toContain(response.status())
	return response.headers().location ?? ''
}

function ask(page: Account, title: string): Promise<string> {
	return send(page, '/forum/ask', { title, description: 'What do you say?', tags: 'talking', category: 'others' })
}

/** Comments as this page's member. @returns the comment's id */
async function comment(page: Account, path: string, body: string): Promise<string> {
	const to = await send(page, path, { intent: 'comment', body })
	return to.split('#comment-')[1] ?? ''
}

/** Waits until a socket has told the server which question this page shows. The previous page's socket may open late. */
function watching(page: Page): Promise<void> {
	return new Promise((resolve) => {
		page.on('websocket', (socket) =>
			socket.on('framesent', ({ payload }) => String(payload).includes('query:watch') && resolve()),
		)
	})
}

test('a reader is notified of a comment by somebody else, jumps to it on demand, and is not notified of their own', async ({
	page,
	browser,
}) => {
	await enrol(page, 'Liv Earwell')
	const path = await ask(page, 'Who hears of whom?')
	await comment(page, path, 'Mine, before anybody came.')
	const watched = watching(page)
	await page.goto(path)
	await watched
	const other = await member(browser, 'Odo Speakwell')
	const id = await comment(other, path, 'I was here, @liv.earwell and @nobody.at.all.')
	const bar = page.getByRole('button', { name: '1 new comment' })
	await expect(bar).toBeVisible()
	await expect(page.getByText('I was here')).toHaveCount(0)
	await comment(page, path, 'My own, from another tab.')
	await comment(other, path, 'And once more.')
	await page.getByRole('button', { name: '2 new comments' }).click()
	await expect(page.locator(`#comment-${id}`)).toBeFocused()
	await expect(page.locator(`#comment-${id}`)).toHaveAttribute('data-marked', 'true')
	await expect(page.getByText('And once more.')).toBeVisible()
	await expect(page.getByText('My own, from another tab.')).toBeVisible()
	await expect(page.getByRole('button', { name: /new comment/ })).toHaveCount(0)
	await expect(page.getByRole('link', { name: '@liv.earwell' })).toHaveAttribute('href', '/find-dev/liv.earwell')
	await expect(page.getByRole('link', { name: '@nobody.at.all' })).toHaveCount(0)
	await other.context().close()
})

test('@ suggests participants in a comment and in a question, by keyboard only', async ({ page, browser }) => {
	const other = await member(browser, 'Zora Talkwell')
	const path = await ask(other, 'Who answers me?')
	await other.context().close()
	await enrol(page, 'Kay Keys')
	await page.goto(path)
	await hydrated(page)
	const box = page.getByLabel('Your comment')
	await box.pressSequentially('Hello @')
	const menu = page.getByRole('listbox', { name: 'Members to mention' })
	await expect(menu.getByRole('option')).toHaveCount(1)
	await expect(box).toHaveAttribute('aria-activedescendant', /-0$/)
	await expectNoViolations(page)
	await box.press('Escape')
	await expect(menu).toHaveCount(0)
	await box.pressSequentially('zo')
	await expect(menu.getByRole('option', { name: /zora\.talkwell/ })).toHaveAttribute('aria-selected', 'true')
	await box.press('Enter')
	await expect(box).toHaveValue('Hello @zora.talkwell ')
	await expect(menu).toHaveCount(0)
	await page.goto('/forum/ask')
	await hydrated(page)
	const text = page.getByLabel('Description')
	await text.pressSequentially('@kay.k')
	await menu.getByRole('option', { name: /kay\.keys/ }).click()
	await expect(text).toHaveValue('@kay.keys ')
	await text.pressSequentially('and @zo')
	await expect(menu.getByRole('option').first()).toBeVisible()
	// In one step, as the browser reports a moved caret only later.
	await text.evaluate((area: HTMLTextAreaElement) => {
		area.setSelectionRange(0, 0)
		area.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }))
	})
	await expect(text).toHaveValue('@kay.keys and @zo')
	await expect(menu).toHaveCount(0)
	await text.press('Enter')
	await expect(text).toHaveValue('\n@kay.keys and @zo')
})

test('the columns of a table are separated, aligned and fit a phone', async ({ page }) => {
	await enrol(page, 'Tara Tables')
	const path = await ask(page, 'Which one is faster?')
	const rows = ['| Tool | Speed | Licence |', '|---|---|---|', '| clang-with-everything | 9000 | Apache |']
	const id = await comment(page, path, rows.join('\n'))
	await page.setViewportSize({ width: 390, height: 800 })
	await page.goto(path)
	const placeOf = (text: string) =>
		page
			.locator(`#comment-${id}`)
			.getByText(text, { exact: true })
			.evaluate((cell) => {
				const range = document.createRange()
				range.selectNodeContents(cell)
				const { left, right } = range.getBoundingClientRect()
				return { left, right }
			})
	const [first, second, last] = [await placeOf('clang-with-everything'), await placeOf('9000'), await placeOf('Apache')]
	expect(second.left - first.right).toBeGreaterThanOrEqual(12)
	expect(last.right).toBeLessThan(390)
	expect((await placeOf('Tool')).left).toBe(first.left)
})

test('a deleted comment is restored from the toast', async ({ page }) => {
	await enrol(page, 'Ulla Undo')
	const path = await ask(page, 'Can it be taken back?')
	await comment(page, path, 'Gone and back.')
	await page.goto(path)
	await page.getByRole('link', { name: 'Delete', exact: true }).click()
	await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
	await expectNotice(page, 'Comment deleted.')
	await expect(page.getByText('Gone and back.')).toHaveCount(0)
	await page.getByRole('button', { name: 'Undo', exact: true }).click()
	await expect(page.getByText('Gone and back.')).toBeVisible()
})

test('by keyboard, the focus stays in the discussion when a form is cancelled, the order changed or a comment deleted', async ({
	page,
}) => {
	await enrol(page, 'Fiona Focus')
	const path = await ask(page, 'Where was I?')
	const [first, second] = [await comment(page, path, 'The first one.'), await comment(page, path, 'The second one.')]
	await page.goto(path)
	await hydrated(page)
	const shown = page.locator(`#comment-${first}`)
	for (const name of ['Reply', 'Edit']) {
		await shown.getByRole('link', { name, exact: true }).press('Enter')
		await expect(shown.getByRole('textbox')).toBeFocused()
		await shown.getByRole('link', { name: 'Cancel' }).press('Enter')
		await expect(shown.getByRole('textbox')).toHaveCount(0)
		await expect(shown).toBeFocused()
	}
	const heading = page.getByRole('heading', { name: /^Comments/ })
	await page.getByRole('navigation', { name: 'Order of the comments' }).locator('summary').press('Enter')
	await page.getByRole('link', { name: 'Best first' }).press('Enter')
	await expect(page).toHaveURL(/sort=best/)
	await expect(heading).toBeFocused()
	await page.locator(`#comment-${second}`).getByRole('link', { name: 'Delete', exact: true }).press('Enter')
	await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).press('Enter')
	await expect(page.locator(`#comment-${second}`)).toHaveCount(0)
	await expect(heading).toBeFocused()
})

test('a text whose query was given another address or deleted meanwhile, or its comment, stays in its form, with the reason', async ({
	page,
	browser,
}) => {
	const asker = await member(browser, 'Gale Gonesoon')
	const path = await ask(asker, 'Will this still be here?')
	const id = await comment(asker, path, 'Not for long.')
	await enrol(page, 'Ray Replier')
	await page.goto(path)
	await hydrated(page)
	await page.getByRole('link', { name: 'Reply', exact: true }).click()
	const reply = page.getByLabel(/^Reply to/)
	await reply.fill('A long reply.')
	await send(asker, path, { intent: 'delete-comment', comment: id })
	await page.getByRole('button', { name: 'Reply', exact: true }).click()
	await expect(page.getByRole('alert').filter({ hasText: 'you are replying to was deleted.' })).toBeVisible()
	await expect(reply).toHaveValue('A long reply.')
	const box = page.getByLabel('Your comment')
	await box.fill('A long comment.')
	await send(asker, '/settings/username', { username: 'gale.renamed' }).then(() => page.goto(path))
	await expect(box).toHaveValue('A long comment.')
	await send(asker, new URL(page.url()).pathname, { intent: 'delete-query' })
	await page.getByRole('button', { name: 'Comment', exact: true }).click()
	await expect(page.getByRole('alert').filter({ hasText: 'There is no such query.' })).toBeVisible()
	await expect(box).toHaveValue('A long comment.')
	await asker.context().close()
})

test('a comment that another tab sends leaves what is being written here', async ({ page }) => {
	await enrol(page, 'Tess Twotabs')
	const path = await ask(page, 'Which tab has my text?')
	const other = await page.context().newPage()
	for (const tab of [page, other]) {
		await tab.goto(path)
		await hydrated(tab)
	}
	await page.getByLabel('Your comment').fill('A long answer')
	await other.getByLabel('Your comment').fill('One moment')
	await other.getByRole('button', { name: 'Comment', exact: true }).click()
	await expect(other.getByText('One moment')).toBeVisible()
	await page.goto('/forum')
	await page.goto(path)
	await expect(page.getByLabel('Your comment')).toHaveValue('A long answer')
	await other.close()
})

test('an answered question that is deleted leaves a page with its comments', async ({ page, browser }) => {
	await enrol(page, 'Gwen Goner')
	const path = await ask(page, 'A title that shall vanish')
	const other = await member(browser, 'Stan Stayer')
	await comment(other, path, 'An answer that stays.')
	await other.context().close()
	await send(page, path, { intent: 'delete-query' })
	expect((await page.request.get(path)).status()).toBe(410)
	const gone = await htmlOf(page, path)
	expect(gone).toContain('An answer that stays.')
	expect(gone).not.toContain('A title that shall vanish')
	expect(gone).not.toContain('Your comment')
})

test('an edited comment shows its earlier text, and its time links to its own address', async ({ page }) => {
	await enrol(page, 'Rhoda Rewriter')
	const path = await ask(page, 'What did it say?')
	const id = await comment(page, path, 'The first words.')
	await page.goto(path)
	await page.getByRole('link', { name: 'Edit', exact: true }).click()
	await page.getByLabel('Your comment').last().fill('The second words.')
	await page.getByRole('button', { name: 'Save', exact: true }).click()
	await expect(page.getByText('The second words.')).toBeVisible()
	await page.locator(`#comment-${id}`).getByRole('link', { name: 'edited' }).click()
	await expect(page.getByRole('heading', { name: 'Edits of this comment' })).toBeVisible()
	await expect(page.getByRole('deletion')).toHaveText(/first|second/)
	await expectNoViolations(page)
	await page.goBack()
	await page.locator(`#comment-${id} a[href="/forum/comment/${id}"]`).click()
	await expect(page).toHaveURL(`${path}#comment-${id}`)
	await expect(page.locator(`#comment-${id}`)).toBeFocused()
})

test('the order of comments can be chosen, appears in the address and survives a reload', async ({ page, browser }) => {
	await enrol(page, 'Orla Order')
	const path = await ask(page, 'Which of these is best?')
	const other = await member(browser, 'Bess Best')
	await comment(other, path, 'The older one.')
	const better = await comment(other, path, 'The better one.')
	await other.context().close()
	await page.goto(path)
	const stored = page.waitForResponse('**/forum/vote')
	await page.locator(`#comment-${better}`).getByRole('button', { name: 'Vote up' }).click()
	await stored
	const order = page.getByRole('navigation', { name: 'Order of the comments' })
	await order.getByText('Oldest first').first().click()
	await order.getByRole('link', { name: 'Best first' }).click()
	const threads = page.locator('li.comment')
	await expect(threads.first()).toContainText('The better one.')
	await page.reload()
	await expect(threads.first()).toContainText('The better one.')
	await order.getByText('Best first').first().click()
	await order.getByRole('link', { name: 'Oldest first' }).click()
	await expect(threads.first()).toContainText('The older one.')
})

test.describe('without JavaScript', () => {
	test.use({ javaScriptEnabled: false })

	test('a member comments, replies, edits, chooses the order and deletes', async ({ page }) => {
		await enrol(page, 'Piet Plainform')
		const path = await ask(page, 'Do plain forms do?')
		await page.goto(path)
		await page.getByLabel('Your comment').fill('A plain comment.')
		await page.getByRole('button', { name: 'Comment', exact: true }).click()
		await expect(page).toHaveURL(/#comment-\d+$/)
		await page.getByRole('link', { name: 'Reply', exact: true }).click()
		await page.getByLabel(/^Reply to/).fill('A plain reply.')
		await page.getByRole('button', { name: 'Reply', exact: true }).click()
		await expect(page.getByText('A plain reply.')).toBeVisible()
		await page.locator('summary').filter({ hasText: 'Oldest first' }).click()
		await page.getByRole('link', { name: 'Best first' }).click()
		await expect(page).toHaveURL(/\?sort=best#comments$/)
		await page.goto(path)
		await page.getByRole('link', { name: 'Edit', exact: true }).last().click()
		await page.getByLabel('Your comment').last().fill('A better reply.')
		await page.getByRole('button', { name: 'Save', exact: true }).click()
		await expect(page.getByText('A better reply.')).toBeVisible()
		await page.getByRole('link', { name: 'Delete', exact: true }).last().click()
		await page.getByRole('button', { name: 'Delete', exact: true }).click()
		await expectNotice(page, 'Comment deleted.')
		await expect(page.getByText('A better reply.')).toHaveCount(0)
		// Mails and notifications link to comments that may be gone with their query.
		expect((await page.goto('/forum/comment/999999999'))?.status()).toBe(404)
		await expect(page.getByRole('heading', { level: 1, name: 'There is no such comment.', exact: true })).toBeVisible()
	})
})

test('axe finds no violations with one comment highlighted, in either theme, and the page fits a phone', async ({
	page,
	browser,
}) => {
	await enrol(page, 'Axel Setoff')
	const path = await ask(page, 'Is it easy to read?')
	const id = await comment(page, path, 'With `code` and [a link](/forum).')
	const other = await member(browser, 'Nia Setoff')
	for (const width of [1280, 360]) {
		await page.setViewportSize({ width, height: 800 })
		const watched = watching(page)
		await page.goto(`/forum/comment/${id}`)
		await watched
		await expect(page.locator(`#comment-${id}`)).toHaveAttribute('data-marked', 'true')
		const answer = await comment(other, path, `Seen at ${width}.`)
		const bar = page.getByRole('button', { name: '1 new comment' })
		await expect(bar).toBeVisible()
		// axe counts a control scrolled halfway under the header as a small target.
		await page.evaluate(() => scrollTo(0, 0))
		await (width === 360 ? expectNoViolations(page) : expectNoViolationsInThemes(page))
		expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
		const accepted = page.getByRole('region', { name: 'Accepted answer' })
		const [place, head, next] = await Promise.all([
			bar.boundingBox(),
			page.locator('#comments-top').boundingBox(),
			accepted.or(page.getByLabel('Your comment')).first().boundingBox(),
		])
		expect(place?.y).toBeGreaterThanOrEqual((head?.y ?? 0) + (head?.height ?? 0))
		expect((place?.y ?? 0) + (place?.height ?? 0)).toBeLessThanOrEqual(next?.y ?? 0)
		await page.getByLabel('Your comment').focus()
		await expect(bar.locator('..')).toHaveCSS('position', 'static')
		if (width === 1280) await send(page, path, { intent: 'choose-solution', comment: answer })
		else await expect(accepted).toBeVisible()
	}
	await other.context().close()
})

test('similar questions are listed beside a question, on a phone below its comments, and open from there', async ({
	page,
}) => {
	await enrol(page, 'Rela Tedly')
	const title = 'Where is quince marmalade sold?'
	const path = await ask(page, 'Is quince marmalade sold anywhere?')
	await comment(page, path, 'Not here.')
	const other = await ask(page, title)
	const region = page.getByRole('region', { name: 'Related' })
	const link = region.getByRole('link', { name: title })
	await doNow('related-questions')
	await hasArrived(page, path, title)
	for (const width of [1280, 390]) {
		await page.setViewportSize({ width, height: 844 })
		await page.goto(path)
		await expect(region.getByRole('listitem').filter({ hasText: title })).toContainText('0 comments')
		await (width === 390 ? expectNoViolations(page) : expectNoViolationsInThemes(page))
		expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
		const [beside, comments] = await Promise.all([
			region.boundingBox(),
			page.getByRole('region', { name: 'Comments' }).boundingBox(),
		])
		if (width === 1280) expect(beside?.x).toBeGreaterThan((comments?.x ?? 0) + (comments?.width ?? 0))
		else expect(beside?.y).toBeGreaterThanOrEqual((comments?.y ?? 0) + (comments?.height ?? 0))
		await link.click()
		await expect(page.getByRole('heading', { level: 1 })).toHaveText(title)
		await expect(page).toHaveURL(other)
	}
	await expectOwnState(page, { path, link, title })
	await page.emulateMedia({ media: 'print' })
	await expect(region).toBeHidden()
	await page.emulateMedia({ media: null })
})

/** What was typed and pressed at one question stays there when a link leads to another one. */
async function expectOwnState(page: Page, { path, link, title }: { path: string; link: Locator; title: string }) {
	const field = page.getByLabel('Your comment')
	const bookmark = page.getByRole('button', { name: 'Bookmark this query' })
	await page.goto(path)
	await field.fill('Half of an answer')
	await bookmark.click()
	await expect(bookmark).toHaveAttribute('aria-pressed', 'true')
	await link.click()
	await expect(page.getByRole('heading', { level: 1 })).toHaveText(title)
	await expect(field).toHaveValue('')
	await expect(bookmark).toHaveAttribute('aria-pressed', 'false')
	await page.goBack()
	await expect(field).toHaveValue('Half of an answer')
	await expect(bookmark).toHaveAttribute('aria-pressed', 'true')
}
