import { readFileSync } from 'node:fs'
import type { RouteConfigEntry } from '@react-router/dev/routes'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { makeList } from '~/features/invites/lists/lists.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import routes from '~/routes.ts'
import { makeConversation, makeMessage } from '../factories/chat.ts'
import { makeComment, makeQuestion } from '../factories/forum.ts'
import { picture } from '../factories/pictures.ts'
import { filled } from '../factories/profiles.ts'
import { useDatabase } from '../support/database.ts'
import { logInMember, type MembersSite, startOnTestDatabase } from '../support/members-site.ts'
import { forgetNotedWrites, noteWrites, takeNotedWrites } from '../support/noted-writes.ts'

/*
 * Every form of the site map, sent by accounts that may not write: suspended, leaving, without consent to the terms, and staff in these
 * states. A new form has to be listed here.
 */

useDatabase()

let site: MembersSite
const ids = { query: 0, comment: 0, solution: 0, list: 0 }
/** A question of each member, by username. */
const owned: Record<string, number> = {}
let url = ''
let inGoodStanding: { member: SignedIn; cookie: string }
let peerId = 0
let peerCookie = ''

/** The fields of a form that would be accepted; a File or JSON for what is no form. */
type Sent = Record<string, string | File> | { json: object }
interface Form {
	/**
	 * Who may send it in which state. `writes`: others see the result, so it is refused with the reason. `own`: it concerns nobody else.
	 * `staff`: for moderators and admins who may write. `open`: needs no account, or another proof.
	 */
	kind: 'writes' | 'own' | 'staff' | 'open'
	/** Of `{me}` and the ids above. */
	path: (me: string) => string
	/** The status of a refusal, where it is not 403. */
	status?: number
	send: (me: string) => Sent | Promise<Sent>
}

const at =
	(kind: Form['kind']) =>
	(path: string | ((me: string) => string), fields: Form['send'] | Sent = {}): Form => ({
		kind,
		path: typeof path === 'string' ? () => path : path,
		send: typeof fields === 'function' ? fields : () => fields,
	})
const [writes, own, staff, open] = (['writes', 'own', 'staff', 'open'] as const).map(at) as [
	ReturnType<typeof at>,
	ReturnType<typeof at>,
	ReturnType<typeof at>,
	ReturnType<typeof at>,
]
const profile = (part: string) => (me: string) => `/edit-profile/${me}${part}`
const texts = { title: 'A title that is long enough', description: 'A text.', tags: 'testing', category: 'others' }

