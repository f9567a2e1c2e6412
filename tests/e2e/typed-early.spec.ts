import type { Page } from '@playwright/test'
import { demoEmail, expect, hydrated, test as journey, logIn, openWithoutScripts } from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

/* Input typed into a page before its scripts load, as on a slow network. */

/** The browser logs the scripts and suggestions that these journeys cut. */
const test = journey.extend<{ quiet: undefined }>({ quiet: async ({}, use) => use(undefined) })

const field = (page: Page, label: string) => page.locator('main').getByLabel(new RegExp(`^${label}( optional)?$`))
const removes = (page: Page) => page.getByRole('button', { name: /^Remove / })

/** Gives this page's member a draft, as another device would. */
async function storeDraft(page: Page): Promise<void> {
	const form = { key: 'ask', title: 'Half of a question', description: '', tags: '', category: 'others', version: 0 }
	const headers = { Origin: process.env.SITE_URL ?? '' }
	await expect(await page.request.post('/forum/drafts', { form, headers })).toBeOK()
}

/** Where the labels and the editor are within their form, or the buttons below a question within their row: times above may change. */
function places(page: Page): Promise<[name: string, x: number, y: number][]> {
	return page.locator('form[data-keeps-draft], [data-not-saved]:has(.icon-btn)').evaluate((frame) => {
		const from = frame.getBoundingClientRect()
		return [...frame.querySelectorAll('label, .editor, .icon-btn')].map((each) => {
			const { x, y } = each.getBoundingClientRect()
			return [each.getAttribute('aria-label') ?? each.tagName, Math.round(x - from.x), Math.round(y - from.y)]
		})
	})
}

test('nothing moves when the scripts arrive', async ({ page }) => {
	await logIn(page)
	await page.goto('/forum')
	const question = (await page.locator('article h2 a').first().getAttribute('href')) ?? ''
	for (const width of [390, 1280])
		for (const path of ['/forum/ask', question]) {
			await page.setViewportSize({ width, height: 844 })
			const hydrate = await openWithoutScripts(page, path)
			await page.evaluate(() => document.fonts.ready)
			const before = await places(page)
			expect(before.length, path).toBeGreaterThan(3)
			if (path === question) await field(page, 'Your comment').focus()
			await hydrate()
			await expect.poll(() => places(page), `${path} at ${width}`).toEqual(before)
			if (path !== question) continue
			await field(page, 'Your comment').blur()
			await expect(page.getByRole('button', { name: 'Comment', exact: true }), 'it stays open').toBeVisible()
		}
})

