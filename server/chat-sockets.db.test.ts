import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Socket } from 'socket.io-client'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { logIn } from '~/features/accounts/login.server.ts'
import { hashPassword } from '~/features/accounts/security/credentials.server.ts'
import type { ChatMessage, SendResult } from '~/features/chat/chat.view.ts'
import { SocketTransport } from '~/features/chat/client/transport.ts'
import { deleteMessage } from '~/features/chat/messages/changing.server.ts'
import { openConversation } from '~/features/chat/messages/reading.server.ts'
import { acceptConversation, setBlocked, setMuted } from '~/features/conversations/conversations.server.ts'
import { markAllSeen } from '~/features/inbox/inbox.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { announce, io } from '~/platform/realtime/io.server.ts'
import type { LiveSocket } from '~/platform/realtime/live.ts'
import { roomOf } from '~/platform/realtime/presence.server.ts'
import { setChatSettings } from '../app/features/conversations/conversations.server.ts'
import { makeConversation, makeMessage, passTime } from '../tests/factories/chat.ts'
import { makeMember } from '../tests/factories/forum.ts'
import { cookiesOf, form, request } from '../tests/support/browser.ts'
import { useDatabase } from '../tests/support/database.ts'
import { closeTabs, nextEvent, openTab, startTab, watchPresence } from '../tests/support/tabs.ts'
import { handleSockets, MAX_WAITING_BYTES, openSockets } from './sockets.ts'

useDatabase()

/** When a number was counted. */
const countedAt = expect.any(Number)

const password = 'a lantern at the ford'
let server: Server
let letGo: () => Promise<void>
let url: string
let hash: string
let serial = 0
let mira: SignedIn
let tomas: SignedIn

beforeAll(async () => {
	letGo = handleSockets()
	server = createServer()
	openSockets(server)
	await once(server.listen(0, '127.0.0.1'), 'listening')
	url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
	hash = await hashPassword(password)
})

beforeEach(async () => {
	serial += 1
	mira = await addMember(`mira${serial}`)
	tomas = await addMember(`tomas${serial}`)
})

afterEach(closeTabs)

afterAll(async () => {
	await letGo()
	await io.close()
})

test('a message is acknowledged and reaches every tab of both members, with the unread counts', async () => {
	const [writing, other] = [await tabOf(mira), await tabOf(mira)]
	const reading = await tabOf(tomas)
	const events = [
		nextEvent(writing, 'chat:message'),
		nextEvent(other, 'chat:message'),
		nextEvent(reading, 'chat:message'),
	]
	const answer = await send(writing, message(tomas))
	expect(answer).toMatchObject({ ok: true, message: { sender: mira.username, body: 'Hello' } })
	const { message: stored } = answer as Extract<SendResult, { ok: true }>
	const [first, second, third] = await Promise.all(events)
	expect(first).toEqual({ with: tomas.username, message: stored, unread: 0, conversations: 0, countedAt })
	expect(second).toEqual(first)
	// A request does not count as an unread conversation.
	expect(third).toEqual({ with: mira.username, message: stored, unread: 1, conversations: 0, countedAt })
})

test('messages that one tab sends in a row are stored and received in that order', async () => {
	await makeConversation(mira, tomas)
	const [writing, reading] = [await tabOf(mira), await tabOf(tomas)]
	const heard: string[] = []
	reading.on('chat:message', ({ message: { body } }: { message: ChatMessage }) => heard.push(body))
	const texts = Array.from({ length: 25 }, (_, index) => `message ${index}`)
	await Promise.all(texts.map((body) => send(writing, message(tomas, { body }))))
	await expect.poll(() => heard).toEqual(texts)
	const { messages } = await openConversation(tomas, mira.username)
	expect(messages.slice(2).map(({ body }) => body)).toEqual(texts)
})

test('reading is announced to the peer and to the reader’s other tabs', async () => {
	await makeConversation(mira, tomas)
	const last = await makeMessage(mira, tomas)
	const [writer, reading, other] = [await tabOf(mira), await tabOf(tomas), await tabOf(tomas)]
	const delivered = nextEvent(writer, 'chat:receipts')
	reading.emit('chat:seen', { with: mira.username, upTo: last.id, read: false })
	expect(await delivered).toEqual({ with: tomas.username, receipts: { delivered: last.id, read: 0 } })
	const told = [nextEvent(writer, 'chat:receipts'), nextEvent(other, 'chat:read')]
	reading.emit('chat:seen', { with: mira.username, upTo: last.id, read: true })
	expect(await Promise.all(told)).toEqual([
		{ with: tomas.username, receipts: { delivered: last.id, read: last.id } },
		{ with: mira.username, unread: 0, conversations: 0, countedAt, readId: last.id },
	])
})

