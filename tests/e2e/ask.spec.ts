import type { Locator, Page } from '@playwright/test'
import { picture } from '../factories/pictures.ts'
import {
	demoEmail,
	demoPassword,
	enrol,
	expect,
	expectNoViolations,
	expectNoViolationsInThemes,
	logIn,
	settled,
	test,
} from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

const added = 'Query added successfully!'

/** Opens the form as a dialog over the list. */
async function openModal(page: Page): Promise<Locator> {
	await page.getByRole('link', { name: 'New', exact: true }).click()
	const dialog = page.getByRole('dialog', { name: 'Ask a Question' })
	await expect(dialog.getByLabel('Title', { exact: true })).toBeFocused()
	return dialog
}

function tagsOf(form: Page | Locator): Locator {
	return form.getByRole('combobox', { name: 'Tags' })
}

/** Waits until the server has saved the draft. */
function saved(page: Page): Promise<unknown> {
	return page.waitForResponse((response) => response.url().endsWith('/forum/drafts') && response.ok())
}

test('a member asks in the dialog over the list, using chips, the toolbar and the preview', async ({ page }) => {
	await enrol(page, 'Ada Asker')
	await page.goto('/forum/category/python')
	const dialog = await openModal(page)
	await expect(dialog.getByLabel('Category')).toHaveValue('python')
	await dialog.getByLabel('Title', { exact: true }).fill('How do I read a file by lines?')
	await tagsOf(dialog).pressSequentially('jav')
	await expect(dialog.getByRole('listbox', { name: 'Tags' }).getByRole('option').first()).toContainText(
		/\d quer(y|ies)/,
	)
	await tagsOf(dialog).fill('File Reading')
	await tagsOf(dialog).press('Enter')
	await tagsOf(dialog).pressSequentially('files,')
	await expect(dialog.getByText('file-reading', { exact: true })).toBeVisible()
	const text = dialog.getByLabel('Description')
	await text.fill('word')
	await text.selectText()
	await dialog.getByRole('button', { name: 'Bold', exact: true }).click()
	await expect(text).toHaveValue('**word**')
	await text.press('Control+z')
	await expect(text).toHaveValue('word')
	await text.press('Control+b')
	await expect(text).toHaveValue('**word**')
	await text.fill(`**word** $\\frac{a}{b}$\n\n$$\n${'x_1 + '.repeat(60)}x_2\n$$`)
	await dialog.getByRole('tab', { name: 'Preview' }).click()
	await expect(dialog.getByRole('tabpanel').locator('strong')).toHaveText('word')
	await expect(dialog.getByRole('tabpanel').locator('p > math mfrac')).toBeVisible()
	const frames = [dialog.locator('.editor'), dialog.getByLabel('Title', { exact: true })]
	const [editor, title] = await Promise.all(frames.map((frame) => frame.evaluate((one) => one.clientWidth)))
	expect(editor, 'what is wide scrolls within the preview').toBe(title)
	await dialog.getByRole('button', { name: 'Post question' }).click()
	await expect(page.getByText(added)).toBeVisible()
	// A fraction is rendered as a fraction, and a formula too wide for a phone scrolls within the page.
	await page.setViewportSize({ width: 390, height: 844 })
	const [fraction, wide] = [page.locator('.prose mfrac > mi'), page.locator('.prose > .formula')]
	const [above, below] = [await fraction.first().boundingBox(), await fraction.last().boundingBox()]
	expect(below?.y).toBeGreaterThan((above?.y ?? 0) + (above?.height ?? 0))
	expect(await wide.evaluate((block) => block.scrollWidth / block.clientWidth)).toBeGreaterThan(2)
	expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
	await page.setViewportSize({ width: 1280, height: 800 })
	await expect(page).toHaveURL(/\/forum\/python\/ada\.asker\/\d+\/[\w-]+$/)
	await expect(page.getByRole('link', { name: '#file-reading' }).first()).toBeVisible()
	// After an edit, Back leads to the list, not to the same question again.
	await page.getByRole('link', { name: 'Edit query' }).click()
	await page.getByLabel('Title', { exact: true }).fill('How do I read a file line by line?')
	await page.getByRole('button', { name: 'Save', exact: true }).click()
	// The notice disappears after two seconds, but the saved text stays.
	await expect(page.getByRole('heading', { name: 'How do I read a file line by line?' })).toBeVisible()
	await page.getByRole('link', { name: 'Back', exact: true }).click()
	await expect(page).toHaveURL(/\/forum\/category\/python$/)
	// A published question is no longer a draft.
	await page.goto('/forum/ask')
	await expect(page.getByLabel('Title', { exact: true })).toHaveValue('')
	await expect(page.getByText('Draft restored')).toHaveCount(0)
})

