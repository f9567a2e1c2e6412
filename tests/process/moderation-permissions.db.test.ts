import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { decideCase } from '~/features/moderation/decisions.server.ts'
import { findTerm, loadTerms } from '~/features/terms/terms.server.ts'
import { makeToken } from '~/features/tokens/tokens.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeQuestion } from '../factories/forum.ts'
import { useDatabase } from '../support/database.ts'
import { logInMember, type MembersSite, password, startOnTestDatabase } from '../support/members-site.ts'
import { forgetNotedWrites, noteWrites, takeNotedWrites } from '../support/noted-writes.ts'

/* Moderation and administration over HTTP: pages, their `.data`, and forms, for every role. */

useDatabase()

const people = ['anonymous', 'member', 'suspended', 'author', 'moderator', 'admin'] as const
type Who = (typeof people)[number]

let site: MembersSite
const cookies = { anonymous: '' } as Record<Who, string>
const ids = { query: 0, comment: 0, term: 0 }
let author: SignedIn
let moderator: SignedIn
let hiddenUrl = ''

beforeAll(async () => {
	site = await startOnTestDatabase()
	;({ member: author, cookie: cookies.author } = await logInMember(site, 'author'))
	;({ member: moderator, cookie: cookies.moderator } = await logInMember(site, 'moderator', 'moderator'))
	cookies.member = (await logInMember(site, 'member')).cookie
	// A moderator whom an admin has suspended.
	cookies.suspended = (await logInMember(site, 'suspended', 'moderator')).cookie
	await sql`update users set suspended_until = 'infinity' where username = 'suspended'`.execute(db())
	cookies.admin = (await logInMember(site, 'admin', 'admin')).cookie
	ids.query = (await makeQuestion(author)).id
	ids.comment = await makeComment(author, ids.query)
	await loadTerms()
	ids.term = findTerm('golang')?.id ?? 0
	const hidden = await makeQuestion(author, { title: 'A secret of a kind' })
	hiddenUrl = hidden.url
	await decideCase(moderator, { kind: 'query', name: String(hidden.id), act: 'hide' }, { why: 'It is secret.' })
	await sql`insert into webhooks (name, url, events, secret) values ('x', 'https://x.example/', '{}', '')`.execute(db())
	await noteWrites()
})

afterAll(() => site?.stop())

const path = (template: string) =>
	template
		.replace('QUERY', String(ids.query))
		.replace('COMMENT', String(ids.comment))
		.replace('TERM', String(ids.term))
		.replace('HIDDEN', hiddenUrl)

describe('reading', () => {
	const login = 'login'
	const staff = { anonymous: login, member: 403, suspended: 200, author: 403, moderator: 200, admin: 200 }
	const pages: [string, Record<Who, number | string>][] = [
		['/moderation', staff],
		['/moderation/query/QUERY', staff],
		['/moderation/comment/COMMENT', staff],
		['/moderation/profile/author', staff],
		['/moderation/account/author', staff],
		['/moderation/accounts?accounts=author', staff],
		['/moderation/members', staff],
		['/moderation/searches', staff],
		['/moderation/routing', staff],
		['/moderation/terms', staff],
		['/moderation/terms?list=new', staff],
		['/moderation/terms/new', staff],
		['/moderation/term/TERM', staff],
		['/moderation/log', { anonymous: login, member: 403, suspended: 403, author: 403, moderator: 403, admin: 200 }],
		...[
			'/admin',
			...['/admin/figures', '/admin/figures.csv', '/admin/figures/usage'],
			'/admin/backups',
			...['/admin/categories', '/admin/categories/new', '/admin/categories/1'],
			'/admin/members',
			'/admin/bulk',
			...['/admin/invitations', '/admin/invitations/list'],
			'/admin/leavers',
			'/admin/members/author',
			'/admin/members/author/merge?into=member',
			...['/admin/legal', '/admin/legal/terms'],
			...['/admin/webhooks', '/admin/webhooks/1'],
			'/admin/settings',
			...['/admin/settings/site', '/admin/settings/backups'],
			'/admin/settings/name',
			'/admin/settings/appearance',
			'/admin/settings/region',
			'/admin/settings/tags',
			'/admin/settings/report-reasons',
			'/admin/settings/campus-login',
			'/admin/settings/directory-login',
			'/admin/settings/saml-login',
			...['/admin/settings/campus-leavers', '/admin/settings/group-roles'],
		].map((page): [string, Record<Who, number | string>] => [
			page,
			{ anonymous: login, member: 403, suspended: 403, author: 403, moderator: 403, admin: 200 },
		]),
		['/report/query/QUERY', { anonymous: login, member: 200, suspended: 200, author: 403, moderator: 200, admin: 200 }],
		[
			'/report/comment/COMMENT',
			{ anonymous: login, member: 200, suspended: 200, author: 403, moderator: 200, admin: 200 },
		],
		[
			'/report/profile/author',
			{ anonymous: login, member: 200, suspended: 200, author: 403, moderator: 200, admin: 200 },
		],
		['HIDDEN', { anonymous: 404, member: 404, suspended: 200, author: 200, moderator: 200, admin: 200 }],
	]
	const table = pages.flatMap(([page, answers]) =>
		people.flatMap((who) => ['', '.data'].map((way) => [`${page}${way}`, who, answers[who]] as const)),
	)

	test.each(table)('%s as %s: %s', async (page, who, answer) => {
		const response = await site.ask(path(page), cookies[who])
		const text = await response.text()
		if (answer === 'login') expect(`${response.headers.get('location')} ${text}`).toContain('/login?redirectTo=')
		else expect(response.status).toBe(answer)
		if (answer !== 200) expect(text).not.toContain('A secret of a kind')
		// The page says who may read it.
		const [, part] = /^\/(admin|moderation)/.exec(page) ?? []
		const isForAdmins = part === 'admin' || page.startsWith('/moderation/log')
		if (answer === 403 && part) expect(text).toContain(`Only ${isForAdmins ? 'admins' : 'moderators'} can`)
	})
})

