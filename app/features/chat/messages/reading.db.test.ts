import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { setBlocked, setMuted } from '~/features/conversations/conversations.server.ts'
import { getMemberState, listConversations, listLatestConversations } from '~/features/inbox/inbox.server.ts'
import { setSkills } from '~/features/members/skills.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { findBrokenFigures, makeConversation, makeMessage, passTime } from '../../../../tests/factories/chat.ts'
import { makeMember } from '../../../../tests/factories/forum.ts'
import { makeTab } from '../../../../tests/factories/presence.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { deleteMessage, editMessage } from './changing.server.ts'
import { listChangesSince, listOlderMessages, markSeen, openConversation } from './reading.server.ts'

useDatabase()

let serial = 0
let mira: SignedIn
let tomas: SignedIn

beforeEach(async () => {
	serial += 1
	mira = await makeMember(`mira${serial}`)
	tomas = await makeMember(`tomas${serial}`)
	await makeConversation(mira, tomas)
})

test('a long conversation opens with its newest 50 messages, and older ones are paged without gaps', async () => {
	for (let sent = 0; sent < 120; sent += 1) {
		if (sent % 25 === 0) await passTime()
		await makeMessage(mira, tomas, `message ${sent}`)
	}
	const page = await openConversation(tomas, mira.username)
	const seen = [...page.messages]
	expect(page).toMatchObject({ older: true, version: 122 })
	for (let older = page.older; older; ) {
		const next = await listOlderMessages(tomas, mira.username, seen[0]?.id)
		seen.unshift(...next.messages)
		older = next.older
	}
	expect(page.messages).toHaveLength(50)
	expect(seen.map(({ version }) => version)).toEqual(Array.from({ length: 122 }, (_, index) => index + 1))
})

test('catching up returns added, edited and deleted messages in the order of the changes, 200 at a time', async () => {
	const { version } = await openConversation(tomas, mira.username)
	const first = await makeMessage(mira, tomas, 'first')
	for (let sent = 0; sent < 230; sent += 1) {
		if (sent % 25 === 0) await passTime()
		await makeMessage(mira, tomas, `message ${sent}`)
	}
	await editMessage(mira, { with: tomas.username, id: first.id }, { body: 'changed' })
	const got = []
	let at = version
	for (let complete = false; !complete; ) {
		const answer = await listChangesSince(tomas, mira.username, at)
		got.push(...answer.messages)
		expect(answer.messages.length).toBeLessThanOrEqual(200)
		at = answer.version
		complete = answer.complete
	}
	expect(at).toBe(version + 232)
	expect(got).toHaveLength(231)
	expect(got.at(-1)).toMatchObject({ id: first.id, body: 'changed', version: at })
	expect(await listChangesSince(tomas, mira.username, at)).toMatchObject({ messages: [], version: at, complete: true })
	const name = `${mira.username}.new`
	await sql`insert into usernames (username, user_id) values (${name}, ${mira.id})`.execute(db())
	await sql`update users set username = ${name} where id = ${mira.id}`.execute(db())
	expect(await listChangesSince(tomas, mira.username, at)).toMatchObject({ peer: name })
})

test('members who catch up concurrently each get what they may see of their conversation, and an error affects only one', async () => {
	const noor = await makeMember(`noor${serial}`)
	const stranger = await makeMember(`stranger${serial}`)
	const { version } = await openConversation(tomas, mira.username)
	await makeMessage(mira, tomas, 'for tomas')
	await makeMessage(mira, noor, 'for noor')
	await setBlocked(tomas, mira.username, true)
	await makeMessage(mira, tomas, 'nobody sees it')
	const asked: [SignedIn, string, number][] = [
		[tomas, mira.username, version],
		[noor, mira.username, 0],
		[stranger, mira.username, 0],
		[noor, `nobody${serial}`, 0],
		[mira, tomas.username, version],
		[mira, mira.username, 0],
		[mira, noor.username, 0],
	]
	const answers = await Promise.allSettled(asked.map(([reader, peer, since]) => listChangesSince(reader, peer, since)))
	const seen = answers.map((answer) =>
		answer.status === 'fulfilled' ? answer.value.messages.map(({ body }) => body) : answer.reason.status,
	)
	expect(seen).toEqual([['for tomas'], ['for noor'], [], 404, ['for tomas', 'nobody sees it'], 404, ['for noor']])
	const [ofTomas, ofNoor, ofStranger] = answers.map((answer) => answer.status === 'fulfilled' && answer.value)
	// The version counts all messages, including those that this member does not see.
	expect(ofTomas).toMatchObject({ version: version + 2, complete: true, state: { kind: 'closed', blockedByMe: true } })
	expect(ofNoor).toMatchObject({ version: 1, complete: true, state: { kind: 'request' } })
	expect(ofStranger).toMatchObject({ version: 0, complete: true, receipts: { delivered: 0, read: 0 } })
})

