import type { Locator, Page } from '@playwright/test'
import {
	expect,
	expectNoViolationsInThemes,
	expectToFit,
	firstQuestion,
	logIn,
	settled,
	test,
} from './support/journey.ts'

test('axe detects a violation that only one theme has', async ({ page }) => {
	for (const [light, dark] of [
		['#111', '#444'],
		['#ddd', '#eee'],
	]) {
		await page.setContent(`<!doctype html><html lang="en"><title>Theme</title><style>
			:root { color-scheme: light dark; background: light-dark(#fff, #222); color: light-dark(${light}, ${dark}) }
			</style><main><h1>Hard to read</h1></main>`)
		await expect(expectNoViolationsInThemes(page)).rejects.toThrow('color-contrast')
	}
})

test('the header has the whole name of the site at 320 px, and room for its buttons also with text twice as large', async ({
	page,
}) => {
	const header = page.getByRole('banner')
	const name = header.getByRole('link', { name: 'DevQuad' }).first()
	const right = (parts: Locator) =>
		parts.evaluateAll((all) => Math.max(...all.map((each) => each.getBoundingClientRect().right)))
	for (const reader of ['visitor', 'member']) {
		if (reader === 'member') await logIn(page)
		await page.goto('/forum')
		await page.setViewportSize({ width: 320, height: 640 })
		const [shown, whole] = await name.locator('span').evaluate((text) => [text.clientWidth, text.scrollWidth])
		expect(shown, reader).toBe(whole)
		// All sizes are relative to that of text, so this is a phone of 390 px.
		await page.setViewportSize({ width: 195, height: 422 })
		expect(await right(header.locator('a:visible, button:visible')), reader).toBeLessThanOrEqual(195)
		await expect(name, reader).toBeVisible()
		const query = page.getByRole('article').filter({ hasText: 'Answered' }).first()
		const [answered, votes] = await Promise.all(
			['.answered', '.query-votes'].map((part) => query.locator(part).boundingBox()),
		)
		expect(votes?.y, reader).toBeGreaterThanOrEqual((answered?.y ?? 0) + (answered?.height ?? 0))
		const title = await page.getByRole('heading', { level: 1 }).boundingBox()
		expect(title?.height, 'the words of the title are whole').toBeLessThanOrEqual(64)
		await expectToFit(page, [195])
		// The skip link is first in the tab order.
		await page.keyboard.press('Tab')
		await expect(page.getByRole('link', { name: 'Skip to content' }), reader).toBeFocused()
	}
	const question = await firstQuestion(page, '/forum?q=useEffect')
	for (const path of ['/edit-profile/mira.quillon', '/settings', '/bookmarks', '/find-dev', question, '/']) {
		await page.goto(path)
		await expectToFit(page, [195])
	}
	const names = page.getByRole('region', { name: 'People' }).locator('bdi')
	await expect(names.first()).toBeVisible()
	const widths = await names.evaluateAll((all) => all.map((name) => name.parentElement?.clientWidth ?? 0))
	expect(Math.min(...widths), 'the names of who is online').toBeGreaterThan(60)
})

test('a first visit to the forum stays within its weight budget and shifts no layout', async ({ page }) => {
	const network = await page.context().newCDPSession(page)
	const kinds = new Map<string, string>()
	const bytes = { all: 0, script: 0 }
	network.on('Network.responseReceived', ({ requestId, type }) => kinds.set(requestId, type))
	network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
		bytes.all += encodedDataLength
		if (kinds.get(requestId) === 'Script') bytes.script += encodedDataLength
	})
	await network.send('Network.enable')
	// Other journeys have loaded these files in the same browser.
	await network.send('Network.clearBrowserCache')
	await page.goto('/forum')
	await settled(page)
	const shift = await page.evaluate(
		() =>
			new Promise<number>((resolve) => {
				let sum = 0
				const observer = new PerformanceObserver((list) => {
					for (const entry of list.getEntriesByType('layout-shift'))
						sum += (entry as PerformanceEntry & { value: number }).value
					// Each page has exactly one navigation entry, delivered together with all earlier entries.
					if (list.getEntriesByType('navigation').length > 0) resolve(sum)
				})
				observer.observe({ type: 'layout-shift', buffered: true })
				observer.observe({ type: 'navigation', buffered: true })
			}),
	)
	expect(bytes.script).toBeLessThanOrEqual(118 * 1024)
	expect(bytes.all).toBeLessThanOrEqual(173 * 1024)
	expect(shift).toBe(0)
	const { painted, scripts } = await page.evaluate(() => {
		const starts = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'))
		const [paint] = performance.getEntriesByName('first-contentful-paint')
		return { painted: paint?.startTime ?? 0, scripts: starts.map(({ startTime }) => startTime) }
	})
	// On a busy machine, wait for the paint a second at most.
	expect(Math.min(...scripts)).toBeGreaterThan(Math.min(painted, 1_000))
	await expectToBeSmall(page, { bytes: 46_000, elements: 565 })
	await logIn(page)
	await page.goto('/forum')
	await expectToBeSmall(page, { bytes: 50 * 1024, elements: 600 })
})

