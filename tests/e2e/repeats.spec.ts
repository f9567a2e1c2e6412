import type { BrowserContext, Locator, Page } from '@playwright/test'
import { enrol, expect, expectNoViolations, hydrated, test } from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

/* Requests sent twice, too late or at a bad moment: no text is lost, and nothing is created twice. */

const headers = () => ({ Origin: process.env.SITE_URL ?? '' })

/** Submits a form as this page's member, without the UI. @returns where it redirects */
async function send(page: Page, path: string, form: Record<string, string>): Promise<string> {
	const answer = await page.request.post(path, { form, headers: headers(), maxRedirects: 0 })
	expect(answer.status()).toBe(303)
	return answer.headers().location ?? ''
}

const ask = (page: Page, title: string) =>
	send(page, '/forum/ask', { title, description: 'What then?', tags: 'sending', category: 'others' })

async function comment(page: Page, path: string, body: string): Promise<string> {
	return (await send(page, path, { intent: 'comment', body })).split('#comment-')[1] ?? ''
}

/** Another browser, of the same member or of nobody. */
async function device(page: Page, cookies?: BrowserContext): Promise<Page> {
	const context = await page
		.context()
		.browser()
		?.newContext({
			baseURL: process.env.SITE_URL ?? '',
			...(cookies && { storageState: { cookies: await cookies.cookies(), origins: [] } }),
		})
	if (!context) throw new Error('There is no second device.')
	return context.newPage()
}

/** Lets the server process the request, but loses its first response. */
async function loseFirstAnswer(page: Page, address: RegExp): Promise<void> {
	let lost = false
	await page.route(address, async (route) => {
		if (lost || route.request().method() !== 'POST') return route.continue()
		lost = true
		await route.fetch({ maxRedirects: 0 })
		// A lost response sets no cookie.
		await page.context().clearCookies({ name: 'flash' })
		await route.abort('connectionreset')
	})
}

for (const javaScriptEnabled of [true, false])
	test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
		test.use({ javaScriptEnabled })
		const surname = javaScriptEnabled ? 'Scripted' : 'Plain'

		test('of two edits of one comment, the second shows both texts and lets its author choose', async ({ page }) => {
			await enrol(page, `Cora ${surname}`)
			const path = await ask(page, 'Which of the edits counts?')
			const id = await comment(page, path, 'As it was.')
			await page.goto(`${path}?edit=${id}`)
			const box = page.locator(`#comment-${id}`).getByLabel('Your comment')
			await expect(box).toHaveValue('As it was.')
			await send(page, path, { intent: 'edit-comment', comment: id, body: 'From the other tab.', version: '1' })
			await box.fill('From this tab.')
			await page.getByRole('button', { name: 'Save', exact: true }).click()
			const notice = page.getByRole('region', { name: 'This was changed elsewhere in the meantime' })
			await expect(notice.getByText('From the other tab.')).toBeVisible()
			await expect(notice.getByText('From this tab.')).toBeVisible()
			await expect(box).toHaveValue('From this tab.')
			if (javaScriptEnabled) await expectNoViolations(page)
			await notice.getByRole('button', { name: 'Keep mine' }).click()
			await expect(page.locator(`#comment-${id} .prose`)).toHaveText('From this tab.')
			await expect(notice).toHaveCount(0)
		})

		test('the stored text can be chosen instead, and the next edit starts from it', async ({ page }) => {
			await enrol(page, `Tara ${surname}`)
			const path = await ask(page, 'Which of the edits is taken?')
			const id = await comment(page, path, 'As it was.')
			await page.goto(`${path}?edit=${id}`)
			await send(page, path, { intent: 'edit-comment', comment: id, body: 'From the other tab.', version: '1' })
			const own = page.locator(`#comment-${id}`)
			await own.getByLabel('Your comment').fill('From this tab.')
			await page.getByRole('button', { name: 'Save', exact: true }).click()
			await page.getByRole('link', { name: 'Use the saved version' }).click()
			await expect(own.locator('.prose')).toHaveText('From the other tab.')
			await own.getByRole('link', { name: 'Edit', exact: true }).click()
			await expect(own.getByLabel('Your comment')).toHaveValue('From the other tab.')
		})

		test('a reader who sorts by best keeps that order after a comment, a reply and an edit', async ({ page }) => {
			await enrol(page, `Bess ${surname}`)
			const path = await ask(page, 'Does the order stay?')
			await comment(page, path, 'The first.')
			await comment(page, path, 'The second.')
			await page.goto(`${path}?sort=best`)
			const order = page.getByRole('navigation', { name: 'Order of the comments' }).locator('summary')
			const stays = async (text: string) => {
				await expect(page.getByText(text)).toBeVisible()
				await expect(page).toHaveURL(/\?sort=best#comment-\d+$/)
				await expect(order).toHaveText('Best first')
			}
			await page.getByLabel('Your comment').fill('The third.')
			await page.getByRole('button', { name: 'Comment', exact: true }).click()
			await stays('The third.')
			await page.getByRole('link', { name: 'Reply', exact: true }).first().click()
			await page.getByLabel(/^Reply to/).fill('To the first.')
			await page.getByRole('button', { name: 'Reply', exact: true }).click()
			await stays('To the first.')
			await page.getByRole('link', { name: 'Edit', exact: true }).last().click()
			await page.getByLabel('Your comment').last().fill('The third, better.')
			await page.getByRole('button', { name: 'Save', exact: true }).click()
			await stays('The third, better.')
		})
	})

