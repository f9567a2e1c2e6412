import type { Browser, Page } from '@playwright/test'
import {
	ageDeletedQueries,
	doNow,
	enrol,
	enrolAdmin,
	expect,
	expectNoViolations,
	expectNoViolationsInThemes,
	hasArrived,
	htmlOf,
	test,
} from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

/* Two members, a moderator and the admin named in the settings, each in a separate browser. */

const site = () => ({ baseURL: process.env.SITE_URL ?? '' })

async function newPage(browser: Browser, options = {}): Promise<Page> {
	const context = await browser.newContext({ ...site(), viewport: { width: 1280, height: 800 }, ...options })
	return context.newPage()
}

/** Asks with the form as it is without scripts. Another journey covers the asking itself. @returns the question's path */
async function ask(page: Page, title: string, description: string): Promise<string> {
	const response = await page.request.post('/forum/ask', {
		form: { title, description, tags: 'order', category: 'others' },
		headers: { Origin: process.env.SITE_URL ?? '' },
		maxRedirects: 0,
	})
	expect(response.status()).toBe(303)
	return response.headers().location ?? ''
}

const status = async (page: Page, path: string) => (await page.request.get(path)).status()

/** Fails when this page's member is not asked to log in for their settings. */
async function expectLoggedOut(page: Page): Promise<void> {
	const answer = await page.request.get('/settings', { maxRedirects: 0 })
	expect(answer.headers().location).toMatch(/\/login\?redirectTo=/)
}

async function openForum(page: Page): Promise<void> {
	await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Forum' }).click()
	await expect(page.getByRole('heading', { level: 1 })).toHaveText('Recent Queries')
}