describe('writing', () => {
	const staff: Who[] = ['moderator', 'admin']
	const acts: [string, Record<string, string>, Who[]][] = [
		['/moderation/query/QUERY', { intent: 'hide', why: 'x' }, staff],
		['/moderation/query/QUERY', { intent: 'lock', why: 'x' }, staff],
		['/moderation/query/QUERY', { intent: 'pin-everywhere', until: '' }, staff],
		['/moderation/query/QUERY', { intent: 'merge', why: 'x', into: '1' }, staff],
		['/moderation/comment/COMMENT', { intent: 'hide', why: 'x' }, staff],
		['/moderation/query/QUERY', { intent: 'take' }, staff],
		['/moderation/query/QUERY', { intent: 'assign', assignee: 'admin' }, staff],
		['/moderation/query/QUERY', { intent: 'note', note: 'x' }, staff],
		['/moderation/profile/author', { intent: 'suspend', why: 'x', time: 'for ever' }, staff],
		['/moderation/profile/author', { intent: 'hide', why: 'x' }, staff],
		['/moderation/profile/author', { intent: 'clean', why: 'x', part: 'name' }, staff],
		['/moderation/profile/author', { intent: 'log-out' }, ['admin']],
		['/moderation/account/author', { intent: 'hide', why: 'x', from: '', time: '' }, staff],
		['/moderation/account/author', { intent: 'undo', why: 'x', id: '1' }, staff],
		['/moderation/accounts', { intent: 'hide', why: 'x', from: '', time: '', accounts: 'author' }, staff],
		['/moderation/accounts', { intent: 'undo', why: 'x', ids: '1', accounts: 'author' }, staff],
		['/moderation/members', { intent: 'appoint', username: 'member' }, ['admin']],
		['/moderation/members', { intent: 'dismiss', username: 'moderator' }, ['admin']],
		['/moderation/terms/new', { intent: 'add', name: 'A new term', confirmed: '1' }, staff],
		['/moderation/terms/new', { intent: 'join', word: 'gopher', into: 'go', confirmed: '1' }, staff],
		['/moderation/term/TERM', { intent: 'rename', name: 'Gopher' }, staff],
		['/moderation/term/TERM', { intent: 'rename', name: 'Gopher', confirmed: '1' }, staff],
		['/moderation/term/TERM', { intent: 'add-alias', alias: 'gopher', confirmed: '1' }, staff],
		['/moderation/term/TERM', { intent: 'remove-alias', alias: 'golang', confirmed: '1' }, staff],
		['/moderation/term/TERM', { intent: 'merge', into: 'rust', confirmed: '1' }, staff],
		['/moderation/term/TERM', { intent: 'describe', description: 'x', parents: '', confirmed: '1' }, staff],
		['/admin', { intent: 'keep', step: 'name' }, ['admin']],
		['/admin', { intent: 'test-mail', step: 'mail' }, ['admin']],
		['/admin', { intent: 'hide' }, ['admin']],
		['/admin/categories', { intent: 'up', id: '2' }, ['admin']],
		['/admin/categories/new', { title: 'Mine', slug: '', description: '', asking: 'everybody' }, ['admin']],
		[
			'/admin/categories/1',
			{ intent: 'save', title: 'Mine', slug: 'mine', description: '', asking: 'everybody', version: '1' },
			['admin'],
		],
		['/admin/categories/1', { intent: 'archive' }, ['admin']],
		['/admin/categories/1', { intent: 'reopen' }, ['admin']],
		['/admin/categories/1', { intent: 'merge', into: 'others' }, ['admin']],
		['/admin/categories/1', { intent: 'merge', into: 'others', confirmed: '1' }, ['admin']],
		['/admin/figures', { task: 'send-mail' }, ['admin']],
		['/admin/backups', { intent: 'back-up' }, ['admin']],
		['/admin/settings/backups', { intent: 'save', isOn: '', version: '1' }, ['admin']],
		['/admin/webhooks', { intent: 'add', name: 'x', url: 'https://x.example/', events: 'member.joined' }, ['admin']],
		['/admin/webhooks/1', { intent: 'save', name: 'x', url: 'https://x.example/', events: 'member.joined' }, ['admin']],
		['/admin/webhooks/1', { intent: 'secret' }, ['admin']],
		['/admin/webhooks/1', { intent: 'test' }, ['admin']],
		['/admin/webhooks/1', { intent: 'again', delivery: '0b6b1d1c-94a5-4b5a-8f3c-6f1e0d6e2a11' }, ['admin']],
		['/admin/webhooks/1', { intent: 'delete' }, ['admin']],
		['/admin/members.csv', { q: '' }, ['admin']],
		['/moderation/log.csv', { member: '' }, ['admin']],
		['/admin/bulk', { ids: '1', why: 'x', time: '1 day' }, ['admin']],
		['/admin/members/member', { intent: 'role', role: 'admin', why: 'x' }, ['admin']],
		['/admin/members/admin', { intent: 'role', role: 'member', why: 'x' }, ['admin']],
		['/admin/members/member', { intent: 'confirm' }, ['admin']],
		['/admin/members/member', { intent: 'clear-mail' }, ['admin']],
		['/admin/invitations', { intent: 'make', uses: '1', days: '7', cohort: '' }, ['admin']],
		['/admin/invitations', { intent: 'revoke', id: '1' }, ['admin']],
		['/admin/invitations/list', { days: '7', cohort: '', addresses: 'x@campus.example' }, ['admin']],
		['/admin/invitations/list/1', { intent: 'send' }, ['admin']],
		['/admin/invitations/list/1', { intent: 'stop' }, ['admin']],
		['/admin/invitations/list/1', { intent: 'discard' }, ['admin']],
		['/admin/leavers', { intent: 'preview', names: 'x' }, ['admin']],
		['/admin/leavers', { intent: 'mark', ids: '1' }, ['admin']],
		['/admin/leavers', { intent: 'confirm', check: '1' }, ['admin']],
		['/admin/leavers', { intent: 'take-back', id: '1' }, ['admin']],
		['/admin/members/suspended', { intent: 'rename', username: 'renamed', why: 'x' }, ['admin']],
		['/admin/members/author', { intent: 'log-out' }, ['admin']],
		['/admin/members/author', { intent: 'second-factor', why: 'x' }, ['admin']],
		['/admin/members/author/merge', { into: 'member', username: 'author', why: 'x' }, ['admin']],
		['/admin/members/author', { intent: 'passkeys', why: 'x' }, ['admin']],
		['/admin/members/author', { intent: 'unlink', identity: '1', why: 'x' }, ['admin']],
		['/admin/members/author', { intent: 'suspend', why: 'x', time: 'for ever' }, ['admin']],
		['/admin/members/author', { intent: 'hide', why: 'x' }, ['admin']],
		['/admin/legal/imprint', { intent: 'preview', body: 'x', version: '0' }, ['admin']],
		['/admin/legal/imprint', { intent: 'publish', body: 'x', version: '0' }, ['admin']],
		['/admin/settings/site', { intent: 'save', authorName: 'x', version: '1' }, ['admin']],
		['/admin/settings/tags', { intent: 'save', reserved: 'x', version: '1' }, ['admin']],
		['/admin/settings/site', { intent: 'undo', id: '1' }, ['admin']],
		['/admin/settings/region', { intent: 'save', locale: 'en', zone: 'UTC', version: '1' }, ['admin']],
		['/admin/settings/appearance', { intent: 'save', accent: '#123456', ground: 'none', version: '1' }, ['admin']],
		['/admin/settings/campus-login', { intent: 'save', isOn: '', version: '1' }, ['admin']],
		['/admin/settings/saml-login', { intent: 'save', isOn: '', version: '1' }, ['admin']],
		['/admin/settings/directory-login', { intent: 'save', isOn: '', version: '1' }, ['admin']],
		['/admin/settings/group-roles', { intent: 'save', claim: 'groups', version: '1' }, ['admin']],
		['/report/query/QUERY', { reason: 'spam', details: '' }, ['member', 'moderator', 'admin']],
	]
	const refusals = acts.flatMap(([page, form, allowed]) =>
		people
			.filter((who) => !allowed.includes(who))
			.flatMap((who) => ['', '.data'].map((way) => [JSON.stringify(form), `${page}${way}`, who, form] as const)),
	)

	test.each(refusals)('%s to %s by %s is refused and changes nothing', async (_what, page, who, form) => {
		await forgetNotedWrites()
		const response = await site.ask(path(page), cookies[who], form)
		const text = await response.text()
		if (who === 'anonymous') expect(`${response.headers.get('location')} ${text}`).toContain('/login?redirectTo=')
		else expect(response.status).toBe(403)
		expect(await takeNotedWrites()).toEqual([])
	})
})