test('a question whose response was lost exists once, however often Submit is pressed', async ({ page }) => {
	const username = await enrol(page, 'Lena Lostanswer')
	await page.goto('/forum')
	await page.getByRole('link', { name: 'New', exact: true }).click()
	const dialog = page.getByRole('dialog', { name: 'Ask a Question' })
	await dialog.getByLabel('Title', { exact: true }).fill('Did this one arrive?')
	await dialog.getByLabel('Description').fill('I cannot tell.')
	await dialog.getByRole('combobox', { name: 'Tags' }).fill('sending')
	await loseFirstAnswer(page, /\/forum\/ask\.data/)
	await dialog.getByRole('button', { name: 'Post question' }).click()
	await expect(dialog.getByText('Something went wrong. Try again!')).toBeVisible()
	await dialog.getByRole('button', { name: 'Post question' }).click()
	await expectNotice(page, 'Query added successfully!')
	const { rows } = await (await page.request.get(`/api/v1/queries?author=${username}`)).json()
	expect(rows.map(({ title }: { title: string }) => title)).toEqual(['Did this one arrive?'])
})

test('a question whose response was lost exists once, also when it is sent again after a reload', async ({ page }) => {
	const username = await enrol(page, 'Lida Lostanswer')
	const asked = async () => {
		const { rows } = await (await page.request.get(`/api/v1/queries?author=${username}`)).json()
		return rows.map(({ title }: { title: string }) => title)
	}
	await page.goto('/forum/ask')
	await hydrated(page)
	const title = page.getByLabel('Title', { exact: true })
	await title.fill('Did it arrive before the reload?')
	await page.getByLabel('Description').fill('I cannot tell.')
	await page.getByRole('combobox', { name: 'Tags' }).fill('sending')
	await loseFirstAnswer(page, /\/forum\/ask\.data/)
	const post = page.getByRole('button', { name: 'Post question' })
	await post.click()
	await expect(page.getByText('Something went wrong. Try again!').first()).toBeVisible()
	await page.reload()
	await expect(title).toHaveValue('Did it arrive before the reload?')
	await post.click()
	await expectNotice(page, 'Query added successfully!')
	expect(await asked()).toEqual(['Did it arrive before the reload?'])
	// The next one is a separate question.
	await page.goto('/forum/ask')
	await hydrated(page)
	await expect(title).toHaveValue('')
	await title.fill('And is this one asked?')
	await page.getByLabel('Description').fill('I hope so.')
	await page.getByRole('combobox', { name: 'Tags' }).fill('sending')
	await post.click()
	await expectNotice(page, 'Query added successfully!')
	expect(await asked()).toHaveLength(2)
})

