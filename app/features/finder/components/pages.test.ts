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

test('every page without an item in its address is found by its name', () => {
	const patterns = routePaths(pageRoutes())
	const found = [...pagesOf(null), ...pagesOf(viewer('admin'))].map(({ url }) => patternOf(url, patterns))
	const own = patterns.filter((path) => !path.includes(':') || /^\/(edit|my)-profile/.test(path))
	expect([...new Set(found)].sort()).toEqual(own.filter((path) => !others.includes(path)).sort())
})

test.each([
	['member', 'password', ['Change Password', 'Ways to log in']],
	['member', 'delete acc', ['Delete my account']],
	['member', 'cv', ['Import a résumé']],
	['member', 'two-f', ['Two-factor login']],
	['member', 'invit', []],
	['moderator', 'spam', ['Everything of several accounts']],
	['admin', 'settings', ['Settings', 'Settings of the site', 'Access tokens', 'Activity']],
	['admin', 'invit', ['Invitations', 'Invite a list of addresses']],
	['admin', 'moderation log', ['Moderation log']],
] as const)('a %s who types “%s” is offered %j', (role, typed, titles) => {
	expect(pagesLike(pagesOf(viewer(role)), typed).map(({ title }) => title)).toEqual(titles)
})
