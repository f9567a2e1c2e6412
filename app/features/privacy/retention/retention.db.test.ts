import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RawBuilder, sql } from 'kysely'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { config } from '~/config.server.ts'
import { deleteQuestion, restoreQuestion } from '~/features/asking/asking.server.ts'
import { deleteComment, editComment } from '~/features/discussion/commenting.server.ts'
import { features } from '~/features/index.server.ts'
import { reportSubject } from '~/features/moderation/reports.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { checkCounters } from '~/platform/db/counters.queries.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { useJobTables } from '../../../../tests/support/jobs.ts'
import { findSection } from '../../site-settings/site-settings.queries.server.ts'
import { saveSection } from '../../site-settings/site-settings.server.ts'
import { applyRetention, listRetention, registerRetention } from './retention.server.ts'

useDatabase()
useJobTables()

let admin: SignedIn
let mira: SignedIn
let ben: SignedIn
let one: number
let made = 0

beforeAll(async () => {
	admin = await makeMember('oda', 'admin')
	mira = await makeMember('mira')
	ben = await makeMember('ben')
	one = (await makeQuestion(ben)).id
})

/** Adds something of this age. @returns a function that tells whether it still exists */
type Plant = (age: RawBuilder<Date>, days: number) => Promise<() => Promise<boolean>>

/**
 * Plants one row of a table.
 * @param values of its other columns
 * @param left an SQL condition for what remains, if the row is not deleted as a whole
 */
function row(table: string, since: string, values: () => Record<string, unknown>, left = sql`true`): Plant {
	return async (age) => {
		const filled = { ...values(), [since]: age }
		const columns = sql.join(Object.keys(filled).map((name) => sql.ref(name)))
		const { rows } = await sql<{ at: string }>`
			insert into ${sql.table(table)} (${columns}) values (${sql.join(Object.values(filled))}) returning ${sql.ref(since)}::text as at`.execute(
			db(),
		)
		const at = rows[0]?.at
		return async () => {
			const found =
				await sql`select from ${sql.table(table)} where ${sql.ref(since)} = ${at}::timestamptz and ${left}`.execute(
					db(),
				)
			return found.rows.length > 0
		}
	}
}

const name = () => {
	made += 1
	return `planted-${made}`
}

