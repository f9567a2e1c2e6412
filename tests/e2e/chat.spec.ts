import {
	composer,
	cutter,
	openChatPage,
	post,
	say,
	texts,
	twoFriends,
	twoMembers,
	withFriend,
	withoutScripts,
} from './support/chat.ts'
import { enrol, expect, expectNoViolationsInThemes, htmlOf, hydrated, test } from './support/journey.ts'

const control = 'Messages and notifications'

test('a stranger writes from the card and stays a request until answered; both see the same conversation live', async ({
	page,
	browser,
}) => {
	const [ada, bo] = await twoMembers(page, browser, ['Ada Chatfield', 'Bo Chatfield'])
	await page.goto('/find-dev?q=bo+chatfield')
	await hydrated(page)
	const loaded = Promise.withResolvers<void>()
	const history = /\/history\?page=1$/
	await page.route(history, (route) => loaded.promise.then(() => route.continue()))
	await page.getByRole('link', { name: 'Chat with Bo Chatfield' }).click()
	const panel = page.getByRole('dialog', { name: 'Chat with Bo Chatfield' })
	await expect(panel.getByText('Chat is loading! Please wait...')).toBeVisible()
	loaded.resolve()
	await expect(panel.getByText('No chat found!')).toBeVisible()
	await page.unroute(history)
	await expect(composer(page)).toBeFocused()
	await say(page, 'May I ask about **timetables**?')
	await expect(panel.getByText('timetables').locator('xpath=self::strong')).toBeVisible()
	await expect(panel.getByTitle('Sent')).toBeVisible()
	await expect(panel.getByText('Bo will get this as a request.')).toBeVisible()

	await bo.page.goto('/messages')
	await hydrated(bo.page)
	await expect(bo.page.getByRole('button', { name: control, exact: true })).toBeVisible()
	await bo.page.getByText('1 request').click()
	await bo.page.getByRole('link', { name: /Ada Chatfield/ }).click()
	const request = bo.page.getByText('Ada Chatfield would like to chat with you.')
	await expect(request.locator('bdi')).toHaveText('Ada Chatfield')
	await test.step('a window of 1280 × 1024 px at 400 % zoom shows all of it by scrolling', async () => {
		const size = bo.page.viewportSize()
		await bo.page.setViewportSize({ width: 320, height: 256 })
		for (const part of [bo.page.locator('.bubble'), request, composer(bo.page)]) {
			await part.scrollIntoViewIfNeeded()
			await expect(part).toBeInViewport({ ratio: 1 })
		}
		if (size) await bo.page.setViewportSize(size)
	})
	await expect(bo.page.locator('.bubble')).toHaveText('May I ask about timetables?')
	await expect(panel.getByTitle('Read')).toHaveCount(0)
	await composer(bo.page).pressSequentially('Of cour')
	await say(bo.page, 'Of course')
	await expect(bo.page.getByText('would like to chat with you')).toHaveCount(0)
	const conversations = bo.page.getByRole('list', { name: 'Conversations' })
	await expect(conversations.getByRole('link', { name: /Ada Chatfield/ })).toContainText('You: Of course')
	await expect(bo.page.getByText('1 request')).toHaveCount(0)
	await expect(panel.locator('.bubble').last()).toHaveText('Of course')
	await expect(panel.getByTitle('Read')).toBeVisible()

	// Typing is reported once every three seconds, and the last report may have been just now.
	await expect(async () => {
		await composer(bo.page).pressSequentially('and ')
		await expect(panel.getByText('Bo is typing')).toBeVisible({ timeout: 500 })
	}).toPass()
	await composer(bo.page).press('Enter')
	await expect(panel.getByText('Bo is typing')).toHaveCount(0)
	await expect(panel.locator('.bubble')).toHaveCount(3)
	await expect.poll(() => texts(bo.page)).toEqual(await texts(page))
	await page.getByRole('link', { name: 'Forum' }).first().click()
	await expect(panel).toHaveCount(0)
	await expect(bo.page.getByRole('heading', { name: ada.name, exact: true })).toBeVisible()
})

