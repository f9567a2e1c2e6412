import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { textOfHtml } from '~/lib/html.ts'
import { db } from '~/platform/db/db.server.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { renderMarkdown } from './render.server.ts'

useDatabase()

async function storedTextOf(html: string): Promise<string> {
	const { rows } = await sql<{ text: string }>`select text_of_html(${html}) as text`.execute(db())
	return (rows[0]?.text ?? '').replace(/\s+/g, ' ').trim()
}

test.each([
	['a fence', 'Why?\n\n```python\na = [3,1,2]\n```\nSo?', 'Why? a = [3,1,2] So?', 'Why? So?'],
	['a table', '| a | b |\n|---|:-:|\n| | 2 |\n\nEnd', 'a b 2 End', 'a b 2 End'],
	['lists', '- one\n* two\n\n1. three\n   - [four](https://a.example)', 'one two three four', 'one two three four'],
	['tasks', '- [ ] one\n- [x] two\n\n1. [x] three', 'one two three', 'one two three'],
	['headings and quotations', '# A\n> b\n\nC\n---', 'A b C', 'A b C'],
	[
		'marks within a word',
		'**bold**ly, `a || b`, ~~no~~, x<sup>2</sup>',
		'boldly, a || b, no, x2',
		'boldly, a || b, no, x2',
	],
	['what looks like markup', '&lt;b&gt; & "c" &amp;lt; 1 < 2', '<b> & "c" &lt; 1 < 2', '<b> & "c" &lt; 1 < 2'],
	[
		'formulas',
		'If $\\frac{a}{b} < c$ and $x$:\n\n$$\n\\sqrt{2} < 1 \\$\n$$\n\n```math\n\\frac{1}\n```\n\nEnd',
		'If $\\frac{a}{b} < c$ and $x$: $\\sqrt{2} < 1 \\$$ \\frac{1} End',
		'If $\\frac{a}{b} < c$ and $x$: $\\sqrt{2} < 1 \\$$ $\\frac{1}$ End',
	],
	['references and pictures', '[a][1] ![p](/media/p.png)\n\n[1]: https://b.example', 'a', 'a'],
])('%s becomes plain text in passages and in excerpts', async (_what, markdown, passage, excerpt) => {
	const { html, text } = await renderMarkdown(markdown)
	expect([textOfHtml(html), await storedTextOf(html), text]).toEqual([passage, passage, excerpt])
})

test.each([
	['a tag', '<p>One <a href="https://a.exam', 'One'],
	['an entity', '<p>One &am', 'One'],
	['a formula', '<p>One <math><semantics><mi>x</mi><annotation encoding="app', 'One'],
	[
		'the source of a formula',
		'<math><semantics><mi>x</mi><annotation encoding="application/x-tex">x + \\al',
		'$x + \\al',
	],
])('HTML that is cut within %s ends before it', async (_what, html, text) => {
	expect(await storedTextOf(html)).toBe(text)
})
