import { beforeEach, expect, test } from 'vitest'
import { setBlocked } from '~/features/conversations/conversations.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { makeConversation, makeMessage, passTime } from '../../../../tests/factories/chat.ts'
import { makeMember } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { getMessage, listMessagesAt, type MessagePosition, openConversation } from './reading.server.ts'

useDatabase()

let serial = 0
let mira: SignedIn
let tomas: SignedIn
let ids: number[]

beforeEach(async () => {
	serial += 1
	mira = await makeMember(`mira${serial}`)
	tomas = await makeMember(`tomas${serial}`)
	await makeConversation(mira, tomas)
	for (let sent = 0; sent < 18; sent += 1) await makeMessage(mira, tomas, `message ${sent}`)
	await passTime()
	ids = (await openConversation(mira, tomas.username)).messages.map(({ id }) => id)
})

/** The positions of the messages, of twenty, that a page of at most six shows. */
const shown = async (place: MessagePosition) => {
	const { messages, older, newer } = await listMessagesAt(tomas, mira.username, place, 6)
	return [messages.map(({ id }) => ids.indexOf(id)), older, newer]
}

test.each<[string, (id: (place: number) => number) => MessagePosition, unknown[]]>([
	['around the middle', (id) => ({ around: id(10) }), [[7, 8, 9, 10, 11, 12, 13], true, true]],
	['around the first', (id) => ({ around: id(0) }), [[0, 1, 2, 3], false, true]],
	['around the last', (id) => ({ around: id(19) }), [[16, 17, 18, 19], true, false]],
	['around the fourth', (id) => ({ around: id(3) }), [[0, 1, 2, 3, 4, 5, 6], false, true]],
	['before one', (id) => ({ before: id(10) }), [[4, 5, 6, 7, 8, 9], true, true]],
	['before the seventh', (id) => ({ before: id(6) }), [[0, 1, 2, 3, 4, 5], false, true]],
	['after one', (id) => ({ after: id(10) }), [[11, 12, 13, 14, 15, 16], true, true]],
	['after the fourteenth', (id) => ({ after: id(13) }), [[14, 15, 16, 17, 18, 19], true, false]],
	['after the last', (id) => ({ after: id(19) }), [[], true, false]],
])('a page %s has its messages and whether there are more', async (_what, place, expected) => {
	expect(await shown(place((at) => ids[at] ?? 0))).toEqual(expected)
})

test('a conversation cannot be opened at a message that the viewer may not see', async () => {
	const stranger = await makeMember(`stranger${serial}`)
	await makeConversation(stranger, tomas)
	const elsewhere = (await makeMessage(stranger, tomas)).id
	await setBlocked(tomas, mira.username, true)
	const unseen = (await makeMessage(mira, tomas, 'never seen')).id
	const refused: [SignedIn | null, string, unknown, number][] = [
		[tomas, mira.username, elsewhere, 404],
		[tomas, mira.username, unseen, 404],
		[stranger, tomas.username, ids[5], 404],
		[stranger, mira.username, ids[5], 404],
		[null, mira.username, ids[5], 403],
		[tomas, 'nobody', ids[5], 404],
		[tomas, mira.username, 2 ** 31 - 1, 404],
		...[0, -1, 1.5, Number.NaN, '5', null].map((id): [SignedIn, string, unknown, number] => [
			tomas,
			mira.username,
			id,
			422,
		]),
	]
	for (const [viewer, username, id, status] of refused) {
		await expect(listMessagesAt(viewer, username, { around: id })).rejects.toMatchObject({ status })
		await expect(getMessage(viewer, username, id)).rejects.toMatchObject({ status })
	}
	expect(await getMessage(mira, tomas.username, unseen)).toMatchObject({ id: unseen, body: 'never seen' })
})