test('what a tab says of two conversations in the same moment arrives for both', async () => {
	const ines = await addMember(`ines${serial}`)
	for (const peer of [tomas, ines]) await makeConversation(mira, peer)
	const [first, second] = [await makeMessage(tomas, mira), await makeMessage(ines, mira)]
	const transport = new SocketTransport(mira.username)
	transport.socket = (await tabOf(mira)) as LiveSocket
	transport.seen({ with: tomas.username, upTo: first.id, read: false }, false)
	transport.seen({ with: ines.username, upTo: second.id, read: true }, false)
	const receipts = async (peer: SignedIn) => (await openConversation(peer, mira.username)).receipts
	await expect.poll(() => receipts(tomas)).toMatchObject({ delivered: first.id })
	await expect.poll(() => receipts(ines)).toMatchObject({ read: second.id })
})

test('typing is announced where both have written, and nowhere else', async () => {
	const [writer, reader] = [await tabOf(mira), await tabOf(tomas)]
	const heard: unknown[] = []
	reader.on('chat:typing', (event) => heard.push(event))
	await makeMessage(mira, tomas)
	writer.emit('chat:typing', tomas.username)
	await watchPresence(writer, [])
	await send(writer, message(tomas))
	expect(heard).toEqual([])
	await makeMessage(tomas, mira)
	const again = await tabOf(mira)
	const told = nextEvent(reader, 'chat:typing')
	again.emit('chat:typing', tomas.username)
	expect(await told).toEqual({ from: mira.username })
	// Faster than a tab sends it: ignored. A later event arrives after it.
	again.emit('chat:typing', tomas.username)
	const heardMessage = nextEvent(reader, 'chat:message')
	await send(again, message(tomas))
	await heardMessage
	expect(heard).toHaveLength(1)
})

test('a member who hides their typing does not announce it, and still sees that of others', async () => {
	await makeConversation(mira, tomas)
	await setChatSettings(mira, { typing: 'hidden' })
	const [hiding, peer] = [await tabOf(mira), await tabOf(tomas)]
	const heard: unknown[] = []
	peer.on('chat:typing', (event) => heard.push(event))
	const [arrived, shown] = [nextEvent(peer, 'chat:message'), nextEvent(hiding, 'chat:typing')]
	hiding.emit('chat:typing', tomas.username)
	await send(hiding, message(tomas))
	await arrived
	peer.emit('chat:typing', mira.username)
	expect(await shown).toEqual({ from: tomas.username })
	expect(heard).toEqual([])
})

test('a change of what is allowed in a conversation is announced to the members concerned', async () => {
	await makeMessage(mira, tomas)
	const [writer, reader] = [await tabOf(mira), await tabOf(tomas)]
	const accepted = [nextEvent(writer, 'chat:state'), nextEvent(reader, 'chat:state')]
	await acceptConversation(tomas, mira.username)
	expect(await Promise.all(accepted)).toMatchObject([
		{ with: tomas.username, state: { kind: 'open' } },
		{ with: mira.username, state: { kind: 'open' } },
	])
	const heard: unknown[] = []
	writer.on('chat:state', (event) => heard.push(event))
	const muted = nextEvent(reader, 'chat:state')
	await setMuted(tomas, mira.username, true)
	expect(await muted).toMatchObject({ state: { kind: 'open', muted: true } })
	const blocked = nextEvent(reader, 'chat:state')
	await setBlocked(tomas, mira.username, true)
	expect(await blocked).toMatchObject({ state: { kind: 'closed', blockedByMe: true } })
	await watchPresence(writer, [])
	expect(heard).toEqual([])
})