test('an edited message is marked; a deleted one leaves a placeholder without its text, also in the database', async () => {
	const message = await makeMessage(mira, tomas, 'a secret word')
	const which = { with: tomas.username, id: message.id }
	const edited = await editMessage(mira, which, { body: 'a *public* word' })
	expect(edited).toMatchObject({ body: 'a *public* word', version: message.version + 1 })
	expect(edited.editedAt).not.toBeNull()
	expect(await editMessage(mira, which, { body: 'a *public* word' })).toEqual(edited)
	expect(await deleteMessage(mira, which)).toMatchObject({ body: '', html: '', deleted: true, editedAt: null })
	const row = await db().selectFrom('messages').selectAll().where('id', '=', message.id).executeTakeFirst()
	expect(JSON.stringify(row)).not.toContain('word')
	expect((await listConversations(tomas)).conversations).toMatchObject([
		{ last: { excerpt: '', deleted: true }, unread: 1 },
	])
	expect(await findBrokenFigures()).toEqual([])
})

test.each<[string, (id: number) => Promise<unknown>, number]>([
	['the peer edits it', (id) => editMessage(tomas, { with: mira.username, id }, { body: 'mine now' }), 404],
	['the peer deletes it', (id) => deleteMessage(tomas, { with: mira.username, id }), 404],
	['a visitor edits it', (id) => editMessage(null, { with: tomas.username, id }, { body: 'mine now' }), 403],
	['a visitor deletes it', (id) => deleteMessage(null, { with: tomas.username, id }), 403],
	['it becomes empty', (id) => editMessage(mira, { with: tomas.username, id }, { body: '  ' }), 422],
	['the id is none', () => deleteMessage(mira, { with: tomas.username, id: 'x' }), 404],
	['the conversation is another one', (id) => deleteMessage(mira, { with: `mira${serial}`, id }), 404],
])('a message stays as it is when %s', async (_what, act, status) => {
	const message = await makeMessage(mira, tomas, 'as it is')
	await expect(act(message.id)).rejects.toMatchObject({ status })
	expect((await openConversation(tomas, mira.username)).messages.at(-1)).toEqual(message)
})

test('a new conversation shows what both members know, until it has begun', async () => {
	const stranger = await makeMember(`stranger${serial}`)
	const skilled: [SignedIn, string[]][] = [
		[mira, ['Git', 'Python', 'Go']],
		[stranger, ['Python', 'Rust', 'Git']],
	]
	for (const [{ id }, skills] of skilled)
		await db()
			.transaction()
			.execute((trx) => setSkills(trx, id, skills))
	expect(await openConversation(mira, stranger.username)).toMatchObject({ messages: [], common: ['Python', 'Git'] })
	await makeMessage(mira, stranger)
	expect(await openConversation(mira, stranger.username)).toMatchObject({ common: [], stranger: null })
	await sql`insert into profiles (user_id, enrol_in_branch_name, current_year, university_name, campus_name, campus_verified_at)
		values (${mira.id}, 'CSE', 3, 'Eastmere', 'Eastmere University', now())
		on conflict (user_id) do update set enrol_in_branch_name = 'CSE', current_year = 3, university_name = 'Eastmere',
			campus_name = 'Eastmere University', campus_verified_at = now()`.execute(db())
	const asked = async () => {
		const { state, common, stranger: who } = await openConversation(stranger, mira.username)
		return [state.kind, common, who]
	}
	const who = { studies: 'CSE, 3rd year', university: 'Eastmere', campus: 'Eastmere University' }
	expect(await asked()).toEqual(['request', ['Git', 'Python'], who])
	await sql`update profiles set only_me = '{academics,skills}' where user_id = ${mira.id}`.execute(db())
	expect(await asked()).toEqual(['request', [], { studies: '', university: '', campus: '' }])
	await sql`update profiles set only_me = '{}' where user_id = ${mira.id}`.execute(db())
	await makeMessage(stranger, mira)
	expect(await asked()).toEqual(['open', [], null])
})

test('edits and deletions are rate-limited with a message, separately for each member', async () => {
	const [message, other] = [await makeMessage(mira, tomas, 'the first'), await makeMessage(tomas, mira)]
	const which = { with: tomas.username, id: message.id }
	for (let times = 0; times < 30; times += 1) await editMessage(mira, which, { body: `edit ${times}` })
	const words = { status: 429, message: expect.stringMatching(/^You changed many .* in \d+ s\.$/) }
	await expect(editMessage(mira, which, { body: 'too much' })).rejects.toMatchObject(words)
	await expect(deleteMessage(mira, which)).rejects.toMatchObject(words)
	expect((await openConversation(tomas, mira.username)).messages.at(-2)).toMatchObject({ body: 'edit 29' })
	expect(await deleteMessage(tomas, { with: mira.username, id: other.id })).toMatchObject({ deleted: true })
})

