import type { Locator, Page } from '@playwright/test'
import sharp from 'sharp'
import { anotherSender, composer, post, type Sender } from './support/chat.ts'
import {
	type Account,
	enrol,
	enrolAdmin,
	expect,
	expectNoViolationsInThemes,
	expectToFit,
	passTenMinutes,
	settled,
	test,
} from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

interface Row {
	form: string
	path: string
	/** Opens the form and fills it in. */
	type: (page: Page) => Promise<unknown>
	/** The label of the button. */
	send: string
	/** What must be shown after the login. */
	back: (page: Page) => Promise<unknown>
	/** The address after the login if it differs: the full page of a form that was in a dialog. */
	at?: RegExp
}

const password = 'a lantern at the ford'
const profile = '/edit-profile/wanda.warden'
const returned = 'What you typed is back'

const field = (page: Page, label: string) =>
	page
		.getByLabel(new RegExp(`^${label}( optional)?$`))
		.filter({ visible: true })
		.first()

/** A row for a form of plain fields, given by their labels. */
function plain(form: string, path: string, send: string, texts: Record<string, string>): Row {
	return {
		...{ form, path, send },
		type: async (page) => {
			for (const [label, text] of Object.entries(texts)) await field(page, label).fill(text)
		},
		back: async (page) => {
			for (const [label, text] of Object.entries(texts)) await expect(field(page, label)).toHaveValue(text)
		},
	}
}

function profileRows(image: Buffer): Row[] {
	return [
		{
			form: 'personal details, with chips and boxes',
			path: profile,
			send: 'Save changes',
			type: async (page) => {
				await page.getByLabel('City').fill('Typed City')
				const skills = page.getByRole('combobox', { name: 'Skills' })
				await skills.fill('Typed skill,')
				// It becomes a chip, and moves what is below.
				await skills.blur()
				await expect(page.getByRole('button', { name: 'Remove Typed skill' })).toBeVisible()
				await page.getByLabel('Mentoring').check()
				await page.getByLabel('Show my phone number').check()
			},
			back: async (page) => {
				await expect(page.getByLabel('City')).toHaveValue('Typed City')
				await expect(page.getByRole('button', { name: 'Remove Typed skill' })).toBeVisible()
				await expect(page.getByLabel('Mentoring')).toBeChecked()
				await expect(page.getByLabel('Show my phone number')).toBeChecked()
				await expect(page.getByText('Unsaved changes')).toBeVisible()
			},
		},
		plain('academics', `${profile}/academics`, 'Save changes', {
			University: 'Typed University',
			'Year of passing': '2029',
		}),
		plain('social links', `${profile}/social-links`, 'Save changes', { Github: 'typed' }),
		plain('a project', `${profile}/projects`, 'Add project', { Title: 'Typed project', Description: 'Typed.' }),
		{
			form: 'a certificate with its picture',
			path: `${profile}/certificates`,
			send: 'Add certificate',
			type: async (page) => {
				await page.getByLabel('Title').fill('Typed certificate')
				await page.locator('input[type=file]').setInputFiles({ name: 'c.png', mimeType: 'image/png', buffer: image })
				await page.getByAltText('The picture as it will be shown').waitFor()
			},
			back: async (page) => {
				await expect(page.getByLabel('Title')).toHaveValue('Typed certificate')
				await expect(page.getByAltText('The picture as it will be shown')).toBeVisible()
			},
		},
		plain('a résumé', `${profile}/import`, 'Preview', { 'Or paste its text': '{ "basics": {} }' }),
		{
			form: 'the preview of a résumé',
			path: `${profile}/import`,
			send: 'Import selected',
			type: async (page) => {
				await page
					.getByLabel('Or paste its text')
					.fill('{"basics": {"label": "Lamps", "location": {"city": "Ferryport"}}}')
				await page.getByRole('button', { name: 'Preview' }).click()
				await page.getByRole('checkbox').first().uncheck()
			},
			back: async (page) => {
				await expect(page.getByText('Lamps')).toBeVisible()
				await expect(page.getByRole('checkbox').first()).not.toBeChecked()
				await expect(page.getByRole('checkbox').nth(1)).toBeChecked()
				await expect(page.getByText(returned)).toBeVisible()
			},
		},
	]
}

