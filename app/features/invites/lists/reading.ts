import { isEmail } from '~/features/accounts/accounts.schema.ts'
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
 * The text of a file, by its encoding: UTF-8, UTF-16 with a byte order mark or a first letter from ASCII, or else Windows-1252, as Excel
 * writes CSV.
 */
export function decodeFile(bytes: Uint8Array): string {
	const [first, second] = bytes
	if ((first === 0xff && second === 0xfe) || (first && second === 0)) return new TextDecoder('utf-16le').decode(bytes)
	if ((first === 0xfe && second === 0xff) || (first === 0 && second)) return new TextDecoder('utf-16be').decode(bytes)
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
	} catch {
		return new TextDecoder('windows-1252').decode(bytes)
	}
}

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

const anySeparator = /\s*(?:"((?:[^"]|"")*)"|([^,;\t]*))\s*(?:[,;\t]|$)/g

/** Excel writes semicolons where commas are decimal points; its cells may then contain commas without quotation marks. */
const separators = [
	/\s*(?:"((?:[^"]|"")*)"|([^;]*))\s*(?:;|$)/g,
	/ *(?:"((?:[^"]|"")*)"|([^\t]*)) *(?:\t|$)/g,
	/\s*(?:"((?:[^"]|"")*)"|([^,]*))\s*(?:,|$)/g,
	anySeparator,
]

/** The column with an address heading, and what separates the cells. @param line the first one of a file */
function headingOf(line: string): { column: number; separator: RegExp } {
	for (const separator of separators) {
		const column = cellsOf(line, separator).findIndex((cell) => heads.has(cell.toLowerCase()))
		if (column >= 0) return { column, separator }
	}
	return { column: -1, separator: anySeparator }
}

/** Splits a line, and trims quotation marks and blanks. @param separator one of the patterns above */
function cellsOf(line: string, separator: RegExp): string[] {
	return [...line.matchAll(separator)]
		.map(([, quoted, plain]) => (quoted?.replaceAll('""', '"') ?? plain ?? '').trim())
		.slice(0, 100)
}
