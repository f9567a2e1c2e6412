import { expect, test } from 'vitest'
import { excerptOf, renderMarkdown } from './render.server.ts'

async function htmlOf(markdown: string, options = {}): Promise<string> {
	return (await renderMarkdown(markdown, options)).html
}

test.each([
	['a script', '<script>alert(1)</script>'],
	['a script inside markup', '<b><script>alert(1)</script></b>'],
	['a handler on a known tag', '<b onclick=alert(1)>x</b>'],
	['a handler on an image', '<img src=x onerror=alert(1)>'],
	['a handler on a link', '<a href="https://a.example" onmouseover="alert(1)">x</a>'],
	['a script address', '[x](javascript:alert(1))'],
	['a script address with entities', '[x](java&#115;cript&colon;alert(1))'],
	['a script address with control characters', '<a href="java\u0001script:alert(1)">x</a>'],
	['a script address in capitals', '<a href="JaVaScRiPt:alert(1)">x</a>'],
	['a script address with a tab', '<a href="java\tscript:alert(1)">x</a>'],
	['a script address for autolinks', '<javascript:alert(1)>'],
	['a data address', '[x](data:text/html;base64,PHNjcmlwdD4=)'],
	['a vbscript address', '[x](vbscript:msgbox(1))'],
	['a data picture', '![x](data:image/svg+xml,<svg/onload=alert(1)>)'],
	['a style', '<b style="position:fixed">x</b><style>*{display:none}</style>'],
	['a frame', '<iframe src="https://evil.example"></iframe>'],
	['a form', '<form action="https://evil.example"><input name=password></form>'],
	['foreign content', '<svg><script>alert(1)</script></svg><math><mi xlink:href="javascript:alert(1)">x</mi></math>'],
	['mutation through a comment', '<!--<img src="--><img src=x onerror=alert(1)>">'],
	['mutation through noscript', '<noscript><p title="</noscript><img src=x onerror=alert(1)>">'],
	['an unclosed attribute', '<a href="https://a.example/?" title="x\n\n<b onclick="alert(1)">x</b>'],
	['a template and a slot', '<template><img src=x onerror=alert(1)></template>'],
	['markup in a fence name', '```"><img/src/onerror=alert(1)>\nx\n```'],
	['markup in code', '```js\n</code></pre><script>alert(1)</script>\n```'],
	['markup in a link title', '[x](https://a.example "\\"><script>alert(1)</script>")'],
	['markup in an alternative text', '![\\"><script>alert(1)</script>](https://a.example/x.png)'],
	['markup in a pre', '<pre><code></code><script>alert(1)</script></pre>'],
	['markup in a formula', '$\\frac{<script>alert(1)</script>}{2}$'],
	['markup in the text of a formula', '$\\text{</mtext></math><script>alert(1)</script>}$'],
	[
		'markup in a wrong formula',
		'$\\frac{"><img src=x onerror=alert(1)>$ and\n\n$$\n\\x{"><script>alert(1)</script>\n$$',
	],
	['the end of a comment in a formula', '$x_1 --><script>alert(1)</script>$'],
	['an address in a formula', '$\\href{javascript:alert(1)}{x}$ $\\url{javascript:alert(1)}$'],
	['a picture in a formula', '$\\includegraphics[alt=x]{https://evil.example/x.png}$'],
	['a style in a formula', '$\\htmlStyle{position:fixed}{x_1}$ $\\style{position:fixed}{x_1}$'],
	['ids, classes and data in a formula', '$\\htmlId{main}{x} \\class{btn}{x} \\data{x=1}{x}$'],
	['an address by a macro', '$\\def\\a{\\href}\\a{javascript:alert(1)}{x}$'],
	['MathML that is typed', '<math><semantics><annotation-xml encoding="text/html"><img src=x onerror=alert(1)>'],
	[
		'mutation through MathML',
		'<math><mtext><table><mglyph><style><!--</style><img title="--><img src=x onerror=alert(1)>">',
	],
	['a page behind a formula', '$\\colorbox{red}{x} \\raisebox{-90em}{x} \\rule{900em}{900em} \\Huge x_1$'],
	['a script address as a video', '![x](javascript:alert(1).mp4) <img src="javascript:alert(1)//x.mp4">'],
	['a class of ours', '<span class="btn fixed">x</span><b class="toast" id="main">x</b>'],
	[
		'a field of a form',
		'- [ ] <input type=password name=password autofocus onfocus=alert(1)>\n- <input type=checkbox form=x> <b><input formaction=//evil.example type=image src=x></b>',
	],
	[
		'markup in the box of a task',
		'- [x"><script>alert(1)</script>] a\n- [<img src=x onerror=alert(1)>] b\n- [x] <script>alert(1)</script>',
	],
	['a meta refresh', '<meta http-equiv=refresh content="0;url=//evil.example"><base href="//evil.example">'],
])('%s is harmless', async (_family, markdown) => {
	const html = await htmlOf(markdown)
	// An attack is left as text only: every "<" belongs to an allowed tag, and every attribute is an allowed one.
	const tags = html.match(/<[^>]*>/g) ?? []
	for (const tag of tags) expect(tag).toMatch(harmless)
	expect(html.replace(/<[^>]*>/g, '')).not.toContain('<')
})

