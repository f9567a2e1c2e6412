import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { deleteMessage, editMessage } from '~/features/chat/messages/changing.server.ts'
import {
	listChangesSince,
	listOlderMessages,
	markSeen,
	openConversation,
} from '~/features/chat/messages/reading.server.ts'
import { getMemberState, listConversations, markAllSeen } from '~/features/inbox/inbox.server.ts'
import { searchOwnMessages } from '~/features/inbox/search/search.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { findBrokenFigures, makeConversation, makeMessage } from '../../../tests/factories/chat.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { queuedBehind } from '../../../tests/support/locks.ts'
import { acceptConversation, setBlocked, setMuted } from './conversations.server.ts'

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

const texts = async (viewer: SignedIn, peer: SignedIn) =>
	(await openConversation(viewer, peer.username)).messages.map(({ body }) => body)

test('messages of a blocked member never reach the blocker, by any way, not even after the block', async () => {
	await makeConversation(mira, tomas)
	await setBlocked(tomas, mira.username, true)
	const hidden = await makeMessage(mira, tomas, 'a hidden walrus')
	await setBlocked(tomas, mira.username, false)
	await makeMessage(mira, tomas, 'seen again')
	expect(await texts(mira, tomas)).toEqual(['Are you there?', 'I am.', 'a hidden walrus', 'seen again'])
	expect(await texts(tomas, mira)).toEqual(['Are you there?', 'I am.', 'seen again'])
	const reading = [
		listChangesSince(tomas, mira.username, 0),
		listOlderMessages(tomas, mira.username, 2 ** 31 - 1),
		listConversations(tomas),
		searchOwnMessages(tomas, 'walrus'),
	]
	expect(JSON.stringify(await Promise.all(reading))).not.toMatch(/walrus/)
	expect((await searchOwnMessages(mira, 'walrus')).hits).toMatchObject([{ id: hidden.id }])
})

test('a blocked member notices nothing', async () => {
	await makeConversation(mira, tomas)
	const before = await openConversation(mira, tomas.username)
	await setBlocked(tomas, mira.username, true)
	expect(await openConversation(mira, tomas.username)).toEqual(before)
	await markSeen(tomas, { with: mira.username, upTo: 2 ** 31 - 1, read: false })
	await markSeen(tomas, { with: mira.username, upTo: 2 ** 31 - 1, read: true })
	await markAllSeen(tomas)
	expect(await openConversation(mira, tomas.username)).toEqual(before)
	const sent = await makeMessage(mira, tomas, 'sent as ever')
	await markSeen(tomas, { with: mira.username, upTo: sent.id, read: true })
	const after = await openConversation(mira, tomas.username)
	expect(after.messages.at(-1)).toEqual(sent)
	expect(after.receipts.delivered).toBeLessThan(sent.id)
	expect((await listConversations(mira)).conversations).toMatchObject([{ last: { excerpt: 'sent as ever' } }])
	await setBlocked(tomas, mira.username, false)
	await markSeen(tomas, { with: mira.username, upTo: sent.id, read: true })
	expect((await openConversation(mira, tomas.username)).receipts.read).toBe(sent.id - 2)
})

test('the blocker sees and counts none of it, and cannot write before unblocking', async () => {
	await makeConversation(mira, tomas)
	await setBlocked(tomas, mira.username, true)
	await makeMessage(mira, tomas)
	expect((await getMemberState(tomas)).conversations).toBe(0)
	expect((await listConversations(tomas)).conversations).toMatchObject([{ unread: 0, last: { excerpt: 'I am.' } }])
	expect((await openConversation(tomas, mira.username)).state).toMatchObject({ kind: 'closed', blockedByMe: true })
	await expect(makeMessage(tomas, mira)).rejects.toMatchObject({ status: 403 })
	await setBlocked(tomas, mira.username, false)
	await makeMessage(tomas, mira)
})

test('a stranger who was blocked before the first message does not notice either', async () => {
	await setBlocked(tomas, mira.username, true)
	for (let sent = 0; sent < 3; sent += 1) await makeMessage(mira, tomas)
	await expect(makeMessage(mira, tomas)).rejects.toMatchObject({ status: 403 })
	expect((await listConversations(tomas, { requests: true })).conversations).toEqual([])
	await setBlocked(tomas, mira.username, false)
	expect(await openConversation(tomas, mira.username)).toMatchObject({ messages: [], state: { kind: 'open' } })
	await makeMessage(tomas, mira)
	await makeMessage(mira, tomas)
})

