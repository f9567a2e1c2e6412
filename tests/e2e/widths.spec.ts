import { mkdirSync } from 'node:fs'
import type { Browser, Page } from '@playwright/test'
import { pageRoutes, patternOf, routePaths } from '../support/raw-http.ts'
import { anotherBrowser } from './support/chat.ts'
import {
	demoModerator,
	enrol,
	enrolAdmin,
	errorsOf,
	expect,
	expectNoViolationsInThemes,
	expectToFit,
	firstQuestion,
	hydrated,
	logIn,
	test,
} from './support/journey.ts'
import { examineLayout, propertiesOfThemes } from './support/layout.ts'
import { fillProfiles } from './support/longest-profiles.ts'

/*
 * Every page of the site at seven widths and in both themes, with the longest words possible, none with a space, and what axe finds on
 * it. `SCREENSHOTS=folder` saves a screenshot of each page at each width.
 */

const WIDTHS = [320, 390, 768, 900, 1024, 1280, 1600]
const PHONE = [390]
const WIDE = [1280]
const BOTH = [390, 1280]

/** Names have at most 100 characters, usernames 40. */
const longest = { latin: 'W'.repeat(80), hebrew: 'ש'.repeat(100), arabic: 'ض'.repeat(40) }
const username = 'w'.repeat(40)
const tag = 't'.repeat(35)

interface Sight {
	address: string
	/** The status of the response, unless it is 200. */
	status?: number
	/** The path at which the reader ends, unless it is the address's. */
	leadsTo?: string
	/** Brings the page into another state first. */
	open?: (page: Page) => Promise<unknown>
	/** What covers the page on purpose: a menu, a dialog. The rest is not checked. */
	scope?: string
	/** The smallest or largest width at which this appears. */
	from?: number
	upTo?: number
	/** The widths at which axe checks it, in both themes; all of them are checked. Other journeys check what appears on a page only after some act. */
	axe?: number[]
	/** Whether the page also has to fit a phone of 390 px with text twice as large. None with the longest words does: see access.spec.ts. */
	fitsLargeText?: boolean
}

const withAxe = (axe: number[], ...addresses: string[]): Sight[] => addresses.map((address) => ({ address, axe }))
const plain = (...addresses: string[]): Sight[] => withAxe([], ...addresses)
const all = (rest: Partial<Sight>, ...parts: Sight[][]): Sight[] => parts.flat().map((sight) => ({ ...sight, ...rest }))
const readable = (...parts: Sight[][]): Sight[] => all({ fitsLargeText: true }, ...parts)

interface Addresses {
	/** A question of the demo content, where axe finds nothing; of {@link question} it finds that wide tables scroll by pointer only. */
	ordinary: string
	question: string
	id: string
	comment: string
	term: string
}

