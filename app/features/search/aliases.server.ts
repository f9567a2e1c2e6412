import { stem } from 'porter2'
import { findTerm } from '~/features/terms/terms.server.ts'

/** The words that PostgreSQL leaves out of documents and searches: english.stop. */
const leftOut = new Set(
	`i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its itself
	they them their theirs themselves what which who whom this that these those am is are was were be been being have has had having
	do does did doing a an the and but if or because as until while of at by for with about against between into through during
	before after above below to from up down in out on off over under again further then once here there when where why how all any both
	each few more most other some such no nor not only own same so than too very
	s t can will just don should now`.split(/\s+/),
)

const aliasLike = /^[\p{L}\p{N}]+(?:-\p{L}+)*$/u

/** In the index, a hyphen joins words. */
const joined = (text: string) => text.toLowerCase().replaceAll('-', '')

/** The stems of a name that the index has. */
export function stemsOf(name: string): string[] {
	const words = joined(name).match(/[\p{L}\p{N}]+/gu) ?? []
	return words.filter((word) => !leftOut.has(word)).map(stem)
}

/**
 * The name of the term of which a word is an alias, as `k8s` is one of Kubernetes; a name with a hyphen also with a blank instead, as many
 * texts have it.
 * @returns nothing for other words, for one that the name contains, as the name would find nothing more, and for one that the index leaves
 * out, as the name would be required: “is it slow”, where “IT” is an alias
 */
export function namesOfAlias(word: string): string[] {
	const alias = joined(word)
	const name = aliasLike.test(word) && alias.length > 1 && !leftOut.has(alias) ? findTerm(word)?.name : undefined
	if (name === undefined) return []
	const names = [...new Set([name, name.replace(/(?<=\p{L})-(?=\p{L})/gu, ' ')])]
	return names.flatMap(stemsOf).includes(stem(alias)) ? [] : names
}
