import type { Page } from '@playwright/test'
import { withoutPage } from './support/chat.ts'
import { type Account, enrol, expect, firstQuestion, htmlOf, logIn, test } from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

/** Submits a form as this page's member, as a browser would. @returns where the response redirects */
async function send(page: Account, path: string, form: Record<string, string>): Promise<string> {
	const headers = { Origin: process.env.SITE_URL ?? '' }
	const response = await page.request.post(path, { form, headers, maxRedirects: 0 })
	expect([302, 303]).toContain(response.status())
	return response.headers().location ?? ''
}

/** Asks a question. @returns its path */
function ask(page: Account, title: string, tags = 'voting'): Promise<string> {
	return send(page, '/forum/ask', { title, description: 'What do you think?', tags, category: 'others' })
}

/** There is one for narrow windows and one for wide ones. Until the stylesheet loads, both are visible. */
const questionVotes = (page: Page) =>
	page.getByRole('group', { name: 'Votes on this query' }).filter({ visible: true }).first()
const up = (page: Page) => questionVotes(page).getByRole('button', { name: 'Vote up' })

/** Whether this page's member has voted for the query, and its score, as the server knows them. */
async function storedVotes(page: Page, path: string): Promise<{ isUp: boolean; score: number }> {
	const votes =
		/"Votes on this query"><button[^>]*aria-pressed="(\w+)" aria-label="Vote up"[\s\S]*?>Votes <\/span>(-?\d+)</
	const [, pressed, score] = votes.exec(await htmlOf(page, path)) ?? []
	return { isUp: pressed === 'true', score: Number(score) }
}

test('a member votes and undoes it, and everybody sees the same score', async ({ page, browser }) => {
	await logIn(page)
	const path = await ask(page, 'Do votes add up here?')
	const own = await htmlOf(page, path)
	expect(own).toContain('Do votes add up here?')
	expect(own).not.toContain('Votes on this query')
	const context = await browser.newContext({ baseURL: process.env.SITE_URL ?? '' })
	const other = await context.newPage()
	await enrol(other, 'Vera Votewell')
	await other.goto(path)
	const stored = other.waitForResponse('**/forum/vote')
	await up(other).click()
	await expect(up(other)).toHaveAttribute('aria-pressed', 'true')
	await expect(questionVotes(other)).toContainText('1')
	await stored
	expect(await storedVotes(other, path)).toEqual({ isUp: true, score: 1 })
	expect(await htmlOf(page, path)).toMatch(/>1<\/span> <span[^>]*>vote</)
	const taken = other.waitForResponse('**/forum/vote')
	await up(other).click()
	await taken
	expect(await storedVotes(other, path)).toEqual({ isUp: false, score: 0 })
	await context.close()
})

test('a double click counts once, and a vote that cannot be sent is reverted', async ({ page, context }) => {
	await enrol(page, 'Dora Doubleday')
	const path = await ask(page, 'Is a double click one vote?')
	await context.clearCookies()
	await logIn(page)
	await page.goto(path)
	const stored = page.waitForResponse('**/forum/vote')
	await up(page).dblclick()
	await stored
	await expect(questionVotes(page)).toContainText('1')
	await context.setOffline(true)
	await questionVotes(page).getByRole('button', { name: 'Vote down' }).click()
	await expectNotice(page, 'Something went wrong!')
	await expect(up(page)).toHaveAttribute('aria-pressed', 'true')
	await expect(questionVotes(page)).toContainText('1')
	await context.setOffline(false)
	expect(await storedVotes(page, path)).toEqual({ isUp: true, score: 1 })
})

test('a vote that is withdrawn while its response gets lost is withdrawn on the server too', async ({ page }) => {
	await enrol(page, 'Otis Outvote')
	const path = await ask(page, 'Does a lost response keep my vote?')
	await page.context().clearCookies()
	await logIn(page)
	await page.goto(path)
	const free = Promise.withResolvers<void>()
	let isFirst = true
	await page.route('**/forum/vote', async (route) => {
		if (!isFirst) return route.continue()
		isFirst = false
		await route.fetch()
		await free.promise
		await route.abort()
	})
	await up(page).click()
	await expect(up(page)).toHaveAttribute('aria-pressed', 'true')
	const stored = page.waitForResponse('**/forum/vote')
	await up(page).click()
	await expect(up(page)).toHaveAttribute('aria-pressed', 'false')
	free.resolve()
	await stored
	expect(await storedVotes(page, path)).toEqual({ isUp: false, score: 0 })
})

test('a visitor who wants to follow a tag comes back to the same page of its list', async ({ page }) => {
	await page.goto('/forum/tag/react?view=unanswered')
	await page.getByRole('link', { name: 'Log in to follow #react' }).click()
	await expect(page).toHaveURL(`/login?redirectTo=${encodeURIComponent('/forum/tag/react?view=unanswered')}`)
})

