import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { askQuestion, deleteQuestion, editQuestion, restoreQuestion } from '~/features/asking/asking.server.ts'
import { getDraft, saveDraft } from '~/features/asking/drafts.server.ts'
import { setBlocked, setMuted } from '~/features/conversations/conversations.server.ts'
import { addComment, deleteComment, editComment } from '~/features/discussion/commenting.server.ts'
import { getComment } from '~/features/discussion/discussion.server.ts'
import { readCommentHistory, readQuestionHistory } from '~/features/discussion/history.server.ts'
import { castVote, chooseSolution } from '~/features/discussion/votes.server.ts'
import { MAX_PSEUDONYMS_PER_DAY } from '~/features/members/pseudonyms.server.ts'
import { setSkills } from '~/features/members/skills.server.ts'
import { decideCase } from '~/features/moderation/decisions.server.ts'
import { getCase } from '~/features/moderation/queue.server.ts'
import { getReportable } from '~/features/moderation/reports.server.ts'
import { listLog } from '~/features/moderation-log/log.server.ts'
import { mailDigests } from '~/features/notifications/digest.server.ts'
import { listNotifications } from '~/features/notifications/notifications.server.ts'
import { countPosts } from '~/features/profiles/answers.server.ts'
import { listPosts } from '~/features/profiles/posts.server.ts'
import { getProfile } from '~/features/profiles/profiles.server.ts'
import { listQuestions } from '~/features/question-lists/lists.server.ts'
import { Conflict, Invalid, NotAllowed, NotFound, TooManyRequests } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { queuedMails, useJobTables } from '../../../tests/support/jobs.ts'
import { getQuestion } from './questions.server.ts'

/*
 * What authors can do under a pseudonym, and what others learn. That nobody learns who they are is tested in
 * tests/process/pseudonyms.db.test.ts.
 */

useDatabase()
useJobTables()

let mira: SignedIn
let reader: SignedIn
let moderator: SignedIn
let guard: SignedIn
let id: number
let url: string
let name: string
let username: string
let serial = 0

beforeAll(async () => {
	moderator = await makeMember('moderator', 'moderator')
	guard = await makeMember('guard', 'moderator')
})

beforeEach(async () => {
	serial += 1
	mira = await makeMember(`mira${serial}`)
	reader = await makeMember(`reader${serial}`)
	;({ id, url } = await makeQuestion(mira, { pseudonym: 'on' }))
	;({
		author: { name, username },
	} = await getQuestion(reader, id))
})

const newest = async (member: SignedIn) => (await listNotifications(member, { limit: 1, unseen: true })).rows[0]
const acted = (act: string, member = moderator, kind = 'query', of = id) =>
	decideCase(member, { kind, name: String(of), act }, { why: 'A reason.' })

