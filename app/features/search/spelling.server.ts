import { type Operator, type ParsedSearch, parseSearch, type Term } from './parse.ts'
import { type Doubtful, findMeant, type Meant } from './spelling.queries.server.ts'

/** A search whose words all find something. */
export interface Correction {
	parsed: ParsedSearch
	/** Lists of longer words that a part of a word stands for, of each of which one must be there too. */
	alternatives: string[][]
	/** The search anew where words were taken for mistyped; null where parts of words were completed only. */
	search: string | null
}

/** Parts of a search that are looked at. */
const MAX_DOUBTFUL = 8

/**
 * What may have been meant by a search that finds nothing: words, tags and usernames that find nothing by themselves are
 * replaced by those like them that do. Phrases and what is left out stay as they are.
 * @returns null when there is nothing better
 */
export async function correctSearch({ terms, operators, parts }: ParsedSearch): Promise<Correction | null> {
	const doubts = [...terms.map(doubtInTerm), ...operators.map(doubtInOperator)].filter((doubt) => doubt !== null)
	const found = await findMeant(doubts.slice(0, MAX_DOUBTFUL))
	if (found.length === 0) return null
	const canChoose = !terms.some(({ kind }) => kind === 'or')
	const completed = canChoose ? found.filter(isCompletion) : []
	const mistyped = found.filter((each) => !completed.includes(each))
	const search = parts.map((part) => corrected(part, mistyped, operators)).join(' ')
	const parsed = parseSearch(search)
	const isCompleted = (term: Term) => term.kind === 'word' && completed.some(({ text }) => text === bare(term.text))
	return {
		parsed: { ...parsed, terms: parsed.terms.filter((term) => !isCompleted(term)) },
		alternatives: completed.map(({ meant }) => meant),
		search: mistyped.length > 0 ? search : null,
	}
}

/** Whether what was meant holds what was typed. */
function isCompletion({ kind, text, meant }: Meant): boolean {
	return kind === 'word' && meant[0]?.includes(text) === true
}

function corrected(part: string, found: Meant[], operators: Operator[]): string {
	const operator = operators.find(({ text }) => text === part)
	const kind = operator?.kind ?? 'word'
	const text = operator?.value ?? bare(part)
	const meant = found.find((each) => each.kind === kind && each.text === text)?.meant[0]
	if (!meant || operator?.excluded) return part
	return operator ? `${kind}:${meant}` : meant
}

/** A word without the marks round it. */
function bare(text: string): string {
	return text.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{M}\p{N}+#]+$/gu, '')
}

function doubtInTerm(term: Term): Doubtful | null {
	const text = bare(term.text)
	const isWord = term.kind === 'word' && /^[\p{L}\p{M}\p{N}'’+#-]{3,40}$/u.test(text)
	return isWord ? { kind: 'word', text } : null
}

function doubtInOperator({ kind, value, excluded }: Operator): Doubtful | null {
	return !excluded && (kind === 'tag' || kind === 'user') ? { kind, text: value } : null
}
