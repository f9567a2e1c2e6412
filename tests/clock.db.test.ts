import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { secondsUntilPictures } from '~/features/chat-pictures/chat-pictures.queries.server.ts'
import { listSending, secondsUntilStart } from '~/features/conversations/conversations.queries.server.ts'
import { findLastDue } from '~/features/inbox/unseen.queries.server.ts'
import { secondsUntilReport } from '~/features/moderation/cases.queries.server.ts'
import { lockDueMembers } from '~/features/notifications/digest.queries.server.ts'
import { secondsOverLimits } from '~/features/questions/status/status.queries.server.ts'
import { usageLimits } from '~/features/rate-limits/limits.server.ts'
import { measureUse } from '~/features/rate-limits/rate-limits.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { deleteExpiredTabs, listOnlineAmong, renewConnections } from '~/platform/realtime/presence.queries.server.ts'
import { makeMember, makeQuestion } from './factories/forum.ts'
import { useDatabase } from './support/database.ts'

/* The machine's clock was a day ahead and was set back, so rows are dated tomorrow. Limits must ignore them, and count what is done now. */

useDatabase()

let count = 0
let member: SignedIn
let peers: SignedIn[]

beforeEach(async () => {
	count += 1
	member = await makeMember(`ahead${count}`)
	peers = []
	for (let number = 0; number < 4; number += 1) peers.push(await makeMember(`peer${count}x${number}`))
})

const tomorrow = sql`now() + interval '1 day'`
const justNow = sql`now() - interval '1 second'`
type Time = RawBuilder<unknown>

/** Four of each at this time, with a limit of three; then the seconds to wait. */
const limits: [string, (at: Time) => Promise<void>, () => Promise<number | null>][] = [
	[
		'queries in an hour',
		async (at) => {
			const ids = await Promise.all(peers.map(async () => (await makeQuestion(member)).id))
			await sql`update questions set created_at = ${at} where id = any(${ids}::int[])`.execute(db())
		},
		async () => (await secondsOverLimits(db(), 'query', member.id, [3]))[0] ?? null,
	],
	[
		'comments in an hour',
		async (at) => {
			const { id } = await makeQuestion(peers[0] ?? member)
			await sql`
				insert into comments (question_id, author_id, body, body_html, path, created_at)
				select ${id}, ${member.id}, 'x', '<p>x</p>', array[n], ${at} from generate_series(1, 4) n`.execute(db())
		},
		async () => (await secondsOverLimits(db(), 'comment', member.id, [3]))[0] ?? null,
	],
	['reports in an hour', (at) => report(at).then(() => {}), () => secondsUntilReport(db(), member.id, 3)],
	[
		'reports of messages in an hour',
		async (at) => {
			for (const [index, id] of (await report(at)).entries())
				await sql`
					insert into reported_messages (report_id, message_id, extract, reported_at)
					values (${id}, ${index}, '{}', ${at})`.execute(db())
		},
		() => secondsUntilReport(db(), member.id, 3),
	],
	[
		'conversations begun in a day',
		async (at) => {
			await sql`delete from conversations where started_by = ${member.id}`.execute(db())
			for (const { id } of peers)
				await sql`
					insert into conversations (lower_id, higher_id, started_by, created_at)
					values (${member.id}, ${id}, ${member.id}, ${at})`.execute(db())
		},
		() => secondsUntilStart(db(), member.id, 3),
	],
	[
		'messages in a minute',
		(at) => send(at),
		async () => {
			const sending = { userId: member.id, username: peers[0]?.username ?? '', clientId: randomUUID() }
			const [row] = await listSending(db(), [sending], { messages: 3, seconds: 60 })
			return row?.wait != null && row.wait > 0 ? row.wait : null
		},
	],
	[
		'pictures in messages in an hour',
		(at) => send(at),
		() => secondsUntilPictures(db(), member.id, { messages: 3, seconds: 3_600 }),
	],
]

describe.each(limits)('%s', (_what, write, ask) => {
	test('rows dated tomorrow do not count, new ones do', async () => {
		await write(tomorrow)
		expect(await ask()).toBeNull()
		await write(justNow)
		expect(await ask()).toBeGreaterThan(0)
	})
})

