import type { Locator, Page, Route } from '@playwright/test'
import { expect, test as journey } from './journey.ts'

/** Browsers log each request cut by these journeys to the console. */
export const test = journey.extend<{ quiet: undefined }>({ quiet: async ({}, use) => use(undefined) })

type Fail = (route: Route) => Promise<void>

/** What can happen to a request on its way. */
export const failures = {
	offline: (route) => route.abort('internetdisconnected'),
	'cut in the middle': (route) =>
		route.fulfill({ headers: { 'Content-Type': 'text/x-script', 'X-Remix-Response': 'yes' }, body: '[{"_1":2},"da' }),
	'a 502': (route) => route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }),
	'a 504': (route) => route.fulfill({ status: 504, contentType: 'text/html', body: '<h1>Gateway Timeout</h1>' }),
	'no answer of the site': (route) =>
		route.fulfill({ contentType: 'text/html', body: '<h1>Log in to this Wi-Fi</h1>' }),
} satisfies Record<string, Fail>

/** Three of the failures, one of each kind, for forms that share their code with others. */
export const someFailures: (keyof typeof failures)[] = ['offline', 'a 502', 'no answer of the site']

/** Requests by React Router, and requests by parts of pages. */
const data = /\.data(\?|$)|\/__manifest\?|\/assets\/manifest-|\/forum\/(vote|follow)$|\/messages\/latest$/

export const bar = (page: Page) => page.locator('.connection-bar')
export const dialog = (page: Page) => page.getByRole('dialog')
export const notices = (page: Page) => page.getByRole('region', { name: 'Notices' })

/**
 * Makes requests with one method fail.
 * @returns `failed` waits for the first failed request, `mend` ends the failures
 */
export async function cut(page: Page, method: 'GET' | 'POST', fail: Fail) {
	const { promise, resolve } = Promise.withResolvers<void>()
	const handler = (route: Route) => (route.request().method() === method ? fail(route).then(resolve) : route.continue())
	await page.route(data, handler)
	return { failed: () => promise, mend: () => page.unroute(data, handler) }
}

export async function expectAlive(page: Page) {
	await expect(page.getByText('Application Error')).toHaveCount(0)
	await expect(page.getByRole('banner')).toBeVisible()
}

/** @param withPointer as a reader does, which also closes an open menu. By itself, the page clicks for a fraction of the processor time. */
export async function dismissToasts(page: Page, { withPointer = true } = {}) {
	const buttons = notices(page).getByRole('button', { name: 'Dismiss' })
	await expect(async () => {
		if (withPointer) for (const button of await buttons.all()) await button.click({ timeout: 500 })
		else await buttons.evaluateAll((all) => all.forEach((button) => void (button as HTMLElement).click()))
		await expect(notices(page).getByRole('button')).toHaveCount(0, { timeout: 500 })
	}).toPass()
}

export interface Form {
	at: string
	/** Opens the element that contains the form. */
	open?: (page: Page) => Promise<void>
	/** The input, by label without “optional”. */
	typed?: Record<string, string>
	press: string | RegExp
	says?: string
	/** The text shown after success. */
	done?: string
	/** Whether the form disappears after success. */
	isGone?: boolean
	within?: (page: Page) => Locator
	/** Whether a click outside closes it, like a menu. */
	closes?: boolean
	/** What a failure must leave unchanged besides the text. */
	kept?: (place: Locator) => Promise<void>
	/** The failures to test. Default: all. */
	under?: (keyof typeof failures)[]
}

/** Presses a form's button under each failure, and once more without one. */
export async function expectKept(page: Page, form: Form) {
	const { at, open, typed = {}, press, says = 'Something went wrong', done, isGone, within, closes, kept } = form
	const here = new URL(page.url())
	if (here.pathname + here.search !== at) await page.goto(at)
	await open?.(page)
	const place = within?.(page) ?? page.locator('main')
	const field = (label: string) => place.getByLabel(new RegExp(`^${label}( optional)?$`)).last()
	const button = place.getByRole('button', { name: press, exact: true }).last()
	for (const [label, text] of Object.entries(typed)) await field(label).fill(text)
	const address = new URL(page.url()).pathname
	const under = form.under ?? (Object.keys(failures) as (keyof typeof failures)[])
	for (const name of under)
		await test.step(`${at}, ${press}: ${name}`, async () => {
			const { failed, mend } = await cut(page, 'POST', failures[name])
			if (!(await button.isVisible())) await open?.(page)
			// A pointer takes several times the processor time, as in `dismissToasts`.
			await expect(button).toBeEnabled()
			if (name === under[0]) await button.click()
			else await button.evaluate((element: HTMLElement) => element.click())
			await failed()
			await expect(page.getByText(says).first()).toBeVisible()
			await expectAlive(page)
			expect(new URL(page.url()).pathname).toBe(address)
			for (const [label, text] of Object.entries(typed)) await expect(field(label)).toHaveValue(text)
			await kept?.(place)
			await expect(button).toBeEnabled()
			await mend()
			// A dialog blocks the pointer for notices beside it.
			if (within !== dialog) await dismissToasts(page, { withPointer: closes === true || name === under[0] })
			if (closes) await button.waitFor({ state: 'hidden' })
		})
	if (!(await button.isVisible())) await open?.(page)
	const answered = page.waitForResponse((answer) => data.test(answer.url()) && answer.request().method() === 'POST')
	await button.click()
	await answered
	if (done) await expect(page.getByText(done).first()).toBeVisible()
	else if (isGone) await expect(button).toBeHidden()
	else await expect(button).toBeEnabled()
	await expectAlive(page)
	await dismissToasts(page)
}
