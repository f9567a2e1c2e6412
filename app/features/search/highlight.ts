import { escapeHtml } from '~/lib/html.ts'

/** The two characters that PostgreSQL puts round a match, and the one that `search_text` ends a rewritten word with. */
export const start = '\u0001'
export const stop = '\u0002'
const end = '\u0003'

/** How PostgreSQL marks a text whole, for `ts_headline`. No text holds these characters, so that escaping can come after. */
export const highlightOptions = `HighlightAll=true,StartSel=${start},StopSel=${stop}`

/** The words that `search_text` (migrations) wrote anew, and what they were; a mark may stand before a word's end. */
const rewritten: [RegExp, string][] = [
	[new RegExp(`([cC])qplusplus(${stop}?)${end}`, 'g'), '$1++$2'],
	[new RegExp(`([cCfF])qsharp(${stop}?)${end}`, 'g'), '$1#$2'],
	[new RegExp(`(asp)${end}(${start}?)dotq(net)`, 'gi'), '$2$1.$3'],
	[/dotq(net)/gi, '.$1'],
]

/** A text that PostgreSQL marked over `search_text`, as safe HTML: words as they were typed, escaped, matches in `<mark>`. */
export function highlight(text: string): string {
	return toHtml(typed(text))
}

/** As {@link highlight}, but only the passage that holds most of what was searched for; its beginning when nothing matches. */
export function highlightPassage(text: string, length = 280): string {
	const whole = typed(text)
	if (whole.length <= length) return toHtml(whole)
	const from = wordFrom(whole, bestIndex(whole, length) - lead)
	const to = whole.length - from <= length ? whole.length : whole.lastIndexOf(' ', from + length)
	const cut = whole.slice(from, to > from ? to : from + length).toWellFormed()
	// A word without a space in reach may be cut in its middle.
	const open = cut.lastIndexOf(start) > cut.lastIndexOf(stop) ? stop : ''
	return toHtml(`${from > 0 ? '… ' : ''}${cut}${open}${to < whole.length ? ' …' : ''}`)
}

/** Characters to show before a match, so that it can be understood. */
const lead = 80

/** Where a match stands that has the most different ones near it. */
function bestIndex(text: string, length: number): number {
	const matches = [...text.matchAll(match)].map((found) => ({ index: found.index, word: found[0].toLowerCase() }))
	let best = { index: 0, words: 0 }
	for (const [number, { index }] of matches.entries()) {
		const near = matches.slice(number, number + 20).filter((other) => other.index < index + length - lead)
		const words = new Set(near.map(({ word }) => word)).size
		if (words > best.words) best = { index, words }
	}
	return best.index
}

const match = new RegExp(`${start}[^${stop}]+`, 'g')

/** The place of the first word that begins at or after `index`. */
function wordFrom(text: string, index: number): number {
	return index <= 0 ? 0 : text.indexOf(' ', index - 1) + 1
}

function typed(text: string): string {
	const original = rewritten.reduce((rest, [word, before]) => rest.replace(word, before), text)
	return original.replaceAll(end, '').replace(/\s+/g, ' ').trim()
}

function toHtml(text: string): string {
	return escapeHtml(text).replaceAll(start, '<mark>').replaceAll(stop, '</mark>')
}
