import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { deleteMessage } from '~/features/chat/messages/changing.server.ts'
import { listChangesSince } from '~/features/chat/messages/reading.server.ts'
import { reportMessage } from '~/features/chat/messages/reporting.server.ts'
import { sendMessage } from '~/features/chat/messages/sending.server.ts'
import { makeToken } from '~/features/tokens/tokens.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMessage } from '../factories/chat.ts'
import { makeQuestion } from '../factories/forum.ts'
import { picture } from '../factories/pictures.ts'
import { useDatabase } from '../support/database.ts'
import { logInAgain, logInMember, type MembersSite, startOnTestDatabase } from '../support/members-site.ts'
import { closeTabs, openTab, watchPresence } from '../support/tabs.ts'

// Nobody but the two members can read a conversation, by any interface of the built site.

useDatabase()

const secret = 'heliotrope'
const who = ['mira', 'tomas', 'stranger', 'moderator', 'admin', 'visitor'] as const
type Who = (typeof who)[number]
const members = new Set<Who>(['mira', 'tomas'])

let site: MembersSite
const cookies: Record<string, string> = { visitor: '' }
const people: Record<string, SignedIn> = {}
let messageId: number

beforeAll(async () => {
	site = await startOnTestDatabase()
	for (const name of who) {
		if (name === 'visitor') continue
		const { member, cookie } = await logInMember(site, name, name === 'moderator' || name === 'admin' ? name : 'member')
		people[name] = member
		cookies[name] = cookie
	}
	messageId = (await makeMessage(person('mira'), person('tomas'), `A secret ${secret}.`)).id
	await makeMessage(person('tomas'), person('mira'), `The ${secret} is safe with me.`)
	// Others have conversations too, so that no response is empty for a wrong reason.
	for (const name of ['stranger', 'moderator', 'admin']) {
		await makeMessage(person(name), person('mira'), 'Something else.')
		await makeMessage(person('mira'), person(name), 'Something else.')
	}
})

afterEach(closeTabs)
afterAll(() => site.stop())

/** All addresses that show messages; `{peer}` is each member in turn, `{id}` the first message. */
const shown = [
	'/messages',
	'/messages.data',
	`/messages?q=${secret}`,
	`/messages.data?q=${secret}`,
	'/messages/latest',
	'/messages/{peer}',
	'/messages/{peer}.data',
	'/messages/{peer}?before=2147483647',
	'/messages/{peer}/history',
	'/messages/{peer}/history?page=1',
	'/messages/{peer}/history?since=0',
	'/messages/{peer}/history?before=2147483647',
	'/messages/{peer}/history?after=1',
	'/messages/{peer}?message={id}',
	'/messages/{peer}.data?message={id}',
	'/messages/{peer}?after=1',
	`/messages/{peer}?q=${secret}`,
	'/api/v1/me/conversations',
	'/api/v1/me/conversations/{peer}',
	'/api/v1/me/conversations/{peer}/changes?since=0',
	'/api/v1/me/conversations/{peer}/messages',
	'/api/v1/me/conversations/{peer}/messages/{id}',
	`/api/v1/me/messages?q=${secret}`,
]
/** All other addresses that show activity of members. */
const elsewhere = [
	'/',
	'/notifications',
	'/notifications/latest',
	'/settings',
	'/find-dev/{peer}',
	'/find-dev/{peer}.json',
	`/forum?q=${secret}`,
	`/suggest/developers?q=${secret}`,
	`/suggest/everything?q=${secret}`,
	`/search?q=${secret}`,
	'/moderation',
	'/moderation/log',
	'/moderation/searches',
	'/moderation/routing',
	'/answer',
	`/moderation/message/1`,
	'/api/v1/notifications',
	'/api/v1/me',
]

