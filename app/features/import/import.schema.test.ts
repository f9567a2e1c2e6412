import { afterEach, expect, test, vi } from 'vitest'
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

afterEach(() => vi.unstubAllEnvs())

test.each([
	['2012-03-04T05:06:07', '2012-03-04T05:06:07.000Z'],
	['2012-03-04 05:06:07.25', '2012-03-04T05:06:07.250Z'],
	['2012-03-04T05:06', '2012-03-04T05:06:00.000Z'],
	['2012-03-04', '2012-03-04T00:00:00.000Z'],
	['2012-03-04T05:06:07+01:00', '2012-03-04T04:06:07.000Z'],
])('the time %s is the same on a machine in any zone', (created, stored) => {
	for (const zone of ['Asia/Kolkata', 'America/New_York']) {
		vi.stubEnv('TZ', zone)
		expect(questionLine.parse({ ...line, created }).created?.toISOString()).toBe(stored)
	}
})
