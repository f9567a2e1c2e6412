import { beforeEach, expect, test } from 'vitest'
import { openConversation } from '~/features/chat/messages/reading.server.ts'
import { acceptConversation, setBlocked, setMuted } from '~/features/conversations/conversations.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { findBrokenFigures, makeConversation, makeMessage, passTime } from '../../../tests/factories/chat.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { getMemberState, listConversations, markAllSeen } from './inbox.server.ts'

useDatabase()

let serial = 0
let reader: SignedIn

beforeEach(async () => {
	serial += 1
	reader = await makeMember(`reader${serial}`)
})

const writers = (count: number) =>
	Promise.all(Array.from({ length: count }, (_, index) => makeMember(`writer${serial}-${index}`)))
const unreadOf = async (requests: boolean) =>
	(await listConversations(reader, { requests })).conversations.map(({ unread }) => unread)

test('marks more conversations than a list shows, including muted ones, and notifies the senders', async () => {
	const peers = await writers(14)
	for (const peer of peers) await makeConversation(reader, peer)
	await setMuted(reader, peers[3]?.username, true)
	expect((await getMemberState(reader)).conversations).toBe(13)
	await markAllSeen(reader)
	expect((await getMemberState(reader)).conversations).toBe(0)
	expect(await unreadOf(false)).toEqual(Array.from({ length: 14 }, () => 0))
	for (const peer of peers) {
		const { receipts, messages } = await openConversation(peer, reader.username)
		expect(receipts.read).toBe(messages.findLast(({ sender }) => sender === peer.username)?.id)
	}
	expect(await findBrokenFigures()).toEqual([])
	await markAllSeen(reader)
})

test('leaves requests unread, so that looking at them does not show', async () => {
	const [stranger] = await writers(1)
	if (!stranger) throw new Error('one writer')
	await makeMessage(stranger, reader)
	await markAllSeen(reader)
	expect(await unreadOf(true)).toEqual([1])
	expect((await openConversation(stranger, reader.username)).receipts).toEqual({ delivered: 0, read: 0 })
})

test('a concurrent message is either read or counted', async () => {
	const peers = await writers(6)
	for (const peer of peers) await makeConversation(reader, peer)
	for (let round = 0; round < 5; round += 1) {
		await passTime()
		await Promise.all([...peers.map((peer) => makeMessage(peer, reader)), markAllSeen(reader), markAllSeen(reader)])
		expect(await findBrokenFigures()).toEqual([])
	}
	await markAllSeen(reader)
	expect(await unreadOf(false)).toEqual([0, 0, 0, 0, 0, 0])
})

test('a visitor has nothing to read', async () => {
	await expect(markAllSeen(null)).rejects.toMatchObject({ status: 403 })
})

test('an accepted request counts at once; muted and blocked conversations do not', async () => {
	const [stranger] = await writers(1)
	if (!stranger) throw new Error('one writer')
	await makeMessage(stranger, reader)
	const counts = [(await getMemberState(reader)).conversations]
	const step = async (done: Promise<void>) => {
		await done
		counts.push((await getMemberState(reader)).conversations)
	}
	await step(acceptConversation(reader, stranger.username))
	await step(setMuted(reader, stranger.username, true))
	await step(setMuted(reader, stranger.username, false))
	await step(setBlocked(reader, stranger.username, true))
	await step(setBlocked(reader, stranger.username, false))
	// A block by the peer changes nothing, as it must not show.
	await step(setBlocked(stranger, reader.username, true))
	expect(counts).toEqual([0, 1, 0, 1, 0, 1, 1])
})
