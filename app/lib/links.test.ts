import { expect, test } from 'vitest'
import { bareUrl, webUrl } from './links.ts'

test.each(['javascript:alert(1)', 'data:text/html,x', '//evil.example', 'ftp://a.example', ''])(
	'%j is not a link to the web',
	(url) => {
		expect(webUrl(url)).toBe('')
	},
)

test('a web link is accepted, and shown without its scheme', () => {
	expect(webUrl('https://www.miraq.example/')).toBe('https://www.miraq.example/')
	expect(bareUrl('https://www.miraq.example/')).toBe('miraq.example')
})
