import { hydrated, logIn, demoModerator, test } from './support/journey.ts'
test('shots', async ({ page }) => {
	const shot = (name: string) => page.screenshot({ path: `/tmp/f1shots/${name}.png` })
	await page.setViewportSize({ width: 1280, height: 800 })
	await page.goto('/forum'); await shot('v-forum')
	await logIn(page, demoModerator)
	for (const [name, url] of Object.entries({ start: '/search', all: '/search?q=react', name: '/search?q=mira', people: '/search?q=react&in=people', projects: '/search?q=react&in=projects', tags: '/search?q=java&in=tags', questions: '/search?q=python+is:solved&in=questions', nothing: '/search?q=xyzzyplugh', near: '/search?q=pyhton+lists', moderation: '/moderation/searches' })) {
		for (const [w, h] of [[1280, 800], [390, 844]] as const) {
			await page.setViewportSize({ width: w, height: h })
			await page.goto(url)
			await page.screenshot({ path: `/tmp/f1shots/${name}-${w}.png`, fullPage: w === 1280 ? true : false })
		}
	}
	await page.setViewportSize({ width: 1280, height: 800 })
	await page.emulateMedia({ colorScheme: 'dark' })
	await page.goto('/forum'); await hydrated(page)
	await page.keyboard.press('Control+k')
	await page.waitForTimeout(800); await shot('switch-empty')
	await page.keyboard.type('react'); await page.waitForTimeout(800); await page.keyboard.press('ArrowDown'); await shot('switch')
	await page.setViewportSize({ width: 390, height: 844 }); await shot('switch-390')
	await page.setViewportSize({ width: 1280, height: 800 })
	await page.keyboard.press('Escape'); await page.waitForTimeout(200); await shot('switch-closed')
	await page.getByRole('banner').getByRole('combobox').click(); await page.keyboard.type('mir'); await page.waitForTimeout(800); await shot('box')
})