describe('the author behind a pseudonym', () => {
	test('has one name within the question, and another one in the next', async () => {
		const own = await makeComment(mira, id)
		const other = await makeQuestion(mira, { pseudonym: true })
		expect(name).toMatch(/^[A-Z][a-z]+ [A-Z][a-z]+$/)
		expect(await getComment(reader, own)).toMatchObject({
			...{ author: { username, name, image: null, pseudonym: { verified: false } }, byAsker: true, own: false },
		})
		expect((await getQuestion(reader, other.id)).author.username).not.toBe(username)
		expect((await getComment(reader, await makeComment(mira, (await makeQuestion(reader)).id))).author).toEqual({
			...{ username: mira.username, name: mira.name, image: null },
		})
	})

	test('has the rights of an author, and others have not', async () => {
		const answer = await makeComment(reader, id)
		const own = await makeComment(mira, id)
		expect(await getQuestion(mira, id)).toMatchObject({ own: true, mayEdit: true, mayDelete: true })
		expect(await getQuestion(reader, id)).toMatchObject({ own: false, mayEdit: false, mayDelete: false })
		expect(await getComment(mira, answer)).toMatchObject({ mayChoose: true, mayEdit: false, own: false })
		expect(await getComment(mira, own)).toMatchObject({ mayChoose: true, mayEdit: true, own: true })
		const texts = { title: 'Another title that is long', description: 'More.', tags: 'testing', category: 'others' }
		await editQuestion(mira, id, texts)
		await editComment(mira, own, { body: 'Other words.' })
		await chooseSolution(mira, { questionId: id, commentId: answer })
		for (const commentId of [null, own])
			await expect(castVote(mira, { questionId: id, commentId, vote: 1 })).rejects.toThrow(NotAllowed)
		await expect(editComment(reader, own, { body: 'Mine.' })).rejects.toThrow(NotAllowed)
		await expect(chooseSolution(reader, { questionId: id, commentId: answer })).rejects.toThrow(NotAllowed)
		await deleteComment(mira, own)
		await deleteQuestion(mira, id)
		await restoreQuestion(mira, id)
		expect((await getQuestion(reader, id)).author.username).toBe(username)
	})

	test('is the only one whose lists contain it, and it is not counted', async () => {
		const own = await makeComment(mira, id)
		expect((await listQuestions(mira, { author: mira.username, mine: true })).rows.map((row) => row.id)).toEqual([id])
		expect((await listQuestions(reader, { author: mira.username, mine: true })).rows).toEqual([])
		expect((await listQuestions(mira, { author: mira.username })).rows).toEqual([])
		const answers = await listPosts(mira, mira.username, { kind: 'answers', cursor: null, mine: true })
		expect(answers.page.rows.map((row) => row.id)).toEqual([own])
		expect((await listPosts(reader, mira.username, { kind: 'answers', cursor: null, mine: true })).page.rows).toEqual(
			[],
		)
		expect(await countPosts(mira.username)).toEqual({ queries: 0, answers: 0, solutions: 0, comments: 0 })
		await expect(getProfile(reader, username)).rejects.toThrow(NotFound)
	})

	test('keeps the verified mark as of the time of asking', async () => {
		await sql`insert into profiles (user_id, campus_name, campus_verified_at) values (${mira.id}, 'Brackenfold', now())`.execute(
			db(),
		)
		const marked = await makeQuestion(mira, { pseudonym: true })
		expect((await getQuestion(reader, marked.id)).author.pseudonym).toEqual({ verified: true })
		await sql`update profiles set campus_verified_at = null where user_id = ${mira.id}`.execute(db())
		expect((await getQuestion(guard, marked.id)).author.pseudonym).toEqual({ verified: true })
		expect((await getQuestion(guard, id)).author.pseudonym).toEqual({ verified: false })
	})

	test('can use only a few pseudonyms a day', async () => {
		for (let more = 1; more < MAX_PSEUDONYMS_PER_DAY; more += 1) await makeQuestion(mira, { pseudonym: true })
		await expect(makeQuestion(mira, { pseudonym: true })).rejects.toThrow(TooManyRequests)
		await makeQuestion(mira)
	})

	test('does not bypass the hourly limit of newcomers', async () => {
		await sql`update users set created_at = now() where id = ${mira.id}`.execute(db())
		for (let more = 1; more < 5; more += 1) await makeQuestion(mira, { pseudonym: more % 2 === 0 })
		await expect(makeQuestion(mira, { pseudonym: true })).rejects.toThrow(TooManyRequests)
		await expect(makeQuestion(mira)).rejects.toThrow(TooManyRequests)
		for (let more = 0; more < 10; more += 1) await makeComment(mira, id)
		await expect(makeComment(mira, id)).rejects.toThrow(TooManyRequests)
	})

	test('cannot post a link that contains their username, where they write under the pseudonym', async () => {
		const body = `![x](/media/posts/${mira.username}/${'0'.repeat(32)}-1280.webp)`
		await expect(makeQuestion(mira, { pseudonym: true, description: body })).rejects.toThrow(Invalid)
		await expect(makeComment(mira, id, body)).rejects.toThrow(Invalid)
		await expect(editComment(mira, await makeComment(mira, id), { body })).rejects.toThrow(Invalid)
		await makeComment(mira, (await makeQuestion(reader)).id, body)
	})

	test.each(['staff', 'verified'])(
		'cannot ask in a category for %s where only their role lets them, which would reveal it',
		async (asking) => {
			await sql`update categories set asking = ${asking} where slug = 'careers'`.execute(db())
			const refusal = { category: expect.stringContaining('a pseudonym there would say that you are') }
			await expect(makeQuestion(moderator, { category: 'careers', pseudonym: 'on' })).rejects.toMatchObject({
				fields: refusal,
			})
			await expect(makeQuestion(moderator, { category: 'careers' })).resolves.toMatchObject({ id: expect.any(Number) })
			const own = await makeQuestion(moderator, { pseudonym: 'on' })
			const moved = { title: 'A question that moves', description: 'There.', tags: 'react', category: 'careers' }
			await expect(editQuestion(moderator, own.id, moved)).rejects.toMatchObject({ fields: refusal })
			await sql`update categories set asking = 'everybody' where slug = 'careers'`.execute(db())
		},
	)

	test('finds the choice in their own draft', async () => {
		const typed = { key: 'ask', title: 'A title', description: '', tags: '', category: 'others' }
		await saveDraft(mira, { ...typed, pseudonym: 'true' })
		expect(await getDraft(mira, 'ask')).toMatchObject({ pseudonym: true })
		await saveDraft(mira, { ...typed, pseudonym: 'false', version: 1 })
		expect(await getDraft(mira, 'ask')).toMatchObject({ pseudonym: false })
	})

	test('posts once per idempotency key, and the same key is refused under their own name', async () => {
		const texts = { title: 'A title long enough', description: 'x', tags: 'testing', category: 'others', key: 'k' }
		const first = await askQuestion(mira, { ...texts, pseudonym: 'on' })
		expect(await askQuestion(mira, { ...texts, pseudonym: 'on' })).toEqual(first)
		await expect(askQuestion(mira, texts)).rejects.toThrow(Invalid)
	})
})

