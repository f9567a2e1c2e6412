import type { Page } from '@playwright/test'

/* What the journey of widths looks at: the pages of the site, and what opens on them. */

export const WIDTHS = [320, 390, 768, 900, 1024, 1280, 1600]
const PHONE = [390]
const WIDE = [1280]
const BOTH = [390, 1280]

/** Names have at most 100 characters, usernames 40. */
export const longest = { latin: 'W'.repeat(80), hebrew: 'ש'.repeat(100), arabic: 'ض'.repeat(40) }
export const username = 'w'.repeat(40)
export const tag = 't'.repeat(35)

/** A part of a page at the widths at which it appears. */
export interface View {
	/** Brings the page into another state first. */
	open?: (page: Page) => Promise<unknown>
	/** What covers the page on purpose: a menu, a dialog. The rest is not checked. */
	scope?: string
	/** The smallest or largest width at which this appears. */
	from?: number
	upTo?: number
	/** The widths at which axe checks it, at the last one in both themes. Other journeys check what appears on a page only after some act. */
	axe?: number[]
}

export interface Sight extends View {
	address: string
	/** The status of the response, unless it is 200. */
	status?: number
	/** The path at which the reader ends, unless it is the address's. */
	leadsTo?: string
	/** What covers it in turn, on the same visit. Escape closes all but the last. */
	overlays?: View[]
	/** The labels of the only fields that neither are required nor say that they are optional. */
	unmarked?: string[]
	/** The widths at which the focus ring of each of its controls is looked at. */
	rings?: number[]
	/** How many controls have one at least; 11 if it is missing. */
	fewestRings?: number
	/** Whether the page also has to fit a phone of 390 px with text twice as large. None with the longest words does: see access.spec.ts. */
	fitsLargeText?: boolean
}

const withAxe = (axe: number[], ...addresses: string[]): Sight[] => addresses.map((address) => ({ address, axe }))
const plain = (...addresses: string[]): Sight[] => withAxe([], ...addresses)
const all = (rest: Partial<Sight>, ...parts: Sight[][]): Sight[] => parts.flat().map((sight) => ({ ...sight, ...rest }))
const readable = (...parts: Sight[][]): Sight[] => all({ fitsLargeText: true }, ...parts)

export interface Addresses {
	/** A question of the demo content, where axe finds nothing; of {@link question} it finds that wide tables scroll by pointer only. */
	ordinary: string
	question: string
	id: string
	comment: string
	term: string
}

/** The pages of the site by route, each for the role that sees most on it, and with every overlay it has. */
export function sights({
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
			{
				address: '/',
				axe: WIDE,
				overlays: [
					{ open: press('Open menu'), scope: '.side-menu', upTo: 390 },
					{ open: press(/account menu/), scope: '.account-menu', from: 768 },
					{ open: openInboxPanel, scope: '.inbox-panel' },
				],
			},
			{ address: `/find-dev/${'h'.repeat(40)}`, axe: WIDE, rings: WIDE },
			{ address: `/my-profile/${username}?tab=about`, axe: WIDE, rings: PHONE },
			...withAxe(WIDE, '/forum/ask'),
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
			{
				address: '/find-dev',
				rings: WIDE,
				overlays: [
					{ open: press(/^Filters/), scope: '.filters', upTo: 900 },
					{ open: openChat, scope: '.chat-panel' },
				],
			},
			{ address: '/messages', rings: PHONE, fewestRings: 7 },
			...plain(`/find-dev?q=${longest.latin}`),
			...plain(
				`/find-dev/${username}`,
				`/find-dev/${username}?posts=answers`,
				...['skills', 'academics', 'projects', 'certificates', 'queries', 'answers', 'solutions'].map(
					(tab) => `/my-profile/${username}?tab=${tab}`,
				),
			),
			{
				address: editing(),
				// On a phone its sections are a row of tabs.
				axe: BOTH,
				rings: PHONE,
				unmarked: [],
				overlays: [{ open: leaveUnsaved, scope: 'dialog[open]' }],
			},
			...all(
				{ unmarked: [] },
				withAxe(WIDE, editing('/academics'), editing('/experience'), editing('/social-links')),
				withAxe(WIDE, editing('/projects'), editing('/change-password')),
			),
			{ address: editing('/certificates'), axe: WIDE, unmarked: ['Image'] },
			...plain(editing('/projects/github'), editing('/import')),
			{
				address: '/forum',
				rings: BOTH,
				overlays: [
					{ open: switchTo(username), scope: '.switcher' },
					{ open: askInDialog, scope: 'dialog[open]' },
				],
			},
			...plain(`/forum/edit/${username}/${id}`, `/forum/history/${id}`, `/forum/history/comment/${comment}`),
			...plain(`/forum/invite/${id}`, `/forum/invite/${id}?q=${username}`),
			{ address: `/search?q=${username}`, rings: BOTH },
			...['people', 'projects', 'tags', 'questions'].flatMap((kind) => plain(`/search?q=${username}&in=${kind}`)),
			...plain(`/search?q=tag:${tag}`, `/search?q=${longest.latin}`),
			// On a phone, a conversation covers the whole page.
			{ address: `/messages/${'h'.repeat(40)}`, scope: '#main', rings: WIDE },
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
			...withAxe(PHONE, '/admin/webhooks'),
			...all({ status: 404 }, plain('/admin/invitations/list/1', '/admin/webhooks/1')),
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