test('a visitor who wants to vote is sent to the login page and back', async ({ page, request }) => {
	const href = await firstQuestion(page)
	await page.goto(href)
	await page.getByRole('link', { name: 'Log in to vote up' }).filter({ visible: true }).first().click()
	await expect(page).toHaveURL(`/login?redirectTo=${encodeURIComponent(href)}`)
	const refused = await request.post('/forum/vote', {
		form: { query: href.split('/')[4] ?? '', value: '1' },
		headers: { Accept: 'application/json', Origin: new URL(page.url()).origin },
	})
	expect(refused.status()).toBe(401)
})

test('keyboard only: the asker marks the solution and undoes it', async ({ page, browser }) => {
	await logIn(page)
	const path = await ask(page, 'Which answer is the right one?', 'keyboard-only')
	const other = await withoutPage(browser)
	await enrol(other, 'Hilda Helpwell')
	await send(other, path, { intent: 'comment', body: 'Use the second one.' })
	const seen = await htmlOf(other, path)
	expect(seen).toContain('Use the second one.')
	expect(seen).not.toContain('This solved it')
	await other.context().close()
	await page.goto(path)
	const vote = page.getByRole('group', { name: 'Votes on the comment of Hilda Helpwell' })
	await vote.getByRole('button', { name: 'Vote up' }).focus()
	const stored = page.waitForResponse('**/forum/vote')
	await page.keyboard.press('Enter')
	await stored
	await expect(vote).toContainText('1')
	await page.getByRole('button', { name: 'This solved it' }).focus()
	await page.keyboard.press('Enter')
	await expect(page.getByRole('region', { name: 'Accepted answer' })).toContainText('Use the second one.')
	const solved = async () => (await page.request.get('/forum/tag/keyboard-only?view=solved')).text()
	await expect.poll(solved).toMatch(/<article(?:(?!<\/article>)[\s\S])*Answered/)
	expect((await solved()).match(/<article/g)).toHaveLength(1)
	await page.getByRole('button', { name: 'No longer the answer' }).focus()
	await page.keyboard.press('Enter')
	await expect(page.getByRole('region', { name: 'Accepted answer' })).toHaveCount(0)
	await expect.poll(solved).toContain('No Query Found !')
})

test('another spelling of a tag leads to it, and the tag is sorted and followed', async ({ page, request }) => {
	const moved = await request.get('/forum/tag/js?view=active', { maxRedirects: 0 })
	expect([moved.status(), new URL(moved.headers().location ?? '', 'http://x').pathname]).toEqual([
		301,
		'/forum/tag/javascript',
	])
	await enrol(page, 'Tara Followwell')
	await page.goto('/forum/tag/git')
	for (const name of ['Active', 'Unanswered', 'Unsolved', 'Solved', 'Newest']) {
		await page.getByRole('navigation', { name: 'Order' }).getByRole('link', { name, exact: true }).click()
		await expect(page.getByRole('link', { name, exact: true })).toHaveAttribute('aria-current', 'true')
	}
	const stored = page.waitForResponse('**/forum/follow')
	await page.getByRole('button', { name: 'Follow #git' }).click()
	await expect(page.getByRole('button', { name: 'Follow #git' })).toHaveAttribute('aria-pressed', 'true')
	await stored
	await page.goto('/forum/tags')
	await expect(page.getByRole('region', { name: 'You follow' })).toContainText('git')
	await page.goto('/forum/tag/git')
	const undone = page.waitForResponse('**/forum/follow')
	await page.getByRole('button', { name: 'Follow #git' }).click()
	await undone
	const tags = await page.request.get('/forum/tags')
	expect(tags.status()).toBe(200)
	expect(await tags.text()).not.toContain('You follow')
})

test.describe('without JavaScript', () => {
	test.use({ javaScriptEnabled: false })

	test('a member votes, chooses a solution and follows a category with forms', async ({ page }) => {
		await enrol(page, 'Nora Noscript')
		await page.goto('/forum')
		await page.getByRole('article').first().getByRole('heading').getByRole('link').click()
		const path = new URL(page.url()).pathname
		await up(page).click()
		await expect(page).toHaveURL(path)
		await expect(up(page)).toHaveAttribute('aria-pressed', 'true')
		await up(page).click()
		await expect(up(page)).toHaveAttribute('aria-pressed', 'false')
		const own = await ask(page, 'Does it work without scripts?')
		await send(page, own, { intent: 'comment', body: 'It does.' })
		await page.goto(own)
		await page.getByRole('button', { name: 'This solved it' }).click()
		await expect(page.getByRole('region', { name: 'Accepted answer' })).toContainText('It does.')
		await page.goto('/forum/category/python')
		await page.getByRole('button', { name: 'Follow Python' }).click()
		await expect(page).toHaveURL('/forum/category/python')
		await expect(page.getByRole('button', { name: 'Follow Python' })).toHaveText('Following')
	})
})