function forumRows({ question, comment }: { question: string; comment: number }): Row[] {
	const id = question.split('/')[4]
	return [
		plain('an edit of a question', `/forum/edit/bo.peer/${id}`, 'Save', { Description: 'A description typed anew.' }),
		plain('a comment', question, 'Comment', { 'Your comment': 'A typed comment.' }),
		{
			form: 'a reply',
			path: question,
			send: 'Reply',
			type: async (page) => {
				await page.getByRole('link', { name: 'Reply', exact: true }).click()
				await page.getByLabel('Reply to Wanda Warden').fill('A typed reply.')
			},
			back: (page) => expect(page.getByLabel('Reply to Wanda Warden')).toHaveValue('A typed reply.'),
		},
		{
			form: 'an edit of a comment',
			path: question,
			send: 'Save',
			type: async (page) => {
				await page.getByRole('link', { name: 'Edit', exact: true }).click()
				await page.locator(`#edit-comment-${comment}`).fill('A comment typed anew.')
			},
			back: (page) => expect(page.locator(`#edit-comment-${comment}`)).toHaveValue('A comment typed anew.'),
		},
		{
			form: 'a report in its dialog',
			path: question,
			send: 'Report',
			at: /\/report\/query\//,
			type: async (page) => {
				await page.getByRole('link', { name: 'Report query' }).click()
				await page.getByLabel('Something else').check()
				await field(page, 'In your words').fill('Typed reasons.')
			},
			back: async (page) => {
				await expect(page.getByLabel('Something else')).toBeChecked()
				await expect(field(page, 'In your words')).toHaveValue('Typed reasons.')
			},
		},
		plain('a moderator’s decision', `/moderation/query/${id}`, 'Hide', { Why: 'Typed reason.' }),
		plain('a new moderator', '/moderation/members', 'Make a moderator', { Username: 'typed.name' }),
		plain('the description of a tag', '/forum/tag/sessions?describe=1', 'Save', {
			Description: 'Typed about the tag.',
		}),
	]
}

function otherRows(): Row[] {
	return [
		{
			form: 'a report of a message in its dialog',
			path: '/messages/bo.peer',
			send: 'Report',
			type: async (page) => {
				await page.locator('.chat-message').first().hover()
				await page.getByRole('link', { name: 'Report' }).first().click()
				await page.getByLabel('What is wrong with it?').filter({ visible: true }).fill('Typed words.')
			},
			back: (page) =>
				expect(page.getByLabel('What is wrong with it?').filter({ visible: true })).toHaveValue('Typed words.'),
		},
		{
			form: 'an edit of a message',
			path: '/messages/bo.peer',
			send: 'Save',
			type: async (page) => {
				await page.locator('.chat-message').last().hover()
				await page.getByRole('link', { name: 'Edit' }).last().click()
				await composer(page).fill('A message typed anew.')
			},
			back: (page) => expect(composer(page)).toHaveValue('A message typed anew.'),
		},
		{
			form: 'an access token',
			path: '/settings/tokens',
			send: 'Create token',
			type: async (page) => {
				await page.getByLabel('Name', { exact: true }).fill('Typed token')
				await page.getByLabel('messages:read').check()
				await page.getByLabel('Expires after').selectOption('90')
			},
			back: async (page) => {
				await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Typed token')
				await expect(page.getByLabel('messages:read')).toBeChecked()
				await expect(page.getByLabel('Expires after')).toHaveValue('90')
			},
		},
		{
			form: 'notifications',
			path: '/settings',
			send: 'Save notifications',
			type: (page) => page.getByLabel('Email me what I missed').setChecked(false),
			back: (page) => expect(page.getByLabel('Email me what I missed')).not.toBeChecked(),
		},
	]
}

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

