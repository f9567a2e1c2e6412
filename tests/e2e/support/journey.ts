import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test as base, expect, type Page, type Request } from '@playwright/test'
import type { AxeResults, RunOptions } from 'axe-core'
import pg from 'pg'
import { CHEAP_HASHES, siteDatabase, startSite } from '../../support/site-process.ts'
import { noteNotices } from './notices.ts'

/** The requests of a test's own page that are still pending. */
const underWay = new WeakMap<Page, Set<Request>>()

/** Without comments and long names, which each page would parse. */
const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** The axe rules whose findings depend on the colours of a theme. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']

/** A page without scripts, or a hydrated one. */
const READY = ':root:not(:has(script[data-started])), :root[data-hydrated]'

const waited = new WeakSet<object>()

/**
 * Makes every page of this browser wait for its scripts where Playwright waits for the event `load`: they start after the first paint,
 * which that event does not wait for. Scripts that a journey holds back are awaited for at most five seconds.
 */
function waitForScripts(page: Page): void {
	const methods: Record<string, (...given: unknown[]) => Promise<unknown>> = Object.getPrototypeOf(page)
	if (waited.has(methods)) return
	waited.add(methods)
	for (const name of ['goto', 'reload', 'goBack', 'goForward', 'waitForURL']) {
		const go = methods[name]
		if (!go) throw new Error(`Playwright's pages have no ${name}.`)
		methods[name] = async function (this: Page, ...given) {
			const answer = await go.apply(this, given)
			const { waitUntil = 'load' } = (given.at(-1) ?? {}) as { waitUntil?: string }
			const ready = this.locator(READY)
			if (waitUntil === 'load') await ready.waitFor({ state: 'attached', timeout: 5_000 }).catch(() => {})
			return answer
		}
	}
}

const adminEmail = 'wanda.warden@eastmere.example'

/** Journeys use it to report bounced mails. */
export const bounceSecret = 'what the mail server knows'

/** The default password of newly registered members. */
export const newPassword = 'a lantern at the ford'

/**
 * A test on the built site that fails when a page logs an error to the console. Each worker has its own site with the demo content, so
 * parallel journeys never meet. Its address and data directory are in the worker's environment as SITE_URL and SITE_DATA_DIR.
 */
export const test = base.extend<{ requests: undefined; quiet: undefined; alone: undefined }, { site: undefined }>({
	site: [
		async ({}, use) => {
			const dataDir = mkdtempSync(join(tmpdir(), 'devquad-e2e-'))
			const site = await startSite({
				DATA_DIR: dataDir,
				ADMIN_EMAIL: adminEmail,
				TRUST_PROXY: '1',
				MAIL_BOUNCE_SECRET: bounceSecret,
				WEBHOOK_PRIVATE_ADDRESSES: '1',
				...CHEAP_HASHES,
			})
			process.env.SITE_URL = site.url
			process.env.SITE_DATA_DIR = dataDir
			await use(undefined)
			await site.stop()
			rmSync(dataDir, { recursive: true, force: true })
		},
		{ scope: 'worker', auto: true, timeout: 300_000 },
	],
	baseURL: async ({}, use) => use(process.env.SITE_URL),
	alone: [
		async ({ browser }, use) => {
			await use(undefined)
			// A page left open keeps working, and its member would stay online during later journeys.
			for (const context of browser.contexts()) await context.close()
			// A leftover draft would appear in the form of another journey with the same member.
			await onSiteDatabase('delete from drafts')
		},
		{ auto: true },
	],
	// Separate from `quiet`, which some journeys override.
	requests: [
		async ({ page, browser }, use) => {
			await noteNotices(page.context(), browser)
			const open = new Set<Request>()
			underWay.set(page, open)
			waitForScripts(page)
			page.on('request', (request) => open.add(request))
			for (const end of ['requestfinished', 'requestfailed'] as const)
				page.on(end as 'requestfinished', (request) => open.delete(request))
			await use(undefined)
			// The next journey opens a page of its own in the same browser: a renderer that stays collects the documents of earlier journeys, and
			// each page costs more than the one before. Playwright's clock leaves scripts in its browser that fail once the clock is gone.
			const hasClock = await page.evaluate(() => '__pwClock' in globalThis).catch(() => true)
			if (hasClock) await page.context().close()
			else await page.close()
		},
		{ auto: true },
	],
	quiet: [
		async ({ page }, use) => {
			const errors = errorsOf(page)
			await use(undefined)
			expect(errors()).toEqual([])
		},
		{ auto: true },
	],
})

