import type { Page } from '@playwright/test'
import { picture } from '../factories/pictures.ts'
import {
	anotherBrowser,
	composer,
	cutter,
	openChatPage,
	texts,
	twoFriends,
	withFriend,
	withoutScripts,
} from './support/chat.ts'
import { enrol, expect, expectNoViolations, submit, test } from './support/journey.ts'

const png = async (name: string, width: number, height: number) => ({
	name,
	mimeType: 'image/png',
	buffer: await picture('png', width, height),
})

test('a picture is chosen, previewed, described and sent; the recipient sees it in place, and others cannot open it', async ({
	page,
	browser,
}) => {
	const [ada, bo] = await twoFriends(page, browser, ['Ada Lensley', 'Bo Lensley'])
	await openChatPage(page, bo)
	await openChatPage(bo.page, ada)
	const input = page.getByLabel('Add pictures')
	const list = page.getByRole('list', { name: 'Pictures of this message' })
	await input.setInputFiles([await png('bench.png', 1_200, 900), await png('tall.png', 300, 900)])
	await expect(list.getByRole('listitem')).toHaveCount(2)
	await expect(list.getByAltText('bench.png, as it will be sent')).toHaveJSProperty('naturalWidth', 1_200)
	await list.getByRole('button', { name: /tall\.png/ }).click()
	await expect(list.getByRole('listitem')).toHaveCount(1)
	await list.getByLabel('Description of bench.png').fill('The bench')
	await expectNoViolations(page)
	await composer(page).fill('Look')
	await composer(page).press('Enter')
	await expect(list).toHaveCount(0)
	for (const each of [page, bo.page]) {
		const shown = each.locator('.bubble').last().getByRole('link', { name: 'The bench' }).getByRole('img')
		await expect(shown).toHaveAttribute('src', /^\/media\/messages\/ada\.lensley\//)
		await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
		const { width, height } = (await shown.boundingBox()) ?? { width: 0, height: 0 }
		expect([Math.round(width), Math.round(height)]).toEqual([240, 180])
	}
	await expect(bo.page.getByRole('log', { name: 'New messages' })).toHaveText('Ada Lensley: Look')
	await expect(page.getByRole('link', { name: /Bo Lensley.*You: Look/s })).toBeVisible()
	await expectNoViolations(bo.page)
	const href = (await page.getByRole('link', { name: 'The bench' }).getAttribute('href')) ?? ''
	const opened = bo.page.context().waitForEvent('page')
	await bo.page.getByRole('link', { name: 'The bench' }).click()
	await expect((await opened).locator('img')).toHaveJSProperty('naturalWidth', 1_200)
	const third = await (await anotherBrowser(browser)).newPage()
	expect((await third.request.get(href)).status()).toBe(404)
	await enrol(third, 'Cy Lensley')
	expect((await third.request.get(href)).status()).toBe(404)
	await page.setViewportSize({ width: 360, height: 640 })
	await input.setInputFiles(await png('wide.png', 900, 60))
	await expect(list.getByRole('listitem')).toHaveCount(1)
	expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
	await page.getByRole('button', { name: 'Send' }).click()
	await expect(page.getByRole('link', { name: 'Picture' })).toBeVisible()
	expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
	await expectNoViolations(page)
})

test('what is typed and chosen stays when either member gets another username', async ({ page, browser }) => {
	const [ada, bo] = await twoFriends(page, browser, ['Ada Namely', 'Bo Namely'])
	await openChatPage(page, bo)
	await page.getByLabel('Add pictures').setInputFiles(await png('plaque.png', 40, 30))
	const list = page.getByRole('list', { name: 'Pictures of this message' })
	await composer(page).fill('The new plaque')
	const rename = async ({ page: own, username }: typeof bo, to: string) => {
		const reloaded = page.waitForEvent('domcontentloaded')
		const headers = { Origin: process.env.SITE_URL ?? '' }
		const renamed = await own.request.post('/settings/username', { form: { username: to }, headers, maxRedirects: 0 })
		expect(renamed.status(), `of ${username}`).toBe(303)
		await reloaded
		await expect(list.getByAltText('plaque.png, as it will be sent')).toHaveJSProperty('naturalWidth', 40)
		await expect(composer(page)).toHaveValue('The new plaque')
	}
	await rename(ada, 'ada.plaque')
	await rename(bo, 'bo.plaque')
	await expect(page).toHaveURL('/messages/bo.plaque')
	await composer(page).press('Enter')
	await openChatPage(bo.page, { ...ada, username: 'ada.plaque' })
	await expect(bo.page.locator('.bubble').last().getByRole('img')).toBeVisible()
	expect((await texts(bo.page)).at(-1)).toBe('The new plaque')
})

test('what is typed and chosen stays when either member is renamed while this browser shows no page', async ({
	page,
	browser,
}) => {
	const [, friend] = await withFriend(page, browser, ['Ada Elsewhere', 'Bo Elsewhere'])
	await openChatPage(page, friend)
	await page.getByLabel('Add pictures').setInputFiles(await png('plaque.png', 40, 30))
	const picture = page.getByRole('list', { name: 'Pictures of this message' }).getByAltText(/^plaque\.png/)
	await expect(picture).toHaveJSProperty('naturalWidth', 40)
	await composer(page).fill('The new plaque')
	await page.goto('about:blank')
	await submit(page, '/settings/username', { username: 'ada.nowhere' })
	await submit(friend.page, '/settings/username', { username: 'bo.nowhere' })
	await openChatPage(page, { ...friend, username: 'bo.nowhere' })
	await expect(composer(page)).toHaveValue('The new plaque')
	await expect(picture).toHaveJSProperty('naturalWidth', 40)
})

test('a picture pasted offline survives a reload with its message and arrives once', async ({ page, browser }) => {
	const [ada, bo] = await twoFriends(page, browser, ['Ada Pasteway', 'Bo Pasteway'])
	const line = await cutter(page)
	await openChatPage(page, bo)
	await openChatPage(bo.page, ada)
	await line.cut()
	await page.route('**/media', (route) => route.abort('internetdisconnected'))
	const bytes = [...(await picture('png', 320, 240))]
	await composer(page).evaluate((area, data) => {
		const clipboard = new DataTransfer()
		clipboard.items.add(new File([new Uint8Array(data)], 'image.png', { type: 'image/png' }))
		area.dispatchEvent(new ClipboardEvent('paste', { clipboardData: clipboard, bubbles: true, cancelable: true }))
	}, bytes)
	await expect(page.getByText('No connection. It will be sent when you are back online.')).toBeVisible()
	// It is still selected before it is sent, even after a reload.
	await page.reload()
	await expect(page.getByText('No connection. It will be sent when you are back online.')).toBeVisible()
	await composer(page).press('Enter')
	const waiting = page.locator('.bubble').last().getByRole('img', { name: 'Picture' })
	await expect(waiting).toHaveJSProperty('naturalWidth', 320)
	await page.reload()
	await expect(waiting).toHaveJSProperty('naturalWidth', 320)
	await deleteStoredPictures(page)
	await page.unroute('**/media')
	await line.mend()
	for (const each of [page, bo.page]) {
		const shown = each.locator('.bubble').last().getByRole('link', { name: 'Picture' })
		await expect(shown).toBeVisible()
		await expect(each.locator('.bubble')).toHaveCount(3)
	}
	await expect(page.getByTitle('On its way')).toHaveCount(0)
	await composer(page).evaluate((area) => {
		const dropped = new DataTransfer()
		dropped.items.add(new File(['<svg/>'], 'drawing.svg', { type: 'image/svg+xml' }))
		area.dispatchEvent(new DragEvent('drop', { dataTransfer: dropped, bubbles: true, cancelable: true }))
	})
	await expect(page.getByRole('alert')).toHaveText('Invalid file type!')
})

test('without scripts, the form uploads a picture and keeps it when the text is rejected', async ({
	page,
	browser,
}) => {
	const [ada, bo] = await twoFriends(page, browser, ['Ada Plainshot', 'Bo Plainshot'])
	const plain = await withoutScripts(page)
	await plain.goto(`/messages/${bo.username}`)
	const file = plain.getByLabel('Picture (JPG or PNG, up to 5 MB)')
	await file.setInputFiles({ name: 'cat.png', mimeType: 'image/png', buffer: Buffer.from('<svg/>') })
	await plain.getByRole('button', { name: 'Send' }).click()
	await expect(plain.getByRole('alert')).toHaveText('Invalid file type!')
	await file.setInputFiles(await png('bench.png', 640, 480))
	await plain.getByLabel('Description (optional)').fill('The bench')
	await composer(plain).fill('x'.repeat(4_001))
	await plain.getByRole('button', { name: 'Send' }).click()
	await expect(plain.getByRole('alert')).toContainText('at most 4,000 characters')
	await expect(plain.getByLabel('Replace the picture')).toBeVisible()
	await composer(plain).fill('')
	await plain.getByRole('button', { name: 'Send' }).click()
	await expect(plain.locator('.bubble').last().getByRole('img', { name: 'The bench' })).toBeVisible()
	await openChatPage(bo.page, ada)
	await expect(bo.page.locator('.bubble').last().getByRole('img', { name: 'The bench' })).toBeVisible()
	expect(await texts(bo.page)).toEqual(['Hello', 'Hello yourself', ''])
})

test('an edit that begins while a picture is prepared is not sent as a new message, and the text stays a draft', async ({
	page,
	browser,
}) => {
	const [, bo] = await withFriend(page, browser, ['Ada Waitley', 'Bo Waitley'])
	await page.addInitScript(() => {
		const { decode } = HTMLImageElement.prototype
		// A busy page may begin to prepare the picture only after the event.
		const allowed = new Promise((resolve) => addEventListener('test-decode', resolve, { once: true }))
		HTMLImageElement.prototype.decode = async function () {
			await allowed
			return decode.call(this)
		}
	})
	await openChatPage(page, bo)
	await page.getByLabel('Add pictures').setInputFiles(await png('bench.png', 320, 240))
	await composer(page).fill('With the bench')
	await composer(page).press('Enter')
	const sent = page.locator('.chat-message').first()
	await sent.hover()
	await sent.getByRole('link', { name: 'Edit' }).click()
	await expect(composer(page)).toHaveValue('Hello')
	await page.evaluate(() => dispatchEvent(new Event('test-decode')))
	await page.getByRole('link', { name: 'Cancel editing' }).click()
	const list = page.getByRole('list', { name: 'Pictures of this message' })
	await expect(list.getByRole('listitem')).toHaveCount(1)
	await expect(composer(page)).toHaveValue('With the bench')
	expect(await texts(page)).toEqual(['Hello', 'Hello yourself'])
})

/** Deletes the files that this browser stores, as another tab does with what is old. */
function deleteStoredPictures(page: Page): Promise<void> {
	return page.evaluate(
		(name) =>
			new Promise<void>((resolve) => {
				const opening = indexedDB.open(name)
				opening.onsuccess = () => {
					const transaction = opening.result.transaction(name, 'readwrite')
					transaction.objectStore(name).clear()
					transaction.oncomplete = () => resolve()
				}
			}),
		'chat-pictures',
	)
}
