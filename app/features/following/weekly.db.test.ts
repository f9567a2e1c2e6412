import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { setSkills } from '~/features/members/skills.server.ts'
import { decideCase } from '~/features/moderation/decisions.server.ts'
import { setPreferences, unsubscribe } from '~/features/notifications/preferences.server.ts'
import { muteQuestion } from '~/features/questions/notifying/notifying.server.ts'
import { setFollowing } from '~/features/tags/following.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import type { Mail } from '~/platform/mail/mail.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { useJobTables } from '../../../tests/support/jobs.ts'
import { queuedBehind } from '../../../tests/support/locks.ts'
import { followQuestion } from './following.server.ts'
import { saveSearch } from './searches.server.ts'
import { sendWeeklyMails } from './weekly.server.ts'

useDatabase()
useJobTables()

let serial = 0
let author: SignedIn
let moderator: SignedIn
let member: SignedIn

beforeAll(async () => {
	author = await makeMember('author')
	moderator = await makeMember('moderator', 'moderator')
})

beforeEach(async () => {
	serial += 1
	await sql`update notification_boxes set weekly = false`.execute(db())
	await sql`update questions set created_at = created_at - interval '10 days'`.execute(db())
	await sql`update question_routing set published_at = published_at - interval '10 days'`.execute(db())
	member = await makeMember(`member${serial}`)
	await setPreferences(member, new Set(['daily', 'weekly', 'followed-query-site']))
})

