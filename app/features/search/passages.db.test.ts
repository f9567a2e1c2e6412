import { beforeAll, expect, test } from 'vitest'
import { listQuestions } from '~/features/question-lists/lists.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'

useDatabase()

let asha: SignedIn

beforeAll(async () => {
	asha = await makeMember('asha')
})

test.each([
	['Brüsseler', 'Der Brüsseler Wandler', 'Der <mark>Brüsseler</mark> Wandler'],
	['strassenkarte', 'Eine Straßenkarte', 'Eine <mark>Straßenkarte</mark>'],
	['Łódź', 'To jest Łódź', 'To jest <mark>Łódź</mark>'],
	['søkemotor', 'En søkemotor', 'En <mark>søkemotor</mark>'],
	['pre-commits', 'Use a pre-commit hook', 'Use a <mark>pre-commit</mark> hook'],
	['multistage', 'By Multi-Stage builds', 'By <mark>Multi-Stage</mark> builds'],
])('a query that only a comment matches by %s shows that comment', async (search, body, html) => {
	const { id } = await makeQuestion(asha, { title: `About it (${search.length})`, description: 'What is it?' })
	await makeComment(asha, id, 'I wonder, too.')
	await makeComment(asha, id, body)
	const { rows } = await listQuestions(null, { search })
	expect(rows.find((row) => row.id === id)?.commentMatch?.html).toBe(html)
})

test('the passage of a long text is where a word with a letter beyond the alphabet matches', async () => {
	const { id } = await makeQuestion(asha, {
		description: `${'Some words before it. '.repeat(40)}Die Größenordnung ist da.`,
	})
	const { rows } = await listQuestions(null, { search: 'größenordnung' })
	expect(rows.find((row) => row.id === id)?.excerptHtml).toContain('Die <mark>Größenordnung</mark> ist da.')
})
