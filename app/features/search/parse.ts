/*
 * What is written in the forum's search box, taken apart: words and phrases, which PostgreSQL reads, and operators, which
 * narrow the list. Nothing is an error: what is no operator is a word.
 */

export type OperatorKind = 'tag' | 'category' | 'user' | 'is'

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

export interface ParsedSearch {
	/** Words, phrases and minus words in the order they were written, in the syntax of `websearch_to_tsquery`; '' for none. */
	words: string
	operators: Operator[]
	/** Every part as it was written, in its order. */
	parts: string[]
}

/** A part reaches to the next space outside quotes; a quote that nobody closed reaches to the end. */
const part = /(?:[^\s"]|"[^"]*(?:"|$))+/g
const operator = /^(-?)(tag|category|user|is):(.+)$/is

/** Takes a search apart. @param search any text; its length is the caller's to bound */
export function parseSearch(search: string): ParsedSearch {
	const parts = search.match(part) ?? []
	const operators: Operator[] = []
	const words: string[] = []
	for (const text of parts) {
		const found = readOperator(text)
		if (!found) words.push(text)
		else if (!operators.some((other) => isSame(other, found))) operators.push(found)
	}
	return { words: words.join(' '), operators, parts }
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
	if (!value || (kind === 'is' && value !== 'solved' && value !== 'unanswered')) return null
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
