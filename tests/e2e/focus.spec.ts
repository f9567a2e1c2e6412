import type { Page } from '@playwright/test'
import { enrol, enrolAdmin, expect, hydrated, settled, test } from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

async function addProject(page: Page, title: string): Promise<void> {
	await page.getByLabel('Title').fill(title)
	await page.getByRole('button', { name: 'Add project' }).click()
	await expectNotice(page, 'Project added successfully!')
}

test('the focus returns from a dialog to what opened it, and stays in a list of which an item was deleted', async ({
	page,
}) => {
	const username = await enrol(page, 'Philippa Focus')
	await page.goto(`/edit-profile/${username}/projects`)
	for (const title of ['Tide table', 'Ferry radio']) await addProject(page, title)
	const remove = page.getByRole('link', { name: 'Delete Tide table' })
	for (const close of ['Keep it', 'Close']) {
		await remove.focus()
		await page.keyboard.press('Enter')
		await page.getByRole('dialog').getByRole('button', { name: close }).click()
		await expect(page.getByRole('dialog')).toHaveCount(0)
		await expect(remove).toBeFocused()
	}
	await page.keyboard.press('Enter')
	await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter')
	await expectNotice(page, 'Project Deleted Successfully')
	await expect(page.getByRole('heading', { name: 'Your projects' })).toBeFocused()
})

declare global {
	interface Window {
		/** The number of keys released on this page, and the elements that had the focus then and were hidden. */
		focused: { keys: number; obscured: string[] }
	}
}

/**
 * Notes after each key where the focused element is hidden by the header or by the bar of a form. The parts of these themselves never are.
 * Runs in the page, as asking after each key takes as long as the key itself.
 */
function noteObscured(): void {
	window.focused = { keys: 0, obscured: [] }
	// Each key scrolls, and nobody looks at what would be painted.
	document.documentElement.style.clipPath = 'inset(0 0 100% 0)'
	document.addEventListener('keyup', () => {
		window.focused.keys += 1
		const { activeElement: focused } = document
		if (!focused?.closest('main') || focused.closest('.save-bar')) return
		const { top, bottom, height } = focused.getBoundingClientRect()
		const end = document.querySelector('header')?.getBoundingClientRect().bottom ?? 0
		const bar = document.querySelector('.save-bar')?.getBoundingClientRect().top ?? innerHeight
		const isSeen = height > bar - end || (top >= end && bottom <= bar)
		if (!isSeen) window.focused.obscured.push(`${focused.tagName} “${focused.textContent?.slice(0, 30)}” at ${top}`)
	})
}

test('an element focused by keyboard is never covered by the header or the bar of a form', async ({ page }) => {
	const username = await enrol(page, 'Philippa Seen')
	for (const path of [`/edit-profile/${username}`, '/forum']) {
		await page.goto(path)
		await hydrated(page)
		await page.evaluate(noteObscured)
		for (const key of ['Tab', 'Shift+Tab']) for (let press = 0; press < 70; press += 1) await page.keyboard.press(key)
		const { keys, obscured } = await page.evaluate(() => window.focused)
		// Shift is released too.
		expect(keys, path).toBe(3 * 70)
		expect(obscured, path).toEqual([])
	}
})

test('the browser does not compute the styles of the whole page again when the focus moves', async ({
	page,
	browser,
}) => {
	await enrol(page, 'Philippa Swift')
	for (const width of [1_280, 390]) {
		await page.setViewportSize({ width, height: 800 })
		await page.goto('/find-dev')
		await settled(page)
		await browser.startTracing(page, { categories: ['devtools.timeline'] })
		for (let press = 0; press < 10; press += 1) await page.keyboard.press('Tab')
		const trace: { traceEvents: { name: string; args: { elementCount?: number } }[] } = JSON.parse(
			(await browser.stopTracing()).toString(),
		)
		const updates = trace.traceEvents.filter(({ name }) => name === 'UpdateLayoutTree')
		const styled = updates.reduce((sum, { args }) => sum + (args.elementCount ?? 0), 0) / 10
		expect(styled, `${width}: a press`).toBeGreaterThan(0)
		expect(styled, `${width}: a press`).toBeLessThan((await page.locator('*').count()) / 3)
	}
})

