import { type ParsedSearch, parseSearch } from './parse.ts'
import { isSignificant } from './spelling.queries.server.ts'

/** Also without the apostrophe. PostgreSQL knows only some of them as stop words. “Im” and “id” may be names. */
const contraction =
	/^(?:(?:(?:ai|are|ca|could|did|does|do|had|has|have|is|must|need|should|was|were|wo|would)n['’]?t)|(?:i|you|we|they|he|she|it|that|what|who|there)['’](?:d|ll|m|re|s|ve)|youre|theyre|whats|thats)[.,!?]*$/i

/**
 * Parses a search of questions' texts, which may write “does not”: contractions are left out, if a significant word is left.
 * With an `or`, one of them may be the only word on its side. Members and projects are searched for with all words: “Rita Cant”.
 * At most one statement.
 */
export async function parseForTexts(search: string): Promise<ParsedSearch> {
	const parsed = parseSearch(search)
	const others = parsed.terms.filter(({ kind, text }) => kind !== 'word' || !contraction.test(text))
	if (others.length === parsed.terms.length || others.some(({ kind }) => kind === 'or')) return parsed
	const wanted = others.filter(({ kind }) => kind !== 'without').map(({ source }) => source)
	return (await isSignificant(wanted.join(' '))) ? { ...parsed, terms: others } : parsed
}