/** A question with a comment by the first member, and a message in each direction. */
async function makeContent(one: Sender, other: Sender): Promise<{ question: string; comment: number }> {
	const send = async (page: Account, path: string, form: Record<string, string>) => {
		const headers = { Origin: process.env.SITE_URL ?? '' }
		const answer = await page.request.post(path, { form, headers, maxRedirects: 0 })
		return answer.headers().location ?? ''
	}
	const ask = { title: 'What ends a session?', description: 'Nobody knows.', tags: 'sessions', category: 'others' }
	const question = await send(other.page, '/forum/ask', ask)
	const place = await send(one.page, question, { intent: 'comment', body: 'A comment.' })
	await post(other, one, 'Hello')
	await post(one, other, 'Hello yourself')
	return { question, comment: Number(/comment-(\d+)/.exec(place)?.[1]) }
}

test('when a session ends while a form is being filled in, the form has its input after the login', async ({
	page,
	browser,
}) => {
	await enrolAdmin(page)
	// The page asks before the restored input is left.
	page.on('dialog', (asked) => asked.accept())
	const other = await anotherSender(browser, 'Bo Peer')
	const content = await makeContent({ page, name: 'Wanda Warden', username: 'wanda.warden' }, other)
	const image = await sharp({ create: { width: 640, height: 452, channels: 3, background: '#e3eee5' } })
		.png()
		.toBuffer()

	for (const { form, path, type, send, back, at } of [...profileRows(image), ...forumRows(content), ...otherRows()]) {
		await test.step(form, async () => {
			await page.goto(path)
			await settled(page)
			await type(page)
			await endSessionAndSend(
				page,
				page.getByRole('button', { name: send, exact: true }).filter({ visible: true }).first(),
			)
			await logInAs(page, 'wanda.warden')
			if (at) await expect(page).toHaveURL(at)
			await back(page)
		})
	}

	await test.step('a form that needs a confirmed session is restored too', async () => {
		const token = otherRows().find(({ path }) => path === '/settings/tokens')
		await page.goto('/settings/tokens')
		await settled(page)
		await token?.type(page)
		await passTenMinutes()
		await page.getByRole('button', { name: 'Create token' }).click()
		await expect(page.getByRole('heading', { level: 1, name: 'Confirm that it is you' })).toBeVisible()
		await expectNoViolationsInThemes(page)
		await expectToFit(page, [390, 1280])
		for (const typed of ['a wrong password', password]) {
			await page.getByLabel('Password', { exact: true }).focus()
			await page.keyboard.press('Control+a')
			await page.keyboard.type(typed)
			await page.keyboard.press('Enter')
			if (typed !== password) await expect(page.getByText('That is not your password.').first()).toBeVisible()
		}
		await expect(page).toHaveURL(/\/settings\/tokens$/)
		await token?.back(page)
		await page.getByRole('button', { name: 'Create token' }).click()
		await expect(page.getByRole('heading', { name: 'Your new token' })).toBeVisible()
	})

	await test.step('the code that stores the input loads only after it is submitted', async () => {
		await page.goto('/')
		const come = Promise.withResolvers<void>()
		await page.route(/\/assets\/member-parts-/, async (route) => {
			await come.promise
			await route.continue()
		})
		await page.goto(`${profile}/social-links`)
		await page.locator('html[data-hydrated]').waitFor()
		await page.getByLabel('Github').fill('typed-early')
		await endSessionAndSend(page, page.getByRole('button', { name: 'Save changes' }))
		come.resolve()
		await expect.poll(() => page.evaluate(() => JSON.stringify(sessionStorage))).toContain('typed-early')
		await page.unroute(/\/assets\/member-parts-/)
		await logInAs(page, 'wanda.warden')
		await expect(page.getByLabel('Github')).toHaveValue('typed-early')
	})

	await test.step('stored input is deleted once it is sent, never includes a password, and is not shown to anybody else', async () => {
		const stored = () => page.evaluate(() => JSON.stringify(Object.entries(sessionStorage)))
		await page.goto(`${profile}/social-links`)
		await settled(page)
		await page.getByLabel('Github').fill('typed-by-wanda')
		await endSessionAndSend(page, page.getByRole('button', { name: 'Save changes' }))
		expect(await stored()).toContain('typed-by-wanda')
		await logInAs(page, 'wanda.warden')
		await expect(page.getByText(returned)).toBeVisible()
		await page.reload()
		await settled(page)
		await expect(page.getByLabel('Github')).toHaveValue('typed-by-wanda')
		await page.getByRole('button', { name: 'Save changes' }).click()
		await expectNotice(page, 'Social links updated successfully!')
		expect(await stored()).not.toContain('typed-by-wanda')

		await page.goto(`${profile}/change-password`)
		await settled(page)
		await page.getByLabel('Current password').fill('typed current one')
		await page.getByLabel('New password').fill('typed new one')
		await page.getByRole('button', { name: 'Show password' }).first().click()
		await endSessionAndSend(page, page.getByRole('button', { name: 'Save new password' }))
		expect(await stored()).not.toContain('typed')
		await logInAs(page, 'wanda.warden')
		await expect(page.getByLabel('Current password')).toHaveValue('')

		await page.goto(content.question)
		await settled(page)
		await field(page, 'Your comment').fill('typed-by-wanda')
		await endSessionAndSend(page, page.getByRole('button', { name: 'Comment', exact: true }))
		expect(await stored()).toContain('typed-by-wanda')
		await logInAs(page, 'bo.peer')
		await expect(field(page, 'Your comment')).toHaveValue('')
		expect(await stored()).not.toContain('typed-by-wanda')
		expect(await page.content()).not.toContain('typed-by-wanda')
	})
	await other.page.context().close()
})

