import pg from 'pg'
import { siteDatabase } from '../support/site-process.ts'
import { expect, hydrated, test } from './support/journey.ts'

test.describe('a reader without JavaScript', () => {
	test.use({ javaScriptEnabled: false })

	test('reads the forum, pages through it and opens a query', async ({ page }) => {
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

	test('searches, and sees the matches marked', async ({ page }) => {
		await page.goto('/forum')
		await page.getByPlaceholder('Search topics...').fill('useEffect')
		await page.getByPlaceholder('Search topics...').press('Enter')
		await expect(page).toHaveURL(/q=useEffect/)
		await expect(page.locator('mark').first()).toHaveText(/useEffect/i)
	})

	test('finds nothing, and is told so', async ({ page }) => {
		await page.goto('/forum?q=zzzzqqqq')
		await expect(page.getByText('No Query Found !')).toBeVisible()
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

test('a page that was made again without a change still works for whoever has the earlier one', async ({
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

test('an outdated address of a query leads on to the right one with 301', async ({ page, request }) => {
	await page.goto('/forum')
	const href =
		(await page.getByRole('article').first().getByRole('heading').getByRole('link').getAttribute('href')) ?? ''
	const id = href.split('/')[4]
	const outdated = [
		`/forum/others/nobody/${id}`,
		href.replace(/\/[\w-]+$/, ''),
		href.replace(/[\w-]+$/, 'an-older-title'),
	]
	for (const path of outdated) {
		const moved = await request.get(`${path}?sort=best`, { maxRedirects: 0 })
		expect(moved.status()).toBe(301)
		expect(moved.headers().location).toBe(`${href}?sort=best`)
	}
})

for (const path of [
	'/forum/javascript/nobody/999999999',
	'/forum/javascript/nobody/abc',
	'/forum/category/nothing',
	'/forum/tag/nothing-at-all',
	'/no/such/page',
	'/assets/missing.js',
	'/media/none',
]) {
	test(`${path} is a real 404`, async ({ request }) => {
		expect((await request.get(path)).status()).toBe(404)
	})
}

test('feeds, sitemap and robots are there and name whole addresses', async ({ request }) => {
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

test('a query carries structured data that can be read', async ({ page }) => {
	await page.goto('/forum?q=useEffect')
	await page.getByRole('article').first().getByRole('heading').getByRole('link').click()
	await expect(page.getByRole('heading', { name: /^Comments/ })).toBeVisible()
	await page.reload()
	const texts = await page.locator('script[type="application/ld+json"]').allTextContents()
	const pages = texts.map((text) => JSON.parse(text))
	expect(pages.flat().find((data) => data['@type'] === 'QAPage')?.mainEntity.name).toBeTruthy()
})

test('every page carries the headers that protect its reader', async ({ request }) => {
	const headers = (await request.get('/forum')).headers()
	expect(headers['content-security-policy']).toContain("default-src 'none'")
	expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
	expect(headers['content-security-policy']).not.toContain('unsafe-inline')
	expect(headers).toMatchObject({
		'x-content-type-options': 'nosniff',
		'referrer-policy': 'strict-origin-when-cross-origin',
	})
})