test('a visitor who wants to chat logs in first, and nobody can chat with themselves', async ({ page }) => {
	const username = await enrol(page, 'Ada Doorstep')
	const own = await htmlOf(page, `/find-dev/${username}`)
	expect(own).toContain('>Ada Doorstep<')
	expect(own).not.toContain('Chat with Ada Doorstep')
	await page.context().clearCookies()
	await page.goto('/find-dev?q=ada+doorstep')
	await hydrated(page)
	await page.getByRole('link', { name: 'Chat with Ada Doorstep' }).click()
	await page.waitForURL(`**/login?redirectTo=%2Fmessages%2F${username}`)
})

test('a member edits their own message with ArrowUp and deletes it, and both see the trace', async ({
	page,
	browser,
}) => {
	const [ada, bo] = await twoFriends(page, browser, ['Ada Editwell', 'Bo Editwell'])
	await openChatPage(page, bo)
	await openChatPage(bo.page, ada)
	await say(page, 'Tomorow at ten')
	await expect(bo.page.locator('.bubble').last()).toHaveText('Tomorow at ten')
	// The key edits only a message this page knows is stored.
	const sent = page.locator('.chat-message').filter({ hasText: 'Tomorow at ten' })
	await expect(sent.getByTitle(/^(Sent|Delivered|Read)$/)).toBeVisible()
	await composer(page).press('ArrowUp')
	await expect(composer(page)).toHaveValue('Tomorow at ten')
	await composer(page).press('Escape')
	await expect(composer(page)).toHaveValue('')
	await composer(page).press('ArrowUp')
	await composer(page).fill('Tomorrow at ten')
	await composer(page).press('Enter')
	for (const each of [page, bo.page])
		await expect(each.locator('.bubble').last()).toHaveText(/Tomorrow at ten\s*edited/)
	await expect(composer(page)).toHaveValue('')
	const last = page.locator('.chat-message').last()
	await last.hover()
	await last.getByRole('button', { name: 'Delete' }).click()
	await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
	for (const each of [page, bo.page])
		await expect(each.locator('.bubble').last()).toHaveText('This message was deleted.')
	await page.reload()
	await expect(page.locator('.bubble').last()).toHaveText('This message was deleted.')
})

test('messages written offline survive a reload and are sent in order and once after reconnecting', async ({
	page,
	browser,
}) => {
	const [ada, bo] = await twoFriends(page, browser, ['Ada Offway', 'Bo Offway'])
	const line = await cutter(page)
	await openChatPage(page, bo)
	await openChatPage(bo.page, ada)
	await line.cut()
	for (const text of ['One', 'Two', 'Three']) await say(page, text)
	await expect(page.getByTitle('On its way')).toBeVisible()
	await post(bo, ada, 'Meanwhile')
	await page.reload()
	await expect.poll(() => texts(page)).toEqual(['Hello', 'Hello yourself', 'Meanwhile', 'One', 'Two', 'Three'])
	await say(page, 'Four')
	await line.mend()
	const all = ['Hello', 'Hello yourself', 'Meanwhile', 'One', 'Two', 'Three', 'Four']
	await expect.poll(() => texts(bo.page)).toEqual(all)
	await expect.poll(() => texts(page)).toEqual(all)
	await expect(page.getByText('You are offline.')).toHaveCount(0)
	await expect(page.getByTitle('On its way')).toHaveCount(0)
	await page.reload()
	await expect.poll(() => texts(page)).toEqual(all)
})

