/** What may follow the `s` or `z` of a verb such as “organise”. */
const verbEnding = '(e|es|ed|er|ers|ing|able|ation|ations)$'
/** Words that end like such a verb and have one spelling. */
const oneSpelling =
	/(?:adv|advert|comprom|conc|dev|disgu|enterpr|exerc|expert|franch|no|otherw|prec|prem|prom|ra|rev|superv|surpr|televis|w)is|(?:pr|se|s)iz/
const our = '^((?:un|dis|mis)?(?:arm|behavi|col|endeav|fav|flav|harb|hon|hum|lab|neighb|rum|vap))'
const re = '^((?:centi|kilo|milli)?(?:calib|cent|fib|lit|met|theat))'

/** British and American spellings whose stems differ, each with the other. “Modelling” and “modeling” have one stem. */
const spellings: readonly (readonly [RegExp, string])[] = [
	[/^practis(ed?|es|ing)$/, 'practic$1'],
	[/^practic(ed?|es|ing)$/, 'practis$1'],
	[new RegExp(`^(.{3,})is${verbEnding}`), '$1iz$2'],
	[new RegExp(`^(.{3,})iz${verbEnding}`), '$1is$2'],
	[new RegExp(`^(anal|catal|paral)ys${verbEnding}`), '$1yz$2'],
	[new RegExp(`^(anal|catal|paral)yz${verbEnding}`), '$1ys$2'],
	[new RegExp(`${our}our`), '$1or'],
	[new RegExp(`${our}or`), '$1our'],
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
 * The other usual ways to write a word, in the syntax of `websearch_to_tsquery`: a British spelling for an American one and the other way
 * round, and a name with its number joined or apart, as in “GPT4” and “GPT-4”. The index has each as words of its own.
 */
export function otherWritings(word: string): string[] {
	const small = word.toLowerCase()
	const [, name, hyphen, number] = /^(\p{L}{2,})(-?)(\d+)$/u.exec(small) ?? []
	if (name !== undefined) return [hyphen === '' ? `"${name} ${number}"` : `${name}${number}`]
	const found = oneSpelling.test(small) ? undefined : spellings.find(([spelling]) => spelling.test(small))
	return found ? [small.replace(...found)] : []
}
