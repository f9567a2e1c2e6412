// npm run bench:markdown: the cost of rendering hostile texts, in processor milliseconds, and the ratio of 64 KB to 8 KB. Linear work gives
// 8.
import renderTask from '../app/platform/markdown/render-worker.server.ts'

const rounds = 5
const timesInRound = 4

/** Hostile patterns to repeat: unclosed openings, deep nesting, many tokens of one kind, and code that is slow to highlight. */
const repeated: Record<string, string> = {
	brackets: '[',
	pictures: '![](',
	links: '[a](',
	references: '[a]: b\n',
	emphasis: '*a_',
	'unclosed emphasis': '_*',
	'code marks': '`',
	'unclosed tags': '<a ',
	tags: '<a>',
	'nested tags': '<b><i>',
	'closing tags': '</p>',
	'quoting tags': '<blockquote>',
	'listing tags': '<ul><li>',
	'pre tags': '<pre>\n',
	comments: '<!--',
	angles: '<',
	entities: '&amp;',
	'nested items': '- ',
	items: '- a\n',
	'numbered items': '1. a\n',
	quotes: '> ',
	'quoted lines': '> a\n\n',
	headings: '# a\n',
	rules: '---\n',
	paragraphs: 'a\n\n',
	breaks: 'a  \n',
	'indented code': '    x\n',
	'blocks of code': '```js\nconst a = `x` /* a */\n```\n',
	'small blocks': '```\n```\n',
	'tables of two': '|a|b|\n|-|-|\n',
	addresses: 'http://a.b ',
	formulas: '$a_',
	'escaped formulas': '$\\a ',
	'small formulas': '$x_1$ ',
	fractions: '$\\frac{1}{2}$ ',
	'blocks of formulas': '$$\nx\n$$\n',
	'open blocks of formulas': '$$\n',
	mentions: '@ab ',
}

/** Hostile texts that are not just repetitions, by length in characters. */
const composed: Record<string, (length: number) => string> = {
	'one formula': (length) => `$$\n${repeat('x_1+', Math.min(length, 1_990))}\n$$`,
	'long formulas': (length) => repeat(`$$\n${repeat('\\sqrt{x}', 1_980)}\n$$\n\n`, length),
	'one table': (length) => `|a|b|\n|-|-|\n${repeat('|x|y|\n', length)}`,
	'a wide table': (length) => `${repeat('|a', length / 2)}\n${repeat('|-', length / 2)}`,
	'an open address': (length) => `http://${repeat('a(', length)}`,
	'growing code marks': (length) => grow(length, (step) => `${'`'.repeat(step)} `),
	'ever deeper items': (length) => grow(length, (step) => `${' '.repeat(step)}- x\n`),
	'a long line of code': (length) => `\`\`\`js\n${repeat('a', length)}\n\`\`\``,
	'strings in code': (length) => coloured('js', '`${', length),
	'arrows in code': (length) => coloured('js', '/*(((x=>{"\n', length),
	'patterns in code': (length) => coloured('js', `a=/${'('.repeat(380)}\n`, length),
	'spaces in code': (length) => coloured('js', `${' '.repeat(390)}x\n`, length),
	'types in code': (length) => coloured('ts', `${'<'.repeat(200)}a(\n`, length),
	'generics in Java': (length) => coloured('java', 'a<b<c<(((\n', length),
	'generics in C#': (length) => coloured('csharp', `${'a<'.repeat(190)}\n`, length),
	'names in C++': (length) => coloured('cpp', `${'a::b<c::'.repeat(48)}\n`, length),
	'formats in Python': (length) => coloured('python', `${'f"{f('.repeat(78)}\n`, length),
	'scripts in HTML': (length) => coloured('html', `${'<script><style>'.repeat(26)}\n`, length),
	'Markdown in Markdown': (length) => coloured('markdown', `${'[[*_'.repeat(97)}\n`, length),
}

process.stdout.write('| 64 KB of | 8 KB, ms | 64 KB, ms | ratio |\n|---|---|---|---|\n')
const kinds = Object.entries(repeated).map(([name, part]) => [name, (length: number) => repeat(part, length)] as const)
let highest = 0
for (const [name, make] of [...kinds, ...Object.entries(composed)]) {
	const [small, large] = [await fastest(make(8 * 1024)), await fastest(make(64 * 1024))]
	highest = Math.max(highest, large)
	process.stdout.write(`| ${name} | ${small.toFixed(1)} | ${large.toFixed(1)} | ${(large / small).toFixed(1)} |\n`)
}
process.stdout.write(`\nThe most expensive: ${highest.toFixed(0)} ms.\n`)

function repeat(part: string, length: number): string {
	return part.repeat(Math.ceil(length / part.length)).slice(0, length)
}

function grow(length: number, part: (step: number) => string): string {
	let text = ''
	for (let step = 1; text.length < length; step += 1) text += part(step)
	return text.slice(0, length)
}

/** As much code as is highlighted at most, then the same length as plain text. */
function coloured(language: string, part: string, length: number): string {
	const block = `\`\`\`${language}\n${repeat(part, Math.min(length, 19_900))}\n\`\`\`\n`
	return repeat(block, length)
}

/**
 * The fastest of several rounds, in processor milliseconds, so that other programs do not count. A round renders the text several times, as
 * some systems count in steps of 4 ms.
 */
async function fastest(text: string): Promise<number> {
	let best = Number.POSITIVE_INFINITY
	for (let round = 0; round < rounds; round += 1) {
		const began = process.threadCpuUsage()
		for (let time = 0; time < timesInRound; time += 1)
			await renderTask({ markdown: text, language: '', topHeading: 3, people: new Set() })
		const { user, system } = process.threadCpuUsage(began)
		best = Math.min(best, (user + system) / 1_000 / timesInRound)
	}
	return best
}