describe('reading', () => {
	test.each(shown.flatMap((path) => who.map((name) => [path, name] as const)))('%s by %s', async (path, name) => {
		const peers = name === 'mira' ? ['tomas'] : name === 'tomas' ? ['mira'] : ['mira', 'tomas']
		for (const peer of peers) {
			const address = path.replace('{peer}', peer).replace('{id}', String(messageId))
			const response = await site.ask(address, cookies[name] ?? '')
			const text = await response.text()
			if (members.has(name)) expect(tells(text)).toBe(true)
			else expect(tells(text)).toBe(false)
			expect(response.headers.get('Cache-Control')).toMatch(/no-store|private/)
		}
	})

	test.each(elsewhere.flatMap((path) => who.map((name) => [path, name] as const)))(
		'%s tells %s nothing',
		async (path, name) => {
			for (const peer of ['mira', 'tomas']) {
				const text = await (await site.ask(path.replace('{peer}', peer), cookies[name] ?? '')).text()
				expect(tells(text)).toBe(false)
			}
		},
	)
})

describe('pictures', () => {
	let path = ''
	let id = 0
	let token = ''

	beforeAll(async () => {
		const { cookie } = await logInMember(site, 'suspended')
		cookies.suspended = cookie
		await sql`update users set suspended_until = 'infinity' where username = 'suspended'`.execute(db())
		token = (await makeToken(person('mira'), { name: 'test', scopes: ['read', 'write'], days: 7 })).token
		path = await upload('mira')
		const message = { to: 'tomas', clientId: crypto.randomUUID(), body: 'Look.', pictures: [{ path, alt: '' }] }
		id = (await sendMessage(person('mira'), message)).id
		// Mentioning the address elsewhere does not grant access.
		const naming = `![look](/media/${path}-640.webp)`
		await makeMessage(person('tomas'), person('stranger'), naming)
		await makeQuestion(person('tomas'), { description: naming })
	})

	test('of a message are visible to its two members only', async () => {
		expect(await answers()).toEqual({ ...nobody, mira: 200, tomas: 200 })
		for (const width of [320, 640, 1280]) {
			const answer = await site.ask(`/media/${path}-${width}.webp`, cookies.tomas ?? '')
			expect([answer.status, answer.headers.get('Cache-Control')]).toEqual([200, 'private, no-store'])
			expect(answer.headers.get('Content-Security-Policy')).toBe("default-src 'none'; sandbox")
		}
		const known = await site.ask(`/media/${path}-640.webp`, cookies.tomas ?? '')
		const again = { Cookie: cookies.tomas ?? '', 'If-None-Match': known.headers.get('ETag') ?? '' }
		expect((await fetch(`${site.url}/media/${path}-640.webp`, { headers: again })).status).toBe(304)
		const foreign = { Cookie: cookies.stranger ?? '', 'If-None-Match': known.headers.get('ETag') ?? '' }
		expect((await fetch(`${site.url}/media/${path}-640.webp`, { headers: foreign })).status).toBe(404)
	})

	test('that were not sent are visible to nobody', async () => {
		expect(await answers(await upload('mira', 41))).toEqual(nobody)
	})

	test('are inaccessible as soon as the session has ended', async () => {
		const cookie = await logInAgain(site, 'tomas')
		expect((await site.ask(`/media/${path}-640.webp`, cookie)).status).toBe(200)
		await sql`delete from sessions where id = (select max(id) from sessions where user_id = ${person('tomas').id})`.execute(
			db(),
		)
		expect((await site.ask(`/media/${path}-640.webp`, cookie)).status).toBe(404)
	})

	test('that were reported are visible to moderators too, and only to them once the message is deleted', async () => {
		await reportMessage(person('tomas'), { with: 'mira', id }, { words: 'Not nice.' })
		expect(await answers()).toEqual({ ...nobody, mira: 200, tomas: 200, moderator: 200, admin: 200 })
		await deleteMessage(person('mira'), { with: 'tomas', id })
		expect(await answers()).toEqual({ ...nobody, moderator: 200, admin: 200 })
	})

	test('of a deleted message are visible to nobody', async () => {
		const other = await upload('mira', 42)
		const message = { to: 'tomas', clientId: crypto.randomUUID(), body: '', pictures: [{ path: other, alt: '' }] }
		const sent = await sendMessage(person('mira'), message)
		expect(await answers(other)).toEqual({ ...nobody, mira: 200, tomas: 200 })
		await deleteMessage(person('mira'), { with: 'tomas', id: sent.id })
		expect(await answers(other)).toEqual(nobody)
	})

	const nobody = Object.fromEntries([...who, 'suspended', 'token'].map((name) => [name, 404]))

	/** The status that each reader gets for the file. */
	async function answers(of = path): Promise<Record<string, number>> {
		const asked = Object.keys(nobody).map(async (name) => {
			const headers: Record<string, string> =
				name === 'token' ? { Authorization: `Bearer ${token}` } : { Cookie: cookies[name] ?? '' }
			const answer = await fetch(`${site.url}/media/${of}-640.webp`, { headers })
			if (answer.status === 404) expect(answer.headers.get('Cache-Control')).toBe('private, no-store')
			return [name, answer.status]
		})
		return Object.fromEntries(await Promise.all(asked))
	}
})

