import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
	acceptConversation,
	getChatSettings,
	setBlocked,
	setChatSettings,
} from '~/features/conversations/conversations.server.ts'
import { listConversations } from '~/features/inbox/inbox.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { findBrokenFigures, makeConversation, makeMessage, passTime } from '../../../../tests/factories/chat.ts'
import { makeMember } from '../../../../tests/factories/forum.ts'
import { makeSession } from '../../../../tests/factories/presence.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { editMessage } from './changing.server.ts'
import { listChangesSince, markSeen, openConversation } from './reading.server.ts'
import { sendMessage } from './sending.server.ts'

useDatabase()

let serial = 0
let mira: SignedIn
let tomas: SignedIn

beforeEach(async () => {
	serial += 1
	mira = await makeMember(`mira${serial}`)
	tomas = await makeMember(`tomas${serial}`)
})

afterEach(async () => expect(await findBrokenFigures()).toEqual([]))

test('a message is stored rendered, in one conversation for both, with the peer’s unread count', async () => {
	const sent = await makeMessage(mira, tomas, 'Use `npm start` and see **this**.')
	expect(sent).toMatchObject({ sender: mira.username, deleted: false, editedAt: null, version: 1 })
	expect(sent.html).toContain('<code>npm start</code>')
	const reply = await makeMessage(tomas, mira, 'Thanks!')
	const [mine, theirs] = [await openConversation(mira, tomas.username), await openConversation(tomas, mira.username)]
	expect(mine.messages).toEqual(theirs.messages)
	expect(mine.messages.map(({ id, version }) => [id, version])).toEqual([
		[sent.id, 1],
		[reply.id, 2],
	])
	expect(mine).toMatchObject({ version: 2, older: false, state: { kind: 'open' } })
	expect((await listConversations(mira)).conversations).toMatchObject([{ unread: 1, last: { excerpt: 'Thanks!' } }])
})

test('opening a conversation with a new peer stores no row', async () => {
	expect(await openConversation(mira, tomas.username)).toMatchObject({ messages: [], version: 0 })
	expect(await listChangesSince(mira, tomas.username, 0)).toMatchObject({ messages: [], version: 0, complete: true })
	expect(await db().selectFrom('conversations').where('lower_id', '=', mira.id).selectAll().execute()).toEqual([])
})

test('20 concurrent sends of one message store it once and return the same', async () => {
	const message = { to: tomas.username, clientId: randomUUID(), body: 'Once.' }
	const answers = await Promise.all(Array.from({ length: 20 }, () => sendMessage(mira, message)))
	expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
	expect((await openConversation(tomas, mira.username)).messages).toHaveLength(1)
	expect((await listConversations(tomas, { requests: true })).conversations).toMatchObject([{ unread: 1 }])
})

test('20 concurrent sends of one message in an existing conversation store it once as well', async () => {
	await makeConversation(mira, tomas)
	const message = { to: tomas.username, clientId: randomUUID(), body: 'Once.' }
	const answers = await Promise.all(Array.from({ length: 20 }, () => sendMessage(mira, message)))
	expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
	expect((await openConversation(tomas, mira.username)).messages).toHaveLength(3)
})

test('of ten concurrent messages of a stranger, three are stored', async () => {
	const sent = await Promise.allSettled(Array.from({ length: 10 }, () => makeMessage(mira, tomas)))
	expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
	expect((await openConversation(tomas, mira.username)).messages).toHaveLength(3)
})

test('a message concurrent with a block was sent before it, or is hidden', async () => {
	await makeConversation(mira, tomas)
	await passTime()
	const [, ...sent] = await Promise.all([
		setBlocked(tomas, mira.username, true),
		...Array.from({ length: 10 }, (_, index) => makeMessage(mira, tomas, `crossing ${index}`)),
	])
	const seen = (await openConversation(tomas, mira.username)).messages.slice(2)
	// Everything that was stored before the block is visible, and nothing after it.
	const order = sent.map(({ id }) => id).sort((one, other) => one - other)
	expect(seen.map(({ id }) => id)).toEqual(order.slice(0, seen.length))
})