test('a rejected message gives the reason and can be discarded', async ({ page, browser }) => {
	const [ada, bo] = await withFriend(page, browser, ['Ada Refusal', 'Bo Refusal'])
	const line = await cutter(page)
	await openChatPage(page, bo)
	await line.cut()
	await say(page, 'Too late')
	const other = await page.context().newPage()
	await openChatPage(other, bo)
	await expect.poll(() => texts(other)).toContain('Too late')
	// The other tab is online and sends what is queued in both. A message still in the queue would be rejected too.
	const late = other.locator('.chat-message').filter({ hasText: 'Too late' })
	await expect(late.getByTitle(/^(Sent|Delivered)$/)).toBeVisible()
	await other.close()
	const blocking = await page.request.post(`/messages/${bo.username}`, {
		form: { intent: 'block' },
		headers: { Origin: process.env.SITE_URL ?? '' },
	})
	expect(blocking.ok()).toBe(true)
	await say(page, 'Blocked meanwhile')
	await line.mend()
	const refusal = page.getByRole('alert').filter({ hasText: 'Not sent: You blocked Bo Refusal.' })
	await expect(refusal).toBeVisible()
	await refusal.getByRole('button', { name: 'Retry' }).click()
	await expect(refusal).toBeVisible()
	await refusal.getByRole('button', { name: 'Discard' }).click()
	await expect.poll(() => texts(page)).toEqual(['Hello', 'Hello yourself', 'Too late'])
	expect(ada.username).toBe('ada.refusal')
})

test('keyboard only: open, write, break a line, move through the messages, close, and return to the starting point', async ({
	page,
	browser,
}) => {
	const [ada] = await withFriend(page, browser, ['Ada Keysmith', 'Bo Keysmith'])
	await page.goto('/find-dev?q=bo+keysmith')
	await hydrated(page)
	const button = page.getByRole('link', { name: 'Chat with Bo Keysmith' })
	await button.focus()
	await page.keyboard.press('Enter')
	await expect(composer(page)).toBeFocused()
	await page.keyboard.type('First line')
	await page.keyboard.press('Shift+Enter')
	await page.keyboard.type('second line')
	await page.keyboard.press('Enter')
	await expect(page.locator('.bubble').last()).toContainText('First line')
	expect((await texts(page)).at(-1)).toBe('First line\nsecond line')
	await expect(composer(page)).toHaveValue('')
	// Only stored messages take the focus and have actions.
	await expect(page.locator('.chat-message').last()).toHaveAttribute('tabindex', '0')
	await page.keyboard.press('Shift+Tab')
	await page.keyboard.press('Shift+Tab')
	await page.keyboard.press('Shift+Tab')
	await page.keyboard.press('Shift+Tab')
	await expect(page.locator('.chat-message').last()).toBeFocused()
	await page.keyboard.press('ArrowUp')
	await expect(page.locator('.chat-message').nth(1)).toBeFocused()
	await page.keyboard.press('Tab')
	await expect(page.locator('.chat-message').nth(1).getByRole('button', { name: 'Copy text' })).toBeFocused()
	await page.keyboard.press('Escape')
	await expect(page.getByRole('dialog', { name: 'Chat with Bo Keysmith' })).toHaveCount(0)
	await expect(button).toBeFocused()
	expect(ada.name).toBe('Ada Keysmith')
})

test('the Enter that ends an IME composition sends nothing', async ({ page, browser }) => {
	const [, bo] = await withFriend(page, browser, ['Ada Imeson', 'Bo Imeson'])
	await openChatPage(page, bo)
	const keyboard = await page.context().newCDPSession(page)
	await composer(page).focus()
	await keyboard.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 })
	await composer(page).dispatchEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true })
	await keyboard.send('Input.insertText', { text: '日本' })
	await expect(composer(page)).toHaveValue('日本')
	expect(await texts(page)).toEqual(['Hello', 'Hello yourself'])
	await composer(page).press('Enter')
	await expect(page.locator('.bubble').last()).toHaveText('日本')
})

