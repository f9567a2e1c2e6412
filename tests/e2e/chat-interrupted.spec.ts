import type { Page } from '@playwright/test'
import { picture } from '../factories/pictures.ts'
import {
	anotherBrowser,
	composer,
	cutter,
	type Member,
	openChatPage,
	post,
	say,
	texts,
	twoFriends,
	twoMembers,
} from './support/chat.ts'
import { enrol, expect, expectNoViolationsInThemes, hydrated, test } from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

/* The chat after lost answers and ended sessions, and what it keeps of the reader's focus and of the server's time. */

/** Fills in the form of the login. */
async function logInAgain(page: Page, { username }: Member): Promise<void> {
	await page.getByLabel('Email').fill(`${username}@eastmere.example`)
	await page.getByLabel('Password', { exact: true }).fill('a lantern at the ford')
	await page.getByRole('button', { name: 'Login', exact: true }).click()
}

test('a response that never comes holds back no later messages', async ({ page, browser }) => {
	const [ada, bo] = await twoFriends(page, browser, ['Ada Lostword', 'Bo Lostword'])
	const line = await cutter(page)
	// Half a minute is a second here.
	await page.addInitScript(() => {
		const timeout = AbortSignal.timeout.bind(AbortSignal)
		AbortSignal.timeout = (milliseconds) => timeout(milliseconds / 30)
	})
	await openChatPage(page, bo)
	await line.cut()
	await expect(page.getByText('You are offline.')).toBeVisible()
	await post(bo, ada, 'While you were away')
	const asked = Promise.withResolvers<void>()
	// Later handlers come first, and this one gives no answer.
	await page.route(/\/history\?since=/, () => asked.resolve(), { times: 1 })
	await line.mend()
	await asked.promise
	await post(bo, ada, 'And since')
	await expect.poll(() => texts(page)).toEqual(['Hello', 'Hello yourself', 'While you were away', 'And since'])
	await bo.page.context().close()
})

