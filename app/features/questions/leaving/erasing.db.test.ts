import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { deleteQuestion, restoreQuestion } from '~/features/asking/asking.server.ts'
import { deleteComment, restoreComment } from '~/features/discussion/commenting.server.ts'
import '~/features/index.server.ts'
import { reportSubject } from '~/features/moderation/reports.server.ts'
import { countUnread, listNotifications } from '~/features/notifications/notifications.server.ts'
import { NotFound } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { FORMER_MEMBER } from '~/platform/member-data.ts'
import { makeComment, makeMember, makeQuestion } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { countWaiting } from '../../../../tests/support/locks.ts'
import { decide } from '../../../../tests/support/moderation-cast.ts'
import { getDiscussed } from '../questions.server.ts'
import { commentSubject, questionSubject } from '../questions.subjects.server.ts'
import { hidePost } from '../status/takedown.server.ts'
import { renameInTexts } from './leaving.queries.server.ts'
import { eraseDeletedPosts, leavePosts } from './leaving.server.ts'

useDatabase()

let asker: SignedIn
let helper: SignedIn
let moderator: SignedIn

beforeAll(async () => {
	asker = await makeMember('asker')
	helper = await makeMember('helper')
	moderator = await makeMember('warden', 'moderator')
})

/** Backdates all deletions by a month, and erases the deleted posts. */
async function eraseAll(): Promise<void> {
	for (const table of ['questions', 'comments'])
		await sql`update ${sql.table(table)} set status_at = now() - interval '31 days' where status = 'deleted'`.execute(
			db(),
		)
	await eraseDeletedPosts(30, 100)
}

function leave(member: SignedIn, keepsTexts = false): Promise<boolean> {
	const { id, username, name } = member
	return leavePosts({
		...{ id, username, name },
		accounts: [id],
		usernames: [username],
		emails: [],
		alias: 'gone',
		keepsTexts,
	})
}

test.each(['asker', 'moderator'] as const)('the page still says that the %s deleted a query', async (who) => {
	const { id } = await makeQuestion(asker)
	await makeComment(helper, id, 'Try this.')
	await deleteQuestion(who === 'asker' ? asker : moderator, id)
	const before = await getDiscussed(null, id)
	await eraseAll()
	const after = await getDiscussed(null, id)
	expect([before.deletedBy, after.deletedBy]).toEqual(Array(2).fill(who === 'asker' ? 'author' : 'moderator'))
	expect(after.title).toBe(before.title)
})

test('a query on which only its author commented stays deleted', async () => {
	const { id } = await makeQuestion(asker)
	await makeComment(asker, id, 'I found it myself: call 0170 123456.')
	await deleteQuestion(asker, id)
	await expect(getDiscussed(null, id)).rejects.toThrow(NotFound)
	await eraseAll()
	await expect(getDiscussed(null, id)).rejects.toThrow(NotFound)
})

test('a query on which only its author commented stays deleted when they leave', async () => {
	const left = await makeMember('alone')
	const { id } = await makeQuestion(left)
	await makeComment(left, id, 'I found it myself.')
	await deleteQuestion(left, id)
	await leave(left, true)
	await expect(getDiscussed(null, id)).rejects.toThrow(NotFound)
})

test.each(['before', 'after'] as const)(
	'an answer that stays is found below a query whose text was erased %s its author left',
	async (when) => {
		const left = await makeMember(`kept-${when}`)
		const { id } = await makeQuestion(asker)
		await makeComment(left, id, 'Try this.')
		await deleteQuestion(asker, id)
		if (when === 'before') await eraseAll()
		await leave(left, true)
		if (when === 'after') await eraseAll()
		expect((await getDiscussed(null, id)).deletedBy).toBe('author')
	},
)

test.each([
	['keeps their texts', true],
	['removes them, as others have commented', false],
])('a merged query can still be read when its asker %s', async (_what, keepsTexts) => {
	const left = await makeMember(`merged-${keepsTexts}`)
	const { id } = await makeQuestion(left, { title: 'How do I swim upstream?' })
	if (!keepsTexts) await makeComment(helper, id, 'Try this.')
	const into = await makeQuestion(asker)
	await decide(moderator, 'query', id, 'merge', { into: into.url })
	await leave(left, keepsTexts)
	expect(await getDiscussed(null, id)).toMatchObject({
		title: 'How do I swim upstream?',
		description: 'How does it work?',
		author: { name: 'Former member' },
	})
})

test('of a merged query on which nobody commented nothing is left when its asker removes their texts', async () => {
	const left = await makeMember('merged-alone')
	const { id } = await makeQuestion(left, { title: 'How do I swim upstream?' })
	await decide(moderator, 'query', id, 'merge', { into: (await makeQuestion(asker)).url })
	await leave(left)
	expect(await getDiscussed(null, id)).toMatchObject({ title: 'Deleted', description: '' })
})

