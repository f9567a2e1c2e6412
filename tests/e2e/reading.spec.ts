import type { Locator, Page } from '@playwright/test'
import pg from 'pg'
import { siteDatabase } from '../support/site-process.ts'
import {
	demoEmail,
	enrol,
	expect,
	expectNoViolations,
	firstQuestion,
	hydrated,
	logIn,
	settled,
	test,
} from './support/journey.ts'

test.describe('a reader without JavaScript', () => {
	test.use({ javaScriptEnabled: false })

	test('reads the forum, pages through it and opens a question', async ({ page }) => {
		await page.goto('/forum')
		await expect(page.getByRole('heading', { level: 1 })).toHaveText('Recent Queries')
		const first = page.getByRole('article').first().getByRole('heading')
		const title = await first.innerText()
		await page.getByRole('link', { name: /load more/i }).click()
		await expect(page).toHaveURL(/cursor=/)
		await expect(first).not.toHaveText(title)
		await first.getByRole('link').click()
		await expect(page.getByRole('heading', { name: /^Comments \(\d+\)$/ })).toBeVisible()
	})

	test('searches and sees the matches highlighted', async ({ page }) => {
		await page.goto('/forum')
		await page.getByPlaceholder('Search topics...').fill('useEffect')
		await page.getByPlaceholder('Search topics...').press('Enter')
		await expect(page).toHaveURL(/q=useEffect/)
		await expect(page.locator('mark').first()).toHaveText(/useEffect/i)
	})

	test('gets a message when nothing matches', async ({ page }) => {
		await page.goto('/forum?q=zzzzqqqq')
		await expect(page.getByRole('main')).toContainText(/No Query Found !.*Nothing matches “zzzzqqqq”\. Try/s)
	})

	test('narrows the list to a category and to a tag', async ({ page }) => {
		await page.goto('/forum')
		await page
			.getByRole('navigation', { name: 'Categories' })
			.first()
			.getByRole('link', { name: /^Python/ })
			.click()
		await expect(page).toHaveURL(/\/forum\/category\/python$/)
		await expect(page.getByRole('article').first()).toContainText('Python')
	})
})

test('a page rendered again without a change still works for a reader with the earlier one', async ({
	page,
	request,
}) => {
	const madeAt = async () => (await request.get('/forum')).headers()['content-security-policy']
	await page.goto('/forum')
	await hydrated(page)
	const before = await madeAt()
	const client = new pg.Client(siteDatabase(process.env.SITE_DATA_DIR ?? ''))
	await client.connect()
	await client.query(`select pg_notify('devquad_pages', 'the-test 0 page')`)
	await client.end()
	await expect.poll(madeAt).not.toBe(before)
	await page.goto('/forum')
	await expect(page.locator('html[data-hydrated]')).toBeAttached()
})

test('Back leaves a page whose theme was changed', async ({ page }) => {
	await page.goto('/forum')
	await page.getByRole('link', { name: 'Solved', exact: true }).click()
	await expect(page).toHaveURL('/forum?view=solved')
	for (const theme of ['dark', 'light']) {
		await page
			.getByRole('contentinfo')
			.getByRole('button', { name: `${theme} theme` })
			.click()
		await expect(page.locator('html')).toHaveAttribute('data-theme', theme)
		await settled(page)
	}
	await page.goBack()
	await expect(page).toHaveURL('/forum')
})

test('Arabic is read from the right, also around Latin words', async ({ page }) => {
	const beginsRightOf = (text: Locator, word: string) =>
		text.evaluate((shown, word) => {
			const node = document.createTreeWalker(shown, NodeFilter.SHOW_TEXT).nextNode() as Text
			const leftOf = (place: number) => {
				const range = document.createRange()
				range.setStart(node, place)
				range.setEnd(node, place + 1)
				return range.getBoundingClientRect().left
			}
			return leftOf(0) > leftOf(node.data.indexOf(word))
		}, word)
	await enrol(page, 'Layla Rightfield')
	await page.goto('/forum/ask')
	await settled(page)
	await page.getByLabel('Title').fill('كيف أستخدم git ثم React؟')
	await page.getByLabel('Category').selectOption('others')
	await page.getByLabel('Description').fill('أستخدم git ثم React. شكرا @layla.rightfield، هل يعمل؟')
	await page.getByLabel('Tags').fill('performance')
	await page.getByRole('button', { name: 'Post question' }).click()
	await expect(page.getByRole('heading', { level: 1 })).toContainText('React')
	const main = page.getByRole('main')
	expect(await beginsRightOf(main.getByRole('heading', { level: 1 }), 'git')).toBe(true)
	expect(await beginsRightOf(main.locator('.prose p').first(), 'git')).toBe(true)
	expect(await beginsRightOf(main.getByRole('link', { name: '@layla.rightfield' }), 'layla')).toBe(false)
	await page.goto('/forum')
	const card = main.getByRole('article').filter({ hasText: 'أستخدم' }).first()
	expect(await beginsRightOf(card.getByRole('heading').getByRole('link'), 'git')).toBe(true)
	expect(await beginsRightOf(card.locator('.query-text'), 'git')).toBe(true)
	// Fonts of other scripts have lower boxes.
	await expectNoViolations(page)
})