/** By route, as in the site map. */
const forms: Record<string, Form[]> = {
	'/forum/ask': [writes('/forum/ask', texts)],
	'/forum/edit/:username/:id': [writes((me) => `/forum/edit/${me}/${owned[me]}`, texts)],
	'/forum/:category/:username/:id/:slug?': [
		writes(() => url, { intent: 'comment', body: 'A comment.' }),
		writes(
			() => url,
			() => ({ intent: 'reply', comment: String(ids.comment), body: 'A reply.' }),
		),
	],
	'/forum/vote': [writes('/forum/vote', () => ({ query: String(ids.query), value: '1' }))],
	'/forum/follow': [writes('/forum/follow', { category: 'java', value: '1' })],
	'/forum/following': [writes('/forum/following', () => ({ query: String(ids.query), what: 'too', value: '1' }))],
	'/forum/outdated': [
		writes('/forum/outdated', () => ({ comment: String(ids.solution), value: '1', reason: 'newer' })),
	],
	'/forum/invite/:id': [writes(() => `/forum/invite/${ids.query}`, { username: 'peer' })],
	'/report/:kind/:id': [
		writes(() => `/report/query/${ids.query}`, { reason: 'spam', details: '' }),
		writes('/report/profile/peer', { reason: 'spam', details: '' }),
	],
	'/edit-profile/:username': [writes(profile('?index'), { ...filled.personal, version: '1' })],
	'/edit-profile/:username/academics': [writes(profile('/academics'), { ...filled.academics, version: '1' })],
	'/edit-profile/:username/experience': [writes(profile('/experience'), { kind: 'work', organisation: 'Lamp Works' })],
	'/edit-profile/:username/social-links': [writes(profile('/social-links'), { ...filled.social, version: '1' })],
	'/edit-profile/:username/certificates': [writes(profile('/certificates'), filled.certificate)],
	'/edit-profile/:username/projects': [writes(profile('/projects'), filled.project)],
	'/edit-profile/:username/projects/github': [writes(profile('/projects/github'), { repository: '1' })],
	'/edit-profile/:username/import': [
		writes(profile('/import'), { intent: 'apply', document: '{}', fingerprint: 'x', change: 'personal.about' }),
	],
	'/edit-profile/:username/picture': [writes(profile('/picture'), { profile_url: '' })],
	'/edit-profile/:username/evidence': [writes(profile('/evidence'), { skill: 'React' })],
	'/edit-profile/:username/change-password': [
		own(profile('/change-password'), { currentPassword: 'x', newPassword: 'y' }),
	],
	'/media/*': [
		writes('/media', async () => ({
			kind: 'profile',
			file: new File([new Uint8Array(await picture('png', 40, 40))], 'picture.png'),
		})),
	],
	'/messages/:username': [
		writes('/messages/peer', { intent: 'send', clientId: '00000000-0000-4000-8000-000000000001', body: 'Hi' }),
		writes('/messages/stranger', { intent: 'accept' }),
		own('/messages/peer', { intent: 'mute' }),
		own('/messages/stranger', { intent: 'block' }),
	],
	'/messages/:username/wire': [
		{
			...writes('/messages/peer/wire', (me) => ({
				json: { me, clientId: '00000000-0000-4000-8000-000000000002', body: 'Hi', pictures: [] },
			})),
			status: 200,
		},
	],
	'/settings/username': [writes('/settings/username', { username: 'another-name' })],
	'/settings/tokens': [writes('/settings/tokens', { intent: 'make', name: 'test', scopes: 'read', days: '7' })],
	// A redirect with a notice.
	'/verify-campus': [{ ...writes('/verify-campus'), status: 303 }],
	'/confirm-campus': [open('/confirm-campus', { token: 'x' })],

	'/forum/bookmark': [own('/forum/bookmark', () => ({ kind: 'query', id: String(ids.query), value: '1' }))],
	'/bookmarks': [own('/bookmarks', () => ({ kind: 'query', id: String(ids.query), intent: 'note', note: 'Read it.' }))],
	'/forum/preview': [own('/forum/preview', { description: 'A text.' })],
	'/forum/drafts': [own('/forum/drafts', { ...texts, key: 'ask' })],
	'/following': [own('/following', { intent: 'save', kind: 'queries', query: 'event loop', name: 'Loops' })],
	'/answer': [own('/answer', { intent: 'opt-in' })],
	'/notifications': [own('/notifications')],
	'/notifications/read': [own('/notifications/read')],
	'/notifications/push': [own('/notifications/push', { intent: 'off', endpoint: 'https://push.example/1' })],
	'/settings': [own('/settings?index', { 'mail:comment': 'on' }), own('/settings', { intent: 'revoke-others' })],
	'/settings/messages': [own('/settings/messages', { typing: 'on' })],
	'/messages/read': [own('/messages/read')],
	'/first-steps': [own('/first-steps')],
	'/settings/email': [own('/settings/email', { email: 'other@campus.example' })],
	'/confirm-email': [own('/confirm-email', { token: 'x' })],
	'/settings/data': [own('/settings/data')],
	// Accepted from those who are leaving, which `leaving.spec.ts` covers.
	'/settings/leave': [],
	'/settings/two-factor': [own('/settings/two-factor', { intent: 'begin' })],
	'/settings/passkeys': [own('/settings/passkeys', { intent: 'begin', name: 'x' })],
	'/settings/logins': [own('/settings/logins', { unlink: '1' })],
	'/confirm-identity': [own('/confirm-identity', { password: 'x' })],
	'/confirm-identity/passkey': [own('/confirm-identity/passkey')],
	'/claim-admin': [own('/claim-admin', { token: 'x' })],
	'/terms/accept': [own('/terms/accept', { intent: 'later', version: '1' })],
	'/suggest/similar': [own('/suggest/similar', () => ({ query: String(ids.query) }))],

	'/theme': [open('/theme', { theme: 'dark' })],
	'/announcement': [open('/announcement', { id: 'abcdefghijkl' })],
	'/login': [open('/login')],
	'/login/code': [open('/login/code')],
	'/login/passkey': [open('/login/passkey')],
	'/login/ldap': [open('/login/ldap')],
	'/login/link': [open('/login/link')],
	'/login/saml/acs': [open('/login/saml/acs')],
	'/login/campus/backchannel-logout': [open('/login/campus/backchannel-logout')],
	'/login/:provider': [open('/login/campus')],
	'/register': [open('/register')],
	'/forgot-password': [open('/forgot-password')],
	'/reset-password': [open('/reset-password')],
	'/verify-email': [open('/verify-email', { token: 'x' })],
	'/invite': [open('/invite')],
	'/logout': [],
	'/undo-email': [open('/undo-email', { token: 'x' })],
	'/unsubscribe': [open('/unsubscribe?token=x')],
	'/mail/bounces': [open('/mail/bounces')],
	'/*': [open('/nothing-here')],

	'/forum/tag/:tag': [staff('/forum/tag/testing?describe', { description: 'About tests.' })],
	'/forum/tags': [staff('/forum/tags', { intent: 'join', name: 'testz', main: 'tests' })],
	'/moderation/:kind/:id': [
		staff(() => `/moderation/query/${ids.query}`, { intent: 'hide', why: 'x' }),
		staff(() => `/moderation/query/${ids.query}`, { intent: 'note', note: 'x' }),
		staff(() => `/moderation/query/${ids.query}`, { intent: 'take' }),
		staff('/moderation/profile/peer', { intent: 'suspend', why: 'x', time: '1 day' }),
		staff('/moderation/profile/peer', { intent: 'log-out' }),
	],
	'/moderation/members': [staff('/moderation/members', { intent: 'appoint', username: 'peer' })],
	'/moderation/terms/new': [staff('/moderation/terms/new', { intent: 'add', name: 'A new term', confirmed: '1' })],
	'/moderation/term/:id': [staff('/moderation/term/1', { intent: 'rename', name: 'Gopher', confirmed: '1' })],
	'/moderation/account/:username': [
		staff('/moderation/account/peer', { intent: 'hide', why: 'x', from: '', time: '' }),
	],
	'/moderation/accounts': [
		staff('/moderation/accounts?accounts=peer', { intent: 'hide', why: 'x', from: '', time: '', accounts: 'peer' }),
	],
	'/admin': [staff('/admin', { intent: 'hide' }), staff('/admin', { intent: 'keep', step: 'name' })],
	'/admin/backups': [staff('/admin/backups', { intent: 'back-up' })],
	'/admin/categories': [staff('/admin/categories', { id: '2', intent: 'down' })],
	'/admin/categories/new': [
		staff('/admin/categories/new', { title: 'New one', slug: 'new-one', description: '', asking: 'everybody' }),
	],
	'/admin/categories/:id': [staff('/admin/categories/2', { intent: 'archive' })],
	'/admin/figures': [staff('/admin/figures', { task: 'send-mail' })],
	'/admin/invitations': [staff('/admin/invitations', { intent: 'make', uses: '1', days: '7', cohort: '' })],
	'/admin/invitations/list': [
		staff('/admin/invitations/list', { days: '7', cohort: '', addresses: 'x@campus.example' }),
	],
	'/admin/invitations/list/:id': [staff(() => `/admin/invitations/list/${ids.list}`, { intent: 'discard' })],
	'/admin/leavers': [staff('/admin/leavers', () => ({ intent: 'mark', ids: String(peerId) }))],
	'/admin/legal/:kind': [staff('/admin/legal/imprint', { intent: 'publish', body: 'x', version: '0' })],
	'/admin/webhooks': [
		staff('/admin/webhooks', { intent: 'add', name: 'x', url: 'https://x.example/', events: 'member.joined' }),
	],
	'/admin/webhooks/:id': [staff('/admin/webhooks/1', { intent: 'secret' })],
	'/moderation/log.csv': [staff('/moderation/log.csv', { member: '' })],
	'/admin/members.csv': [staff('/admin/members.csv', { q: '' })],
	// Refused for each member.
	'/admin/bulk': [
		{ ...staff('/admin/bulk?act=suspend', () => ({ ids: String(peerId), why: 'x', time: '1 day' })), status: 200 },
	],
	'/admin/members/:username': [
		staff('/admin/members/peer', { intent: 'role', role: 'moderator', why: 'x' }),
		staff('/admin/members/peer', { intent: 'archive', why: 'x' }),
		staff('/admin/members/peer', { intent: 'delete', texts: 'keep', why: 'x' }),
	],
	'/admin/members/:username/merge': [
		staff('/admin/members/peer/merge?into=stranger', { into: 'stranger', username: 'peer', why: 'x' }),
	],
	'/admin/settings/:section': [staff('/admin/settings/tags', { intent: 'save', reserved: 'x', version: '1' })],
}