/** The pages of the site by route, each for the role that sees most on it, and with every overlay it has. */
function sights({
	ordinary,
	question,
	id,
	comment,
	term,
}: Addresses): Record<'visitor' | 'member' | 'moderator' | 'admin', Sight[]> {
	const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click()
	const editing = (part = '') => `/edit-profile/${username}${part}`
	return {
		visitor: [
			...withAxe(WIDE, '/', '/find-dev', '/forum'),
			{ address: ordinary, axe: WIDE, from: 1280, upTo: 1280 },
			...plain(question),
			...readable(
				withAxe(WIDE, '/login', '/register', '/forgot-password', '/reset-password?token=x'),
				withAxe(WIDE, '/forum?q=zzzzqqqq', '/forum?q=python', '/forum/category/python'),
				all({ status: 404 }, withAxe(WIDE, `/nothing-here-${tag}`)),
				withAxe(BOTH, '/forum/ask'),
			),
			...plain('/terms', '/privacy', '/imprint', '/login/code', '/login/passkey', '/login/campus'),
			{ address: '/terms/accept', leadsTo: '/login' },
			...all({ status: 404 }, plain('/login/ldap', '/login/saml/callback', '/login/campus/callback')),
			...all(
				{ status: 422 },
				plain('/login/link?token=x', '/verify-email?token=x', '/unsubscribe?token=x'),
				plain('/confirm-campus?token=x', '/undo-email?token=x', '/invite?token=x'),
			),
			...plain('/api/docs', '/skills/evidence', '/search', '/search?q=w&in=projects'),
		],
		member: [
			...withAxe(WIDE, '/', `/find-dev/${'h'.repeat(40)}`, `/my-profile/${username}?tab=about`, '/forum/ask'),
			...withAxe(WIDE, '/find-dev?skill=Nothing', `/forum?q=${'M'.repeat(60)}`),
			...withAxe(BOTH, '/settings', '/settings/tokens', '/settings/activity', '/notifications'),
			...withAxe(BOTH, '/forum/category/others', `/forum/tag/${tag}`, '/forum/tags'),
			{ address: ordinary, axe: BOTH, from: 390, upTo: 1280 },
			...plain(question),
			...withAxe(PHONE, `/report/comment/${comment}`),
			...all({ status: 422 }, plain('/claim-admin?token=x', '/confirm-email?token=x')),
			...plain(
				'/confirm-identity',
				'/settings/two-factor',
				'/settings/passkeys',
				'/confirm-identity/passkey',
				'/settings/data',
				'/settings/leave',
				'/settings/logins',
				'/settings/email',
				'/settings/username',
				'/bookmarks',
				'/answer',
				'/following',
			),
			...all({ status: 404 }, plain(`/find-dev/${tag}`)),
			...plain('/messages', '/find-dev', `/find-dev?q=${longest.latin}`),
			...plain(
				`/find-dev/${username}`,
				`/find-dev/${username}?posts=answers`,
				...['skills', 'academics', 'projects', 'certificates', 'queries', 'answers', 'solutions'].map(
					(tab) => `/my-profile/${username}?tab=${tab}`,
				),
			),
			...plain(
				editing(),
				editing('/academics'),
				editing('/experience'),
				editing('/social-links'),
				editing('/certificates'),
				editing('/projects'),
				editing('/projects/github'),
			),
			...plain(editing('/change-password'), editing('/import')),
			...plain('/forum', `/forum/edit/${username}/${id}`, `/forum/history/${id}`, `/forum/history/comment/${comment}`),
			...plain(`/forum/invite/${id}`, `/forum/invite/${id}?q=${username}`),
			...['', '&in=people', '&in=projects', '&in=tags', '&in=questions'].flatMap((kind) =>
				plain(`/search?q=${username}${kind}`),
			),
			...plain(`/search?q=tag:${tag}`, `/search?q=${longest.latin}`),
			{ address: '/', open: press('Open menu'), scope: '.side-menu', upTo: 390 },
			{ address: '/', open: press(/account menu/), scope: '.account-menu', from: 768 },
			{ address: '/', open: openInboxPanel, scope: '.inbox-panel' },
			{ address: '/forum', open: switchTo(username), scope: '.switcher' },
			{ address: '/find-dev', open: press(/^Filters/), scope: '.filters', upTo: 900 },
			{ address: '/forum', open: askInDialog, scope: 'dialog[open]' },
			{ address: '/find-dev', open: openChat, scope: '.chat-panel' },
			// On a phone, a conversation covers the whole page.
			{ address: `/messages/${'h'.repeat(40)}`, scope: '#main' },
			{ address: editing(), open: leaveUnsaved, scope: 'dialog[open]' },
		],
		moderator: [
			...withAxe(PHONE, '/moderation', '/moderation?order=reported&handler=none', '/moderation/members'),
			...[ordinary, `/moderation/query/${ordinary.split('/')[4]}`].map(
				(address): Sight => ({ address, axe: PHONE, from: 390, upTo: 390 }),
			),
			...plain(question, `/moderation/query/${id}`),
			...withAxe(PHONE, '/moderation/terms', '/moderation/terms/new?word=Pythn', term),
			...withAxe(WIDE, `/moderation/account/${username}`),
			...withAxe(WIDE, `/moderation/accounts?accounts=${username}+pia.saffronley+nobody-here`),
			...plain('/moderation/searches', '/moderation/routing', `/moderation/profile/${username}`, '/find-dev'),
		],
		admin: [
			...withAxe(WIDE, '/admin', '/admin/categories', '/admin/categories/new', '/admin/categories/12'),
			...withAxe(WIDE, '/admin/members', '/admin/figures', '/admin/figures/usage', '/admin/backups', '/admin/leavers'),
			...withAxe(WIDE, '/admin/settings/backups', `/admin/members/${username}`, '/admin/bulk?act=suspend&all=1'),
			...withAxe(WIDE, `/admin/members/${username}/merge?into=pia.saffronley`),
			...withAxe(PHONE, '/moderation/log'),
			...plain('/admin/invitations', '/admin/invitations/list'),
			...all({ status: 404 }, plain('/admin/invitations/list/1')),
			...plain('/admin/legal', '/admin/legal/terms', '/admin/settings', '/admin/settings/campus-login'),
		],
	}
}