test('an outdated question address redirects to the current one with 301', async ({ page, request }) => {
	const href = await firstQuestion(page)
	for (const path of [
		`/forum/others/nobody/${href.split('/')[4]}`,
		href.replace(/\/[\w-]+$/, ''),
		href.replace(/[\w-]+$/, 'an-older-title'),
	]) {
		const moved = await request.get(`${path}?sort=best`, { maxRedirects: 0 })
		expect(moved.status()).toBe(301)
		expect(moved.headers().location).toBe(`${href}?sort=best`)
	}
})

test('an address of nothing is a real 404', async ({ request }) => {
	for (const path of [
		'/forum/javascript/nobody/999999999',
		'/forum/javascript/nobody/abc',
		'/forum/category/nothing',
		'/forum/tag/nothing-at-all',
		'/no/such/page',
		'/assets/missing.js',
		'/media/none',
	])
		expect((await request.get(path)).status(), path).toBe(404)
})

test('feeds, sitemap and robots.txt exist and use absolute addresses', async ({ request }) => {
	for (const [path, type] of [
		['/forum/feed.atom', 'application/atom+xml'],
		['/forum/category/python/feed.atom', 'application/atom+xml'],
		['/sitemap.xml', 'application/xml'],
		['/robots.txt', 'text/plain'],
	] as const) {
		const answer = await request.get(path)
		expect(answer.status(), path).toBe(200)
		expect(answer.headers()['content-type'], path).toContain(type)
		expect(await answer.text(), path).toContain(process.env.SITE_URL)
	}
})

test('a question has readable structured data', async ({ page }) => {
	const html = await (await page.request.get(await firstQuestion(page, '/forum?q=useEffect'))).text()
	const scripts = html.matchAll(/<script[^>]* type="application\/ld\+json"[^>]*>([\s\S]*?)<\/script>/g)
	const pages = Array.from(scripts, ([, text = '']) => JSON.parse(text))
	expect(pages.flat().find((data) => data['@type'] === 'QAPage')?.mainEntity.name).toBeTruthy()
})

test('every page has the security headers', async ({ request }) => {
	const { 'content-security-policy': policy, ...headers } = (await request.get('/forum')).headers()
	for (const part of ["default-src 'none'", "frame-ancestors 'none'"]) expect(policy).toContain(part)
	expect(policy).not.toContain('unsafe-inline')
	expect(headers).toMatchObject({
		'x-content-type-options': 'nosniff',
		'cross-origin-opener-policy': 'same-origin',
		'referrer-policy': 'strict-origin-when-cross-origin',
	})
})

test('browsers cache build files permanently, and icons for five minutes', async ({ request }) => {
	const [script] = /\/assets\/manifest-\w+\.js/.exec(await (await request.get('/forum')).text()) ?? []
	const caching = async (path = '') => (await request.get(path)).headers()['cache-control']
	expect(await caching(script)).toBe('public, max-age=31536000, immutable')
	for (const icon of ['/favicon.svg', '/favicon.ico', '/icons/icon-192.png'])
		expect(await caching(icon)).toBe('public, max-age=300')
})

for (const [name, hasFile] of [
	['a file of the build has the routes of all links', true],
	['without that file, the server is asked for the routes of a link', false],
] as const)
	test(name, async ({ page }) => {
		const file = /\/assets\/manifest-\w+(-more)?\.js$/
		if (!hasFile) await page.route(file, (route) => route.fulfill({ status: 404, body: 'Not found' }))
		const asked: string[] = []
		page.on('request', (request) => asked.push(new URL(request.url()).pathname))
		await page.goto('/forum')
		await settled(page)
		const row = page.getByRole('article').nth(7).getByRole('heading').getByRole('link')
		const title = await row.innerText()
		// By keyboard, so that no resting pointer prefetches it.
		await row.press('Enter')
		await expect(page.getByRole('heading', { level: 1 })).toHaveText(title)
		expect(asked.filter((path) => path.endsWith('.data'))).toHaveLength(1)
		expect(asked.includes('/__manifest')).toBe(!hasFile)
		if (hasFile) expect(asked.filter((path) => file.test(path))).toHaveLength(1)
	})

