import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { EditConflict } from '~/platform/http/form.server.ts'
import { getQuestion } from '../questions.server.ts'
import '~/features/index.server.ts'
import { askQuestion, deleteQuestion, editQuestion, restoreQuestion } from '~/features/asking/asking.server.ts'
import { deleteComment, editComment, restoreComment } from '~/features/discussion/commenting.server.ts'
import { listComments } from '~/features/discussion/discussion.server.ts'
import { readQuestionHistory } from '~/features/discussion/history.server.ts'
import { decideCase } from '~/features/moderation/decisions.server.ts'
import { getCase, listCases } from '~/features/moderation/queue.server.ts'
import { listQuestions } from '~/features/question-lists/lists.server.ts'
import { Conflict, NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { expectCountsToHold, hashForum } from '../../../../tests/support/forum-rows.ts'

useDatabase()

let moderator: SignedIn
let old: SignedIn
let made = 0
const texts = {
	title: 'Where do I begin?',
	description: 'With [this](https://shoes.example/).',
	tags: 'start',
	category: 'others',
}
const better = { ...texts, title: 'Where do I begin, please?', tags: 'begin', category: 'java' }

const newcomer = () => makeMember(`fresh${++made}`, 'member', new Date(Date.now() - 3_600_000))
const waitingQuestion = async (member: SignedIn) => Number((await askQuestion(member, texts)).url.split('/')[4])
const name = (kind: string, id: number) => ({ kind, name: String(id) })
const approve = (kind: string, id: number, seen?: string) =>
	decideCase(moderator, { ...name(kind, id), act: 'approve' }, { seen })
const thread = (questionId: number) => ({ questionId, askerUsername: 'old' })

beforeAll(async () => {
	moderator = await makeMember('moderator', 'moderator')
	old = await makeMember('old')
})

describe('a pending query', () => {
	test('can be edited by its author, stays pending, and is approved with its current text, as a new one', async () => {
		const member = await newcomer()
		const id = await waitingQuestion(member)
		const { version } = await getQuestion(member, id)
		await editQuestion(member, id, { ...better, version })
		await expect(editQuestion(member, id, { ...texts, version })).rejects.toThrow(EditConflict)
		expect(await getQuestion(member, id)).toMatchObject({
			title: better.title,
			unpublished: { status: 'pending' },
			mayEdit: true,
		})
		await expect(getQuestion(null, id)).rejects.toThrow(NotFound)
		expect(await getCase(moderator, name('query', id))).toMatchObject({
			title: better.title,
			state: 'waiting',
			waits: true,
		})
		await expectCountsToHold()
		await approve('query', id)
		expect(await getQuestion(null, id)).toMatchObject({ tags: ['begin'], category: { slug: 'java' }, editedAt: null })
		expect((await listQuestions(null, { tag: 'begin' })).rows.map((row) => row.id)).toEqual([id])
		expect((await readQuestionHistory(old, id, null)).edits).toEqual([])
		await expectCountsToHold()
	})

	test('is not approved by a moderator who has read an earlier text', async () => {
		const member = await newcomer()
		const id = await waitingQuestion(member)
		const { print } = await getCase(moderator, name('query', id))
		await editQuestion(member, id, { ...texts, description: 'Buy [shoes](https://shoes.example/).' })
		await expect(approve('query', id, print)).rejects.toThrow(Conflict)
		await expect(getQuestion(null, id)).rejects.toThrow(NotFound)
		await approve('query', id, (await getCase(moderator, name('query', id))).print)
		await getQuestion(null, id)
	})

	test('is identified to a moderator by the SHA-256 of its text, with its parts delimited', async () => {
		const member = await newcomer()
		const id = await waitingQuestion(member)
		const said = { title: 'a', description: 'b\nc', tags: '{d,e}' }
		const variants = [
			said,
			{ ...said, title: 'a\nb', description: 'c' },
			{ ...said, title: 'A' },
			{ ...said, description: 'b\nc ' },
			{ ...said, description: 'b","c' },
			{ ...said, tags: '{e,d}' },
			{ ...said, tags: '{"d,e"}' },
			{ ...said, description: 'b\nc\n{d,e}', tags: '{}' },
		]
		const prints: string[] = []
		for (const { title, description, tags } of variants) {
			await sql`update questions set title = ${title}, description = ${description}, tags = ${tags}::text[] where id = ${id}`.execute(
				db(),
			)
			prints.push((await getCase(moderator, name('query', id))).print)
		}
		expect(new Set(prints).size).toBe(variants.length)
		for (const print of prints) expect(print).toMatch(/^[0-9a-f]{64}$/)
		const comment = await makeComment(old, (await makeQuestion(old)).id, 'A word.')
		expect((await getCase(moderator, name('comment', comment))).print).toBe(
			createHash('sha256').update('["A word."]').digest('hex'),
		)
	})

	test('can be withdrawn by its author: the case is closed, and undo does not bypass the moderators', async () => {
		const member = await newcomer()
		const id = await waitingQuestion(member)
		expect(await deleteQuestion(member, id)).toMatchObject({ undoable: false })
		await expect(getQuestion(member, id)).rejects.toThrow(NotFound)
		await expect(restoreQuestion(member, id)).rejects.toThrow(NotAllowed)
		const { rows } = await listCases(moderator, { order: 'newest', cursor: null })
		expect(rows.filter((row) => row.kind === 'query' && row.id === id)).toEqual([])
		await expectCountsToHold()
	})

	test('cannot be edited or withdrawn by others, nor by its author once it is rejected', async () => {
		const member = await newcomer()
		const id = await waitingQuestion(member)
		const attempts = (who: SignedIn) => [() => editQuestion(who, id, better), () => deleteQuestion(who, id)]
		const before = await hashForum()
		for (const attempt of [...attempts(old), ...attempts(moderator)]) await expect(attempt()).rejects.toThrow(NotFound)
		expect(await hashForum()).toEqual(before)
		await decideCase(moderator, { ...name('query', id), act: 'refuse' }, { why: 'Shoes.' })
		for (const attempt of attempts(member)) await expect(attempt()).rejects.toThrow(NotFound)
	})

	test('that is edited during its approval is published as the moderator read it, or by an edit after that', async () => {
		for (let round = 0; round < 4; round += 1) {
			const member = await newcomer()
			const id = await waitingQuestion(member)
			const { print } = await getCase(moderator, name('query', id))
			const [edited, passed] = await Promise.allSettled([editQuestion(member, id, better), approve('query', id, print)])
			for (const outcome of [edited, passed])
				if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(Conflict)
			const isPublic = passed.status === 'fulfilled'
			const editedLater = isPublic && edited.status === 'fulfilled'
			if (isPublic) await getQuestion(null, id)
			else await expect(getQuestion(null, id)).rejects.toThrow(NotFound)
			expect((await readQuestionHistory(old, id, null).catch(() => ({ edits: [] }))).edits).toHaveLength(
				editedLater ? 1 : 0,
			)
		}
		await expectCountsToHold()
	})
})

describe('a pending comment', () => {
	test('can be edited by its author, stays pending, and is approved with its current text', async () => {
		const { id: query } = await makeQuestion(old)
		const member = await newcomer()
		const id = await makeComment(member, query, 'See https://shoes.example/')
		await editComment(member, id, { body: 'See https://boots.example/' })
		expect((await listComments(member, thread(query))).rows).toMatchObject([
			{ id, body: 'See https://boots.example/', mayEdit: true, mayDelete: true, unpublished: { status: 'pending' } },
		])
		expect((await listComments(old, thread(query))).rows).toEqual([])
		await approve('comment', id)
		expect((await listComments(null, thread(query))).rows).toMatchObject([{ id, editedAt: null, mayEdit: false }])
		await expectCountsToHold()
	})

	test('can be withdrawn permanently by its author', async () => {
		const { id: query } = await makeQuestion(old)
		const member = await newcomer()
		const id = await makeComment(member, query, 'See https://shoes.example/')
		expect(await deleteComment(member, id)).toMatchObject({ undoable: false })
		await expect(restoreComment(member, id)).rejects.toThrow(NotAllowed)
		expect((await listComments(member, thread(query))).rows).toEqual([])
		expect((await getCase(moderator, name('comment', id))).waits).toBe(false)
		await expectCountsToHold()
	})
})

test.each(['query', 'comment'])('a %s that was refused by mistake is as new as an approved one, once', async (kind) => {
	const member = await newcomer()
	const body = `@${old.username}, see [this](https://shoes.example/).`
	const id =
		kind === 'query'
			? Number((await askQuestion(member, { ...texts, description: body })).url.split('/')[4])
			: await makeComment(member, (await makeQuestion(member, { description: 'With nothing.' })).id, body)
	const isNotified = async () => {
		const { rows } = await sql`
			select from notifications where user_id = ${old.id} and coalesce(part_id, subject_id) = ${id} and kind = 'mention'`.execute(
			db(),
		)
		return rows.length === 1
	}
	const decide = (act: 'refuse' | 'restore' | 'hide') =>
		decideCase(moderator, { ...name(kind, id), act }, { why: 'Shoes.' })
	await decide('refuse')
	expect(await isNotified()).toBe(false)
	await decide('restore')
	expect(await isNotified()).toBe(true)
	await sql`delete from notifications where user_id = ${old.id}`.execute(db())
	await decide('hide')
	await decide('restore')
	// What hiding a comment took back, restoring it brings back.
	expect(await isNotified()).toBe(kind === 'comment')
	if (kind === 'query')
		expect((await sql`select from question_routing where question_id = ${id}`.execute(db())).rows).toHaveLength(1)
	await expectCountsToHold()
})

test('concurrent posting, deleting, hiding and approving do not deadlock, and leave correct counts', async () => {
	for (let round = 0; round < 4; round += 1) {
		const member = await newcomer()
		const plain = { ...texts, description: 'With nothing.' }
		const id = await waitingQuestion(member)
		const [gone, hidden] = [await makeQuestion(member, plain), await makeQuestion(member, plain)]
		await Promise.all([
			askQuestion(member, plain),
			approve('query', id),
			deleteQuestion(member, gone.id),
			askQuestion(member, plain),
			decideCase(moderator, { ...name('query', hidden.id), act: 'hide' }, { why: 'Twice.' }),
		])
	}
	await expectCountsToHold()
})
