import { stem } from 'porter2'
import { startSet } from '~/features/terms/terms.server.ts'
import {
	codeOf,
	contentWords,
	type KnownItem,
	type KnownQuestion,
	makeItems,
	pick,
	prose,
	type Random,
	type Rule,
	typoWords,
} from './known-items.ts'

/*
 * Further kinds of searches than in known-items.ts: typos of every kind in any position, text of comments, phrases with stop words,
 * titles copied from other sites, operators. A new seed samples new ones, so that the search cannot be tuned to them.
 */

/** A question with the texts of its comments. */
export interface DiscussedQuestion extends KnownQuestion {
	/** Markdown. */
	comments: string[]
	tags: string[]
	author: string
	category: string
}

type FurtherRule = Rule<DiscussedQuestion>

const neighbouringKeys: Record<string, string> = {
	...{
		a: 'qsz',
		b: 'vgn',
		c: 'xdv',
		d: 'sfe',
		e: 'wrd',
		f: 'dgr',
		g: 'fht',
		h: 'gjy',
		i: 'uok',
		j: 'hku',
		k: 'jli',
		l: 'kop',
	},
	...{
		m: 'njk',
		n: 'bmh',
		o: 'ipl',
		p: 'ol',
		q: 'wa',
		r: 'etf',
		s: 'adw',
		t: 'ryg',
		u: 'yij',
		v: 'cbf',
		w: 'qes',
		x: 'zcs',
	},
	...{ y: 'tuh', z: 'xa' },
}

/** Each kind of typo, at a given position in a word. */
const typos: Record<string, (word: string, at: number, random: Random) => string> = {
	'two letters swapped': (word, at) => word.slice(0, at) + (word[at + 1] ?? '') + (word[at] ?? '') + word.slice(at + 2),
	'a doubled letter': (word, at) => word.slice(0, at) + word[at] + word.slice(at),
	'a missing letter': (word, at) => word.slice(0, at) + word.slice(at + 1),
	'a neighbouring key': (word, at, random) => {
		const keys = neighbouringKeys[word[at]?.toLowerCase() ?? ''] ?? ''
		return word.slice(0, at) + (keys[Math.floor(random() * keys.length)] ?? '') + word.slice(at + 1)
	},
}

function mistype(text: string, kind: string, random: Random, isFirst = false): string | null {
	const [found] = pick(typoWords(text), 1, random) ?? []
	if (!found) return null
	const [word] = found
	const at = isFirst ? 0 : Math.floor(random() * (word.length - 1))
	const wrong = typos[kind]?.(word, at, random) ?? word
	if (wrong.toLowerCase() === word.toLowerCase()) return null
	return text.slice(0, found.index) + wrong + text.slice((found.index ?? 0) + word.length)
}

const threeWords = (title: string, random: Random) => pick(contentWords(title), 3, random)?.join(' ') ?? null

const ofTypos: Record<string, FurtherRule> = Object.fromEntries(
	Object.keys(typos).flatMap((kind): [string, FurtherRule][] => [
		[`title with ${kind}`, ({ title }, random) => mistype(title, kind, random)],
		[
			`three words of the title, one with ${kind}`,
			({ title }, random) => {
				const words = threeWords(title, random)
				return words && mistype(words, kind, random)
			},
		],
	]),
)

/** The identifiers in these texts that match a pattern. */
function tokensOf(texts: string[], pattern: RegExp): string[] {
	return [...new Set(texts.flatMap((text) => text.match(pattern) ?? []))].filter((name) => name.length <= 40)
}

/** An identifier from the question's code or that of its comments, with a word of the title that it does not contain. */
function tokenRule(pattern: RegExp, textsOf: (question: DiscussedQuestion) => string[]): FurtherRule {
	return (question, random) => {
		const [token] = pick(tokensOf(textsOf(question), pattern), 1, random) ?? []
		const words = contentWords(question.title).filter((word) => !token?.toLowerCase().includes(word.toLowerCase()))
		const [word] = pick(words, 1, random) ?? []
		return token && word ? (random() < 0.5 ? `${token} ${word}` : `${word} ${token}`) : null
	}
}

const codeTexts = ({ description, comments }: DiscussedQuestion) => [codeOf(description), ...comments.map(codeOf)]
const allTexts = ({ description, comments }: DiscussedQuestion) => [description, ...comments]
const commentCode = ({ comments }: DiscussedQuestion) => comments.map(codeOf)

