import { escapeHtml } from '~/lib/html.ts'

/** The two characters that PostgreSQL puts round a match, and the one that `search_text` ends a rewritten word with. */
export const start = '\u0001'
export const stop = '\u0002'
const end = '\u0003'

/** The words that `search_text` (migrations) wrote anew, and what they were; a mark may stand before a word's end. */
const rewritten: [RegExp, string][] = [
	[new RegExp(`([cC])qplusplus(${stop}?)${end}`, 'g'), '$1++$2'],
	[new RegExp(`([cCfF])qsharp(${stop}?)${end}`, 'g'), '$1#$2'],
	[new RegExp(`(asp)${end}(${start}?)dotq(net)`, 'gi'), '$2$1.$3'],
	[/dotq(net)/gi, '.$1'],
]

/** A headline of PostgreSQL over `search_text` as safe HTML: words as they were typed, escaped, matches in `<mark>`. */
export function marked(headline: string): string {
	const typed = rewritten.reduce((text, [word, original]) => text.replace(word, original), headline).replaceAll(end, '')
	const spaced = typed.replace(/\s+/g, ' ').trim()
	return escapeHtml(spaced).replaceAll(start, '<mark>').replaceAll(stop, '</mark>')
}
