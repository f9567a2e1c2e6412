import type { Page } from '@playwright/test'
import { picture } from '../factories/pictures.ts'
import { anotherBrowser, composer, openChatPage, say, texts, withFriend } from './support/chat.ts'
import { enrol, errorsOf, expect, logIn, newPassword, settled, submit, test } from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

/** Everything this browser stores for the site, as one text, including the words in database files. */
async function readStorage(page: Page): Promise<string> {
	return page.evaluate(async () => {
		const kept: unknown[] = [
			Object.entries(localStorage),
			Object.entries(sessionStorage),
			document.cookie,
			await caches.keys(),
		]
		for (const { name = '' } of await indexedDB.databases()) {
			const database = await new Promise<IDBDatabase>((resolve, reject) => {
				const opening = indexedDB.open(name)
				opening.onsuccess = () => resolve(opening.result)
				opening.onerror = () => reject(opening.error)
			})
			for (const store of database.objectStoreNames) {
				const rows = await new Promise<unknown[]>((resolve, reject) => {
					const reading = database.transaction(store).objectStore(store).getAllKeys()
					reading.onsuccess = () => resolve(reading.result)
					reading.onerror = () => reject(reading.error)
				})
				kept.push(rows)
			}
			database.close()
		}
		return JSON.stringify(kept)
	})
}

const canary = 'canary-of-the-quad'

let round = 0

/** Types into every place that stores its input: a message, a comment, the ask form. Also queues a picture. */
async function typeEverywhere(page: Page, peer: { username: string }): Promise<void> {
	// Use a new text each time: the server still has the previous question, and unchanged text is not stored again.
	round += 1
	await page.goto('/forum')
	await page.getByRole('article').first().getByRole('heading').getByRole('link').click()
	await page.getByLabel('Your comment').fill(`${canary} comment ${round}`)
	await page.goto('/forum/ask')
	await page.getByLabel('Title', { exact: true }).fill(`${canary} question ${round}`)
	await openChatPage(page, { ...peer, page, name: '' })
	await page.getByPlaceholder('type message here...').fill(`${canary} message ${round}`)
	await page.evaluate(async (word) => {
		localStorage.setItem(`chat-outbox:somebody:${word}`, word)
		const opening = indexedDB.open('chat-pictures')
		await new Promise((resolve) => (opening.onsuccess = resolve))
		const store = opening.result.transaction('chat-pictures', 'readwrite').objectStore('chat-pictures')
		await new Promise((resolve) => (store.put({ at: Date.now() }, `somebody:${word}`).onsuccess = resolve))
		// Left open, like another tab.
	}, canary)
	const kept = await readStorage(page)
	for (const what of ['comment', 'question', 'message']) expect(kept).toContain(`${canary} ${what} ${round}`)
}

const logOut = async (page: Page) => {
	await page.getByRole('button', { name: /account menu/ }).click()
	await page.getByRole('button', { name: 'Logout' }).filter({ visible: true }).click()
}

test("a member's input leaves the browser on logout and once a session has ended elsewhere, but stays if the logout fails", async ({
	page,
	browser,
}) => {
	const [ada, bo] = await withFriend(page, browser, ['Ada Leaver', 'Bo Stayer'])
	await typeEverywhere(page, bo)

	// When the logout request fails, the member is still logged in and keeps the input.
	await page.route('**/logout.data*', (route) => route.abort())
	await logOut(page)
	await expectNotice(page, 'Something went wrong!')
	await page.unroute('**/logout.data*')
	expect(await readStorage(page)).toContain(`${canary} message ${round}`)
	await page.keyboard.press('Escape')

	await logOut(page)
	await page.waitForURL('**/login')
	await expectNotice(page, 'You are logged out.')
	await expect.poll(() => readStorage(page)).not.toMatch(new RegExp(`${canary}|${ada.username}|${bo.username}`))

	await submit(page, '/login', { email: `${ada.username}@eastmere.example`, password: newPassword })
	await typeEverywhere(page, bo)
	await page.context().clearCookies()
	await page.goto('/forum')
	await expect.poll(() => readStorage(page)).not.toContain(canary)
	await bo.page.context().close()
})