test('a draft survives closing, leaving the page and a change of device, and is gone once discarded', async ({
	page,
	browser,
}) => {
	await enrol(page, 'Dora Drafter')
	await page.goto('/forum')
	let dialog = await openModal(page)
	await dialog.getByLabel('Title', { exact: true }).fill('Half of a question')
	await dialog.getByRole('button', { name: 'Close', exact: true }).click()
	await expect(dialog).toBeHidden()
	dialog = await openModal(page)
	await expect(dialog.getByText('Draft restored')).toBeVisible()
	await expect(dialog.getByLabel('Title', { exact: true })).toHaveValue('Half of a question')
	const save = saved(page)
	await dialog.getByLabel('Description').fill('It begins')
	await save
	await expect(dialog.getByText(/^Draft saved \d+:\d\d [ap]m$/)).toBeVisible()
	await page.goto('/forum/ask')
	await expect(page.getByLabel('Description')).toHaveValue('It begins')

	const phone = await browser.newContext({
		baseURL: process.env.SITE_URL ?? '',
		storageState: { cookies: await page.context().cookies(), origins: [] },
	})
	const other = await phone.newPage()
	await other.goto('/forum/ask')
	await expect(other.getByText('Draft restored')).toBeVisible()
	await expect(other.getByLabel('Title', { exact: true })).toHaveValue('Half of a question')
	const discarded = saved(other)
	await other.getByRole('button', { name: 'Discard' }).click()
	await expect(other.getByLabel('Title', { exact: true })).toHaveValue('')
	await discarded
	await phone.close()

	await page.reload()
	await expect(page.getByLabel('Title', { exact: true })).toHaveValue('')
})

test('what a visitor typed is still there after login', async ({ page }) => {
	await page.goto('/forum')
	const dialog = await openModal(page)
	await dialog.getByLabel('Title', { exact: true }).fill('Typed before I had logged in')
	await dialog.getByLabel('Description').fill('All of this')
	await expect(dialog.getByRole('button', { name: 'Post question' })).toHaveCount(0)
	await dialog.getByRole('link', { name: 'Login' }).click()
	await page.waitForURL('**/login?redirectTo=%2Fforum%2Fask')
	await page.getByLabel('Email').fill(demoEmail)
	await page.getByLabel('Password', { exact: true }).fill(demoPassword())
	await page.getByRole('button', { name: 'Login', exact: true }).click()
	await page.waitForURL('**/forum/ask')
	await expect(page.getByText('Draft restored')).toBeVisible()
	await expect(page.getByLabel('Title', { exact: true })).toHaveValue('Typed before I had logged in')
	await page.getByRole('button', { name: 'Discard' }).click()
	await expect(page.getByLabel('Title', { exact: true })).toHaveValue('')
})

test('an error appears at its field, and neither it nor a lost connection loses any text', async ({
	page,
	context,
}) => {
	await enrol(page, 'Rene Refused')
	await page.goto('/forum')
	const dialog = await openModal(page)
	await dialog.getByLabel('Title', { exact: true }).fill('short')
	await dialog.getByLabel('Description').fill('Text')
	await dialog.getByRole('button', { name: 'Post question' }).click()
	await expect(dialog.getByText('The title needs at least 8 characters.')).toBeVisible()
	await expect(dialog.getByText('At least one tag is required!')).toBeVisible()
	await expect(dialog.getByLabel('Title', { exact: true })).toBeFocused()
	await expectNoViolations(page)
	await dialog.getByLabel('Title', { exact: true }).fill('Long enough this time')
	await tagsOf(dialog).fill('network')
	await context.setOffline(true)
	await dialog.getByRole('button', { name: 'Post question' }).click()
	await expect(dialog.getByText('Something went wrong. Try again!')).toBeVisible()
	await expect(dialog.getByLabel('Title', { exact: true })).toHaveValue('Long enough this time')
	await context.setOffline(false)
	await dialog.getByRole('button', { name: 'Post question' }).click()
	await expect(page.getByText(added)).toBeVisible()
})

