import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { config } from '~/config.server.ts'
import {
	getCategoryDetail,
	listCategoryDetails,
	saveCategory,
} from '~/features/administration/categories/categories.server.ts'
import { askQuestion, editQuestion } from '~/features/asking/asking.server.ts'
import { importQuestions } from '~/features/import/import.server.ts'
import { getQuestion } from '~/features/questions/questions.server.ts'
import { saveSection } from '~/features/site-settings/site-settings.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { listCategories, suggestTagsFor } from './tags.server.ts'

useDatabase()

let admin: SignedIn
let moderator: SignedIn
let ada: SignedIn
/** A question from before the rules. */
let old: number

const texts = { title: 'How do I begin with this?', description: 'I have tried it.' }
const ask = (who: SignedIn, tags: string, category: string, more = {}) =>
	askQuestion(who, { ...texts, tags, category, ...more })
const edit = (who: SignedIn, id: number, changed: object) =>
	editQuestion(who, id, { ...texts, tags: 'zebra', category: 'python', ...changed })
const refusal = (message: string) => ({ status: 422, fields: { tags: message } })
const needed = 'A query in “Python” needs one of these tags: javascript, windows. Add one, or choose another category.'
const reserved = 'Only moderators set the tag “official”. Remove it.'

beforeAll(async () => {
	admin = await makeMember('admin', 'admin')
	moderator = await makeMember('moderator', 'moderator')
	ada = await makeMember('ada')
	old = (await makeQuestion(ada, { tags: 'zebra', category: 'python' })).id
	await saveSection(admin, 'tags', { reserved: 'Official, announcement', version: '1' })
	const { id, version, title, slug, description, asking } = await python()
	await saveCategory(admin, id, { title, slug, description, asking, version, requiredTags: 'JavaScript, windows' })
})

async function python() {
	const found = (await listCategoryDetails(admin)).find(({ slug }) => slug === 'python')
	if (!found) throw new Error('There is no such category.')
	return (await getCategoryDetail(admin, found.id)).category
}

test('a category requires one of its tags, in any spelling, from everybody', async () => {
	for (const who of [ada, moderator, admin])
		await expect(ask(who, 'zebra', 'python')).rejects.toMatchObject(refusal(needed))
	await ask(ada, 'zebra, js', 'python')
	await ask(ada, 'zebra', 'java')
	expect((await listCategories()).filter(({ requiredTags }) => requiredTags)).toMatchObject([
		{ slug: 'python', requiredTags: ['javascript', 'windows'] },
	])
})

test('an edit is checked only if it changes the tags or the category', async () => {
	await edit(ada, old, { title: 'How do I go on with this?' })
	await expect(edit(ada, old, { tags: 'zebra, python' })).rejects.toMatchObject(refusal(needed))
	const { id } = await ask(ada, 'zebra', 'java')
	await expect(edit(ada, id, {})).rejects.toMatchObject(refusal(needed))
	await edit(ada, id, { tags: 'windows' })
})

test('reserved tags are set by moderators, kept by edits, and never allowed under a pseudonym', async () => {
	await expect(ask(ada, 'Official', 'java')).rejects.toMatchObject(refusal(reserved))
	await expect(ask(moderator, 'official', 'java', { pseudonym: true })).rejects.toMatchObject(refusal(reserved))
	await ask(moderator, 'announcement', 'java')
	const { id } = await ask(ada, 'zebra', 'java')
	await edit(moderator, id, { tags: 'zebra, official', category: 'java' })
	await edit(ada, id, { tags: 'official', category: 'java' })
	expect((await getQuestion(ada, id)).tags).toEqual(['official'])
	for (const [who, offered] of [
		[null, []],
		[ada, []],
		[moderator, ['official']],
	] as const)
		expect((await suggestTagsFor(who, 'offici', 8)).map(({ name }) => name)).toEqual(offered)
	await edit(ada, id, { category: 'java' })
	await expect(edit(ada, id, { tags: 'official', category: 'java' })).rejects.toMatchObject(refusal(reserved))
})

test('an import skips questions that break these rules, with the reason', async () => {
	const line = (id: string, tags: string[]) =>
		JSON.stringify({ source: 'elsewhere', id, title: texts.title, body: 'x', tags, created: '2026-01-01T00:00:00Z' })
	const file = join(config().dataDir, 'tags.jsonl')
	await writeFile(file, [line('a', ['official']), line('b', ['django']), line('c', ['django', 'js'])].join('\n'))
	const bad: string[] = []
	const summary = await importQuestions(file, {
		onBadLine: (number, reason) => bad.push(`${number} ${reason}`),
		onProgress: () => {},
	})
	expect(bad).toEqual([`1 tags: ${reserved}`, `2 tags: ${needed}`])
	expect(summary).toMatchObject({ imported: 1, bad: 2 })
})

test('invalid tags are rejected, and the default category has no required ones', async () => {
	const wrong = saveSection(admin, 'tags', { reserved: '#official', version: '2' })
	await expect(wrong).rejects.toMatchObject({ fields: { reserved: '“#official” can be no tag.' } })
	const others = (await listCategoryDetails(admin)).find(({ isFallback }) => isFallback)
	const { id = 0, version, title, slug, description, asking } = others ?? {}
	const sent = { title, slug, description, asking, version, requiredTags: 'windows' }
	await expect(saveCategory(admin, id, sent)).rejects.toMatchObject({
		fields: { requiredTags: 'This category takes any tag: it is for everything that fits nowhere else.' },
	})
	const late = await python()
	const stale = { ...late, version: late.version - 1, requiredTags: 'linux' }
	await expect(saveCategory(admin, late.id, stale)).rejects.toMatchObject({
		stored: { values: { requiredTags: 'javascript, windows' } },
	})
})
