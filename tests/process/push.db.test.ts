import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { markSeen } from '~/features/chat/messages/reading.server.ts'
import { setBlocked, setMuted } from '~/features/conversations/conversations.server.ts'
import { countUnread } from '~/features/notifications/notifications.server.ts'
import { setPreferences } from '~/features/notifications/preferences.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeConversation } from '../factories/chat.ts'
import { makeComment, makeQuestion } from '../factories/forum.ts'
import { useDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { logInAgain, logInMember, type MembersSite, password, startOnTestDatabase } from '../support/members-site.ts'
import { type PushBrowser, startPushService } from '../support/push-service.ts'
import { closeTabs, openTab } from '../support/tabs.ts'

// Pushes of the built site, as a push service and browsers receive them.

useDatabase()

interface Member {
	viewer: SignedIn
	cookie: string
}

let service: Awaited<ReturnType<typeof startPushService>>
let site: MembersSite
const members: Record<string, Member> = {}

beforeAll(async () => {
	service = await startPushService()
	site = await startOnTestDatabase(undefined, service.env)
	for (const name of ['mira', 'tomas', 'stranger', 'moderator', 'admin'] as const) {
		const role = name === 'moderator' || name === 'admin' ? name : 'member'
		const { member: viewer, cookie } = await logInMember(site, name, role)
		members[name] = { viewer, cookie }
	}
	for (const friend of ['mira', 'admin']) await makeConversation(member('tomas').viewer, member(friend).viewer)
})

beforeEach(async () => {
	await sql`delete from push_subscriptions`.execute(db())
	await sql`delete from graphile_worker._private_jobs`.execute(db())
	await sql`delete from notification_preferences`.execute(db())
	await sql`delete from blocks`.execute(db())
	await sql`update conversation_members set muted = false, unread = 0, read_id = coalesce(last_message_id, 0),
		delivered_id = coalesce(last_message_id, 0)`.execute(db())
	await eventually(async () => expect(await openTabs()).toBe(0))
})

afterEach(closeTabs)
afterAll(async () => {
	await site.stop()
	await service.stop()
})

test('a message is pushed to its recipient only, encrypted for their browser, and signed by the site', async () => {
	const browsers = await everybody()
	await say('tomas', 'mira', 'The **train** is at nine.\nBring a heliotrope.')
	await eventually(() => expect(browsers.mira?.arrived).toHaveLength(1))
	await jobsDone()
	for (const name of ['tomas', 'stranger', 'moderator', 'admin']) expect(browsers[name]?.asked).toBe(0)
	const [push] = browsers.mira?.arrived ?? []
	expect(push).toMatchObject({
		title: 'Tomas',
		body: 'The train is at nine. Bring a heliotrope.',
		url: '/messages/tomas',
		tag: expect.stringMatching(/^c\d+$/),
	})
	expect(push?.open).toEqual([push?.tag])
	expect(push?.headers).toMatchObject({
		ttl: '86400',
		urgency: 'high',
		topic: push?.tag,
		'content-encoding': 'aes128gcm',
	})
	expect(push?.claims.sub).toBe('mailto:no-reply@localhost')
	expect(push?.claims.exp).toBeLessThan(Date.now() / 1000 + 86_400)
	const settings = await (await site.ask('/settings', member('mira').cookie)).text()
	expect(settings).toContain(push?.signedBy)
	const { rows } = await sql`select from push_subscriptions where last_success_at is not null`.execute(db())
	expect(rows).toHaveLength(1)
})

test('notifications read elsewhere are removed from the browser', async () => {
	const browser = await subscribed('mira')
	await say('tomas', 'mira', 'One')
	await eventually(() => expect(browser.arrived).toHaveLength(1))
	await say('stranger', 'mira', 'A secret request')
	await eventually(() => expect(browser.arrived).toHaveLength(2))
	const [first, second] = browser.arrived
	expect(second).toMatchObject({ title: 'Stranger', body: 'would like to write to you', url: '/messages/stranger' })
	expect(second?.open.toSorted()).toEqual([first?.tag, second?.tag].toSorted())
	// A request is not among what the header counts.
	expect([first?.unread, second?.unread]).toEqual([1, 1])
	await markSeen(member('mira').viewer, { with: 'tomas', upTo: 2_000_000, read: true })
	await say('stranger', 'mira', 'Another')
	await eventually(() => expect(browser.arrived).toHaveLength(3))
	expect(browser.arrived[2]?.open).toEqual([second?.tag])
})

test.each<[string, () => Promise<unknown>]>([
	['that was muted', () => setMuted(member('mira').viewer, 'tomas', true)],
	['with a member who was blocked', () => setBlocked(member('mira').viewer, 'tomas', true)],
])('a conversation %s is not counted by the app’s icon', async (_what, act) => {
	const browser = await subscribed('mira')
	await say('tomas', 'mira', 'One')
	await eventually(() => expect(browser.arrived).toHaveLength(1))
	await act()
	await say('admin', 'mira', 'Two')
	await eventually(() => expect(browser.arrived).toHaveLength(2))
	expect(browser.arrived[1]?.open).toEqual([browser.arrived[1]?.tag])
})

describe('no push is sent', () => {
	test.each<[string, () => Promise<unknown>]>([
		['of a muted conversation', () => setMuted(member('mira').viewer, 'tomas', true)],
		['of a member who was blocked', () => setBlocked(member('mira').viewer, 'tomas', true)],
		['to a member who wants no messages in the browser', () => setPreferences(member('mira').viewer, new Set())],
		['to a member who has a tab open', () => tab('mira')],
		[
			'to a browser whose session ran out',
			() =>
				sql`update sessions set expires_at = now()
			where id in (select session_id from push_subscriptions where user_id = ${member('mira').viewer.id})`.execute(
					db(),
				),
		],
	])('%s', async (_what, act) => {
		const browser = await subscribed('mira', await logInAgain(site, 'mira'))
		const other = await subscribed('admin')
		await act()
		await say('tomas', 'mira', 'Nobody hears this.')
		await say('tomas', 'admin', 'You do.')
		await eventually(() => expect(other.arrived).toHaveLength(1))
		await jobsDone()
		expect(browser.asked).toBe(0)
	})
})

test('what is told in the browser but not on the site is not among what the app’s icon counts', async () => {
	await setPreferences(member('mira').viewer, new Set(['comment-push', 'message-push']))
	const query = await makeQuestion(member('mira').viewer, { title: 'Who counts the bells?' })
	const browser = await subscribed('mira')
	await makeComment(member('tomas').viewer, query.id)
	await eventually(() => expect(browser.arrived).toHaveLength(1))
	await say('tomas', 'mira', 'One')
	await eventually(() => expect(browser.arrived).toHaveLength(2))
	expect(browser.arrived.map(({ unread }) => unread)).toEqual([0, 1])
	expect(browser.arrived[1]?.open).toHaveLength(2)
})

test('a forum notification is pushed with its text, and is read once it is clicked', async () => {
	const query = await makeQuestion(member('mira').viewer, { title: 'Who rings the bell?' })
	const browser = await subscribed('mira')
	const comment = await makeComment(member('tomas').viewer, query.id)
	await eventually(() => expect(browser.arrived).toHaveLength(1))
	expect(browser.arrived[0]).toMatchObject({
		title: 'Tomas commented on',
		body: 'Who rings the bell?',
		url: `/forum/comment/${comment}`,
		read: expect.stringMatching(/^\/notifications\/\d+$/),
		tag: expect.stringMatching(/^n\d+$/),
	})
	expect(browser.arrived[0]?.headers.urgency).toBe('normal')
	const clicked = await site.ask(browser.arrived[0]?.read ?? '', member('mira').cookie)
	expect(clicked.headers.get('location')).toBe(`/forum/comment/${comment}`)
	expect(await countUnread(member('mira').viewer)).toBe(0)
})

describe('a push service', () => {
	test.each([404, 410])('that responds with %i removes the subscription', async (status) => {
		const browser = await subscribed('mira')
		browser.answer = { status }
		await say('tomas', 'mira', 'Hello?')
		await eventually(async () => expect(await count()).toBe(0))
		await jobsDone()
		expect(browser.asked).toBe(1)
	})

	test.each([429, 503])('that responds with %i is retried later', async (status) => {
		const browser = await subscribed('mira')
		browser.answer = { status }
		await say('tomas', 'mira', 'Hello?')
		await eventually(async () => expect(await waiting()).toEqual([{ attempts: 1, later: true }]))
		expect(await count()).toBe(1)
		browser.answer = { status: 201 }
		await sql`update graphile_worker._private_jobs set run_at = now()`.execute(db())
		await eventually(() => expect(browser.arrived).toHaveLength(1))
	})

	test('cannot redirect the site', async () => {
		const [browser, target] = [await subscribed('mira'), service.browser()]
		browser.answer = { status: 307, location: target.subscription.endpoint }
		await say('tomas', 'mira', 'Hello?')
		await eventually(() => expect(browser.asked).toBe(1))
		await jobsDone()
		expect(target.asked).toBe(0)
	})
})

describe('a subscription', () => {
	test.each<[string, (subscription: PushBrowser['subscription']) => Record<string, string>]>([
		['to an address of the site’s own network', () => ({ endpoint: 'https://127.0.0.1:5432/' })],
		['to a metadata service', () => ({ endpoint: 'http://169.254.169.254/latest' })],
		['without TLS', ({ endpoint }) => ({ endpoint: endpoint.replace('https', 'http') })],
		[
			'to a name that begins like an allowed one',
			({ endpoint }) => ({ endpoint: endpoint.replace('/push', '.evil.example/push') }),
		],
		['with an allowed name as user', ({ endpoint }) => ({ endpoint: endpoint.replace('/push', '@evil.example/push') })],
		['with a key that is no point of the curve', () => ({ p256dh: Buffer.alloc(65, 4).toString('base64url') })],
		['with a short secret', () => ({ auth: 'AAAA' })],
		['without an address', () => ({ endpoint: '' })],
	])('%s is refused with a sentence', async (_what, change) => {
		const { subscription } = service.browser()
		const answer = await ask('mira', { intent: 'on', ...subscription, ...change(subscription) })
		expect(answer.status).toBe(422)
		expect((await answer.json()) as object).toMatchObject({ message: expect.stringMatching(/^[A-Z].+\.$/) })
		expect(await count()).toBe(0)
	})

	test('requires a session, and ends with it: by a logout, or a password changed in another browser', async () => {
		const { subscription } = service.browser()
		expect((await site.ask('/notifications/push', '', { intent: 'on', ...subscription })).status).toBe(403)
		for (const end of ['logout', 'password'] as const) {
			const cookie = await logInAgain(site, 'moderator')
			await site.ask('/notifications/push', cookie, { intent: 'on', ...subscription })
			expect(await count()).toBe(1)
			if (end === 'logout') await site.ask('/logout', cookie, {})
			else
				await site.ask('/edit-profile/moderator/change-password', await logInAgain(site, 'moderator'), {
					currentPassword: password,
					newPassword: 'another lantern at the ford',
				})
			expect(await count()).toBe(0)
		}
	})

	test('that the browser replaced by itself is replaced here, and none is created in a session without one', async () => {
		const [before, after] = [await subscribed('mira'), service.browser()]
		for (const name of ['mira', 'tomas'])
			expect((await ask(name, { intent: 'renew', ...after.subscription })).status).toBe(200)
		expect(await count()).toBe(1)
		await say('tomas', 'mira', 'Is this where you are?')
		await eventually(() => expect(after.arrived).toHaveLength(1))
		await jobsDone()
		expect(before.asked).toBe(0)
	})

	test('belongs to the member logged in there now, and only they can end it', async () => {
		const { subscription } = service.browser()
		await ask('tomas', { intent: 'on', ...subscription })
		await ask('mira', { intent: 'on', ...subscription })
		expect(await count()).toBe(1)
		await ask('tomas', { intent: 'off', ...subscription })
		expect(await count()).toBe(1)
		await ask('mira', { intent: 'off', ...subscription })
		expect(await count()).toBe(0)
	})

	test('beyond twenty replaces the oldest, even concurrently', async () => {
		const browsers = Array.from({ length: 24 }, () => service.browser())
		const [first, ...others] = browsers
		await ask('mira', { intent: 'on', ...first?.subscription })
		await Promise.all(others.map(({ subscription }) => ask('mira', { intent: 'on', ...subscription })))
		expect(await count()).toBe(20)
		const { rows } = await sql`select from push_subscriptions where endpoint = ${first?.subscription.endpoint}`.execute(
			db(),
		)
		expect(rows).toEqual([])
	})
})

function member(name: string): Member {
	const found = members[name]
	if (!found) throw new Error(`There is no ${name}`)
	return found
}

function ask(name: string, form: Record<string, string>, cookie = member(name).cookie): Promise<Response> {
	return site.ask('/notifications/push', cookie, form)
}

async function subscribed(name: string, cookie?: string): Promise<PushBrowser> {
	const browser = service.browser()
	expect((await ask(name, { intent: 'on', ...browser.subscription }, cookie)).status).toBe(200)
	return browser
}

async function everybody(): Promise<Record<string, PushBrowser>> {
	const pairs = Object.keys(members).map(async (name) => [name, await subscribed(name)] as const)
	return Object.fromEntries(await Promise.all(pairs))
}

/** Sends by the page's form. */
async function say(from: string, to: string, body: string): Promise<void> {
	const form = { intent: 'send', clientId: randomUUID(), body }
	expect((await site.ask(`/messages/${to}`, member(from).cookie, form)).status).toBe(303)
}

async function tab(name: string): Promise<void> {
	await openTab(site.url, member(name).cookie)
	await eventually(async () => expect(await openTabs()).toBe(1))
}

async function openTabs(): Promise<number> {
	const { rows } = await sql`select from connections where seen_at > now() - interval '15 seconds'`.execute(db())
	return rows.length
}

/** Waits until no push is queued. */
async function jobsDone(): Promise<void> {
	await eventually(async () => expect(await waiting()).toEqual([]))
}

async function waiting(): Promise<{ attempts: number; later: boolean }[]> {
	const { rows } = await sql<{ attempts: number; later: boolean }>`
		select attempts, run_at > now() and locked_at is null as later from graphile_worker.jobs
		where task_identifier like 'push-%'`.execute(db())
	return rows
}

async function count(): Promise<number> {
	const { rows } = await sql<{ count: number }>`select count(*)::int as count from push_subscriptions`.execute(db())
	return rows[0]?.count ?? 0
}