/** Lets a week pass. */
async function week(): Promise<void> {
	await sql`update notification_boxes set weekly_of = weekly_of - 7`.execute(db())
	for (const [table, ...columns] of [
		['notification_boxes', 'weekly_since'],
		['questions', 'created_at', 'active_at'],
		['question_routing', 'published_at'],
		['comments', 'created_at', 'status_at'],
		['saved_searches', 'found_at'],
	] as const)
		for (const column of columns)
			await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sql.ref(column)} - interval '7 days'`.execute(
				db(),
			)
}

/** The queued weekly mails to the member. */
async function mails(): Promise<Mail[]> {
	const { rows } = await sql<{ payload: Mail }>`
		select payload from graphile_worker._private_jobs where payload->>'to' = ${`member${serial}@campus.example`}
			and payload->>'subject' like 'Your week%' order by id`.execute(db())
	return rows.map(({ payload }) => payload)
}

test('mails the week’s news of what a member follows and knows, once, even with concurrent runs', async () => {
	const followed = await makeQuestion(author, { title: 'A question that is followed' })
	await followQuestion(member, followed.id, true)
	for (const text of ['One.', 'Two.']) await makeComment(author, followed.id, text)
	await setFollowing(member, { category: 'java' }, true)
	await makeQuestion(author, { title: 'One of a followed category', category: 'java' })
	await db()
		.transaction()
		.execute((trx) => setSkills(trx, member.id, ['Kubernetes']))
	await makeQuestion(author, { title: 'About something I know', tags: 'k8s' })
	await makeQuestion(author, { title: 'Of no concern', tags: 'other' })
	await makeQuestion(member, { title: 'A question of mine', category: 'java' })
	const { id } = await saveSearch(member, { kind: 'queries', query: 'heron', name: 'Herons' })
	await sql`update saved_searches set hits = 4, found_at = now() where id = ${id}`.execute(db())
	await sendWeeklyMails()
	expect(await mails()).toEqual([])
	await week()
	await Promise.all([sendWeeklyMails(), sendWeeklyMails()])
	const [mail, ...others] = await mails()
	expect(others).toEqual([])
	expect(mail?.headers?.['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click')
	const told = (mail?.text ?? '').split('\n').filter(Boolean)
	expect(told.slice(1, 13).filter((line) => !line.startsWith('http'))).toEqual([
		'A question that is followed',
		'2 new comments on a query you follow',
		'About something I know',
		'New in a tag or category you follow, or about one of your skills',
		'One of a followed category',
		'New in a tag or category you follow, or about one of your skills',
		'Herons',
		'4 new results of a search you saved',
	])
	expect(mail?.text).toContain('unread notification')
	expect(mail?.html).toContain('A question that is followed</a><br>2 new comments')
	await sendWeeklyMails()
	expect(await mails()).toHaveLength(1)
})

test('sends no mail without news: deleted, muted and blocked posts and mere notifications do not count', async () => {
	const [muted, hidden, blocked] = await Promise.all([1, 2, 3].map(() => makeQuestion(author, { category: 'java' })))
	const other = await makeMember(`other${serial}`)
	for (const one of [muted, hidden, blocked]) await followQuestion(member, one?.id ?? 0, true)
	await setFollowing(member, { category: 'java' }, true)
	for (const one of [muted, hidden]) await makeComment(other, one?.id ?? 0)
	await makeComment(other, blocked?.id ?? 0)
	await muteQuestion(member, muted?.id ?? 0, true)
	await sql`update questions set status = 'hidden' where id = ${hidden?.id}`.execute(db())
	await sql`insert into blocks (blocker_id, blocked_id) values (${member.id}, ${other.id}), (${member.id}, ${author.id})`.execute(
		db(),
	)
	await week()
	expect([await sendWeeklyMails(), await mails()]).toEqual([0, []])
})

test('what is being written while a mail is made is in the next one, once', async () => {
	const followed = await makeQuestion(author, { title: 'A followed question' })
	await followQuestion(member, followed.id, true)
	await makeComment(author, followed.id, 'Before.')
	await week()
	// The comment waits for its author, and the mail is made meanwhile.
	await queuedBehind<unknown>(
		(trx) => sql`select from users where id = ${author.id} for update`.execute(trx),
		[() => makeComment(author, followed.id, 'Meanwhile.'), sendWeeklyMails],
	)
	await makeComment(author, followed.id, 'Afterwards.')
	await week()
	await sendWeeklyMails()
	const counts = (await mails()).map(({ text }) => /(\d+) new comments? on a query/.exec(text)?.[1])
	expect(counts).toEqual(['1', '2'])
})

test('names a saved search again only when it found something since the mail before', async () => {
	const { id } = await saveSearch(member, { kind: 'queries', query: 'heron', name: 'Herons' })
	await sql`update saved_searches set hits = 4, found_at = now() where id = ${id}`.execute(db())
	await week()
	expect(await sendWeeklyMails()).toBe(1)
	await sql`update saved_searches set found_at = found_at - interval '7 days' where id = ${id}`.execute(db())
	await week()
	expect(await sendWeeklyMails()).toBe(0)
	await sql`update saved_searches set hits = 5, found_at = now() where id = ${id}`.execute(db())
	await week()
	expect([await sendWeeklyMails(), (await mails()).at(-1)?.text]).toEqual([1, expect.stringContaining('5 new results')])
})

test('mails questions that were pending at the previous mail', async () => {
	const newcomer = await makeMember(`fresh${serial}`, 'member', new Date(Date.now() - 3_600_000))
	const description = '[Shoes](https://shoes.example/)'
	const followed = await makeQuestion(author, { title: 'A followed question with a comment that waited' })
	await followQuestion(member, followed.id, true)
	await setFollowing(member, { category: 'java' }, true)
	const asked = await makeQuestion(newcomer, { title: 'A question that waited', category: 'java', description })
	const comment = await makeComment(newcomer, followed.id, description)
	await week()
	await sql`update questions set created_at = now() - interval '8 days' where id = any(${[asked.id, followed.id]})`.execute(
		db(),
	)
	await sql`update comments set created_at = now() - interval '8 days' where id = ${comment}`.execute(db())
	for (const [kind, id] of [
		['query', asked.id],
		['comment', comment],
	])
		await decideCase(moderator, { kind: String(kind), name: String(id), act: 'approve' }, {})
	await week()
	await sendWeeklyMails()
	const [mail] = await mails()
	expect(mail?.text).toContain('A question that waited')
	expect(mail?.text).toContain('A followed question with a comment that waited')
})

test.each<[string, (mail: Mail | undefined) => Promise<unknown>]>([
	['who turned it off', () => setPreferences(member, new Set(['daily']))],
	['who is suspended', () => sql`update users set suspended_until = 'infinity' where id = ${member.id}`.execute(db())],
	[
		'who is leaving',
		() => sql`update users set leaves_at = now() + interval '14 days' where id = ${member.id}`.execute(db()),
	],
	[
		'who unsubscribed by the link of one',
		async (mail) => {
			const link = mail?.headers?.['List-Unsubscribe'] ?? ''
			await unsubscribe(new URL(link.slice(1, -1)).searchParams.get('token') ?? '')
		},
	],
])('%s gets no more of these mails', async (_what, end) => {
	const { id } = await makeQuestion(author)
	await followQuestion(member, id, true)
	await makeComment(author, id)
	await week()
	expect(await sendWeeklyMails()).toBe(1)
	await end((await mails())[0])
	await makeComment(author, id)
	await week()
	expect(await sendWeeklyMails()).toBe(0)
})

test('a failing run has mailed only recorded members', async () => {
	const { id } = await makeQuestion(author)
	await followQuestion(member, id, true)
	await makeComment(author, id)
	await week()
	await sql`alter table notification_boxes add constraint broken check (weekly_of < date_trunc('week', now())) not valid`.execute(
		db(),
	)
	await expect(sendWeeklyMails()).rejects.toThrow('broken')
	await sql`alter table notification_boxes drop constraint broken`.execute(db())
	expect(await mails()).toEqual([])
	expect([await sendWeeklyMails(), (await mails()).length]).toEqual([1, 1])
})

test('an error for one member does not stop other mails', async () => {
	const other = await makeMember(`other${serial}`)
	await setPreferences(other, new Set(['weekly']))
	const { id } = await makeQuestion(author)
	for (const one of [other, member]) await followQuestion(one, id, true)
	await makeComment(author, id)
	await week()
	const broken = sql.raw(`check (user_id <> ${other.id} or weekly_of < date_trunc('week', now())) not valid`)
	await sql`update notification_boxes set weekly_of = weekly_of - 7 where user_id = ${other.id}`.execute(db())
	await sql`alter table notification_boxes add constraint broken ${broken}`.execute(db())
	await expect(sendWeeklyMails()).rejects.toThrow('broken')
	expect(await mails()).toHaveLength(1)
	await sql`alter table notification_boxes drop constraint broken`.execute(db())
	expect(await sendWeeklyMails()).toBe(1)
})

test('a comment that is hidden and restored is not new again', async () => {
	const { id } = await makeQuestion(author, { title: 'With a comment that was hidden' })
	await followQuestion(member, id, true)
	const comment = String(await makeComment(author, id, 'One.'))
	await week()
	expect(await sendWeeklyMails()).toBe(1)
	await week()
	for (const act of ['hide', 'restore'])
		await decideCase(moderator, { kind: 'comment', name: comment, act }, { why: 'Is it spam?' })
	await week()
	expect([await sendWeeklyMails(), (await mails()).length]).toEqual([0, 1])
})
