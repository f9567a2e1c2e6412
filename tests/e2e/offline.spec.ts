import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import sharp from 'sharp'
import { startSite } from '../support/site-process.ts'
import { anotherSender, openChatPage, withFriend } from './support/chat.ts'
import { enrol, expect, expectNoViolations, hydrated, settled, submit, test } from './support/journey.ts'

/* Pages without a network, in a real browser with the site's real service worker. */

test.use({ serviceWorkers: 'allow' })

// The next journey must find neither a worker nor its caches. A closed context is not used again.
test.afterEach(({ context }) => context.close())

/** The contents of the cache storage: the paths in each cache. */
function readCaches(page: Page): Promise<Record<string, string[]>> {
	return page.evaluate(async () => {
		const found: Record<string, string[]> = {}
		for (const name of await caches.keys()) {
			// Opening a cache that the page has just deleted would create it again.
			if (!(await caches.has(name))) continue
			const requests = await (await caches.open(name)).keys()
			found[name] = requests.map(({ url }) => new URL(url).pathname)
		}
		return found
	})
}

/** Opens a page and waits for the worker, which then handles later requests. */
async function openWithWorker(page: Page, path: string): Promise<void> {
	await page.goto(path)
	await page.evaluate(() => navigator.serviceWorker.ready)
	await expect
		.poll(async () => Object.keys(await readCaches(page)).some((name) => name.startsWith('shell ')))
		.toBe(true)
}

/** Opens a question in the forum through its link, as readers do. Default: the first. @returns its path and title */
async function openQuestion(page: Page, place = 0): Promise<{ path: string; title: string }> {
	if (new URL(page.url()).pathname !== '/forum') await page.goto('/forum')
	await page.getByRole('article').nth(place).getByRole('heading').getByRole('link').click()
	await page.waitForURL(/\/forum\/[^/]+\/[^/]+\/\d+\/[\w-]+$/)
	// The address changes shortly before the page.
	await expect(page.getByRole('heading', { name: /^Comments/ })).toBeVisible()
	const title = await page.getByRole('heading', { level: 1 }).innerText()
	return { path: new URL(page.url()).pathname, title }
}

/** Takes the network away once the page has loaded everything, because React Router logs missing requests to the console. */
async function goOffline(page: Page): Promise<void> {
	await settled(page)
	await page.context().setOffline(true)
}

const bar = (page: Page) => page.getByRole('status').filter({ hasText: 'Offline.' })
const offlineTitle = (page: Page) => page.getByRole('heading', { level: 1, name: 'You are offline.' })

test('a question read before is available offline and marked as old; anything else shows the offline page', async ({
	page,
	context,
}) => {
	await page.setViewportSize({ width: 390, height: 844 })
	const username = await enrol(page, 'Una Offline')
	await openWithWorker(page, '/find-dev')
	const { path, title } = await openQuestion(page)
	await expect.poll(async () => (await readCaches(page))[`saved:@${username}`]).toEqual([path])

	// A place in the page that no address can have.
	await page.goto(`${path}#100%`)
	await goOffline(page)
	await page.reload()
	await expect(bar(page)).toHaveText(/Offline\. Saved just now\.\s+Try again/)
	await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
	await expect(page.getByRole('heading', { name: /^Comments/ })).toBeVisible()
	await expect(page).toHaveTitle(new RegExp(`^${title.slice(0, 10)}`))
	// Nothing is offered that could not be sent, and no scripts from the copy run.
	await expect(page.locator('[data-part="copy"]').locator('form, textarea, button, script')).toHaveCount(0)
	expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
	await expect.poll(() => page.evaluate(() => document.fonts.check('16px "Schibsted Grotesk Variable"'))).toBe(true)

	await page.goto('/find-dev')
	await expect(offlineTitle(page)).toBeVisible()
	const saved = page.getByRole('region', { name: 'Saved questions' }).getByRole('link')
	await expect(saved).toHaveCount(1)
	await expectNoViolations(page)
	await page.emulateMedia({ colorScheme: 'dark' })
	await saved.click()
	await expect(bar(page)).toBeVisible()
	await expectNoViolations(page)

	// A reader learns that the network is back. The offline page reloads by itself.
	await context.setOffline(false)
	await expect(page.getByText('You are back online.')).toBeVisible()
	await page.getByRole('link', { name: 'Load the current page' }).click()
	await expect(page.getByLabel('Your comment')).toBeVisible()
	await goOffline(page)
	await page.goto('/notifications')
	await expect(offlineTitle(page)).toBeVisible()
	await context.setOffline(false)
	await expect(page.getByRole('heading', { level: 1, name: 'Notifications' })).toBeVisible()

	// The site's response takes precedence over a saved copy, and a 404 deletes the copy.
	const gone = '/forum/others/nobody/999999'
	await page.evaluate(
		async ([from = '', to = '', name = '']) => {
			const cache = await caches.open(`saved:@${name}`)
			const copy = await cache.match(from)
			if (copy) await cache.put(to, copy)
		},
		[path, gone, username],
	)
	expect((await page.goto(gone))?.status()).toBe(404)
	await expect.poll(async () => (await readCaches(page))[`saved:@${username}`]).toEqual([path])

	// Nor do copies stay that were saved under a former username.
	await page.evaluate(async () => void (await caches.open('saved:@former.username')))
	await page.goto('/forum')
	await expect.poll(async () => Object.keys(await readCaches(page))).not.toContain('saved:@former.username')

	// An expired copy is neither shown nor kept.
	await page.evaluate(
		async ([saved = '', name = '']) => {
			const cache = await caches.open(`saved:@${name}`)
			const copy = await cache.match(saved)
			const headers = new Headers(copy?.headers)
			headers.set('Copy-Expires-At', String(Date.now() - 1))
			await cache.put(saved, new Response(await copy?.text(), { headers }))
		},
		[path, username],
	)
	await goOffline(page)
	await page.goto(path)
	await expect(offlineTitle(page)).toBeVisible()
	await expect(page.getByText('No pages are saved in this browser.')).toBeVisible()
	expect((await readCaches(page))[`saved:@${username}`]).toEqual([])
	await context.setOffline(false)
})