test("a member's input is still there after a reload, but not for another member in the same browser", async ({
	page,
	browser,
}) => {
	const [ada, bo] = await withFriend(page, browser, ['Ada Sharer', 'Bo Sharer'])
	await typeEverywhere(page, bo)
	await page.reload()
	await expect(page.getByPlaceholder('type message here...')).toHaveValue(`${canary} message ${round}`)
	const cookies = await bo.page.context().cookies()
	await page.context().clearCookies()
	await page.context().addCookies(cookies)
	const other = await page.context().newPage()
	await other.goto('/forum')
	await expect.poll(() => readStorage(other)).not.toContain(canary)

	await test.step('nor what is typed later in the page that is still open', async () => {
		await page.getByLabel('Add pictures').setInputFiles({
			name: `${canary}.png`,
			mimeType: 'image/png',
			buffer: await picture('png', 40, 30),
		})
		await expect(page.getByRole('list', { name: 'Pictures of this message' }).getByAltText(/png/)).toBeVisible()
		await say(page, `${canary} sent`)
		await composer(page).fill(`${canary} typed`)
		const form = {
			me: ada.username,
			key: 'ask',
			title: canary,
			description: '',
			tags: '',
			category: 'others',
			version: 0,
		}
		const headers = { Origin: process.env.SITE_URL ?? '' }
		expect((await page.request.post('/forum/drafts', { form, headers })).status()).toBe(403)
		expect((await page.request.post('/forum/drafts', { form: { ...form, me: bo.username }, headers })).ok()).toBe(true)
		await openChatPage(other, ada)
		expect(await texts(other)).toEqual(['Hello', 'Hello yourself'])
		await expect(composer(other)).toHaveValue('')
		await page.goto('/forum')
		for (const each of [page, other])
			expect(await readStorage(each)).not.toMatch(new RegExp(`${canary}|${ada.username}:`))
	})
	await other.close()
	await bo.page.context().close()
})

test('after a logout, Back shows no rows that a member had appended to a list', async ({ page }) => {
	await logIn(page)
	await page.goto('/find-dev')
	await settled(page)
	const cards = page.getByRole('main').getByRole('article')
	const first = await cards.count()
	await page.getByRole('link', { name: 'Load more developers' }).click()
	await expect(cards).not.toHaveCount(first)
	await logOut(page)
	await page.waitForURL('**/login')
	await page.goBack()
	await expect(page).toHaveURL('/find-dev')
	await expect(cards.first()).toBeVisible()
	await settled(page)
	await expect(cards).toHaveCount(first)
})

test('a logout closes the pushes that the browser still shows', async ({ page }) => {
	await enrol(page, 'Ada Pushed')
	await page.addInitScript(() => {
		const push = { close: () => document.documentElement.setAttribute('data-closed', '') }
		const registration = { getNotifications: async () => [push] }
		Object.assign(navigator.serviceWorker, { getRegistration: async () => registration })
	})
	await page.goto('/forum')
	await settled(page)
	await expect(page.locator('html[data-closed]')).toHaveCount(0)
	await logOut(page)
	await page.waitForURL('**/login')
	await expect(page.locator('html[data-closed]')).toHaveCount(1)
})

test('the errors of a page include what its policy forbids', async ({ browser }) => {
	// So the journey through all pages, widths.spec.ts, fails when one of them attempts it, as any other journey does.
	const page = await (await anotherBrowser(browser)).newPage()
	const errors = errorsOf(page)
	await page.goto('/login')
	await page.evaluate(() => {
		const picture = new Image()
		picture.src = 'https://pictures.example/x.png'
		document.body.append(picture)
	})
	await expect.poll(errors).toEqual([expect.stringMatching(/Content Security Policy.*img-src/)])
	await page.context().close()
})