test('a form of the profile that is sent by Enter keeps the focus in its field', async ({ page }) => {
	const username = await enrol(page, 'Philippa Enter')
	await page.goto(`/edit-profile/${username}`)
	await hydrated(page)
	const name = page.getByLabel('Full Name')
	await name.fill('Philippa Entered')
	await name.press('Enter')
	await expectNotice(page, 'Profile updated successfully!')
	await expect(name).toBeFocused()
	await page.goto(`/edit-profile/${username}/projects`)
	await hydrated(page)
	const title = page.getByLabel('Title')
	for (const typed of ['Tide table', 'Ferry radio']) {
		await title.fill(typed)
		await title.press('Enter')
		await expectNotice(page, 'Project added successfully!')
		await expect(title).toHaveValue('')
		await expect(title).toBeFocused()
	}
})

test('a form of the settings that is sent by Enter, or by its button, keeps the focus there', async ({ page }) => {
	await enrolAdmin(page)
	await page.goto('/admin/settings/front-page')
	await hydrated(page)
	const heading = page.getByLabel('Heading', { exact: true })
	await heading.fill('Welcome to the quay')
	await heading.press('Enter')
	await expect(page.getByText('to “Welcome to the quay”')).toBeVisible()
	await expect(heading).toBeFocused()
	await heading.fill('')
	const save = page.getByRole('button', { name: 'Save', exact: true })
	await save.press('Enter')
	await expect(page.getByText('from “Welcome to the quay” to')).toBeVisible()
	await expect(save).toBeFocused()
})

test('the links of a refused form are in the order of its fields', async ({ page }) => {
	const username = await enrol(page, 'Philippa Order')
	const refused = async (path: string, typed: Record<string, string>) => {
		await page.goto(`/edit-profile/${username}/${path}`)
		await hydrated(page)
		for (const [label, text] of Object.entries(typed)) await page.getByLabel(label).fill(text)
		await page.getByRole('button', { name: /^(Add|Save)/ }).click()
		await expect(page.getByRole('alert').getByRole('link')).toHaveText(Object.keys(typed))
	}
	await refused('projects', { Title: '', Date: '1700-01-01', 'Live link': 'nowhere', 'Source code link': 'nowhere' })
	await refused('academics', { 'Current year': '99', 'Current semester': '99', 'Year of passing': '99' })
})

test('a chip that does not fit stays in the field, and one that is typed before a drag is added', async ({ page }) => {
	const username = await enrol(page, 'Chester Focus')
	await page.goto(`/edit-profile/${username}`)
	await settled(page)
	const skills = page.getByRole('combobox', { name: /^Skills/ })
	const names = Array.from({ length: 31 }, (_, index) => `J${index + 1}`)
	// A single text would be cut off at the length of one name.
	for (let from = 0; from < names.length; from += 8) {
		await skills.fill(names.slice(from, from + 8).join(', '))
		await skills.press('Enter')
	}
	await expect(page.getByText('30 of 30. Remove one to add another.', { exact: true })).toBeVisible()
	await expect(page.getByRole('status').filter({ hasText: 'J30 added. 30 of 30.' })).toBeAttached()
	await expect(skills).toHaveValue('J31')
	await page.getByRole('button', { name: 'Remove J1', exact: true }).click()
	// A press that becomes a drag ends with another event.
	const link = page.getByRole('link', { name: 'Import a résumé' }).last()
	await page.evaluate(() => window.scrollTo(0, 0))
	const box = await link.boundingBox()
	await page.mouse.move((box?.x ?? 0) + 20, (box?.y ?? 0) + 8)
	await page.mouse.down()
	await page.mouse.move(600, 300, { steps: 5 })
	await expect(page.getByRole('button', { name: 'Remove J31' })).toBeVisible()
	await expect(skills).toHaveValue('')
})