test('the copy of a query that is deleted loses its text when a link leads there again', async ({ page, browser }) => {
	const asker = (await anotherSender(browser, 'Ida Retractor')).page
	const username = await enrol(page, 'Rhea Reader')
	const texts = {
		title: 'A title to be taken back',
		description: 'Call me tonight.',
		tags: 'talking',
		category: 'others',
	}
	await submit(asker, '/forum/ask', texts)
	await openWithWorker(page, '/forum')
	const link = page.getByRole('heading').getByRole('link', { name: texts.title })
	await link.click()
	await expect(page.getByRole('heading', { name: /^Comments/ })).toBeVisible()
	const path = new URL(page.url()).pathname
	await submit(page, path, { intent: 'comment', body: 'Better not.' })
	const copy = () =>
		page.evaluate(
			async ([at = '', name = '']) => (await (await caches.open(`saved:@${name}`)).match(at))?.text(),
			[path, username],
		)
	await expect.poll(copy).toContain('Call me tonight.')
	// An open list leads to the former address, without loading the page as a whole.
	await page.goto('/forum')
	await settled(page)
	await submit(asker, path, { intent: 'delete-query' })
	await link.click()
	await expect(page.getByText('Better not.')).toBeVisible()
	await expect.poll(copy).not.toContain('Call me tonight.')
	await asker.context().close()
})

