// npm run bench:markdown: what hostile texts cost to cook, as a ratio of 64 KB to 8 KB. Linear work gives 8.
import { cook } from '../app/markdown/cook.server.ts'

const parts = [
	'[',
	'*a_',
	'`',
	'<a ',
	'- ',
	'> ',
	'|a|b|\n|-|-|\n',
	'![](',
	'&amp;',
	'http://a.b ',
	'```js\nconst a = `x` /* a */\n```\n',
]
const rounds = 5

process.stdout.write('| repeated | 8 KB, ms | 64 KB, ms | ratio |\n|---|---|---|---|\n')
for (const part of parts) {
	const [small, large] = [await fastest(part, 8 * 1024), await fastest(part, 64 * 1024)]
	const figures = [small.toFixed(1), large.toFixed(1), (large / small).toFixed(1)]
	process.stdout.write(`| ${JSON.stringify(part).replaceAll('|', '\\|')} | ${figures.join(' | ')} |\n`)
}

/** The fastest of some rounds, in milliseconds: the one that the machine disturbed least. */
async function fastest(part: string, length: number): Promise<number> {
	const text = part.repeat(Math.ceil(length / part.length)).slice(0, length)
	let best = Number.POSITIVE_INFINITY
	for (let round = 0; round < rounds; round += 1) {
		const began = performance.now()
		await cook(text)
		best = Math.min(best, performance.now() - began)
	}
	return best
}
