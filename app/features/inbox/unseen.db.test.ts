import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { deleteMessage, editMessage } from '~/features/chat/messages/changing.server.ts'
import { markSeen } from '~/features/chat/messages/reading.server.ts'
import { setBlocked, setMuted } from '~/features/conversations/conversations.server.ts'
import { mailUnseen } from '~/features/notifications/digest.server.ts'
import {
	getPreferences,
	readUnsubscribe,
	setPreferences,
	unsubscribe,
	unsubscribeUrl,
} from '~/features/notifications/preferences.server.ts'
import { findBrowser } from '~/features/notifications/push/push.queries.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { findBrokenFigures, makeConversation, makeMessage } from '../../../tests/factories/chat.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { queuedMails, useJobTables } from '../../../tests/support/jobs.ts'
import { messageKind } from './unseen.server.ts'

useDatabase()
useJobTables()

let serial = 0
let mira: SignedIn
let tomas: SignedIn
let ines: SignedIn

beforeEach(async () => {
	serial += 1
	mira = await makeMember(`mira${serial}`)
	tomas = await makeMember(`tomas${serial}`)
	ines = await makeMember(`ines${serial}`)
	await makeConversation(tomas, mira)
	await makeConversation(ines, mira)
	// Clears what the setup left unread.
	await mailAll()
})

