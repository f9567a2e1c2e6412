import { expect, test } from 'vitest'
import { editQuestion } from '~/features/asking/asking.server.ts'
import { readQuestionHistory } from '~/features/discussion/history.server.ts'
import '~/features/index.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { makeMember, makeQuestion } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import {
	addCategory,
	getCategoryDetail,
	mergeCategory,
	moveMergedQuestions,
	saveCategory,
} from './categories.server.ts'

useDatabase()

test.each<[string, (admin: SignedIn, id: number) => Promise<unknown>]>([
	[
		'renamed',
		async (admin, id) => {
			const { version, slug } = (await getCategoryDetail(admin, id)).category
			const form = { slug, description: '', asking: 'everybody', version: String(version) }
			await saveCategory(admin, id, { ...form, title: 'Another name' })
		},
	],
	[
		'merged into another one',
		async (admin, id) => {
			await addCategory(admin, { title: 'The target', slug: 'target', description: '', asking: 'everybody' })
			await mergeCategory(admin, id, { into: 'target' })
			await moveMergedQuestions(id)
		},
	],
])('a category that is %s is no change by the last editor', async (what, change) => {
	const name = what.split(' ')[0] ?? ''
	const admin = await makeMember(`admin-${name}`, 'admin')
	const asker = await makeMember(`asker-${name}`)
	const slug = `first-${name}`
	const form = { title: `First ${name}`, slug, description: '', asking: 'everybody' }
	const { id } = await addCategory(admin, form)
	const question = await makeQuestion(asker, { category: 'others', tags: 'one' })
	const texts = { title: 'A longer title', tags: 'one', category: slug }
	await editQuestion(asker, question.id, { ...texts, description: 'A text.' })
	await editQuestion(asker, question.id, { ...texts, description: 'The last text.' })
	await change(admin, id)
	const { edits } = await readQuestionHistory(asker, question.id, null)
	expect(edits.map(({ changes }) => changes.map(({ field }) => field))).toEqual([
		['Description'],
		expect.arrayContaining(['Category']),
	])
})
