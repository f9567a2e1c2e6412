/*
 * Parses a search of the forum: words and phrases, which PostgreSQL interprets, and operators, which narrow the list.
 * There are no errors: anything else is a word.
 */

export type OperatorKind = 'tag' | 'category' | 'user' | 'is' | 'in'

/** The allowed values of `is:` and `in:`. */
const values: Partial<Record<OperatorKind, readonly string[]>> = {
	is: ['solved', 'unsolved', 'unanswered'],
	in: ['title', 'text', 'comments'],
}

/** `tag:x`, `-user:y`, `is:solved`. */
export interface Operator {
	kind: OperatorKind
	/** Normalized: in lower case, a tag with hyphens for spaces. */
	value: string
	/** Whether a minus precedes it, which excludes its matches. */
	excluded: boolean
	/** As it was typed. */
	text: string
}

/** A part that is not an operator. */
export interface SearchPart {
	kind: 'word' | 'phrase' | 'without' | 'or'
	/** Without quotes and minus. */
	text: string
	/** In the syntax of `websearch_to_tsquery`. */
	source: string
	/** A command-line option as it appears in texts, `--hard`; the index has only its word. */
	option?: string
}

export interface ParsedSearch {
	/** Words, phrases and excluded words in the order in which they were typed. */
	terms: SearchPart[]
	operators: Operator[]
	/** All parts as they were typed, in order. */
	parts: string[]
}

/** A part ends at the next space outside quotes; an unclosed quote extends to the end. */
const part = /(?:[^\s"]|"[^"]*(?:"|$))+/g
const operator = /^(-?)(tag|category|user|is|in):(.+)$/is
/** A dash between spaces is not a minus. */
const dash = /^[-‐-―−]+$/
/** Chinese, Japanese and Korean have no spaces: a run of characters is searched as a phrase. */
const unspaced = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,}/g
/** What ends a word in `search_text` (migration 211) or `websearch_to_tsquery`: signs, names with signs, a dot within, an unspaced character. */
const splitting =
	/[/\\<>:@"&|!()]|c\+\+|[cf]#|\.net|[\p{L}\p{N}]\.(?=\p{L})|[^\p{ASCII}\p{L}\p{M}\p{N}\u200c\u200d]|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/iu
/** Hyphens that `websearch_to_tsquery` would take for a minus once the word is split: `180°-turn` does not exclude “turn”. */
const splitHyphens = new RegExp(`(${splitting.source})[-‐-―−]+`, 'giu')

/** A leading dash that excludes nothing: in `--hard`, and the characters that phones and word processors substitute for two dashes. */
const leadingDash = /^(?:--|[‐-―−])[-‐-―−]*(?=[^-‐-―−])/
const entities: Readonly<Record<string, string>> = {
	quot: '"',
	'#34': '"',
	apos: "'",
	'#39': "'",
	lt: '<',
	gt: '>',
	nbsp: ' ',
	amp: '&',
}

/** A text with HTML entities and curly double quotes replaced by plain characters. */
export function normalizePunctuation(text: string): string {
	return text
		.replace(/&(quot|#34|apos|#39|lt|gt|nbsp|amp);/g, (_, name: string) => entities[name] ?? ' ')
		.replace(/[“”„‟]/g, '"')
}

/** Names joined by dots are searched as a phrase: `System.out.println`. */
const dotted = /^(-?)([\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)+)(?=[^\p{L}\p{N}]*$)/u

/** Parses a search. @param search any text; the caller limits its length */
export function parseSearch(search: string): ParsedSearch {
	const parts = normalizePunctuation(search).match(part) ?? []
	const operators: Operator[] = []
	const terms: SearchPart[] = []
	for (const text of parts) {
		const found = readOperator(text)
		if (!found && !dash.test(text)) terms.push(readTerm(text))
		else if (found && !operators.some((other) => isSame(other, found))) operators.push(found)
	}
	// Beside an operator, `&&` asks for nothing more: the index has no signs.
	const wanted =
		operators.length === 0 ? terms : terms.filter(({ kind, text }) => kind !== 'word' || /[\p{L}\p{N}]/u.test(text))
	return { terms: wanted, operators, parts }
}

/** Whether a text consists only of a command-line option, such as `--hard`. */
export function isOption(text: string): boolean {
	return /^--\p{L}[\p{L}\p{N}-]+$/u.test(text)
}

function readTerm(written: string): SearchPart {
	const text = written.replace(leadingDash, '')
	const [name] = text === written ? [] : (/^\p{L}[\p{L}\p{N}-]+/u.exec(text) ?? [])
	const bare = text.replace(/^-/, '').replaceAll('"', ' ').trim()
	const source = text.includes('"') ? text : sourceOf(text)
	if (text.startsWith('-')) return { kind: 'without', text: bare, source }
	if (text.includes('"')) return { kind: 'phrase', text: bare, source }
	if (text.toLowerCase() === 'or') return { kind: 'or', text: bare, source }
	return { kind: 'word', text: bare, source, ...(name !== undefined && { option: `--${name}` }) }
}

/** A text without quotes in the syntax of `websearch_to_tsquery`, so that all of its parts are wanted, or all together excluded. */
function sourceOf(text: string): string {
	const excluded = text.startsWith('-') ? text.slice(1) : ''
	if (splitting.test(excluded)) return `-"${excluded}"`
	return text.replace(unspaced, '"$&"').replace(dotted, '$1"$2"').replace(splitHyphens, '$1 ')
}

/** The operators of a search, for display, each with the search without it. */
export function listOperators(search: string): { text: string; without: string }[] {
	const parsed = parseSearch(search)
	return parsed.operators.map((operator) => ({
		text: `${operator.excluded ? '-' : ''}${operator.kind}:${operator.value}`,
		without: withoutOperator(parsed, operator),
	}))
}

/** The search without an operator, even if that was typed several times. */
export function withoutOperator({ parts }: ParsedSearch, gone: Operator): string {
	return parts
		.filter((text) => {
			const found = readOperator(text)
			return !found || !isSame(found, gone)
		})
		.join(' ')
}

function readOperator(text: string): Operator | null {
	const [, minus, name, written = ''] = operator.exec(text) ?? []
	if (!name) return null
	const kind = name.toLowerCase() as OperatorKind
	const value = storedValue(kind, written.replaceAll('"', '').trim().toLowerCase())
	if (!value || values[kind]?.includes(value) === false) return null
	return { kind, value, excluded: minus === '-', text }
}

function storedValue(kind: OperatorKind, text: string): string {
	if (kind === 'tag') return text.replace(/^#+/, '').replace(/\s+/g, '-')
	if (kind === 'category') return text.replace(/\s+/g, '-')
	return kind === 'user' ? text.replace(/^@+/, '') : text
}

function isSame(one: Operator, other: Operator): boolean {
	return one.kind === other.kind && one.value === other.value && one.excluded === other.excluded
}
