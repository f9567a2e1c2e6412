import { demoEmail, expect, logIn } from './support/journey.ts'
import {
	bar,
	cut,
	dismissToasts,
	expectAlive,
	failures,
	notices,
	someFailures,
	test,
} from './support/lost-connection.ts'

test('Back and Forward to a page that must be requested again', async ({ page }) => {
	await logIn(page)
	await page.clock.install()
	const main = page.getByRole('navigation', { name: 'Main' })
	const edit = `/edit-profile/${demoEmail.split('@')[0]}`
	const city = page.getByLabel(/^City/)
	await page.goto('/forum')
	await main.getByRole('link', { name: 'Community' }).click()
	await expect(page).toHaveURL(/\/find-dev$/)
	const online = () => page.evaluate(() => window.dispatchEvent(new Event('online')))
	// The unread count may appear and change in the meantime.
	const title = async () => (await page.title()).replace(/^\(\d+\) /, '')
	/** The position in the tab's history, and its length. */
	const entry = () => page.evaluate(() => [window.history.state.idx, window.history.length])
	for (const name of someFailures)
		for (const [go, from, to] of [
			['back', '/find-dev', '/forum'],
			['forward', '/forum', '/find-dev'],
		] as const)
			await test.step(`${go}: ${name}`, async () => {
				const { mend } = await cut(page, 'GET', failures[name])
				// A resting pointer would prefetch a page, so move it away and let the cache expire.
				await page.mouse.move(0, 0)
				await page.clock.fastForward('06:00')
				// The address changes shortly before the page.
				await expect.poll(title).toMatch(from === '/forum' ? /^Forum/ : /^Community/)
				const titleBefore = await title()
				const before = await entry()
				await page.evaluate((way) => window.history[way](), go)
				await expect(bar(page)).toHaveText('No connection. Trying again…')
				expect(await title()).toBe(titleBefore)
				await expectAlive(page)
				if (name === 'offline') {
					await page.clock.runFor(121_000)
					await expect(notices(page).getByText('Something went wrong. Try again!')).toBeVisible()
					await expect(page).toHaveURL(from)
					await expect(bar(page)).toHaveCount(0)
					expect(await entry()).toEqual(before)
					await dismissToasts(page)
					await page.evaluate((way) => window.history[way](), go)
					await expect(bar(page)).toBeVisible()
				}
				await mend()
				await online()
				await expect(page).toHaveURL(to)
				await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
				await expect(bar(page)).toHaveCount(0)
				await expectAlive(page)
			})

	// If the previous page does not arrive, the input stays, even though the member agreed to leave it.
	await page.goto(`${edit}/social-links`)
	await page.getByRole('link', { name: 'Personal Details' }).first().click()
	await city.fill('Nowhere yet')
	const before = await entry()
	const { mend } = await cut(page, 'GET', failures['a 502'])
	await page.evaluate(() => window.history.back())
	await page.getByRole('button', { name: 'Leave' }).click()
	await expect(bar(page)).toBeVisible()
	await page.clock.runFor(121_000)
	await expect(notices(page).getByText('Something went wrong!')).toBeVisible()
	await expect(page).toHaveURL(edit)
	await expect(city).toHaveValue('Nowhere yet')
	expect(await entry()).toEqual(before)
	await mend()
})