const value = '"[^"<>]*"'
const harmless = new RegExp(
	[
		'^</?(p|br|hr|blockquote|ul|ol|li|h[2-6]|strong|b|em|i|u|s|del|sub|sup|kbd|code|table|thead|tbody|tr|th|td|header|span|pre|figure|a)( /)?>$',
		'^</?(math|semantics|mrow|mi|mn|mo|mtext|mspace|mfrac|msqrt|mroot|msub|msup|msubsup|munder|mover|munderover|mtable|mtr|mtd|mpadded|mstyle|annotation)>$',
		'^<annotation encoding="application/x-tex">$',
		'^<(mo|mi|mrow|mstyle|mspace|mpadded|math)( (form|stretchy|fence|separator|lspace|rspace|width|height|mathvariant|displaystyle|scriptlevel|display)="[a-z0-9.+]*")+>$',
		`^<span class="formula-error" title=${value}>$`,
		'^<figure class="formula" tabindex="0">$',
		`^<a (href="(https?://|mailto:|/)[^"<>]*" )?(title=${value} )?rel="nofollow ugc noopener">$`,
		`^<img src="/media/[^"<>]*" (title=${value} )?alt=${value} loading="lazy" decoding="async" referrerpolicy="no-referrer" />$`,
		'^<figure class="code">$',
		'^<pre tabindex="0">$',
		'^<span class="s-[kfsntc]">$',
		'^<input type="checkbox" aria-label="Done" disabled( checked)? />$',
	].join('|'),
)

test.each([
	['quotes', (depth: number) => `${'>'.repeat(depth)} The end`],
	['items', (depth: number) => `${'- '.repeat(depth / 2)}The end`],
	[
		'lines of items',
		(depth: number) => Array.from({ length: depth / 2 }, (_, level) => `${'  '.repeat(level)}- The end`).join('\n'),
	],
])('the text within many nested %s is shown, however deep it is', async (_what, nested) => {
	for (const depth of [28, 30, 32, 200]) {
		const [markdown, html] = [nested(depth), await htmlOf(nested(depth))]
		expect([depth, html.match(/The end/g)?.length]).toEqual([depth, markdown.match(/The end/g)?.length])
		expect(html.startsWith('<figure class="code">')).toBe(depth >= 30)
	}
})

test('a text of 5,000 blocks is rendered, a longer one is shown as typed', async () => {
	const items = (count: number) => '- **x**\n'.repeat(count)
	const most = await htmlOf(items(2_499))
	expect(most.match(/<li>/g)).toHaveLength(2_499)
	const longer = await htmlOf(`${items(2_500)}\n<i>after</i>`)
	expect(longer).toMatch(/^<figure class="code">/)
	expect(longer).toContain('- **x**\n')
	expect(longer).toContain('&lt;i&gt;after&lt;/i&gt;')
	expect(await htmlOf(items(2))).toContain('<strong>x</strong>')
})

test('an unclosed code tag hides no closed one', async () => {
	const figures = async (markdown: string) => (await htmlOf(markdown)).match(/<pre[^>]*><code>[^<]*/g) ?? []
	expect(await figures('> <pre>open\n\n<pre>a\nb</pre>\n\n<pre>open')).toEqual(['<pre tabindex="0"><code>a\nb'])
	expect(await figures('- <pre>a\n  b</pre>\n\n<pre>open\n')).toEqual(['<pre tabindex="0"><code>a\nb'])
	expect(await figures(`${'<pre>\n'.repeat(3)}\nlast`)).toEqual([])
})

