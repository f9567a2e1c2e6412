import { expect, test } from 'vitest'
import { colour, newColouring } from './highlight.server.ts'
import { renderMarkdown } from './render.server.ts'

const code = 'int main() { return 0; }'

/* Loading a grammar takes up to 1.5 s, and no request is answered meanwhile if it is loaded in the thread of the requests. */
test.each([
	['fenced', `\`\`\`\n${code}\n\`\`\``],
	['indented', `So:\n\n    ${code}`],
	['in a tag of HTML', `So:\n\n<pre>${code}</pre>`],
	['in a tag of HTML with capitals', `So:\n\n<PRE><code>${code}</code></PRE>`],
	['indented in a quote', `> So:\n>\n>     ${code}`],
	['indented by a tab in a quote', `>\t\t${code}`],
	['indented in an item', `1.      ${code}`],
	['indented in an item of a quote', `> -     ${code}`],
])('code that is %s is highlighted in a worker thread', async (_how, text) => {
	const { html } = await renderMarkdown(text, { language: 'cpp' })
	expect(html).toContain('<span class="s-')
	expect(colour(code, 'cpp', newColouring())).toBe(code)
})
