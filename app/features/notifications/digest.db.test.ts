import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { Invalid } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { queuedMails, useJobTables } from '../../../tests/support/jobs.ts'
import { mailDigests } from './digest.server.ts'
import { mergeNotifications } from './merging.queries.server.ts'
import {
	countUnread,
	forgetPart,
	forgetSubject,
	listNotifications,
	muteSubject,
	notify,
	notifyOfDecision,
	readNotifications,
	renameSubject,
	visitSubject,
} from './notifications.server.ts'
import { getPreferences, readUnsubscribe, setPreferences, unsubscribe, unsubscribeUrl } from './preferences.server.ts'

useDatabase()
useJobTables()

let serial = 0
let mira: SignedIn
let zubin: SignedIn

beforeEach(async () => {
	serial += 1
	mira = await makeMember(`mira${serial}`)
	zubin = await makeMember(`zubin${serial}`)
})

describe('the digest mail', () => {
	test('is sent after an hour, and once, even by two concurrent processes', async () => {
		await happen('A & B')
		expect(await mailDigests()).toBe(0)
		await pass('61 minutes')
		const made = await Promise.all([mailDigests(), mailDigests(), mailDigests()])
		expect(made.reduce((sum, mails) => sum + mails, 0)).toBe(1)
		expect(await mailDigests()).toBe(0)
		const [mail, ...more] = await mails()
		expect(more).toEqual([])
		expect(mail).toMatchObject({ subject: `Zubin${serial} commented on “A & B”` })
		expect(mail?.text).toContain('http://localhost:3000/forum/others/a/1#comment-1')
		expect(mail?.html).toContain('“A &amp; B”')
		expect(mail?.headers).toEqual({
			'List-Unsubscribe': expect.stringMatching(/^<http:\/\/localhost:3000\/unsubscribe\?token=[\w.-]+>$/),
			'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
		})
	})

	test('keeps the order of a text from right to left apart from that of the sentence', async () => {
		await happen('למה useEffect?')
		await pass('61 minutes')
		await mailDigests()
		const [mail] = await mails()
		const sentence = `Zubin${serial} commented on “\u2068למה useEffect?\u2069”`
		expect(mail).toMatchObject({ subject: sentence, text: expect.stringContaining(sentence) })
		expect(mail?.html).toContain(sentence)
	})

	test('that fails does not stop those of others', async () => {
		const asker = mira
		await happen('Mine')
		mira = zubin
		zubin = asker
		await happen('Theirs')
		await pass('61 minutes')
		await sql`update notification_boxes set mail_due_at = mail_due_at - interval '1 hour' where user_id = ${asker.id}`.execute(
			db(),
		)
		const broken = sql.raw(`check (user_id <> ${asker.id} or mail_due_at is not null) not valid`)
		await sql`alter table notification_boxes add constraint broken ${broken}`.execute(db())
		await expect(mailDigests()).rejects.toThrow('broken')
		expect([(await queuedMails(`zubin${serial}@campus.example`)).length, (await mails()).length]).toEqual([1, 0])
		await sql`alter table notification_boxes drop constraint broken`.execute(db())
		expect([await mailDigests(), (await mails()).length]).toEqual([1, 1])
	})

	test('is sent within the hour, although hundreds of others are due before', async () => {
		await sql`
			with made as (insert into users (username, name, email)
				select 'due' || n, 'Due', 'due' || n || '@campus.example' from generate_series(1, 201) as n returning id)
			insert into notification_boxes (user_id, mail_due_at) select id, now() - interval '1 day' from made`.execute(db())
		await happen('Last in the row')
		await pass('61 minutes')
		expect(await mailDigests()).toBe(1)
		expect(await mails()).toHaveLength(1)
	})

	test('is sent once a day, with everything since', async () => {
		await happen('First')
		await pass('61 minutes')
		await mailDigests()
		await happen('Second')
		await happen('Third')
		await pass('22 hours')
		expect(await mailDigests()).toBe(0)
		await pass('3 hours')
		expect(await mailDigests()).toBe(1)
		const mail = (await mails()).at(-1)
		expect(mail?.subject).toBe('2 new notifications at DevQuad')
		expect(mail?.text).not.toContain('First')
	})

	test('that is due when an account is merged is sent unless the kept one wants none, a day after the last one', async () => {
		const into = async (name: string, box: { mail: 'daily' | 'off'; mailed_at: Date | null }) => {
			const kept = await makeMember(`${name}${serial}`)
			const gone = await makeMember(`gone${name}${serial}`)
			await db()
				.insertInto('notification_boxes')
				.values([
					{ user_id: kept.id, ...box },
					{ user_id: gone.id, mail_due_at: new Date(Date.now() - 60_000) },
				])
				.execute()
			await db()
				.transaction()
				.execute((trx) => mergeNotifications(trx, { goneId: gone.id, keptId: kept.id }))
			const { rows } = await sql<{ hours: number | null }>`
				select round(extract(epoch from mail_due_at - now()) / 3600)::int as hours from notification_boxes where user_id = ${kept.id}`.execute(
				db(),
			)
			return rows[0]?.hours
		}
		const anHourAgo = new Date(Date.now() - 3_600_000)
		expect([
			await into('never', { mail: 'daily', mailed_at: null }),
			await into('today', { mail: 'daily', mailed_at: anHourAgo }),
			await into('off', { mail: 'off', mailed_at: null }),
		]).toEqual([0, 23, null])
	})

	test('lists fifty notifications, and the number of others', async () => {
		for (let time = 1; time <= 52; time += 1) await happen(`Event ${time}`)
		await pass('61 minutes')
		await mailDigests()
		const mail = (await mails()).at(-1)
		expect(mail?.subject).toBe('52 new notifications at DevQuad')
		expect(mail?.text).toContain('“Event 52”')
		expect(mail?.text).not.toContain('“Event 2”')
		expect(mail?.text).toContain('And 2 more\nhttp://localhost:3000/notifications')
	})

	test.each<[string, () => Promise<unknown>]>([
		['was seen on the site', () => listNotifications(mira)],
		['was read', () => readNotifications(mira, {})],
		['is of a query that was muted since', () => muteSubject(mira, { type: 'query', id: 1 }, true, 'queries')],
		['comes to a member who wants no mails', () => setPreferences(mira, new Set(['comment-site', 'comment-mail']))],
		['is of a kind whose mails were turned off since', () => setPreferences(mira, new Set(['comment-site', 'daily']))],
		['comes to a member who unsubscribed', () => unsubscribe(tokenOf(mira))],
		['comes to a member who is leaving', () => scheduleDeletion(mira)],
	])('does not include notifications that %s', async (_what, act) => {
		await sql`insert into questions (id, author_id, category_id, title, description, description_html, excerpt)
			values (1, ${mira.id}, 1, 'One', '', '', '') on conflict do nothing`.execute(db())
		await happen('One', 1)
		await act()
		await pass('2 days')
		expect(await mailDigests()).toBe(0)
		expect(await mails()).toEqual([])
	})

	test('includes notifications of a kind since its mails were turned on, although older ones of the group are unread', async () => {
		await setPreferences(mira, new Set(['comment-site', 'daily']))
		const tell = (partId: number) =>
			db()
				.transaction()
				.execute((trx) =>
					notify(trx, {
						people: new Map([[mira.id, 'comment']]),
						actorId: zubin.id,
						subject: { type: 'note', id: 800_000 + serial, title: 'A note', url: '/note' },
						part: { type: 'comment', id: partId, url: `/part/${partId}` },
					}),
				)
		await tell(1)
		await setPreferences(mira, new Set(['comment-site', 'comment-mail', 'daily']))
		await tell(2)
		await pass('61 minutes')
		expect(await mailDigests()).toBe(1)
	})

	test('is independent of notifications on the site that were turned on later for a kind', async () => {
		await setPreferences(mira, new Set(['comment-mail', 'daily']))
		const tell = (partId: number) =>
			db()
				.transaction()
				.execute((trx) =>
					notify(trx, {
						people: new Map([[mira.id, 'comment']]),
						actorId: zubin.id,
						subject: { type: 'note', id: 600_000 + serial, title: 'A note', url: '/note' },
						part: { type: 'comment', id: partId, url: `/part/${partId}` },
					}),
				)
		await tell(1)
		await setPreferences(mira, new Set(['comment-site', 'comment-mail', 'daily']))
		for (const partId of [2, 3]) expect(await tell(partId)).toEqual([{ userId: mira.id, unread: 1 }])
		expect((await listNotifications(mira)).rows).toHaveLength(1)
		expect(await countUnread(mira)).toBe(1)
		expect(await readNotifications(mira, {})).toBe(0)
	})

	test('includes a moderator’s decision about a query that its author muted', async () => {
		const subject = { type: 'query', id: 700_000 + serial }
		await muteSubject(mira, subject, true, 'queries')
		await db()
			.transaction()
			.execute((trx) =>
				notifyOfDecision(trx, {
					memberId: mira.id,
					act: 'hide query',
					why: 'Advertising',
					subject: { ...subject, title: 'Buy this', url: '/forum' },
					part: null,
				}),
			)
		await pass('61 minutes')
		expect(await mailDigests()).toBe(1)
		expect((await mails())[0]?.text).toContain('Reason: Advertising')
	})

	test('can be the only notification of a kind', async () => {
		await setPreferences(mira, new Set(['comment-mail', 'daily']))
		await happen('Only by email')
		expect((await listNotifications(mira)).rows).toEqual([])
		await pass('61 minutes')
		expect(await mailDigests()).toBe(1)
	})
})

