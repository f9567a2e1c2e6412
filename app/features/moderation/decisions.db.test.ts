import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { askQuestion } from '~/features/asking/asking.server.ts'
import { findEmailById } from '~/features/authenticators/authenticators.queries.server.ts'
import { mailDigests } from '~/features/notifications/digest.server.ts'
import { listNotifications } from '~/features/notifications/notifications.server.ts'
import { muteQuestion } from '~/features/questions/notifying/notifying.server.ts'
import { NotFound } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { queuedMails, useJobTables } from '../../../tests/support/jobs.ts'
import { cast, decide, named, spam, useCast, why } from '../../../tests/support/moderation-cast.ts'
import { type Act, whyHint } from './moderation.policy.ts'
import { countCases } from './queue.server.ts'
import { reportSubject } from './reports.server.ts'

/* What members learn of decisions about them. */

useDatabase()
useJobTables()
useCast()

let keeper: SignedIn

beforeAll(async () => {
	keeper = await makeMember('keeper')
})

const title = 'Zebra crossings in CSS'

async function newest(member: SignedIn) {
	const { rows } = await listNotifications(member, { limit: 1 })
	const [row] = rows
	return row && { by: row.by, words: row.words, title: row.title, reason: row.reason }
}

test.each([
	['query', ['hide'], 'hid your query'],
	['query', ['hide', 'restore'], 'restored your query'],
	['query', ['lock'], 'locked your query'],
	['query', ['lock', 'unlock'], 'unlocked your query'],
	['query', ['pin'], 'pinned your query'],
	['query', ['pin-everywhere', 'unpin'], 'unpinned your query'],
	['comment', ['hide'], 'hid your comment on'],
	['comment', ['hide', 'restore'], 'restored your comment on'],
] as const)(
	'the author of a %s hears of the last of %j with the reason, from a moderator without a name',
	async (kind, acts, words) => {
		await muteQuestion(cast.author, cast.query, true)
		for (const act of acts) await decide(cast.moderator, kind, cast[kind], act)
		expect(await newest(cast.author)).toEqual({ by: 'A moderator', words, title, reason: why })
		const { rows } = await listNotifications(cast.author, { unread: true })
		expect(rows.filter((row) => row.url.split('/')[4] === String(cast.query))).toHaveLength(1)
	},
)

test('the author of a merged question is notified, with a link to the target', async () => {
	const { id } = await makeQuestion(keeper)
	await decide(cast.moderator, 'query', cast.query, 'merge', { into: String(id) })
	expect(await newest(cast.author)).toMatchObject({ words: 'merged your query into another one:', reason: why })
})

test('the author of a pending post is notified of approval or rejection, besides others', async () => {
	for (const [act, words] of [
		['approve', 'approved your query'],
		['refuse', 'rejected your query'],
	] as const) {
		const member = await makeMember(`fresh-${act}`, 'member', new Date())
		const { url } = await askQuestion(member, {
			title: 'Where do I begin?',
			description: 'As @keeper says: https://shoes.example/',
			tags: 'start',
			category: 'others',
		})
		await decide(cast.moderator, 'query', Number(url.split('/')[4]), act)
		expect(await newest(member)).toMatchObject({ by: 'A moderator', words })
	}
	expect(await newest(keeper)).toMatchObject({ by: 'Fresh-approve', words: 'mentioned you in' })
})

test('a suspended member is notified of the reason, and of the end', async () => {
	await decide(cast.moderator, 'profile', 'member', 'suspend', { time: 'for ever' })
	const words = 'permanently suspended your account'
	const email = await findEmailById(db(), cast.member.id)
	await sql`update notification_boxes set mail_due_at = now() where user_id = ${cast.member.id}`.execute(db())
	expect(await mailDigests()).toBe(1)
	expect((await queuedMails(email)).map(({ subject }) => subject)).toEqual([`A moderator ${words}. Reason: ${why}`])
	expect(await newest(cast.member)).toEqual({ by: 'A moderator', words, title: '', reason: why })
	await decide(cast.moderator, 'profile', 'member', 'lift')
	expect(await newest(cast.member)).toMatchObject({ words: 'lifted the suspension of your account' })
})

test('the form of a decision says whether the author reads its reason', async () => {
	const sees = 'The author sees this. Admins see it in the log.'
	const memberSees = 'The member sees this. Admins see it in the log.'
	for (const act of ['lock', 'unlock', 'pin', 'unpin', 'hide', 'restore']) {
		await decide(cast.moderator, 'query', cast.query, act)
		expect([(await newest(cast.author))?.reason, whyHint([act as Act], 'query')]).toEqual([why, sees])
	}
	for (const act of ['suspend', 'lift'] as const) {
		await decide(cast.moderator, 'profile', 'member', act, { time: '1 day' })
		const hints = ['profile', 'query'].map((kind) => whyHint([act], kind))
		expect([(await newest(cast.member))?.reason, hints]).toEqual([why, [memberSees, memberSees]])
	}
	const before = await newest(cast.author)
	await reportSubject(cast.admin, named('query', cast.query), spam)
	await decide(cast.moderator, 'query', cast.query, 'dismiss', { why: 'She asks this often.' })
	expect([await newest(cast.author), whyHint(['dismiss'], 'query')]).toEqual([before, 'Admins see this in the log.'])
	expect(whyHint(['hide', 'dismiss'], 'query')).toBe(sees.replace('.', ', unless you dismiss.'))
	expect(whyHint(['hide'], 'profile')).toBe(memberSees)
})

test('nobody is notified of decisions about their own posts', async () => {
	const { id } = await makeQuestion(cast.moderator)
	await decide(cast.moderator, 'query', id, 'lock')
	expect(await newest(cast.moderator)).toBeUndefined()
})

test('concurrent comments that mention two members and decisions about both do not deadlock', async () => {
	const pair = [cast.author, keeper]
	for (let round = 0; round < 5; round += 1) {
		const ids = await Promise.all(pair.map(async (member) => (await makeQuestion(member)).id))
		const outcomes = await Promise.allSettled(
			ids.flatMap((id) => [
				makeComment(cast.admin, id, `@${cast.author.username} and @${keeper.username}, look.`),
				decide(cast.moderator, 'query', id, 'hide'),
			]),
		)
		const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
		for (const refusal of refusals) expect(refusal).toBeInstanceOf(NotFound)
	}
})

test('only moderators see the number of open cases', async () => {
	const before = await countCases(cast.moderator)
	await reportSubject(cast.admin, named('query', cast.query), spam)
	expect([await countCases(cast.moderator), await countCases(cast.admin)]).toEqual([before + 1, before + 1])
	expect([await countCases(null), await countCases(cast.author)]).toEqual([0, 0])
	await decide(cast.moderator, 'query', cast.query, 'dismiss')
	expect(await countCases(cast.moderator)).toBe(before)
})
