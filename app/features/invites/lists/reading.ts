import { isEmail } from '~/features/accounts/accounts.schema.ts'
import { MAX_LIST_LINES, type SkippedLine } from '../invites.view.ts'

/** The content of a file of addresses, before the lookup of accounts. */
export interface ParsedAddressList {
	lines: number
	/** Valid addresses, in lower case, each with the first line that contains it. */
	addresses: Map<string, number>
	doubled: SkippedLine[]
	invalid: SkippedLine[]
	refused: SkippedLine[]
}

/** Headings of an address column. */
const heads = new Set(['email', 'e-mail', 'mail', 'email address', 'e-mail address', 'address'])

/**
 * Parses a file of addresses: one per line, or comma- or semicolon-separated values with one column of addresses, which a heading may name.
 * @param isAllowed whether an address may register here
 */
export function readAddresses(text: string, isAllowed: (email: string) => boolean): ParsedAddressList {
	const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
	const read: ParsedAddressList = { lines: 0, addresses: new Map(), doubled: [], invalid: [], refused: [] }
	const first = cellsOf(lines[0] ?? '')
	const column = first.findIndex((cell) => heads.has(cell.toLowerCase()))
	for (const [index, line] of lines.entries()) {
		if (line.trim() === '' || (index === 0 && column >= 0)) continue
		read.lines += 1
		if (read.lines <= MAX_LIST_LINES) readLine(read, { line: index + 1, cells: cellsOf(line), column, isAllowed })
	}
	return read
}

interface Line {
	line: number
	cells: string[]
	/** The index of the column with an address heading; -1 without one. */
	column: number
	isAllowed: (email: string) => boolean
}

function readLine(read: ParsedAddressList, { line, cells, column, isAllowed }: Line): void {
	const text = (column >= 0 ? cells[column] : (cells.find((cell) => cell.includes('@')) ?? cells[0])) ?? ''
	const email = text.toLowerCase()
	const leftOut = (why: string): SkippedLine => ({ line, text: text.slice(0, 100), why })
	if (!isEmail(email))
		read.invalid.push(leftOut(text === '' ? 'There is no address in this line.' : 'This is not an email address.'))
	else if (read.addresses.has(email)) read.doubled.push(leftOut(`It is already in line ${read.addresses.get(email)}.`))
	else if (!isAllowed(email)) read.refused.push(leftOut('Addresses of this domain cannot register here.'))
	else read.addresses.set(email, line)
}

/** Splits a line at commas, semicolons or tabs, and trims quotation marks and blanks. */
function cellsOf(line: string): string[] {
	return [...line.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,;\t]*))\s*(?:[,;\t]|$)/g)]
		.map(([, quoted, plain]) => (quoted?.replaceAll('""', '"') ?? plain ?? '').trim())
		.slice(0, 100)
}
