import type { Locator, Page, Route } from '@playwright/test'
import { demoEmail, demoPassword, expect, expectNoViolations, test as journey, logIn } from './support/journey.ts'

/*
 * Every kind of request of every route, cut in every way: the page stays with all that was typed, says so, and the same
 * press works once the network is mended.
 */

/** Browsers report each request that these journeys cut in the console. */
const test = journey.extend<{ quiet: undefined }>({ quiet: async ({}, use) => use(undefined) })
test.use({ actionTimeout: 15_000 })

const failures: Record<string, (route: Route) => Promise<void>> = {
	offline: (route) => route.abort('internetdisconnected'),
	'cut in the middle': (route) =>
		route.fulfill({ headers: { 'Content-Type': 'text/x-script', 'X-Remix-Response': 'yes' }, body: '[{"_1":2},"da' }),
	'a 502': (route) => route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }),
	'a 504': (route) => route.fulfill({ status: 504, contentType: 'text/html', body: '<h1>Gateway Timeout</h1>' }),
	'no answer of the site': (route) =>
		route.fulfill({ contentType: 'text/html', body: '<h1>Log in to this Wi-Fi</h1>' }),
}

const data = /\.data(\?|$)|\/__manifest\?/
const bar = (page: Page) => page.locator('.connection-bar')

/** Cuts what React Router asks for by one method, until the returned function is called. */
async function cut(page: Page, method: 'GET' | 'POST', fail: (route: Route) => Promise<void>) {
	const handler = (route: Route) => (route.request().method() === method ? fail(route) : route.continue())
	await page.route(data, handler)
	return () => page.unroute(data, handler)
}

async function expectAlive(page: Page) {
	await expect(page.getByText('Application Error')).toHaveCount(0)
	await expect(page.getByRole('banner')).toBeVisible()
}

async function dismissToasts(page: Page) {
	const notices = page.getByRole('region', { name: 'Notices' })
	await expect(async () => {
		for (const button of await notices.getByRole('button', { name: 'Dismiss' }).all())
			await button.click({ timeout: 500 })
		await expect(notices.getByRole('button')).toHaveCount(0, { timeout: 500 })
	}).toPass()
}

interface Form {
	at: string
	/** Opens what holds the form. */
	open?: (page: Page) => Promise<void>
	/** What is typed, by label. */
	typed: Record<string, string>
	press: string
	says?: string
	/** What is seen once the form came through. */
	done?: string
	within?: (page: Page) => Locator
	/** Whether a press beside it closes it, as it does a menu. */
	closes?: boolean
}

/** Presses a form's button under each failure, and once more when all is well. */
async function expectKept(
	page: Page,
	{ at, open, typed, press, says = 'Something went wrong', done, within, closes }: Form,
) {
	await page.goto(at)
	await open?.(page)
	const place = within?.(page) ?? page.locator('main')
	const field = (label: string) => place.getByLabel(label, { exact: true }).last()
	const button = place.getByRole('button', { name: press, exact: true }).last()
	for (const [label, text] of Object.entries(typed)) await field(label).fill(text)
	const address = new URL(page.url()).pathname
	for (const [name, fail] of Object.entries(failures))
		await test.step(`${at}, ${press}: ${name}`, async () => {
			const mend = await cut(page, 'POST', fail)
			if (!(await button.isVisible())) await open?.(page)
			await button.click()
			await expect(page.getByText(says).first()).toBeVisible()
			await expectAlive(page)
			expect(new URL(page.url()).pathname).toBe(address)
			for (const [label, text] of Object.entries(typed)) await expect(field(label)).toHaveValue(text)
			await expect(button).toBeEnabled()
			await mend()
			await dismissToasts(page)
			if (closes) await button.waitFor({ state: 'hidden' })
		})
	if (!(await button.isVisible())) await open?.(page)
	await button.click()
	if (done) await expect(page.getByText(done).first()).toBeVisible()
	else await expect(button).toBeEnabled()
	await expectAlive(page)
}

const dialog = (page: Page) => page.getByRole('dialog')
async function openOwnQuery(page: Page, title: string): Promise<string> {
	await page.goto('/forum/ask')
	await page.getByLabel('Title', { exact: true }).fill(title)
	await page.getByLabel('Description').fill('Words that must not be lost.')
	await page.getByRole('combobox', { name: 'Tags' }).fill('network')
	await page.locator('main').getByRole('button', { name: 'Post question' }).click()
	await page.waitForURL(/\/forum\/[^/]+\/[^/]+\/\d+$/)
	return new URL(page.url()).pathname
}

