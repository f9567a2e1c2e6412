import { expect, test } from 'vitest'
import { textOfHtml } from '~/lib/html.ts'
import { MAX_FORMULA_DEPTH, MAX_FORMULA_LENGTH, MAX_FORMULAS } from './mathml.server.ts'
import { renderMarkdown } from './render.server.ts'

/** The HTML with every formula as its source between ⟦ and ⟧, ⟪ and ⟫ for one that is displayed. */
async function sourcesIn(markdown: string): Promise<string> {
	const { html } = await renderMarkdown(markdown)
	return html
		.replace(
			/<math( display="block")?>.*?<annotation[^>]*>(.*?)<\/annotation><\/semantics><\/math>/gs,
			(_, display, tex) => (display ? `⟪${tex}⟫` : `⟦${tex}⟧`),
		)
		.replace(/<figure class="formula" tabindex="0">(.*?)<\/figure>/gs, 'block:$1')
}

test.each([
	['TeX', 'so $a_1 * b_2 * c$.', '<p>so ⟦a_1 * b_2 * c⟧.</p>'],
	[
		'letters, numbers and what joins them',
		'an $n$-gon, $2n$, $f(x)$, $a = b+1$, $O(n)$',
		'<p>an ⟦n⟧-gon, ⟦2n⟧, ⟦f(x)⟧, ⟦a = b+1⟧, ⟦O(n)⟧</p>',
	],
	[
		'what Markdown would read',
		'$|\\psi_0\\rangle * \\langle\\psi_1|*$ and *it*',
		'<p>⟦|\\psi_0\\rangle * \\langle\\psi_1|*⟧ and <em>it</em></p>',
	],
	['dollars within', '$\\text{cost} = \\$5$', '<p>⟦\\text{cost} = \\$5⟧</p>'],
	['an index after a letter', 'CO$_2$, 10$^{-3}$, x$\\neq$ y', '<p>CO⟦_2⟧, 10⟦^{-3}⟧, x⟦\\neq⟧ y</p>'],
	['names with an index', '$CNOT_{12}H_1$ and $x_{max}$', '<p>⟦CNOT_{12}H_1⟧ and ⟦x_{max}⟧</p>'],
	['marks of code', 'a $`x`$ and $` a b `$', '<p>a ⟦x⟧ and ⟦a b⟧</p>'],
	['a display within a paragraph', 'so $$x_1$$ is', '<p>so ⟪x_1⟫ is</p>'],
	['over two lines', '$a +\n\\beta$', '<p>⟦a +\n\\beta⟧</p>'],
	['a block', 'So\n$$\nx = 1\n$$\nis', '<p>So</p>\nblock:⟪x = 1⟫\n<p>is</p>'],
	['a block with empty lines', '$$\n\nx\n\n+ y\n\n$$', 'block:⟪x\n\n+ y⟫'],
	['a block in one line', '$$x$$', 'block:⟪x⟫'],
	['a block that begins and ends within lines', '$$x\n+ y$$', 'block:⟪x\n+ y⟫'],
	['a block called math', '```math\nx < y\n```', 'block:⟪x &lt; y⟫'],
	[
		'a block in a list and a quotation',
		'- a\n  $$\n  x\n  $$\n\n> $$\n> y\n> $$',
		/block:⟪x⟫[\s\S]*<blockquote>\s*block:⟪y⟫/,
	],
	[
		'a heading, a cell and a link',
		'# $x$\n\n|$y$|\n|-|\n|$z_1$|\n\n[$w$](https://a.example)',
		/<h3>⟦x⟧<\/h3>[\s\S]*<th>⟦y⟧<\/th>[\s\S]*<td>⟦z_1⟧<\/td>[\s\S]*>⟦w⟧<\/a>/,
	],
])('%s is a formula', async (_what, markdown, html) => {
	expect(await sourcesIn(markdown)).toEqual(typeof html === 'string' ? html : expect.stringMatching(html))
})

test.each([
	'between $5 and $10, or $5_000 a year and $6_000 the next',
	'US$5^2 or A$5_a$6',
	'$5-$10, $5/$6, $1.50$2',
	'cost is $5, price is 10$.',
	'$5k_min, $10k_max',
	'set $PATH_A:$PATH_B and $HOME',
	// biome-ignore lint/suspicious/noTemplateCurlyInString: a shell's
	'echo $USER_ID$GROUP_ID, ${HOME}/${USER_NAME}, ${a_b}$',
	'run "$(cat a_b)" and "$(cat c_d)"',
	'$_POST[\'a_b\'].$_GET["c"] or $_SESSION["a"] != "$"',
	'$this->first_name = $other->last_name;$',
	'$user_name$ and %user_name%',
	'$("#a_b").hide() and $(".c_d").show()',
	'$(this).a_b, $.ajax_x, jQuery$',
	'`$a_1` and `$b_1$`',
	'a regex: ^[a-z_]+$|^\\d{2}$',
	'\\$a_1$ and $a_1\\$',
	'$ a_1$ and $a_1 $',
	'\\\\host\\c$\\a and \\\\host\\d$\\b',
	'$$ and $$$ and $$$$',
	'$$$\nmoney_1\n$$$',
	'$$ is the process\n\nand $$ again_1',
	'`echo $$`\n\n$$\nnever closed_1',
	'    $$\n    a_1\n    $$',
	'```sh\necho $a_1$\n$$\n```',
	'$name$, $word word$, $ab$',
])('%j has no formula', async (markdown) => {
	expect((await renderMarkdown(markdown)).html).not.toMatch(/<math|formula/)
})