test('edits by a blocked member do not reach the blocker', async () => {
	await makeConversation(mira, tomas)
	const message = await makeMessage(mira, tomas, 'kind words')
	const which = { with: tomas.username, id: message.id }
	await setBlocked(tomas, mira.username, true)
	await editMessage(mira, which, { body: 'unkind words' })
	await editMessage(mira, which, { body: 'worse words' })
	expect((await texts(mira, tomas)).at(-1)).toBe('worse words')
	const [seen] = (await openConversation(tomas, mira.username)).messages.slice(-1)
	expect(seen).toMatchObject({ body: 'kind words', html: message.html, editedAt: null })
	expect((await listConversations(tomas)).conversations).toMatchObject([{ last: { excerpt: 'kind words' } }])
	expect((await searchOwnMessages(tomas, 'unkind')).hits).toEqual([])
	expect((await searchOwnMessages(tomas, 'worse')).hits).toEqual([])
	await deleteMessage(mira, which)
	expect((await openConversation(tomas, mira.username)).messages.at(-1)).toMatchObject({ deleted: true, body: '' })
})

test('the blocker cannot edit messages, but can delete them', async () => {
	await makeConversation(mira, tomas)
	const { id } = await makeMessage(tomas, mira, 'mine')
	await setBlocked(tomas, mira.username, true)
	await expect(editMessage(tomas, { with: mira.username, id }, { body: 'x' })).rejects.toMatchObject({ status: 403 })
	expect(await deleteMessage(tomas, { with: mira.username, id })).toMatchObject({ deleted: true })
})

test('blocking twice, unblocking without a block, and mutual blocks work', async () => {
	await setBlocked(tomas, mira.username, true)
	await setBlocked(tomas, mira.username, true)
	await setBlocked(mira, tomas.username, true)
	await setBlocked(mira, tomas.username, false)
	await setBlocked(mira, tomas.username, false)
	await setBlocked(tomas, mira.username, false)
	expect(await makeMessage(mira, tomas)).toMatchObject({ sender: mira.username })
})

test.each<[string, () => Promise<unknown>, number]>([
	['a visitor blocks', () => setBlocked(null, mira.username, true), 403],
	['a member blocks themselves', () => setBlocked(mira, mira.username, true), 404],
	['a member blocks nobody', () => setBlocked(mira, 'nobody', true), 404],
	['a visitor mutes', () => setMuted(null, mira.username, true), 403],
	['a member mutes what is no conversation', () => setMuted(mira, tomas.username, true), 404],
	['a member accepts what is no conversation', () => acceptConversation(mira, tomas.username), 404],
	['a visitor accepts', () => acceptConversation(null, mira.username), 403],
])('it is refused when %s', async (_what, act, status) => {
	await expect(act()).rejects.toMatchObject({ status })
})

test('a request is accepted neither by whoever blocks its sender nor by whoever is suspended meanwhile', async () => {
	await makeMessage(mira, tomas)
	await setBlocked(tomas, mira.username, true)
	await expect(acceptConversation(tomas, mira.username)).rejects.toThrow(/^You blocked .*Unblock to write\.$/)
	await setBlocked(tomas, mira.username, false)
	const [ended] = await queuedBehind(
		(trx) => sql`update users set suspended_until = 'infinity' where id = ${tomas.id}`.execute(trx),
		[() => acceptConversation(tomas, mira.username)],
	)
	expect(ended).toMatchObject({ reason: { message: expect.stringContaining('suspended') } })
	expect((await openConversation(tomas, mira.username)).state.kind).toBe('request')
})

test('a member whose account is deleted while somebody blocks them is not found', async () => {
	const [ended] = await queuedBehind(
		(trx) => sql`delete from users where id = ${mira.id}`.execute(trx),
		[() => setBlocked(tomas, mira.username, true)],
	)
	expect(ended).toMatchObject({ reason: { message: 'There is nobody here to write to.' } })
})