test('a visitor who registers and logs in', async ({ page }) => {
	await expectKept(page, {
		at: '/forgot-password',
		typed: { Email: demoEmail },
		press: 'Send Email',
		done: 'Password reset link is sent to your email!',
	})
	await expectKept(page, {
		at: '/register',
		typed: {
			'Full Name': 'Rosa Resilient',
			Email: 'rosa.resilient@eastmere.example',
			Password: 'a lantern at the ford',
			'Confirm Password': 'a lantern at the ford',
		},
		press: 'Register',
		done: 'User registered successfully! Login to continue.',
	})
	await expectKept(page, {
		at: '/login',
		typed: { Email: demoEmail, Password: demoPassword() },
		press: 'Login',
		done: 'Welcome back!',
	})
})

test('the forms of a member', async ({ page }) => {
	await logIn(page)
	const me = demoEmail.split('@')[0]
	const edit = `/edit-profile/${me}`
	const forms: Form[] = [
		{ at: edit, typed: { City: 'Far Eastmere' }, press: 'Save changes', done: 'Profile updated successfully!' },
		{
			at: `${edit}/academics`,
			typed: { Location: 'Far Eastmere' },
			press: 'Save changes',
			done: 'Academics data updated successfully!',
		},
		{
			at: `${edit}/social-links`,
			typed: { Github: 'https://github.com/mira' },
			press: 'Save changes',
			done: 'Social links updated successfully!',
		},
		{
			at: `${edit}/projects`,
			typed: { Title: 'Lifeboat', Description: 'It floats.' },
			press: 'Add project',
			done: 'Project added successfully!',
		},
		{
			at: `${edit}/change-password`,
			typed: { 'Current password': 'not mine', 'New password': 'another lantern' },
			press: 'Save new password',
		},
		{ at: '/settings', typed: {}, press: 'Save notifications' },
		{ at: '/settings/tokens', typed: { Name: 'lifeboat' }, press: 'Make the token' },
	]
	for (const form of forms) await expectKept(page, form)
	const at = await openOwnQuery(page, 'What happens when the network goes?')
	await expectKept(page, {
		at: '/forum/ask',
		typed: { Title: 'A second question?', Description: 'Also not to be lost.' },
		open: async () => page.getByRole('combobox', { name: 'Tags' }).fill('network'),
		press: 'Post question',
		done: 'Also not to be lost.',
		says: 'Something went wrong. Try again!',
	})
	await expectKept(page, {
		at: at.replace(/^\/forum\/[^/]+/, '/forum/edit'),
		typed: { Title: 'What happens when the network is gone?' },
		press: 'Save',
		says: 'Something went wrong. Try again!',
		done: 'edited',
	})
	await expectKept(page, {
		at,
		typed: { 'Your comment': 'It comes back.' },
		press: 'Comment',
		says: 'Something went wrong. Try again!',
		done: 'Comments (1)',
	})
	await expectKept(page, {
		at,
		typed: {},
		open: (page) => page.getByRole('link', { name: 'Delete', exact: true }).last().click(),
		within: dialog,
		press: 'Delete',
		says: 'Something went wrong!',
		done: 'Comments (0)',
	})
	await expectKept(page, {
		at,
		typed: {},
		open: (page) => page.getByRole('link', { name: 'Delete query' }).click(),
		within: dialog,
		press: 'Delete',
		says: 'Something went wrong!',
		done: 'Query Deleted Successfully',
	})
	await expectKept(page, {
		at: '/',
		typed: {},
		open: (page) => page.getByRole('button', { name: /account menu/ }).click(),
		within: (page) => page.locator('#account-menu'),
		closes: true,
		press: 'Logout',
		says: 'Something went wrong!',
		done: 'You are logged out.',
	})
})

interface Step {
	at: string
	press: (page: Page) => Promise<void>
	/** The address that it leads to; null for one that stays. */
	to: RegExp
	/** What is said after 120 s. */
	says: string
}

const again = 'Something went wrong. Try again!'