test('the number of unread conversations is updated in every tab when a request is accepted, muted or blocked', async () => {
	await makeMessage(mira, tomas)
	const tabs = [await tabOf(tomas), await tabOf(tomas)]
	const steps: [() => Promise<void>, number][] = [
		[() => acceptConversation(tomas, mira.username), 1],
		[() => setMuted(tomas, mira.username, true), 0],
		[() => setMuted(tomas, mira.username, false), 1],
		[() => setBlocked(tomas, mira.username, true), 0],
		[() => setBlocked(tomas, mira.username, false), 1],
	]
	const shown = tabs.map(() => -1)
	for (const [index, tab] of tabs.entries())
		tab.on('chat:count', ({ conversations }: { conversations: number }) => {
			shown[index] = conversations
		})
	for (const [step, conversations] of steps) {
		await step()
		await expect.poll(() => shown).toEqual([conversations, conversations])
	}
})

test('a tab that is sent an older number of unread conversations or notifications is then sent the present one', async () => {
	const tab = startTab(url, { Cookie: await cookieOf(tomas) })
	await Promise.all([nextEvent(tab, 'chat:count'), nextEvent(tab, 'notifications:changed')])
	const heard = { conversations: [] as number[], unread: [] as number[] }
	tab.on('chat:count', ({ conversations }) => heard.conversations.push(conversations))
	tab.on('notifications:changed', ({ unread }) => heard.unread.push(unread))
	const now = Date.now()
	// As when the events of two processes change places on their way.
	for (const [number, countedAt] of [
		[0, now + 1],
		[1, now],
	] as const) {
		announce(roomOf(tomas.id), 'chat:count', { conversations: number, countedAt })
		announce(roomOf(tomas.id), 'notifications:changed', { unread: number, countedAt })
	}
	await expect.poll(() => heard).toEqual({ conversations: [0, 1, 0], unread: [0, 1, 0] })
})

test('reading everything sends one event to the reader’s tabs, and one to each peer', async () => {
	await makeConversation(mira, tomas)
	const last = await makeMessage(mira, tomas)
	const [reading, other, writer] = [await tabOf(tomas), await tabOf(tomas), await tabOf(mira)]
	const told = [
		nextEvent(reading, 'chat:all-read'),
		nextEvent(other, 'chat:all-read'),
		nextEvent(writer, 'chat:receipts'),
	]
	await markAllSeen(tomas)
	expect(await Promise.all(told)).toEqual([
		{ with: [mira.username], conversations: 0, countedAt },
		{ with: [mira.username], conversations: 0, countedAt },
		{ with: tomas.username, receipts: { delivered: last.id, read: last.id } },
	])
})

test('a blocked member’s own message is acknowledged as usual, and the blocker receives nothing', async () => {
	await makeConversation(mira, tomas)
	await setBlocked(tomas, mira.username, true)
	const [writer, blocker] = [await tabOf(mira), await tabOf(tomas)]
	const heard: unknown[] = []
	blocker.on('chat:message', (event) => heard.push(event))
	const own = nextEvent(writer, 'chat:message')
	const answer = await send(writer, message(tomas))
	expect(answer).toMatchObject({ ok: true })
	expect(await own).toMatchObject({ with: tomas.username, message: { body: 'Hello' } })
	const { message: hidden } = answer as Extract<SendResult, { ok: true }>
	await deleteMessage(mira, { with: tomas.username, id: hidden.id })
	await watchPresence(blocker, [])
	expect(heard).toEqual([])
})

test.each<[string, unknown[]]>([
	['no message', [null]],
	['a text', ['hello']],
	['a list', [[1, 2]]],
	['a message to nobody', [{ to: 'nobody', clientId: randomUUID(), body: 'x' }]],
	['a message with a number', [{ to: 'nobody', clientId: randomUUID(), body: 7 }]],
	['an object as the name', [{ to: { $ne: 1 }, clientId: randomUUID(), body: 'x' }]],
])('sending %s is refused with a message, and the tab stays connected', async (_what, words) => {
	const tab = await tabOf(mira)
	const answer: SendResult = await tab.timeout(30_000).emitWithAck('chat:send', ...words)
	expect(answer).toEqual({ ok: false, message: expect.any(String), retry: false })
	expect(await send(tab, message(tomas))).toMatchObject({ ok: true })
})