const states = {
	suspended: `suspended_until = now() + interval '2 days', suspended_reason = 'Shoes.'`,
	leaving: `leaves_at = now() + interval '10 days'`,
	'without consent': `agreed_to = 0`,
}
type State = keyof typeof states
const why: Record<State, RegExp> = {
	suspended: /You are suspended until .* and cannot post here until then\. Reason: Shoes\./,
	leaving: /You are leaving, so you can only read\./,
	'without consent': /Accept the terms of this site at/,
}
const someone = {} as Record<State | `admin ${State}`, { member: SignedIn; cookie: string }>

beforeAll(async () => {
	site = await startOnTestDatabase()
	const peered = await logInMember(site, 'peer')
	const peer = peered.member
	peerId = peer.id
	peerCookie = peered.cookie
	const stranger = (await logInMember(site, 'stranger')).member
	const admin = await logInMember(site, 'admin', 'admin')
	const published = await site.ask('/admin/legal/terms', admin.cookie, {
		intent: 'publish',
		body: 'Be kind.',
		version: '0',
		asks: 'on',
	})
	expect(published.status).toBe(303)
	const asked = await makeQuestion(peer)
	ids.query = asked.id
	url = asked.url
	ids.comment = await makeComment(peer, asked.id)
	ids.solution = await makeComment(stranger, asked.id)
	await sql`update comments set is_solution = true where id = ${ids.solution}`.execute(db())
	const list = { cohort: '', days: '7', addresses: 'x@elsewhere.example' }
	ids.list = await makeList(admin.member, list)
	await sql`insert into webhooks (name, url, events, secret) values ('x', 'https://x.example/', '{}', '')`.execute(db())
	for (const state of Object.keys(states) as State[])
		for (const role of ['member', 'admin'] as const) {
			const name = role === 'admin' ? (`admin ${state}` as const) : state
			const username = name.replaceAll(' ', '-')
			someone[name] = await logInMember(site, username, role)
			const { member } = someone[name]
			if (role === 'member') owned[username] = (await makeQuestion(member)).id
			await makeConversation(peer, member)
			await makeMessage(stranger, member, 'Hello?')
		}
	inGoodStanding = await logInMember(site, 'good', 'admin')
	await sql`update users set agreed_to = (select max(id) from legal_versions)`.execute(db())
	for (const [name, { member }] of Object.entries(someone)) {
		const state = name.replace('admin ', '') as State
		await sql`update users set ${sql.raw(states[state])} where id = ${member.id}`.execute(db())
	}
	// The first page of a member writes.
	for (const { member, cookie } of [...Object.values(someone), inGoodStanding])
		for (const path of [`/edit-profile/${member.username}`, '/admin/figures']) await site.ask(path, cookie)
	await noteWrites()
})