test.each([
	['emphasis', '*a* **b** ~~c~~', '<p><em>a</em> <strong>b</strong> <s>c</s></p>'],
	['hard-wrapped lines, which stay one paragraph', 'one\ntwo', '<p>one\ntwo</p>'],
	['a list', '- a\n- b', '<ul>\n<li>a</li>\n<li>b</li>\n</ul>'],
	['a quotation', '> a', '<blockquote>\n<p>a</p>\n</blockquote>'],
	[
		'a table',
		'|a|\n|-|\n|b|',
		'<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>b</td>\n</tr>\n</tbody>\n</table>',
	],
	[
		'the sides of a table’s columns',
		'| a | b | c | d |\n|---|:--|:-:|--:|\n| 1 | 2 | 3 | 4 |',
		'<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n<th class="at-center">c</th>\n<th class="at-right">d</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td>2</td>\n<td class="at-center">3</td>\n<td class="at-right">4</td>\n</tr>\n</tbody>\n</table>',
	],
	['a link', '[a](https://b.example)', '<p><a href="https://b.example" rel="nofollow ugc noopener">a</a></p>'],
	[
		'a link with its address below',
		'[a][1]\n\n[1]: https://b.example',
		'<p><a href="https://b.example" rel="nofollow ugc noopener">a</a></p>',
	],
	[
		'a bare address',
		'see https://b.example/x.',
		'<p>see <a href="https://b.example/x" rel="nofollow ugc noopener">https://b.example/x</a>.</p>',
	],
	['names that look like addresses', 'main.rs, ASP.NET, a@b.example', '<p>main.rs, ASP.NET, a@b.example</p>'],
	[
		'an old picture of another site, as a link over https',
		'![a](http://b.example/c.png)',
		'<p><a href="https://b.example/c.png" rel="nofollow ugc noopener">Picture from b.example: a</a></p>',
	],
	[
		'a picture of this site by its whole address',
		'![a](http://localhost:3000/media/posts/mira/0-1280.webp)',
		'<p><img src="/media/posts/mira/0-1280.webp" alt="a" loading="lazy" decoding="async" referrerpolicy="no-referrer" /></p>',
	],
	['a picture from elsewhere on the site', '![a](/logout)', ''],
	['a picture whose address leads elsewhere on the site', '![a](/media/../logout)', ''],
	['the same, encoded', '![a](/media/x/%2e%2E/.%2e/logout)', ''],
	[
		'the same by its whole address',
		'![a](http://localhost:3000/media/../logout)',
		'<p><a href="https://localhost:3000/media/../logout" rel="nofollow ugc noopener">Picture from localhost: a</a></p>',
	],
	['HTML line breaks and rules', 'a<br>b<hr>c', '<p>a<br />b</p><hr />c'],
	['simple HTML', '<b>a</b> <kbd>b</kbd> x<sup>2</sup>', '<p><b>a</b> <kbd>b</kbd> x<sup>2</sup></p>'],
	[
		'an HTML link with Markdown inside',
		'<a href="https://b.example" target="_blank">*a*</a>',
		'<p><a href="https://b.example" rel="nofollow ugc noopener"><em>a</em></a></p>',
	],
	['an HTML list', 'x <ul><li>a<li>b</ul>', '<p>x </p><ul><li>a</li><li>b</li></ul>'],
	[
		'tags that are talked about',
		'a List<String>, the <body> tag, one <b> tag',
		'<p>a List&lt;String&gt;, the &lt;body&gt; tag, one &lt;b&gt; tag</p>',
	],
	['a comment in HTML', 'a<!-- b -->c', '<p>ac</p>'],
	['entities', '&mdash; &lt;b&gt; &copy', '<p>— &lt;b&gt; &amp;copy</p>'],
])('%s', async (_what, markdown, html) => {
	expect(await htmlOf(markdown)).toBe(html)
})

