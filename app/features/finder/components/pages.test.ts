import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Viewer } from '~/lib/viewer.ts'
import { pageRoutes, patternOf, routePaths } from '../../../../tests/support/raw-http.ts'
import { pagesLike, pagesOf } from './pages.ts'

const viewer = (role: 'member' | 'moderator' | 'admin') =>
	({ id: 1, username: 'mira', name: 'Mira', role }) as NonNullable<Viewer>

/** Reached only from another page, by a link in a mail, or with something chosen first. */
const others = [
	...[
		'/login/code',
		'/login/passkey',
		'/login/link',
		'/login/ldap',
		'/terms/accept',
		'/reset-password',
		'/verify-email',
	],
	...['/invite', '/claim-admin', '/confirm-identity', '/confirm-identity/passkey', '/unsubscribe', '/confirm-email'],
	...['/undo-email', '/confirm-campus', '/search', '/moderation/terms/new', '/admin/bulk', '/*'],
]

const patterns = routePaths(pageRoutes())

/** The titles of pages whose file names one, by their paths. */
function titlesOf(entries = pageRoutes(), above = ''): [path: string, title: string][] {
	return entries.flatMap(({ path, file, children = [] }) => {
		const whole = path === undefined ? above : `${above}/${path}`
		const title = /\bpageMeta\(matches, \{\s*title: '([^']+)'/.exec(readFileSync(`app/${file}`, 'utf8'))?.[1]
		return [...(title ? [[whole, title] as [string, string]] : []), ...titlesOf(children, whole)]
	})
}

test('every page without an item in its address is in the list', () => {
	const found = [...pagesOf(null), ...pagesOf(viewer('admin'))].map(({ url }) => patternOf(url, patterns))
	const own = patterns.filter((path) => !path.includes(':') || /^\/(edit|my)-profile/.test(path))
	expect([...new Set(found)].sort()).toEqual(own.filter((path) => !others.includes(path)).sort())
})

test('every page is found by its title', () => {
	const titles = new Map(titlesOf())
	expect(titles.size).toBeGreaterThan(50)
	const isMissing = (pages: ReturnType<typeof pagesOf>) => (page: (typeof pages)[number]) => {
		const title = titles.get(patternOf(page.url, patterns))
		return title !== undefined && !pagesLike(pages, title).includes(page)
	}
	for (const pages of [pagesOf(null), pagesOf(viewer('admin'))]) expect(pages.filter(isMissing(pages))).toEqual([])
})

test.each([
	['member', 'password', ['Change Password', 'Ways to log in']],
	['member', 'delete acc', ['Delete my account']],
	['member', 'cv', ['Import a résumé']],
	['member', 'two-f', ['Two-factor login']],
	['member', 'recent quer', ['Forum']],
	['member', 'invit', []],
	['moderator', 'spam', ['Everything of several accounts']],
	['admin', 'settings', ['Settings', 'Settings of the site', 'Access tokens', 'Recent activity']],
	['admin', 'invit', ['Invitations', 'Invite a list of addresses']],
	['admin', 'moderation log', ['Moderation log']],
] as const)('a %s who types “%s” is offered %j', (role, typed, titles) => {
	expect(pagesLike(pagesOf(viewer(role)), typed).map(({ title }) => title)).toEqual(titles)
})
