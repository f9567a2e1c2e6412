import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { getQuestion } from '../questions.server.ts'
import '~/features/index.server.ts'
import { askQuestion, deleteQuestion, editQuestion, restoreQuestion } from '~/features/asking/asking.server.ts'
import { addComment, deleteComment, editComment, restoreComment } from '~/features/discussion/commenting.server.ts'
import { listComments } from '~/features/discussion/discussion.server.ts'
import { castVote, chooseSolution } from '~/features/discussion/votes.server.ts'
import { decideCase } from '~/features/moderation/decisions.server.ts'
import { listCases } from '~/features/moderation/queue.server.ts'
import { reportSubject } from '~/features/moderation/reports.server.ts'
import { listLog } from '~/features/moderation-log/log.server.ts'
import { countUnread } from '~/features/notifications/notifications.server.ts'
import { listQuestions } from '~/features/question-lists/lists.server.ts'
import { setFollowing } from '~/features/tags/following.server.ts'
import { NotAllowed, NotFound, TooManyRequests } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { expectCountsToHold, hashForum } from '../../../../tests/support/forum-rows.ts'

useDatabase()

let moderator: SignedIn
let admin: SignedIn
let old: SignedIn
let made = 0
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)
const newcomer = (hours = 1) => makeMember(`newcomer${++made}`, 'member', hoursAgo(hours))
const texts = {
	title: 'Where do I begin?',
	description: 'With [this](https://shoes.example/).',
	tags: 'start',
	category: 'others',
}
const plain = { ...texts, description: 'With nothing.' }
const idOf = ({ url }: { url: string }) => Number(url.split('/')[4])

/** Rows with the transaction that last wrote each of them, so that even reverted writes show up. */
const versionsOf = async (table: string, where = sql`true`) =>
	(await sql`select xmin::text, t::text as row from ${sql.table(table)} t where ${where} order by 2`.execute(db())).rows
/** All derived rows of published posts: counts, lists, search documents and notifications. */
const derivedRows = () =>
	Promise.all(
		['categories', 'counters', 'tags', 'question_tags', 'search_words', 'notifications'].map((table) =>
			versionsOf(table),
		),
	)
const rowOf = (question: number) => versionsOf('questions', sql`id = ${question}`)

beforeAll(async () => {
	moderator = await makeMember('moderator', 'moderator')
	admin = await makeMember('admin', 'admin')
	old = await makeMember('old')
})

describe('a suspended member', () => {
	test('can read everything and delete their own posts, and gets a refusal with end and reason for other writes', async () => {
		const member = await makeMember('shouting')
		const own = (await makeQuestion(member)).id
		const comment = await makeComment(member, own)
		const other = (await makeQuestion(old)).id
		await decideCase(
			moderator,
			{ kind: 'profile', name: member.username, act: 'suspend' },
			{ time: '1 week', why: 'Shouting.' },
		)
		const before = await hashForum()
		const writes = [
			() => askQuestion(member, plain),
			() => editQuestion(member, own, plain),
			() => addComment(member, { questionId: other, parentId: null, body: 'x' }),
			() => editComment(member, comment, { body: 'y' }),
			() => castVote(member, { questionId: other, commentId: null, vote: 1 }),
			() => setFollowing(member, { tag: 'start' }, true),
			() => reportSubject(member, { kind: 'query', name: String(other) }, { reason: 'spam' }),
		]
		for (const write of writes)
			await expect(write()).rejects.toThrow(
				/^You are suspended until \d+ \w+ \d{4} \d\d:\d\d UTC .* Reason: Shouting\.$/,
			)
		expect(await hashForum()).toEqual(before)
		expect(await getQuestion(member, other)).toMatchObject({ id: other })
		await deleteComment(member, comment)
		await deleteQuestion(member, own)
		await expect(restoreQuestion(member, own)).rejects.toThrow('You are suspended until')
		await decideCase(moderator, { kind: 'profile', name: member.username, act: 'lift' }, {})
		await restoreQuestion(member, own)
	})

	test('can write again once the suspension has ended', async () => {
		const member = await makeMember('patient')
		await decideCase(moderator, { kind: 'profile', name: member.username, act: 'suspend' }, { time: '1 day', why: 'x' })
		await expect(askQuestion(member, plain)).rejects.toThrow(NotAllowed)
		await sql`update users set suspended_until = now() - interval '1 second' where id = ${member.id}`.execute(db())
		await askQuestion(member, plain)
	})
})

