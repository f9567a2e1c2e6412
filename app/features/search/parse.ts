/*
 * What is written in the forum's search box, taken apart: words and phrases, which PostgreSQL reads, and operators, which
 * narrow the list. Nothing is an error: what is no operator is a word.
 */

export type OperatorKind = 'tag' | 'category' | 'user' | 'is' | 'in'

/** What `is:` and `in:` may be followed by. */
const values: Partial<Record<OperatorKind, readonly string[]>> = {
	is: ['solved', 'unsolved', 'unanswered'],
	in: ['title', 'text', 'comments'],
}

/** `tag:x`, `-user:y`, `is:solved`. */
export interface Operator {
	kind: OperatorKind
	/** As it is stored: lower-cased, a tag with hyphens for spaces. */
	value: string
	/** Whether a minus stands before it: what is named is left out. */
	excluded: boolean
	/** As it was written. */
	text: string
}

/** A part that is no operator. */
export interface Term {
	kind: 'word' | 'phrase' | 'without' | 'or'
	/** Without quotes and minus. */
	text: string
	/** In the syntax of `websearch_to_tsquery`. */
	source: string
}

export interface ParsedSearch {
	/** Words, phrases and minus words in the order they were written. */
	terms: Term[]
	operators: Operator[]
	/** Every part as it was written, in its order. */
	parts: string[]
}

/** A part reaches to the next space outside quotes; a quote that nobody closed reaches to the end. */
const part = /(?:[^\s"]|"[^"]*(?:"|$))+/g
const operator = /^(-?)(tag|category|user|is|in):(.+)$/is
/** A dash between blanks is a dash. */
const dash = /^[-‐-―−]+$/
/** Chinese, Japanese and Korean are written without blanks: what follows each other is looked for as it follows. */
const unspaced = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,}/g

/** A dash at the beginning that leaves nothing out: of `--hard`, and what phones and word processors make of two. */
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

/** A text with the marks of plain text in the place of HTML's entities and of curly double quotes. */
export function plainMarks(text: string): string {
	return text
		.replace(/&(quot|#34|apos|#39|lt|gt|nbsp|amp);/g, (_, name: string) => entities[name] ?? ' ')
		.replace(/[“”„‟]/g, '"')
}

/** Names that dots join follow each other wherever they stand: `System.out.println`. */
const dotted = /^(-?)([\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)+)(?=[^\p{L}\p{N}]*$)/u

/** Takes a search apart. @param search any text; its length is the caller's to bound */
export function parseSearch(search: string): ParsedSearch {
	const parts = plainMarks(search).match(part) ?? []
	const operators: Operator[] = []
	const terms: Term[] = []
	for (const text of parts) {
		const found = readOperator(text)
		if (!found && !dash.test(text)) terms.push(readTerm(text))
		else if (found && !operators.some((other) => isSame(other, found))) operators.push(found)
	}
	return { terms, operators, parts }
}

function readTerm(written: string): Term {
	const text = written.replace(leadingDash, '')
	const bare = text.replace(/^-/, '').replaceAll('"', ' ').trim()
	const source = text.includes('"') ? text : text.replace(unspaced, '"$&"').replace(dotted, '$1"$2"')
	if (text.startsWith('-')) return { kind: 'without', text: bare, source }
	if (text.includes('"')) return { kind: 'phrase', text: bare, source }
	return { kind: text.toLowerCase() === 'or' ? 'or' : 'word', text: bare, source }
}

/** The operators of a search, as they stand above its results, and the search without each. */
export function listOperators(search: string): { text: string; without: string }[] {
	const parsed = parseSearch(search)
	return parsed.operators.map((operator) => ({
		text: `${operator.excluded ? '-' : ''}${operator.kind}:${operator.value}`,
		without: withoutOperator(parsed, operator),
	}))
}

/** The same search without an operator, however often it was written. */
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
