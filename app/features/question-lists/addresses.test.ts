import { expect, test } from 'vitest'
import { editPath } from '~/features/questions/questions.paths.ts'
import { tagPath } from '~/features/tags/tags.view.ts'
import { withParams } from '~/lib/addresses.ts'
import { isListPath } from './lists.view.ts'

test.each([
	['c++', '/forum/tag/c%2B%2B'],
	['c#', '/forum/tag/c%23'],
	['ci/cd', '/forum/tag/ci%2Fcd'],
	['react', '/forum/tag/react'],
])('the tag %s has the address %s', (tag, path) => {
	expect(tagPath(tag)).toBe(path)
})

test.each([
	['/forum', true],
	['/forum/category/python', true],
	['/forum/tag/c%23', true],
	['/forum/tags', false],
	['/forum/ask', false],
	['/forum/python/pia/6', false],
])('%s is a list: %s', (path, expected) => {
	expect(isListPath(path)).toBe(expected)
})

test('omits empty parameters from an address', () => {
	expect(withParams('/forum', { q: '', view: null, cursor: undefined })).toBe('/forum')
	expect(withParams('/forum', { q: 'c++ & c#', thread: 3 })).toBe('/forum?q=c%2B%2B+%26+c%23&thread=3')
})

test('the edit page of a question has its author and id', () => {
	expect(editPath('/forum/git-and-tools/mira.q/41')).toBe('/forum/edit/mira.q/41')
	expect(editPath('/forum/git-and-tools/mira.q/41/undo-a-rebase')).toBe('/forum/edit/mira.q/41')
})