test('a text that is selected beyond the edge of a dialog does not close it, and a press beside it does', async ({
	page,
}) => {
	await enrol(page, 'Selma Focus')
	await page.goto('/forum')
	await page.getByRole('article').first().getByRole('heading').getByRole('link').click()
	await page.getByRole('link', { name: 'Report query' }).click()
	const dialog = page.getByRole('dialog', { name: 'Report this query' })
	const note = dialog.getByRole('textbox').first()
	await note.fill('Copied from my thesis')
	const field = await note.boundingBox()
	const frame = await dialog.boundingBox()
	if (!field || !frame) throw new Error('The dialog has no size.')
	await page.mouse.move(field.x + 120, field.y + 12)
	await page.mouse.down()
	await page.mouse.move(frame.x - 40, field.y + 12, { steps: 4 })
	await page.mouse.up()
	await page.mouse.click(frame.x + 4, frame.y + 4)
	await expect(note).toHaveValue('Copied from my thesis')
	await page.mouse.click(frame.x - 40, frame.y + 4)
	await expect(dialog).toHaveCount(0)
})

test('a notice that is dismissed by keyboard gives the focus back, and the others disappear in time', async ({
	page,
}) => {
	await enrol(page, 'Tilda Focus')
	await page.goto('/forum')
	await page.getByRole('article').first().getByRole('heading').getByRole('link').click()
	await settled(page)
	await page.route('**/forum/vote', (route) => route.abort())
	const up = page
		.getByRole('group', { name: 'Votes on this query' })
		.filter({ visible: true })
		.getByRole('button', { name: 'Vote up' })
	const notices = page.getByRole('region', { name: 'Notices' }).getByRole('button', { name: 'Dismiss' })
	for (const count of [1, 2]) {
		await up.press('Enter')
		await expect(notices).toHaveCount(count)
	}
	// Its time stands still while it has the focus.
	await notices.last().focus()
	await page.keyboard.press('Enter')
	await expect(up).toBeFocused()
	await expect(notices).toHaveCount(0)
})

test('the focus stays where a page goes on: with the posts of a profile, after the last of a list, and beside a search that is cleared', async ({
	page,
}) => {
	await enrol(page, 'Fenella Focus')
	await page.goto('/find-dev')
	await settled(page)
	// The page opens before its data have come, and later ones do not make it anew.
	await page
		.getByRole('link', { name: /^View Details/ })
		.first()
		.press('Enter')
	const answers = page.getByRole('link', { name: /^Answers/ })
	await answers.press('Enter')
	await expect(page).toHaveURL(/posts=answers/)
	await expect(answers).toHaveAttribute('aria-current', /./)
	await expect(answers).toBeFocused()

	await page.goto('/find-dev?open=teammates')
	await settled(page)
	const cards = page.getByRole('main').getByRole('article')
	const shown = await cards.count()
	await page.getByRole('link', { name: 'Load more developers' }).press('Enter')
	await expect(page.getByRole('link', { name: 'Load more developers' })).toHaveCount(0)
	await expect(cards.nth(shown).getByRole('link').first()).toBeFocused()

	await page.goto('/find-dev?q=zzqqxxyy')
	await settled(page)
	await page.getByRole('link', { name: 'Clear search' }).press('Enter')
	await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
})

test('a button that sends its form keeps the focus, and has no effect while it is busy', async ({ page }) => {
	const username = await enrol(page, 'Busola Focus')
	await page.goto(`/edit-profile/${username}`)
	await settled(page)
	const free = Promise.withResolvers<void>()
	let sent = 0
	await page.route(`**/edit-profile/${username}*`, async (route) => {
		if (route.request().method() === 'POST') {
			sent += 1
			await free.promise
		}
		await route.continue()
	})
	await page.getByLabel('City').fill('Nashik')
	await page.getByRole('button', { name: 'Save Changes' }).press('Enter')
	const busy = page.getByRole('button', { name: 'Saving...' })
	await expect(busy).toBeFocused()
	await page.keyboard.press('Enter')
	await page.getByLabel('City').press('Enter')
	await busy.focus()
	free.resolve()
	await expectNotice(page, /[Ss]uccessfully/)
	await expect(page.getByRole('button', { name: 'Save Changes' })).toBeFocused()
	expect(sent).toBe(1)
})

test('unblocking a member by keyboard leaves the focus in the list', async ({ page }) => {
	await enrol(page, 'Ursula Focus')
	const headers = { Origin: process.env.SITE_URL ?? '' }
	await page.request.post('/messages/mira.quillon', { form: { intent: 'block' }, headers })
	await page.goto('/settings')
	await page.getByRole('button', { name: 'Unblock Mira Quillon' }).press('Enter')
	await expect(page.getByText('You have not blocked anyone.')).toBeVisible()
	await expect(page.getByRole('heading', { name: 'Blocked members' })).toBeFocused()
})

