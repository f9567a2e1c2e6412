import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { config } from '~/config.server.ts'
import '~/features/index.server.ts'
import { deleteMessage, editMessage } from '~/features/chat/messages/changing.server.ts'
import { openConversation } from '~/features/chat/messages/reading.server.ts'
import { reportMessage } from '~/features/chat/messages/reporting.server.ts'
import { sendMessage } from '~/features/chat/messages/sending.server.ts'
import { setBlocked } from '~/features/conversations/conversations.server.ts'
import { listConversations } from '~/features/inbox/inbox.server.ts'
import { searchOwnMessages } from '~/features/inbox/search/search.server.ts'
import { getCase } from '~/features/moderation/queue.server.ts'
import { storePicture, sweepPictures } from '~/features/pictures/pictures.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeConversation, passTime } from '../../../tests/factories/chat.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { picture } from '../../../tests/factories/pictures.ts'
import { makePicture } from '../../../tests/factories/profiles.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { queuedBehind } from '../../../tests/support/locks.ts'
import { maySeePicture } from './chat-pictures.server.ts'

useDatabase()

let serial = 0
let mira: SignedIn
let tomas: SignedIn
let other: SignedIn
let moderator: SignedIn

beforeEach(async () => {
	serial += 1
	mira = await makeMember(`mira${serial}`)
	tomas = await makeMember(`tomas${serial}`)
	other = await makeMember(`other${serial}`)
	moderator = await makeMember(`mod${serial}`, 'moderator')
	await makeConversation(mira, tomas)
})

test('a message may consist of a picture, shows its stored size, and is stored once on retries', async () => {
	const path = await makePicture(mira, 'message')
	const message = { to: tomas.username, clientId: randomUUID(), body: '', pictures: [{ path, alt: ' The  bench ' }] }
	const sent = await sendMessage(mira, message)
	expect(sent).toMatchObject({ body: '', pictures: [{ path, width: 640, height: 452, alt: 'The bench' }] })
	expect((await sendMessage(mira, message)).id).toBe(sent.id)
	const { messages } = await openConversation(tomas, mira.username)
	expect(messages.at(-1)?.pictures).toEqual(sent.pictures)
	expect(messages).toHaveLength(3)
})

test('only the two members see it, and nobody after it is deleted', async () => {
	const { id, path } = await show()
	expect(await whoSees(path)).toEqual(['mira', 'tomas'])
	await editMessage(mira, { with: tomas.username, id }, { body: 'The same, in other words' })
	expect(await whoSees(path)).toEqual(['mira', 'tomas'])
	await deleteMessage(mira, { with: tomas.username, id })
	expect(await whoSees(path)).toEqual([])
})

test('a picture in two messages is visible to both recipients, and deleted separately', async () => {
	await makeConversation(mira, other)
	const { path, id } = await show()
	await sendMessage(mira, { to: other.username, clientId: randomUUID(), body: '', pictures: [{ path, alt: '' }] })
	expect(await whoSees(path)).toEqual(['mira', 'tomas', 'other'])
	await deleteMessage(mira, { with: tomas.username, id })
	expect(await whoSees(path)).toEqual(['mira', 'other'])
})

test('a blocked member still sees earlier pictures; what they send meanwhile reaches nobody', async () => {
	const [first, answer] = [await show(), await show(tomas, mira)]
	await setBlocked(tomas, mira.username, true)
	expect(await whoSees(first.path)).toEqual(['mira', 'tomas'])
	expect(await whoSees(answer.path)).toEqual(['mira', 'tomas'])
	expect(await whoSees((await show(mira, tomas, 'meanwhile')).path)).toEqual(['mira'])
})

test('mentioning the address of a private picture does not make it visible', async () => {
	const { path } = await show()
	await makeConversation(tomas, other)
	const body = `![look](/media/${path}-640.webp) /media/${path}-640.webp`
	await sendMessage(tomas, { to: other.username, clientId: randomUUID(), body })
	expect(await whoSees(path)).toEqual(['mira', 'tomas'])
})

