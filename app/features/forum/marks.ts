/** The two characters that PostgreSQL puts round a match; no stored text holds them. */
const start = '\u0001'
const stop = '\u0002'

/** Words that the text search writes in its own way; they are marked as they stand in the text. */
const special = /(?<![\w])(c\+\+|c#|f#|(?:asp)?\.net)(?![\w])/gi

/**
 * A headline of PostgreSQL as safe HTML: everything escaped, matches in `<mark>`.
 * @param search what was searched for, as typed
 */
export function marked(headline: string, search: string): string {
	const wanted = new Set([...search.matchAll(special)].map((match) => match[0].toLowerCase()))
	const text = headline.replaceAll(start + stop, '')
	const withSpecial = text.replace(special, (word) => (wanted.has(word.toLowerCase()) ? start + word + stop : word))
	return escape(withSpecial).replaceAll(start, '<mark>').replaceAll(stop, '</mark>')
}

function escape(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
