import type { SearchTools } from './search.view.ts'

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
	/** Whether `or` joins it to the operator before it, of which it is an alternative. */
	isAlternative: boolean
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
	/** Whether an `or` between an operator and something else joins nothing, as in `java or is:solved`: all of the search is required. */
	ignoresOr: boolean
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
/** The minus of an option with a value, `-Dx=y` and `-XX:+Foo` of Java, which excludes nothing either; that of an address does. */
const optionDash = /^-(?=\p{L}[\p{L}\p{N}._-]*=|XX:[+-])/u
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
	const groups: Operator[][] = []
	const terms: SearchPart[] = []
	let ignoresOr = false
	for (const [at, text] of parts.entries()) {
		const found = readOperator(text)
		if (found && isJoining(parts, at - 1)) groups.at(-1)?.push(found)
		else if (found) groups.push([found])
		else if (isBesideOperator(parts, at)) ignoresOr ||= !isJoining(parts, at) && at > 0 && at < parts.length - 1
		else if (!dash.test(text)) terms.push(readTerm(text))
	}
	const operators = withoutRepetitions(groups)
	if (operators.length === 0) return { terms, operators, parts, ignoresOr }
	// Beside an operator, `&&` asks for nothing more: the index has no signs.
	const telling = terms.filter(({ kind, text }) => kind !== 'word' || /[\p{L}\p{N}]/u.test(text))
	const isWanted = ({ kind }: SearchPart) => kind !== 'or'
	const first = telling.findIndex(isWanted)
	const wanted = first < 0 ? [] : telling.slice(first, telling.findLastIndex(isWanted) + 1)
	return { terms: wanted, operators, parts, ignoresOr }
}

/** Operators in groups of alternatives, each once in its group, and each group once. */
function withoutRepetitions(groups: readonly Operator[][]): Operator[] {
	const kept: Operator[][] = []
	const has = (group: Operator[], one: Operator) => group.some((other) => isSame(one, other))
	for (const group of groups) {
		const once = group.filter((one, at) => !has(group.slice(0, at), one))
		if (!kept.some((other) => other.length === once.length && once.every((one) => has(other, one)))) kept.push(once)
	}
	return kept.flatMap((group) => group.map((one, at) => ({ ...one, isAlternative: at > 0 })))
}

function isOr(text = ''): boolean {
	return text.toLowerCase() === 'or'
}

/** Whether a part is an `or` with an operator on a side: it does not join words that are further away. */
function isBesideOperator(parts: readonly string[], at: number): boolean {
	return isOr(parts[at]) && [parts[at - 1], parts[at + 1]].some((text = '') => readOperator(text) !== null)
}

/**
 * Whether a part is an `or` between two operators of one kind. States are no alternatives: a question has one, and the lists show
 * the others.
 */
function isJoining(parts: readonly string[], at: number): boolean {
	if (!isOr(parts[at])) return false
	const [before, after] = [parts[at - 1], parts[at + 1]].map((text = '') => readOperator(text))
	if (!before || !after || before.excluded || after.excluded) return false
	return before.kind === after.kind && before.kind !== 'is'
}

/** The values of the operators of a kind without a minus; alternatives are in one list. */
export function alternativesOf(operators: readonly Operator[], kind: OperatorKind): string[][] {
	const lists: string[][] = []
	for (const { value, isAlternative } of operators.filter((one) => one.kind === kind && !one.excluded))
		if (isAlternative) lists.at(-1)?.push(value)
		else lists.push([value])
	return lists
}

/** Whether a text consists only of a command-line option, such as `--hard`. */
export function isOption(text: string): boolean {
	return /^--\p{L}[\p{L}\p{N}-]+$/u.test(text)
}

function readTerm(typed: string): SearchPart {
	const written = typed.replace(optionDash, '')
	const text = written.replace(leadingDash, '')
	const [name] = text === written ? [] : (/^\p{L}[\p{L}\p{N}-]+/u.exec(text) ?? [])
	const bare = text.replace(/^-/, '').replaceAll('"', ' ').trim()
	const source = text.includes('"') ? text : sourceOf(text)
	if (text.startsWith('-')) return { kind: 'without', text: bare, source }
	if (text.includes('"')) return { kind: 'phrase', text: bare, source }
	if (isOr(text)) return { kind: 'or', text: bare, source }
	return { kind: 'word', text: bare, source, ...(name !== undefined && { option: `--${name}` }) }
}

/** A text without quotes in the syntax of `websearch_to_tsquery`, so that all of its parts are wanted, or all together excluded. */
function sourceOf(text: string): string {
	const excluded = text.startsWith('-') ? text.slice(1) : ''
	if (splitting.test(excluded)) return `-"${excluded}"`
	return text.replace(unspaced, '"$&"').replace(dotted, '$1"$2"').replace(splitHyphens, '$1 ')
}

/** How the operators of a search are read, for display: each with the search without it. */
export function describeOperators(search: string): Omit<SearchTools, 'instead'> {
	const parsed = parseSearch(search)
	const operators = parsed.operators.map((operator) => ({
		text: `${operator.excluded ? '-' : ''}${operator.kind}:${operator.value}`,
		isAlternative: operator.isAlternative,
		without: withoutOperator(parsed, operator),
	}))
	return { operators, ignoresOr: parsed.ignoresOr }
}

/** The search without an operator, even if that was typed several times, and without each `or` beside it that then has nothing to join. */
export function withoutOperator({ parts }: Pick<ParsedSearch, 'parts'>, gone: Operator): string {
	const isGone = (at: number) => {
		const found = readOperator(parts[at] ?? '')
		return found !== null && isSame(found, gone)
	}
	// Of `a or b or c`, the first `or` goes with `a`, and with `b`.
	const isLoose = (at: number) => {
		if (!isOr(parts[at]) || !(isGone(at - 1) || isGone(at + 1))) return false
		let before = at - 1
		while (isGone(before) && isJoining(parts, before - 1)) before -= 2
		return !isJoining(parts, at) || isGone(at + 1) || isGone(before)
	}
	return parts.filter((_, at) => !isGone(at) && !isLoose(at)).join(' ')
}

function readOperator(text: string): Operator | null {
	const [, minus, name, written = ''] = operator.exec(text) ?? []
	if (!name) return null
	const kind = name.toLowerCase() as OperatorKind
	const value = storedValue(kind, written.replaceAll('"', '').trim().toLowerCase())
	if (!value || values[kind]?.includes(value) === false) return null
	return { kind, value, excluded: minus === '-', text, isAlternative: false }
}

function storedValue(kind: OperatorKind, text: string): string {
	if (kind === 'tag') return text.replace(/^#+/, '').replace(/\s+/g, '-')
	if (kind === 'category') return text.replace(/\s+/g, '-')
	return kind === 'user' ? text.replace(/^@+/, '') : text
}

function isSame(one: Operator, other: Operator): boolean {
	return one.kind === other.kind && one.value === other.value && one.excluded === other.excluded
}