test('a report shows moderators the picture and those before it, even after they are deleted', async () => {
	const [before, reported] = [await show(mira, tomas, 'before'), await show(mira, tomas, 'reported')]
	const after = await show(mira, tomas, 'after')
	await reportMessage(tomas, { with: mira.username, id: reported.id }, { words: 'Not nice.' })
	expect(await whoSees(before.path)).toEqual(['mira', 'tomas', 'moderator'])
	expect(await whoSees(reported.path)).toEqual(['mira', 'tomas', 'moderator'])
	expect(await whoSees(after.path)).toEqual(['mira', 'tomas'])
	for (const { id } of [before, reported, after]) await deleteMessage(mira, { with: tomas.username, id })
	await age()
	await sweepPictures()
	expect(await whoSees(reported.path)).toEqual(['moderator'])
	expect(await isKept(reported.path)).toBe(true)
	expect(await isKept(after.path)).toBe(false)
	const { reports } = await getCase(moderator, { kind: 'profile', name: mira.username })
	expect(reports[0]?.extracts[0]?.at(-1)?.pictures.map((each) => each.path)).toEqual([reported.path])
})

test('files are kept while a message shows them, and deleted with it', async () => {
	const { path } = await storePicture(mira, 'message', new Blob([new Uint8Array(await picture('png', 900, 700))]))
	const file = join(config().dataDir, 'media', `${path}-640.webp`)
	const message = { to: tomas.username, clientId: randomUUID(), body: '', pictures: [{ path, alt: '' }] }
	const { id } = await sendMessage(mira, message)
	await age()
	await sweepPictures()
	expect(existsSync(file)).toBe(true)
	await deleteMessage(mira, { with: tomas.username, id })
	await sweepPictures()
	expect(existsSync(file)).toBe(false)
	expect((await sendMessage(mira, message)).deleted).toBe(true)
})

test('deleting an account deletes its pictures, including reported ones', async () => {
	const { id, path } = await show()
	await reportMessage(tomas, { with: mira.username, id }, { words: 'Not nice.' })
	await db().deleteFrom('users').where('id', '=', mira.id).execute()
	expect(await isKept(path)).toBe(false)
})

test.each<[string, () => Promise<unknown>, number]>([
	['a picture of somebody else', async () => [{ path: await makePicture(tomas, 'message'), alt: '' }], 422],
	['a picture of another kind', async () => [{ path: await makePicture(mira, 'post'), alt: '' }], 422],
	['one that is not there', async () => [{ path: `messages/${mira.username}/${'0'.repeat(32)}`, alt: '' }], 422],
	['a way out of the folder', async () => [{ path: '../../auth-secret', alt: '' }], 422],
	['five pictures', () => Promise.all([1, 2, 3, 4, 5].map(named)), 422],
	['words of 201 characters', async () => [{ ...(await named(1)), alt: 'x'.repeat(201) }], 422],
	['no words', async () => [{ path: (await named(1)).path }], 422],
	['no list', async () => 'messages', 422],
	['nothing at all', async () => [], 422],
])('a message with %s is refused, and nothing is stored', async (_what, pictures, status) => {
	const message = { to: tomas.username, clientId: randomUUID(), body: '', pictures: await pictures() }
	await expect(sendMessage(mira, message)).rejects.toMatchObject({ status })
	expect((await openConversation(mira, tomas.username)).messages).toHaveLength(2)
})

test('pictures cannot be attached without permission to write', async () => {
	await setBlocked(mira, tomas.username, true)
	await expect(show()).rejects.toMatchObject({ status: 403 })
})