test('chosen settings are stored, and others keep the default', async () => {
	expect((await getPreferences(mira)).kinds.every(({ site, mail, push }) => site && mail && push)).toBe(true)
	await setPreferences(mira, new Set(['reply-site', 'nonsense-site']))
	const { daily, kinds } = await getPreferences(mira)
	expect(daily).toBe(false)
	// Messages are in the inbox in any case.
	expect(kinds.filter(({ site, mail, push }) => site || mail || push)).toMatchObject([
		{ kind: 'reply', site: true, mail: false },
		{ kind: 'message', mail: false, push: false },
	])
})

describe('the unsubscribe link', () => {
	test('identifies its member, works repeatedly and without a login, until it expires', async () => {
		const token = tokenOf(mira)
		expect(readUnsubscribe(token)).toEqual({ userId: mira.id, what: 'all', noun: null })
		for (let time = 0; time < 2; time += 1) await unsubscribe(token)
		expect((await getPreferences(mira)).daily).toBe(false)
		expect(() => readUnsubscribe(token, Date.now() + 91 * 86_400_000)).toThrow(Invalid)
	})

	test('is refused when altered or malformed', async () => {
		const token = tokenOf(mira)
		const [id, expires, signature] = token.split('.')
		const forged = [
			`all-${zubin.id}.${expires}.${signature}`,
			`${id?.replace('all', 'message')}.${expires}.${signature}`,
			`${id}.${Number(expires) + 1}.${signature}`,
			`${id}.${expires}.${signature?.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))}`,
			`${id}.${expires}.`,
			`${id}.${expires}`,
			'',
			'0',
			`${token}x`,
		]
		for (const text of forged) await expect(unsubscribe(text)).rejects.toThrow(Invalid)
		for (const member of [mira, zubin]) expect((await getPreferences(member)).daily).toBe(true)
	})

	test('of a deleted member is refused', async () => {
		const token = tokenOf({ id: 999_999 })
		await expect(unsubscribe(token)).rejects.toThrow(Invalid)
	})
})