test('two members who start a conversation at the same time start one', async () => {
	await Promise.all([makeMessage(mira, tomas), makeMessage(tomas, mira), makeMessage(mira, tomas)])
	const page = await openConversation(mira, tomas.username)
	expect(page.messages).toHaveLength(3)
	expect(page.messages.map(({ version }) => version)).toEqual([1, 2, 3])
})

test('concurrent messages have the same order for both, and no version is missing', async () => {
	await makeConversation(mira, tomas)
	await passTime()
	await Promise.all([
		...Array.from({ length: 25 }, (_, index) => makeMessage(mira, tomas, `mira ${index}`)),
		...Array.from({ length: 25 }, (_, index) => makeMessage(tomas, mira, `tomas ${index}`)),
		...Array.from({ length: 10 }, () => markSeen(tomas, { with: mira.username, upTo: 2 ** 31 - 1, read: true })),
	])
	const [mine, theirs] = [
		await listChangesSince(mira, tomas.username, 0),
		await listChangesSince(tomas, mira.username, 0),
	]
	expect([mine.messages, mine.version]).toEqual([theirs.messages, theirs.version])
	expect(mine.messages.map(({ version }) => version)).toEqual(Array.from({ length: 52 }, (_, index) => index + 1))
	const ids = mine.messages.map(({ id }) => id)
	expect(ids).toEqual([...ids].sort((one, other) => one - other))
})

test('resending a stored message returns it again, whatever the state of the conversation', async () => {
	const message = { to: tomas.username, clientId: randomUUID(), body: 'Hello' }
	const sent = await sendMessage(mira, message)
	await setChatSettings(tomas, { accepts: 'nobody' })
	await setBlocked(mira, tomas.username, true)
	expect(await sendMessage(mira, message)).toEqual(sent)
})

test('an id of a message to another member is refused', async () => {
	const [other, clientId] = [await makeMember(`other${serial}`), randomUUID()]
	await sendMessage(mira, { to: tomas.username, clientId, body: 'Hello' })
	await expect(sendMessage(mira, { to: other.username, clientId, body: 'Hello' })).rejects.toMatchObject({
		status: 409,
	})
	// Another member's message with the same id does not conflict.
	expect(await sendMessage(other, { to: mira.username, clientId, body: 'Mine' })).toMatchObject({ body: 'Mine' })
})

test.each<[string, Record<string, unknown>, number]>([
	['nothing', { body: '' }, 422],
	['only spaces and line breaks', { body: ' \n\t\n ' }, 422],
	['only invisible characters', { body: '\u200b\u2060\u3164\u2800\u034f' }, 422],
	['4,001 characters', { body: 'x'.repeat(4_001) }, 422],
	['a NUL', { body: 'a\u0000b' }, 422],
	['no text', { body: { $gt: '' } }, 422],
	['an id that is none', { clientId: '1' }, 422],
	['no id', { clientId: undefined }, 422],
	['nobody', { to: 'nobody-has-this-name' }, 404],
	['a name that is none', { to: ['mira'] }, 404],
	['a name with a NUL', { to: 'mi\u0000ra' }, 404],
])('a message with or to %s is refused and stores no row', async (_what, wrong, status) => {
	const message = { to: tomas.username, clientId: randomUUID(), body: 'Hello', ...wrong }
	await expect(sendMessage(mira, message)).rejects.toMatchObject({ status })
	await expect(sendMessage(null, message)).rejects.toMatchObject({ status: 403 })
	expect((await openConversation(mira, tomas.username)).version).toBe(0)
})

test('members cannot write to themselves or to imported accounts', async () => {
	await db().updateTable('users').set({ imported: true }).where('id', '=', tomas.id).execute()
	await expect(makeMessage(mira, mira)).rejects.toMatchObject({ status: 404 })
	await expect(makeMessage(mira, tomas)).rejects.toMatchObject({ status: 403 })
	expect((await openConversation(mira, tomas.username)).state).toMatchObject({ kind: 'closed' })
})