afterAll(() => site?.stop())

interface Answer {
	status: number
	/** What its sender reads: the page, the data, or the notice of a redirect. */
	told: string
}

async function submit(form: Form, { member, cookie }: { member: SignedIn; cookie: string }): Promise<Answer> {
	const sent = await form.send(member.username)
	const headers = { Origin: site.url, Cookie: cookie, ...('json' in sent && { 'Content-Type': 'application/json' }) }
	const body = 'json' in sent ? JSON.stringify(sent.json) : new FormData()
	if (body instanceof FormData) for (const [name, value] of Object.entries(sent)) body.append(name, value)
	const path = form.path(member.username)
	const answer = await fetch(site.url + path, { method: 'POST', redirect: 'manual', headers, body })
	const cookies = answer.headers.getSetCookie().map(decodeURIComponent).join('\n')
	return { status: answer.status, told: shown(await answer.text()) + cookies }
}

/** The routes whose file matches, once each and sorted. */
function routesWith(pattern: RegExp): string[] {
	const within = (entries: RouteConfigEntry[], above: string): string[] =>
		entries.flatMap(({ path, file, children = [] }) => {
			const whole = path === undefined ? above : `${above}/${path}`
			const own = pattern.test(readFileSync(`app/${file}`, 'utf8')) ? [whole || '/'] : []
			return [...own, ...within(children, whole)]
		})
	return [...new Set(within(routes, ''))].sort()
}

