import type { Page } from '@playwright/test'
import { picture } from '../factories/pictures.ts'
import {
	anotherSender,
	composer,
	cutter,
	type Member,
	openChatPage,
	post,
	say,
	texts,
	twoFriends,
	twoMembers,
	withFriend,
} from './support/chat.ts'
import { enrol, expect, expectNoViolationsInThemes, hydrated, newPassword, submit, test } from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

/* The chat after lost answers and ended sessions, and what it keeps of the reader's focus and of the server's time. */

/** Fills in the form of the login. */
async function logInAgain(page: Page, { username }: Member): Promise<void> {
	await page.getByLabel('Email').fill(`${username}@eastmere.example`)
	await page.getByLabel('Password', { exact: true }).fill(newPassword)
	await page.getByRole('button', { name: 'Login', exact: true }).click()
}

test('a response that never comes holds back no later messages', async ({ page, browser }) => {
	const [ada, bo] = await withFriend(page, browser, ['Ada Lostword', 'Bo Lostword'])
	const line = await cutter(page)
	// Half a minute is three seconds here, and other limits stay.
	await page.addInitScript(() => {
		const timeout = AbortSignal.timeout.bind(AbortSignal)
		AbortSignal.timeout = (milliseconds) => timeout(milliseconds === 30_000 ? 3_000 : milliseconds)
	})
	await openChatPage(page, bo)
	await line.cut()
	await post(bo, ada, 'While you were away')
	const asked = Promise.withResolvers<void>()
	// Later handlers come first, and this one gives no answer.
	await page.route(/\/history\?since=/, () => asked.resolve(), { times: 1 })
	await line.mend()
	await asked.promise
	await post(bo, ada, 'And since')
	const all = ['Hello', 'Hello yourself', 'While you were away', 'And since']
	await expect.poll(() => texts(page), { timeout: 20_000 }).toEqual(all)
})

test('a member whose session has ended is told so, logs in from there, and what they wrote is sent', async ({
	page,
	browser,
}) => {
	const [ada, bo] = await twoFriends(page, browser, ['Ada Sessionless', 'Bo Sessionless'])
	const line = await cutter(page)
	await openChatPage(page, bo)
	await line.cut()
	await page.context().clearCookies()
	await line.mend()
	await expect(page.getByRole('status').getByText('You are logged out.')).toBeVisible({ timeout: 20_000 })
	await expect(page.getByText('You are offline.')).toHaveCount(0)
	await expectNoViolationsInThemes(page)
	await say(page, 'Written meanwhile')
	await page.getByRole('status').getByRole('link', { name: 'Log in' }).click()
	await logInAgain(page, ada)
	await page.waitForURL(`**/messages/${bo.username}`)
	await openChatPage(bo.page, ada)
	const all = ['Hello', 'Hello yourself', 'Written meanwhile']
	await expect.poll(() => texts(bo.page), { timeout: 20_000 }).toEqual(all)
	await expect.poll(() => texts(page)).toEqual(all)
	await expect(page.getByText('You are logged out.')).toHaveCount(0)
})

test('keyboard only: a button that goes, or a composer, leaves the focus in the conversation', async ({
	page,
	browser,
}) => {
	const [ada, bo] = await twoMembers(page, browser, ['Ada Focuswell', 'Bo Focuswell'])
	await openChatPage(page, bo)
	const file = { name: 'dot.png', mimeType: 'image/png', buffer: await picture('png', 40, 30) }
	await page.getByLabel('Add pictures').setInputFiles(file)
	for (const text of ['One', 'Two', 'Three']) {
		await say(page, text)
		await expect(page.locator('.bubble').last()).toContainText(text)
	}
	await expect(composer(page)).toHaveCount(0)
	await expect(page.locator(':focus')).toContainText('You can write again once Bo Focuswell has answered.')

	await openChatPage(bo.page, ada)
	const focus = bo.page.locator(':focus')
	await bo.page.getByRole('link', { name: 'Show picture' }).press('Enter')
	await expect(focus.getByRole('img', { name: 'Picture' })).toBeVisible()
	await bo.page.getByRole('button', { name: 'Accept' }).press('Enter')
	await expect(bo.page.getByText('would like to chat with you')).toHaveCount(0)
	await expect(composer(bo.page)).toBeFocused()

	const pictures = bo.page.getByRole('list', { name: 'Pictures of this message' })
	await bo.page.getByLabel('Add pictures').setInputFiles(file)
	await pictures.getByRole('button', { name: /dot\.png/ }).press('Enter')
	await expect(pictures).toHaveCount(0)
	await expect(composer(bo.page)).toBeFocused()

	// A message is refused, as its author blocked the other in another tab.
	const line = await cutter(bo.page)
	await openChatPage(bo.page, ada)
	await line.cut()
	const headers = { Origin: process.env.SITE_URL ?? '' }
	await bo.page.request.post(`/messages/${ada.username}`, { form: { intent: 'block' }, headers })
	await say(bo.page, 'Too late')
	await line.mend()
	await expect(focus).toContainText('You blocked Ada Focuswell.')
	const refused = bo.page.getByRole('alert').filter({ hasText: 'Not sent' })
	await refused.getByRole('button', { name: 'Discard' }).press('Enter')
	await expect(refused).toHaveCount(0)
	await expect(focus).toContainText('You blocked Ada Focuswell.')
	await bo.page.getByRole('button', { name: 'Unblock' }).first().press('Enter')
	await expect(composer(bo.page)).toBeFocused()
})

test('a button of a conversation whose change is refused gives the reason', async ({ page, browser }) => {
	const ada = { page, name: 'Ada Departing', username: await enrol(page, 'Ada Departing') }
	const bo = await anotherSender(browser, 'Bo Departing')
	await post(bo, ada, 'May I ask you something?')
	await submit(page, '/settings/leave', { intent: 'leave', texts: 'keep' })
	await submit(page, '/login', { email: `${ada.username}@eastmere.example`, password: newPassword })
	await openChatPage(page, bo)
	await page.getByRole('button', { name: 'Accept' }).click()
	await expectNotice(
		page,
		'You are leaving, so you can only read. Keep your account at Settings, Leave, to write again.',
	)
})

test('a message that reorders the list of conversations asks the server nothing about its members', async ({
	page,
	browser,
}) => {
	const [ada, bo] = await withFriend(page, browser, ['Ada Turnlist', 'Bo Turnlist'])
	const cy = await anotherSender(browser, 'Cy Turnlist')
	await post(cy, ada, 'Hello')
	await post(ada, cy, 'Hello yourself')
	const asked: string[] = []
	page.on('websocket', (socket) =>
		socket.on('framesent', ({ payload }) => String(payload).includes('presence:watch') && asked.push(String(payload))),
	)
	await page.goto('/messages')
	await hydrated(page)
	await expect.poll(() => asked.length).toBeGreaterThan(0)
	const before = asked.length
	const first = () => page.getByRole('list', { name: 'Conversations' }).getByRole('link').first()
	for (const [count, peer] of [bo, cy, bo, cy].entries()) {
		await post(peer, ada, `Turn ${count}`)
		await expect(first()).toContainText(`Turn ${count}`)
	}
	expect(asked.length).toBe(before)
})
