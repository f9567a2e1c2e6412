import { type Operator, parseSearch, withoutOperator } from './parse.ts'
import type { SearchTools } from './search.view.ts'
import { type Doubtful, findSpellings } from './spelling.queries.server.ts'

/** Fewer results than these make a typo likely. */
const few = 3

/** @param found how many results its first page has; null on later pages, which offer no other spelling */
export async function searchTools(search: string, found: number | null): Promise<SearchTools> {
	const parsed = parseSearch(search)
	const operators = parsed.operators.map((operator) => ({
		text: `${operator.excluded ? '-' : ''}${operator.kind}:${operator.value}`,
		without: withoutOperator(parsed, operator),
	}))
	return { operators, instead: found !== null && found < few ? await betterSpelling(search) : null }
}

/** Parts of a search that are looked at. */
const MAX_DOUBTFUL = 8

/**
 * The search that may have been meant by one that finds nothing or little: words, tags and usernames that find nothing
 * by themselves are replaced by one like them that does. Phrases and what is left out stay as they are.
 * @returns the whole search anew, or null when there is nothing better
 */
export async function betterSpelling(search: string): Promise<string | null> {
	const { parts, operators } = parseSearch(search)
	const doubts = parts.map((part) => doubtIn(part, operators))
	const found = await findSpellings(doubts.filter((doubt) => doubt !== null).slice(0, MAX_DOUBTFUL))
	if (found.length === 0) return null
	const corrected = parts.map((part, index) => {
		const doubt = doubts[index]
		const meant = doubt && found.find(({ kind, text }) => kind === doubt.kind && text === doubt.text)?.meant
		if (!meant) return part
		return doubt.kind === 'word' ? meant : `${doubt.kind}:${meant}`
	})
	return corrected.join(' ')
}

function doubtIn(part: string, operators: Operator[]): Doubtful | null {
	const operator = operators.find(({ text }) => text === part)
	if (operator) {
		const { kind, value, excluded } = operator
		return !excluded && (kind === 'tag' || kind === 'user') ? { kind, text: value } : null
	}
	return /^[\p{L}'’-]{4,40}$/u.test(part) && !part.startsWith('-') ? { kind: 'word', text: part.toLowerCase() } : null
}