const steps: Step[] = [
	{
		at: '/forum',
		press: (page) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Community' }).click(),
		to: /\/find-dev$/,
		says: again,
	},
	{
		at: '/find-dev',
		press: async (page) => {
			await page
				.getByRole('combobox', { name: /Search/ })
				.first()
				.fill('bram')
			await page.keyboard.press('Enter')
		},
		to: /\/find-dev\?q=bram/,
		says: again,
	},
	{
		at: '/find-dev',
		press: (page) => page.getByRole('link', { name: 'View Details' }).first().click(),
		to: /\/find-dev\/[\w.-]+$/,
		says: 'Something went wrong!',
	},
	{
		at: '/forum',
		press: async (page) => {
			await page.getByLabel('Search topics').fill('mess')
			await page.keyboard.press('Enter')
		},
		to: /\/forum\?q=mess/,
		says: again,
	},
	{
		at: '/forum',
		press: (page) => page.locator('main a[href^="/forum/category/"]').first().click(),
		to: /\/forum\/category\//,
		says: again,
	},
	{
		at: '/forum',
		press: (page) => page.locator('main a[href^="/forum/tag/"]:visible').first().click(),
		to: /\/forum\/tag\//,
		says: again,
	},
	{
		at: '/forum',
		press: (page) => page.locator('article h2 a, li h2 a, main h2 a').first().click(),
		to: /\/forum\/[^/]+\/[^/]+\/\d+$/,
		says: 'Something went wrong!',
	},
	{
		at: '/',
		press: (page) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Forum' }).click(),
		to: /\/forum$/,
		says: again,
	},
	{
		at: '/settings',
		press: (page) => page.locator('main a[href="/settings/tokens"]').first().click(),
		to: /\/settings\/tokens$/,
		says: 'Something went wrong!',
	},
]

test('every navigation waits for the network, says so, and ends where it began after two minutes', async ({ page }) => {
	await logIn(page)
	await page.clock.install()
	for (const { at, press, to, says } of steps)
		await test.step(`${at} to ${to.source}`, async () => {
			await page.goto(at)
			for (const [name, fail] of Object.entries(failures))
				await test.step(name, async () => {
					const mend = await cut(page, 'GET', fail)
					await press(page)
					await expect(bar(page)).toHaveText('No connection. Trying again…')
					await expectAlive(page)
					if (name === 'offline') {
						await page.clock.runFor(121_000)
						await expect(page.getByText(says).first()).toBeVisible()
						expect(new URL(page.url()).pathname).toBe(at)
						await expect(bar(page)).toHaveCount(0)
						await press(page)
						await expect(bar(page)).toBeVisible()
					}
					await mend()
					await page.evaluate(() => window.dispatchEvent(new Event('online')))
					await expect(page).toHaveURL(to)
					await expect(bar(page)).toHaveCount(0)
					await expectAlive(page)
					await page.goto(at)
				})
		})
})

test('Load more, a reader who goes elsewhere, and a site that was renewed', async ({ page }) => {
	await page.goto('/forum')
	const cards = page.locator('main h2 a')
	const before = await cards.count()
	let mend = await cut(page, 'GET', failures['a 502'] as (route: Route) => Promise<void>)
	await page.getByRole('link', { name: /Load more/ }).click()
	await expect(bar(page)).toBeVisible()
	await expectNoViolations(page)
	expect(await cards.count()).toBe(before)
	await mend()
	await page.evaluate(() => window.dispatchEvent(new Event('online')))
	await expect.poll(() => cards.count()).toBeGreaterThan(before)

	// Another press replaces the first one.
	mend = await cut(page, 'GET', (route) =>
		route.request().url().includes('find-dev') ? route.abort() : route.continue(),
	)
	await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Community' }).click()
	await expect(bar(page)).toBeVisible()
	await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home' }).click()
	await expect(page).toHaveURL(/\/$/)
	await expect(bar(page)).toHaveCount(0)
	await mend()

	// A script that is gone: without text the target is loaded whole, with text the reader is asked.
	await page.goto('/register')
	await page.getByLabel('Full Name').fill('Typed already')
	const scripts = /\/assets\/.*\.js/
	await page.route(scripts, (route) => route.fulfill({ status: 404, body: 'There is no such file.' }))
	await page.locator('main').getByRole('link', { name: 'Login' }).click()
	await expect(bar(page)).toContainText('This site was updated.')
	await expect(page.getByLabel('Full Name')).toHaveValue('Typed already')
	expect(new URL(page.url()).pathname).toBe('/register')
	await page.getByLabel('Full Name').fill('')
	await page.unroute(scripts)
	await bar(page).getByRole('link', { name: 'Reload' }).click()
	await expect(page.getByRole('heading', { level: 1, name: 'Login' })).toBeVisible()
})