async function report(at: Time): Promise<number[]> {
	const ids: number[] = []
	for (let number = 0; number < 4; number += 1) {
		const { id } = await makeQuestion(peers[0] ?? member)
		const { rows } = await sql<{ id: number }>`
			with opened as (insert into cases (kind, target_id) values ('query', ${id}) returning id)
			insert into reports (case_id, reporter_id, reason, created_at) select id, ${member.id}, 'spam', ${at} from opened
			returning id`.execute(db())
		ids.push(rows[0]?.id ?? 0)
	}
	return ids
}

async function send(at: Time): Promise<void> {
	const path = `posts/${member.username}/${randomUUID().replaceAll('-', '')}`
	await sql`
		insert into pictures (path, user_id, kind, width, height, bytes, colour)
		values (${path}, ${member.id}, 'post', 1, 1, 1, '#000000')`.execute(db())
	const [peer] = peers
	const lower = Math.min(member.id, peer?.id ?? 0)
	const higher = Math.max(member.id, peer?.id ?? 0)
	const { rows } = await sql<{ id: number }>`
		insert into conversations (lower_id, higher_id, started_by) values (${lower}, ${higher}, ${member.id})
		on conflict (lower_id, higher_id) do update set version = conversations.version + 10 returning id`.execute(db())
	await sql`
		insert into messages (conversation_id, sender_id, recipient_id, client_id, body, html, version, sent_at, pictures)
		select ${rows[0]?.id}, ${member.id}, ${peer?.id}, gen_random_uuid(), 'x', '<p>x</p>', n, ${at}, ${JSON.stringify([{ path, width: 1, height: 1, alt: '' }])}::jsonb
		from generate_series(1, 4) n`.execute(db())
}

test('a counter that started tomorrow is reset; a present one continues to its end', async () => {
	const { member: limit, duration } = usageLimits.messageChanges
	const count = () => measureUse('messageChanges', member)
	for (let time = 0; time < limit; time += 1) expect((await count()).exceeded).toBe(false)
	expect((await count()).exceeded).toBe(true)
	await sql`update rate_limits set expire = expire + 86400000 where key like ${`%:${member.id}`}`.execute(db())
	const counted = await count()
	expect([counted.left, counted.exceeded, counted.reset <= duration]).toEqual([limit - 1, false, true])
	for (let time = 1; time < limit; time += 1) await count()
	expect((await count()).exceeded).toBe(true)
})

test('an open tab that was renewed tomorrow is renewed now; a dead one does not stay online for a day', async () => {
	const { rows } = await sql<{ id: number }>`
		insert into sessions (token, user_id, expires_at) values (${randomUUID()}, ${member.id}, now() + interval '30 days')
		returning id`.execute(db())
	const tab = { id: randomUUID(), userId: member.id, username: member.username, sessionId: rows[0]?.id ?? 0 }
	await renewConnections([tab])
	await sql`update connections set seen_at = ${tomorrow} where user_id = ${member.id}`.execute(db())
	expect(await listOnlineAmong([member.username])).toEqual([])
	await renewConnections([tab])
	expect(await listOnlineAmong([member.username])).toEqual([member.username])
	await sql`update connections set seen_at = ${tomorrow} where user_id = ${member.id}`.execute(db())
	expect((await deleteExpiredTabs()).map(({ username }) => username)).toEqual([member.username])
})

test('a daily mail that was due after tomorrow is due now', async () => {
	const due = async () => (await lockDueMembers(db(), { limit: 10, except: [] })).map(({ user_id }) => user_id)
	await sql`insert into notification_boxes (user_id, mail_due_at) values (${member.id}, now() + interval '1 hour')`.execute(
		db(),
	)
	expect(await due()).toEqual([])
	await sql`update notification_boxes set mail_due_at = now() + interval '2 days'`.execute(db())
	expect(await due()).toEqual([member.id])
})

test('messages dated tomorrow do not delay mails about later ones', async () => {
	await sql`delete from messages`.execute(db())
	await send(tomorrow)
	await send(sql`now() - interval '20 minutes'`)
	const { rows } = await sql<{ last: number }>`select max(id) as last from messages`.execute(db())
	expect(await findLastDue(db(), 0, 1_000)).toBe(rows[0]?.last)
})