test('each conversation keeps its draft; new messages are announced once, and change the list without loading it again', async ({
	page,
	browser,
}) => {
	const [ada, bo] = await withFriend(page, browser, ['Ada Draftley', 'Bo Draftley'])
	await openChatPage(page, bo)
	await composer(page).fill('Not finished')
	await page.goto('/forum')
	await openChatPage(page, bo)
	await expect(composer(page)).toHaveValue('Not finished')
	const log = page.getByRole('log', { name: 'New messages' })
	await expect(log).toHaveText('')
	const loads: string[] = []
	page.on('request', (request) => request.url().includes('.data') && loads.push(request.url()))
	const row = page.getByRole('list', { name: 'Conversations' }).getByRole('link', { name: /Bo Draftley/ })
	await post(bo, ada, 'Are you there?')
	await expect(log).toHaveText('Bo Draftley: Are you there?')
	await expect(row).toContainText('Are you there?')
	await say(page, 'Yes')
	await expect(row).toContainText('You: Yes')
	await expect(
		page
			.locator('.chat-message')
			.last()
			.getByTitle(/^(Sent|Delivered)$/),
	).toBeVisible()
	await expect(log).toHaveText('Bo Draftley: Are you there?')
	expect(loads).toEqual([])
	// What another tab of the same conversation sends leaves the draft of this one.
	const other = await page.context().newPage()
	await openChatPage(other, bo)
	await composer(page).pressSequentially('A long answer')
	await say(other, 'One moment')
	await page.goto('/forum')
	await openChatPage(page, bo)
	await expect(composer(page)).toHaveValue('A long answer')
	await other.close()
})

test('older messages load above without moving the text being read, and a button leads back to the newest', async ({
	page,
	browser,
}) => {
	const [ada, bo] = await withFriend(page, browser, ['Ada Longwind', 'Bo Longwind'])
	for (let count = 1; count <= 28; count += 1) {
		await post(ada, bo, `Question ${count}`)
		await post(bo, ada, `Answer ${count}`)
	}
	await openChatPage(page, bo)
	await expect(page.locator('.bubble')).toHaveCount(50)
	const scroll = page.locator('.chat-scroll')
	await scroll.hover()
	await page.evaluate(() => {
		const box = document.querySelector('.chat-scroll')
		if (box) box.scrollTop = -(box.scrollHeight - box.clientHeight) + 500
	})
	const read = page.getByText('Answer 8', { exact: true })
	const top = async () => Math.round((await read.boundingBox())?.y ?? 0)
	const before = await top()
	await page.mouse.wheel(0, -120)
	await expect(page.locator('.bubble')).toHaveCount(58)
	expect(Math.abs((await top()) - (before + 120))).toBeLessThanOrEqual(2)
	const held = await top()
	await post(bo, ada, 'While you read')
	await expect(page.locator('.bubble')).toHaveCount(59)
	expect(Math.abs((await top()) - held)).toBeLessThanOrEqual(2)
	await page.getByRole('button', { name: 'Jump to newest' }).click()
	await expect(scroll.getByText('While you read')).toBeInViewport()
	await expect(page.getByText('New messages', { exact: true })).toBeVisible()
})

test('axe finds no violations in the panel, the inbox and the conversation, in either theme', async ({
	page,
	browser,
}) => {
	const [ada, bo] = await withFriend(page, browser, ['Ada Axe', 'Bo Axe'])
	await post(bo, ada, 'A [link](https://example.org) and `code`')
	await page.goto('/messages')
	await hydrated(page)
	await expectNoViolationsInThemes(page)
	await openChatPage(page, bo)
	await say(page, 'An answer')
	await expect(
		page
			.locator('.chat-message')
			.last()
			.getByTitle(/^(Sent|Delivered)$/),
	).toBeVisible()
	await expectNoViolationsInThemes(page)
	await page.locator('.chat-message').last().hover()
	await page.locator('summary').click()
	await expectNoViolationsInThemes(page)
	await page.goto(`/find-dev/${bo.username}`)
	await hydrated(page)
	await page.getByRole('link', { name: `Chat with ${bo.name}` }).click()
	await expect(composer(page)).toBeFocused()
	await expectNoViolationsInThemes(page)
})