async function askInDialog(page: Page): Promise<void> {
	await page.getByRole('link', { name: 'New', exact: true }).click()
	await page.getByRole('dialog').getByLabel('Title').waitFor()
}

const switchTo = (text: string) => async (page: Page) => {
	await page.keyboard.press('Control+k')
	await page.locator('.switcher input').fill(text)
	await page.locator('.switcher [role=option]').first().waitFor()
}

async function openInboxPanel(page: Page): Promise<void> {
	await page.getByRole('button', { name: /^Messages and notifications/ }).click()
	const loaded = page.locator('.inbox-panel').getByRole('tabpanel').filter({ hasNotText: 'Loading...' })
	await loaded.getByRole('link').last().waitFor()
}

async function openChat(page: Page): Promise<void> {
	await page.locator('article', { hasText: longest.hebrew }).getByText('Chat', { exact: true }).click()
	await page.getByPlaceholder('type message here...').waitFor()
}

async function leaveUnsaved(page: Page): Promise<void> {
	await page.getByLabel('City').fill('Elsewhere')
	await page.getByRole('banner').getByRole('link').first().click()
	await page.getByRole('dialog').waitFor()
}

test.describe('every page, with the longest words', () => {
	test('nothing is wider than the screen, cut off without an indication, or covered', async ({ page, browser }) => {
		const [addresses, moderator] = await prepare(page, browser)
		const admin = await newReader(browser)
		await enrolAdmin(admin)
		const readers = { visitor: await newReader(browser), member: page, moderator, admin }
		for (const reader of Object.values(readers)) reader.setDefaultTimeout(10_000)
		const errors = Object.values(readers).map(errorsOf)
		const table = sights(addresses)
		const patterns = routePaths(pageRoutes())
		const visited = Object.values(table).flatMap((each) => each.map(({ address }) => patternOf(address, patterns)))
		expect([...new Set(visited)].sort()).toEqual(patterns.sort())

		await page.goto('/')
		// Colours move nothing. The first two are how `light-dark()` is compiled for older browsers.
		expect(await propertiesOfThemes(page)).toEqual(['--lightningcss-dark', '--lightningcss-light', 'color-scheme'])

		const bad: string[] = []
		const walk = async (who: keyof typeof table) => {
			for (const sight of table[who])
				for (const each of await look(readers[who], sight).catch((error) => [String(error).slice(0, 300)]))
					bad.push(`${who}, ${sight.address.slice(0, 50)}, ${each}`)
		}
		// The longest of the journeys: a member has as many pages as all others together.
		await Promise.all([walk('member'), walk('visitor').then(() => walk('moderator').then(() => walk('admin')))])
		expect(bad).toEqual([])
		expect(errors.flatMap((each) => each())).toEqual([])
		await page.setViewportSize({ width: 320, height: 844 })
		await page.goto(addresses.question)
		const cell = await page.getByRole('columnheader', { name: 'wide' }).first().boundingBox()
		expect(cell?.height, 'a word in a table of many columns is in one line').toBeLessThan(40)
		const prose = page.locator('.prose').first()
		for (const heading of await prose.getByRole('heading', { name: 'h', exact: true }).all())
			await expect(heading).toHaveCSS('font-weight', '650')
		await expect(prose.locator('ul')).toHaveCSS('padding-right', '20px')
		await page.emulateMedia({ media: 'print' })
		await expect(prose.locator('.formula'), 'a wide formula is whole on paper').toHaveCSS('overflow-x', 'visible')
		await page.goto(`/messages/${'h'.repeat(40)}`)
		await expect(page.locator('.chat-scroll'), 'a conversation is whole on paper').toHaveCSS('overflow-y', 'visible')
		await expect(page.getByRole('region', { name: longest.hebrew, exact: true })).toHaveCSS('position', 'static')
	})
})