export { expect }

/** Who sends requests: the member of a page, or one without a page, which would start a renderer. */
export type Account = Pick<Page, 'request' | 'context'>

export const demoEmail = 'mira.quillon@eastmere.example'

export const demoModerator = 'odalys.fernbrook@eastmere.example'

/** The password of a demo account, as the site prints it at startup. */
export function demoPassword(email = demoEmail): string {
	const text = readFileSync(join(process.env.SITE_DATA_DIR ?? '', 'demo-account.txt'), 'utf8')
	const line = text.split('\n').find((each) => each.startsWith(email))
	return line?.split(' ')[1] ?? ''
}

/**
 * Logs in to a demo account, by default the member's, with the form as it is without scripts. The page stays where it is, so that the
 * journey opens what it tests. Other journeys test the form itself.
 */
export async function logIn(page: Account, email = demoEmail): Promise<void> {
	await submit(page, '/login', { email, password: demoPassword(email) })
}

/**
 * Submits a form in this page's browser, without its scripts, and does not follow the redirect: nobody would see that page. Discards the
 * notice it would show.
 * @throws Error when the form is rejected
 */
export async function submit(page: Account, path: string, form: Record<string, string>, headers = {}): Promise<void> {
	const answer = await page.request.post(path, {
		form,
		headers: { Origin: process.env.SITE_URL ?? '', ...headers },
		maxRedirects: 0,
	})
	if (answer.status() !== 302 && answer.status() !== 303)
		throw new Error(`${path} answered ${answer.status()}:\n${await answer.text()}`)
	await page.context().clearCookies({ name: 'flash' })
}

/** @returns what gives the errors that this page has logged to the console since, its violations of the content security policy included */
export function errorsOf(page: Page): () => string[] {
	const said: string[] = []
	page.on('console', (message) => message.type() === 'error' && said.push(message.text()))
	page.on('pageerror', (error) => said.push(error.message))
	// The browser logs each 4xx response and each offline request that a journey causes on purpose.
	return () => said.filter((text) => !/Failed to load resource|ERR_INTERNET_DISCONNECTED/.test(text))
}

/** Waits for hydration. Before it, a click or a key acts as it does without scripts. */
export async function hydrated(page: Page): Promise<void> {
	await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
}

/** Waits until the test's own page has everything its scripts requested on hydration, such as the routes its links lead to. */
export async function settled(page: Page): Promise<void> {
	await hydrated(page)
	// Idle before the check, because scripts may be about to send requests, and after it, because they have yet to process the responses.
	const idle = () => page.evaluate(() => new Promise((done) => requestIdleCallback(done, { timeout: 1_000 })))
	await expect(async () => {
		await idle()
		expect(underWay.get(page)?.size).toBe(0)
		await idle()
		expect(underWay.get(page)?.size).toBe(0)
	}).toPass({ intervals: [50] })
}

/**
 * Fails when axe finds a violation on the page as it is.
 * @param options `colors`: run only the rules about colours
 */