const ofCode: Record<string, FurtherRule> = {
	'camelCase name in a comment': tokenRule(/\b[A-Za-z][a-z]+[A-Z]\w+\b/g, commentCode),
	'name of an exception': tokenRule(/\b(?:[a-z]+\.)*[A-Z][A-Za-z]+(?:Exception|Error)\b/g, allTexts),
	'method with dots': tokenRule(/\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\(\)?/g, codeTexts),
	'a flag': tokenRule(/(?<![\w-])--[a-z][a-z-]{2,}/g, allTexts),
	'name of a file': tokenRule(
		/\b[\w-]{2,}\.(?:java|js|ts|py|xml|json|cpp|hpp|h|c|css|html|yml|gradle|properties|class|jar|sh|txt)\b/g,
		allTexts,
	),
	'a version': tokenRule(/\b[vV]?\d+\.\d+(?:\.\d+)*(?:_\d+)?\b/g, allTexts),
	'a number of an error': tokenRule(/\b0x[0-9a-fA-F]{2,}\b|\b[A-Z]{1,5}-?\d{3,5}\b/g, allTexts),
	'C++, C# and .NET': tokenRule(/\bC\+\+(?:\d\d)?|\bC#|(?<![\w.])\.NET\b|\bASP\.NET\b/g, ({ title, description }) => [
		title,
		description,
	]),
}

