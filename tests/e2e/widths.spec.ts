import { mkdirSync } from 'node:fs'
import type { Browser, Page } from '@playwright/test'
import { pageRoutes, patternOf, routePaths } from '../support/raw-http.ts'
import { anotherBrowser, withoutPage } from './support/chat.ts'
import {
	type Account,
	demoModerator,
	enrol,
	enrolAdmin,
	errorsOf,
	expect,
	expectNoViolations,
	expectNoViolationsInThemes,
	expectToFit,
	firstQuestion,
	hydrated,
	logIn,
	test,
} from './support/journey.ts'
import { examineLayout, findCutRings, findUnmarked, propertiesOfThemes } from './support/layout.ts'
import { fillProfiles } from './support/longest-profiles.ts'
import { type Addresses, longest, type Sight, sights, tag, username, type View, WIDTHS } from './support/sights.ts'

/*
 * Every page of the site at seven widths and in both themes, with the longest words possible, none with a space, and what axe finds on
 * it. `SCREENSHOTS=folder` saves a screenshot of each page at each width.
 */

test.describe('every page, with the longest words', () => {
	test('nothing is wider than the screen, cut off without an indication, or covered', async ({ page, browser }) => {
		const [addresses, moderator] = await prepare(page, browser)
		const admin = await newReader(browser)
		await enrolAdmin(admin)
		const readers = { visitor: await newReader(browser), member: page, moderator, admin }
		for (const reader of Object.values(readers)) reader.setDefaultTimeout(10_000)
		const errors = Object.values(readers).map(errorsOf)
		const table = sights(addresses)
		const patterns = routePaths(pageRoutes())
		const visited = Object.values(table).flatMap((each) => each.map(({ address }) => patternOf(address, patterns)))
		expect([...new Set(visited)].sort()).toEqual(patterns.sort())

		await page.goto('/')
		// Colours move nothing. The first two are how `light-dark()` is compiled for older browsers.
		expect(await propertiesOfThemes(page)).toEqual(['--lightningcss-dark', '--lightningcss-light', 'color-scheme'])

		const bad: string[] = []
		const walk = async (who: keyof typeof table) => {
			for (const sight of table[who])
				for (const each of await look(readers[who], sight).catch((error) => [String(error).slice(0, 300)]))
					bad.push(`${who}, ${sight.address.slice(0, 50)}, ${each}`)
		}
		// The longest of the journeys: a member has as many pages as all others together.
		await Promise.all([walk('member'), walk('visitor').then(() => walk('moderator').then(() => walk('admin')))])
		expect(bad).toEqual([])
		expect(errors.flatMap((each) => each())).toEqual([])
		await page.setViewportSize({ width: 320, height: 844 })
		await page.goto(addresses.question)
		const cell = await page.getByRole('columnheader', { name: 'wide' }).first().boundingBox()
		expect(cell?.height, 'a word in a table of many columns is in one line').toBeLessThan(40)
		const prose = page.locator('.prose').first()
		for (const heading of await prose.getByRole('heading', { name: 'h', exact: true }).all())
			await expect(heading).toHaveCSS('font-weight', '650')
		await expect(prose.locator('ul')).toHaveCSS('padding-right', '20px')
		await page.emulateMedia({ media: 'print' })
		await expect(prose.locator('.formula'), 'a wide formula is whole on paper').toHaveCSS('overflow-x', 'visible')
		await page.goto(`/messages/${'h'.repeat(40)}`)
		await expect(page.locator('.chat-scroll'), 'a conversation is whole on paper').toHaveCSS('overflow-y', 'visible')
		await expect(page.getByRole('region', { name: longest.hebrew, exact: true })).toHaveCSS('position', 'static')
	})
})

