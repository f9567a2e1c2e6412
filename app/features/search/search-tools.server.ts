import { parseSearch, withoutOperator } from './parse.ts'
import { betterSpelling } from './spelling.server.ts'

/** What stands beside the results of a search. */
export interface SearchTools {
	/** The operators that narrow it, and the search without each. */
	operators: { text: string; without: string }[]
	/** The search that may have been meant, or null. */
	instead: string | null
}

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