test('a comment whose response was lost stays in its box, even after a reload, and exists once', async ({ page }) => {
	await enrol(page, 'Lars Lostanswer')
	const path = await ask(page, 'Did the comment arrive?')
	await page.goto(path)
	await hydrated(page)
	await loseFirstAnswer(page, /\/\d+\/[\w-]+\.data/)
	const box = page.getByLabel('Your comment')
	await box.fill('Here it is.')
	await page.getByRole('button', { name: 'Comment', exact: true }).click()
	await expect(page.getByText('Something went wrong. Try again!')).toBeVisible()
	await expect(box).toHaveValue('Here it is.')
	await page.reload()
	await expect(box).toHaveValue('Here it is.')
	await page.getByRole('button', { name: 'Comment', exact: true }).click()
	await expect(page).toHaveURL(/#comment-\d+$/)
	await expect(page.getByRole('heading', { name: 'Comments (1)' })).toBeVisible()
	await expect(box).toHaveValue('')
	// The next one is a separate comment, even with the same text.
	await box.fill('Here it is.')
	await page.getByRole('button', { name: 'Comment', exact: true }).click()
	await expect(page.getByRole('heading', { name: 'Comments (2)' })).toBeVisible()
})

test('what is typed while a comment, a reply or an edit is being sent stays in its form', async ({ page }) => {
	await enrol(page, 'Tess Typeson')
	const path = await ask(page, 'May I go on typing?')
	let gate = Promise.withResolvers<void>()
	await page.route(/\/may-i-go-on-typing\.data/, async (route) => {
		if (route.request().method() === 'POST') await gate.promise
		await route.continue()
	})
	/** Presses the button of a form and goes on typing before the response comes. */
	const goOn = async (box: Locator, button: string, more: string) => {
		gate = Promise.withResolvers<void>()
		await page.getByRole('button', { name: button, exact: true }).click()
		await expect(page.getByRole('button', { name: /^(Sending|Saving)\.\.\.$/ })).toBeVisible()
		await box.press('ControlOrMeta+End')
		await box.pressSequentially(more)
		gate.resolve()
	}
	await page.goto(path)
	await hydrated(page)
	const box = page.locator('#comment')
	await box.fill('First.')
	await goOn(box, 'Comment', ' Second.')
	await expect(page.locator('.comment .prose')).toHaveText(['First.'])
	await expect(box).toHaveValue('Second.')
	await expect(box).toBeFocused()
	await page.reload()
	await expect(box).toHaveValue('Second.')

	await page.getByRole('link', { name: 'Reply', exact: true }).click()
	const reply = page.getByLabel(/^Reply to/)
	await reply.fill('A reply.')
	await goOn(reply, 'Reply', ' Another one.')
	await expect(page.locator('.comment .prose')).toHaveText(['First.', 'A reply.'])
	await expect(reply).toHaveValue('Another one.')
	await page.getByRole('link', { name: 'Cancel' }).click()

	await page.getByRole('link', { name: 'Edit', exact: true }).first().click()
	const edit = page.locator('textarea[id^=edit-comment]')
	await edit.fill('First, edited')
	await goOn(edit, 'Save', ' twice.')
	await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeVisible()
	await expect(edit).toHaveValue('First, edited twice.')
	await page.getByRole('button', { name: 'Save', exact: true }).click()
	await expect(page.locator('.comment .prose')).toHaveText(['First, edited twice.', 'A reply.'])
})

test('a comment whose sending is ended by a link or another form stays in its box, and exists once', async ({
	page,
}) => {
	await enrol(page, 'Ina Terrupted')
	const path = await ask(page, 'Does the order end the sending?')
	await comment(page, path, 'First.')
	await comment(page, path, 'Second.')
	await page.goto(path)
	await hydrated(page)
	const box = page.getByLabel('Your comment')
	const shown = page.locator('.comment .prose')
	let isHeld = true
	await page.route(/\/does-the-order-end-the-sending\.data/, async (route) => {
		const isComment = route.request().postData()?.includes('Third') ?? false
		if (!isComment || !isHeld) await route.continue()
	})
	const send = async () => {
		await page.getByRole('button', { name: 'Comment', exact: true }).click()
		await expect(page.getByRole('button', { name: 'Sending...' })).toBeVisible()
	}
	await box.fill('Third.')
	await send()
	await page.getByRole('navigation', { name: 'Order of the comments' }).locator('summary').click()
	await page.getByRole('link', { name: 'Best first' }).click()
	await expect(page).toHaveURL(/sort=best/)
	await expect(page.getByRole('button', { name: 'Comment', exact: true })).toBeVisible()
	await expect(box).toHaveValue('Third.')
	await send()
	await page.getByRole('button', { name: 'Mute this query' }).click()
	await expectNotice(page, 'Muted. You will get no more notifications about this query.')
	await page.reload()
	await expect(box).toHaveValue('Third.')
	isHeld = false
	await page.getByRole('button', { name: 'Comment', exact: true }).click()
	await expect(shown).toHaveText(['First.', 'Second.', 'Third.'])
	await expect(box).toHaveValue('')
})

test("a comment written before the page's socket connects is announced once it does", async ({ page }) => {
	await enrol(page, 'Gail Gapless')
	const path = await ask(page, 'What of the moment between?')
	let open = () => {}
	const gate = new Promise<void>((done) => {
		open = done
	})
	await page.routeWebSocket(/\/realtime/, async (socket) => {
		await gate
		socket.connectToServer()
	})
	await page.goto(path)
	await expect(page.getByRole('heading', { name: 'Comments (0)' })).toBeVisible()
	const other = await device(page)
	await enrol(other, 'Otto Between')
	await comment(other, path, 'In between.')
	await other.context().close()
	open()
	await page.getByRole('button', { name: '1 new comment' }).click()
	await expect(page.getByText('In between.')).toBeVisible()
})

for (const javaScriptEnabled of [true, false])
	test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
		test.use({ javaScriptEnabled })

		test('a member over the hourly limit for questions learns when to continue and keeps the text', async ({
			page,
		}) => {
			await enrol(page, javaScriptEnabled ? 'Mia Muchasked' : 'Moe Muchasked')
			for (const number of [1, 2, 3, 4, 5]) await ask(page, `Question number ${number}`)
			await page.goto('/forum/ask')
			await page.getByLabel('Title', { exact: true }).fill('And a sixth question')
			await page.getByLabel('Description').fill('With many words.')
			await page
				.getByRole('textbox', { name: 'Tags' })
				.or(page.getByRole('combobox', { name: 'Tags' }))
				.fill('many')
			await page.getByRole('button', { name: 'Post question' }).click()
			await expect(
				page.getByText(/A new account can post 5 queries an hour\. Try again in \d+ minutes\./).first(),
			).toBeVisible()
			await expect(page.getByLabel('Title', { exact: true })).toHaveValue('And a sixth question')
			await expect(page.getByLabel('Description')).toHaveValue('With many words.')
		})
	})

