import { expect, test } from 'vitest'
import { commentUrl } from './question-action.server.ts'

test.each([
	[null, '/forum/js/rohan/7#comment-12'],
	['', '/forum/js/rohan/7#comment-12'],
	['self', '/forum/js/rohan/7?thread=12#comment-12'],
	['9', '/forum/js/rohan/7?thread=9#comment-12'],
	['9&x=//evil.example', '/forum/js/rohan/7#comment-12'],
	['-1', '/forum/js/rohan/7#comment-12'],
])('after a form with thread %j the comment is shown at %s', (thread, address) => {
	expect(commentUrl('/forum/js/rohan/7#comment-12', 12, thread)).toBe(address)
})

test('the selected order of comments is kept', () => {
	const place = (thread: string | null) => commentUrl('/forum/js/rohan/7#comment-12', 12, thread, 'best')
	expect(place(null)).toBe('/forum/js/rohan/7?sort=best#comment-12')
	expect(place('9')).toBe('/forum/js/rohan/7?sort=best&thread=9#comment-12')
})
