import { stem } from 'porter2'

/** What may follow the `s` or `z` of a verb such as “organise”. */
const verbEnding = '(e|es|ed|er|ers|ing|able|ation|ations)$'
/** Words that end like such a verb and have one spelling. */
const oneSpelling =
	/^(?:(?:.*w|.*ra|(?:de)?no|adv|advert|comprom|conc|dev|disgu|enterpr|exerc|expert|franch|prec|prem|prom|rev|superv|surpr|televis)is|(?:pr|se|(?:over|re)?s)iz)/
const our = '^((?:un|dis|mis)?(?:arm|behavi|col|endeav|fav|flav|harb|hon|hum|lab|neighb|rum|vap))'
const ourEnding = '(|s|ed|ing|ings|ful|less|able|ably|er|ers|al|ally|hood|hoods|ite|ites|y)$'
const re = '^((?:centi|kilo|milli)?(?:calib|cent|fib|lit|met|theat))'

/** British and American spellings whose stems differ, each with the other. “Modelling” and “modeling” have one stem. */
const spellings: readonly (readonly [RegExp, string])[] = [
	[/^practis(ed?|es|ing)$/, 'practic$1'],
	[/^practic(ed?|es|ing)$/, 'practis$1'],
	[new RegExp(`^(.{3,})is${verbEnding}`), '$1iz$2'],
	[new RegExp(`^(.{3,})iz${verbEnding}`), '$1is$2'],
	[new RegExp(`^(anal|catal|paral)ys${verbEnding}`), '$1yz$2'],
	[new RegExp(`^(anal|catal|paral)yz${verbEnding}`), '$1ys$2'],
	[new RegExp(`${our}our${ourEnding}`), '$1or$2'],
	[new RegExp(`${our}or${ourEnding}`), '$1our$2'],
	[new RegExp(`${re}re(s?)$`), '$1er$2'],
	[new RegExp(`${re}er(s?)$`), '$1re$2'],
	[/^(anal|catal|dial)ogue(s?)$/, '$1og$2'],
	[/^(anal|catal|dial)og(s?)$/, '$1ogue$2'],
	[/^(defen|licen|offen)ce(s?)$/, '$1se$2'],
	[/^(defen|licen|offen)se(s?)$/, '$1ce$2'],
	[/^grey(s?)$/, 'gray$1'],
	[/^gray(s?)$/, 'grey$1'],
	[/^artefact(s?)$/, 'artifact$1'],
	[/^artifact(s?)$/, 'artefact$1'],
	[/^judgement(s?)$/, 'judgment$1'],
	[/^judgment(s?)$/, 'judgement$1'],
]

/**
 * The British spelling of an American word, or the other way round: the same word, as the stem of a search covers its endings.
 * @returns null if there is none, or if its stem is also that of other words, as “tokenize” has that of “token”
 */
export function otherSpelling(word: string): string | null {
	const other = spelledOtherwise(word)
	return other !== null && hasOwnStem(other) ? other : null
}

const hyphenated = /^\p{L}{2,}(?:-\p{L}{2,})+$/u

/**
 * Another way to write a word, for a search that finds nothing as it was typed, in the syntax of `websearch_to_tsquery`: a name with its
 * number joined or apart, as “GPT4” and “GPT-4”, a word with a hyphen in parts, or the spelling that {@link otherSpelling} leaves out.
 */
export function fallbackWriting(word: string): string | null {
	const [, name, hyphen, number] = /^(\p{L}{2,})(-?)(\d+)$/u.exec(word.toLowerCase()) ?? []
	if (name !== undefined) return hyphen === '' ? `"${name} ${number}"` : `${name}${number}`
	if (hyphenated.test(word)) return word.replaceAll('-', ' ')
	const other = spelledOtherwise(word)
	return other !== null && !hasOwnStem(other) ? other : null
}

function spelledOtherwise(word: string): string | null {
	const small = word.toLowerCase()
	const found = oneSpelling.test(small) ? undefined : spellings.find(([spelling]) => spelling.test(small))
	return found ? small.replace(...found) : null
}

/** Verbs whose stem, without the `z`, is that of no word with another meaning, or of a rare one: “organ”. */
const meansOne = /^(?:(?:dis|re)?organ|(?:max|min|opt)im|recogn|summar|synchron)iz/

/** Whether the stem of a word is of no other word: it has the `z`, or needs none. “Tokenize” has the stem of “token”. */
function hasOwnStem(word: string): boolean {
	return !/[iy]z/.test(word) || /[iy]z$/.test(stem(word)) || meansOne.test(word)
}
