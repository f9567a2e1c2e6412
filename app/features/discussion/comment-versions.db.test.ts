import { beforeAll, expect, test } from 'vitest'
import { editQuestion } from '~/features/asking/asking.server.ts'
import { getQuestion } from '~/features/questions/questions.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { EditConflict } from '~/platform/http/form.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { deleteComment, editComment } from './commenting.server.ts'
import { getComment, listComments } from './discussion.server.ts'
import { readCommentHistory } from './history.server.ts'

useDatabase()

let asha: SignedIn
let moda: SignedIn
let id: number

beforeAll(async () => {
	asha = await makeMember('asha')
	moda = await makeMember('moda', 'moderator')
	id = await makeComment(asha, (await makeQuestion(asha)).id, 'At first.')
})

const stored = async () => {
	const { body, version } = await getComment(asha, id)
	return { body, version }
}

test('of two concurrent edits one is saved, and the other gets a conflict with the stored text', async () => {
	const { version } = await stored()
	const edits = [editComment(asha, id, { body: 'Mine.', version }), editComment(moda, id, { body: 'Theirs.', version })]
	const ends = await Promise.allSettled(edits)
	expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
	const refused = ends.find((end) => end.status === 'rejected')
	const left = await stored()
	expect(left.version).toBe(version + 1)
	if (!(refused?.reason instanceof EditConflict)) throw new Error('The second edit was not refused as a conflict.')
	expect(refused.reason.stored).toEqual({ version: left.version, values: { body: left.body } })
	expect((await readCommentHistory(asha, id, null)).edits).toHaveLength(1)
})

test('an edit that names the stored version may replace it', async () => {
	const { version } = await stored()
	await editComment(asha, id, { body: 'Both.', version: String(version) })
	expect(await stored()).toEqual({ body: 'Both.', version: version + 1 })
})

test('an edit equal to the stored text is no conflict, and one without a version always wins', async () => {
	await editComment(asha, id, { body: 'Both.', version: 1 })
	await editComment(asha, id, { body: 'By an old program.' })
	expect((await stored()).body).toBe('By an old program.')
})

test('a save without a change is not marked as an edit', async () => {
	const texts = { title: 'The same title', description: 'The same text.', tags: 'one, two', category: 'others' }
	const { id: query } = await makeQuestion(asha, texts)
	const comment = await makeComment(asha, query, 'The same.')
	for (const version of [{}, { version: 1 }]) {
		await editQuestion(asha, query, { ...texts, ...version })
		await editComment(asha, comment, { body: 'The same.', ...version })
	}
	const question = await getQuestion(null, query)
	const { rows } = await listComments(null, { questionId: query, askerUsername: 'asha' })
	for (const text of [question, rows[0]]) expect(text).toMatchObject({ editedAt: null, version: 1 })
})

test('a page of comments includes the newest id of its query, in any order, on any page and even if deleted', async () => {
	const question = await makeQuestion(asha)
	const newest = async (input: object = {}) =>
		(await listComments(asha, { questionId: question.id, askerUsername: 'asha', ...input })).newest
	expect(await newest()).toBe(0)
	const first = await makeComment(asha, question.id)
	for (let number = 0; number < 35; number += 1) await makeComment(asha, question.id, `Number ${number}.`)
	const last = await makeComment(asha, question.id)
	await deleteComment(asha, last)
	expect([await newest(), await newest({ sort: 'best' }), await newest({ thread: first })]).toEqual([last, last, last])
})