export async function expectNoViolations(page: Page, { targetSize = true, colors = false } = {}): Promise<void> {
	// Once per page, and without the Playwright builder, which injects its source again each time for frames that no page has.
	if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource)
	// Lighthouse checks small targets too. axe does so only on request.
	const rules = { 'target-size': { enabled: targetSize } }
	const wanted: RunOptions = { resultTypes: ['violations'], ...(colors ? { runOnly: COLOR_RULES } : { rules }) }
	const violations = await page.evaluate(async (options) => {
		const found = await (window as unknown as { axe: { run: (options: RunOptions) => Promise<AxeResults> } }).axe.run(
			options,
		)
		return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
	}, wanted)
	expect(violations).toEqual([])
}

/**
 * Fails when axe finds a violation on the page as it is, in either theme of a browser that chooses it. The themes differ only in colours,
 * so the other rules run once. The page stays in the light theme.
 */
export async function expectNoViolationsInThemes(page: Page): Promise<void> {
	for (const colorScheme of ['dark', 'light'] as const) {
		await page.emulateMedia({ colorScheme })
		await expectNoViolations(page, { colors: colorScheme === 'dark' })
	}
}

/** Fails when the page is wider than the window at one of these widths, in CSS pixels. The window keeps the last width. */
export async function expectToFit(page: Page, widths: number[]): Promise<void> {
	for (const width of widths) {
		await page.setViewportSize({ width, height: 800 })
		const shown = await page.evaluate(() => document.documentElement.scrollWidth)
		expect(shown, `${page.url()} in a window of ${width} px`).toBeLessThanOrEqual(width)
	}
}

/**
 * Fails when the page is wider than the window at one of these widths, or axe finds a violation there. The colours of the dark theme are
 * checked at the last one, so not those of what only the others show.
 */
export async function expectSound(page: Page, widths = [390, 1280]): Promise<void> {
	for (const width of widths) {
		await expectToFit(page, [width])
		await (width === widths.at(-1) ? expectNoViolationsInThemes(page) : expectNoViolations(page))
	}
}

let newcomers = 0

/**
 * Registers a newcomer and logs them in, with the forms as they are without scripts. The page stays where it is. Each newcomer has a
 * separate IP address, because many registrations from one have to wait.
 * @returns their username
 */
export async function enrol(
	page: Account,
	name: string,
	password = newPassword,
	username = name.toLowerCase().replace(/\s+/g, '.'),
): Promise<string> {
	newcomers += 1
	const from = { 'X-Forwarded-For': `198.18.${newcomers % 250}.${(Date.now() % 250) + 1}` }
	const email = `${username}@eastmere.example`
	await submit(page, '/register', { name, email, password, confirmPassword: password }, from)
	await submit(page, '/login', { email, password }, from)
	return username
}

/** Expires every ten-minute link of one kind of mail. */
export async function endLinks(
	table: 'email_links' | 'email_changes' | 'campus_links',
	dataDir?: string,
): Promise<void> {
	await onSiteDatabase(`update ${table} set works_until = now()`, dataDir)
}

/** Makes the last confirmation of every session older than ten minutes. */
export function passTenMinutes(): Promise<void> {
	return onSiteDatabase("update sessions set confirmed_at = now() - interval '11 minutes'")
}

/** Runs a scheduled job of the site now. @param name of the schedule */
export function doNow(name: string): Promise<void> {
	return onSiteDatabase(`select graphile_worker.add_job('${name}')`)
}

/** Waits until a page has a text, such as one that a job writes, by requests of this page's member in place of visits. */
export async function hasArrived(page: Account, path: string, text: string): Promise<void> {
	await expect.poll(async () => (await (await page.request.get(path)).text()).includes(text)).toBe(true)
}

/** The HTML that an account gets of a page, for what needs no browser: without scripts, which repeat its texts, and comments between them. */
export async function htmlOf(page: Account, path: string): Promise<string> {
	return (await (await page.request.get(path)).text()).replace(/<script[\s\S]*?<\/script>|<!--[\s\S]*?-->/g, '')
}

