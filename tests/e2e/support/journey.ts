import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test as base, expect, type Page, type Request } from '@playwright/test'
import type { AxeResults, RunOptions } from 'axe-core'
import pg from 'pg'
import { siteDatabase, startSite } from '../../support/site-process.ts'
import { noteNotices } from './notices.ts'

/** The requests of a test's own page that have no answer yet. */
const underWay = new WeakMap<Page, Set<Request>>()

/** Without comments and long names, which each page would parse. */
const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** The rules of axe whose findings differ with the colours of a theme. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']

/** A page without scripts, or one that they have taken over. */
const READY = ':root:not(:has(script[data-started])), :root[data-hydrated]'

const waited = new WeakSet<object>()

/**
 * Has every page of this browser wait for its scripts where Playwright waits for the event `load`: they start after the first
 * paint, for which that event does not wait. Scripts that a journey holds back are waited for no longer than five seconds.
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

/** With it a journey reports mails that came back. */
export const bounceSecret = 'what the mail server knows'

/** Of whoever registers without a word about it. */
const newPassword = 'a lantern at the ford'

/**
 * A test whose pages lie on the built site, and which fails when a page writes an error to the console. Each worker has a site
 * with the demo content of its own, so that two journeys at once never meet; its address and data directory are in the
 * worker's environment as SITE_URL and SITE_DATA_DIR.
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
			// A page that is left open goes on working, and its member stays online in the journeys after this one.
			for (const context of browser.contexts()) await context.close()
			// A draft that a journey left would stand in the form of another with the same member.
			await onSiteDatabase('delete from drafts')
		},
		{ auto: true },
	],
	// Apart from `quiet`, in whose place some journeys put their own.
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
			// The next journey has the same page, unless this one would still go elsewhere by itself, as where a network came back. A clock of
			// Playwright's leaves scripts in its browser that fail once it is gone.
			const hasClock = await page.evaluate(() => '__pwClock' in globalThis).catch(() => true)
			if (hasClock) await page.context().close()
			else await page.goto('about:blank', { waitUntil: 'commit', timeout: 5_000 }).catch(() => page.close())
		},
		{ auto: true },
	],
	quiet: [
		async ({ page }, use) => {
			const said: string[] = []
			page.on('console', (message) => message.type() === 'error' && said.push(message.text()))
			page.on('pageerror', (error) => said.push(error.message))
			await use(undefined)
			// The browser reports each 4xx answer, and each try without a network, that a journey asks for on purpose.
			expect(said.filter((text) => !/Failed to load resource|ERR_INTERNET_DISCONNECTED/.test(text))).toEqual([])
		},
		{ auto: true },
	],
})

export { expect }

export const demoEmail = 'mira.quillon@eastmere.example'

export const demoModerator = 'odalys.fernbrook@eastmere.example'

/** The password of a demo account, as the site's start prints it. */
export function demoPassword(email = demoEmail): string {
	const text = readFileSync(join(process.env.SITE_DATA_DIR ?? '', 'demo-account.txt'), 'utf8')
	const line = text.split('\n').find((each) => each.startsWith(email))
	return line?.split(' ')[1] ?? ''
}

/**
 * Logs a demo account in, the member unless the moderator is named, by the form as it is without scripts. The page stays where
 * it is: the journey opens what it is about. The form itself has journeys of its own.
 */
export async function logIn(page: Page, email = demoEmail): Promise<void> {
	await submit(page, '/login', { email, password: demoPassword(email) })
}

/**
 * Sends a form in the browser of this page, without its scripts, and does not follow where it leads: that page would be rendered for
 * nobody. What it would say there is forgotten.
 * @throws Error when it is refused
 */
async function submit(page: Page, path: string, form: Record<string, string>, headers = {}): Promise<void> {
	const answer = await page.request.post(path, {
		form,
		headers: { Origin: process.env.SITE_URL ?? '', ...headers },
		maxRedirects: 0,
	})
	if (answer.status() !== 302 && answer.status() !== 303)
		throw new Error(`${path} answered ${answer.status()}:\n${await answer.text()}`)
	await page.context().clearCookies({ name: 'flash' })
}

/** Waits until the scripts have taken over the page: before, a click or a key does what it does without them. */
export async function hydrated(page: Page): Promise<void> {
	await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
}