test('input typed before the scripts load stays and is saved', async ({ page }) => {
	await logIn(page)
	const edit = `/edit-profile/${demoEmail.split('@')[0]}`

	await test.step('chips, texts and boxes, with the focus elsewhere', async () => {
		const hydrate = await openWithoutScripts(page, edit)
		await field(page, 'Skills').fill('Lanterns, Bridges')
		await field(page, 'City').fill('Early City')
		await field(page, 'About me').fill('Typed early.')
		await page.getByLabel('Mentoring').setChecked(false)
		await hydrate()
		await expect(removes(page)).toHaveCount(2)
		await expect(page.getByText('12 of ')).toBeVisible()
		await page.getByRole('button', { name: 'Save changes' }).click()
		await expectNotice(page, 'Profile updated successfully!')
	})

	await test.step('chips in use: the whole text is replaced, then extended', async () => {
		const hydrate = await openWithoutScripts(page, edit)
		await expect(field(page, 'City')).toHaveValue('Early City')
		await expect(field(page, 'About me')).toHaveValue('Typed early.')
		await expect(page.getByLabel('Mentoring')).not.toBeChecked()
		await expect(field(page, 'Skills')).toHaveValue('Lanterns, Bridges')
		await field(page, 'Skills').focus()
		await page.keyboard.press('ControlOrMeta+a')
		await hydrate()
		await expect(page.getByRole('combobox', { name: 'Skills' })).toBeFocused()
		await page.keyboard.insertText('Rain, Ro')
		await page.keyboard.type('pes')
		await page.getByRole('button', { name: 'Save changes' }).click()
		await expectNotice(page, 'Profile updated successfully!')
		await page.goto(edit)
		await expect(removes(page)).toHaveText(['', ''])
		await expect(page.getByRole('button', { name: 'Remove Ropes' })).toBeVisible()
		await expect(page.getByRole('button', { name: 'Remove Rain' })).toBeVisible()
	})

	await test.step('suggestions and numbers', async () => {
		const hydrate = await openWithoutScripts(page, `${edit}/academics`)
		await field(page, 'University').fill('Early Univ')
		await field(page, 'Branch').fill('Optics')
		await field(page, 'University').focus()
		await page.keyboard.press('End')
		await hydrate()
		await page.keyboard.type('ersity')
		await page.getByRole('button', { name: 'Save changes' }).click()
		await expectNotice(page, 'Academics data updated successfully!')
		await page.reload()
		await expect(field(page, 'University')).toHaveValue('Early University')
		await expect(field(page, 'Branch')).toHaveValue('Optics')
	})

	await test.step('a question: select, tags, Markdown', async () => {
		const hydrate = await openWithoutScripts(page, '/forum/ask')
		await field(page, 'Title').press('Control+k')
		await field(page, 'Title').pressSequentially('What was typed early?')
		await field(page, 'Category').selectOption('others')
		await field(page, 'Description').fill('**All** of this.')
		await field(page, 'Description').press('Control+k')
		await field(page, 'Tags').fill('early, birds, wor')
		await hydrate()
		await page.keyboard.type('ms')
		await page.getByRole('button', { name: 'Post question' }).click()
		await expect(page.getByRole('heading', { level: 1, name: 'What was typed early?' })).toBeVisible()
		await expect(page.locator('main strong')).toHaveText('All')
		for (const tag of ['early', 'birds', 'worms'])
			await expect(
				page
					.locator('main')
					.getByRole('link', { name: `#${tag}`, exact: true })
					.first(),
			).toBeVisible()
		expect(new URL(page.url()).pathname).toContain('/forum/others/')
	})

	await test.step('a button that needs scripts acts once they load, and an open menu stays open', async () => {
		await storeDraft(page)
		const hydrate = await openWithoutScripts(page, '/forum/ask')
		await expect(field(page, 'Title')).toHaveValue('Half of a question')
		await page.getByRole('button', { name: 'Discard' }).click()
		await page.getByRole('button', { name: /account menu/ }).click()
		await hydrate()
		await expect(field(page, 'Title')).toHaveValue('')
		await expect(page.getByText('Draft restored')).toHaveCount(0)
		await hydrated(page)
		await expect(page.getByRole('link', { name: 'My Profile' })).toBeVisible()
	})
})

test('a search typed before the scripts load stays, its list follows, and the switcher opens', async ({ page }) => {
	// The third key is that of Caps Lock.
	const searches: [path: string, label: string, address: string, shortcut: string][] = [
		['/forum?view=solved', 'Search topics', '/forum?q=arrays', 'Control+k'],
		['/find-dev', 'Search people and skills', '/find-dev?q=arrays', 'Meta+k'],
		['/search', 'Search the site', '/search', 'Control+K'],
	]
	for (const [path, label, address, shortcut] of searches) {
		const hydrate = await openWithoutScripts(page, path)
		const search = page.getByLabel(label).first()
		await search.fill('arrays')
		await search.blur()
		await page.keyboard.press(shortcut)
		await hydrate()
		await expect(page.getByRole('combobox', { name: 'Search everything' })).toBeFocused()
		await page.keyboard.press('Escape')
		await expect(page).toHaveURL(address)
		await expect(search).toHaveValue('arrays')
	}
})

test('scripts start without a paint: at once in a background tab, otherwise after a second', async ({ page }) => {
	const started = page.locator('script[data-started=true]')
	await page.clock.install()
	await page.addInitScript(() => {
		// Suppress only the paint entry. Other observers keep working.
		const { observe } = PerformanceObserver.prototype
		PerformanceObserver.prototype.observe = function (options) {
			if (options?.type !== 'paint') observe.call(this, options)
		}
		Object.defineProperty(document, 'hidden', { get: () => location.search === '?hidden' })
	})
	await page.clock.pauseAt(Date.now() + 60_000)
	await page.goto('/login', { waitUntil: 'domcontentloaded' })
	await expect(page.locator('script[data-started=false]')).toHaveCount(1)
	await page.clock.runFor(1_000)
	await expect(started).toHaveCount(1)
	await hydrated(page)

	await page.goto('/login?hidden', { waitUntil: 'domcontentloaded' })
	await expect(started).toHaveCount(1)
	await hydrated(page)
})

