import { expect, test } from 'vitest'
import { highlight, highlightPassage } from './highlight.ts'

test.each([
	['a match', 'the \u0001useEffect\u0002 hook', 'the <mark>useEffect</mark> hook'],
	['markup around a match', '<b>\u0001"a"\u0002</b> & c', '&lt;b&gt;<mark>&quot;a&quot;</mark>&lt;/b&gt; &amp; c'],
	['C++, marked', 'in \u0001Cqplusplus\u0002\u000311', 'in <mark>C++</mark>11'],
	['C# and F#, not marked', 'cqsharp\u0003 and Fqsharp\u0003', 'c# and F#'],
	['.NET, marked', 'on \u0003\u0001dotqNET\u0002\u0003.', 'on <mark>.NET</mark>.'],
	['ASP.NET, marked', 'on ASP\u0003\u0001dotqNet\u0002\u0003.', 'on <mark>ASP.Net</mark>.'],
	['lines', 'a\n\n  b ', 'a b'],
])('%s is shown as it was typed', (_what, headline, html) => {
	expect(highlight(headline)).toBe(html)
})

const filler = 'some words before it and more of them after that too '

test.each([
	['a short text', 'a \u0001b\u0002 c', 'a <mark>b</mark> c'],
	['a long text without a match is its beginning', filler.repeat(3), `${filler.repeat(2)}some words …`],
	[
		'a long text begins a little before its match',
		`${filler.repeat(9)}\u0001match\u0002 ${filler.repeat(9)}`,
		'… of them after that too some words before it and more of them after that too <mark>match</mark> some words before it and more of …',
	],
	[
		'a long text is where most words match',
		`\u0001one\u0002 ${filler.repeat(9)}\u0001one\u0002 \u0001two\u0002 the end`,
		'… of them after that too some words before it and more of them after that too <mark>one</mark> <mark>two</mark> the end',
	],
	[
		'an endless word is cut, and its mark closed',
		`\u0001${'x'.repeat(300)}\u0002`,
		`<mark>${'x'.repeat(119)}</mark> …`,
	],
])('the passage of %s', (_what, text, html) => {
	expect(highlightPassage(text, 120)).toBe(html)
})