/** Waits until the test's own page has what its scripts asked for when they took it over, as the routes that its links lead to. */
export async function settled(page: Page): Promise<void> {
	await hydrated(page)
	// Idle before it counts, as scripts may be about to ask, and after it, as they have yet to run what came.
	const idle = () => page.evaluate(() => new Promise((done) => requestIdleCallback(done, { timeout: 1_000 })))
	await expect(async () => {
		await idle()
		expect(underWay.get(page)?.size).toBe(0)
		await idle()
		expect(underWay.get(page)?.size).toBe(0)
	}).toPass({ intervals: [50] })
}

/**
 * Fails when axe finds anything on the page as it stands.
 * @param options `colors`: only the rules about colours are applied
 */
export async function expectNoViolations(page: Page, { targetSize = true, colors = false } = {}): Promise<void> {
	// Once a page, and without the builder for Playwright, which brings its source again each time for frames that no page has.
	if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource)
	// Lighthouse counts small targets too; axe looks at them when asked.
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
 * Fails when axe finds anything on the page as it stands, in either theme of a browser that chooses it. The themes differ in
 * colours alone, so the other rules are applied once. The page stays in the light theme.
 */
export async function expectNoViolationsInThemes(page: Page): Promise<void> {
	for (const colorScheme of ['dark', 'light'] as const) {
		await page.emulateMedia({ colorScheme })
		await expectNoViolations(page, { colors: colorScheme === 'dark' })
	}
}

/** Fails when the page is wider than the window at one of these widths, in CSS pixels. The window stays as wide as the last one. */
export async function expectToFit(page: Page, widths: number[]): Promise<void> {
	for (const width of widths) {
		await page.setViewportSize({ width, height: 800 })
		const shown = await page.evaluate(() => document.documentElement.scrollWidth)
		expect(shown, `${page.url()} in a window of ${width} px`).toBeLessThanOrEqual(width)
	}
}

let newcomers = 0

/**
 * Registers a newcomer and logs them in, by the forms as they are without scripts; the page stays where it is. Each comes from an
 * address of their own, as many that register from one have to wait for each other.
 * @returns their username
 */
export async function enrol(
	page: Page,
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

/** Has the ten minutes of every link of these mails be over. */
export async function endLinks(
	table: 'email_links' | 'email_changes' | 'campus_links',
	dataDir?: string,
): Promise<void> {
	await onSiteDatabase(`update ${table} set works_until = now()`, dataDir)
}

/** Has the site do now what it does every minute, hour or night. @param name of the schedule */
export function doNow(name: string): Promise<void> {
	return onSiteDatabase(`select graphile_worker.add_job('${name}')`)
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

/** The path of the link in the newest mail to an address, once the site has written one down that is not `before`. */
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
 * Logs in the member whom ADMIN_EMAIL names, and confirms the address, which makes them admin. Registered once for each site: an address
 * may not be sent in again and again.
 */
export async function enrolAdmin(page: Page): Promise<void> {
	if (isAdminRegistered) await submit(page, '/login', { email: adminEmail, password: newPassword })
	else await enrol(page, 'Wanda Warden')
	isAdminRegistered = true
	// The login mails a second link, after which the first one does not work: whoever was too fast looks again.
	await expect(async () => {
		// An earlier journey on the same site may have made them admin, or an answer that came late.
		if ((await page.request.get('/moderation')).ok()) return
		await page.goto(await mailedLink(adminEmail))
		await page.getByRole('button', { name: 'Confirm my address' }).click({ timeout: 2_000 })
		await page.waitForURL('**/find-dev', { timeout: 5_000 })
	}).toPass({ timeout: 30_000 })
}

const scripts = /\/assets\/.*\.js/

/** Opens a page with a form of chips or suggestions whose scripts wait. @returns what lets them come */
export async function openWithoutScripts(page: Page, path: string): Promise<() => Promise<void>> {
	const { promise, resolve } = Promise.withResolvers<void>()
	await page.route(scripts, async (route) => {
		await promise
		await route.continue()
	})
	await page.goto(path, { waitUntil: 'commit' })
	await expect(page.getByRole('contentinfo')).toBeVisible()
	return async () => {
		resolve()
		await expect(page.getByRole('combobox', { name: /^(Skills|Tags|University)/ })).toBeVisible()
		await page.unroute(scripts)
	}
}