test.each([
	['# a\n\n## b\n\n#### c\n\n# d', 3, '<h3>a</h3> <h4>b</h4> <h5>c</h5> <h3>d</h3>'],
	['### a\n\n# b', 2, '<h2>a</h2> <h2>b</h2>'],
	['<h3>a</h3>\n\n#### b', 2, '<h2>a</h2><h3>b</h3>'],
])('the headings of %j begin at level %i and skip none', async (markdown, topHeading, html) => {
	expect((await htmlOf(markdown, { topHeading })).replace(/\s+/g, ' ')).toBe(html)
})

test.each([
	['- אחת\n- two', '<ul dir="rtl"> <li>אחת</li> <li>two</li> </ul>'],
	['> 1. «سؤال»', '<blockquote dir="rtl"> <ol dir="rtl"> <li>«سؤال»</li> </ol> </blockquote>'],
	['- one\n- שתיים\n\n> 2026', '<ul> <li>one</li> <li>שתיים</li> </ul> <blockquote> <p>2026</p> </blockquote>'],
	['> 2026\n\nשלום', '<blockquote> <p>2026</p> </blockquote> <p>שלום</p>'],
	['- 1\n  > סוף', '<ul dir="rtl"> <li>1 <blockquote dir="rtl"> <p>סוף</p> </blockquote> </li> </ul>'],
])(
	'lists and quotes whose first letter is written from right to left begin on the right: %j',
	async (markdown, html) => {
		expect((await htmlOf(markdown)).replace(/\s+/g, ' ')).toBe(html)
	},
)

test('a table whose first letter is written from right to left begins on the right', async () => {
	expect(await htmlOf('| שם | n |\n|---|---|\n| א | 1 |')).toMatch(/^<table dir="rtl">/)
})

const [open, done] = ['', ' checked'].map((state) => `<input type="checkbox" aria-label="Done" disabled${state} />`)

test.each([
	[
		'- [ ] a\n- [x] **b**\n- [X] `c`',
		`<ul><li>${open}a</li><li>${done}<strong>b</strong></li><li>${done}<code>c</code></li></ul>`,
	],
	['1. [x] a\n   - [ ] b', `<ol><li>${done}a<ul><li>${open}b</li></ul></li></ol>`],
	['- [x] a\n\n- b', `<ul><li><p>${done}a</p></li><li><p>b</p></li></ul>`],
	['> * [x]   שלום', `<blockquote dir="rtl"><ul dir="rtl"><li>${done}שלום</li></ul></blockquote>`],
	[
		'- [x] [a](https://b.example)',
		`<ul><li>${done}<a href="https://b.example" rel="nofollow ugc noopener">a</a></li></ul>`,
	],
	['- [x] ', '<ul><li>[x]</li></ul>'],
	[
		'- [x]a\n- [  ] b\n- [y] c\n- d [x] e\n- \\[x] f\n- `[x] g`',
		'<ul><li>[x]a</li><li>[  ] b</li><li>[y] c</li><li>d [x] e</li><li>[x] f</li><li><code>[x] g</code></li></ul>',
	],
	['[x] a\n\n> [ ] b', '<p>[x] a</p><blockquote><p>[ ] b</p></blockquote>'],
	['- [x](https://b.example) a', '<ul><li><a href="https://b.example" rel="nofollow ugc noopener">x</a> a</li></ul>'],
])('task lists: %j', async (markdown, html) => {
	expect((await htmlOf(markdown)).replaceAll('\n', '')).toBe(html)
})

const figure = (label: string, code: string) =>
	`<figure class="code"><header><span>${label}</span></header><pre tabindex="0"><code>${code}</code></pre></figure>`