test('malformed events are ignored', async () => {
	await makeConversation(mira, tomas)
	const tab = await tabOf(mira)
	for (const wrong of [null, 1, 'x', [], {}, { with: 1 }, { with: tomas.username, upTo: 'x', read: 1 }]) {
		tab.emit('chat:seen', wrong)
		tab.emit('chat:typing', wrong)
		tab.emit('chat:send', wrong)
		tab.emit('chat:nonsense', wrong)
	}
	expect(await send(tab, message(tomas))).toMatchObject({ ok: true })
	expect((await openConversation(tomas, mira.username)).receipts).toEqual({ delivered: 0, read: 0 })
})

test('too many messages at once are refused with a message that they may be sent again', async () => {
	await makeConversation(mira, tomas)
	const tab = await tabOf(mira)
	const answers = await Promise.all(Array.from({ length: 31 }, () => send(tab, message(tomas))))
	expect(answers.filter(({ ok }) => !ok)).toEqual(
		Array.from({ length: 2 }, () => ({
			...{ ok: false, message: expect.stringContaining('fast'), retry: true },
			retryAfter: expect.toSatisfy((seconds) => Number.isInteger(seconds) && seconds > 0),
		})),
	)
	await passTime()
})

test('a tab whose session ended cannot send, is notified and disconnected', async () => {
	let answer: SendResult | null = null
	// The renewal of presence every five seconds may detect the ended session first: then the tab is disconnected without an answer.
	for (let tries = 0; !answer && tries < 3; tries += 1) {
		const tab = await tabOf(mira)
		await db().deleteFrom('sessions').where('user_id', '=', mira.id).execute()
		const gone = nextEvent(tab, 'disconnect')
		answer = await send(tab, message(tomas)).catch(() => null)
		await gone
	}
	expect(answer).toMatchObject({ ok: false, retry: true })
	expect((await openConversation(mira, tomas.username)).messages).toEqual([])
})

test('a tab that does not read is disconnected before it takes much memory, and no other tab is', async () => {
	const reading = await tabOf(tomas)
	const cookie = await cookieOf(mira)
	const stuck = connect({ port: Number(new URL(url).port), host: '127.0.0.1' })
	stuck.on('error', () => {})
	const key = Buffer.from('0123456789abcdef').toString('base64')
	stuck.write(
		`GET /realtime/?EIO=4&transport=websocket HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\nCookie: ${cookie}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
	)
	await once(stuck, 'data')
	// The packet `40` connects; masked with zeros it is unchanged.
	stuck.write(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x34, 0x30]))
	const rooms = () => io.sockets.adapter.rooms.get(roomOf(mira.id))?.size ?? 0
	await expect.poll(rooms).toBe(1)
	stuck.pause()
	const held = [...io.sockets.sockets.values()].find(({ data }) => data.userId === mira.id)?.conn as unknown as Held
	let most = 0
	const long = { ...(await makeMessage(mira, tomas)), html: 'x'.repeat(50_000) }
	const waiting = () =>
		held.writeBuffer.reduce((sum, { data }) => sum + data.length, held.transport.socket.bufferedAmount)
	for (let sent = 0; sent < 1_000 && rooms() > 0; sent += 1) {
		announce(roomOf(mira.id), 'chat:message', { with: tomas.username, message: long, unread: 0, conversations: 0 })
		most = Math.max(most, waiting())
		await new Promise(setImmediate)
	}
	await expect.poll(rooms).toBe(0)
	expect(most).toBeLessThan(MAX_WAITING_BYTES + 100_000)
	expect(reading.connected).toBe(true)
	stuck.destroy()
})

/** Where engine.io buffers what a reader has not received yet. */
interface Held {
	writeBuffer: { data: string }[]
	transport: { socket: { bufferedAmount: number } }
}

async function addMember(username: string): Promise<SignedIn> {
	const member = await makeMember(username)
	const account = { user_id: member.id, account_id: String(member.id), provider_id: 'credential', password: hash }
	await db().insertInto('credentials').values(account).execute()
	return member
}

async function cookieOf({ username }: SignedIn): Promise<string> {
	return cookiesOf(await logIn(form({ email: `${username}@campus.example`, password }), request()))
}

async function tabOf(member: SignedIn): Promise<Socket> {
	return openTab(url, await cookieOf(member))
}

function message(to: SignedIn, changes: Partial<{ body: string }> = {}) {
	return { to: to.username, clientId: randomUUID(), body: 'Hello', ...changes }
}

function send(tab: Socket, what: object): Promise<SendResult> {
	return tab.timeout(30_000).emitWithAck('chat:send', what)
}