test('the update makes no page of a deleted query on which only its author, who has left, had commented', async () => {
	const left = await makeMember('left-before')
	const [{ id: alone }, { id: answered }] = [await makeQuestion(left), await makeQuestion(left)]
	await makeComment(left, alone, 'I found it myself.')
	await makeComment(helper, answered, 'Try this.')
	for (const id of [alone, answered]) await deleteQuestion(left, id)
	// As earlier versions left them.
	const former = sql.lit(FORMER_MEMBER)
	await sql`update comments set author_id = ${former} where author_id = ${left.id}`.execute(db())
	await sql`update questions set author_id = ${former}, status_by = ${former} where author_id = ${left.id}`.execute(
		db(),
	)
	await sql.raw(readFileSync('migrations/0208_deleted_queries_without_a_page.sql', 'utf8')).execute(db())
	await expect(getDiscussed(null, alone)).rejects.toThrow(NotFound)
	expect((await getDiscussed(null, answered)).deletedBy).toBe('author')
})

test('nobody is left with a notification of a comment that was deleted with its author', async () => {
	const left = await makeMember('passing')
	const { id } = await makeQuestion(asker)
	const comment = await makeComment(helper, id, 'Try this.')
	await makeComment(left, id, 'That helped.', comment)
	expect(await countUnread(helper)).toBe(1)
	await leave(left)
	expect([await countUnread(helper), (await listNotifications(helper)).rows]).toEqual([0, []])
})

test('a page of comments stays when the moderator who deleted the query leaves', async () => {
	const left = await makeMember('former', 'moderator')
	const { id } = await makeQuestion(asker)
	await makeComment(helper, id, 'Try this.')
	await deleteQuestion(left, id)
	await leave(left)
	await sql`delete from users where id = ${left.id}`.execute(db())
	expect((await getDiscussed(null, id)).deletedBy).toBe('moderator')
})

test('an erased text cannot be restored', async () => {
	const { id } = await makeQuestion(asker)
	const comment = await makeComment(helper, id, 'Try this.')
	await makeComment(asker, id, 'Thanks.', comment)
	await deleteComment(helper, comment)
	await eraseAll()
	await expect(restoreComment(moderator, comment)).rejects.toThrow(NotFound)
	await deleteQuestion(asker, id)
	await eraseAll()
	await expect(restoreQuestion(moderator, id)).rejects.toThrow(NotFound)
})

describe('a member who left', () => {
	test('has no empty posts that a moderator could publish', async () => {
		const leaver = await makeMember('leaver')
		const { id: query } = await makeQuestion(leaver)
		await makeComment(helper, query)
		const { id: other } = await makeQuestion(asker)
		const comment = await makeComment(leaver, other)
		await makeComment(helper, other, 'Yes.', comment)
		for (const [kind, id] of [
			['query', query],
			['comment', comment],
		] as const)
			await hidePost({ kind, id, by: moderator.id, reason: 'Spam.' }, async () => {})
		await leave(leaver)
		for (const [subject] of [await questionSubject.load([query]), await commentSubject.load([comment])])
			expect(subject).toMatchObject({ state: 'hidden', html: '', acts: [] })
	})

	test('leaves no open case', async () => {
		const leaver = await makeMember('reported')
		const { id: query } = await makeQuestion(leaver)
		const comment = await makeComment(leaver, (await makeQuestion(asker)).id)
		await reportSubject(helper, { kind: 'query', name: String(query) }, { reason: 'spam' })
		await reportSubject(helper, { kind: 'comment', name: String(comment) }, { reason: 'spam' })
		await leave(leaver)
		const { rows } = await sql`select kind, target_id from cases where closed_at is null`.execute(db())
		expect(rows).toEqual([])
	})
})

test('a comment that is added while a name is removed from its question can still be found', async () => {
	const { id } = await makeQuestion(asker)
	await makeComment(asker, id, 'As @helper said.')
	const found = () =>
		sql`select from questions where id = ${id} and search @@ plainto_tsquery('english', 'meanwhile')`.execute(db())
	const renaming = await db()
		.transaction()
		.execute(async (trx) => {
			await sql`
				with added as (insert into comments (id, question_id, author_id, path, body, body_html, status)
					select n, ${id}::int, ${asker.id}, array[n], 'Meanwhile.', '<p>Meanwhile.</p>', 'published' from (select nextval('comments_id_seq')::int as n) next
					returning body)
				update questions set comment_count = comment_count + 1, search = grown_document(search, added.body) from added where questions.id = ${id}`.execute(
				trx,
			)
			const renaming = renameInTexts(['helper'], 'former-member')
			await expect.poll(() => countWaiting(trx)).toBe(1)
			return { renaming }
		})
	await renaming.renaming
	expect((await found()).rows).toHaveLength(1)
})