test('on a phone, the panel and the conversation fill the screen and have a way back', async ({ page, browser }) => {
	const [, bo] = await withFriend(page, browser, ['Ada Pocket', 'Bo Pocket'])
	await page.setViewportSize({ width: 390, height: 844 })
	await page.goto(`/find-dev/${bo.username}`)
	await hydrated(page)
	await page.getByRole('link', { name: 'Chat with Bo Pocket' }).click()
	const panel = page.getByRole('dialog', { name: 'Chat with Bo Pocket' })
	await expect(panel.locator('.bubble').last()).toHaveText('Hello yourself')
	expect(await panel.boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 844 })
	for (let presses = 0; presses < 30; presses += 1) {
		await page.keyboard.press('Tab')
		await expect(page.locator(':focus:not(.chat-panel *, [aria-label=Notices] *)'), 'behind the panel').toHaveCount(0)
	}
	await page.emulateMedia({ media: 'print' })
	await expect(page.locator('h1'), 'paper has no panel that hides the page').toBeVisible()
	await page.emulateMedia({ media: 'screen' })
	await page.setViewportSize({ width: 844, height: 390 })
	const close = panel.getByRole('button', { name: 'Close chat' })
	await expect(close, 'on its side').toBeInViewport({ ratio: 1 })
	await close.click()
	await expect(panel).toHaveCount(0)
	await page.setViewportSize({ width: 390, height: 844 })
	await page.goto('/messages')
	await hydrated(page)
	await test.step('at 400 % zoom, a long announcement leaves room for the list', async () => {
		await page.setViewportSize({ width: 320, height: 256 })
		await page.locator('main').evaluate((main) => {
			main.before(document.createElement('hr'))
			if (main.previousElementSibling instanceof HTMLElement) main.previousElementSibling.style.height = '180px'
		})
		const conversation = page.getByRole('link', { name: /Bo Pocket/ })
		await conversation.scrollIntoViewIfNeeded()
		await expect(conversation).toBeInViewport({ ratio: 1 })
		await page.locator('body > hr').evaluate((announcement) => announcement.remove())
		await page.setViewportSize({ width: 390, height: 844 })
	})
	await page.getByRole('link', { name: /Bo Pocket/ }).click()
	await expect(composer(page)).toBeVisible()
	await say(page, 'From my pocket')
	await expect(page.locator('.bubble').last()).toHaveText('From my pocket')
	await page.setViewportSize({ width: 360, height: 640 })
	expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
	await page.getByRole('link', { name: 'Back to conversations' }).click()
	await expect(page.getByRole('heading', { name: 'Messages' })).toBeVisible()
})

test('without scripts, a conversation is read, written, edited and deleted with forms', async ({ page, browser }) => {
	const [ada, bo] = await withFriend(page, browser, ['Ada Plainway', 'Bo Plainway'])
	const plain = await withoutScripts(page)
	await plain.goto('/messages')
	await plain.getByRole('link', { name: /Bo Plainway/ }).click()
	await expect(plain.locator('.bubble').last()).toHaveText('Hello yourself')
	await plain.getByRole('button', { name: 'Mark as read' }).click()
	await expect(plain.getByRole('button', { name: 'Mark as read' })).toHaveCount(0)
	await composer(plain).fill('Without scipts')
	await plain.getByRole('button', { name: 'Send' }).click()
	await expect(plain.locator('.bubble').last()).toHaveText('Without scipts')
	await plain.locator('.chat-message').last().hover()
	await plain.locator('.chat-message').last().getByRole('link', { name: 'Edit' }).click()
	await expect(composer(plain)).toHaveValue('Without scipts')
	await composer(plain).fill('Without scripts')
	await plain.getByRole('button', { name: 'Save' }).click()
	await expect(plain.locator('.bubble').last()).toHaveText(/Without scripts\s*edited/)
	await composer(plain).fill('x'.repeat(4_001))
	await plain.getByRole('button', { name: 'Send' }).click()
	await expect(plain.getByRole('alert')).toContainText('at most 4,000 characters')
	await expect(composer(plain)).toHaveValue('x'.repeat(4_001))
	await plain.goto(`/messages/${bo.username}`)
	await plain.locator('.chat-message').last().hover()
	await plain.locator('.chat-message').last().getByRole('button', { name: 'Delete' }).click()
	await expect(plain.locator('.bubble').last()).toHaveText('This message was deleted.')
	expect(ada.username).toBe('ada.plainway')
})
