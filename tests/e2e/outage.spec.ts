import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { descendants, signalAll } from '../support/cluster.ts'
import { enrol, expect, expectNoViolations, test as journey, logIn } from './support/journey.ts'

/* PostgreSQL of the site is stopped by SIGSTOP while somebody uses it, and goes on later. */

/** The router reports each error page that it draws in the browser's console, and these journeys ask for some. */
const test = journey.extend<{ quiet: undefined }>({ quiet: async ({}, use) => use(undefined) })

let stopped: number[] = []

function stopDatabase(): void {
	const pidFile = join(process.env.SITE_DATA_DIR ?? '', 'postgres', 'postmaster.pid')
	const postmaster = Number.parseInt(readFileSync(pidFile, 'utf8'), 10)
	// Before the others are looked for: it starts one for each connection.
	signalAll([postmaster], 'SIGSTOP')
	stopped = descendants(postmaster).map(({ pid }) => pid)
	signalAll(stopped, 'SIGSTOP')
}

function continueDatabase(): void {
	signalAll(stopped, 'SIGCONT')
	stopped = []
}

test.afterEach(continueDatabase)

const sentence = 'Nothing is lost; this page tries again by itself.'

test('a page that the database is away for comes back by itself, and a member stays one', async ({ page }) => {
	await logIn(page)
	await page.goto('/')
	await expect(page.getByRole('button', { name: /account menu/ })).toBeVisible()
	stopDatabase()
	await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Community' }).click()
	await expect(page.getByText(sentence)).toBeVisible()
	await expect(page.getByText(/Next try in \d+ s\.|Trying again/)).toBeVisible()
	await expect(page.getByRole('button', { name: /account menu/ })).toBeVisible()
	await expectNoViolations(page)
	// Loaded as a whole, it is the same page, and still the member's.
	expect((await page.reload())?.status()).toBe(503)
	await expect(page.getByText(sentence)).toBeVisible()
	await expect(page.getByRole('button', { name: /account menu/ })).toBeVisible()
	continueDatabase()
	await expect(page.getByRole('link', { name: 'View Details' }).first()).toBeVisible({ timeout: 60_000 })
	expect(new URL(page.url()).pathname).toBe('/find-dev')
})

for (const javaScriptEnabled of [true, false]) {
	test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
		test.use({ javaScriptEnabled })

		test('a question that is posted while the database is away keeps its text, and is posted once', async ({
			page,
		}) => {
			const title = `How do I keep a text through an outage ${javaScriptEnabled ? 'with' : 'without'} scripts?`
			// Of a member of its own: the demo member's draft, which the page restores, may be that of another journey.
			await enrol(page, javaScriptEnabled ? 'Otto Outage' : 'Olga Outage')
			await page.goto('/forum/ask')
			await page.getByLabel('Title').fill(title)
			await page.getByLabel('Description').fill('I typed this before the database went away.')
			await page.getByLabel('Tags').fill('outages')
			await page.getByLabel('Category').selectOption({ index: 1 })
			stopDatabase()
			// The form says so itself, unless the site could not even tell who sent it: then a page shows what was typed.
			const send = page.getByRole('button', { name: /^(Post question|Send again)$/ })
			await send.click()
			await expect(page.getByText(/cannot reach its database|Something went wrong/).first()).toBeVisible()
			await expect(page.getByLabel('Title')).toHaveValue(title)
			continueDatabase()
			const posted = /\/forum\/[^/]+\/[^/]+\/\d+/
			await expect(async () => {
				// By the keyboard: a notice stays as long as the pointer rests on it, and may lie over the button. What was sent before
				// may have come through meanwhile, and then there is no button.
				if (!posted.test(page.url())) await send.press('Enter', { timeout: 5_000 })
				// On a busy machine an answer takes seconds, and sending again would give it up.
				await page.waitForURL(posted, { timeout: 10_000, waitUntil: 'commit' })
			}).toPass({ timeout: 100_000 })
			await page.goto(`/forum?q=${encodeURIComponent(title)}`)
			await expect(page.getByRole('article').filter({ hasText: title })).toHaveCount(1)
		})
	})
}

test.describe('without scripts', () => {
	test.use({ javaScriptEnabled: false })

	test('the page asks again by itself', async ({ page }) => {
		stopDatabase()
		await page.goto('/find-dev')
		await expect(page.getByText(sentence)).toBeVisible()
		continueDatabase()
		await expect(page.getByRole('link', { name: 'View Details' }).first()).toBeVisible({ timeout: 60_000 })
	})
})