test('pages of members have the routes of their links from two files of the build', async ({ page }) => {
	await logIn(page)
	const asked: string[] = []
	page.on('request', (request) => asked.push(new URL(request.url()).pathname))
	await page.goto('/settings')
	await settled(page)
	expect(asked.filter((path) => /\/assets\/manifest-\w+(-more)?\.js$/.test(path))).toHaveLength(2)
	await page.getByRole('main').locator('a[href="/settings/data"]').first().press('Enter')
	await expect(page).toHaveURL('/settings/data')
	expect(asked).not.toContain('/__manifest')
})

test('a question on paper has dark text in either theme, and nothing that can only be pressed', async ({ page }) => {
	await logIn(page)
	await page.goto(await firstQuestion(page, '/forum?q=useEffect'))
	const heading = page.getByRole('heading', { level: 1 })
	await page.emulateMedia({ colorScheme: 'light' })
	const dark = await heading.evaluate((element) => getComputedStyle(element).color)
	await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
	await expect(heading).toHaveCSS('color', dark)
	await page.evaluate(() => document.documentElement.setAttribute('data-theme', 'dark'))
	await expect(heading).toHaveCSS('color', dark)
	for (const gone of ['banner', 'contentinfo'] as const) await expect(page.getByRole(gone)).toBeHidden()
	await expect(page.getByRole('link', { name: 'Skip to content' })).toBeHidden()
	await expect(page.getByRole('heading', { name: /^Comments/ })).toBeVisible()
	await expect(page.locator('.code pre').first()).toHaveCSS('white-space', 'pre-wrap')
	for (const pressed of ['textarea', 'summary', '[data-not-saved]'])
		await expect(page.locator(pressed).filter({ visible: true })).toHaveCount(0)
})

