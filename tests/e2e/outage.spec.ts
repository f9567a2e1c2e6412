import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { descendants, signalAll } from '../support/cluster.ts'
import { enrol, expect, expectNoViolations, htmlOf, hydrated, test as journey, logIn } from './support/journey.ts'

/* The site's PostgreSQL is paused with SIGSTOP during use and resumed later. */

/** The router logs each error page to the browser's console, and these journeys cause some. */
const test = journey.extend<{ quiet: undefined }>({ quiet: async ({}, use) => use(undefined) })

let stopped: number[] = []

function stopDatabase(): void {
	const pidFile = join(process.env.SITE_DATA_DIR ?? '', 'postgres', 'postmaster.pid')
	const postmaster = Number.parseInt(readFileSync(pidFile, 'utf8'), 10)
	// Stop the postmaster before its children, because it forks one for each connection.
	signalAll([postmaster], 'SIGSTOP')
	stopped = descendants(postmaster).map(({ pid }) => pid)
	signalAll(stopped, 'SIGSTOP')
}

function continueDatabase(): void {
	signalAll(stopped, 'SIGCONT')
	stopped = []
}

test.afterEach(async ({ page }) => {
	continueDatabase()
	// The site finds its database again with the next probe; until then it would refuse the next journey.
	await expect.poll(async () => (await page.request.get('/readyz')).status()).toBe(200)
})

const sentence = 'Nothing is lost; this page tries again by itself.'

test('a page without its database recovers by itself, and the member stays logged in', async ({ page }) => {
	await logIn(page)
	await page.goto('/')
	await expect(page.getByRole('button', { name: /account menu/ })).toBeVisible()
	stopDatabase()
	await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Community' }).click()
	await expect(page.getByText(sentence)).toBeVisible()
	await expect(page.getByText(/Next try in \d+ s\.|Trying again/)).toBeVisible()
	await expect(page.getByRole('button', { name: /account menu/ })).toBeVisible()
	await expectNoViolations(page)
	// A full load gives the same page, with the member still logged in.
	expect((await page.reload())?.status()).toBe(503)
	await expect(page.getByText(sentence)).toBeVisible()
	await expect(page.getByRole('button', { name: /account menu/ })).toBeVisible()
	continueDatabase()
	await expect(page.getByRole('link', { name: 'View Details' }).first()).toBeVisible({ timeout: 60_000 })
	expect(new URL(page.url()).pathname).toBe('/find-dev')
})

test('a page that does not know its reader during an outage keeps what their browser stores', async ({ page }) => {
	await logIn(page)
	// Storage needs a page of the site, here one without scripts of its own that would write there.
	await page.goto('/robots.txt')
	await page.evaluate(() => localStorage.setItem('chat-draft:mira.quillon:otto', 'Not finished'))
	// As five minutes after the last page: then only the database knows whose session it is.
	await page.context().clearCookies({ name: /session_data$/ })
	stopDatabase()
	expect((await page.goto('/skills/evidence'))?.status()).toBe(200)
	await hydrated(page)
	expect(await page.evaluate(() => localStorage.getItem('chat-draft:mira.quillon:otto'))).toBe('Not finished')
})

for (const javaScriptEnabled of [true, false]) {
	test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
		test.use({ javaScriptEnabled })

		test('a question posted during a database outage keeps its text and is posted once', async ({ page }) => {
			const title = `How do I keep a text through an outage ${javaScriptEnabled ? 'with' : 'without'} scripts?`
			// Use a separate member, because another journey may have left a draft of the demo member, which the page would restore.
			await enrol(page, javaScriptEnabled ? 'Otto Outage' : 'Olga Outage')
			await page.goto('/forum/ask')
			await page.getByLabel('Title').fill(title)
			await page.getByLabel('Description').fill('I typed this before the database went away.')
			await page.getByLabel('Tags').fill('outages')
			await page.getByLabel('Category').selectOption({ index: 1 })
			stopDatabase()
			// The form shows the error, unless the site could not identify the sender: then an error page shows the text.
			const send = page.getByRole('button', { name: /^(Post question|Send again)$/ })
			await send.click()
			await expect(page.getByText(/cannot reach its database|Something went wrong/).first()).toBeVisible()
			await expect(page.getByLabel('Title')).toHaveValue(title)
			continueDatabase()
			const posted = /\/forum\/[^/]+\/[^/]+\/\d+/
			await expect(async () => {
				// Press by keyboard: a notice stays while the pointer rests on it and may cover the button. The earlier attempt may have succeeded by
				// now,
				// and then the button is gone.
				if (!posted.test(page.url())) await send.press('Enter', { timeout: 5_000 })
				// On a busy machine a response takes seconds, and sending again would cancel it.
				await page.waitForURL(posted, { timeout: 10_000, waitUntil: 'commit' })
			}).toPass({ timeout: 100_000 })
			expect((await htmlOf(page, `/forum?q=${encodeURIComponent(title)}`)).match(/<article/g)).toHaveLength(1)
		})
	})
}

test.describe('without scripts', () => {
	test.use({ javaScriptEnabled: false })

	test('the page retries by itself', async ({ page }) => {
		stopDatabase()
		await page.goto('/find-dev')
		await expect(page.getByText(sentence)).toBeVisible()
		continueDatabase()
		await expect(page.getByRole('link', { name: 'View Details' }).first()).toBeVisible({ timeout: 60_000 })
	})
})