describe('the mail about unread messages', () => {
	test('is sent once after ten minutes, for all conversations together, even by concurrent processes', async () => {
		await makeMessage(tomas, mira, 'The first one.')
		await makeMessage(tomas, mira, 'Is **this** & `<b>`\n\nfine?')
		await makeMessage(ines, mira, 'Lunch?')
		expect(await mailUnseen()).toBe(0)
		await pass('9 minutes')
		expect(await mailUnseen()).toBe(0)
		await pass('1 minute')
		const made = await Promise.all([mailUnseen(), mailUnseen(), mailUnseen()])
		expect(made.reduce((sum, mails) => sum + mails, 0)).toBe(1)
		await pass('1 day')
		expect(await mailUnseen()).toBe(0)
		const [mail, ...more] = await mails(mira)
		expect(more).toEqual([])
		expect(mail?.subject).toBe('Unread messages from 2 members')
		expect(mail?.text).toContain(`2 new messages from Tomas${serial}\nIs this & <b> fine?\n`)
		expect(mail?.text).toContain(
			`1 new message from Ines${serial}\nLunch?\nhttp://localhost:3000/messages/ines${serial}`,
		)
		expect(mail?.html).toContain('Is this &amp; &lt;b&gt; fine?')
		expect(mail?.html).not.toContain('<b>')
		expect(mail?.headers?.['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click')
		expect(await mails(tomas)).toEqual([])
	})

	test('that fails does not stop other mails, and is sent with the next messages', async () => {
		await makeMessage(tomas, mira, 'To one whose mail fails.')
		await makeMessage(tomas, ines, 'To another one.')
		await pass('10 minutes')
		const job = sql.raw(`check (payload ->> 'to' is distinct from '${mira.username}@campus.example') not valid`)
		await sql`alter table graphile_worker._private_jobs add constraint broken ${job}`.execute(db())
		await expect(mailUnseen()).rejects.toThrow('broken')
		expect([(await mails(ines)).length, (await mails(mira)).length]).toEqual([1, 0])
		await sql`alter table graphile_worker._private_jobs drop constraint broken`.execute(db())
		await makeMessage(tomas, mira, 'A later one.')
		await pass('10 minutes')
		expect(await mailUnseen()).toBe(1)
		expect((await mails(mira))[0]?.subject).toBe(`2 new messages from Tomas${serial}`)
	})

	test('includes younger messages; later ones get a mail of their own', async () => {
		await makeMessage(tomas, mira, 'One')
		await pass('10 minutes')
		await makeMessage(tomas, mira, 'Two')
		expect(await mailUnseen()).toBe(1)
		await pass('10 minutes')
		expect(await mailUnseen()).toBe(0)
		await makeMessage(tomas, mira, 'Three')
		await pass('10 minutes')
		expect(await mailUnseen()).toBe(1)
		const [, second] = await mails(mira)
		expect(second?.subject).toBe(`1 new message from Tomas${serial}`)
		expect(second?.text).toContain('Three')
		expect(second?.text).not.toContain('Two')
	})

	test('announces a request without its text', async () => {
		const stranger = await makeMember(`stranger${serial}`)
		await makeMessage(stranger, mira, 'Buy my heliotrope.')
		await pass('10 minutes')
		expect(await mailUnseen()).toBe(1)
		const [mail] = await mails(mira)
		expect(mail?.subject).toBe(`Stranger${serial} would like to write to you`)
		expect(JSON.stringify(mail)).not.toContain('heliotrope')
	})

	test.each<[string, (id: number) => Promise<unknown>]>([
		['was read', (id) => markSeen(mira, { with: tomas.username, upTo: id, read: true })],
		['was deleted', (id) => deleteMessage(tomas, { with: mira.username, id })],
		['is in a muted conversation', () => setMuted(mira, tomas.username, true)],
		['is of somebody who was blocked', () => setBlocked(mira, tomas.username, true)],
		['comes to a member who wants none of these', () => setPreferences(mira, new Set(['daily', 'reply-mail']))],
		['comes to a member who wants no mails', () => setPreferences(mira, new Set(['message-mail']))],
		['comes to a member who unsubscribed', () => unsubscribe(tokenOf(mira))],
		['comes to a suspended member', () => suspend(mira)],
		['comes to a member who is leaving', () => scheduleDeletion(mira)],
	])('does not include messages that %s', async (_what, act) => {
		const { id } = await makeMessage(tomas, mira, 'Are you coming?')
		await act(id)
		await pass('1 day')
		expect(await mailUnseen()).toBe(0)
		expect(await mails(mira)).toEqual([])
		expect(await findBrokenFigures()).toEqual([])
	})

	test('includes messages that were delivered but not read', async () => {
		const { id } = await makeMessage(tomas, mira, 'Delivered')
		await markSeen(mira, { with: tomas.username, upTo: id, read: false })
		await pass('10 minutes')
		expect(await mailUnseen()).toBe(1)
	})

	test('contains what the reader sees, without edits made during a block', async () => {
		const { id } = await makeMessage(tomas, mira, 'Harmless')
		await setBlocked(mira, tomas.username, true)
		await editMessage(tomas, { with: mira.username, id }, { body: 'Nasty' })
		await setBlocked(mira, tomas.username, false)
		await pass('10 minutes')
		await mailUnseen()
		const [mail] = await mails(mira)
		expect(mail?.text).toContain('Harmless')
		expect(JSON.stringify(mail)).not.toContain('Nasty')
	})

	test('is neither lost nor duplicated if its transaction fails', async () => {
		await makeMessage(tomas, mira, 'Once')
		await pass('10 minutes')
		await sql`alter table unseen_progress add constraint never check (upto < 0) not valid`.execute(db())
		await expect(mailUnseen()).rejects.toThrow('never')
		expect(await mails(mira)).toEqual([])
		await sql`alter table unseen_progress drop constraint never`.execute(db())
		expect(await mailUnseen()).toBe(1)
		expect(await mails(mira)).toHaveLength(1)
	})
})

test.each(['suspended_until', 'leaves_at'])(
	'a browser of a member with %s gets no push of a message',
	async (column) => {
		const { rows } = await sql<{ id: number }>`
		with session as (
			insert into sessions (user_id, token, expires_at) values (${mira.id}, ${`push${serial}`}, now() + interval '1 day') returning id)
		insert into push_subscriptions (user_id, session_id, endpoint, p256dh, auth)
		select ${mira.id}, id, ${`https://push.example/${serial}`}, 'key', 'secret' from session returning id`.execute(db())
		const browser = rows[0]?.id ?? 0
		expect(await findBrowser(browser, 'message')).toMatchObject({ user_id: mira.id })
		await sql`update users set ${sql.ref(column)} = now() + interval '1 day' where id = ${mira.id}`.execute(db())
		expect(await findBrowser(browser, 'message')).toBeUndefined()
	},
)

test('a push keeps the order of its words, whatever the name', async () => {
	await sql`update users set name = 'דנה' where id = ${tomas.id}`.execute(db())
	await makeMessage(tomas, mira, 'One')
	const { rows } = await sql<{ id: number }>`
		select id from conversations where ${tomas.id} in (lower_id, higher_id)`.execute(db())
	const push = await messageKind.source?.findPush(mira.id, rows[0]?.id ?? 0)
	expect(push?.title).toBe('\u2068דנה\u2069, 2 new messages')
})

test('its unsubscribe link ends these mails only', async () => {
	expect(readUnsubscribe(tokenOf(mira))).toEqual({ userId: mira.id, what: 'message', noun: 'messages' })
	for (let time = 0; time < 2; time += 1) await unsubscribe(tokenOf(mira))
	const { daily, kinds } = await getPreferences(mira)
	expect(daily).toBe(true)
	expect(kinds.filter(({ mail }) => !mail).map(({ kind }) => kind)).toEqual(['message'])
	expect(kinds.every(({ site, push }) => site && push)).toBe(true)
})

/** Makes every message older. */
async function pass(time: string): Promise<void> {
	await sql`update messages set sent_at = sent_at - ${time}::interval`.execute(db())
}

async function mailAll(): Promise<void> {
	await pass('1 day')
	await mailUnseen()
	await sql`delete from graphile_worker._private_jobs`.execute(db())
}

async function suspend({ id }: SignedIn): Promise<void> {
	await sql`update users set suspended_until = 'infinity' where id = ${id}`.execute(db())
}

async function scheduleDeletion({ id }: SignedIn): Promise<void> {
	await sql`update users set leaves_at = now() + interval '14 days' where id = ${id}`.execute(db())
}

const mails = ({ username }: SignedIn) => queuedMails(`${username}@campus.example`)

const tokenOf = ({ id }: SignedIn) => new URL(unsubscribeUrl(id, 'message')).searchParams.get('token') ?? ''
