import { type CellSeparator, cellSeparators, cellsOf } from '~/lib/csv.ts'
import { startOf } from '~/lib/text.ts'
import { MAX_LIST_LINES, type SkippedLine } from './campus-leavers.view.ts'

/** What a line may name a member by. */
export type NameKind = 'email' | 'username' | 'number'

/** A line and the names in it, in lower case: all are of one person. */
export interface NamedLine {
	line: number
	/** The line as it is shown. */
	text: string
	names: { kind: NameKind; name: string }[]
}

/** Headings of columns. */
const headings: Record<NameKind, RegExp> = {
	email: /^(e-?mail|mail|address)( address| id)?$/,
	username: /^user ?name$/,
	number: /^(enroll?ment|roll|registration|matriculation)( ?(number|no\.?|id))?$/,
}
const kinds = Object.keys(headings) as NameKind[]

/**
 * Parses a list of people: one address, username or enrolment number in each line, or a table whose first line names these columns. Other
 * columns are ignored, as a first name may be the username of somebody else.
 * @returns the lines that name somebody, and those that are not understood; `lines` counts both, beyond the limit too
 */
export function readLeavers(text: string): { lines: number; named: NamedLine[]; unclear: SkippedLine[] } {
	const lines = text
		.replace(/\p{Cf}/gu, '')
		.split(/\r\n|\n|\r/)
		.map((line, index) => ({ line: index + 1, text: line.trim() }))
		.filter(({ text }) => text !== '' && !/^"?sep=.?"?[\s,;]*$/i.test(text))
	const head = headOf(lines[0]?.text ?? '')
	const rows = head ? lines.slice(1) : lines
	const named: NamedLine[] = []
	const unclear: SkippedLine[] = []
	for (const row of rows.slice(0, MAX_LIST_LINES)) {
		const shown = { line: row.line, text: startOf(row.text, 100) }
		const names = head ? namesIn(row.text, head) : singleName(row.text)
		if (names === null)
			unclear.push({ ...shown, why: 'Name the column in the first line: email, username or enrolment number.' })
		else if (names.length === 0) unclear.push({ ...shown, why: 'These columns are empty here.' })
		else named.push({ ...shown, names })
	}
	return { lines: rows.length, named, unclear }
}

interface Head {
	separator: CellSeparator
	columns: (NameKind | undefined)[]
}

/** The columns that the first line names; null if it names none. */
function headOf(line: string): Head | null {
	for (const separator of cellSeparators) {
		const cells = cellsOf(line, separator)
		const columns = cells.map((cell) => kinds.find((kind) => headings[kind].test(cell.toLowerCase())))
		if (columns.some(Boolean)) return { separator, columns }
	}
	return null
}

function namesIn(line: string, { separator, columns }: Head): NamedLine['names'] {
	const cells = cellsOf(line, separator)
	return columns.flatMap((kind, at) => (kind && cells[at] ? [{ kind, name: plain(kind, cells[at]) }] : []))
}

/** The name of a line without columns; null if it has several values. */
function singleName(line: string): NamedLine['names'] | null {
	const text = line
		.replaceAll('"', '')
		.replace(/[,;\t]+$/, '')
		.trim()
	if (/[,;\t]/.test(text)) return null
	const ofKinds: NameKind[] = /^@[^@]*$/.test(text)
		? ['username']
		: text.includes('@')
			? ['email']
			: ['username', 'number']
	return ofKinds.map((kind) => ({ kind, name: plain(kind, text) }))
}

function plain(kind: NameKind, text: string): string {
	return (kind === 'username' ? text.replace(/^@/, '') : text).toLowerCase()
}