test('a notice never covers the buttons of a form, wherever the page is scrolled', async ({ page }) => {
	await logIn(page)
	for (const height of [560, 844]) {
		await page.setViewportSize({ width: 390, height })
		await page.goto('/edit-profile/mira.quillon')
		const [save, notice] = [page.getByRole('button', { name: 'Save changes' }), page.locator('.toast')]
		await expect(async () => {
			// It stays while the pointer is on it. If it has already gone, it is shown again.
			await page.getByLabel('City').fill(`Nashik ${height}`)
			await save.click()
			await notice.filter({ hasText: 'Profile updated successfully!' }).hover({ timeout: 3_000 })
		}).toPass()
		const [text, dismiss] = await Promise.all([
			notice.locator('p').boundingBox(),
			notice.getByRole('button').boundingBox(),
		])
		const middle = (box: typeof text) => (box?.y ?? 0) + (box?.height ?? 0) / 2
		expect(middle(text), 'one line of text is level with the button').toBeCloseTo(middle(dismiss), 0)
		const end = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)
		for (const top of [0, end / 2, end - 100, end - 60, end - 30, end]) {
			await page.evaluate((y) => scrollTo({ top: y, behavior: 'instant' }), top)
			await expect(async () => {
				const [above, below] = [await notice.boundingBox(), await save.boundingBox()]
				const isClear =
					(above?.y ?? 0) + (above?.height ?? 0) <= (below?.y ?? 0) || (above?.y ?? 0) >= (below?.y ?? 0) + 36
				expect(isClear, `scrolled to ${top} of ${end}`).toBe(true)
			}).toPass({ timeout: 5_000 })
		}
	}
})

/** @returns the problems, with the width */
async function look(page: Page, sight: Sight): Promise<string[]> {
	const { address, status = 200, open, scope, from = 0, upTo = 2_000, axe = [], fitsLargeText = false } = sight
	const widths = WIDTHS.filter((width) => width >= from && width <= upTo)
	if (!axe.every((width) => widths.includes(width))) throw new Error(`axe would not check ${axe}`)
	await page.setViewportSize({ width: widths[0] ?? 0, height: 844 })
	const answered = (await page.goto(address))?.status()
	const bad = answered === status ? [] : [`answered ${answered}`]
	const { pathname } = new URL(page.url())
	if (pathname !== (sight.leadsTo ?? new URL(address, page.url()).pathname)) bad.push(`led to ${pathname}`)
	if (open) {
		await hydrated(page)
		await open(page)
	}
	pagesSeen += 1
	for (const [index, width] of widths.entries()) {
		await page.setViewportSize({ width, height: 844 })
		let wrong: string[] = []
		// Wait for content that loads late, such as a list.
		await expect(async () => {
			const seen = await examineLayout(page, scope, index === pagesSeen % widths.length)
			expect(new Set(seen.sums).size).toBe(1)
			wrong = seen.wrong
		}).toPass({ timeout: 10_000 })
		bad.push(...wrong.map((each) => `${width}: ${each}`))
		if (axe.includes(width)) bad.push(...(await violations(page)).map((each) => `${width}: ${each}`))
		if (process.env.SCREENSHOTS) await picture(page, `${address}${scope ?? ''}`, width)
	}
	if (fitsLargeText) await expectToFit(page, [195]).catch((error) => bad.push(String(error).slice(0, 300)))
	return bad
}

