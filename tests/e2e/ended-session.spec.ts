import type { Locator, Page } from '@playwright/test'
import { composer, openChatPage, post } from './support/chat.ts'
import { enrol, enrolAdmin, expect, test } from './support/journey.ts'

interface Row {
	form: string
	path: string
	/** Opens the form, where it is not open. */
	open?: (page: Page) => Promise<void>
	type: (page: Page) => Promise<void>
	send: (page: Page) => Locator
	/** What has to be there after the login; the form as the address after the login shows it. */
	back: (page: Page) => Promise<void>
}

const password = 'a lantern at the ford'
const save = (page: Page) => page.getByRole('button', { name: 'Save changes' })
const backAgain = 'What you typed is back'

async function endSessionAndSend(page: Page, send: Locator): Promise<void> {
	await page.context().clearCookies()
	await send.click()
	await expect(page.getByRole('heading', { level: 1, name: 'Login' })).toBeVisible()
}

async function logInAs(page: Page, username: string): Promise<void> {
	await page.getByLabel('Email').fill(`${username}@eastmere.example`)
	await page.getByLabel('Password', { exact: true }).fill(password)
	await page.getByRole('button', { name: 'Login', exact: true }).click()
	await page.waitForURL((url) => url.pathname !== '/login')
}

/** The field of a text with a value, whichever form it stands in. */
const holding = (page: Page, label: string, value: string) =>
	expect(page.getByLabel(label, { exact: true }).filter({ visible: true }).first()).toHaveValue(value)

function rows(question: string): Row[] {
	const profile = '/edit-profile/wanda.warden'
	const report = async (page: Page) => {
		await page.getByRole('button', { name: 'More' }).first().click()
		await page.getByRole('link', { name: 'Report' }).first().click()
	}
	return [
		{
			form: 'personal details, with chips and boxes',
			path: profile,
			type: async (page) => {
				await page.getByLabel('City').fill('Typed City')
				await page.getByLabel('Skills', { exact: true }).fill('Typed skill,')
				await page.getByLabel('Mentoring').check()
				await page.getByLabel('Show my phone number').check()
			},
			send: save,
			back: async (page) => {
				await holding(page, 'City', 'Typed City')
				await expect(page.getByRole('button', { name: 'Remove Typed skill' })).toBeVisible()
				await expect(page.getByLabel('Mentoring')).toBeChecked()
				await expect(page.getByLabel('Show my phone number')).toBeChecked()
				await expect(page.getByText('Unsaved changes')).toBeVisible()
			},
		},
		{
			form: 'academics',
			path: `${profile}/academics`,
			type: async (page) => {
				await page.getByLabel('University', { exact: true }).fill('Typed University')
				await page.getByLabel('Year of passing').fill('2029')
			},
			send: save,
			back: async (page) => {
				await holding(page, 'University', 'Typed University')
				await holding(page, 'Year of passing', '2029')
			},
		},
	]
}

test('a session that ended while a form was filled: after the login the form says what was typed', async ({
	page,
	browser,
}) => {
	await enrolAdmin(page)
	for (const { form, path, open, type, send, back } of rows('')) {
		await test.step(form, async () => {
			await page.goto(path, { waitUntil: 'networkidle' })
			await open?.(page)
			await type(page)
			await endSessionAndSend(page, send(page))
			await logInAs(page, 'wanda.warden')
			await back(page)
			await expect(page.getByText(backAgain)).toBeVisible()
		})
	}
})
