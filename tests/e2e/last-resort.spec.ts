import type { Page, Route } from '@playwright/test'
import { expect, expectNoViolations, test as journey, logIn } from './support/journey.ts'

/** React reports each error that it meets in the browser's console, and this journey makes some. */
const test = journey.extend<{ quiet: undefined }>({ quiet: async ({}, use) => use(undefined) })

/** Takes the names out of what a page is given, so that the header cannot show its member's. */
async function withoutNames(route: Route): Promise<void> {
	const response = await route.fetch()
	await route.fulfill({
		response,
		body: (await response.text()).replaceAll('"name', '"no').replaceAll('\\"name', '\\"no'),
	})
}

async function expectPlainPage(page: Page): Promise<void> {
	await expect(page.getByRole('heading', { level: 1 })).toHaveText('This page cannot be shown.')
	await expect(page.locator('body')).not.toContainText(/Application Error|TypeError/)
}

test('where the frame of a page cannot be drawn, a plain page offers to reload it and the way home', async ({
	page,
}) => {
	await logIn(page)
	await page.goto('/settings')
	const settings = page.getByRole('heading', { level: 1, name: 'Settings' })
	const data = /\/settings\.data/
	await page.route(data, withoutNames)
	await page.getByRole('region', { name: 'Theme' }).getByRole('button', { name: 'Dark', exact: true }).click()
	await expectPlainPage(page)
	await page.unroute(data)
	await page.getByRole('link', { name: 'Reload the page' }).click()
	await expect(settings).toBeVisible()

	// As a document: when the browser takes it over.
	const document = /\/settings\?plain=1$/
	await page.route(document, withoutNames)
	await page.goto('/settings?plain=1')
	await expectPlainPage(page)
	await expectNoViolations(page)
	await page.unroute(document)
	await page.getByRole('link', { name: 'Reload the page' }).click()
	await expect(settings).toBeVisible()
	expect(new URL(page.url()).search).toBe('?plain=1')
	await page.route(document, withoutNames)
	await page.reload()
	await expectPlainPage(page)
	await page.screenshot({ path: 'test-results/last-resort.png' })
	await page.getByRole('link', { name: 'Go to Home' }).click()
	await expect(page.getByRole('banner')).toBeVisible()
	expect(new URL(page.url()).pathname).toBe('/')
})