describe('an admin whose confirmation has expired', () => {
	const acts: [string, string, Record<string, string>][] = [
		['a role', '/admin/members/member', { intent: 'role', role: 'moderator', why: 'x' }],
		['a confirmed address', '/admin/members/member', { intent: 'confirm' }],
		['mail that comes back', '/admin/members/member', { intent: 'clear-mail' }],
		['sessions', '/admin/members/author', { intent: 'log-out' }],
		['a second factor', '/admin/members/author', { intent: 'second-factor', why: 'x' }],
		['passkeys', '/admin/members/author', { intent: 'passkeys', why: 'x' }],
		['a linked login', '/admin/members/author', { intent: 'unlink', identity: '1', why: 'x' }],
		['an account in another one', '/admin/members/author/merge', { into: 'member', username: 'author', why: 'x' }],
		['the own second factor', '/settings/two-factor', { intent: 'begin' }],
		['the own second factor, off', '/settings/two-factor', { intent: 'disable' }],
		['a passkey', '/settings/passkeys', { intent: 'begin', name: 'x' }],
		['a passkey, added', '/settings/passkeys', { intent: 'add', name: 'x', response: '{}' }],
		['a passkey, removed', '/settings/passkeys', { intent: 'remove', id: '1' }],
		['a username', '/admin/members/author', { intent: 'rename', username: 'renamed', why: 'x' }],
		['sessions, on the page of the case', '/moderation/profile/author', { intent: 'log-out' }],
		['a new moderator', '/moderation/members', { intent: 'appoint', username: 'member' }],
		['a moderator no more', '/moderation/members', { intent: 'dismiss', username: 'moderator' }],
		['the own sessions', '/settings', { intent: 'revoke-others' }],
		['a webhook', '/admin/webhooks', { intent: 'add', name: 'x', url: 'https://x.example/', events: 'member.joined' }],
		['a webhook, changed', '/admin/webhooks/1', { intent: 'save', name: 'x', url: 'https://x.example/' }],
		['the secret of a webhook', '/admin/webhooks/1', { intent: 'secret' }],
		['a webhook, deleted', '/admin/webhooks/1', { intent: 'delete' }],
		['a token', '/settings/tokens', { intent: 'make', name: 'x', scopes: 'read', days: '7' }],
	]

	test.each(acts.flatMap(([what, page, form]) => ['', '.data'].map((way) => [what, page, way, form] as const)))(
		'is asked to confirm that it is them: %s (%s%s)',
		async (_what, page, way, form) => {
			await passTenMinutes()
			await forgetNotedWrites()
			const response = await site.ask(page + way, cookies.admin, form)
			const place = `${response.headers.get('location')} ${await response.text()}`
			expect(place).toContain(`/confirm-identity?redirectTo=${encodeURIComponent(page)}`)
			expect(await takeNotedWrites()).toEqual([])
		},
	)

	test('is refused by the API with a session, but not with a token, whose creation was confirmed', async () => {
		await passTenMinutes()
		const admin = await db().selectFrom('users').selectAll().where('username', '=', 'admin').executeTakeFirstOrThrow()
		const { token } = await makeToken(
			{ ...admin, role: 'admin' },
			{ name: 'x', scopes: ['write', 'moderate'], days: 7 },
		)
		const setRole = (headers: Record<string, string>) =>
			fetch(`${site.url}/api/v1/moderation/members/member/role`, {
				method: 'PUT',
				body: JSON.stringify({ role: 'moderator' }),
				headers: { Origin: site.url, 'Content-Type': 'application/json', ...headers },
			})
		const refused = await setRole({ Cookie: cookies.admin })
		expect([refused.status, (await refused.json()).detail]).toEqual([
			403,
			expect.stringContaining('Confirm that it is'),
		])
		expect((await setRole({ Authorization: `Bearer ${token}` })).status).toBe(204)
	})

	test('can continue after confirming', async () => {
		await passTenMinutes()
		const wrong = await site.ask('/confirm-identity', cookies.admin, { password: 'wrong' })
		expect(wrong.status).toBe(422)
		const page = '/confirm-identity?redirectTo=/admin/members/author'
		const right = await site.ask(page, cookies.admin, { password })
		expect([right.status, right.headers.get('location')]).toEqual([303, '/admin/members/author'])
		const done = await site.ask('/admin/members/author', cookies.admin, { intent: 'confirm' })
		expect(done.headers.get('location')).toBe('/admin/members/author')
	})

	test.each(['//evil.example', 'https://evil.example/'])('is not redirected to %s', async (to) => {
		const page = `/confirm-identity?redirectTo=${encodeURIComponent(to)}`
		expect((await site.ask(page, cookies.admin, { password })).headers.get('location')).toBe('/settings')
		expect((await site.ask(page, '', { password })).headers.get('location')).toMatch(/^\/login/)
	})
})