describe('a first post with a link', () => {
	test('of a new account is pending: only its author sees it, and it is not counted', async () => {
		const member = await newcomer()
		const [before, unread] = [await derivedRows(), await countUnread(old)]
		const question = {
			...texts,
			title: 'Where do xylophones begin?',
			tags: 'xylophone',
			description: `${texts.description} @old`,
		}
		const id = idOf(await askQuestion(member, question))
		expect(await derivedRows()).toEqual(before)
		expect(await getQuestion(member, id)).toMatchObject({ unpublished: { status: 'pending' } })
		for (const viewer of [null, old]) await expect(getQuestion(viewer, id)).rejects.toThrow(NotFound)
		const { rows } = await listCases(moderator, { order: 'newest', cursor: null })
		expect(rows[0]).toMatchObject({
			kind: 'query',
			id,
			waits: true,
			acts: expect.arrayContaining(['approve', 'refuse']),
		})
		await expectCountsToHold()
		await decideCase(moderator, { kind: 'query', name: String(id), act: 'approve' }, {})
		expect(await getQuestion(null, id)).toMatchObject({ unpublished: null })
		expect((await listQuestions(null, { tag: 'xylophone' })).rows.map((row) => row.id)).toEqual([id])
		expect((await listQuestions(null, { search: 'xylophones' })).rows.map((row) => row.id)).toEqual([id])
		expect(await countUnread(old)).toBe(unread + 1)
		const learned = sql`select word from search_words where word in ('xylophone', 'xylophones') order by 1`
		expect((await learned.execute(db())).rows).toEqual([{ word: 'xylophone' }, { word: 'xylophones' }])
		const next = idOf(await askQuestion(member, texts))
		expect(await getQuestion(null, next)).toMatchObject({ unpublished: null })
		await expectCountsToHold()
	})

	test('that is a comment is pending too, and does not change the query', async () => {
		const { id: query } = await makeQuestion(old)
		await makeComment(old, query)
		const before = await getQuestion(null, query)
		const member = await newcomer()
		const rows = [await derivedRows(), await rowOf(query)]
		const { id } = await addComment(member, {
			questionId: query,
			parentId: null,
			body: 'Buy https://shoes.example/ now',
		})
		expect([await derivedRows(), await rowOf(query)]).toEqual(rows)
		expect(await getQuestion(null, query)).toEqual(before)
		expect((await listComments(old, page(query))).rows.map((row) => row.id)).not.toContain(id)
		expect((await listComments(member, page(query))).rows.at(-1)).toMatchObject({
			id,
			unpublished: { status: 'pending' },
		})
		await decideCase(moderator, { kind: 'comment', name: String(id), act: 'refuse' }, { why: 'Shoes.' })
		expect((await listComments(member, page(query))).rows.at(-1)).toMatchObject({
			id,
			unpublished: { status: 'hidden', rejected: true, reason: 'Shoes.' },
		})
		expect(await getQuestion(null, query)).toEqual(before)
		await expectCountsToHold()
	})

	test('becomes pending when an edit adds the link', async () => {
		const member = await newcomer()
		const id = idOf(await askQuestion(member, plain))
		expect(await getQuestion(null, id)).toMatchObject({ unpublished: null })
		await editQuestion(member, id, texts)
		await expect(getQuestion(null, id)).rejects.toThrow(NotFound)
		await expectCountsToHold()
	})

	test.each([
		['has no link', plain.description],
		['has a link within this site', 'As in [that query](/forum/others/old/1).'],
		['has an address in a code block', '```\ncurl https://shoes.example/\n```'],
	])('is published when it %s', async (_what, description) => {
		const id = idOf(await askQuestion(await newcomer(), { ...texts, description }))
		expect(await getQuestion(null, id)).toMatchObject({ unpublished: null })
	})

	test('is published when the account is a week old', async () => {
		const id = idOf(await askQuestion(await newcomer(7 * 24 + 1), texts))
		expect(await getQuestion(null, id)).toMatchObject({ unpublished: null })
	})

	const page = (questionId: number) => ({ questionId, askerUsername: 'old' })
})

