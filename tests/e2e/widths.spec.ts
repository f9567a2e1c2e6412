import { mkdirSync } from 'node:fs'
import type { Browser, Page } from '@playwright/test'
import pg from 'pg'
import { pageRoutes, routePaths } from '../support/raw-http.ts'
import { siteDatabase } from '../support/site-process.ts'
import { anotherBrowser } from './support/chat.ts'
import { demoModerator, enrol, enrolAdmin, expect, hydrated, logIn, test } from './support/journey.ts'
import { examineLayout, propertiesOfThemes } from './support/layout.ts'

/*
 * Every page of the site at seven widths and in both themes, with the longest words possible, none with a space. `SCREENSHOTS=folder` saves
 * a screenshot of each page at each width.
 */

const WIDTHS = [320, 390, 768, 900, 1024, 1280, 1600]

/** Names have at most 100 characters, usernames 40. */
const longest = { latin: 'W'.repeat(80), hebrew: 'ש'.repeat(100), arabic: 'ض'.repeat(40) }
const username = 'w'.repeat(40)
const tag = 't'.repeat(35)

interface Sight {
	address: string
	/** Brings the page into another state first. */
	open?: (page: Page) => Promise<unknown>
	/** What covers the page on purpose: a menu, a dialog. The rest is not checked. */
	scope?: string
	/** The smallest or largest width at which this appears. */
	from?: number
	upTo?: number
}

interface Addresses {
	question: string
	id: string
	comment: string
	term: string
}

