import { expect, test } from 'vitest'
import { questionLine } from './import.schema.ts'

const line = { id: 1, title: 'A title', body: 'How?', created: '2012-03-04T05:06:07Z' }

test.each([
	[
		'invisible control characters',
		{ title: 'A\u0002 title\u0003', body: 'One\u0000\u0001\r\rtwo' },
		{ title: 'A title', body: 'One\n\ntwo' },
	],
	['half of a surrogate pair', { body: 'a\ud800b' }, { body: 'a\ufffdb' }],
	['a title that is cut within an emoji', { title: `${'x'.repeat(198)}😀 and more` }, { title: `${'x'.repeat(198)}…` }],
])('an import stores %s as a form does', (_what, sent, stored) => {
	expect(questionLine.parse({ ...line, ...sent })).toMatchObject(stored)
})

test('a title that shows nothing is empty', () => {
	expect(questionLine.safeParse({ ...line, title: '\u200b\u2060' }).success).toBe(false)
})
