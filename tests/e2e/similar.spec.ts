import { expect, expectNoViolations, logIn, test } from './support/journey.ts'

test.describe('asking what was asked before', () => {
	test('shows the question while typing, opens it beside the draft, and lets the member leave the draft for it', async ({
		page,
	}) => {
		await logIn(page)
		const known = 'Why does my useEffect fetch twice in development?'
		await page.goto('/forum/ask')
		const title = page.getByRole('textbox', { name: 'Title' })
		await title.fill(known.slice(0, 32))
		await title.pressSequentially(known.slice(32, 40), { delay: 15 })
		const panel = page.getByRole('region', { name: 'Similar questions' })
		const first = panel.getByRole('listitem').filter({ hasText: known })
		await expect(first.locator('mark').first()).toBeVisible()
		await expect(page.getByRole('status').filter({ hasText: /similar questions? found/ })).toBeAttached()
		await expectNoViolations(page)

		const opened = page.waitForEvent('popup')
		await first.getByRole('link').click()
		const beside = await opened
		await expect(beside.getByRole('heading', { level: 1 })).toHaveText(known)
		await beside.close()

		const solved = first.getByRole('button', { name: `This solved mine: ${known}` })
		const message = 'There is no such query.'
		await page.route('**/suggest/similar', (route) => route.fulfill({ status: 404, json: { message } }), { times: 1 })
		await solved.click()
		await expect(first.getByRole('alert')).toHaveText(message)
		await title.fill('Zebra')
		await expect(first).toHaveCount(0)
		await title.fill(known)
		await expect(solved).toBeVisible()
		await expect(first.getByRole('alert'), 'the question is back, its error is not').toHaveCount(0)

		await solved.click()
		await expect(page).toHaveURL(/\/forum\/[^/]+\/[^/]+\/\d+\/[\w-]+$/)
		await expect(page.getByRole('heading', { level: 1 })).toHaveText(known)
	})

	test('shows matches for the latest words, however late an older response arrives', async ({ page }) => {
		let asked = 0
		let release = () => {}
		const held = new Promise<void>((done) => {
			release = done
		})
		await page.route('**/suggest/similar?**', async (route) => {
			asked += 1
			const title = new URL(route.request().url()).searchParams.get('title') ?? ''
			if (title === 'older words') await held
			const row = { id: 1, url: '/forum', title, titleHtml: title, solved: false, commentCount: 0, score: 1 }
			await route.fulfill({ json: { rows: [row] } }).catch(() => {})
		})
		await page.goto('/forum/ask')
		const field = page.getByRole('textbox', { name: 'Title' })
		await expect(async () => {
			await field.fill('older words')
			await expect.poll(() => asked, { timeout: 1_000 }).toBe(1)
		}).toPass()
		await field.fill('newer words')
		const panel = page.getByRole('region', { name: 'Similar questions' })
		await expect(panel).toContainText('newer words')
		release()
		await page.unrouteAll({ behavior: 'wait' })
		await expect(panel).not.toContainText('older words')
		await field.fill('')
		await expect(panel).toBeHidden()
	})

	test('fits the panel on a phone', async ({ page }) => {
		await page.setViewportSize({ width: 360, height: 800 })
		await page.goto('/forum/ask')
		await page.getByRole('textbox', { name: 'Title' }).fill('useEffect runs twice')
		await expect(page.getByRole('region', { name: 'Similar questions' })).toBeVisible()
		expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
		await expectNoViolations(page)
	})
})

test('a request without a title, malformed, or too late gets a plain response', async ({ request }) => {
	const nothing = await request.get('/suggest/similar')
	expect(nothing.headers()['cache-control']).toContain('no-store')
	expect(await nothing.json()).toEqual({ rows: [] })
	const gone = await request.post('/suggest/similar', {
		form: { query: '1999999999' },
		headers: { Origin: String(process.env.SITE_URL) },
	})
	expect(gone.status()).toBe(404)
	expect(await gone.json()).toEqual({ message: 'There is no such query.' })
})