test('subjects of two types with the same id are notified, read, renamed, muted and removed independently', async () => {
	const query = { type: 'query', id: 900_000 + serial }
	const note = { ...query, type: 'note' }
	const tell = (subject: typeof query, partId: number | null = null) =>
		db()
			.transaction()
			.execute((trx) =>
				notify(trx, {
					people: new Map([[mira.id, 'comment']]),
					actorId: zubin.id,
					subject: { ...subject, title: `A ${subject.type}`, url: `/${subject.type}` },
					part: partId === null ? null : { type: 'comment', id: partId, url: `/part/${partId}` },
				}),
			)
	const list = async () => (await listNotifications(mira)).rows.map(({ title, url, unread }) => [title, url, unread])
	await tell(query)
	await tell(note, 7)
	await tell(note, 8)
	expect(await list()).toEqual([
		['A note', '/part/7', true],
		['A query', '/query', true],
	])
	await db()
		.transaction()
		.execute(async (trx) => {
			await forgetPart(trx, { subject: query, partId: 7, kinds: null })
			await renameSubject(trx, note, 'Renamed')
		})
	expect((await list())[0]).toEqual(['Renamed', '/part/7', true])
	await db()
		.transaction()
		.execute((trx) => forgetPart(trx, { subject: note, partId: 7, kinds: null }))
	expect((await list())[0]).toEqual(['Renamed', '/part/8', true])
	await visitSubject(mira, query)
	expect(await list()).toEqual([
		['Renamed', '/part/8', true],
		['A query', '/query', false],
	])
	await muteSubject(mira, query, true, 'queries')
	expect([await tell(query, 9), await tell(note, 9)]).toEqual([[], [{ userId: mira.id, unread: 1 }]])
	await db()
		.transaction()
		.execute((trx) => forgetSubject(trx, note))
	expect(await list()).toEqual([['A query', '/query', false]])
})

/** Zubin comments on a question of Mira's. */
async function happen(title: string, questionId?: number): Promise<void> {
	await db()
		.transaction()
		.execute(async (trx) => {
			const { rows } = await sql<{
				id: number
			}>`insert into questions (author_id, category_id, title, description, description_html, excerpt)
				select ${mira.id}, 1, ${title}, '', '', '' where ${questionId === undefined} returning id`.execute(trx)
			await notify(trx, {
				people: new Map([[mira.id, 'comment']]),
				actorId: zubin.id,
				subject: { type: 'query', id: questionId ?? Number(rows[0]?.id), title, url: '/forum/others/a/1#comment-1' },
				part: null,
			})
		})
}

/** Lets time pass by making everything older. */
async function pass(time: string): Promise<void> {
	await sql`update notification_boxes set mail_due_at = mail_due_at - ${time}::interval, mailed_at = mailed_at - ${time}::interval`.execute(
		db(),
	)
}

async function scheduleDeletion({ id }: SignedIn): Promise<void> {
	await sql`update users set leaves_at = now() + interval '14 days' where id = ${id}`.execute(db())
}

const mails = () => queuedMails(`mira${serial}@campus.example`)

const tokenOf = ({ id }: { id: number }) => new URL(unsubscribeUrl(id)).searchParams.get('token') ?? ''