test('a notice never covers the buttons of a form, wherever the page is scrolled', async ({ page }) => {
	await logIn(page)
	for (const height of [560, 844]) {
		await page.setViewportSize({ width: 390, height })
		await page.goto('/edit-profile/mira.quillon')
		const [save, notice] = [page.getByRole('button', { name: 'Save changes' }), page.locator('.toast')]
		await expect(async () => {
			// It stays while the pointer is on it. If it has already gone, it is shown again.
			await page.getByLabel('City').fill(`Nashik ${height}`)
			await save.click()
			await notice.filter({ hasText: 'Profile updated successfully!' }).hover({ timeout: 3_000 })
		}).toPass()
		const [text, dismiss] = await Promise.all([
			notice.locator('p').boundingBox(),
			notice.getByRole('button').boundingBox(),
		])
		const middle = (box: typeof text) => (box?.y ?? 0) + (box?.height ?? 0) / 2
		expect(middle(text), 'one line of text is level with the button').toBeCloseTo(middle(dismiss), 0)
		const end = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)
		for (const top of [0, end / 2, end - 100, end - 60, end - 30, end]) {
			await page.evaluate((y) => scrollTo({ top: y, behavior: 'instant' }), top)
			await expect(async () => {
				const [above, below] = [await notice.boundingBox(), await save.boundingBox()]
				const isClear =
					(above?.y ?? 0) + (above?.height ?? 0) <= (below?.y ?? 0) || (above?.y ?? 0) >= (below?.y ?? 0) + 36
				expect(isClear, `scrolled to ${top} of ${end}`).toBe(true)
			}).toPass({ timeout: 5_000 })
		}
	}
})

/** @returns the problems, with the width */
async function look(page: Page, sight: Sight): Promise<string[]> {
	const { address, status = 200, unmarked, overlays = [], rings = [], fewestRings = 11, fitsLargeText = false } = sight
	await page.setViewportSize({ width: widthsOf(sight)[0] ?? 0, height: 844 })
	const answered = (await page.goto(address))?.status()
	const bad = answered === status ? [] : [`answered ${answered}`]
	const { pathname } = new URL(page.url())
	if (pathname !== (sight.leadsTo ?? new URL(address, page.url()).pathname)) bad.push(`led to ${pathname}`)
	bad.push(...(await examine(page, sight, address)))
	if (unmarked) {
		const found = await page.evaluate(findUnmarked)
		if (found.join() !== unmarked.join()) bad.push(`not marked as optional: ${found}`)
	}
	if (fitsLargeText) await expectToFit(page, [195]).catch((error) => bad.push(String(error).slice(0, 300)))
	for (const width of rings) {
		await page.setViewportSize({ width, height: 844 })
		const { seen, cut } = await findCutRings(page)
		if (seen < fewestRings) bad.push(`${width}: only ${seen} focus rings`)
		bad.push(...new Set(cut.map((each) => `${width}: the focus ring is cut: ${each}`)))
	}
	for (const [index, overlay] of overlays.entries()) {
		if (index > 0) await page.keyboard.press('Escape')
		await page.setViewportSize({ width: widthsOf(overlay)[0] ?? 0, height: 844 })
		await page.evaluate(() => (document.documentElement.style.clipPath = ''))
		bad.push(...(await examine(page, overlay, address)))
	}
	return bad
}

const widthsOf = ({ from = 0, upTo = 2_000 }: View) => WIDTHS.filter((width) => width >= from && width <= upTo)

/** Examines the page of an address, or what is opened on it, at all its widths. @returns the problems */
async function examine(page: Page, view: View, address: string): Promise<string[]> {
	const { open, scope, axe = [] } = view
	const widths = widthsOf(view)
	if (!axe.every((width) => widths.includes(width))) throw new Error(`axe would not check ${axe}`)
	const bad: string[] = []
	if (open) {
		await hydrated(page)
		await open(page)
	}
	pagesSeen += 1
	for (const [index, width] of widths.entries()) {
		await page.setViewportSize({ width, height: 844 })
		let wrong: string[] = []
		// Wait for content that loads late, such as a list.
		await expect(async () => {
			const seen = await examineLayout(page, scope, index === pagesSeen % widths.length)
			expect(new Set(seen.sums).size).toBe(1)
			wrong = seen.wrong
		}).toPass({ timeout: 10_000 })
		bad.push(...wrong.map((each) => `${width}: ${each}`))
		if (axe.includes(width)) {
			const found = await violations(page, width === axe.at(-1))
			bad.push(...found.map((each) => `${width}: ${each}`))
		}
		if (process.env.SCREENSHOTS) await picture(page, `${address}${scope ?? ''}`, width)
	}
	return bad
}