async function upload(name: Who, width = 40): Promise<string> {
	const form = new FormData()
	form.set('kind', 'message')
	form.set('file', new File([new Uint8Array(await picture('png', width, 30))], 'picture.png'))
	const answer = await fetch(`${site.url}/media`, {
		method: 'POST',
		headers: { Origin: site.url, Cookie: cookies[name] ?? '' },
		body: form,
	})
	return ((await answer.json()) as { picture: { path: string } }).picture.path
}

describe('writing', () => {
	const forms = ['edit', 'delete'].flatMap((intent) =>
		(['tomas', 'stranger', 'moderator', 'admin', 'visitor'] as const).flatMap((name) =>
			['mira', 'tomas'].filter((peer) => peer !== name).map((peer) => [intent, name, peer] as const),
		),
	)

	test.each(forms)('nobody else may %s a message: %s at the page of %s', async (intent, name, peer) => {
		const before = await listChangesSince(person('mira'), 'tomas', 0)
		for (const suffix of ['', '.data']) {
			const fields = { intent, id: String(messageId), body: 'changed' }
			const response = await site.ask(`/messages/${peer}${suffix}`, cookies[name] ?? '', fields)
			// Those who may see the page get it with the error.
			if (name !== 'tomas') expect(tells(await response.text())).toBe(false)
		}
		expect(await listChangesSince(person('mira'), 'tomas', 0)).toEqual(before)
	})
})

describe('a suspended member', () => {
	test.each([
		['sending', 'POST', '/mira/messages', { body: 'Psst.' }, 403],
		['beginning a conversation', 'POST', '/tomas/messages', { body: 'Psst.' }, 403],
		['editing', 'PATCH', '/mira/messages/OWN', { body: 'Psst.' }, 403],
		['accepting a request', 'PUT', '/stranger/accepted', undefined, 403],
		['reporting', 'POST', '/mira/messages/THEIRS/reports', { words: 'Not nice.' }, 403],
		['muting', 'PUT', '/mira/muted', undefined, 204],
		['blocking', 'PUT', '../blocks/stranger', undefined, 204],
		['deleting', 'DELETE', '/mira/messages/OWN', undefined, 200],
	] as const)(
		'%s is answered as the rule says, and changes nothing where it is refused',
		async (_act, method, path, body, status) => {
			const member = await suspendedMember()
			const address = path
				.replace('OWN', String(member.own))
				.replace('THEIRS', String(member.theirs))
				.replace('../blocks', '/api/v1/me/blocks')
			const before = await hashChat()
			const response = await fetch(site.url + address.replace(/^\/(?!api)/, '/api/v1/me/conversations/'), {
				method,
				headers: { Cookie: member.cookie, Origin: site.url, 'Content-Type': 'application/json' },
				...(body && { body: JSON.stringify(body) }),
			})
			const said = await response.text()
			expect(response.status, said).toBe(status)
			expect((await hashChat()) === before).toBe(status === 403)
			if (status === 403) expect(said).toContain('You are permanently suspended and cannot post here.')
		},
	)

	test('cannot send by socket, and nobody sees them typing', async () => {
		const member = await suspendedMember()
		const mira = await openTab(site.url, cookies.mira ?? '')
		const told: string[] = []
		mira.onAny((event) => told.push(event))
		const tab = await openTab(site.url, member.cookie)
		tab.emit('chat:typing', 'mira')
		const message = { to: 'mira', clientId: crypto.randomUUID(), body: 'Psst.' }
		const answer = await tab.timeout(30_000).emitWithAck('chat:send', message)
		expect(JSON.stringify(answer)).toContain('You are permanently suspended')
		await watchPresence(mira, [])
		expect(told.filter((event) => event.startsWith('chat:typing') || event === 'chat:message')).toEqual([])
	})

	let serial = 0
	/** A suspended member with a conversation and a pending request from a stranger. */
	async function suspendedMember() {
		serial += 1
		const { member, cookie } = await logInMember(site, `held${serial}`)
		const own = (await makeMessage(member, person('mira'), 'Hello.')).id
		const theirs = (await makeMessage(person('mira'), member, 'Hello yourself.')).id
		await sql`update conversations set created_at = created_at - interval '2 days'`.execute(db())
		await sql`update messages set sent_at = sent_at - interval '1 hour'`.execute(db())
		await makeMessage(person('stranger'), member, 'May I?')
		await sql`update users set suspended_until = 'infinity' where id = ${member.id}`.execute(db())
		return { cookie, own, theirs }
	}

	async function hashChat(): Promise<string> {
		const tables = ['conversations', 'conversation_members', 'messages', 'blocks', 'reports', 'chat_settings']
		const rows = await Promise.all(
			tables.map((table) =>
				sql`select md5(string_agg(t::text, '|' order by t::text)) from ${sql.table(table)} t`.execute(db()),
			),
		)
		return JSON.stringify(rows.map((result) => result.rows))
	}
})