test('the forty-first message with pictures within an hour is refused; text messages are not', async () => {
	const path = await makePicture(mira, 'message')
	for (let sent = 0; sent < 40; sent += 1) {
		await sendMessage(mira, { to: tomas.username, clientId: randomUUID(), body: '', pictures: [{ path, alt: '' }] })
		if (sent % 25 === 24) await passTime()
	}
	await passTime()
	await expect(show()).rejects.toMatchObject({ status: 429 })
	const words = { to: tomas.username, clientId: randomUUID(), body: 'Words' }
	expect(await sendMessage(mira, words)).toMatchObject({ body: 'Words' })
})

test('of two messages with pictures to different members at once, only one is the fortieth', async () => {
	await makeConversation(mira, other)
	const { id, path } = await show()
	await sql`
		insert into messages (conversation_id, sender_id, recipient_id, client_id, body, html, version, pictures, sent_at)
		select conversation_id, sender_id, recipient_id, gen_random_uuid(), body, html, version, pictures, now() - interval '10 minutes'
		from messages, generate_series(1, 38) where id = ${id}`.execute(db())
	const send = (to: SignedIn) => () =>
		sendMessage(mira, { to: to.username, clientId: randomUUID(), body: '', pictures: [{ path, alt: '' }] })
	const sent = await queuedBehind(
		(trx) => sql`select from pictures where path = ${path} for update`.execute(trx),
		[send(tomas), send(other)],
	)
	expect(sent).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { status: 429 } }])
})

test('the inbox and the search contain descriptions of pictures', async () => {
	await show(mira, tomas, 'Oscilloscope on the bench')
	expect((await listConversations(tomas)).conversations[0]?.last?.excerpt).toBe('Oscilloscope on the bench')
	const { hits } = await searchOwnMessages(tomas, 'oscilloscope')
	expect(
		hits.map(({ passage }) =>
			passage
				.map(({ text }) => text)
				.join('')
				.trim(),
		),
	).toEqual(['Oscilloscope on the bench'])
	expect(await searchOwnMessages(other, 'oscilloscope')).toMatchObject({ hits: [] })
	await show(mira, tomas, '')
	expect((await listConversations(tomas)).conversations[0]?.last?.excerpt).toBe('Picture')
})

test('the text of a message with a picture may be removed, that of other messages may not', async () => {
	const path = await makePicture(mira, 'message')
	const message = { to: tomas.username, clientId: randomUUID(), body: 'Words', pictures: [{ path, alt: '' }] }
	const { id } = await sendMessage(mira, message)
	const edited = await editMessage(mira, { with: tomas.username, id }, { body: '' })
	expect(edited).toMatchObject({ body: '', pictures: [{ path }] })
	const plain = await sendMessage(mira, { to: tomas.username, clientId: randomUUID(), body: 'Words' })
	const emptied = editMessage(mira, { with: tomas.username, id: plain.id }, { body: ' ' })
	await expect(emptied).rejects.toMatchObject({ status: 422, message: 'Write something first.' })
})

/** Sends a picture with this description. @returns the message's id and the picture's path */
async function show(from = mira, to = tomas, alt = 'A picture'): Promise<{ id: number; path: string }> {
	const path = await makePicture(from, 'message', `${alt} of ${from.username}`)
	const message = { to: to.username, clientId: randomUUID(), body: '', pictures: [{ path, alt }] }
	const { id } = await sendMessage(from, message)
	return { id, path }
}

async function named(content: number): Promise<{ path: string; alt: string }> {
	return { path: await makePicture(mira, 'message', `${content}`), alt: '' }
}

async function whoSees(path: string): Promise<string[]> {
	const people = { mira, tomas, other, moderator }
	const seen = await Promise.all(Object.values(people).map((person) => maySeePicture(person, path)))
	return Object.keys(people).filter((_name, index) => seen[index])
}

/** Makes uploads an hour older, after which unused ones are deleted. */
async function age(): Promise<void> {
	await sql`update pictures set created_at = now() - interval '2 hours'`.execute(db())
}

async function isKept(path: string): Promise<boolean> {
	const { rows } = await sql`select from pictures where path = ${path}`.execute(db())
	return rows.length > 0
}