/** A run of words, at least two of which are no stop words. */
function phraseOf(text: string, random: Random): string | null {
	const runs = text.match(/(?<![\p{L}\p{N}'’.-])[\p{L}\p{N}]+(?:'[a-z]+)?(?: [\p{L}\p{N}]+(?:'[a-z]+)?){2,}/gu) ?? []
	const [run] = pick(runs, 1, random) ?? []
	const words = run?.split(' ') ?? []
	const length = 3 + Math.floor(random() * 4)
	if (words.length < length) return null
	const from = Math.floor(random() * (words.length - length + 1))
	const phrase = words.slice(from, from + length).join(' ')
	return contentWords(phrase).length >= 2 ? `"${phrase}"` : null
}

const ofPhrases: Record<string, FurtherRule> = {
	'phrase of the title': ({ title }, random) => phraseOf(title, random),
	'phrase of the text': ({ description }, random) => phraseOf(prose(description), random),
	'phrase of a comment': ({ comments }, random) => {
		const [comment] = pick(comments, 1, random) ?? []
		return comment ? phraseOf(prose(comment), random) : null
	},
}

const ofTitles: Record<string, FurtherRule> = {
	'title with other quotes and dashes': ({ title }) => {
		const curly = title
			.replace(/"([^"]*)"/g, '“$1”')
			.replaceAll("'", '’')
			.replaceAll(' - ', ' — ')
		const straight = title
			.replace(/[“”]/g, '"')
			.replace(/[‘’]/g, "'")
			.replace(/ [–—] /g, ' - ')
		const changed = curly !== title ? curly : straight
		return changed !== title ? changed : null
	},
	'title with HTML entities': ({ title }) => {
		const escaped = title.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')
		const changed = escaped.replaceAll('<', '&lt;').replaceAll('>', '&gt;')
		return changed !== title ? changed : null
	},
	'title with other blanks and a mark': ({ title }) => `  ${title.replace(/[?!.]+$/, '').replaceAll(' ', '  ')} ??`,
	'title after “Re:”': ({ title }) => `Re: ${title}`,
	'title with the name of a site': ({ title }, random) =>
		`${title}${[' - Stack Overflow', ' | Startups Stack Exchange', ' – Quora'][Math.floor(random() * 3)]}`,
	'title between a tag and the name of a site': ({ title, tags }) =>
		tags[0] ? `${tags[0]} - ${title} - Stack Overflow` : null,
}

const withWords =
	(add: FurtherRule): FurtherRule =>
	(question, random) => {
		const words = pick(contentWords(question.title), 2, random)
		const more = add(question, random)
		return words && more ? (random() < 0.5 ? `${words.join(' ')} ${more}` : `${more} ${words.join(' ')}`) : null
	}

const ofOperators: Record<string, FurtherRule> = {
	'two words and a tag': withWords(({ tags }, random) => {
		const [tag] = pick(tags, 1, random) ?? []
		return tag ? `tag:${tag}` : null
	}),
	'two words and who asked': withWords(({ author }) => `user:${author}`),
	'two words and a category': withWords(({ category }) => `category:${category}`),
	'two words in:title': withWords(() => 'in:title'),
	'two words of the text in:text': ({ description }, random) => {
		const words = pick(contentWords(prose(description)), 3, random)
		return words && `${words.join(' ')} in:text`
	},
	'three words of a comment in:comments': ({ comments }, random) => {
		const words = pick(contentWords(prose(comments.join('\n'))), 3, random)
		return words && `in:comments ${words.join(' ')}`
	},
	'three words of the title and a word that is not there': ({ title }, random) => {
		const words = threeWords(title, random)
		return words && `${words} -zebra`
	},
	'phrase of the title, a tag and a word': ({ title, description, tags }, random) => {
		const phrase = phraseOf(title, random)
		const [word] = pick(contentWords(prose(description)), 1, random) ?? []
		return phrase && word && tags[0] ? `${phrase} tag:${tags[0]} ${word}` : null
	},
}

/** The names of terms that have an alias in one word, with these, all in lower case. */
const aliasesOf: (readonly [name: string, aliases: string[]])[] = startSet()
	.filter(({ name }) => name.length > 1)
	.map(({ name, aliases }) => [
		name.toLowerCase(),
		aliases
			.map((alias) => alias.toLowerCase())
			.filter((alias) => /^[a-z][a-z0-9]+$/.test(alias) && !stemsOf(name).has(stem(alias))),
	])

function stemsOf(name: string): Set<string> {
	return new Set((name.toLowerCase().match(/[a-z0-9]+/g) ?? []).map(stem))
}

/** The words of texts in lower case, each between blanks. */
function spaced(texts: string[]): string {
	return ` ${texts
		.join(' ')
		.toLowerCase()
		.replace(/[^\p{L}\p{N}+#.]+|\.+(?![\p{L}\p{N}])/gu, ' ')} `
}

type NamedIn = (
	name: string,
	others: string[],
	has: { title: (word: string) => boolean; text: (word: string) => boolean },
) => string[]

/** A name or alias of a term, chosen from those that a question has, with a word of its title. */
function termRule(choose: NamedIn): FurtherRule {
	return (question, random) => {
		const [title, text] = [spaced([question.title]), spaced([question.title, ...allTexts(question), ...question.tags])]
		const has = {
			title: (word: string) => title.includes(` ${word} `),
			text: (word: string) => text.includes(` ${word} `),
		}
		const found = aliasesOf.flatMap(([name, others]) => choose(name, others, has).map((typed) => ({ name, typed })))
		const [one] = pick(found, 1, random) ?? []
		const isOther = (word: string) => ![one?.typed, one?.name].some((each) => each?.includes(word.toLowerCase()))
		const [word] = pick(contentWords(question.title).filter(isOther), 1, random) ?? []
		return one && word ? `${one.typed} ${word}` : null
	}
}

const ofAliases: Record<string, FurtherRule> = {
	'name of a term in the title, and a word of it': termRule((name, others, has) =>
		others.length > 0 && has.title(name) ? [name] : [],
	),
	'alias that no text has of a name in the title, and a word of it': termRule((name, others, has) =>
		has.title(name) && !others.some(has.text) ? others : [],
	),
	'alias that no text has of a name in the texts, and a word of the title': termRule((name, others, has) =>
		has.text(name) && !others.some(has.text) ? others : [],
	),
	'alias that the texts have, and a word of the title': termRule((_, others, has) => others.filter(has.text)),
	'name that no text has of an alias in the texts, and a word of the title': termRule((name, others, has) =>
		others.some(has.text) && !has.text(name) ? [name] : [],
	),
}

const ofBeginnings: Record<string, FurtherRule> = {
	'first five letters of the last of three words': ({ title }, random) => {
		const words = pick(contentWords(title), 3, random)
		const last = words?.at(-1)
		return words && last && last.length >= 7 ? [...words.slice(0, -1), last.slice(0, 5)].join(' ') : null
	},
}

const rules: Record<string, FurtherRule> = {
	'three words of the title, not side by side': ({ title }, random) => {
		const words = contentWords(title)
		const every = words.filter((_, index) => index % 2 === 0)
		return pick(every, 3, random)?.join(' ') ?? null
	},
	...ofTypos,
	'title with its first letters swapped': ({ title }, random) => mistype(title, 'two letters swapped', random, true),
	'three words, one with a wrong first letter': ({ title }, random) => {
		const words = threeWords(title, random)
		return words && mistype(words, 'a neighbouring key', random, true)
	},
	...ofCode,
	...ofPhrases,
	...ofTitles,
	...ofBeginnings,
	...ofOperators,
	...ofAliases,
}

/** Like `makeKnownItems` of known-items.ts, for the further kinds. */
export function makeFurtherItems(
	questions: DiscussedQuestion[],
	count: number,
	seed: number,
): [kind: string, items: KnownItem[]][] {
	return makeItems(questions, rules, count, seed)
}