test('a report reaches the queue; a moderator hides, restores, suspends, locks, merges and approves a first post', async ({
	browser,
	page: visitor,
}) => {
	const [admin, moderator, asker, reader] = await Promise.all(Array.from({ length: 4 }, () => newPage(browser)))
	if (!admin || !moderator || !asker || !reader) throw new Error('There are no pages.')
	for (const [page, name] of [
		[moderator, 'Orrin Orderly'],
		[asker, 'Asta Asker'],
		[reader, 'Ruben Reader'],
	] as const)
		await enrol(page, name)
	await enrolAdmin(admin)

	await test.step('the admin promotes a moderator, effective on the next request', async () => {
		expect(await status(moderator, '/moderation')).toBe(403)
		await admin.goto('/moderation/members')
		await admin.getByLabel('Username').fill('@Orrin.Orderly')
		await admin.getByRole('button', { name: 'Make a moderator' }).click()
		await expectNotice(admin, 'They are now a moderator.')
		expect(await htmlOf(moderator, '/moderation')).toMatch(/<h1[^>]*>Moderation</)
		expect(await status(moderator, '/moderation/log')).toBe(403)
	})

	const path = await ask(asker, 'Cheap shoes for every order', 'Nothing but shoes.')

	await test.step('a member reports the question in a dialog', async () => {
		await reader.goto(path)
		await reader.getByRole('link', { name: 'Report query' }).click()
		const dialog = reader.getByRole('dialog', { name: 'Report this query' })
		await dialog.getByLabel('Something else').check()
		await dialog.getByRole('button', { name: 'Report' }).click()
		await expect(dialog.getByText('Say in a few words what is wrong.')).toBeVisible()
		await expectNoViolations(reader)
		await dialog.getByLabel('Spam').check()
		await dialog.getByLabel('In your words').fill('It sells shoes.')
		await dialog.getByRole('button', { name: 'Report' }).click()
		await expectNotice(reader, 'Thank you. A moderator will look at it.')
		await expect(dialog).toBeHidden()
	})

	await test.step('the moderator is notified, takes the case and leaves a note for the others', async () => {
		// A background job sends the notification.
		const notification = 'reported or posted something that waits in'
		await hasArrived(moderator, '/notifications', notification)
		await moderator.goto('/notifications')
		await expect(moderator.getByText(notification)).toBeVisible()
		await moderator.getByRole('link', { name: /the moderation queue/ }).click()
		const entry = moderator.getByRole('article', { name: 'Cheap shoes for every order' })
		await entry.getByRole('button', { name: 'Assign to me' }).click()
		await expect(moderator).toHaveURL(/handler=mine/)
		await expect(entry).toContainText('assigned to @orrin.orderly')
		await expect(entry.getByRole('heading')).toBeFocused()
		await entry.getByRole('link', { name: 'More' }).click()
		const notes = moderator.getByRole('region', { name: 'Notes for moderators' })
		await notes.getByLabel('New note').fill('The third account of this shop.')
		await notes.getByRole('button', { name: 'Add the note' }).press('Enter')
		await expect(notes.getByRole('listitem')).toContainText('The third account of this shop.')
		await expect(notes).toBeFocused()
		await expect(notes.getByRole('listitem')).toContainText('Orrin Orderly')
		// The admin's form becomes stale while the moderator changes the case.
		await admin.goto(new URL(moderator.url()).pathname)
		const form = admin.getByRole('region', { name: 'Assigned to' })
		await expect(form.getByLabel('Moderator', { exact: true })).toHaveValue('orrin.orderly')
		await expectNoViolations(admin)
		const assigned = moderator.getByRole('region', { name: 'Assigned to' })
		const unassign = async () => {
			await assigned.getByLabel('Moderator', { exact: true }).selectOption('')
			await assigned.getByRole('button', { name: 'Assign', exact: true }).click()
			await expect(assigned.getByRole('button', { name: 'Assign to me' })).toBeVisible()
			await expect(assigned.getByLabel('Moderator', { exact: true })).toHaveValue('')
		}
		await unassign()
		await assigned.getByRole('button', { name: 'Assign to me' }).press('Enter')
		await expect(assigned.getByLabel('Moderator', { exact: true })).toHaveValue('orrin.orderly')
		await expect(assigned).toBeFocused()
		await unassign()
		await form.getByRole('button', { name: 'Assign to me' }).click()
		await expect(form.getByRole('alert')).toContainText('Somebody has unassigned this case in the meantime.')
	})

	await test.step('the moderator hides it with a reason that the author reads', async () => {
		await moderator.goto('/moderation?handler=none')
		const entry = moderator.getByRole('article', { name: 'Cheap shoes for every order' })
		await expect(entry).toContainText('Spam says Ruben Reader')
		await expect(entry).toContainText('It sells shoes.')
		await expectNoViolations(moderator)
		// Without a reason it is rejected, on the case page, where the reason can be entered.
		await entry.getByRole('button', { name: 'Hide' }).click()
		await expect(moderator.getByText('Say why, in a few words.')).toBeVisible()
		await expectNoViolations(moderator)
		await moderator.getByRole('region', { name: 'Decide' }).getByLabel('Why').fill('Advertising.')
		await moderator.getByRole('button', { name: 'Hide' }).click()
		await expectNotice(moderator, 'Hidden. Its author sees your reason.')
		await expect(moderator.getByRole('article', { name: 'Cheap shoes for every order' })).toHaveCount(0)
		for (const page of [visitor, reader]) expect(await status(page, path)).toBe(404)
		const forum = await htmlOf(visitor, '/forum')
		expect(forum).toContain('Recent Queries')
		expect(forum).not.toContain('Cheap shoes for every order')
		expect((await asker.goto(path))?.status()).toBe(200)
		await expect(asker.getByText('Reason: Advertising.')).toBeVisible()
		await expectNoViolations(asker)
	})

	await test.step('the moderator restores it', async () => {
		await moderator.goto(path)
		await moderator.getByRole('link', { name: 'Moderate query' }).click()
		await moderator.getByRole('button', { name: 'Restore' }).click()
		await expectNotice(moderator, 'It is back in the forum.')
		expect(await status(visitor, path)).toBe(200)
		expect(await htmlOf(visitor, '/forum')).toMatch(/<article(?:(?!<\/article>)[\s\S])*>Cheap shoes for every order</)
	})

	await test.step('a suspended member is logged out, can log in and read, and keeps what they typed with the reason', async () => {
		await moderator.goto('/moderation/profile/asta.asker')
		const form = moderator.getByRole('region', { name: 'Suspend Asta Asker' })
		await form.getByLabel('For how long').selectOption('1 week')
		await form.getByLabel('Why').fill('Shoes again.')
		await form.getByRole('button', { name: 'Suspend' }).click()
		await expectNotice(moderator, 'Suspended.')
		await expectLoggedOut(asker)
		await asker.goto(`/login?redirectTo=${encodeURIComponent(path)}`)
		await asker.getByLabel('Email').fill('asta.asker@eastmere.example')
		await asker.getByLabel('Password', { exact: true }).fill('a lantern at the ford')
		await asker.getByRole('button', { name: 'Login', exact: true }).click()
		await asker.waitForURL(`**${path}`)
		await asker.getByLabel('Your comment').fill('But these are good shoes.')
		await asker.getByRole('button', { name: 'Comment', exact: true }).click()
		await expect(asker.getByRole('alert')).toContainText(/You are suspended until .* Reason: Shoes again\./)
		await expect(asker.getByLabel('Your comment')).toHaveValue('But these are good shoes.')
		await moderator.goto('/moderation/members')
		await expectNoViolations(moderator)
		// Another journey may suspend somebody at the same time.
		const suspended = moderator.getByRole('listitem').filter({ hasText: 'Asta Asker' })
		await suspended.getByRole('button', { name: 'Lift' }).click()
		await expectNotice(moderator, 'The suspension is lifted.')
		await asker.getByRole('button', { name: 'Comment', exact: true }).click()
		await expect(asker.locator('.comment').getByText('But these are good shoes.')).toBeVisible()
	})

	await test.step('a question is pinned to the top of the forum, for visitors too, and unpinned from the same page', async () => {
		await moderator.goto(path)
		await moderator.getByRole('link', { name: 'Moderate query' }).click()
		await expectNoViolationsInThemes(moderator)
		const pins = moderator.getByRole('region', { name: 'Pin to the top of the forum' })
		await pins.getByLabel('Last day').fill('2099-12-24')
		await pins.getByRole('button', { name: 'Pin to the forum' }).press('Enter')
		await moderator.waitForURL('**/moderation')
		await openForum(moderator)
		const pinned = moderator.getByRole('article').filter({ hasText: 'Pinned' })
		await expect(pinned.getByRole('heading')).toHaveCount(1)
		await pinned.getByRole('heading').getByRole('link').click()
		await moderator.getByRole('link', { name: 'Moderate query' }).click()
		await moderator.getByRole('button', { name: 'Unpin' }).click()
		await moderator.waitForURL('**/moderation')
		await openForum(moderator)
		await expect(pinned).toHaveCount(0)
	})

	await test.step('a locked question shows it is locked and takes no comments', async () => {
		await moderator.goto(path)
		await moderator.getByRole('link', { name: 'Moderate query' }).click()
		await moderator.getByRole('region', { name: 'Decide' }).getByLabel('Why').fill('Enough of it.')
		await moderator.getByRole('button', { name: 'Lock', exact: true }).click()
		await expectNotice(moderator, 'Nobody can comment on it now.')
		await reader.goto(path)
		await expect(reader.getByText('A moderator locked this query')).toBeVisible()
		await expect(reader.getByLabel('Your comment')).toHaveCount(0)
		await expectNoViolations(reader)
	})

	await test.step('a merged question leads to the other one and stays readable', async () => {
		const other = await ask(reader, 'Where are shoes discussed?', 'I only ask.')
		await moderator.goto(other)
		await moderator.getByRole('link', { name: 'Moderate query' }).click()
		const form = moderator.getByRole('region', { name: 'Merge into another query' })
		await form.getByLabel('Address of the query to keep').fill(process.env.SITE_URL + path)
		await form.getByLabel('Why').fill('The same.')
		await form.getByRole('button', { name: 'Merge' }).click()
		await expectNotice(moderator, 'Merged. Its address leads to the other query.')
		await visitor.goto(other)
		await expect(visitor.getByRole('heading', { name: 'Cheap shoes for every order' })).toBeVisible()
		await visitor.getByRole('link', { name: 'Read the original' }).click()
		await expect(visitor.getByRole('heading', { name: 'Where are shoes discussed?' })).toBeVisible()
		await expectNoViolations(visitor)
	})

	await test.step("a newcomer's first post with a link waits until a moderator approves it", async () => {
		const waiting = await ask(reader, 'Is this guide any good?', 'I mean [this one](https://guides.example/order).')
		expect(await htmlOf(reader, waiting)).toContain('This query is waiting for a moderator')
		expect(await status(visitor, waiting)).toBe(404)
		await moderator.goto('/moderation')
		const entry = moderator.getByRole('article', { name: 'Is this guide any good?' })
		const decisions: string[] = []
		moderator.on('request', (request) => {
			const { pathname } = new URL(request.url())
			if (request.method() === 'POST' && pathname.startsWith('/moderation/')) decisions.push(request.postData() ?? '')
		})
		// The buttons do opposite things: Enter in the field chooses none.
		await entry.getByLabel('Why').fill('A good one.')
		await entry.getByLabel('Why').press('Enter')
		await entry.getByRole('link', { name: 'More' }).click()
		const form = moderator.getByRole('region', { name: 'Decide' })
		await form.getByLabel('Why').fill('A good one.')
		await form.getByLabel('Why').press('Enter')
		await form.getByRole('button', { name: 'Approve' }).click()
		await expectNotice(moderator, 'It is now visible to everyone.')
		expect(decisions).toHaveLength(1)
		expect(await status(visitor, waiting)).toBe(200)
	})

	await test.step('the admin sees in the log who did what and why', async () => {
		await admin.goto('/moderation/log?member=asta.asker')
		const entries = admin.getByRole('listitem').filter({ hasText: '@orrin.orderly' })
		await expect(entries.filter({ hasText: 'suspend for 1 week' })).toContainText('Shoes again.')
		await expect(entries.filter({ hasText: 'hide' })).toContainText('Advertising.')
		await expectNoViolations(admin)
		// The field follows the address, and keeps the focus.
		const field = admin.getByRole('textbox', { name: 'Username' })
		await field.fill('ruben.reader')
		await field.press('Enter')
		await expect(admin).toHaveURL(/member=ruben\.reader&/)
		await expect(admin.getByRole('listitem').filter({ hasText: 'A good one.' })).toBeVisible()
		await expect(field).toBeFocused()
		await admin.getByRole('link', { name: '@orrin.orderly' }).first().click()
		await expect(field).toHaveValue('orrin.orderly')
		await admin.goBack()
		await expect(field).toHaveValue('ruben.reader')
	})

	await test.step('the admin logs a member out everywhere, and a moderator has no such button', async () => {
		const seen = await htmlOf(moderator, '/moderation/profile/ruben.reader')
		expect(seen).toMatch(/<h\d[^>]*>Suspend Ruben Reader</)
		expect(seen).not.toContain('Log out everywhere')
		await admin.goto('/moderation/profile/ruben.reader')
		await expectNoViolations(admin)
		await admin.getByRole('button', { name: 'Log out everywhere' }).click()
		await expectNotice(admin, 'Logged out everywhere.')
		await expectLoggedOut(reader)
		await admin.goto('/moderation/log?member=ruben.reader')
		await expect(admin.getByRole('listitem').filter({ hasText: 'log out everywhere' })).toHaveCount(1)
	})

	await test.step('a demoted moderator loses the role at once', async () => {
		await admin.goto('/moderation/members')
		await admin
			.getByRole('listitem')
			.filter({ hasText: 'Orrin Orderly' })
			.getByRole('button', { name: 'Make a member' })
			.press('Enter')
		await expectNotice(admin, 'They are now an ordinary member.')
		await expect(admin.getByRole('heading', { name: 'Moderators and admins' })).toBeFocused()
		expect(await status(moderator, '/moderation')).toBe(403)
	})
})

