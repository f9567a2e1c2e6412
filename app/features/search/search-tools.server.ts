import { parseSearch, withoutOperator } from './parse.ts'
import type { SearchTools } from './search.view.ts'
import { betterSpelling } from './spelling.server.ts'

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