/** An item for each rule. A new rule without one fails the test. */
const plants: Record<string, Plant> = {
	'session-addresses': row(
		'sessions',
		'created_at',
		() => ({
			user_id: mira.id,
			token: name(),
			ip_address: '10.0.0.1',
			user_agent: 'Firefox',
			expires_at: sql`now() + interval '1 day'`,
		}),
		sql`(ip_address is not null or user_agent is not null)`,
	),
	'security-events': row('security_events', 'at', () => ({ user_id: mira.id, kind: 'login', request_id: '' })),
	'known-devices': row('known_devices', 'used_at', () => ({ user_id: mira.id, token_hash: name() })),
	'mail-bounces': async (age, days) => {
		const { id, username } = await makeMember(name())
		return row('mail_bounces', 'sent_at', () => ({ email: `${username}@campus.example`, user_id: id }))(age, days)
	},
	'expired-tokens': row('access_tokens', 'expires_at', () => ({
		user_id: mira.id,
		name: 'script',
		token_hash: name(),
		last_four: 'abcd',
		scopes: sql`'{read}'::text[]`,
	})),
	'webhook-deliveries': async (age) => {
		const { rows } = await sql<{ id: number }>`
			insert into webhooks (name, url, events, secret) values ('Chat', 'https://chat.example/', '{}', '') returning id`.execute(
			db(),
		)
		return row('webhook_deliveries', 'created_at', () => ({ webhook_id: rows[0]?.id, event: 'query.created' }))(age, 0)
	},
	takedowns: row('takedowns', 'posted_until', () => ({
		member_id: mira.id,
		actor_id: admin.id,
		reason: 'Spam.',
		state: 'done',
	})),
	unmaskings: async (age) => {
		const moderator = await makeMember(name(), 'moderator')
		return row('unmaskings', 'at', () => ({ pseudonym_id: mira.id, moderator_id: moderator.id }))(age, 0)
	},
	notifications: async (age) => {
		await sql`insert into notification_boxes (user_id, unread) values (${mira.id}, 1)
			on conflict (user_id) do update set unread = notification_boxes.unread + 1`.execute(db())
		return row('notifications', 'updated_at', () => ({
			user_id: mira.id,
			kind: 'comment',
			group_key: name(),
			actor_ids: sql`'{}'::int[]`,
			title: 'Something',
			url: '/',
			on_site: true,
			by_mail: false,
		}))(age, 0)
	},
	'moderation-log': row('moderation_log', 'at', () => ({
		actor_id: admin.id,
		member_id: mira.id,
		act: 'hide',
		kind: 'query',
		target_id: one,
	})),
	'settled-reports': async (age) => {
		const { rows } = await sql<{ id: number }>`
			insert into cases (kind, target_id, closed_at) values ('query', ${900_000 + made++}, now()) returning id`.execute(
			db(),
		)
		return row('reports', 'settled_at', () => ({
			case_id: rows[0]?.id,
			reporter_id: mira.id,
			reason: 'spam',
			details: 'Mean.',
		}))(age, 0)
	},
	'setting-changes': async (age) => {
		const { rows } = await sql<{ id: number }>`
			insert into site_settings (section) values (${name()}) returning id`.execute(db())
		return row('site_setting_changes', 'at', () => ({
			section_id: rows[0]?.id,
			actor_id: admin.id,
			changes: sql`'{}'::jsonb`,
		}))(age, 0)
	},
	'question-asks': async (age) => {
		const { id } = await makeQuestion(ben)
		return row('question_asks', 'asked_at', () => ({
			question_id: id,
			user_id: mira.id,
			round: 1,
			tag_ids: sql`'{}'::int[]`,
			names: sql`'{}'::text[]`,
		}))(age, 0)
	},
	invitations: async (age) => {
		const { id } = await makeQuestion(ben)
		return row('invitations', 'invited_at', () => ({
			question_id: id,
			user_id: mira.id,
			inviter_id: ben.id,
			told: true,
		}))(age, 0)
	},
	'answers-found': async (age) => {
		const { id } = await makeQuestion(ben)
		return row('similar_helped', 'at', () => ({ question_id: id, user_id: mira.id }), sql`user_id is not null`)(age, 0)
	},
	'missed-searches': row('missed_searches', 'day', () => ({ words: name(), searches: 1 })),
	'invited-addresses': async (age) => {
		const { rows } = await sql<{ id: number }>`
			insert into invite_lists (state, expires_at) values ('done', ${age}) returning id`.execute(db())
		const email = `${name()}@campus.example`
		await sql`insert into invited_addresses (list_id, email) values (${rows[0]?.id}, ${email})`.execute(db())
		return async () => (await sql`select from invited_addresses where email = ${email}`.execute(db())).rows.length > 0
	},
	'deleted-posts': async (age) => {
		const { id } = await makeQuestion(ben, { description: name() })
		await deleteQuestion(ben, id)
		await sql`update questions set status_at = ${age} where id = ${id}`.execute(db())
		return async () => (await sql`select from questions where id = ${id}`.execute(db())).rows.length > 0
	},
	'mail-files': async (_age, days) => {
		const folder = join(config().dataDir, 'mail')
		mkdirSync(folder, { recursive: true })
		const file = `${new Date(Date.now() - days * 86_400_000).toISOString().replaceAll(':', '-')}-${name()}.eml`
		writeFileSync(join(folder, file), '')
		return async () => readdirSync(folder).includes(file)
	},
	'failed-jobs': async (age) => {
		const to = `${name()}@campus.example`
		await addJob('send-mail', { to, subject: 'A', text: 'A', html: 'A' })
		await sql`update graphile_worker._private_jobs set attempts = max_attempts, updated_at = ${age}
			where payload ->> 'to' = ${to}`.execute(db())
		return async () =>
			(await sql`select from graphile_worker._private_jobs where payload ->> 'to' = ${to}`.execute(db())).rows.length >
			0
	},
}

const ago = (days: number) => sql<Date>`date_trunc('day', now()) - make_interval(days => ${days})`

