import { mkdirSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { anotherBrowser } from './support/chat.ts'
import { enrol, expect, test } from './support/journey.ts'

/* Every page at seven widths and in both themes, with the longest names, tags and titles there can be, none with a blank. */

const widths = [360, 390, 768, 900, 1024, 1280, 1600]
/** A name has at most 100 characters. */
const longest = { latin: 'W'.repeat(100), hebrew: 'ש'.repeat(100) }
const title = 'M'.repeat(200)

/** What stands past the right or left edge of the window, or is cut without an ellipsis, a clamp or a way to scroll. */
function findMisplaced(): string[] {
	const { clientWidth } = document.documentElement
	const bad: string[] = []
	if (document.documentElement.scrollWidth > clientWidth)
		bad.push(
			`the page is ${document.documentElement.scrollWidth} px wide: ${[...document.querySelectorAll('body *')]
				.filter((element) => element.getBoundingClientRect().right > clientWidth + 1 && element.children.length === 0)
				.map((element) => `${element.parentElement?.className} > ${element.tagName}.${element.className}`)
				.slice(0, 4)
				.join(' | ')}`,
		)
	for (const element of document.querySelectorAll<HTMLElement>('body *')) {
		const style = getComputedStyle(element)
		const hides = style.overflowX === 'hidden' || style.overflowX === 'clip'
		if (!hides || element.scrollWidth <= element.clientWidth + 1 || element.clientWidth <= 1) continue
		const isMarked = style.textOverflow === 'ellipsis' || style.getPropertyValue('-webkit-line-clamp') !== 'none'
		if (!isMarked && element.innerText?.trim())
			bad.push(`cut: <${element.tagName.toLowerCase()} class="${element.className}">`)
	}
	return bad
}

async function ask(page: Page): Promise<string> {
	await page.goto('/forum/ask')
	await page.getByLabel('Title').fill(title)
	const tags = page.getByRole('combobox', { name: 'Tags' })
	for (const letter of ['t', 'u']) {
		await tags.fill(letter.repeat(35))
		await tags.press('Enter')
	}
	await page.getByLabel('Description', { exact: true }).fill(`${'d'.repeat(400)}\n\n\`\`\`\n${'c'.repeat(300)}\n\`\`\``)
	await page.getByRole('button', { name: 'Post question' }).click()
	await page.waitForURL(/\/forum\/others\//)
	return new URL(page.url()).pathname
}

test.describe('the longest words fit', () => {
	test('on every page, at every width, in both themes and both directions of writing', async ({ page, browser }) => {
		test.setTimeout(600_000)
		const username = await enrol(page, longest.latin, undefined, 'w'.repeat(40))
		const other = await (await anotherBrowser(browser)).newPage()
		await enrol(other, longest.hebrew, undefined, 'h'.repeat(40))
		const question = await ask(page)
		const paths = [
			'/',
			'/find-dev',
			`/find-dev?q=${longest.latin.slice(0, 20)}`,
			`/find-dev/${username}`,
			`/my-profile/${username}`,
			`/edit-profile/${username}`,
			`/edit-profile/${username}/academics`,
			'/forum',
			'/forum/tags',
			`/forum/tag/${'t'.repeat(35)}`,
			'/forum/ask',
			question,
			'/messages',
			'/notifications',
			'/settings',
			'/nothing-here',
		]
		const bad: string[] = []
		for (const path of paths) {
			await page.goto(path)
			for (const colorScheme of ['light', 'dark'] as const) {
				await page.emulateMedia({ colorScheme })
				for (const width of widths) {
					await page.setViewportSize({ width, height: 844 })
					bad.push(...(await page.evaluate(findMisplaced)).map((each) => `${path} at ${width}: ${each}`))
					if (process.env.SHOTS && [390, 900].includes(width)) {
						mkdirSync(process.env.SHOTS, { recursive: true })
						await page.screenshot({
							path: `${process.env.SHOTS}/${path.replaceAll(/[/?=]/g, '-').slice(0, 30)}-${width}-${colorScheme}.png`,
						})
					}
				}
			}
		}
		expect([...new Set(bad)]).toEqual([])
	})
})
