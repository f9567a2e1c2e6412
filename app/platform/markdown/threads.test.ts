import { bundledLanguagesInfo } from 'shiki/langs'
import type Tinypool from 'tinypool'
import { expect, test } from 'vitest'
import { remember } from '~/lib/remember.ts'
import { canLimitFiles, runWithFewFiles } from '../../../tests/support/few-files.ts'
import { highlightCode, newHighlightBudget } from './highlight.server.ts'
import { renderMarkdown } from './render.server.ts'

const code = 'int main() { return 0; }'
const fenced = (language: string) => `\`\`\`${language}\n${code}\n\`\`\``
const isHighlighted = (html = '') => html.includes('<span class="s-')
/** The thread that renders, once there is one. */
const threads = () => remember<{ pool?: Tinypool }>('markdown thread', () => ({})).pool?.threads ?? []

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
	expect(highlightCode(code, 'cpp', newHighlightBudget())).toBe(code)
})

test.runIf(canLimitFiles)(
	'where the thread cannot be started the text is refused, and the next one is rendered',
	() => {
		const { status, stdout } = runWithFewFiles(`
		const { renderMarkdown } = await import('~/platform/markdown/render.server.ts')
		const render = () => renderMarkdown('    ${code}', { language: 'cpp' }).then(({ html }) => html.includes('s-'), ({ status }) => status)
		const close = useUp()
		const refused = await render()
		close()
		process.stdout.write(JSON.stringify([refused, await render()]))
		process.exit(0)`)
		expect([status, stdout]).toEqual([0, '[503,true]'])
	},
)

test('where the thread dies its text and those that wait are refused, and the next one is rendered', async () => {
	await renderMarkdown(fenced('cpp'))
	const outcomes = Promise.allSettled([1, 2, 3].map(() => renderMarkdown(fenced('cpp'))))
	// As Node reports a thread that runs out of memory.
	threads()[0]?.emit('error', new Error('ERR_WORKER_OUT_OF_MEMORY'))
	expect((await outcomes).map((outcome) => outcome.status === 'rejected' && outcome.reason.status)).toEqual([
		503, 503, 503,
	])
	expect(isHighlighted((await renderMarkdown(fenced('cpp'))).html)).toBe(true)
})

/* A member may name all 240 languages in one text, whose grammars take 600 MB. */
test('a text has 20 languages highlighted, and a thread with the grammars of many texts is replaced', async () => {
	const names = bundledLanguagesInfo.map(({ id }) => id).filter((id) => id !== 'zig')
	const nameTwenty = (from: number) => [...names.slice(from, from + 20), 'zig'].map(fenced).join('\n\n')
	const { html } = await renderMarkdown(nameTwenty(0))
	expect(isHighlighted(html)).toBe(true)
	expect(isHighlighted(html.split('<figure').at(-1))).toBe(false)
	expect(isHighlighted((await renderMarkdown(fenced('zig'))).html)).toBe(true)
	const before = threads()[0]
	expect(before).toBeDefined()
	for (let from = 20; from < names.length && threads()[0] === before; from += 20) await renderMarkdown(nameTwenty(from))
	expect(threads()).not.toContain(before)
})
