/** Characters on each side of a matching word. */
const CONTEXT = 32

/** A word, normalized like terms as far as JavaScript can; the database's `unaccent` knows more letters. */
function plain(text: string): string {
	const bare = text.normalize('NFKD').replace(/[\u0300-\u036f]/g, '')
	return bare.normalize('NFKC').toLowerCase()
}

/** Words, and those that hyphens join, which are also found as one: “co-founder” by “cofounder”. */
const words = /[\p{L}\p{M}\p{N}+#]+/gu
const compounds = /\p{L}[\p{L}\p{M}\p{N}+#]*(?:-\p{L}[\p{L}\p{M}\p{N}+#]*)+/gu

/** Where a text has a word, as the index splits texts; undefined where it does not. */
function placeOf(text: string, key: string): { at: number; end: number } | undefined {
	const found = [...text.matchAll(words), ...text.matchAll(compounds)].find(
		([each]) => plain(each) === key || plain(each).replaceAll('-', '') === key,
	)
	return found && { at: found.index, end: found.index + found[0].length }
}

/** Whether a text has a word. @param key the word, normalized as those of search documents */
export function hasWord(text: string, key: string): boolean {
	return placeOf(text, key) !== undefined
}

/**
 * The words around a match in a text, with an ellipsis at each truncated end. Within a long address it begins with the match.
 * @param key the word, normalized as those of search documents
 */
export function excerptAround(text: string, key: string): string {
	const line = text.replace(/\s+/g, ' ').trim()
	const { at, end } = placeOf(line, key) ?? { at: 0, end: 0 }
	const space = line.indexOf(' ', at - CONTEXT) + 1
	const from = at <= CONTEXT ? 0 : space > 0 && space <= at ? space : at
	const last = end + CONTEXT
	const to = last >= line.length ? line.length : Math.max(line.lastIndexOf(' ', last), end)
	return `${from > 0 ? '…' : ''}${line.slice(from, to)}${to < line.length ? '…' : ''}`
}