/** Size of this page's HTML before compression: the page frame with a list of 20 questions. */
async function expectToBeSmall(page: Page, most: { bytes: number; elements: number }): Promise<void> {
	const html = await (await page.request.get(page.url())).text()
	expect(Buffer.byteLength(html)).toBeLessThanOrEqual(most.bytes)
	const elements = await page.evaluate(
		(text) => new DOMParser().parseFromString(text, 'text/html').querySelectorAll('*').length,
		html,
	)
	expect(await page.getByRole('article').count()).toBe(20)
	expect(elements).toBeLessThanOrEqual(most.elements)
}

test('in a contrast theme, selected, current and focused elements are distinguishable', async ({ page }) => {
	await page.emulateMedia({ forcedColors: 'active' })
	const style = (part: Locator, property: string) =>
		part.evaluate((element, property) => getComputedStyle(element).getPropertyValue(property), property)
	const field = (name: string) => page.getByRole('textbox', { name, exact: true })
	await logIn(page)

	await page.goto('/find-dev')
	await settled(page)
	const order = page.getByRole('combobox', { name: 'Sort by' })
	await expect(order, 'a choice of one is not marked as selected').toHaveCSS('outline-style', 'none')
	const slide = page.locator('.switch')
	const online = page.getByRole('checkbox', { name: 'Online now' })
	const off = await style(slide, 'background-color')
	expect(off).not.toBe(await style(page.locator('html'), 'background-color'))
	await online.check({ force: true })
	await expect.poll(() => style(slide, 'background-color')).not.toBe(off)
	const skill = page.getByRole('combobox', { name: 'Add a skill' })
	await skill.fill('py')
	await expect(page.locator('.input-box').filter({ has: skill })).toHaveCSS('outline-style', 'solid')
	const [first, second] = [page.locator('[role=option]').first(), page.locator('[role=option]').nth(1)]
	await expect(first).toHaveCSS('outline-style', 'solid')
	await expect(second).toHaveCSS('outline-style', 'none')

	await page.goto('/forum/ask')
	await settled(page)
	for (const [name, frame] of [
		['Title', field('Title')],
		['Description', page.locator('.editor')],
	] as const) {
		await expect(frame, name).toHaveCSS('outline-style', 'none')
		await field(name).focus()
		await expect(frame, name).toHaveCSS('outline-style', 'solid')
	}

	await page.goto('/forum?q=useEffect')
	await page.getByRole('article').first().getByRole('heading').getByRole('link').click()
	await page.getByRole('link', { name: 'Reply', exact: true }).first().click()
	const reply = page.getByRole('textbox', { name: /^Reply to/ })
	await expect(reply).toBeFocused()
	await expect(page.locator('div').filter({ has: reply }).last()).toHaveCSS('outline-style', 'solid')

	for (const [path, current] of [
		['/forum?view=active', ['Forum', 'Active']],
		['/notifications', ['All']],
	] as const) {
		await page.goto(path)
		const links = page.locator('.nav-link, .tab')
		const lines = await links.evaluateAll((all) =>
			all.map((each) => [each.textContent, getComputedStyle(each).borderBottomWidth]),
		)
		expect(
			lines.filter(([, width]) => width !== '0px').map(([text]) => text),
			path,
		).toEqual(current)
	}
	await page.goto('/edit-profile/mira.quillon')
	const edge = page.locator('.save-bar').evaluate((bar) => getComputedStyle(bar, '::before').borderTopWidth)
	expect(await edge, 'the bar over the fields has an edge').toBe('1px')
	await page.emulateMedia({ forcedColors: 'none', contrast: 'more' })
	const colours = await Promise.all(['--color-ink-3', '--color-ink-2'].map((name) => style(page.locator('html'), name)))
	expect(colours[0], 'more contrast: quiet text is as dark as secondary text').toBe(colours[1])
})