/** The picture that a journey gives a member has no file. One that fails to load is replaced by initials, at some time. */
async function serveProfilePictures(page: Page): Promise<void> {
	await page.route(/\/media\/profiles\//, (route) => route.fulfill({ contentType: 'image/gif', body: pixel }))
}

test("the rows read back from a list's document are those the server would send", async ({ page }) => {
	await logIn(page)
	const client = new pg.Client(siteDatabase(process.env.SITE_DATA_DIR ?? ''))
	await client.connect()
	await client.query(
		`with added as (
			insert into pictures (path, user_id, kind, width, height, bytes, colour)
			select 'profiles/' || username || '/' || md5(username), id, 'profile', 96, 96, 1, '#ffffff' from users where email = $1
			returning user_id, path)
		update users set image = path from added where id = user_id`,
		[demoEmail],
	)
	await client.end()
	await serveProfilePictures(page)
	const ask = (title: string, more = {}) =>
		page.request.post('/forum/ask', {
			form: { title, description: 'A "text" & <more>.\n\n\\o/', tags: 'c++, read-back', category: 'others', ...more },
			headers: { Origin: process.env.SITE_URL ?? '' },
			maxRedirects: 0,
		})
	for (const answer of [await ask('Is <b> & "b" 😀 the same?'), await ask('Who am I?', { pseudonym: 'on' })])
		expect(answer.status()).toBe(303)
	const shown = () =>
		page.getByRole('article').evaluateAll((rows) =>
			rows.map((row) => {
				// The data from which React renders a row.
				const name = Object.keys(row).find((key) => key.startsWith('__reactFiber'))
				for (let fiber = row[name as never] as Fiber | null; fiber; fiber = fiber.return)
					if (fiber.memoizedProps?.question) return fiber.memoizedProps.question
				return null
			}),
		)
	// The attribute for route discovery appears on hydration.
	const drawn = () =>
		page
			.locator('main')
			.evaluate((main) =>
				main.innerHTML.replace(/>[^<]*<\/time>| hidden=""/g, '>').replaceAll(' data-discover="true"', ''),
			)
	const expectSameRows = async (path: string) => {
		await page.goto(path)
		await hydrated(page)
		const [before, html] = [await shown(), await drawn()]
		const sent = page.waitForResponse((response) => new URL(response.url()).pathname === `${path}.data`)
		await page.evaluate(() =>
			(window as never as { __reactRouterDataRouter: Router }).__reactRouterDataRouter.revalidate(),
		)
		await sent
		await expect.poll(() => page.evaluate(rowsOfLoader)).toEqual(before)
		expect(await shown()).toEqual(before)
		expect(await drawn()).toBe(html)
		return before
	}
	expect(await expectSameRows('/forum')).toHaveLength(20)
	// A list of their own: a pseudonym's question is dated to the full hour, and other journeys may have filled the first page since.
	const own = await expectSameRows('/forum/tag/read-back')
	expect(own.map((row) => row?.author.pseudonym !== undefined)).toEqual([false, true])
	expect(own.map((row) => row?.author.image !== null)).toEqual([true, false])
	expect(own.map((row) => row?.mayEdit)).toEqual([true, true])
	// None of the newest may be solved on a site that other journeys use.
	await page.goto('/forum?view=solved')
	await hydrated(page)
	expect(new Set((await shown()).map((row) => row?.solved))).toEqual(new Set([true]))
})

test('search results read back from their document are those the server would send', async ({ page }) => {
	await serveProfilePictures(page)
	await logIn(page)
	const headers = { Origin: process.env.SITE_URL ?? '' }
	const title = 'Do <i> & "quolibets" tick?'
	const form = { title, description: 'With a "quolibet" & <more>.', tags: 'c++', category: 'others' }
	const asked = await page.request.post('/forum/ask', { form, headers, maxRedirects: 0 })
	const id = (asked.headers().location ?? '').split('/')[4]
	const data = { body: 'A "vexillum" & <b> of it.' }
	const commented = await page.request.post(`/api/v1/queries/${id}/comments`, { data, headers })
	expect(commented.status()).toBe(201)
	for (const [search, found] of [
		['quolibet', 'titleHtml'],
		['vexillum', 'commentMatch'],
	] as const) {
		await page.goto(`/forum?q=${search}`)
		await hydrated(page)
		const drawn = () =>
			page
				.getByRole('article')
				.evaluateAll((rows) =>
					rows.map((row) => row.innerHTML.replace(/>[^<]*<\/time>/g, '>').replaceAll(' data-discover="true"', '')),
				)
		const [before, html] = [await page.evaluate(rowsDrawn), await drawn()]
		expect([before.length, before[0]?.[found]]).toEqual([1, expect.anything()])
		const sent = page.waitForResponse(/\/forum\.data/)
		await page.evaluate(() =>
			(window as never as { __reactRouterDataRouter: Router }).__reactRouterDataRouter.revalidate(),
		)
		await sent
		await expect.poll(() => page.evaluate(rowsOfLoader)).toBeDefined()
		expect(await page.evaluate(rowsDrawn)).toEqual(before)
		expect(await drawn()).toEqual(html)
	}
})

/**
 * The data from which React renders the rows, with HTML as a browser serializes it and without fields that are not rendered. Runs in the
 * browser.
 */
function rowsDrawn(): Record<string, unknown>[] {
	const written = (html: unknown) => {
		const box = document.createElement('div')
		box.innerHTML = String(html)
		return box.innerHTML
	}
	return [...document.querySelectorAll('article.query')].map((row) => {
		const name = Object.keys(row).find((key) => key.startsWith('__reactFiber'))
		let fiber = row[name as never] as Fiber | null
		while (fiber && !fiber.memoizedProps?.question) fiber = fiber.return
		const question = (fiber?.memoizedProps?.question ?? {}) as Partial<Row> & {
			excerpt?: string
			excerptHtml?: string
			titleHtml?: string
			commentMatch?: { html: string }
		}
		const { excerpt: _, excerptHtml, titleHtml, commentMatch, ...rest } = question
		return {
			...rest,
			titleHtml: written(titleHtml),
			...(commentMatch
				? { commentMatch: { ...commentMatch, html: written(commentMatch.html) } }
				: { excerptHtml: written(excerptHtml) }),
		}
	})
}

interface Fiber {
	memoizedProps: { question?: Row } | null
	return: Fiber | null
}

/** A picture of one pixel. */
const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

interface Row {
	author: { image: string | null; pseudonym?: object }
	solved: boolean
	mayEdit: boolean
}

interface Router {
	revalidate: () => Promise<void>
	state: { loaderData: Record<string, { page?: { rows?: Row[] } }> }
}

/** Runs in the browser. */
function rowsOfLoader(): Row[] | undefined {
	const { loaderData } = (window as never as { __reactRouterDataRouter: Router }).__reactRouterDataRouter.state
	return Object.values(loaderData).find(({ page }) => page)?.page?.rows
}