test.each([
	[
		'a fence with a name',
		'```js\nconst a = 1\n```',
		{},
		figure('JavaScript', '<span class="s-k">const</span> a = <span class="s-n">1</span>'),
	],
	[
		'a fence without, by the hint',
		'```\nconst a = 1\n```',
		{ language: 'javascript' },
		figure('JavaScript', '<span class="s-k">const</span> a = <span class="s-n">1</span>'),
	],
	[
		'an indented block, by the hint',
		'    x = "a"',
		{ language: 'python-3.x' },
		figure('Python', 'x = <span class="s-s">"a"</span>'),
	],
	...[
		'{python}',
		'{.python .numberLines}',
		'{python, echo=FALSE}',
		'python,ignore',
		'python{1,3}',
		'  Python title="x"',
	].map((info): [string, string, object, string] => [
		`the language of ${info}`,
		`\`\`\`${info}\nx = 1\n\`\`\``,
		{ language: 'r' },
		figure('Python', 'x = <span class="s-n">1</span>'),
	]),
	['a language nobody knows', '```klingon\na < b\n```', { language: 'js' }, figure('klingon', 'a &lt; b')],
	['no language at all', '```\na < b\n```', {}, figure('Code', 'a &lt; b')],
	[
		'a block of HTML with entities',
		'<pre><code>a *b*\n\n&lt;c&gt;</code></pre>',
		{},
		figure('Code', 'a *b*\n\n&lt;c&gt;'),
	],
	[
		'a comment over two lines',
		'```java\n/* a\nb */\n```',
		{},
		figure('Java', '<span class="s-c">/* a</span>\n<span class="s-c">b */</span>'),
	],
])('%s is shown as code', async (_what, markdown, options, html) => {
	expect(await htmlOf(markdown, options)).toBe(html)
})

test('the plain text contains no code blocks, addresses or markup', async () => {
	const { text } = await renderMarkdown(
		'# Why\n\nDoes `a` **fail**\nat [b](https://c.example)?<br>Yes.\n\n```\nlong code\n```\n\n- one\n- two ![p](https://d.example/p.png)',
	)
	expect(text).toBe('Why Does a fail at b? Yes. one two')
})

test('words are apart in the plain text where tags part them, and only there', async () => {
	const { text } = await renderMarkdown(
		'<h2>Why</h2>It <b>fai</b>ls<ul><li>one</li><li>two</li></ul>at<blockquote>night</blockquote>and<br></br>H<sub>2</sub>O',
	)
	expect(text).toBe('Why It fails one two at night and H2O')
})

test.each([
	['a text that fits', 'one two', 10, 'one two'],
	['a long text, after a word', 'one two three', 10, 'one two…'],
	['a text without a space', 'abcdefghijkl', 10, 'abcdefghi…'],
	['a character of two halves, never torn', '12345678😀90', 10, '12345678…'],
])('an excerpt of %s', (_what, text, length, excerpt) => {
	expect(excerptOf(text, length)).toBe(excerpt)
})

const sixtyFour = (part: string) => part.repeat(Math.ceil(65_536 / part.length))

// Each takes about a tenth of a second; the test only makes sure that none takes minutes.
test.each([
	...[
		'[',
		'![',
		'[a](',
		'> ',
		'*a _b ',
		'_*',
		'`',
		'<a ',
		'<a>',
		'<b><i>',
		'<pre>\n',
		'$a_',
		'- ',
		'|a|b|\n|-|-|\n',
		'&amp;',
		'<',
		'http://a.b ',
		'<!--',
		'</p>',
		'<ul><li>',
		'- [x] ',
		'- [ ] a\n',
	],
	...[
		'```js\nconst a = `x` /* a */ + "s"\n```\n',
		'    x\n\n',
		`\`\`\`html\n${'<script><style>'.repeat(26)}\n\`\`\`\n`,
		`\`\`\`py\n${'f"{f('.repeat(79)}\n\`\`\`\n`,
	],
])('64 KB of %.30j are rendered', async (part) => {
	// Quadratic work would exceed the test's timeout by far; npm run bench:markdown measures the actual time.
	expect(await renderMarkdown(sixtyFour(part))).toHaveProperty('html')
})

test.each([
	['empty lines', `\`\`\`\n${'\n'.repeat(200_000)}x\n\`\`\``],
	['spaces', `<pre><code>${' '.repeat(200_000)}x</pre>`],
])('many %s in a code block do not take quadratic time', async (_, markdown) => {
	const start = performance.now()
	await renderMarkdown(markdown)
	expect(performance.now() - start).toBeLessThan(5_000)
})

test.each([
	['a text meant to be slow', '['.repeat(64_000)],
	['the first block of a language', '```cpp\n#include <map>\nint main() { return 0; }\n```'],
])('%s does not block other requests', async (_, markdown) => {
	let turns = 0
	let isDone = false
	const turn = () => {
		turns += 1
		if (!isDone) setImmediate(turn)
	}
	turn()
	await renderMarkdown(markdown)
	isDone = true
	// Rendered in this thread, it would yield only to read a grammar.
	expect(turns).toBeGreaterThan(100)
})
