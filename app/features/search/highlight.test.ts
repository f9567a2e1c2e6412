import { expect, test } from 'vitest'
import { countMatches, highlight, highlightPassage, textOfTruncatedHtml } from './highlight.ts'

test.each([
	['a match', 'the useEffect hook', ['useeffect'], 'the <mark>useEffect</mark> hook'],
	['a part of camelCase', 'the useEffect hook', ['effect'], 'the <mark>useEffect</mark> hook'],
	['a part of a path', 'java.lang.NullPointerException', ['lang'], 'java.<mark>lang</mark>.NullPointerException'],
	['another ending', 'Undoing an undone UNDO', ['undo'], '<mark>Undoing</mark> an undone <mark>UNDO</mark>'],
	['another ending with y', 'happy happiness happen', ['happi'], '<mark>happy</mark> <mark>happiness</mark> happen'],
	['a word inside another', 'cat concatenate', ['cat'], '<mark>cat</mark> concatenate'],
	['a hyphen', 'by e-mail, e-mails', ['email'], 'by <mark>e-mail</mark>, <mark>e-mails</mark>'],
	['accents', 'a café in Brüssel', ['cafe', 'brussel'], 'a <mark>café</mark> in <mark>Brüssel</mark>'],
	[
		'ß',
		'Straßen und GROẞE Größe',
		['strassen', 'gross'],
		'<mark>Straßen</mark> und <mark>GROẞE</mark> <mark>Größe</mark>',
	],
	[
		'other letters',
		'Łódź, Ærø og smørrebrød',
		['lodz', 'aero', 'smorrebrod'],
		'<mark>Łódź</mark>, <mark>Ærø</mark> og <mark>smørrebrød</mark>',
	],
	['markup', '<b>"a"</b> & c', ['a'], '&lt;b&gt;&quot;<mark>a</mark>&quot;&lt;/b&gt; &amp; c'],
	['C++', 'in C++11', ['cqplusplus'], 'in <mark>C++</mark>11'],
	['C# and F#', 'C# and F#', ['fqsharp'], 'C# and <mark>F#</mark>'],
	['.NET', 'on .NET, not net', ['dotqnet'], 'on <mark>.NET</mark>, not net'],
	['ASP.NET', 'ASP.NET Core', ['dotqnet'], 'ASP<mark>.NET</mark> Core'],
	['a number', 'error 0x80070005 and 403', ['0x80070005', '403'], 'error <mark>0x80070005</mark> and <mark>403</mark>'],
	[
		'a number behind a hyphen',
		'UTF-8, 2026-02-8, Java-8-based',
		['8'],
		'UTF-<mark>8</mark>, 2026-02-<mark>8</mark>, Java-<mark>8-based</mark>',
	],
	['Chinese', '关于机器学习', ['机', '器'], '关于<mark>机器</mark>学习'],
	['other signs', '→ Loops ≤ loop✓ 😀loop', ['loop'], '→ <mark>Loops</mark> ≤ <mark>loop</mark>✓ 😀<mark>loop</mark>'],
	['other signs and accents', '→ café ✓', ['cafe'], '→ <mark>café</mark> ✓'],
	['other numbers', 'step ①: loop①', ['①', 'loop'], 'step <mark>①</mark>: loop①'],
	['lines', 'a\n\n  b ', [], 'a b'],
])('%s is shown as typed', (_what, text, lexemes, html) => {
	expect(highlight(text, lexemes)).toBe(html)
})

const filler = 'some words before it and more of them after that too '

test.each([
	['a short text', 'a match c', 'a <mark>match</mark> c'],
	['a long text without a match is its beginning', filler.repeat(3), `${filler.repeat(2)}some words …`],
	[
		'a long text begins a little before its match',
		`${filler.repeat(9)}match ${filler.repeat(9)}`,
		'… of them after that too some words before it and more of them after that too <mark>match</mark> some words before it and more of them …',
	],
	[
		'a long text is where most words match',
		`one ${filler.repeat(9)}one two the end`,
		'… of them after that too some words before it and more of them after that too <mark>one</mark> <mark>two</mark> the end',
	],
	[
		'a text without spaces begins a little before its match',
		`${'文'.repeat(300)}词${'字'.repeat(300)}`,
		`… ${'文'.repeat(80)}<mark>词</mark>${'字'.repeat(39)} …`,
	],
	[
		'a match in a long address is within it',
		`${filler}https://host.example/${'way/'.repeat(90)}match/${'way/'.repeat(90)} ${filler}`,
		`… ${'way/'.repeat(20)}<mark>match</mark>/${'way/'.repeat(8)}wa …`,
	],
	[
		'a match soon after a space goes to the end of its room',
		`${filler.repeat(9)}${'way/'.repeat(9)}match/${'way/'.repeat(90)}`,
		`… before it and more of them after that too ${'way/'.repeat(9)}<mark>match</mark>/${'way/'.repeat(9)} …`,
	],
	['a text of emoji is cut between them', '😀'.repeat(300), `${'😀'.repeat(60)} …`],
	[
		'a text of emoji around its match is cut between them',
		`${'😀'.repeat(300)}.词${'😀'.repeat(300)}`,
		`… ${'😀'.repeat(40)}.<mark>词</mark>${'😀'.repeat(19)} …`,
	],
	['an endless word is cut, and its mark closed', 'x'.repeat(300), `<mark>${'x'.repeat(120)}</mark> …`],
])('the passage of %s', (_what, text, html) => {
	expect(highlightPassage(text, ['match', '词', 'one', 'two', 'x'.repeat(300)], 120)).toBe(html)
})

test('one search after another, each finds its own words', () => {
	const text = 'Loops of values, and a value in a loop'
	const marked = [['loop'], ['valu'], ['loop', 'valu'], ['loop'], [], ['of']].map((lexemes) => highlight(text, lexemes))
	expect(marked).toEqual([
		'<mark>Loops</mark> of values, and a value in a <mark>loop</mark>',
		'Loops of <mark>values</mark>, and a <mark>value</mark> in a loop',
		'<mark>Loops</mark> of <mark>values</mark>, and a <mark>value</mark> in a <mark>loop</mark>',
		'<mark>Loops</mark> of values, and a value in a <mark>loop</mark>',
		text,
		'Loops <mark>of</mark> values, and a value in a loop',
	])
})

test('an excerpt is made from HTML that ends anywhere', () => {
	expect(textOfTruncatedHtml('<p>a &lt; b</p><pre cla')).toBe('a < b')
	expect(textOfTruncatedHtml('<p>a &am')).toBe('a')
	expect(textOfTruncatedHtml('<p>a &amp;lt; &#39;b&#39; &quot;c&gt; &')).toBe(`a &lt; 'b' "c>`)
	expect(textOfTruncatedHtml('<p>a</p> b <em title="')).toBe('a b')
	expect(countMatches('loops and a loop of values', ['loop', 'valu'])).toBe(2)
})