/** The pages of the site by route, each for the role that sees most on it, and with every overlay it has. */
function sights({
	question,
	id,
	comment,
	term,
}: Addresses): Record<'visitor' | 'member' | 'moderator' | 'admin', Sight[]> {
	const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click()
	const editing = (part = '') => `/edit-profile/${username}${part}`
	return {
		visitor: [
			...['/terms', '/privacy', '/imprint', '/terms/accept'],
			...[
				'/login',
				'/login/code',
				'/login/passkey',
				'/login/campus',
				'/login/ldap',
				'/login/link?token=x',
				'/login/saml/callback',
				'/login/campus/callback',
				'/register',
				'/forgot-password',
				'/reset-password?token=x',
				'/verify-email?token=x',
			],
			...[
				'/unsubscribe?token=x',
				'/confirm-campus?token=x',
				'/undo-email?token=x',
				'/invite?token=x',
				'/',
				'/find-dev',
				'/forum',
				'/forum/ask',
				question,
			],
			...['/api/docs', '/skills/evidence', '/search', '/search?q=w&in=projects', `/nothing-here-${tag}`],
		].map((address) => ({ address })),
		member: [
			...[
				'/',
				'/claim-admin?token=x',
				'/confirm-identity',
				'/settings/two-factor',
				'/settings/passkeys',
				'/confirm-identity/passkey',
				'/settings',
				'/settings/tokens',
				'/settings/data',
				'/settings/leave',
				'/settings/activity',
				'/settings/logins',
				'/settings/email',
				'/settings/username',
				'/confirm-email?token=x',
				'/notifications',
				'/bookmarks',
				'/answer',
				'/following',
			],
			...['/messages', '/find-dev', `/find-dev?q=${longest.latin}`, '/find-dev?skill=Nothing'],
			...[
				`/find-dev/${username}`,
				`/find-dev/${tag}`,
				`/find-dev/${username}?posts=answers`,
				...['about', 'skills', 'academics', 'projects', 'certificates', 'queries', 'answers', 'solutions'].map(
					(tab) => `/my-profile/${username}?tab=${tab}`,
				),
			],
			...[
				editing(),
				editing('/academics'),
				editing('/experience'),
				editing('/social-links'),
				editing('/certificates'),
				editing('/projects'),
				editing('/projects/github'),
			],
			...[editing('/change-password'), editing('/import')],
			...[
				'/forum',
				'/forum/category/others',
				`/forum/tag/${tag}`,
				'/forum/tags',
				`/forum?q=${'M'.repeat(60)}`,
				'/forum/ask',
			],
			...[`/forum/edit/${username}/${id}`, `/forum/history/${id}`, `/forum/history/comment/${comment}`, question],
			...[`/report/comment/${comment}`, `/forum/invite/${id}`, `/forum/invite/${id}?q=${username}`],
			...['', '&in=people', '&in=projects', '&in=tags', '&in=questions'].map((kind) => `/search?q=${username}${kind}`),
			...[`/search?q=tag:${tag}`, `/search?q=${longest.latin}`],
		]
			.map((address): Sight => ({ address }))
			.concat([
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
			]),
		moderator: [
			...['/moderation', '/moderation/members', '/moderation/log', `/moderation/query/${id}`],
			...['/moderation/terms', '/moderation/terms/new', term, '/moderation/searches', '/moderation/routing'],
			...[`/moderation/profile/${username}`, `/moderation/account/${username}`, question, '/find-dev'],
			`/moderation/accounts?accounts=${username}+nobody-here`,
		].map((address) => ({ address })),
		admin: [
			'/admin',
			'/admin/backups',
			'/admin/categories',
			'/admin/categories/new',
			'/admin/categories/12',
			...['/admin/members', '/admin/bulk?act=suspend&all=1'],
			'/admin/invitations',
			'/admin/invitations/list',
			...['/admin/invitations/list/1', '/admin/leavers'],
			...['/admin/figures', '/admin/figures/usage'],
			...[`/admin/members/${username}`, `/admin/members/${username}/merge?into=pia.saffronley`],
			...['/admin/legal', '/admin/legal/terms', '/admin/settings', '/admin/settings/campus-login'],
		].map((address) => ({ address })),
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

/** The pattern of an address: of those that match, the one with the most static segments. */
function patternOf(address: string, patterns: string[]): string {
	const parts = new URL(address, 'http://site').pathname.split('/').filter(Boolean)
	const fits = patterns.filter((pattern) => {
		const words = pattern.split('/').filter(Boolean)
		return words.length === parts.length && words.every((word, index) => word.startsWith(':') || word === parts[index])
	})
	const fixed = (pattern: string) => pattern.split('/').filter((word) => !word.startsWith(':')).length
	return fits.sort((one, other) => fixed(other) - fixed(one))[0] ?? '/*'
}

test.describe('every page, with the longest words', () => {
	test('nothing is wider than the screen, cut off without an indication, or covered', async ({ page, browser }) => {
		const [addresses, moderator] = await prepare(page, browser)
		const admin = await newReader(browser)
		await enrolAdmin(admin)
		const readers = { visitor: await newReader(browser), member: page, moderator, admin }
		for (const reader of Object.values(readers)) reader.setDefaultTimeout(10_000)
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
async function look(page: Page, { address, open, scope, from = 0, upTo = 2_000 }: Sight): Promise<string[]> {
	const widths = WIDTHS.filter((width) => width >= from && width <= upTo)
	await page.setViewportSize({ width: widths[0] ?? 0, height: 844 })
	await page.goto(address)
	if (open) {
		await hydrated(page)
		await open(page)
	}
	const bad: string[] = []
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
		if (process.env.SCREENSHOTS) await picture(page, `${address}${scope ?? ''}`, width)
	}
	return bad
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
	await page.goto('/forum')
	await page.getByRole('button', { name: 'Dismiss' }).click()
	const moderator = await newReader(browser)
	await logIn(moderator, demoModerator)
	await Promise.all([other.context().close(), third.context().close()])
	const terms = await (await moderator.request.get('/moderation/terms?q=python')).text()
	const [term = ''] = /\/moderation\/term\/\d+/.exec(terms) ?? []
	return [{ question, id, comment, term }, moderator]
}

/** Submits a form as this page's member. */
async function send(page: Page, path: string, form: Record<string, string>): Promise<string> {
	const headers = { Origin: process.env.SITE_URL ?? '' }
	const response = await page.request.post(path, { form, headers, maxRedirects: 0 })
	if (![302, 303].includes(response.status())) throw new Error(`${path} answered ${response.status()}`)
	return response.headers().location ?? ''
}

/** What no form would accept in one go: every field of each newcomer's profile at its maximum length, and many votes and comments. */
async function fillProfiles(): Promise<void> {
	const client = new pg.Client(siteDatabase(process.env.SITE_DATA_DIR ?? ''))
	await client.connect()
	try {
		const word = (length: number) => 'W'.repeat(length)
		const link = `https://${'l'.repeat(60)}.example/${'p'.repeat(400)}`
		await client.query(
			`update profiles set phone = $1, city = $2, expertise_in = $3, about = $4, open_to = '{mentoring,teammates}',
				university_name = $5, location = $5, enrol_in_branch_name = $5, year_of_passing = 2028, current_semester = 12,
				current_year = 8, enrolment_number = $6, university_email = $7, github = $8, linkedin = $8, leetcode = $8,
				portfolio = $8, hackerrank = $8, codechef = $8, geeksforgeek = $8, show_email = true, show_phone = true
			where user_id in (select id from users where length(username) = 40)`,
			[
				'+'.padEnd(30, '9'),
				word(100),
				word(150),
				`${word(900)}\n\n${'ש'.repeat(900)}`,
				word(200),
				word(50),
				`${'e'.repeat(100)}@${'e'.repeat(60)}.example`,
				link,
			],
		)
		await client.query(`update categories set title = $1 where slug = 'others'`, [word(40)])
		await client.query(`update questions set score = -1234567, comment_count = 1234567
			where id = (select max(id) from questions where status = 'published')`)
	} finally {
		await client.end()
	}
}