test('a message may have 4,000 characters, and begin with spaces as code does', async () => {
	expect((await makeMessage(mira, tomas, 'x'.repeat(4_000))).body).toHaveLength(4_000)
	expect((await makeMessage(mira, tomas, '\n \n    indented\r\nline\n')).body).toBe('    indented\nline')
})

test('a suspended member cannot send, and gets the end of the suspension', async () => {
	const until = new Date('2099-01-02T03:04:05Z')
	await makeConversation(mira, tomas)
	const before = { to: tomas.username, clientId: randomUUID(), body: 'Before it.' }
	const sent = await sendMessage(mira, before)
	await db()
		.updateTable('users')
		.set({ suspended_until: until, suspended_reason: 'Spam.' })
		.where('id', '=', mira.id)
		.execute()
	expect(await sendMessage(mira, before)).toEqual(sent)
	await expect(makeMessage(mira, await makeMember(`another${serial}`))).rejects.toMatchObject({ status: 403 })
	await expect(editMessage(mira, { with: tomas.username, id: sent.id }, { body: 'x' })).rejects.toMatchObject({
		status: 403,
	})
	await expect(makeMessage(mira, tomas)).rejects.toMatchObject({
		status: 403,
		message: 'You are suspended until 2 Jan 2099 03:04 UTC and cannot post here until then. Reason: Spam.',
	})
})

test('an ended session cannot send', async () => {
	const sessionId = await makeSession(mira.id)
	const message = () => ({ to: tomas.username, clientId: randomUUID(), body: 'Hello' })
	await sendMessage(mira, message(), sessionId)
	await expect(sendMessage(mira, message(), await makeSession(tomas.id))).rejects.toMatchObject({ status: 403 })
	await db().deleteFrom('sessions').where('id', '=', sessionId).execute()
	await expect(sendMessage(mira, message(), sessionId)).rejects.toMatchObject({ status: 403 })
	expect((await openConversation(mira, tomas.username)).messages).toHaveLength(1)
})

test('the 31st message in 10 s is delayed, unlike a resent one', async () => {
	await makeConversation(mira, tomas)
	await passTime()
	for (let sent = 0; sent < 29; sent += 1) await makeMessage(mira, tomas)
	const last = { to: tomas.username, clientId: randomUUID(), body: 'The 30th.' }
	await sendMessage(mira, last)
	await expect(makeMessage(mira, tomas)).rejects.toMatchObject({ status: 429 })
	expect(await sendMessage(mira, last)).toMatchObject({ body: 'The 30th.' })
	await makeMessage(tomas, mira)
	await passTime()
	await makeMessage(mira, tomas)
})

test.each([
	[23, 5],
	[25, 20],
	[29 * 24, 20],
	[31 * 24, 100],
])('an account of %i h can start at most %i conversations a day, and continue existing ones', async (hours, most) => {
	const joined = new Date(Date.now() - hours * 3_600_000)
	const [writer, last, more] = [
		await makeMember(`writer${serial}`, 'member', joined),
		await makeMember(`last${serial}`),
		await makeMember(`more${serial}`),
	]
	const values = Array.from({ length: most - 1 }, (_, index) => ({ username: `peer${serial}-${index}` }))
	const peers = await db()
		.insertInto('users')
		.values(values.map(({ username }) => ({ username, name: username, email: `${username}@x.example`, image: null })))
		.returning('id')
		.execute()
	await db()
		.insertInto('conversations')
		.values(peers.map(({ id }) => ({ lower_id: writer.id, higher_id: id, started_by: writer.id })))
		.returning('id')
		.execute()
	await makeMessage(writer, last)
	await expect(makeMessage(writer, more)).rejects.toMatchObject({ status: 429 })
	await makeMessage(writer, last)
	await makeMessage(more, writer)
	await makeMessage(writer, more)
	await db().deleteFrom('conversations').where('started_by', '=', writer.id).execute()
})