test.describe('without JavaScript', () => {
	test.use({ javaScriptEnabled: false })

	test('a form with an ended session is shown again and submitted again after a login in another tab', async ({
		page,
		context,
	}) => {
		const username = await enrol(page, 'Plain Ender')
		const forms = [
			{ path: `/edit-profile/${username}`, label: 'City', text: 'Typed City', send: 'Save changes' },
			{ path: `/edit-profile/${username}/projects`, label: 'Title', text: 'Typed project', send: 'Add project' },
		]
		for (const { path, label, text, send } of forms) {
			const cookies = await context.cookies()
			await page.goto(path)
			await page.getByLabel(label).fill(text)
			await context.clearCookies()
			await page.getByRole('button', { name: send }).click()
			await expect(page.getByRole('heading', { level: 1 })).toHaveText('You are no longer logged in.')
			await expect(page.getByLabel(label)).toHaveValue(text)
			await expect(page.getByRole('link', { name: 'Log in in another tab' })).toHaveAttribute('href', /^\/login\?/)
			await context.addCookies(cookies)
			await page.getByRole('button', { name: 'Send again' }).click()
			await expectNotice(page, /successfully!/)
		}
		await page.goto(`/edit-profile/${username}`)
		await expect(page.getByLabel('City')).toHaveValue('Typed City')

		// A session that needs confirmation: confirm in another tab, then submit the form again in this one.
		await page.goto('/settings/tokens')
		await page.getByLabel('Name', { exact: true }).fill('Typed token')
		await page.getByLabel('messages:read').check()
		await passTenMinutes()
		await page.getByRole('button', { name: 'Create token' }).click()
		await expect(page.getByRole('heading', { level: 1 })).toHaveText('Confirm that it is you.')
		const tab = context.waitForEvent('page')
		await page.getByRole('link', { name: 'Confirm it in another tab' }).click()
		const other = await tab
		await other.getByLabel('Password', { exact: true }).fill(password)
		await other.getByRole('button', { name: 'Confirm' }).click()
		await expect(other).toHaveURL(/\/settings\/tokens$/)
		await expect(page.getByLabel('Name')).toHaveValue('Typed token')
		await page.getByRole('button', { name: 'Send again' }).click()
		await expect(page.getByRole('heading', { name: 'Your new token' })).toBeVisible()
		await expect(page.getByText(/^read, messages:read; expires/)).toBeVisible()
	})
})
