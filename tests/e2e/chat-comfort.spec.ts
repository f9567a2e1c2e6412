import type { Page } from '@playwright/test'
import {
	anotherSender,
	composer,
	holdAnswers,
	type Member,
	openChatPage,
	post,
	say,
	texts,
	twoFriends,
	twoMembers,
	withFriend,
	withoutScripts,
} from './support/chat.ts'
import { expect, expectNoViolations, hydrated, test } from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

const control = 'Messages and notifications'

test('when the network blocks sockets, two members still exchange messages, in order and once each', async ({
	page,
	browser,
}) => {
	const [ada, bo] = await twoFriends(page, browser, ['Ada Proxyham', 'Bo Proxyham'])
	await page.routeWebSocket(/\/realtime\//, (socket) => socket.close())
	await openChatPage(page, bo)
	await openChatPage(bo.page, ada)
	await say(page, 'Written before anybody knew')
	await expect(page.getByText('This network blocks live updates')).toBeVisible({ timeout: 20_000 })
	await expect(page.getByText('You are offline.')).toHaveCount(0)
	for (const text of ['One', 'Two', 'Three']) await say(page, text)
	const all = ['Hello', 'Hello yourself', 'Written before anybody knew', 'One', 'Two', 'Three']
	await expect.poll(() => texts(bo.page)).toEqual(all)
	await expect(page.getByTitle('On its way')).toHaveCount(0)
	await say(bo.page, 'I hear you')
	all.push('I hear you')
	await expect.poll(() => texts(page), { timeout: 20_000 }).toEqual(all)
	await expect(page.getByRole('log', { name: 'New messages' })).toHaveText('Bo Proxyham: I hear you')
	// Each side sees what the other has read.
	const receipt = (tab: Page, text: string) => tab.getByRole('listitem').filter({ hasText: text }).getByTitle('Read')
	await expect(receipt(page, 'Three')).toBeVisible({ timeout: 20_000 })
	await expect(receipt(bo.page, 'I hear you')).toBeVisible({ timeout: 20_000 })
	await expectNoViolations(page)

	// Messages on the screen when the page is left count as read. The next page loads without a socket, and its count follows.
	await say(bo.page, 'Wait')
	all.push('Wait', 'And once more')
	await expect(page.getByRole('log', { name: 'New messages' })).toHaveText(/Bo Proxyham: Wait$/, { timeout: 20_000 })
	await page.goto('/messages')
	await post(bo, ada, 'And once more')
	await expect(page.getByRole('link', { name: /Bo Proxyham.*And once more.*1 unread/s })).toBeVisible({
		timeout: 20_000,
	})
	await expect(page).toHaveTitle(/^\(1\) /)
	expect(await texts(bo.page)).toEqual(all)
})

test('two tabs of one member show the same, and the count clears in both at once', async ({ page, browser }) => {
	const [ada, bo] = await withFriend(page, browser, ['Ada Twotab', 'Bo Twotab'])
	await page.goto('/forum')
	const second = await page.context().newPage()
	await second.goto('/settings')
	for (const tab of [page, second]) await expect(tab).toHaveTitle(/^\(1\) /)
	await page.getByRole('button', { name: `${control}, 1 unread` }).click()
	const inbox = page.getByRole('dialog', { name: control })
	await expect(inbox.getByRole('tab', { name: 'Messages' })).toHaveAttribute('aria-selected', 'true')
	await expect(inbox.getByRole('link', { name: /Bo Twotab.*Hello yourself.*1 unread/s })).toBeVisible()
	await expectNoViolations(page)
	const answers = await holdAnswers(page)
	await inbox.getByRole('button', { name: 'Mark all as read' }).click()
	for (const tab of [page, second]) await expect(tab).not.toHaveTitle(/^\(/)
	await answers.first
	await post(bo, ada, 'Once more')
	for (const tab of [page, second]) await expect(tab).toHaveTitle(/^\(1\) /)
	// The response requested after the marking arrives now, and is older than the live events since.
	await answers.release()
	for (const tab of [page, second]) await expect(tab).toHaveTitle(/^\(1\) /)
	await inbox.getByRole('link', { name: /Bo Twotab.*Once more/s }).click()
	await page.waitForURL(`**/messages/${bo.username}`)
	for (const tab of [page, second]) await expect(tab).not.toHaveTitle(/^\(/)
	await openChatPage(second, bo)
	await say(second, 'From the second tab')
	await say(page, 'From the first tab')
	const all = ['Hello', 'Hello yourself', 'Once more', 'From the second tab', 'From the first tab']
	for (const tab of [page, second]) await expect.poll(() => texts(tab)).toEqual(all)

	await composer(second).fill('A draft')
	await openChatPage(page, bo)
	await expect(composer(page)).toHaveValue('A draft')
	await composer(second).press('Enter')
	await expect(composer(page)).toHaveValue('')
})

test('keyboard only: new messages are opened, read through with tabs, marked as read and closed, in every tab at once', async ({
	page,
	browser,
}) => {
	const [, bo] = await withFriend(page, browser, ['Ada Tabkey', 'Bo Tabkey'])
	const second = await page.context().newPage()
	await second.goto('/settings')
	await page.goto('/find-dev')
	await hydrated(page)
	for (const tab of [page, second]) await expect(tab).toHaveTitle(/^\(1\) /)
	await page.getByRole('button', { name: `${control}, 1 unread` }).focus()
	await page.keyboard.press('Enter')
	const inbox = page.getByRole('dialog', { name: control })
	await expect(inbox.getByRole('link', { name: /Bo Tabkey.*1 unread/s })).toBeVisible()
	await page.keyboard.press('Tab')
	await expect(inbox.getByRole('tab', { name: 'Messages' })).toBeFocused()
	await page.keyboard.press('ArrowRight')
	await expect(inbox.getByRole('tab', { name: 'Notifications' })).toBeFocused()
	await expect(inbox.getByText('No notifications yet.')).toBeVisible()
	await page.keyboard.press('ArrowLeft')
	await page.keyboard.press('Tab')
	await expect(inbox.getByRole('link', { name: /Bo Tabkey/ })).toBeFocused()
	await page.keyboard.press('Tab')
	await expect(inbox.getByRole('button', { name: 'Mark all as read' })).toBeFocused()
	await page.keyboard.press('Enter')
	for (const tab of [page, second]) await expect(tab).not.toHaveTitle(/^\(/)
	await expect(inbox.getByRole('link', { name: /Bo Tabkey/ })).not.toHaveAccessibleName(/unread/)
	await page.keyboard.press('Escape')
	await expect(inbox).toBeHidden()
	await expect(page.getByRole('button', { name: control, exact: true })).toBeFocused()

	// Rarely used actions are reachable by keyboard too, and the focus stays in place.
	await openChatPage(page, bo)
	await page.locator('summary').focus()
	await page.keyboard.press('Enter')
	await page.keyboard.press('Tab')
	await page.keyboard.press('Tab')
	await page.keyboard.press('Enter')
	await expect(page.getByRole('button', { name: 'Unmute' })).toBeFocused()
})

test('a first conversation shows what both have in common; hiding the typing indicator works without scripts and persists', async ({
	page,
	browser,
}) => {
	const [ada, bo] = await twoMembers(page, browser, ['Ada Commons', 'Bo Commons'])
	await learn(ada, 'Git, Python')
	await learn(bo, 'Python, Rust, Git')
	await page.goto(`/find-dev/${bo.username}`)
	await hydrated(page)
	await page.getByRole('link', { name: `Chat with ${bo.name}` }).click()
	await expect(page.getByText('Say hello to Bo. Two skills in common: Python, Git.')).toBeVisible()
	await post(ada, bo, 'Hello')
	await post(bo, ada, 'Hello yourself')

	const settings = await withoutScripts(bo.page)
	await settings.goto('/settings')
	await settings.getByRole('button', { name: 'Hide it' }).click()
	await expectNotice(settings, 'Typing setting saved.')
	await expect(settings.getByRole('button', { name: 'Hide it' })).toHaveAttribute('aria-pressed', 'true')

	await openChatPage(page, bo)
	await openChatPage(bo.page, ada)
	// Bo sees that Ada types, and Ada does not see that Bo does. The message after it took the same route.
	// Typing is reported once every three seconds, and only to tabs already connected.
	await expect(async () => {
		await composer(page).pressSequentially('and ')
		await expect(bo.page.getByText('Ada is typing', { exact: true })).toBeVisible({ timeout: 500 })
	}).toPass()
	await page.evaluate(() => {
		const watcher = new MutationObserver(() => {
			if (document.querySelector('.typing')) document.body.dataset.typing = 'seen'
		})
		watcher.observe(document.body, { childList: true, subtree: true })
	})
	await composer(bo.page).pressSequentially('Secretly')
	await composer(bo.page).press('Enter')
	await expect(page.locator('.bubble').last()).toHaveText('Secretly')
	expect(await page.evaluate(() => document.body.dataset.typing)).toBeUndefined()
})

/** Adds these skills to a member's profile. */
async function learn({ page, username }: Member, skills: string): Promise<void> {
	await page.goto(`/edit-profile/${username}`)
	await hydrated(page)
	await page.getByLabel('Skills optional', { exact: true }).fill(skills)
	await page.getByRole('button', { name: 'Save Changes' }).click()
	await expectNotice(page, 'Profile updated successfully!')
}

test('messages of two peers that arrive while the page is busy are both in the list', async ({ page, browser }) => {
	const [ada, bo] = await withFriend(page, browser, ['Ada Busylist', 'Bo Busylist'])
	const cy = await anotherSender(browser, 'Cy Busylist')
	await post(cy, ada, 'Hello')
	await post(ada, cy, 'Hello yourself')
	await page.goto('/messages')
	await hydrated(page)
	const busy = page.evaluate(() => {
		for (const end = performance.now() + 4_000; performance.now() < end; );
	})
	await Promise.all([post(bo, ada, 'Words of Bo'), post(cy, ada, 'Words of Cy')])
	await busy
	for (const peer of [bo, cy])
		await expect(page.getByRole('link', { name: peer.name })).toContainText(`Words of ${peer.name.slice(0, 2)}`)
})

test('the list of conversations has messages that came before its page was connected, or while it was loading', async ({
	page,
	browser,
}) => {
	const [ada, bo] = await withFriend(page, browser, ['Ada Gaplist', 'Bo Gaplist'])
	const row = page.getByRole('main').getByRole('link', { name: bo.name })
	const connected = Promise.withResolvers<void>()
	await page.routeWebSocket(/\/realtime\//, async (socket) => {
		await connected.promise
		socket.connectToServer()
	})
	await page.goto('/messages')
	await hydrated(page)
	await post(bo, ada, 'Before the socket')
	connected.resolve()
	await expect(row).toContainText('Before the socket')

	await openChatPage(page, bo)
	await expect(page).not.toHaveTitle(/^\(/)
	await page.goto('/settings')
	await hydrated(page)
	const answers = await holdAnswers(page)
	await page.getByRole('button', { name: control, exact: true }).click()
	await page.getByRole('link', { name: 'Open inbox' }).click()
	await answers.first
	await post(bo, ada, 'While it was loading')
	await expect(page).toHaveTitle(/^\(1\) /)
	await answers.release()
	await expect(row).toContainText('While it was loading')
})

test('two messages edited right after each other both change, and a rejected edit waits for the one that is open', async ({
	page,
	browser,
}) => {
	const [, bo] = await withFriend(page, browser, ['Ada Twoedits', 'Bo Twoedits'])
	await openChatPage(page, bo)
	for (const text of ['First', 'Second']) await say(page, text)
	const message = (text: string) => page.locator('.chat-message').filter({ hasText: text })
	await expect(message('Second').getByTitle(/^(Sent|Delivered|Read)$/)).toBeVisible()
	const edit = async (text: string) => {
		await message(text).hover()
		await message(text).getByRole('link', { name: 'Edit' }).click()
	}
	const hold = async () => {
		const free = Promise.withResolvers<void>()
		await page.route('**/messages/**', async (route) => {
			if (route.request().method() === 'POST') await free.promise
			await route.continue()
		})
		return free
	}
	const both = await hold()
	for (const text of ['First', 'Second']) {
		await edit(text)
		await composer(page).fill(`${text} again`)
		await composer(page).press('Enter')
	}
	both.resolve()
	for (const text of ['First', 'Second']) await expect(message(`${text} again`)).toContainText('edited')

	// Another tab deletes the first one while its edit is on the way, and the second one is being edited.
	await page.unroute('**/messages/**')
	const late = await hold()
	await edit('First again')
	await composer(page).fill('First, third version')
	await composer(page).press('Enter')
	await edit('Second again')
	await composer(page).fill('Second, third version')
	const other = await page.context().newPage()
	await openChatPage(other, bo)
	const first = other.locator('.chat-message').filter({ hasText: 'First again' })
	await first.hover()
	await first.getByRole('button', { name: 'Delete' }).click()
	await other.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
	await expect(first).toHaveCount(0)
	await expect(other.locator('.chat-message:focus .bubble')).toHaveText('This message was deleted.')
	late.resolve()
	await expectNotice(page, 'There is no such message of yours. It may have been deleted.')
	await expect(composer(page)).toHaveValue('Second, third version')
	await composer(page).press('Escape')
	await expect(composer(page)).toHaveValue('First, third version')
	await composer(page).press('Escape')
	await expect(composer(page)).toHaveValue('')
})