/** What axe finds, in both themes or in one. The page is shown again, and follows the browser's theme as a reader's does. */
async function violations(page: Page, inThemes: boolean): Promise<string[]> {
	await page.evaluate(() => {
		document.documentElement.style.clipPath = ''
		document.documentElement.removeAttribute('data-theme')
	})
	return (inThemes ? expectNoViolationsInThemes(page) : expectNoViolations(page)).then(
		() => [],
		(error) => [String(error).slice(0, 600)],
	)
}

/** Each page changes its theme at one width, the next page at the next. */
let pagesSeen = 0

async function picture(page: Page, name: string, width: number): Promise<void> {
	const folder = process.env.SCREENSHOTS ?? ''
	mkdirSync(folder, { recursive: true })
	for (const theme of ['light', 'dark'] as const) {
		await page.evaluate((name) => {
			document.documentElement.setAttribute('data-theme', name)
			document.documentElement.style.clipPath = ''
		}, theme)
		const file = `${name.replaceAll(/[^a-z0-9]+/gi, '-').slice(0, 60)}-${width}-${theme}.png`
		await page.screenshot({ path: `${folder}/${file}`, fullPage: theme === 'light' })
	}
}

async function newReader(browser: Browser): Promise<Page> {
	return (await anotherBrowser(browser)).newPage()
}

/** Members, texts and conversations of maximum length, and a moderator with cases to decide. */
async function prepare(page: Page, browser: Browser): Promise<[Addresses, Page]> {
	const [other, third] = [await withoutPage(browser), await withoutPage(browser)]
	await enrol(page, longest.latin, undefined, username)
	await enrol(other, longest.hebrew, undefined, 'h'.repeat(40))
	await enrol(third, longest.arabic, undefined, 'a'.repeat(40))
	await fillProfiles()
	const question = await send(page, '/forum/ask', {
		title: 'M'.repeat(200),
		tags: Array.from({ length: 10 }, (_, index) => `${index || ''}${tag}`.slice(0, 35)).join(','),
		description: `${'d'.repeat(400)}\n\n\`\`\`\n${'c'.repeat(300)}\n\`\`\`\n\n| a | b |\n|---|---|\n| ${'x'.repeat(200)} | ${'y'.repeat(200)} |\n\n| ${'wide |'.repeat(20)}\n|${'-|'.repeat(20)}\n\n# h\n\n## h\n\n### h\n\n- ש\n\n$$\nx\n$$`,
		category: 'others',
	})
	const id = question.split('/')[4] ?? ''
	const commented = await send(other, question, { intent: 'comment', body: `@${username} ${'k'.repeat(500)}` })
	const comment = commented.split('#comment-')[1] ?? ''
	await send(page, question, { intent: 'choose-solution', comment })
	let parent = comment
	for (const writer of [third, page, other, third]) {
		const to = await send(writer, question, { intent: 'reply', comment: parent, body: 'ש'.repeat(300) })
		parent = to.split('#comment-')[1] ?? ''
	}
	await send(other, `/messages/${username}`, { intent: 'send', clientId: crypto.randomUUID(), body: 'm'.repeat(400) })
	await send(third, `/report/query/${id}`, { reason: 'other', details: 'n'.repeat(300) })
	// The notice after posting would appear on the next page opened.
	await page.context().clearCookies({ name: 'flash' })
	const moderator = await newReader(browser)
	await logIn(moderator, demoModerator)
	await Promise.all([other.context().close(), third.context().close()])
	const terms = await (await moderator.request.get('/moderation/terms?q=python')).text()
	const [term = ''] = /\/moderation\/term\/\d+/.exec(terms) ?? []
	return [{ ordinary: await firstQuestion(moderator, '/forum?q=useEffect'), question, id, comment, term }, moderator]
}

/** Submits a form as this page's member. */
async function send(page: Account, path: string, form: Record<string, string>): Promise<string> {
	const headers = { Origin: process.env.SITE_URL ?? '' }
	const response = await page.request.post(path, { form, headers, maxRedirects: 0 })
	if (![302, 303].includes(response.status())) throw new Error(`${path} answered ${response.status()}`)
	return response.headers().location ?? ''
}