test('conversations are saved only if the member allows it, and no member data remain after a logout', async ({
	page,
	context,
	browser,
}) => {
	const [ada, bo] = await withFriend(page, browser, ['Ada Saver', 'Bo Saver'])
	await openWithWorker(page, '/settings')
	const choice = page.getByLabel('Save conversations in this browser')
	await expect(choice).not.toBeChecked()
	// On by default in the installed app. No browser flag can emulate an installed app.
	const app = await context.newPage()
	await app.addInitScript(() => {
		const ask = window.matchMedia.bind(window)
		window.matchMedia = (query) => ask(query === '(display-mode: standalone)' ? 'all' : query)
	})
	await app.goto('/settings')
	await expect(app.getByLabel('Save conversations in this browser')).toBeChecked()
	await app.close()

	const saved = async () => (await readCaches(page))[`saved:@${ada.username}`] ?? []
	await openChatPage(page, bo)
	const { path } = await openQuestion(page)
	// The conversation was open before the question, whose copy is available.
	await expect.poll(saved).toEqual([path])
	await page.goto('/settings')
	await choice.check()
	await openChatPage(page, bo)
	const conversation = `/messages/${bo.username}`
	await expect.poll(saved).toEqual([path, conversation])

	await goOffline(page)
	await page.reload()
	await expect(bar(page)).toBeVisible()
	await expect(page.getByRole('listitem').filter({ hasText: 'Hello yourself' })).toBeVisible()
	await page.goto('/')
	await expect(page.getByRole('region', { name: 'Saved conversations' }).getByRole('link')).toHaveText(/^Bo Saver/)
	await context.setOffline(false)
	await expect(page.getByRole('button', { name: /account menu/ })).toBeVisible()
	await page.goto('/settings')
	await choice.uncheck()
	await expect.poll(saved).toEqual([path])
	await choice.check()
	await openChatPage(page, bo)
	await expect.poll(saved).toEqual([path, conversation])

	// A page left open saves nothing after the logout either, even when it changes.
	await page.getByRole('button', { name: /account menu/ }).click()
	await page.getByRole('button', { name: 'Logout' }).filter({ visible: true }).click()
	await page.waitForURL('**/login')
	await expect.poll(async () => JSON.stringify(await readCaches(page))).not.toMatch(/saved:@|messages|saver/i)

	// Pages read by a visitor are public and survive the next page.
	const read = await openQuestion(page)
	const copies = async () => (await readCaches(page))['saved:'] ?? []
	await expect.poll(copies).toEqual([read.path])
	await page.goto('/forum')
	expect(await copies()).toEqual([read.path])

	// The number of copies is limited, and a full cache drops its older half.
	await page.evaluate(async () => {
		const cache = await caches.open('saved:')
		const now = Date.now()
		for (let age = 1; age <= 40; age += 1) {
			const [saved, expires] = [now - 3_600_000 - age, now + 3_600_000]
			const headers = { 'Copy-Kind': 'question', 'Copy-Saved-At': `${saved}`, 'Copy-Expires-At': `${expires}` }
			await cache.put(`/forum/others/old/${age}`, new Response('', { headers }))
		}
	})
	const next = await openQuestion(page, 1)
	await expect.poll(async () => (await copies()).length).toBe(30)
	const newest = [next.path, read.path, '/forum/others/old/1', '/forum/others/old/28']
	expect(await copies()).toEqual(expect.arrayContaining(newest))
	await page.goto('/forum')
	await page.evaluate(() => {
		const { put } = Cache.prototype
		Cache.prototype.put = async () => {
			Cache.prototype.put = put
			throw new DOMException('There is no room.', 'QuotaExceededError')
		}
	})
	const third = await openQuestion(page, 2)
	await expect.poll(copies).toEqual(expect.arrayContaining([third.path, next.path, '/forum/others/old/1']))
	expect(await copies()).toHaveLength(16)
	await goOffline(page)
	await page.goto(conversation)
	await expect(offlineTitle(page)).toBeVisible()
	await page.getByRole('button', { name: 'Delete saved pages' }).click()
	await expect(page.getByText('No pages are saved in this browser.')).toBeVisible()
	expect(Object.keys(await readCaches(page)).filter((name) => name.startsWith('saved:'))).toEqual([])
	await context.setOffline(false)
	await bo.page.context().close()
})

test('pages report that the site is down and recover by themselves; a new build brings its own offline page', async ({
	page,
}) => {
	const folder = mkdtempSync(join(tmpdir(), 'devquad-offline-'))
	let site = await startSite({ DATA_DIR: folder, SITE_NAME: 'Old Quad' })
	const { port } = new URL(site.url)
	await page.goto(`${site.url}/forum`)
	await page.getByRole('article').first().getByRole('heading').getByRole('link').click()
	await page.evaluate(() => navigator.serviceWorker.ready)
	// Only the names: a cache that is opened while the worker deletes it is created again.
	const shells = async () => (await page.evaluate(() => caches.keys())).filter((name) => name.startsWith('shell '))
	await expect.poll(async () => (await shells()).length).toBe(1)
	const [before] = await shells()

	await settled(page)
	await site.stop()
	await page.goto(`${site.url}/find-dev`)
	await expect(offlineTitle(page)).toBeVisible()
	await expect(page).toHaveTitle('Offline · Old Quad')
	site = await startSite({ DATA_DIR: folder, PORT: port, SITE_NAME: 'New Quad' })
	await expect(page.getByRole('complementary', { name: 'Filters' })).toBeVisible({ timeout: 60_000 })

	const open = await page.context().newPage()
	await open.goto(`${site.url}/forum`)
	await open.getByRole('article').first().getByRole('heading').getByRole('link').click()
	await expect(open.getByRole('heading', { name: /^Comments/ })).toBeVisible()
	await page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.update())
	await expect.poll(async () => (await shells()).length).toBe(2)
	// The new worker waits until no tab is visible, because a page opened during the takeover may never get a response.
	const hide = () => {
		Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
		document.dispatchEvent(new Event('visibilitychange'))
	}
	// Repeat, because the page may not listen yet. Each pause is longer than a tab has to be hidden.
	const hideAndList = () => open.evaluate(hide).then(shells)
	await expect.poll(hideAndList, { intervals: [6_000], timeout: 60_000 }).not.toContain(before)
	expect(await shells()).toHaveLength(1)
	// A tab that was already open keeps working.
	await open.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Community' }).click()
	await expect(open.getByRole('complementary', { name: 'Filters' })).toBeVisible()
	await site.stop()
	await page.goto(`${site.url}/`)
	await expect(offlineTitle(page)).toBeVisible()
	await expect(page).toHaveTitle('Offline · New Quad')
	rmSync(folder, { recursive: true, force: true })
})