test('a pasted picture is uploaded, shown in place and published', async ({ page }) => {
	await enrol(page, 'Pia Painter')
	await page.goto('/forum/ask')
	await page.getByLabel('Title', { exact: true }).fill('What is in this picture?')
	await tagsOf(page).fill('pictures')
	await page.getByLabel('Description').fill('Look:')
	const bytes = [...(await picture('png', 1_600, 800))]
	/** Pastes the picture, as a spreadsheet offers it beside its text. @returns whether the browser is to paste the text */
	const paste = (text: string) =>
		page.getByLabel('Description').evaluate(
			(area, { bytes, text }) => {
				const clipboardData = new DataTransfer()
				clipboardData.items.add(new File([new Uint8Array(bytes)], 'the [red] corner.png', { type: 'image/png' }))
				if (text) clipboardData.setData('text/plain', text)
				return area.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
			},
			{ bytes, text },
		)
	expect(await paste('1\t2')).toBe(true)
	expect(await paste('')).toBe(false)
	await expect(page.getByLabel('Description')).toHaveValue(
		/^Look:\n\n!\[the {2}red {2}corner\]\(\/media\/posts\/-\/[0-9a-f]{32}-1280\.webp#1280x640\)\n$/,
	)
	await page.getByRole('button', { name: 'Post question' }).click()
	await expect(page.getByText(added)).toBeVisible()
	const image = page.locator('.prose img')
	await expect(image).toHaveAttribute('width', '1280')
	await image.scrollIntoViewIfNeeded()
	await expect.poll(() => image.evaluate((each: HTMLImageElement) => each.naturalWidth)).toBeGreaterThan(0)
	const visitor = await page.request.get((await image.getAttribute('src')) ?? '', { headers: { Cookie: '' } })
	expect(visitor.headers()['cache-control']).toBe('public, max-age=31536000, s-maxage=3600, immutable')
	await page.goto('/forum/ask')
	await page.locator('input[type=file]').setInputFiles({
		name: 'drawing.png',
		mimeType: 'image/png',
		buffer: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
	})
	await expect(page.getByRole('alert')).toHaveText('Invalid file type!')
})

test('a selected text can be dragged to another place of the description', async ({ page }) => {
	await enrol(page, 'Dora Dragger')
	await page.goto('/forum/ask')
	await settled(page)
	const text = page.getByLabel('Description')
	await text.fill('last first\n')
	await text.evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(0, 5))
	const box = await text.boundingBox()
	const [left, top] = [(box?.x ?? 0) + 20, (box?.y ?? 0) + 20]
	await page.mouse.move(left, top)
	await page.mouse.down()
	await page.mouse.move(left + 300, top, { steps: 5 })
	await page.mouse.up()
	await expect(text).toHaveValue('firstlast \n')
})

