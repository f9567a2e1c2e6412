import { isEmail } from '~/features/accounts/accounts.schema.ts'
import { anySeparator, type CellSeparator, cellSeparators, cellsOf } from '~/lib/csv.ts'
import { startOf } from '~/lib/text.ts'
import { MAX_LIST_LINES, type SkippedLine } from '../invites.view.ts'

/** The content of a file of addresses, before the lookup of accounts. */
export interface ParsedAddressList {
	/** Lines, and further addresses in them. */
	lines: number
	/** Valid addresses, in lower case, each with the first line that contains it. */
	addresses: Map<string, number>
	doubled: SkippedLine[]
	invalid: SkippedLine[]
	refused: SkippedLine[]
}

/** Headings of an address column. */
const heads = new Set(
	['email', 'e-mail', 'mail'].flatMap((word) => [word, `${word} address`, `${word} id`]).concat('address'),
)

/**
 * Parses a file of addresses: one per line, several as copied from a mail, or comma- or semicolon-separated values with one column of
 * addresses, which a heading may name.
 * @param isAllowed whether an address may register here
 */
export function readAddresses(text: string, isAllowed: (email: string) => boolean): ParsedAddressList {
	// Invisible characters, such as marks of the writing direction, come with what is copied from other programs.
	const lines = text.replace(/\p{Cf}/gu, '').split(/\r\n|\n|\r/)
	const read: ParsedAddressList = { lines: 0, addresses: new Map(), doubled: [], invalid: [], refused: [] }
	// Some files tell Excel their separator first.
	const start = /^"?sep=.?"?[\s,;]*$/i.test(lines[0] ?? '') ? 1 : 0
	const { column, separator } = headingOf(lines[start] ?? '')
	for (const [index, line] of lines.entries()) {
		if (line.trim() === '' || index < start || (index === start && column >= 0)) continue
		const texts = (column < 0 && recipientsIn(line)) || [addressIn(cellsOf(line, separator), column)]
		for (const text of texts) {
			read.lines += 1
			if (read.lines <= MAX_LIST_LINES) readText(read, { line: index + 1, text, isAllowed })
		}
	}
	return read
}

/** @param column the index of the column with an address heading; -1 without one */
function addressIn(cells: readonly string[], column: number): string {
	return (column >= 0 ? cells[column] : (cells.find((cell) => cell.includes('@')) ?? cells[0])) ?? ''
}

/** The addresses of a line as copied from a mail: only addresses, or some as in `Mira Quill <mira@campus.example>`; null for others. */
function recipientsIn(line: string): string[] | null {
	if (!/[,;\t<]/.test(line)) return null
	const parts = line.split(/[,;\t]/).map((part) => part.replaceAll('"', '').trim())
	const isCopied = parts.every((part) => part === '' || isEmail(part)) || parts.some((part) => bracketed.test(part))
	const found = isCopied ? parts.filter((part) => part.includes('@')) : []
	return found.length === 0 ? null : found.map((part) => bracketed.exec(part)?.[1] ?? part)
}

const bracketed = /<([^<>\s]+@[^<>\s]+)>$/

interface Found {
	line: number
	text: string
	isAllowed: (email: string) => boolean
}

function readText(read: ParsedAddressList, { line, text, isAllowed }: Found): void {
	const email = text.toLowerCase()
	const leftOut = (why: string): SkippedLine => ({ line, text: startOf(text, 100), why })
	if (!isEmail(email))
		read.invalid.push(leftOut(text === '' ? 'There is no address in this line.' : 'This is not an email address.'))
	else if (read.addresses.has(email)) read.doubled.push(leftOut(`It is already in line ${read.addresses.get(email)}.`))
	else if (!isAllowed(email)) read.refused.push(leftOut('Addresses of this domain cannot register here.'))
	else read.addresses.set(email, line)
}

/** The column with an address heading, and what separates the cells. @param line the first one of a file */
function headingOf(line: string): { column: number; separator: CellSeparator } {
	for (const separator of cellSeparators) {
		const column = cellsOf(line, separator).findIndex((cell) => heads.has(cell.toLowerCase()))
		if (column >= 0) return { column, separator }
	}
	return { column: -1, separator: anySeparator }
}