test('a category that is moved to the end, and steps that are dismissed, do not lose the focus', async ({ page }) => {
	await enrolAdmin(page)
	await page.goto('/admin/categories')
	await settled(page)
	const down = page.getByRole('button', { name: /^Move .* down$/ })
	const name = await down.nth(-2).getAttribute('aria-label')
	const moved = page.getByRole('button', { name: name ?? '', exact: true })
	await moved.press('Enter')
	await expectNotice(page, 'Moved.')
	await expect(down.last()).toHaveAccessibleName(name ?? '')
	await expect(moved).toBeFocused()
	// At the end there is nowhere to go.
	await page.keyboard.press('Enter')
	await page.keyboard.press('Shift+Tab')
	await page.keyboard.press('Enter')
	await expectNotice(page, 'Moved.')
	await expect(down.nth(-2)).toHaveAccessibleName(name ?? '')

	await enrol(page, 'Stella Focus')
	await page.goto('/find-dev')
	await settled(page)
	const dismiss = page.getByRole('button', { name: 'Do not show these steps again' })
	await dismiss.press('Enter')
	await expect(dismiss).toHaveCount(0)
	await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
})

test('a chat that could not be loaded keeps the focus when it is tried again, and closes with Escape', async ({
	page,
}) => {
	await enrol(page, 'Charlie Focus')
	await page.route('**/messages/mira.quillon/history?page=1', (route) => route.abort())
	await page.goto('/find-dev/mira.quillon')
	await hydrated(page)
	await page.getByRole('link', { name: 'Chat with Mira Quillon' }).click()
	const panel = page.getByRole('dialog', { name: 'Chat with Mira Quillon' })
	await panel.getByRole('button', { name: 'Try again' }).press('Enter')
	await expect(panel).toBeFocused()
	await page.keyboard.press('Escape')
	await expect(panel).toHaveCount(0)

	await test.step('on a phone, Escape closes it wherever the focus is, by the browser’s own close requests, of which Android’s Back button is one', async () => {
		await page.unrouteAll()
		await page.setViewportSize({ width: 390, height: 844 })
		const chat = page.getByRole('link', { name: 'Chat with Mira Quillon' })
		const field = page.getByPlaceholder('type message here...')
		await chat.click()
		await field.fill('Hello')
		await field.press('Enter')
		await expect(panel.locator('[data-own][data-message]')).toHaveCount(1)
		await field.press('ArrowUp')
		await expect(panel.getByText('Editing your message')).toBeVisible()
		await field.press('Escape')
		await expect(panel.getByText('Editing your message')).toHaveCount(0)
		await expect(panel).toBeVisible()
		await page.keyboard.press('Control+k')
		const search = page.getByRole('dialog', { name: 'Search' })
		await expect(search).toBeVisible()
		await page.keyboard.press('Escape')
		await expect(search).toBeHidden()
		await expect(panel).toBeVisible()
		await page.evaluate(() => (document.activeElement as HTMLElement).blur())
		await page.keyboard.press('Escape')
		await expect(panel).toHaveCount(0)
		await chat.click()
		await expect(field).toBeVisible()
		await page.setViewportSize({ width: 1_280, height: 800 })
		await page.evaluate(() => (document.activeElement as HTMLElement).blur())
		await page.keyboard.press('Escape')
		await expect(panel).toBeVisible()
		await panel.getByRole('button', { name: 'Close chat' }).click()
	})

	const inbox = page.locator('.inbox-panel')
	await page.route('**/latest', (route) => route.fulfill({ status: 404 }))
	await page.getByRole('button', { name: /^Messages and notifications/ }).press('Enter')
	for (const name of ['Messages', 'Notifications']) {
		await inbox.getByRole('tab', { name }).click()
		const tryAgain = inbox.getByRole('tabpanel', { name }).getByRole('button', { name: 'Try again' })
		await expect(inbox.getByRole('alert').filter({ visible: true })).toContainText('Something went wrong!')
		const answered = page.waitForResponse('**/latest')
		await tryAgain.press('Enter')
		await answered
		await settled(page)
		await expect(tryAgain).toBeFocused()
	}
})