/** The path of the first question in a list, of which nothing else is looked at. */
export async function firstQuestion(page: Account, list = '/forum'): Promise<string> {
	const html = await (await page.request.get(list)).text()
	const [, path] = /<article[\s\S]*?href="(\/forum\/[\w-]+\/[\w.-]+\/\d+\/[\w-]+)"/.exec(html) ?? []
	if (!path) throw new Error(`${list} has no question.`)
	return path
}

/** Makes every deleted query as old as the time after which its texts are erased. */
export function ageDeletedQueries(): Promise<void> {
	return onSiteDatabase(`update questions set status_at = now() - interval '31 days' where status = 'deleted'`)
}

/** Makes the first edits of a query two hours older. */
export function ageEdits(questionId: string, count: number): Promise<void> {
	return onSiteDatabase(`update revisions set made_at = made_at - interval '2 hours'
		where id in (select id from revisions where question_id = ${Number(questionId)} order by id limit ${count})`)
}

async function onSiteDatabase(statement: string, dataDir = process.env.SITE_DATA_DIR ?? ''): Promise<void> {
	const { DATABASE_URL } = process.env
	const client = new pg.Client(DATABASE_URL ? { connectionString: DATABASE_URL } : siteDatabase(dataDir))
	await client.connect()
	try {
		await client.query(statement)
	} finally {
		await client.end()
	}
}

/** The path of the link in the newest mail to an address, once the site has written one other than `before`. */
export async function mailedLink(
	address: string,
	{ before = '', dataDir = process.env.SITE_DATA_DIR ?? '' } = {},
): Promise<string> {
	let path = ''
	await expect
		.poll(() => {
			const folder = join(dataDir, 'mail')
			const files = existsSync(folder) ? readdirSync(folder).sort() : []
			const mail = files
				.map((file) => readFileSync(join(folder, file), 'utf8'))
				.findLast((text) => text.includes(`To: ${address}`))
			const plain = (mail ?? '').replace(/=\r?\n/g, '').replaceAll('=3D', '=')
			path = /https?:\/\/[^/\s]+(\/\S+\?token=[\w-]+)/.exec(plain)?.[1] ?? ''
			return path === before ? '' : path
		})
		.not.toBe('')
	return path
}

let isAdminRegistered = false

/**
 * Logs in the member named in ADMIN_EMAIL and confirms the address, which makes them admin. Registers once for each site, because an
 * address cannot be submitted again and again.
 */
export async function enrolAdmin(page: Page): Promise<void> {
	if (isAdminRegistered) await submit(page, '/login', { email: adminEmail, password: newPassword })
	else await enrol(page, 'Wanda Warden')
	isAdminRegistered = true
	// The login sends a second link, which invalidates the first, so read the mail again if that was too early.
	await expect(async () => {
		// An earlier journey on the same site, or a late response, may have made them admin.
		if ((await page.request.get('/moderation')).ok()) return
		await page.goto(await mailedLink(adminEmail))
		await page.getByRole('button', { name: 'Confirm my address' }).click({ timeout: 2_000 })
		await page.waitForURL('**/find-dev', { timeout: 5_000 })
	}).toPass({ timeout: 30_000 })
}

const scripts = /\/assets\/.*\.js/

/** Opens a page and holds back its scripts. @returns what releases them, and waits for the chips in place of plain fields */
export async function openWithoutScripts(page: Page, path: string): Promise<() => Promise<void>> {
	const { promise, resolve } = Promise.withResolvers<void>()
	await page.route(scripts, async (route) => {
		await promise
		await route.continue()
	})
	await page.goto(path, { waitUntil: 'commit' })
	await expect(page.getByRole('contentinfo')).toBeVisible()
	// On a busy machine the page can be read before its stylesheet has arrived.
	await page.waitForFunction(() =>
		[...document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')].every(({ sheet }) => sheet !== null),
	)
	return async () => {
		resolve()
		await hydrated(page)
		await expect(page.getByRole('textbox', { name: /^(Skills|Tags)/ })).toHaveCount(0)
		await page.unroute(scripts)
	}
}