test('receipts only move forward, never past what was sent to the reader, and the unread count follows', async () => {
	const messages = [await makeMessage(mira, tomas), await makeMessage(mira, tomas), await makeMessage(mira, tomas)]
	const [first, second, third] = messages.map(({ id }) => id)
	const see = (upTo: unknown, read: unknown) => markSeen(tomas, { with: mira.username, upTo, read })
	const state = async () => {
		const { receipts } = await openConversation(mira, tomas.username)
		const unread = (await listConversations(tomas)).conversations[0]?.unread
		return [receipts.delivered, receipts.read, unread]
	}
	await see(second, false)
	expect(await state()).toEqual([second, 0, 4])
	await see(first, true)
	expect(await state()).toEqual([second, first, 2])
	await see(second, true)
	await see(first, true)
	await see(first, false)
	expect(await state()).toEqual([second, second, 1])
	await see(2 ** 31 - 1, true)
	expect(await state()).toEqual([third, third, 0])
	for (const wrong of [-1, 1.5, '3', null, 2 ** 31]) await see(wrong, true)
	await markSeen(tomas, { with: 'nobody', upTo: third, read: true })
	await markSeen(tomas, { with: mira.username, upTo: third, read: 'yes' })
	expect(await state()).toEqual([third, third, 0])
	expect(await findBrokenFigures()).toEqual([])
})

test('a member who hides when they are online sends no receipt of what only arrived', async () => {
	await sql`insert into profiles (user_id, show_presence) values (${tomas.id}, false)
		on conflict (user_id) do update set show_presence = false`.execute(db())
	const { id } = await makeMessage(mira, tomas)
	const receipts = async (read: boolean) => {
		await markSeen(tomas, { with: mira.username, upTo: id, read })
		return (await openConversation(mira, tomas.username)).receipts
	}
	expect(await receipts(false)).toEqual({ delivered: 0, read: 0 })
	expect(await receipts(true)).toEqual({ delivered: id, read: id })
})

test('deleting an unread message lowers the unread count, and deleting a read one does not', async () => {
	const [read, unread] = [await makeMessage(mira, tomas), await makeMessage(mira, tomas)]
	await markSeen(tomas, { with: mira.username, upTo: read.id, read: true })
	await deleteMessage(mira, { with: tomas.username, id: read.id })
	expect((await listLatestConversations(tomas)).conversations).toMatchObject([{ unread: 1 }])
	await deleteMessage(mira, { with: tomas.username, id: unread.id })
	expect(await listLatestConversations(tomas)).toMatchObject({ conversations: [{ unread: 0 }], unread: 0 })
})

test('concurrent sends, edits, deletions and reading leave correct counts', async () => {
	await passTime()
	const messages = await Promise.all(Array.from({ length: 12 }, () => makeMessage(mira, tomas)))
	await Promise.all(
		messages.flatMap(({ id }, index) => [
			makeMessage(tomas, mira),
			markSeen(tomas, { with: mira.username, upTo: id, read: index % 2 === 0 }),
			index % 3 === 0
				? deleteMessage(mira, { with: tomas.username, id })
				: editMessage(mira, { with: tomas.username, id }, { body: `edited ${index}` }),
		]),
	)
	expect(await findBrokenFigures()).toEqual([])
	const { version } = await openConversation(mira, tomas.username)
	expect(version).toBe(2 + 12 + 12 + 12)
})

test('the inbox is complete, newest first, and counts conversations without muted ones', async () => {
	const reader = await makeMember(`reader${serial}`)
	const writers = []
	for (let index = 0; index < 35; index += 1) {
		const writer = await makeMember(`writer${serial}-${index}`)
		await makeConversation(reader, writer)
		if (index % 9 === 0) await passTime()
		writers.unshift(writer.username)
	}
	const first = await listConversations(reader)
	const second = await listConversations(reader, { before: first.next })
	const names = [...first.conversations, ...second.conversations].map(({ peer }) => peer.username)
	expect(names).toEqual(writers)
	expect([first.conversations.length, second.next]).toEqual([30, null])
	expect((await getMemberState(reader)).conversations).toBe(35)
	expect((await getMemberState(null)).conversations).toBe(0)
	await setMuted(reader, writers[0], true)
	const { unread, conversations } = await listLatestConversations(reader)
	expect([unread, conversations.length, conversations[0]?.muted, conversations[1]?.muted]).toEqual([
		34,
		10,
		true,
		false,
	])
	await setMuted(reader, writers[0], false)
	expect((await getMemberState(reader)).conversations).toBe(35)
	await expect(listConversations(reader, { before: 'x' })).rejects.toMatchObject({ status: 422 })
})

test('a peer is shown online with a tab open, and not when they hide', async () => {
	const peer = async () => (await openConversation(mira, tomas.username)).peer
	expect(await peer()).toMatchObject({ online: false, lastSeenAt: null, name: `Tomas${serial}` })
	await makeTab(tomas.id)
	expect(await peer()).toMatchObject({ online: true })
})