test('words typed before the scripts load are looked up once they do', async ({ page }) => {
	await enrol(page, 'Hydra Quick')
	let release = () => {}
	const held = new Promise<void>((done) => {
		release = done
	})
	await page.route('**/assets/*.js', async (route) => {
		await held
		await route.continue()
	})
	await page.goto('/forum/ask', { waitUntil: 'commit' })
	await page.getByLabel('Title', { exact: true }).fill('Why does my useEffect fetch twice in development?')
	release()
	await expect(page.getByRole('region', { name: 'Similar questions' })).toContainText('useEffect')
	await expect(page.getByLabel('Title', { exact: true })).toHaveValue(
		'Why does my useEffect fetch twice in development?',
	)
})

test('when two devices write a draft, the newer is kept and the other can be restored', async ({ page }) => {
	await enrol(page, 'Desi Twodevices')
	await page.goto('/forum/ask')
	await hydrated(page)
	const phone = await device(page, page.context())
	await phone.goto('/forum/ask')
	await hydrated(phone)
	const saved = phone.waitForResponse((response) => response.url().endsWith('/forum/drafts') && response.ok())
	await phone.getByLabel('Title', { exact: true }).fill('Typed on the phone')
	await saved
	await phone.context().close()
	const title = page.getByLabel('Title', { exact: true })
	await title.fill('Typed on the laptop')
	const banner = page.getByText('This draft was also changed on another device. The text here is newer and was kept')
	await expect(banner).toBeVisible()
	await expectNoViolations(page)
	await page.getByRole('button', { name: 'Show the other text' }).click()
	await expect(title).toHaveValue('Typed on the phone')
	await page.getByRole('button', { name: 'Show the other text' }).click()
	await expect(title).toHaveValue('Typed on the laptop')
})

test('a Save button cannot be pressed again while it is saving', async ({ page }) => {
	await enrol(page, 'Sofia Once')
	const forms = [
		{ at: '/settings', save: 'Save notifications', said: 'Notification settings saved.' },
		{ at: '/find-dev?q=react', save: 'Save', said: 'Search saved. You can find it under Following.' },
	]
	for (const { at, save, said } of forms) {
		await page.goto(at)
		await hydrated(page)
		const summary = page.getByText('Save this search')
		if (await summary.isVisible()) await summary.click()
		let sent = 0
		const pressed = Promise.withResolvers<void>()
		await page.route(/\.data/, async (route) => {
			if (route.request().method() === 'POST') {
				sent += 1
				await pressed.promise
			}
			await route.continue()
		})
		await page.getByRole('button', { name: save, exact: true }).click()
		const busy = page.getByRole('button', { name: 'Saving...' })
		await expect(busy).toHaveAttribute('aria-disabled', 'true')
		await busy.click({ force: true })
		pressed.resolve()
		await expectNotice(page, said)
		expect(sent, at).toBe(1)
		await page.unrouteAll()
	}
})