test('a reader without scripts sees no button that needs them', async ({ page, browser }) => {
	await logIn(page)
	const me = demoEmail.split('@')[0]
	await storeDraft(page)
	const reader = await browser.newPage({
		baseURL: process.env.SITE_URL ?? '',
		storageState: await page.context().storageState(),
		javaScriptEnabled: false,
	})
	const idle: string[] = []
	for (const path of [
		...[
			'/',
			'/find-dev?q=mira',
			`/find-dev/${me}`,
			`/my-profile/${me}`,
			`/edit-profile/${me}`,
			`/edit-profile/${me}/academics`,
		],
		...[`/edit-profile/${me}/change-password`, `/edit-profile/${me}/import`, '/settings', '/settings/tokens'],
		...[
			'/settings/activity',
			'/confirm-identity',
			'/settings/two-factor',
			'/notifications',
			'/messages',
			'/forum',
			'/forum/ask',
			'/forum/tags',
			'/moderation',
		],
	]) {
		await reader.goto(path)
		const shown = reader.locator('button[type=button]:not([popovertarget]):visible')
		for (const button of await shown.all()) idle.push(`${path}: ${await button.evaluate((node) => node.outerHTML)}`)
	}
	expect(idle).toEqual([])
})

test('missing suggestions are reported, and the field accepts any text', async ({ page }) => {
	await logIn(page)
	const said = 'Suggestions are not available right now.'
	await page.route(/\/suggest\//, (route) => route.abort())
	await page.goto(`/edit-profile/${demoEmail.split('@')[0]}`)
	const skills = page.getByRole('combobox', { name: 'Skills' })
	const status = page.getByRole('status').filter({ hasText: said })
	await skills.pressSequentially('Sail')
	await expect(status).toHaveCount(1)
	await skills.press('Enter')
	await expect(page.getByRole('button', { name: 'Remove Sail' })).toBeVisible()
	await expect(status).toHaveCount(0)
	await page.unroute(/\/suggest\//)
	await skills.pressSequentially('Pyth')
	await expect(page.getByRole('option', { name: /Python/ }).first()).toBeVisible()
	await expect(status).toHaveCount(0)
	page.on('dialog', (asked) => asked.accept())

	await page.route(/\/suggest\//, (route) => route.fulfill({ status: 502, body: 'Bad Gateway' }))
	await page.goto('/find-dev')
	await page
		.getByRole('combobox', { name: /Search/ })
		.first()
		.pressSequentially('mir')
	await expect(status).toHaveCount(1)
	await expect(page.getByText('No developers found')).toHaveCount(0)
	await expect(page.getByRole('region', { name: 'Notices' }).getByRole('alert')).toHaveCount(0)
})

test('Back pressed twice before the scripts have loaded shows the page of its address', async ({ page }) => {
	await page.goto('/forum/tags')
	await hydrated(page)
	const tags = page.getByRole('main').locator('a.index-row')
	const names = (await tags.locator('.tag').allInnerTexts()).slice(0, 2)
	expect(names).toHaveLength(2)
	const [first = '', second = ''] = names
	const heading = page.getByRole('heading', { level: 1 })
	await page.goto(`/forum/tag/${first}`)
	await hydrated(page)
	// The same document: its scripts replace the page.
	await page.evaluate((path) => window.__reactRouterDataRouter.navigate(path), `/forum/tag/${second}`)
	await expect(heading).toHaveText(`#${second}`)
	await page.goto('/forum/tags')

	const { promise, resolve } = Promise.withResolvers<void>()
	await page.route(/\/assets\/.*\.js$/, async (route) => {
		await promise
		await route.continue()
	})
	// In a task of its own: the document may be replaced before `evaluate` has answered.
	const back = () => page.evaluate(() => void setTimeout(() => window.history.back()))
	await back()
	await expect(heading).toHaveText(`#${second}`)
	await back()
	await expect(page).toHaveURL(`/forum/tag/${first}`)
	resolve()
	await hydrated(page)
	await expect(heading).toHaveText(`#${first}`)
	await expect(page).toHaveTitle(new RegExp(first))
})