test('every form of the site map is listed', () => {
	expect(routesWith(/^export (async )?(function action\b|const action\b)/m)).toEqual(Object.keys(forms).sort())
})

/** The sentence that a page shows, without the data of its scripts; or what an answer without a page says. */
const shown = (text: string) => text.replace(/<script[\s\S]*?<\/script>/g, '')

const all = Object.values(forms).flat()
const stateNames = Object.keys(states) as State[]
const refusals = stateNames.flatMap((state) =>
	(['writes', 'staff'] as const).flatMap((kind) =>
		all.filter((form) => form.kind === kind).map((form) => [form.path('me'), state, form] as const),
	),
)

test.each(refusals)('%s is refused to who is %s, with the reason, and changes nothing', async (_path, state, form) => {
	const who = form.kind === 'staff' ? (`admin ${state}` as const) : state
	await sql`delete from rate_limits`.execute(db())
	await forgetNotedWrites()
	const answer = await submit(form, someone[who])
	expect(await takeNotedWrites()).toEqual([])
	expect(answer.status).toBe(form.status ?? 403)
	expect(answer.told).toMatch(why[state])
})

test.each(stateNames)('pages where who is %s could write say so before', async (state) => {
	for (const path of ['/forum/ask', url, `${url}?reply=${ids.comment}`, '/messages/peer']) {
		const page = shown(await (await site.ask(path, someone[state].cookie)).text())
		expect(page, path).toMatch(why[state])
		expect(shown(await (await site.ask(path, peerCookie)).text()), path).not.toMatch(why[state])
	}
})

const dispatch = /\b(chooseIntent|itemAction|answerAct|decideCase|handleQuestionAction|handleConversationAction)\(/
/** A form of each route whose forms have several buttons, with a button that the site does not know. */
const unknownButtons = routesWith(dispatch).map((route) => {
	const form = forms[route]?.find((one) => !one.path('me').endsWith('?index')) ?? own(route)
	const unknown = { intent: 'of-an-older-page', value: 'of-an-older-page' }
	return [route, { ...form, send: async (me: string) => ({ ...(await form.send(me)), ...unknown }) }] as const
})

test.each(unknownButtons)('%s changes nothing for a button that it does not know', async (_route, form) => {
	await sql`delete from rate_limits`.execute(db())
	await forgetNotedWrites()
	const answer = await submit(form, inGoodStanding)
	// The second one is that of decisions, which programs make as well.
	expect(answer.told).toMatch(/This action is unknown\. Reload the page and try again\.|Choose what to do\./)
	expect(await takeNotedWrites()).toEqual([])
})

const ownForms = all.filter((form) => form.kind === 'own').map((form) => [form.path('me'), form] as const)

test.each(ownForms)('%s, which concerns nobody else, is accepted from who is suspended', async (_path, form) => {
	await sql`delete from rate_limits`.execute(db())
	const answer = await submit(form, someone.suspended)
	expect(answer.status).not.toBe(403)
})