test('a formula is MathML without styles, with its source', async () => {
	const { html, text } = await renderMarkdown(
		'Is $\\frac{a}{2}$?\n\n$$\n\\begin{aligned} a &= b \\\\ c &= \\boxed{d} \\end{aligned}\n$$',
	)
	expect(html.split('\n')[0]).toBe(
		'<p>Is <math><semantics><mfrac><mi>a</mi><mn>2</mn></mfrac><annotation encoding="application/x-tex">\\frac{a}{2}</annotation></semantics></math>?</p>',
	)
	expect(html).toMatch(
		/<figure class="formula" tabindex="0"><math display="block">.*<mtd class="tml-right no-left no-right">/s,
	)
	expect(html).toContain('<mrow scriptlevel="0" displaystyle="true" class="tml-fbox">')
	expect(html).not.toContain(' style=')
	expect(text).toBe('Is $\\frac{a}{2}$? $\\begin{aligned} a &= b \\\\ c &= \\boxed{d} \\end{aligned}$')
})

test.each([
	[
		'an unknown command',
		'$\\nonsense_1$',
		/^<p><span class="formula-error" title="[^"]*\\nonsense[^"]*"><code>\$\\nonsense_1\$<\/code><\/span><\/p>$/,
	],
	[
		'a brace too few, displayed',
		'a $$\\frac{1$$',
		/<span class="formula-error" title="[^"]+"><code>\$\$\\frac\{1\$\$<\/code>/,
	],
	[
		'a brace too few, as a block',
		'$$\n\\frac{1\n$$',
		/^<figure class="code"><header><span>Formula: [^<]+<\/span><\/header><pre tabindex="0"><code>\\frac\{1<\/code>/,
	],
	['a definition', '$\\def\\a{b}\\a$', /title="\\def is not possible here\."/],
	['an address', '$\\href{https://a.example}{x}$', /title="\\href is not possible here\."/],
	['a macro without end', '$\\newcommand{\\a}{\\a\\a}\\a$', /title="\\newcommand is not possible here\."/],
	[
		'more characters than a formula has',
		`$$\n${'x+'.repeat(MAX_FORMULA_LENGTH / 2)}x\n$$`,
		/Formula: It has more than 2000 characters\./,
	],
	[
		'braces deeper than markup may be',
		`$$\n${'\\sqrt{'.repeat(MAX_FORMULA_DEPTH)}x${'}'.repeat(MAX_FORMULA_DEPTH)}\n$$`,
		/Formula: It is too large\./,
	],
	['braces deeper than a stack', `$$\n${'{'.repeat(990)}x${'}'.repeat(990)}\n$$`, /<figure/],
	[
		'one formula too many',
		'$x_1$ '.repeat(MAX_FORMULAS + 1),
		/<\/math> <span class="formula-error" title="The text has too many formulas before it\."><code>\$x_1\$<\/code>/,
	],
])('%s is shown as its source, with the reason', async (_what, markdown, html) => {
	expect((await renderMarkdown(markdown)).html).toMatch(html)
})

test('a diagram is shown as its source; videos and audio are links', async () => {
	const { html } = await renderMarkdown(
		'```mermaid\ngraph TD; A-->B\n```\n\n![talk](https://a.example/t.mp4) ![](x.mp3)',
	)
	expect(html).toMatch(/^<figure class="code"><header><span>Mermaid<\/span><\/header>/)
	expect(html.replace(/<[^>]*>/g, '')).toContain('graph TD; A--&gt;B')
	expect(html).toContain('<a href="https://a.example/t.mp4" rel="nofollow ugc noopener">Video from a.example: talk</a>')
	expect(html).toContain('<a href="x.mp3" rel="nofollow ugc noopener">Audio</a>')
	expect(html).not.toMatch(/<(img|video|audio|svg)/)
})

test.each([
	['before its source', '<p>One <math><semantics><mi>x</mi><annotation enc', 'One'],
	['in its source', '<p>One <math><semantics><mi>x</mi><annotation encoding="application/x-tex">x + y', 'One $x + y'],
])('HTML that is cut within a formula, %s, leaves no letters of it', (_what, html, text) => {
	expect(textOfHtml(html)).toBe(text)
})