test('the manifest has what an installed app needs, and its icons match their description', async ({ page }) => {
	await page.goto('/login')
	const link = page.locator('link[rel="manifest"]')
	const answer = await page.request.get((await link.getAttribute('href')) ?? '')
	expect(answer.headers()['content-type']).toBe('application/manifest+json')
	const { icons, shortcuts, description, ...fields } = await answer.json()
	expect(fields).toEqual({
		id: '/',
		name: 'DevQuad',
		short_name: 'DevQuad',
		lang: 'en',
		start_url: '/',
		scope: '/',
		display: 'standalone',
		background_color: '#faf8f2',
		theme_color: '#faf8f2',
		categories: ['education', 'social'],
	})
	expect(description.length).toBeGreaterThan(20)
	const shapes = icons.map(({ sizes, purpose = 'any' }: Icon) => `${sizes} ${purpose}`)
	expect(shapes.sort()).toEqual(['192x192 any', '192x192 maskable', '512x512 any', '512x512 maskable', 'any any'])
	// The default path on iOS, also named in members' pages.
	const touch = '/apple-touch-icon.png'
	const others = [{ src: touch, sizes: '180x180', type: 'image/png', isWhole: true }]
	for (const { src, sizes, type, purpose, isWhole } of [...icons, ...others, ...shortcuts.flatMap(iconsOf)]) {
		const file = await page.request.get(src)
		expect(file.headers()['content-type'], src).toContain(type)
		const picture = sharp(await file.body())
		const { width, height, hasAlpha } = await picture.metadata()
		if (sizes !== 'any') expect(`${width}x${height}`, src).toBe(sizes)
		// An icon cut to any shape must have no transparent corner.
		if (purpose === 'maskable' || isWhole) expect(hasAlpha, src).toBe(false)
	}
	expect((await page.request.get('/favicon.ico')).status()).toBe(200)
	for (const { url } of shortcuts) expect((await page.request.get(url)).ok(), url).toBe(true)
	const worker = await page.request.get('/service-worker.js')
	expect(worker.headers()['cache-control']).toBe('public, no-cache')
	expect(worker.headers()['content-type']).toContain('text/javascript')
})

interface Icon {
	sizes: string
	purpose?: string
}

const iconsOf = ({ icons }: { icons: Icon[] }) => icons

test('a member is offered the app if the browser can install it, and the icon shows the unread count', async ({
	page,
}) => {
	await page.addInitScript(() => {
		const counts: number[] = []
		Object.assign(window, { counts })
		Object.assign(Navigator.prototype, {
			setAppBadge: async (count: number) => void counts.push(count),
			clearAppBadge: async () => void counts.push(-1),
		})
	})
	const counts = () => page.evaluate(() => (window as unknown as { counts: number[] }).counts)
	await enrol(page, 'Inga Staller')
	await page.goto('/find-dev')
	await hydrated(page)
	await expect.poll(async () => (await counts()).at(-1)).toBe(0)
	// The theme colour matches the page background in both themes.
	const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
	for (const colorScheme of ['light', 'dark'] as const) {
		await page.emulateMedia({ colorScheme })
		const named = page.locator(`meta[name="theme-color"][media*="${colorScheme}"]`)
		const [, ...parts] = /#(..)(..)(..)/.exec((await named.getAttribute('content')) ?? '') ?? []
		await expect.poll(paper).toBe(`rgb(${parts.map((part) => Number.parseInt(part, 16)).join(', ')})`)
	}
	await page.emulateMedia({ colorScheme: 'light' })
	await page.evaluate(() => {
		const event = new Event('beforeinstallprompt', { cancelable: true })
		Object.assign(event, { prompt: async () => void Object.assign(window, { asked: true }) })
		window.dispatchEvent(event)
	})
	await page.getByRole('button', { name: /account menu/ }).click()
	const item = page.getByRole('button', { name: 'Install app' }).filter({ visible: true })
	await expect(item).toBeVisible()
	await item.click()
	await expect.poll(() => page.evaluate(() => 'asked' in window)).toBe(true)
	await expect(item).toHaveCount(0)
	await page.getByRole('button', { name: /account menu/ }).click()
	await page.getByRole('button', { name: 'Logout' }).filter({ visible: true }).click()
	await expect.poll(async () => (await counts()).includes(-1)).toBe(true)
})