test('a stranger’s first messages are a request: at most three, listed separately, until it is answered', async () => {
	for (const text of ['one', 'two', 'three']) await makeMessage(mira, tomas, text)
	await expect(makeMessage(mira, tomas, 'four')).rejects.toMatchObject({ status: 403 })
	expect((await openConversation(mira, tomas.username)).state).toMatchObject({ kind: 'closed', blockedByMe: false })
	expect((await openConversation(tomas, mira.username)).state.kind).toBe('request')
	expect((await listConversations(tomas)).conversations).toEqual([])
	expect((await listConversations(tomas, { requests: true })).conversations).toMatchObject([
		{ request: true, unread: 3 },
	])
	// The peer learns that the request was read only when it is accepted.
	await markSeen(tomas, { with: mira.username, upTo: 2 ** 31 - 1, read: true })
	expect((await openConversation(mira, tomas.username)).receipts).toEqual({ delivered: 0, read: 0 })
	await makeMessage(tomas, mira, 'answer')
	const opened = await openConversation(mira, tomas.username)
	expect(opened.state.kind).toBe('open')
	expect(opened.receipts.read).toBe(opened.messages[2]?.id)
	await makeMessage(mira, tomas, 'four')
})

test('a request can be accepted without a reply', async () => {
	await makeMessage(mira, tomas)
	await acceptConversation(mira, tomas.username)
	expect((await openConversation(mira, tomas.username)).state.kind).toBe('waiting')
	await acceptConversation(tomas, mira.username)
	expect((await openConversation(mira, tomas.username)).state.kind).toBe('open')
	expect((await openConversation(tomas, mira.username)).state.kind).toBe('open')
})

test.each([
	['members', null, true],
	['verified', null, false],
	['verified', 364, true],
	['verified', 366, false],
	['nobody', 0, false],
] as const)('where %s may write, a member verified %s days ago: %s', async (accepts, days, allowed) => {
	const years = { year_of_passing: null, current_semester: null, current_year: null }
	const campus_verified_at = days === null ? null : new Date(Date.now() - days * 86_400_000)
	const address = { university_email: days === null ? '' : `${mira.username}@uni.example` }
	await db()
		.insertInto('profiles')
		.values({ user_id: mira.id, ...years, ...address, campus_verified_at })
		.execute()
	await setChatSettings(tomas, { accepts })
	const sent = makeMessage(mira, tomas).then(
		() => true,
		(error) => error.status !== 403,
	)
	expect(await sent).toBe(allowed)
})

test('a conversation in which both have written stays open whatever the setting', async () => {
	await makeConversation(mira, tomas)
	await setChatSettings(tomas, { accepts: 'nobody' })
	await makeMessage(mira, tomas)
	expect((await openConversation(mira, tomas.username)).state.kind).toBe('open')
	await expect(setChatSettings(tomas, { accepts: 'everybody' })).rejects.toMatchObject({ status: 422 })
})

test('each of the two settings changes separately, and invalid values change none', async () => {
	expect(await getChatSettings(mira)).toEqual({ accepts: 'members', showsTyping: true })
	await setChatSettings(mira, { typing: 'hidden' })
	await setChatSettings(mira, { accepts: 'verified' })
	for (const wrong of [{}, { typing: 'loud' }, { accepts: 'nobody', typing: '' }])
		await expect(setChatSettings(mira, wrong)).rejects.toMatchObject({ status: 422 })
	expect(await getChatSettings(mira)).toEqual({ accepts: 'verified', showsTyping: false })
	await setChatSettings(mira, { accepts: 'nobody', typing: 'shown' })
	expect(await getChatSettings(mira)).toEqual({ accepts: 'nobody', showsTyping: true })
	await expect(setChatSettings(null, { typing: 'hidden' })).rejects.toMatchObject({ status: 403 })
})