describe('times', () => {
	test('of everything that a pseudonym wrote are shown by the hour, in order', async () => {
		const answer = await makeComment(reader, id)
		const own = await makeComment(mira, id)
		await editQuestion(mira, id, { title: 'Another title', description: 'y', tags: 'testing', category: 'others' })
		await editComment(mira, own, { body: 'Other.' })
		await chooseSolution(mira, { questionId: id, commentId: answer })
		const question = await getQuestion(reader, id)
		const comment = await getComment(reader, own)
		const chosen = await getComment(reader, answer)
		const histories = [await readQuestionHistory(reader, id, null), await readCommentHistory(reader, own, null)]
		const edits = histories.map(({ edits: [edit] }) => edit)
		const times = [question.createdAt, question.editedAt, comment.createdAt, comment.editedAt, chosen.chosenAt]
		for (const at of [...times, ...edits.map((edit) => edit?.at)]) {
			expect(at).toMatch(/:00:00\.000000Z$/)
			expect(Date.now() - Date.parse(at ?? '')).toBeLessThan(2 * 3_600_000)
		}
		expect(edits.map((edit) => edit?.by)).toEqual(
			[0, 1].map(() => ({ username, name, pseudonym: { verified: false } })),
		)
		const { rows } = await sql<{ at: Date }>`
			select active_at as at from questions where id = ${id}
			union all select created_at from question_tags where question_id = ${id}
			union all select active_at from question_tags where question_id = ${id}`.execute(db())
		expect(rows.map(({ at }) => at.toISOString().slice(14))).toEqual(['00:00.000Z', '00:00.000Z', '00:00.000Z'])
		expect(chosen.createdAt.slice(14)).not.toBe('00:00.000000Z')
		const next = await makeQuestion(mira, { pseudonym: true })
		const { rows: listed } = await listQuestions(reader, { limit: 50 })
		const places = listed.map((row) => row.id)
		expect(places.indexOf(next.id)).toBeLessThan(places.indexOf(id))
	})

	test('of posts under a member’s own name are unchanged', async () => {
		const open = await makeQuestion(mira)
		const comment = await getComment(reader, await makeComment(mira, open.id))
		for (const at of [(await getQuestion(reader, open.id)).createdAt, comment.createdAt])
			expect(Date.now() - Date.parse(at)).toBeLessThan(60_000)
	})
})

