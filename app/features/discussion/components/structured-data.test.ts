import { expect, test } from 'vitest'
import { scriptJson } from '~/lib/html.ts'
import { sampleComment, sampleQuestion } from '../../../../tests/support/forum-samples.ts'
import { qaPage, schemaText } from './structured-data.ts'

test.each([
	['</script><script>alert(1)</script>', '</script'],
	['<!-- hidden', '<!--'],
	['a & b \u2028 c \u2029', '\u2028'],
])('JSON in a script cannot end it: %j', (text, forbidden) => {
	const json = scriptJson({ text })
	expect(json).not.toContain(forbidden)
	expect(JSON.parse(json)).toEqual({ text })
})

test.each([
	['<p>One</p>\n<p>two</p>', 'One two'],
	['<pre><code>a &lt; b &amp;&amp; &quot;c&quot;</code></pre>', 'a < b && "c"'],
	['&amp;lt;', '&lt;'],
	['', ''],
])('the plain text of %j is %j', (html, text) => {
	expect(schemaText(html)).toBe(text)
})

test('a query is described with its accepted answer separate from the others, without deleted ones', () => {
	const accepted = [sampleComment({ id: 1, solution: true, score: 3, bodyHtml: '<p>Like this.</p>' })]
	const threads = [
		sampleComment({ id: 2, bodyHtml: '<p>Or so.</p>', score: -2 }),
		sampleComment({ id: 3, deleted: true, author: null, bodyHtml: '' }),
	]
	const { mainEntity } = qaPage(sampleQuestion({ commentCount: 2 }), { accepted, threads }, 'https://site.example')
	expect(mainEntity).toMatchObject({
		'@type': 'Question',
		name: 'Why does my useEffect fetch twice?',
		answerCount: 2,
		url: 'https://site.example/forum/javascript/rohan/7',
		acceptedAnswer: [
			{ text: 'Like this.', upvoteCount: 3, url: 'https://site.example/forum/javascript/rohan/7#comment-1' },
		],
		suggestedAnswer: [{ text: 'Or so.', upvoteCount: 0 }],
	})
})

test('a query without answers has none in its data', () => {
	const { mainEntity } = qaPage(
		sampleQuestion({ commentCount: 0 }),
		{ accepted: [], threads: [] },
		'https://site.example',
	)
	expect(mainEntity.answerCount).toBe(0)
	expect(JSON.stringify(mainEntity)).not.toContain('Answer"')
})