function passTenMinutes(): Promise<unknown> {
	return sql`update sessions set confirmed_at = now() - interval '11 minutes'`.execute(db())
}

test('a merged question redirects visitors to its target, which says so, and remains readable', async () => {
	const [kept, merged] = [
		await makeQuestion(author, { title: 'The one that stays' }),
		await makeQuestion(author, { title: 'The same again' }),
	]
	const into = `http://localhost${kept.url}`
	await decideCase(moderator, { kind: 'query', name: String(merged.id), act: 'merge' }, { why: 'The same.', into })
	// Twice, as the second response comes from the cache.
	for (const _time of [1, 2]) {
		const response = await site.ask(merged.url, '')
		expect(response.status).toBe(301)
		expect(response.headers.get('location')).toBe(`${kept.url}?merged=${merged.id}`)
		expect(await (await site.ask(`${kept.url}?merged=${merged.id}`, '')).text()).toContain('was merged into this query')
		expect((await site.ask(`${merged.url}?original=1`, '')).status).toBe(200)
	}
})

test('a former slug of a category redirects visitors and members, at every address', async () => {
	const categories = await site.ask('/admin/categories/1', cookies.admin)
	expect(categories.status).toBe(200)
	const { url } = await makeQuestion(author, { category: 'javascript', title: 'What of its address?' })
	const form = {
		intent: 'save',
		title: 'JavaScript',
		slug: 'web',
		description: 'Of browsers.',
		asking: 'everybody',
		version: '1',
	}
	// Cached for visitors until the category changes.
	expect((await site.ask('/forum/category/javascript', '')).status).toBe(200)
	expect((await site.ask('/admin/categories/1', cookies.admin, form)).status).toBe(303)
	const ways: [string, string][] = [
		['/forum/category/javascript?view=active', '/forum/category/web?view=active'],
		['/forum/category/javascript/feed.atom', '/forum/category/web/feed.atom'],
		[url, url.replace('/javascript/', '/web/')],
	]
	for (const [from, to] of ways)
		for (const who of ['anonymous', 'member'] as const) {
			const response = await site.ask(from, cookies[who])
			expect([response.status, response.headers.get('location')]).toEqual([301, to])
			expect((await site.ask(to, cookies[who])).status).toBe(200)
		}
	const data = await (await site.ask('/forum/category/javascript.data', '')).text()
	expect(data).toContain('/forum/category/web')
	const api = (path: string) => site.ask(`/api/v1${path}`, '').then((response) => response.json())
	expect(await api('/categories/javascript')).toMatchObject({
		slug: 'web',
		description: 'Of browsers.',
		askers: 'everybody',
	})
	for (const query of ['category=javascript', 'q=category:javascript'])
		expect((await api(`/queries?${query}`)).rows.map((row: { title: string }) => row.title)).toEqual([
			'What of its address?',
		])
	const again = await site.ask('/admin/categories/1', cookies.admin, { ...form, description: 'Of another tab.' })
	expect(again.status).toBe(409)
	expect(await again.text()).toContain('This was changed elsewhere in the meantime')
})