describe('notifications', () => {
	test('reach the author as usual, and show others the pseudonym, on the site and in mails', async () => {
		const answer = await makeComment(reader, id)
		expect(await newest(mira)).toMatchObject({ by: reader.name, words: 'commented on' })
		const own = await makeComment(mira, id, `@${reader.username}, thank you`, answer)
		expect(await newest(reader)).toMatchObject({
			by: name,
			actor: { username, image: null },
			words: 'mentioned you in',
		})
		await makeComment(reader, id, `No, @${username}`, own)
		expect(await newest(mira)).toMatchObject({ by: reader.name, words: 'mentioned you in' })
		for (const { at, by } of (await listNotifications(reader, { unseen: true })).rows)
			if (by === name) expect(at).toMatch(/:00:00[^.]*$/)
		const { rows: begun } = await sql<{ created_at: Date }>`
			select n.created_at from notifications n join users u on u.id = n.actor_ids[1] where u.username = ${username}`.execute(
			db(),
		)
		expect(begun.length).toBeGreaterThan(0)
		for (const { created_at } of begun) expect(created_at.toISOString()).toMatch(/:00:00\.000Z$/)
		await makeComment(mira, id, 'I see.', answer)
		await chooseSolution(mira, { questionId: id, commentId: answer })
		expect(await newest(reader)).toMatchObject({ by: name, words: 'marked your comment as a solution to' })
		await sql`update notification_boxes set mail_due_at = now()`.execute(db())
		await mailDigests()
		const mails = JSON.stringify(await queuedMails(`${reader.username}@campus.example`))
		expect(mails).toContain(`${name} mentioned you`)
		expect(mails).not.toContain(mira.name)
		expect(mails).not.toContain(mira.username)
		expect((await listNotifications(mira, { unseen: true })).rows.filter((row) => row.by === name)).toEqual([])
	})
})

describe('a block', () => {
	test('by the author reveals nothing: blocked members comment, vote and get replies as usual', async () => {
		await setBlocked(mira, reader.username, true)
		const answer = await makeComment(reader, id)
		await makeComment(reader, id, 'And this.', await makeComment(mira, id))
		await castVote(reader, { questionId: id, commentId: null, vote: 1 })
		expect((await listNotifications(mira, { unseen: true })).rows).toEqual([])
		const open = await makeQuestion(mira)
		await expect(makeComment(reader, open.id)).rejects.toThrow(NotAllowed)
		expect(answer).toBeGreaterThan(0)
	})

	test('of the author by another member reveals nothing: that member is notified of the pseudonym, and old notifications stay', async () => {
		await makeComment(mira, id, `@${reader.username}, look`)
		await setBlocked(reader, mira.username, true)
		expect(await newest(reader)).toMatchObject({ by: name })
		await makeComment(mira, id, `@${reader.username}, look again`)
		expect((await newest(reader))?.words).toBe('mentioned you in')
	})

	test('of a pseudonym is not possible, nor a conversation with it', async () => {
		await expect(setBlocked(reader, username, true)).rejects.toThrow(NotFound)
		await expect(setMuted(reader, username, true)).rejects.toThrow(NotFound)
	})
})

