import { stem } from 'porter2'
import { findTerm } from '~/features/terms/terms.server.ts'

/** Words that PostgreSQL leaves out of a search, and that may be an alias, as “IT”: then the name would be required. */
const leftOut =
	/^(?:am|an|and|any|are|as|at|be|been|but|by|can|did|do|does|don|few|for|from|had|has|have|he|her|here|him|his|how|if|in|into|is|it|its|just|me|more|most|my|no|nor|not|now|of|off|on|once|only|or|our|out|own|same|she|so|some|such|than|that|the|them|then|they|this|to|too|up|very|was|we|were|what|when|who|why|will|with|you|your)$/

const aliasLike = /^[\p{L}\p{N}]+(?:-\p{L}+)*$/u

/** In the index, a hyphen joins words. */
const joined = (text: string) => text.toLowerCase().replaceAll('-', '')

/**
 * The name of the term of which a word is an alias, as `k8s` is one of Kubernetes, in the syntax of `websearch_to_tsquery`.
 * @returns null for other words, and for one that the name contains, as the name would find nothing more
 */
export function nameOfAlias(word: string): string | null {
	const alias = joined(word)
	if (!aliasLike.test(word) || alias.length < 2 || leftOut.test(alias)) return null
	const name = findTerm(word)?.name
	if (name === undefined) return null
	const parts = joined(name).match(/[\p{L}\p{N}]+/gu) ?? []
	if (parts.some((part) => stem(part) === stem(alias))) return null
	return /^\p{L}+$/u.test(name) ? name : `"${name}"`
}