test('of two edits of one question, the second shows both texts and lets its author choose', async ({
	page,
	context,
}) => {
	const username = await enrol(page, 'Edda Editor')
	const form = { title: 'A query to be edited', description: 'First text', tags: 'edits', category: 'others' }
	await page.request.post('/forum/ask', { form, headers: { Origin: process.env.SITE_URL ?? '' } })
	await page.goto(`/find-dev/${username}`)
	await page.getByRole('link', { name: form.title }).first().click()
	await page.getByRole('link', { name: 'Edit query' }).first().click()
	await expect(page.getByLabel('Description')).toHaveValue('First text')
	const address = page.url()
	const device = await context.browser()?.newContext({
		baseURL: process.env.SITE_URL ?? '',
		storageState: { cookies: await context.cookies(), origins: [] },
	})
	const other = await device?.newPage()
	if (!device || !other) throw new Error('There is no second device.')
	await other.goto(address)
	await other.getByLabel('Description').fill('Text of the other device')
	await other.getByLabel('Category').selectOption('java')
	await other.getByRole('button', { name: 'Save', exact: true }).click()
	await expectNotice(other, 'Query updated successfully!')
	await expect(other).toHaveURL(/\/forum\/java\//)
	await device.close()

	await page.getByLabel('Description').fill('Text of this device')
	await page.getByRole('button', { name: 'Save', exact: true }).click()
	const notice = page.getByRole('region', { name: 'This was changed elsewhere in the meantime' })
	await expect(notice.getByText('Text of the other device')).toBeVisible()
	await expect(notice.getByText('Text of this device')).toBeVisible()
	await expectNoViolations(page)
	await notice.getByRole('button', { name: 'Keep mine' }).click()
	await expectNotice(page, 'Query updated successfully!')
	await expect(page.locator('.prose').first()).toHaveText('Text of this device')
})

test('keyboard only: open, write, format and publish; Escape closes and restores the focus', async ({ page }) => {
	await enrol(page, 'Kay Board')
	await page.goto('/forum')
	const button = page.getByRole('link', { name: 'New', exact: true })
	await button.focus()
	await page.keyboard.press('Enter')
	const dialog = page.getByRole('dialog', { name: 'Ask a Question' })
	await expect(dialog.getByLabel('Title', { exact: true })).toBeFocused()
	await page.keyboard.press('Escape')
	await expect(dialog).toBeHidden()
	await expect(button).toBeFocused()
	await page.keyboard.press('Enter')
	await expect(dialog.getByLabel('Title', { exact: true })).toBeFocused()
	await page.keyboard.type('Typed without a mouse')
	await page.keyboard.press('Tab')
	await page.keyboard.press('Tab')
	await page.keyboard.type('keyboards')
	await page.keyboard.press('Enter')
	await page.keyboard.press('Tab')
	await expect(dialog.getByRole('button', { name: 'Remove keyboards' })).toHaveCount(1)
	await expect(dialog.getByRole('button', { name: 'Heading' })).toBeFocused()
	await page.keyboard.press('ArrowRight')
	await expect(dialog.getByRole('button', { name: 'Bold', exact: true })).toBeFocused()
	await page.keyboard.press('Tab')
	await page.keyboard.press('Tab')
	await expect(dialog.getByLabel('Description')).toBeFocused()
	await page.keyboard.press('Control+e')
	await page.keyboard.type('keys')
	await expect(dialog.getByLabel('Description')).toHaveValue('`keys`')
	await page.keyboard.press('Control+Enter')
	await expect(page.getByText(added)).toBeVisible()
	await expect(page.locator('.prose code')).toHaveText('keys')
})

test('the dialog passes axe in either theme and fits a phone of 360 px', async ({ page }) => {
	await page.goto('/forum')
	const dialog = await openModal(page)
	await expectNoViolationsInThemes(page)
	await page.setViewportSize({ width: 360, height: 740 })
	await expectNoViolations(page)
	const widths = await dialog.evaluate((each) => [each.scrollWidth, each.clientWidth, document.body.scrollWidth])
	expect(Math.max(...widths)).toBeLessThanOrEqual(360)
})

test('a list loads the form only when somebody is about to press the button', async ({ page }) => {
	const scripts: string[] = []
	page.on('request', (request) => request.resourceType() === 'script' && scripts.push(request.url()))
	await page.goto('/forum')
	await settled(page)
	expect(scripts.filter((url) => /ask-(form|modal)/.test(url))).toEqual([])
	await page.getByRole('link', { name: 'New', exact: true }).hover()
	await expect.poll(() => scripts.filter((url) => /ask-modal/.test(url)).length).toBe(1)
})

test.describe('without JavaScript', () => {
	test.use({ javaScriptEnabled: false })

	test('a member asks, gets an error that keeps all input, asks again and edits', async ({ page }) => {
		await logIn(page)
		await page.goto('/forum')
		await page.getByRole('link', { name: 'New', exact: true }).click()
		await expect(page.getByRole('heading', { level: 1 })).toHaveText('Ask a Question')
		await page.getByLabel('Title', { exact: true }).fill('Asked without any script')
		await page.getByLabel('Tags').fill('a, b, c, d, e, f, g, h, i, j, k')
		await page.getByLabel('Description').fill('It *works*.')
		await page.getByRole('button', { name: 'Post question' }).click()
		await expect(page.getByText('A query has at most 10 tags.').first()).toBeVisible()
		await expect(page.getByLabel('Title', { exact: true })).toHaveValue('Asked without any script')
		await page.getByLabel('Tags').fill('plain, forms')
		await page.getByRole('button', { name: 'Post question' }).click()
		await expect(page.getByText(added)).toBeVisible()
		await expect(page.locator('.prose em')).toHaveText('works')
		await page.getByRole('link', { name: 'Edit query' }).first().click()
		await page.getByLabel('Category').selectOption('careers')
		await page.getByRole('button', { name: 'Save', exact: true }).click()
		await expectNotice(page, 'Query updated successfully!')
		await expect(page).toHaveURL(/\/forum\/careers\//)
	})

	test('a session that ended in the meantime loses no text', async ({ page, context }) => {
		await logIn(page)
		await page.goto('/forum/ask')
		await page.getByLabel('Title', { exact: true }).fill('Typed for a whole evening')
		await page.getByLabel('Tags').fill('sessions')
		await page.getByLabel('Description').fill('A long text')
		const kept = await context.cookies()
		await context.clearCookies()
		await page.getByRole('button', { name: 'Post question' }).click()
		await expect(page.getByText(/You are no longer logged in/)).toBeVisible()
		await expect(page.getByLabel('Description')).toHaveValue('A long text')
		await context.addCookies(kept)
		await page.getByRole('button', { name: 'Post question' }).click()
		await expect(page.getByText(added)).toBeVisible()
	})
})