test('reporting works without JavaScript, also for a visitor who logs in on the way', async ({
	browser,
	page: visitor,
}) => {
	await enrol(visitor, 'Petra Poster')
	const path = await ask(visitor, 'Does it work without scripts?', 'It should.')
	const page = await newPage(browser, { javaScriptEnabled: false })
	await enrol(page, 'Nils Noscript')
	await page.goto(path)
	await page.getByRole('link', { name: 'Report query' }).click()
	await expect(page.getByRole('heading', { name: 'Report “Does it work without scripts?”' })).toBeVisible()
	await page.getByLabel('Something else').check()
	await page.getByRole('button', { name: 'Report' }).click()
	await expect(page.getByText('Say in a few words what is wrong.')).toBeVisible()
	await expect(page.getByLabel('Something else')).toBeChecked()
	await page.getByLabel('In your words').fill('Only a test.')
	await page.getByRole('button', { name: 'Report' }).click()
	await expectNotice(page, 'Thank you. A moderator will look at it.')
	expect(new URL(page.url()).pathname).toBe(path)
	await page.getByRole('link', { name: 'Report query' }).click()
	await expect(page.getByText('You have already reported this.')).toBeVisible()

	await visitor.context().clearCookies()
	await visitor.goto(path)
	await visitor.getByRole('link', { name: 'Report query' }).click()
	await expect(visitor).toHaveURL(/\/login\?redirectTo=%2Freport%2Fquery%2F\d+$/)
})

test('the log names no query that was erased', async ({ browser, page: author }) => {
	const name = 'Lina Light'
	await enrol(author, name)
	const path = await ask(author, 'A query to look at', 'See [there](https://there.example/).')
	const page = await newPage(browser, { viewport: { width: 360, height: 740 } })
	await enrolAdmin(page)
	const id = path.split('/')[4]
	const headers = { Origin: process.env.SITE_URL ?? '' }
	await page.request.post(`/moderation/query/${id}`, { form: { intent: 'approve', why: '' }, headers })
	await page.request.post(path, { form: { intent: 'delete-query' }, headers })
	await ageDeletedQueries()
	await doNow('apply-retention')
	await expect(async () => {
		await page.goto('/moderation/log')
		const entry = page.getByRole('listitem').filter({ hasText: 'delete' }).filter({ hasText: '@lina.light' })
		await expect(entry.getByRole('link', { name: 'a query', exact: true })).toBeVisible({ timeout: 500 })
	}).toPass({ timeout: 20_000 })
	await expectNoViolations(page)
})
