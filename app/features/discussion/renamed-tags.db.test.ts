import { expect, test } from 'vitest'
import { editQuestion } from '~/features/asking/asking.server.ts'
import '~/features/index.server.ts'
import { addSynonym } from '~/features/tags/tags.server.ts'
import { makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { readQuestionHistory } from './history.server.ts'

useDatabase()

test('a tag that moderators renamed does not appear as an edit of the last editor', async () => {
	const asker = await makeMember('asker')
	const moderator = await makeMember('moderator', 'moderator')
	const { id } = await makeQuestion(asker, { tags: 'colour, first' })
	const texts = { title: 'Another title', description: 'Another text.', category: 'others' }
	await editQuestion(asker, id, { ...texts, tags: 'colour, second' })
	await editQuestion(asker, id, { ...texts, tags: 'colour, second', description: 'The last text.' })
	await addSynonym(moderator, { name: 'colour', main: 'color' })
	const { edits } = await readQuestionHistory(asker, id, null)
	expect(edits.map(({ changes }) => changes.map(({ field }) => field))).toEqual([
		['Description'],
		expect.arrayContaining(['Title', 'Tags']),
	])
})