describe('limits per hour', () => {
	test('a newcomer can ask five questions, even of ten concurrent ones, and gets the time of the next', async () => {
		const member = await newcomer()
		const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => askQuestion(member, plain)))
		expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
		const refusals = outcomes.flatMap((outcome) =>
			outcome.status === 'rejected' ? [outcome.reason as TooManyRequests] : [],
		)
		for (const refusal of refusals) {
			expect(refusal).toBeInstanceOf(TooManyRequests)
			expect(refusal.retryAfter).toBeGreaterThan(3_500)
			expect(refusal.retryAfter).toBeLessThanOrEqual(3_600)
		}
		await expectCountsToHold()
	})

	test('deleting a question does not reset the limit, an hour does', async () => {
		const member = await newcomer()
		const ids: number[] = []
		for (let count = 0; count < 5; count += 1) ids.push(idOf(await askQuestion(member, plain)))
		for (const id of ids) await deleteQuestion(member, id)
		await expect(askQuestion(member, plain)).rejects.toThrow(TooManyRequests)
		await sql`update questions set created_at = created_at - interval '61 minutes' where id = ${ids[0]}`.execute(db())
		await askQuestion(member, plain)
	})

	test.each([
		[1, 10],
		[25, 60],
	])('after %d hours a member can write %d comments in an hour', async (hours, most) => {
		const { id } = await makeQuestion(old)
		const member = await newcomer(hours)
		for (let count = 0; count < most; count += 1) await makeComment(member, id)
		await expect(makeComment(member, id)).rejects.toThrow(TooManyRequests)
	})

	test('moderators are not limited', async () => {
		const { id } = await makeQuestion(old)
		const fresh = await makeMember('fresh', 'moderator', hoursAgo(1))
		for (let count = 0; count < 12; count += 1) await makeComment(fresh, id)
		expect((await listComments(old, { questionId: id, askerUsername: 'old' })).rows).toHaveLength(12)
	})
})

test.each<[string, (viewer: SignedIn, posts: { query: number; comment: number }) => Promise<unknown>]>([
	['edit a query', (viewer, { query }) => editQuestion(viewer, query, { ...plain, title: 'Another title' })],
	['delete a query', (viewer, { query }) => deleteQuestion(viewer, query)],
	['edit a comment', (viewer, { comment }) => editComment(viewer, comment, { body: 'Other words.' })],
	['delete a comment', (viewer, { comment }) => deleteComment(viewer, comment)],
	[
		'choose a solution',
		(viewer, { query, comment }) => chooseSolution(viewer, { questionId: query, commentId: comment }),
	],
])('who is no longer a moderator when the post is locked cannot %s of somebody else', async (_what, act) => {
	const former = await makeMember(`former${++made}`, 'moderator')
	const { id: query } = await makeQuestion(old)
	const posts = { query, comment: await makeComment(old, query, 'An answer.') }
	await sql`update users set role = 'member' where id = ${former.id}`.execute(db())
	const before = await hashForum()
	await expect(act(former, posts)).rejects.toThrow(NotAllowed)
	expect(await hashForum()).toEqual(before)
	await act(old, posts)
})

test('who is no longer a moderator cannot restore what another one deleted', async () => {
	const former = await makeMember(`former${++made}`, 'moderator')
	const author = await makeMember(`author${made}`)
	const { id } = await makeQuestion(author)
	const comment = await makeComment(author, id, 'An answer.')
	const asked = await makeQuestion(author)
	await deleteComment(moderator, comment)
	await deleteQuestion(moderator, asked.id)
	await sql`update users set role = 'member' where id = ${former.id}`.execute(db())
	await expect(restoreComment(former, comment)).rejects.toThrow(NotAllowed)
	await expect(restoreQuestion(former, asked.id)).rejects.toThrow(NotAllowed)
	await restoreComment(moderator, comment)
	await restoreQuestion(moderator, asked.id)
})

test('edits by moderators are logged for texts of others, and not for their own', async () => {
	const { id } = await makeQuestion(old, { title: 'Whose words are these' })
	const comment = await makeComment(old, id)
	const own = await makeComment(moderator, id)
	await editQuestion(moderator, id, { ...plain, title: 'Better words' })
	await editComment(moderator, comment, { body: 'Better.' })
	await editComment(moderator, own, { body: 'Better.' })
	await editComment(old, comment, { body: 'No.' })
	await deleteComment(moderator, comment)
	await deleteQuestion(moderator, id)
	const { rows } = await listLog(admin, { member: 'old', cursor: null })
	expect(rows.map(({ act, caseUrl }) => [act, caseUrl])).toEqual([
		['delete', `/moderation/query/${id}`],
		['delete', `/moderation/comment/${comment}`],
		['edit', `/moderation/comment/${comment}`],
		['edit', `/moderation/query/${id}`],
	])
})
