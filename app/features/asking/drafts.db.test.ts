import { beforeAll, beforeEach, expect, test } from 'vitest'
import { getQuestion } from '~/features/questions/questions.server.ts'
import { Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { EditConflict } from '~/platform/http/form.server.ts'
import { makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { deleteQuestion, editQuestion } from './asking.server.ts'
import { discardDraft, getDraft, saveDraft } from './drafts.server.ts'

useDatabase()

let asha: SignedIn
let bela: SignedIn
let moderator: SignedIn
const texts = { title: 'Half a ti', description: 'It **beg', tags: 'git, un', category: 'java' }

beforeAll(async () => {
	asha = await makeMember('asha')
	bela = await makeMember('bela')
	moderator = await makeMember('moderator', 'moderator')
})

beforeEach(() => db().deleteFrom('drafts').execute())

test('a draft is returned as typed, until it is deleted', async () => {
	expect(await getDraft(asha, 'ask')).toBeNull()
	await saveDraft(asha, { key: 'ask', ...texts })
	expect(await getDraft(asha, 'ask')).toMatchObject({ ...texts, version: 1, madeFrom: 0 })
	await discardDraft(asha, 'ask')
	await discardDraft(asha, 'ask')
	expect(await getDraft(asha, 'ask')).toBeNull()
})

test('all devices send the draft of a question with one key, and the next draft with another', async () => {
	const first = await saveDraft(asha, { key: 'ask', ...texts })
	const next = await saveDraft(asha, { key: 'ask', ...texts, title: 'Half a title', version: 1 })
	expect([next.sharedKey, (await getDraft(asha, 'ask'))?.sharedKey]).toEqual([first.sharedKey, first.sharedKey])
	expect((await saveDraft(bela, { key: 'ask', ...texts })).sharedKey).not.toBe(first.sharedKey)
	await discardDraft(asha, 'ask')
	expect((await saveDraft(asha, { key: 'ask', ...texts })).sharedKey).not.toBe(first.sharedKey)
	const { id } = await makeQuestion(asha)
	expect((await saveDraft(asha, { key: `edit:${id}`, ...texts })).sharedKey).toBeUndefined()
})

test('nobody reads, writes or deletes another member’s draft', async () => {
	await saveDraft(asha, { key: 'ask', ...texts })
	expect(await getDraft(bela, 'ask')).toBeNull()
	expect(await getDraft(moderator, 'ask')).toBeNull()
	expect(await getDraft(null, 'ask')).toBeNull()
	await saveDraft(bela, { key: 'ask', ...texts, title: 'Of another member' })
	await discardDraft(bela, 'ask')
	expect(await getDraft(asha, 'ask')).toMatchObject(texts)
})

test('a visitor has no drafts on the server', async () => {
	await expect(saveDraft(null, { key: 'ask', ...texts })).rejects.toThrow(NotAllowed)
	await expect(discardDraft(null, 'ask')).rejects.toThrow(NotAllowed)
	expect(await db().selectFrom('drafts').select('id').execute()).toEqual([])
})

test('only a member who may edit a question can store a draft of the edit', async () => {
	const { id } = await makeQuestion(asha)
	await saveDraft(asha, { key: `edit:${id}`, ...texts, madeFrom: 1 })
	await saveDraft(moderator, { key: `edit:${id}`, ...texts, madeFrom: 1 })
	await expect(saveDraft(bela, { key: `edit:${id}`, ...texts, madeFrom: 1 })).rejects.toThrow(NotAllowed)
	await deleteQuestion(asha, id)
	await expect(saveDraft(asha, { key: `edit:${id}`, ...texts, madeFrom: 1 })).rejects.toThrow(NotFound)
})

test('of two tabs the newer save wins, and gets what it replaced', async () => {
	const first = await saveDraft(asha, { key: 'ask', ...texts })
	expect(first).toMatchObject({ version: 1, replaced: null })
	const next = await saveDraft(asha, { key: 'ask', ...texts, title: 'Half a title', version: 1 })
	expect(next).toMatchObject({ version: 2, replaced: null })
	const other = await saveDraft(asha, { key: 'ask', ...texts, title: 'From the phone', version: 1 })
	expect(other).toMatchObject({ version: 3, replaced: { title: 'Half a title' } })
	expect(await getDraft(asha, 'ask')).toMatchObject({ title: 'From the phone', version: 3 })
})

test('twenty concurrent saves by independent tabs report every draft that they replace', async () => {
	const saves = await Promise.all(
		Array.from({ length: 20 }, (_, tab) => saveDraft(asha, { key: 'ask', ...texts, title: `Tab ${tab}` })),
	)
	expect(saves.map(({ version }) => version).sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
	const last = await getDraft(asha, 'ask')
	const known = saves.map(({ replaced }) => replaced?.title).concat(last?.title)
	expect(new Set(known.filter(Boolean)).size).toBe(20)
})

test.each([
	['another form', { key: 'edit:0' }],
	['a way into the statement', { key: "ask'; drop table drafts; --" }],
	['a title beyond the field', { title: 'x'.repeat(201) }],
	['a description beyond the field', { description: 'x'.repeat(30_001) }],
	['tags without end', { tags: 'x,'.repeat(501) }],
	['a NUL', { description: 'a\u0000b' }],
	['no text at all', { title: undefined }],
	['a version that is none', { version: -1 }],
])('a draft with %s is refused and nothing is written', async (_what, wrong) => {
	await expect(saveDraft(asha, { key: 'ask', ...texts, ...wrong })).rejects.toThrow(Invalid)
	expect(await getDraft(asha, 'ask')).toBeNull()
})

test('line endings do not count towards the length of a description', async () => {
	const description = `${'x\r\n'.repeat(15_000)}`
	await saveDraft(asha, { key: 'ask', ...texts, description })
	expect((await getDraft(asha, 'ask'))?.description).toBe('x\n'.repeat(15_000))
})

test('a member has at most twenty drafts; the oldest is deleted', async () => {
	for (let made = 0; made < 21; made += 1) {
		const { id } = await makeQuestion(asha)
		await saveDraft(asha, { key: `edit:${id}`, ...texts, madeFrom: 1 })
	}
	const rows = await db().selectFrom('drafts').select('key').where('user_id', '=', asha.id).execute()
	expect(rows).toHaveLength(20)
})

test('of two edits of the same version the second gets a conflict, and nothing is overwritten', async () => {
	const { id } = await makeQuestion(asha)
	const { version } = await getQuestion(asha, id)
	const edit = (title: string) =>
		editQuestion(asha, id, { title, description: 'Once more.', tags: 'testing', category: 'others', version })
	await edit('The first edit of it')
	const refusal = await edit('The second edit of it').catch((error) => error)
	expect(refusal).toBeInstanceOf(EditConflict)
	expect(refusal).toMatchObject({
		status: 409,
		stored: { values: { title: 'The first edit of it' }, version: version + 1 },
	})
	expect((await getQuestion(asha, id)).title).toBe('The first edit of it')
	// The second request of a double click.
	await edit('The first edit of it')
})

test('of ten tabs that save an edit concurrently one succeeds, and the others get a conflict', async () => {
	const { id } = await makeQuestion(asha)
	const edits = await Promise.allSettled(
		Array.from({ length: 10 }, (_, tab) =>
			editQuestion(asha, id, {
				title: `The edit of tab ${tab}`,
				description: 'x',
				tags: 'testing',
				category: 'others',
				version: 1,
			}),
		),
	)
	expect(edits.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
	for (const edit of edits) if (edit.status === 'rejected') expect(edit.reason).toBeInstanceOf(EditConflict)
	expect((await getQuestion(asha, id)).version).toBe(2)
})