/** What axe finds in either theme. The page is shown again, and follows the browser's theme as a reader's does. */
async function violations(page: Page): Promise<string[]> {
	await page.evaluate(() => {
		document.documentElement.style.clipPath = ''
		document.documentElement.removeAttribute('data-theme')
	})
	return expectNoViolationsInThemes(page).then(
		() => [],
		(error) => [String(error).slice(0, 600)],
	)
}

/** Each page changes its theme at one width, the next page at the next. */
let pagesSeen = 0

async function picture(page: Page, name: string, width: number): Promise<void> {
	const folder = process.env.SCREENSHOTS ?? ''
	mkdirSync(folder, { recursive: true })
	for (const theme of ['light', 'dark'] as const) {
		await page.evaluate((name) => {
			document.documentElement.setAttribute('data-theme', name)
			document.documentElement.style.clipPath = ''
		}, theme)
		const file = `${name.replaceAll(/[^a-z0-9]+/gi, '-').slice(0, 60)}-${width}-${theme}.png`
		await page.screenshot({ path: `${folder}/${file}`, fullPage: theme === 'light' })
	}
}

async function newReader(browser: Browser): Promise<Page> {
	return (await anotherBrowser(browser)).newPage()
}

/** Members, texts and conversations of maximum length, and a moderator with cases to decide. */
async function prepare(page: Page, browser: Browser): Promise<[Addresses, Page]> {
	const [other, third] = [await newReader(browser), await newReader(browser)]
	await enrol(page, longest.latin, undefined, username)
	await enrol(other, longest.hebrew, undefined, 'h'.repeat(40))
	await enrol(third, longest.arabic, undefined, 'a'.repeat(40))
	await fillProfiles()
	const question = await send(page, '/forum/ask', {
		title: 'M'.repeat(200),
		tags: Array.from({ length: 10 }, (_, index) => `${index || ''}${tag}`.slice(0, 35)).join(','),
		description: `${'d'.repeat(400)}\n\n\`\`\`\n${'c'.repeat(300)}\n\`\`\`\n\n| a | b |\n|---|---|\n| ${'x'.repeat(200)} | ${'y'.repeat(200)} |\n\n| ${'wide |'.repeat(20)}\n|${'-|'.repeat(20)}\n\n# h\n\n## h\n\n### h\n\n- ש\n\n$$\nx\n$$`,
		category: 'others',
	})
	const id = question.split('/')[4] ?? ''
	const commented = await send(other, question, { intent: 'comment', body: `@${username} ${'k'.repeat(500)}` })
	const comment = commented.split('#comment-')[1] ?? ''
	await send(page, question, { intent: 'choose-solution', comment })
	let parent = comment
	for (const writer of [third, page, other, third]) {
		const to = await send(writer, question, { intent: 'reply', comment: parent, body: 'ש'.repeat(300) })
		parent = to.split('#comment-')[1] ?? ''
	}
	await send(other, `/messages/${username}`, { intent: 'send', clientId: crypto.randomUUID(), body: 'm'.repeat(400) })
	await send(third, `/report/query/${id}`, { reason: 'other', details: 'n'.repeat(300) })
	// The notice after posting would appear on the next page opened.
	await page.context().clearCookies({ name: 'flash' })
	const moderator = await newReader(browser)
	await logIn(moderator, demoModerator)
	await Promise.all([other.context().close(), third.context().close()])
	const terms = await (await moderator.request.get('/moderation/terms?q=python')).text()
	const [term = ''] = /\/moderation\/term\/\d+/.exec(terms) ?? []
	return [{ ordinary: await firstQuestion(moderator, '/forum?q=useEffect'), question, id, comment, term }, moderator]
}

/** Submits a form as this page's member. */
async function send(page: Page, path: string, form: Record<string, string>): Promise<string> {
	const headers = { Origin: process.env.SITE_URL ?? '' }
	const response = await page.request.post(path, { form, headers, maxRedirects: 0 })
	if (![302, 303].includes(response.status())) throw new Error(`${path} answered ${response.status()}`)
	return response.headers().location ?? ''
}
