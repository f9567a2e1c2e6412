import type { Page, Request } from '@playwright/test'
import { demoEmail, demoPassword, expect, expectNoViolations, hydrated, logIn, settled } from './support/journey.ts'
import { bar, cut, dialog, expectAlive, expectKept, type Form, failures, test } from './support/lost-connection.ts'

/*
 * Every kind of request of every route, with every kind of failure: the page keeps its input and reports the failure, and the same press
 * works once the network is back.
 */

test.use({ actionTimeout: 15_000 })

async function openOwnQuestion(page: Page, title: string): Promise<string> {
	await page.goto('/forum/ask')
	await page.getByLabel('Title', { exact: true }).fill(title)
	await page.getByLabel('Description').fill('Words that must not be lost.')
	await page.getByRole('combobox', { name: 'Tags' }).fill('network')
	await page.locator('main').getByRole('button', { name: 'Post question' }).click()
	await page.waitForURL(/\/forum\/[^/]+\/[^/]+\/\d+\/[\w-]+$/)
	return new URL(page.url()).pathname
}

test('a visitor registers and logs in', async ({ page }) => {
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

test("a member's forms", async ({ page }) => {
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
		{ at: '/settings/tokens', typed: { Name: 'lifeboat' }, press: 'Create token' },
	]
	for (const form of forms) await expectKept(page, form)
	const at = await openOwnQuestion(page, 'What happens when the network goes?')
	await expectKept(page, {
		at: '/forum/ask',
		typed: { Title: 'A second question?', Description: 'Also not to be lost.' },
		open: async () => page.getByRole('combobox', { name: 'Tags' }).fill('network'),
		press: 'Post question',
		done: 'Also not to be lost.',
		says: 'Something went wrong. Try again!',
	})
	await expectKept(page, {
		at: at.replace(/^\/forum\/[^/]+(.*)\/[\w-]+$/, '/forum/edit$1'),
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
	/** The address it leads to, or null if it stays. */
	to: RegExp
	/** The text shown after 120 s. */
	says: string
	/** The route of a page that opens before its data arrive and itself reports when they do not. */
	skeletonOf?: string
}

const again = 'Something went wrong. Try again!'

const steps: Step[] = [
	{
		at: '/forum',
		press: (page) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Community' }).click(),
		to: /\/find-dev$/,
		says: 'Something went wrong!',
		skeletonOf: 'features/directory/routes/community',
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
		skeletonOf: 'features/profiles/routes/profile',
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
		to: /\/forum\/[^/]+\/[^/]+\/\d+\/[\w-]+$/,
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
	{
		at: '/messages',
		press: async (page) => {
			await page.getByRole('searchbox', { name: 'Search messages' }).fill('lifeboat')
			await page.keyboard.press('Enter')
		},
		to: /\/messages\?q=lifeboat/,
		says: 'Something went wrong!',
	},
]

/** Waits until the browser has discovered a route. Until then, it requests the route first and shows no skeleton. */
async function discovered(page: Page, id: string) {
	await expect.poll(() => page.evaluate((id) => id in window.__reactRouterManifest.routes, id)).toBe(true)
}

/** The time of the page's own clock, in milliseconds. */
const now = (page: Page) => page.evaluate(() => Date.now())

test('every navigation waits for the network, reports it, and returns to the start after two minutes', async ({
	page,
}) => {
	await logIn(page)
	// Advancing the clock by two minutes makes a socket miss its pings and reconnect, and then a list reloads by itself.
	await page.routeWebSocket(/\/realtime\//, () => {})
	await page.clock.install()
	for (const { at, press, to, says, skeletonOf } of steps)
		await test.step(`${at} to ${to.source}`, async () => {
			await page.goto(at)
			for (const [name, fail] of Object.entries(failures))
				await test.step(name, async () => {
					if (skeletonOf) await discovered(page, skeletonOf)
					// A page whose data have not come would give up as the clock advances.
					await expect(page.locator('main [aria-busy=true]')).toHaveCount(0)
					// A resting pointer would prefetch a page, so move it away and let the cache expire.
					await page.mouse.move(0, 0)
					await page.clock.fastForward('06:00')
					const { mend } = await cut(page, 'GET', fail)
					const pressedAt = await now(page)
					await press(page)
					await expect(bar(page)).toHaveText('No connection. Trying again…')
					await expectAlive(page)
					if (name === 'offline') {
						if (skeletonOf) await expect(page).toHaveURL(to)
						// The clock keeps running, and the notice after two minutes lasts four seconds.
						await page.clock.runFor(pressedAt + 121_000 - (await now(page)))
						await expect(page.getByText(says).first()).toBeVisible()
						await expectAlive(page)
						await expect(bar(page)).toHaveCount(0)
						if (skeletonOf) await page.getByRole('button', { name: 'Try again' }).click()
						else {
							expect(new URL(page.url()).pathname).toBe(at)
							await press(page)
						}
						await expect(bar(page)).toBeVisible()
					}
					await mend()
					await page.evaluate(() => window.dispatchEvent(new Event('online')))
					await expect(page).toHaveURL(to)
					await expect(bar(page)).toHaveCount(0)
					await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(0)
					if (skeletonOf) await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
					await expectAlive(page)
					// Some replace their history entry, so Back would lead elsewhere.
					await page.evaluate(async (to) => {
						const router = window.__reactRouterDataRouter
						await router.navigate(to)
						// A page that has opened with its skeleton would take the jump of the clock for two minutes without a response.
						for (const data of Object.values(router.state.loaderData)) await data?.slow
					}, at)
				})
		})
})

/** Types a name into the form of /register, and waits for the code that the first keystroke loads: it keeps pages alive. */
async function typeGuarded(page: Page, name: string): Promise<void> {
	await hydrated(page)
	await page.getByLabel('Full Name').fill(name)
	await settled(page)
}

test('Load more, a reader who navigates away, and an updated site', async ({ page }) => {
	await page.goto('/forum')
	await discovered(page, 'features/directory/routes/community')
	const cards = page.locator('main h2 a')
	const before = await cards.count()
	let { mend } = await cut(page, 'GET', failures['a 502'])
	await page.getByRole('link', { name: /Load more/ }).click()
	await expect(bar(page)).toBeVisible()
	// A link may be half covered by the bar, which lets clicks through.
	await expectNoViolations(page, { targetSize: false })
	expect(await cards.count()).toBe(before)
	await mend()
	await page.evaluate(() => window.dispatchEvent(new Event('online')))
	await expect.poll(() => cards.count()).toBeGreaterThan(before)

	// Leaving a page that still shows its skeleton cancels the wait.
	// The page opens before the prefetch is known to have failed.
	const isAhead = (request: Request) => 'x-prefetch' in request.headers()
	const community = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Community' })
	mend = (
		await cut(page, 'GET', async (route) => {
			if (!route.request().url().includes('find-dev')) return route.continue()
			if (isAhead(route.request())) await page.waitForURL(/\/find-dev$/)
			await route.abort()
		})
	).mend
	const askedAhead = page.waitForRequest(isAhead)
	await community.hover()
	await askedAhead
	await community.click()
	await expect(bar(page)).toBeVisible()
	await expect(page).toHaveURL(/\/find-dev$/)
	await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home' }).click()
	await expect(page).toHaveURL(/\/$/)
	await expect(bar(page)).toHaveCount(0)
	await mend()

	// A script is missing. Without input the target loads in full, with input the reader is asked.
	await page.goto('/register')
	await typeGuarded(page, 'Typed already')
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

test('a script that never arrives keeps the reader waiting visibly for two minutes', async ({ page }) => {
	await page.clock.install()
	await page.goto('/register')
	await typeGuarded(page, 'Typed already')
	const scripts = /\/assets\/.*\.js/
	await page.route(scripts, () => {})
	const login = page.locator('main').getByRole('link', { name: 'Login' })
	const pressedAt = await now(page)
	await login.click()
	await expect(page.getByRole('progressbar', { name: 'Loading' })).toBeVisible()
	await expectAlive(page)
	await page.clock.runFor(pressedAt + 121_000 - (await now(page)))
	await expect(page.getByText('Something went wrong!').first()).toBeVisible()
	await expect(page.getByRole('progressbar', { name: 'Loading' })).toHaveCount(0)
	await expect(page.getByLabel('Full Name')).toHaveValue('Typed already')
	expect(new URL(page.url()).pathname).toBe('/register')
	await expectAlive(page)
})

test('a page that has just loaded survives a lost connection before its scripts are ready', async ({ page }) => {
	await page.goto('/forum')
	const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Community' })
	// Wait for hydration. Before it, the browser itself would follow the link.
	await expect
		.poll(() => link.evaluate((element) => Object.keys(element).some((key) => key.startsWith('__reactProps'))))
		.toBe(true)
	await page.context().setOffline(true)
	await link.click()
	await expect(page.getByRole('progressbar', { name: 'Loading' })).toBeVisible()
	await expect(page.getByRole('heading', { name: 'Recent Queries' })).toBeVisible()
	await expectAlive(page)
	await page.context().setOffline(false)
	await expect(page).toHaveURL('/find-dev')
	await expect(page.getByRole('link', { name: 'View Details' }).first()).toBeVisible()
})
