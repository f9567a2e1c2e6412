import { expect, test } from 'vitest'
import { Invalid } from '~/lib/errors.ts'
import { parseInput } from '~/platform/http/form.server.ts'
import { askInput, commentInput } from './questions.schema.ts'

const sound = { title: 'Why does it fail?', description: 'It does.', tags: 'git', category: 'others' }

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
	['spaces around and within a title', { title: '  Why \n does  it fail? ' }, { title: 'Why does it fail?' }],
	['line ends of Windows', { description: 'a\r\nb\rc' }, { description: 'a\nb\nc' }],
	['blank lines at the end', { description: '    code\n\n ' }, { description: '    code' }],
	['half of a surrogate pair', { description: 'a\ud800b' }, { description: 'a\ufffdb' }],
	['control characters', { description: 'a\u0001b\u001bc\td' }, { description: 'abc\td' }],
	['tags in one field', { tags: ' Git, #CSS,, machine learning ,git' }, { tags: ['git', 'css', 'machine-learning'] }],
	['tags in several fields', { tags: ['c++', 'C#', '.net'] }, { tags: ['c++', 'c#', '.net'] }],
	['tags that no address can hold', { tags: '., .., a' }, { tags: ['a'] }],
	['the longest title', { title: 'x'.repeat(200) }, { title: 'x'.repeat(200) }],
])('%s are normalized', (_what, given, expected) => {
	expect(parseInput(askInput, { ...sound, ...given })).toEqual({ ...sound, tags: ['git'], ...expected })
})

test.each<[string, Record<string, unknown>, Record<string, string>]>([
	['no title', { title: undefined }, { title: 'The title is required!' }],
	['a short title', { title: '1234567 ' }, { title: 'The title needs at least 8 characters.' }],
	['a long title', { title: 'x'.repeat(201) }, { title: 'The title may have at most 200 characters.' }],
	['a file for a title', { title: new File([], 'x') }, { title: 'The title is required!' }],
	['an invisible title', { title: '\u200b'.repeat(9) }, { title: 'The title is required!' }],
	['an invisible description', { description: '\u2060\n\u3164' }, { description: 'The description is required!' }],
	['an invisible tag', { tags: '\u200b' }, { tags: 'At least one tag is required!' }],
	['a blank description', { description: ' \n ' }, { description: 'The description is required!' }],
	[
		'a long description',
		{ description: 'x'.repeat(30_001) },
		{ description: 'The description may have at most 30,000 characters.' },
	],
	['NUL', { description: 'a\u0000b' }, { description: 'The text contains an invalid character (NUL).' }],
	['no category', { category: undefined }, { category: 'Category field is required!' }],
	['an empty category', { category: '' }, { category: 'Category field is required!' }],
	['no tags', { tags: ' , ' }, { tags: 'At least one tag is required!' }],
	['no tags field', { tags: undefined }, { tags: 'At least one tag is required!' }],
	['eleven tags', { tags: 'a,b,c,d,e,f,g,h,i,j,k' }, { tags: 'A query has at most 10 tags.' }],
	['a long tag', { tags: 'x'.repeat(36) }, { tags: 'A tag has at most 35 characters.' }],
])('a question with %s is refused at its field', (_what, given, fields) => {
	expect(refusal(() => parseInput(askInput, { ...sound, ...given }))).toEqual(fields)
})

test.each([
	['nothing', undefined, 'Write something first.'],
	['blanks', ' \n\t', 'Write something first.'],
	['invisible characters', '\u200b \u2800', 'Write something first.'],
	['10,001 characters', 'x'.repeat(10_001), 'A comment may have at most 10,000 characters.'],
])('a comment of %s is refused', (_what, body, message) => {
	expect(refusal(() => parseInput(commentInput, { body }))).toEqual({ body: message })
})

function refusal(work: () => unknown): Record<string, string> {
	try {
		work()
	} catch (error) {
		if (error instanceof Invalid) return error.fields
		throw error
	}
	throw new Error('It was not refused.')
}