describe('moderation', () => {
	test('decides without a name, notifies the author, and does not suspend', async () => {
		const own = await makeComment(mira, id)
		const entry = await getCase(moderator, { kind: 'query', name: String(id) })
		expect(entry).toMatchObject({ author: { username, name }, pseudonym: true, unmasked: null, suspendedUntil: null })
		expect(entry.acts).toContain('unmask')
		expect(entry.acts).not.toContain('suspend')
		for (const act of ['suspend', 'lift'])
			await expect(
				decideCase(moderator, { kind: 'query', name: String(id), act }, { why: 'x', time: '1 day' }),
			).rejects.toThrow(Invalid)
		await acted('hide', moderator, 'comment', own)
		expect(await newest(mira)).toMatchObject({ by: 'A moderator', reason: 'A reason.' })
		await editQuestion(moderator, id, {
			title: 'Moderated title',
			description: 'z',
			tags: 'testing',
			category: 'others',
		})
		const { rows } = await listLog(await makeMember(`admin${serial}`, 'admin'), { member: '', cursor: null })
		expect(rows.slice(0, 2).map((row) => row.member.username)).toEqual([username, username])
		await expect(getReportable(mira, { kind: 'query', name: String(id) })).rejects.toThrow(NotAllowed)
		await expect(getCase(moderator, { kind: 'profile', name: username })).rejects.toThrow(NotFound)
	})

	test('unmasks with a reason, for that moderator only; it is logged, and the author is notified once', async () => {
		const own = await makeComment(mira, id)
		const place = { kind: 'query', name: String(id) }
		await expect(decideCase(moderator, { ...place, act: 'unmask' }, { why: '' })).rejects.toThrow(Invalid)
		await acted('unmask')
		await acted('hide')
		expect((await getCase(moderator, place)).unmasked).toMatchObject({ username: mira.username })
		expect((await getCase(moderator, { kind: 'comment', name: String(own) })).unmasked?.username).toBe(mira.username)
		expect((await getCase(moderator, place)).acts).not.toContain('unmask')
		expect((await getCase(guard, place)).unmasked).toBeNull()
		await expect(acted('unmask')).rejects.toThrow(Conflict)
		const told = (await listNotifications(mira, { unseen: true })).rows.map(({ words, reason }) => [words, reason])
		expect(told).toContainEqual(['looked up that it was you who asked, under a pseudonym,', 'A reason.'])
		await acted('unmask', guard, 'comment', own)
		const again = (await listNotifications(mira, { unseen: true })).rows.map((row) => row.words)
		expect(again).toContain('looked up that it was you who commented, under a pseudonym, on')
		const { rows } = await listLog(await makeMember(`admin${serial}`, 'admin'), { member: mira.username, cursor: null })
		expect(rows).toEqual([])
		await expect(acted('unmask', moderator, 'query', (await makeQuestion(reader)).id)).rejects.toThrow()
	})

	test('does not offer members to unmask themselves', async () => {
		const own = await makeQuestion(guard, { pseudonym: true })
		const entry = await getCase(guard, { kind: 'query', name: String(own.id) })
		expect([entry.acts.includes('unmask'), entry.unmasked]).toEqual([false, null])
	})

	test('by the author is under their own name: nothing reveals that the pseudonym is a moderator', async () => {
		const { id: asked } = await makeQuestion(guard, { pseudonym: true })
		const answer = await makeComment(reader, asked)
		await editComment(guard, answer, { body: `Ask @${mira.username} instead.` })
		expect((await readCommentHistory(reader, answer, null)).edits[0]).toMatchObject({
			...{ by: { username: guard.username }, byModerator: true },
		})
		expect(await newest(mira)).toMatchObject({ by: guard.name, words: 'mentioned you in' })
		const own = await makeComment(guard, asked)
		await editComment(guard, own, { body: 'Other words.' })
		const { edits } = await readCommentHistory(reader, own, null)
		expect(edits[0]).toMatchObject({ by: { pseudonym: { verified: false } }, byModerator: false })
	})

	test('approves a newcomer’s first post with a link, and trusts the member from then on', async () => {
		await sql`update users set created_at = now() where id = ${mira.id}`.execute(db())
		const link = { description: 'See https://example.com' }
		const waits = await makeQuestion(mira, { ...link, pseudonym: true })
		await expect(getQuestion(reader, waits.id)).rejects.toThrow(NotFound)
		expect(await getQuestion(mira, waits.id)).toMatchObject({ mayEdit: true, unpublished: { status: 'pending' } })
		await acted('approve', moderator, 'query', waits.id)
		expect((await getQuestion(reader, waits.id)).author.pseudonym).toBeDefined()
		const next = await makeQuestion(mira, link)
		expect(await getQuestion(reader, next.id)).toMatchObject({ unpublished: null })
	})
})

test('comments of others under it count as evidence; all pseudonyms together count as one person', async () => {
	const other = await makeQuestion(await makeMember(`zubin${serial}`), { pseudonym: true })
	const answers = [await makeComment(reader, id), await makeComment(reader, other.id)]
	await sql`insert into profiles (user_id) values (${reader.id})`.execute(db())
	await db()
		.transaction()
		.execute((trx) => setSkills(trx, reader.id, ['testing']))
	await sql`update comments set is_solution = true where id = any(${answers}::int[])`.execute(db())
	const { rows } = await sql<{ weight: number }>`
		select weight from skill_evidence where user_id = ${reader.id} and kind = 'solution' order by weight desc`.execute(
		db(),
	)
	expect(rows.map(({ weight }) => weight)).toEqual([1, 0.5])
	expect(url).toContain(username)
	await addComment(mira, { questionId: id, parentId: answers[0] ?? 0, body: 'Thanks.' })
})
