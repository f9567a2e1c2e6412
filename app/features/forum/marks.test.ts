import { expect, test } from 'vitest'
import { marked } from './marks.ts'

test.each([
	['a match', 'the \u0001useEffect\u0002 hook', 'the <mark>useEffect</mark> hook'],
	['markup around a match', '<b>\u0001"a"\u0002</b> & c', '&lt;b&gt;<mark>&quot;a&quot;</mark>&lt;/b&gt; &amp; c'],
	['C++, marked', 'in \u0001Cqplusplus\u0002\u000311', 'in <mark>C++</mark>11'],
	['C# and F#, not marked', 'cqsharp\u0003 and Fqsharp\u0003', 'c# and F#'],
	['.NET, marked', 'on \u0003\u0001dotqNET\u0002\u0003.', 'on <mark>.NET</mark>.'],
	['ASP.NET, marked', 'on ASP\u0003\u0001dotqNet\u0002\u0003.', 'on <mark>ASP.Net</mark>.'],
	['lines', 'a\n\n  b ', 'a b'],
])('%s is shown as it was typed', (_what, headline, html) => {
	expect(marked(headline)).toBe(html)
})