describe('live events', () => {
	test('of a conversation do not reach the sockets of others, whatever they request', async () => {
		const heard: string[] = []
		const others = await Promise.all(
			(['stranger', 'moderator', 'admin'] as const).map(async (name) => {
				const tab = await openTab(site.url, cookies[name] ?? '')
				tab.onAny((event, ...rest) => heard.push(JSON.stringify([name, event, ...rest])))
				return tab
			}),
		)
		const rooms = [person('mira').id, person('tomas').id].map((id) => `user:${id}`)
		for (const tab of others) {
			for (const room of rooms) {
				tab.emit('join', room)
				tab.emit('subscribe', room)
				tab.emit('presence:watch', [room, 'mira', 'tomas'], () => {})
				tab.emit('query:watch', room)
			}
			tab.emit('chat:seen', { with: 'mira', upTo: messageId, read: true })
			tab.emit('chat:typing', 'mira')
			await watchPresence(tab, ['mira', 'tomas'])
		}
		const tab = await openTab(site.url, cookies.mira ?? '')
		const told: unknown[] = []
		tab.on('chat:message', (event) => told.push(event))
		const message = { to: 'tomas', clientId: crypto.randomUUID(), body: `Once more: ${secret}` }
		expect(await tab.timeout(30_000).emitWithAck('chat:send', message)).toMatchObject({ ok: true })
		await expect.poll(() => told).toHaveLength(1)
		// Messages sent by the API emit the same events.
		const { status } = await fetch(`${site.url}/api/v1/me/conversations/tomas/messages`, {
			method: 'POST',
			headers: { Cookie: cookies.mira ?? '', Origin: site.url, 'Content-Type': 'application/json' },
			body: JSON.stringify({ body: `By the API: ${secret}` }),
		})
		expect(status).toBe(201)
		await expect.poll(() => told).toHaveLength(2)
		for (const other of others) await watchPresence(other, [])
		expect(heard.filter((line) => line.includes('chat:message') || line.includes(secret))).toEqual([])
	})
})

/** Whether a response contains the message. The search page repeats the word itself, and found passages contain the rest. */
function tells(text: string): boolean {
	return /A secret|is safe/.test(text)
}

function person(name: string): SignedIn {
	const member = people[name]
	if (!member) throw new Error(`There is no ${name}.`)
	return member
}
