import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { config } from '~/config.server.ts'
import { deleteQuestion, editQuestion } from '~/features/asking/asking.server.ts'
import { chooseSolution, withdrawSolution } from '~/features/discussion/votes.server.ts'
import { decideCase } from '~/features/moderation/decisions.server.ts'
import { reportSubject } from '~/features/moderation/reports.server.ts'
import { listLog } from '~/features/moderation-log/log.server.ts'
import { forumShapes } from '~/features/questions/questions.api.server.ts'
import { getQuestion } from '~/features/questions/questions.server.ts'
import { Conflict, Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { sentMails, useJobTables } from '../../../tests/support/jobs.ts'
import { expectedSignature, receiveWebhooks } from '../../../tests/support/webhook-receiver.ts'
import { deliverWebhook } from './sending/delivery.server.ts'
import {
	addWebhook,
	deleteWebhook,
	getWebhook,
	listWebhooks,
	replaceSecret,
	saveWebhook,
	sendAgain,
	testWebhook,
} from './webhooks.server.ts'
import { webhookEvents, webhookLimits } from './webhooks.view.ts'

useDatabase()
useJobTables()

let receiver: Awaited<ReturnType<typeof receiveWebhooks>>
let admin: SignedIn
let asker: SignedIn
let moderator: SignedIn
let hook: { id: number; secret: string }
let input: { name: string; url: string; events: string[] }

beforeAll(async () => {
	config().WEBHOOK_PRIVATE_ADDRESSES = true
	receiver = await receiveWebhooks()
	admin = await makeMember('admin', 'admin')
	moderator = await makeMember('moderator', 'moderator')
	asker = await makeMember('asker')
})

afterAll(() => {
	config().WEBHOOK_PRIVATE_ADDRESSES = false
	return receiver.close()
})

beforeEach(async () => {
	await sql`delete from webhooks`.execute(db())
	await sql`delete from graphile_worker._private_jobs`.execute(db())
	receiver.received.length = 0
	receiver.status = 204
	input = { name: 'Chat', url: receiver.url, events: [...webhookEvents] }
	hook = await addWebhook(admin, input)
})

/** What waits to be sent, oldest first. */
async function waiting(): Promise<{ id: string; event: string; subject_id: number | null; jobs: number }[]> {
	const { rows } = await sql<{ id: string; event: string; subject_id: number | null; jobs: number }>`
		select id, event, subject_id, (
			select count(*)::int from graphile_worker._private_jobs where payload ->> 'delivery' = d.id::text
		) as jobs from webhook_deliveries d where state = 'waiting' order by created_at, event`.execute(db())
	return rows
}

/** Runs the jobs of all that waits, once. */
async function deliverAll(): Promise<void> {
	for (const { id } of await waiting()) await deliverWebhook({ delivery: id }).catch(() => {})
}

const states = async () => (await getWebhook(admin, hook.id)).deliveries.map(({ event, state }) => [event, state])

describe('an event is queued', () => {
	test('in the transaction that causes it, with its job, and by a rollback not at all', async () => {
		const join = (username: string, fails: boolean) =>
			db()
				.transaction()
				.execute(async (trx) => {
					const member = { username, name: username, email: `${username}@campus.example` }
					await trx.insertInto('users').values(member).execute()
					if (fails) throw new Error('Refused.')
				})
		await expect(join('never', true)).rejects.toThrow('Refused.')
		expect(await waiting()).toEqual([])
		await join('joined', false)
		expect(await waiting()).toMatchObject([{ event: 'member.joined', jobs: 1 }])
	})

	test('for what members do, once each, and not for what others cannot read', async () => {
		const question = await makeQuestion(asker)
		const comment = await makeComment(moderator, question.id)
		await editQuestion(asker, question.id, { title: 'Another title of it', version: 1, ...plainText })
		await chooseSolution(asker, { questionId: question.id, commentId: comment })
		await withdrawSolution(asker, { questionId: question.id, commentId: comment })
		await reportSubject(moderator, { kind: 'query', name: String(question.id) }, { reason: 'spam' })
		const newcomer = await makeMember('newcomer', 'member', new Date())
		const linked = await makeQuestion(newcomer, { description: 'See https://shoes.example/' })
		await decideCase(moderator, { kind: 'query', name: String(question.id), act: 'hide' }, { why: 'Shoes' })
		const events = (await waiting()).map(({ event, subject_id }) => [event, subject_id])
		expect(events).toEqual([
			['query.created', question.id],
			['comment.created', comment],
			['query.updated', question.id],
			['query.solved', question.id],
			['report.created', expect.any(Number)],
			['member.joined', newcomer.id],
		])
		await decideCase(moderator, { kind: 'query', name: String(linked.id), act: 'approve' }, {})
		expect((await waiting()).at(-1)).toMatchObject({ event: 'query.created', subject_id: linked.id })
	})

	test('for webhooks that want it and are switched on, and not for imports and pseudonyms', async () => {
		await saveWebhook(admin, hook.id, { ...input, events: ['comment.created'], enabled: 'on' })
		const question = await makeQuestion(asker, { pseudonym: 'on' })
		await makeComment(moderator, question.id)
		expect(await waiting()).toMatchObject([{ event: 'comment.created' }])
		await saveWebhook(admin, hook.id, input)
		await makeComment(moderator, question.id)
		expect(await waiting()).toHaveLength(1)
		await saveWebhook(admin, hook.id, { ...input, enabled: 'on' })
		await sql`insert into users (username, name, email, imported) values ('imported', 'I', 'i@campus.example', true)`.execute(
			db(),
		)
		await sql`insert into questions (author_id, category_id, title, description, description_html, excerpt, source, source_id)
			select ${asker.id}, category_id, 'Imported', 'x', 'x', 'x', 'forum', '1' from questions limit 1`.execute(db())
		await makeQuestion(asker, { pseudonym: 'on' })
		expect((await waiting()).map(({ event }) => event)).toEqual(['comment.created', 'query.created'])
	})
})

const plainText = { description: 'How does it work?', tags: 'testing', category: 'others' }

describe('a delivery', () => {
	test('is what a visitor reads by the API now, signed, and sent once', async () => {
		const { id } = await makeQuestion(asker)
		const [queued] = await waiting()
		const delivery = queued?.id ?? ''
		await editQuestion(asker, id, { title: 'As it is by now', version: 1, ...plainText })
		await deliverWebhook({ delivery })
		await deliverWebhook({ delivery })
		expect(receiver.received).toHaveLength(1)
		const [request] = receiver.received
		if (!request) throw new Error('Nothing arrived.')
		const { headers, body } = request
		expect(headers).toMatchObject({
			'content-type': 'application/json',
			'webhook-id': delivery,
			'webhook-signature': expectedSignature(hook.secret, request),
		})
		expect(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(30)
		expect(body).toEqual({
			type: 'query.created',
			timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
			site: 'http://localhost:3000',
			data: { query: forumShapes.Query.parse(await getQuestion(null, id)) },
		})
		expect(body.data.query).toMatchObject({ title: 'As it is by now', author: { username: 'asker' } })
	})

	test('is sent again with the same id after a process was killed before it recorded that', async () => {
		await makeQuestion(asker)
		await deliverAll()
		await sql`update webhook_deliveries set state = 'waiting'`.execute(db())
		await deliverAll()
		expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(
			Array(2).fill(receiver.received[0]?.headers['webhook-id']),
		)
	})

	test('of a comment has its query, and no replies', async () => {
		const question = await makeQuestion(asker)
		const comment = await makeComment(moderator, question.id, 'Like **this**.')
		await makeComment(asker, question.id, 'A reply.', comment)
		await deliverAll()
		const { data } = receiver.received.find(({ body }) => body.type === 'comment.created')?.body ?? {}
		expect(data?.query).toEqual({ id: question.id, url: question.url, title: expect.any(String) })
		expect(data?.comment).toMatchObject({ id: comment, bodyHtml: expect.stringContaining('<strong>'), body: null })
		expect(data?.comment).not.toHaveProperty('replies')
	})

	test('of a question under a pseudonym names its author nowhere', async () => {
		const quiet = await makeMember('quiet.asker')
		const { id } = await makeQuestion(quiet, { pseudonym: 'on' })
		await makeComment(quiet, id, 'I found it.')
		await sql`delete from webhook_deliveries where event = 'member.joined'`.execute(db())
		await deliverAll()
		expect(receiver.received.map(({ body }) => body.type)).toEqual(['query.created', 'comment.created'])
		expect(receiver.received[0]?.body.data.query?.author).toMatchObject({ pseudonym: { verified: false } })
		expect(JSON.stringify(receiver.received)).not.toMatch(/quiet/i)
	})

	test.each([
		['hidden', (id: number) => decideCase(moderator, { kind: 'query', name: String(id), act: 'hide' }, { why: 'x' })],
		['deleted', (id: number) => deleteQuestion(asker, id)],
		[
			'merged',
			(id: number) =>
				sql`update questions set status = 'merged', merged_into = (select min(id) from questions) where id = ${id}`.execute(
					db(),
				),
		],
		['pending again', (id: number) => sql`update questions set status = 'pending' where id = ${id}`.execute(db())],
	])('is skipped where the question is %s by then, as are its comments', async (_state, change) => {
		const { id } = await makeQuestion(asker)
		await makeComment(moderator, id)
		await change(id)
		await deliverAll()
		expect(receiver.received).toEqual([])
		expect(await states()).toEqual(
			expect.arrayContaining([
				['query.created', 'skipped'],
				['comment.created', 'skipped'],
			]),
		)
	})

	test('of a member has what every list shows, and is skipped for one that lists leave out or who has left', async () => {
		await makeMember('listed')
		const unlisted = await makeMember('unlisted')
		const gone = await makeMember('gone')
		await sql`insert into profiles (user_id, listed) values (${unlisted.id}, false)
			on conflict (user_id) do update set listed = false`.execute(db())
		await sql`delete from users where id = ${gone.id}`.execute(db())
		await deliverAll()
		expect(receiver.received.map(({ body }) => body.data)).toEqual([
			{
				member: {
					username: 'listed',
					name: 'Listed',
					url: '/find-dev/listed',
					joinedAt: expect.stringMatching(/^2026-01-15T/),
				},
			},
		])
	})

	test('of a report has only its kind and the address of its case, and names nobody', async () => {
		const { id } = await makeQuestion(asker)
		const about = { reason: 'other', details: 'Between us: the shoes' }
		await reportSubject(moderator, { kind: 'query', name: String(id) }, about)
		await reportSubject(moderator, { kind: 'profile', name: 'asker' }, about)
		await deliverAll()
		expect(
			receiver.received.filter(({ body }) => body.type === 'report.created').map(({ body }) => body.data.report),
		).toEqual([
			{ kind: 'query', url: `/moderation/query/${id}` },
			{ kind: 'profile', url: '/moderation' },
		])
	})
})

describe('a webhook that fails', () => {
	test('is tried 14 times by its job, and works again after a success', async () => {
		receiver.status = 500
		await makeQuestion(asker)
		const [{ id: delivery } = { id: '' }] = await waiting()
		for (let tries = 1; tries < 14; tries += 1)
			await expect(deliverWebhook({ delivery })).rejects.toThrow('The server answered 500.')
		await deliverWebhook({ delivery })
		expect(receiver.received).toHaveLength(14)
		const { webhook, deliveries } = await getWebhook(admin, hook.id)
		expect(deliveries).toMatchObject([{ state: 'failed', tries: 14, status: 500, error: 'The server answered 500.' }])
		expect(webhook).toMatchObject({ enabled: true, failingSince: expect.any(String), lastSentAt: null })
		receiver.status = 200
		expect(await sendAgain(admin, hook.id, delivery)).toMatchObject({ state: 'sent', status: 200 })
		expect((await listWebhooks(admin))[0]).toMatchObject({ failingSince: null, lastSentAt: expect.any(String) })
		expect(receiver.received.at(-1)?.headers['webhook-id']).toBe(delivery)
	})

	test('is switched off after three days of only that, which admins are mailed', async () => {
		receiver.status = 500
		await makeQuestion(asker)
		await makeQuestion(asker)
		await sql`update webhooks set failing_since = now() - interval '71 hours'`.execute(db())
		await deliverAll()
		expect((await listWebhooks(admin))[0]?.enabled).toBe(true)
		await sql`update webhooks set failing_since = now() - interval '73 hours'`.execute(db())
		await deliverAll()
		expect((await listWebhooks(admin))[0]?.enabled).toBe(false)
		const mails = await sentMails('admin@campus.example')
		expect(mails).toMatchObject([{ subject: 'A webhook of DevQuad was switched off' }])
		expect(mails[0]?.text).toContain(`/admin/webhooks/${hook.id}`)
		await makeQuestion(asker)
		const count = receiver.received.length
		await deliverAll()
		expect(receiver.received).toHaveLength(count)
		expect(await states()).toEqual(Array(2).fill(['query.created', 'failed']))
		await saveWebhook(admin, hook.id, { ...input, enabled: 'on' })
		expect((await listWebhooks(admin))[0]).toMatchObject({ enabled: true, failingSince: null })
	})

	test('has not failed at another address yet, and is switched off also where nothing may be sent to its own', async () => {
		await sql`update webhooks set failing_since = now() - interval '71 hours'`.execute(db())
		const moved = { ...input, url: `${receiver.url}/moved`, enabled: 'on' }
		await saveWebhook(admin, hook.id, moved)
		expect((await listWebhooks(admin))[0]?.failingSince).toBeNull()
		config().WEBHOOK_PRIVATE_ADDRESSES = false
		await expect(saveWebhook(admin, hook.id, moved)).rejects.toThrow(Invalid)
		await saveWebhook(admin, hook.id, { ...moved, enabled: undefined })
		config().WEBHOOK_PRIVATE_ADDRESSES = true
		expect((await listWebhooks(admin))[0]?.enabled).toBe(false)
	})

	test('says so where what it is told cannot be read', async () => {
		await makeQuestion(asker)
		await sql`update webhook_deliveries set event = 'query.forgotten'`.execute(db())
		await deliverAll()
		expect((await getWebhook(admin, hook.id)).deliveries).toMatchObject([
			{ state: 'waiting', tries: 1, error: 'What happened could not be read. The log of the site says why.' },
		])
	})

	test('says why, also where the secret cannot be read', async () => {
		await saveWebhook(admin, hook.id, { ...input, url: 'http://127.0.0.1:1/', enabled: 'on' })
		expect((await testWebhook(admin, hook.id)).error).toContain('ECONNREFUSED')
		config().WEBHOOK_PRIVATE_ADDRESSES = false
		expect((await testWebhook(admin, hook.id)).error).toBe('Enter an address that begins with https://.')
		config().WEBHOOK_PRIVATE_ADDRESSES = true
		await sql`update webhooks set secret = 'v1.AAAA'`.execute(db())
		expect((await testWebhook(admin, hook.id)).error).toContain('The secret cannot be read')
	})
})

describe('an admin', () => {
	test('is the only one who manages webhooks, and only while they are one', async () => {
		const former = await makeMember('former', 'admin')
		await sql`update users set role = 'member' where id = ${former.id}`.execute(db())
		const delivery = '0b6b1d1c-94a5-4b5a-8f3c-6f1e0d6e2a11'
		for (const viewer of [null, asker, moderator, former]) {
			const acts = [
				() => addWebhook(viewer, input),
				() => saveWebhook(viewer, hook.id, input),
				() => replaceSecret(viewer, hook.id),
				() => testWebhook(viewer, hook.id),
				() => sendAgain(viewer, hook.id, delivery),
				() => deleteWebhook(viewer, hook.id),
				// Pages check the role in the database before they call these.
				...(viewer === former ? [] : [() => listWebhooks(viewer), () => getWebhook(viewer, hook.id)]),
			]
			for (const act of acts) await expect(act()).rejects.toThrow(NotAllowed)
		}
		expect(await listWebhooks(admin)).toMatchObject([{ name: 'Chat', enabled: true }])
		expect(receiver.received).toEqual([])
		const missing = [() => getWebhook(admin, 0), () => saveWebhook(admin, 999, input), () => deleteWebhook(admin, 999)]
		for (const act of missing) await expect(act()).rejects.toThrow(NotFound)
		for (const id of [delivery, 'x']) await expect(sendAgain(admin, hook.id, id)).rejects.toThrow(NotFound)
	})

	test('sends a test with the new secret, which is stored encrypted, and every change is in the log', async () => {
		const secret = await replaceSecret(admin, hook.id)
		expect(await testWebhook(admin, hook.id)).toMatchObject({ state: 'sent' })
		const [request] = receiver.received
		expect(request?.headers['webhook-signature']).toBe(request && expectedSignature(secret, request))
		const { rows } = await sql<{ row: string }>`select w::text as row from webhooks w`.execute(db())
		expect(JSON.stringify(rows)).not.toContain(secret.slice(6, 30))
		expect(await states()).toEqual([['test', 'sent']])
		await saveWebhook(admin, hook.id, { ...input, name: 'Notices', url: `${receiver.url}?to=2` })
		await deleteWebhook(admin, hook.id)
		const { rows: log } = await listLog(admin, { cursor: null })
		expect(log.slice(0, 4).map(({ act, title, note, caseUrl }) => [act, title, note, caseUrl])).toEqual([
			['delete a webhook', 'Notices', '', '/admin/webhooks'],
			['change a webhook', 'Notices', '“Chat” → “Notices”, address, switched off', '/admin/webhooks'],
			['replace the secret of a webhook', 'Chat', '', '/admin/webhooks'],
			['add a webhook', 'Chat', '', '/admin/webhooks'],
		])
		expect(JSON.stringify(log)).not.toContain(secret)
	})

	test.each([
		['no name', { name: ' ' }, 'name'],
		['a name too long', { name: 'n'.repeat(webhookLimits.nameMax + 1) }, 'name'],
		['no address', { url: '' }, 'url'],
		['a public address without TLS', { url: 'http://8.8.8.8/' }, 'url'],
		['no event', { events: [] }, 'events'],
		['an unknown event', { events: ['message.sent'] }, 'events'],
	])('is told at the field about %s', async (_what, change, field) => {
		const error = await addWebhook(admin, { ...input, ...change }).catch((caught: unknown) => caught)
		expect(error).toBeInstanceOf(Invalid)
		expect(error).toMatchObject({ fields: { [field]: expect.any(String) } })
	})

	test('adds a limited number, and does not send what still waits', async () => {
		for (let count = 1; count < webhookLimits.perSite; count += 1) await addWebhook(admin, input)
		await expect(addWebhook(admin, input)).rejects.toThrow(Conflict)
		await makeQuestion(asker)
		const [{ id } = { id: '' }] = await waiting()
		const { rows } = await sql<{ webhook_id: number }>`
			select webhook_id from webhook_deliveries where id = ${id}`.execute(db())
		await expect(sendAgain(admin, Number(rows[0]?.webhook_id), id)).rejects.toThrow('It still waits')
	})
})