describe('retention', () => {
	test('every declared rule has a test case', () => {
		expect(Object.keys(plants).sort()).toEqual(
			listRetention()
				.map(({ key }) => key)
				.sort(),
		)
	})

	test('deletes data older than its rule, and nothing newer', async () => {
		const planted = await Promise.all(
			listRetention().map(async ({ key, days }) => ({
				key,
				old: await plants[key]?.(ago(days), days + 1),
				young: await plants[key]?.(ago(days - 2), days - 2),
			})),
		)
		const there = async () =>
			Object.fromEntries(
				await Promise.all(planted.map(async ({ key, old, young }) => [key, [await old?.(), await young?.()]])),
			)
		const all = (state: boolean[]) => Object.fromEntries(planted.map(({ key }) => [key, state]))
		expect(await there()).toEqual(all([true, true]))
		const corrected = () => checkCounters(features.flatMap(({ counters = [] }) => counters))
		await corrected()
		const removed = await applyRetention()
		expect(await there()).toEqual(all([false, true]))
		expect(removed).toMatchObject(Object.fromEntries(planted.map(({ key }) => [key, expect.any(Number)])))
		const before = await sql`select * from counters order by name`.execute(db())
		await corrected()
		expect((await sql`select * from counters order by name`.execute(db())).rows).toEqual(before.rows)
	})

	test('a deleted notification is no longer counted as unread', async () => {
		await sql`delete from notifications where user_id = ${mira.id}`.execute(db())
		await sql`update notification_boxes set unread = 0 where user_id = ${mira.id}`.execute(db())
		await plants.notifications?.(ago(181), 181)
		await plants.notifications?.(ago(5), 5)
		await applyRetention()
		const { rows } = await sql`select unread from notification_boxes where user_id = ${mira.id}`.execute(db())
		expect(rows).toEqual([{ unread: 1 }])
	})

	test('an admin sets the days within bounds, for the next run', async () => {
		const defaults = Object.fromEntries(listRetention().map(({ key, days }) => [key, String(days)]))
		const version = String((await findSection('retention')).version)
		await expect(saveSection(admin, 'retention', { ...defaults, version, 'deleted-posts': '0' })).rejects.toMatchObject(
			{
				fields: { 'deleted-posts': 'Enter a whole number from 1 to 365.' },
			},
		)
		await saveSection(admin, 'retention', { ...defaults, version, 'known-devices': '31' })
		const device = await plants['known-devices']?.(ago(31), 31)
		await applyRetention()
		expect(await device?.()).toBe(false)
	})

	test('a failing rule does not stop the others', async () => {
		const broken = { key: 'broken', label: 'A', hint: '', days: { default: 1, min: 1, max: 9 } }
		const remove = vi.fn().mockRejectedValue(new Error('out of order'))
		registerRetention([{ name: 'broken', retention: [{ ...broken, remove }] }, ...features])
		const device = await plants['known-devices']?.(ago(400), 400)
		await expect(applyRetention()).rejects.toThrow('broken')
		expect(await device?.()).toBe(false)
		registerRetention(features)
	})
})

describe('a deleted post', () => {
	const age = (table: 'questions' | 'comments', id: number) =>
		sql`update ${sql.table(table)} set status_at = now() - interval '31 days' where id = ${id}`.execute(db())
	const textsOf = async (word: string) => {
		const { rows } = await sql`
			select id from questions where strpos(questions::text, ${word}) > 0
			union all select id from comments where strpos(comments::text, ${word}) > 0
			union all select id::int from revisions where strpos(revisions::text, ${word}) > 0`.execute(db())
		return rows.length
	}

	test('is erased with its versions; comments below it stay', async () => {
		const word = name()
		const { id } = await makeQuestion(mira, { title: `About ${word} in general`, description: `${word} text` })
		const answer = await makeComment(ben, id, `An answer with ${word}`)
		await editComment(ben, answer, { body: `Another answer with ${word}`, version: 1 })
		const reply = await makeComment(mira, id, 'A reply that stays', answer)
		await deleteComment(ben, answer)
		await deleteQuestion(mira, id)
		await age('comments', answer)
		await age('questions', id)
		expect(await textsOf(word)).toBeGreaterThan(2)
		await applyRetention()
		expect(await textsOf(word)).toBe(0)
		const { rows } = await sql`
			select q.author_id as asker, c.author_id as answerer, c.status, r.body from questions q
			join comments c on c.question_id = q.id join comments r on r.parent_id = c.id where r.id = ${reply}`.execute(db())
		expect(rows).toEqual([{ asker: 0, answerer: 0, status: 'deleted', body: 'A reply that stays' }])
		await expect(restoreQuestion(mira, id)).rejects.toThrow()
		// The next run has nothing left to do.
		expect((await applyRetention())['deleted-posts']).toBe(0)
	})

	test('is kept while a case is open', async () => {
		const word = name()
		const { id } = await makeQuestion(ben)
		const comment = await makeComment(mira, id, `Something mean about ${word}`)
		await reportSubject(ben, { kind: 'comment', name: String(comment) }, { reason: 'abusive', details: '' })
		await deleteComment(mira, comment)
		await sql`update cases set closed_at = null where kind = 'comment' and target_id = ${comment}`.execute(db())
		await age('comments', comment)
		await applyRetention()
		expect(await textsOf(word)).toBe(1)
		await sql`update cases set closed_at = now() where kind = 'comment' and target_id = ${comment}`.execute(db())
		await applyRetention()
		expect(await textsOf(word)).toBe(0)
	})
})
