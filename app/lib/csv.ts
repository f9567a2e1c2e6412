import { Invalid } from './errors.ts'

/* Files of comma-separated values (RFC 4180), as Excel and its like read and write them. */

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
 * The text of a list that was uploaded as a file, or pasted.
 * @param maxMegabytes of a file
 * @throws Invalid at the field `file`
 */
export async function readList(file: unknown, pasted: unknown, maxMegabytes: number): Promise<string> {
	if (!(file instanceof File) || file.size === 0) return String(pasted ?? '')
	if (file.size > maxMegabytes * 1024 * 1024)
		refuseList(`The file may be at most ${maxMegabytes} MB. Split it into several lists.`)
	const text = decodeFile(await file.bytes())
	if (text.includes('\0')) refuseList('This is not a text file. In Excel, Numbers or Calc, save the sheet as CSV.')
	return text
}

/** @throws Invalid at the field `file` */
export function refuseList(message: string): never {
	throw new Invalid(message, { file: message })
}

/** What separates the cells of a line, with the cells. */
export type CellSeparator = RegExp

/** Any of them, for a line whose separator is not known. */
export const anySeparator: CellSeparator = /\s*(?:"((?:[^"]|"")*)"|([^,;\t]*))\s*(?:[,;\t]|$)/g

/** Excel writes semicolons where commas are decimal points; its cells may then contain commas without quotation marks. */
export const cellSeparators: readonly CellSeparator[] = [
	/\s*(?:"((?:[^"]|"")*)"|([^;]*))\s*(?:;|$)/g,
	/ *(?:"((?:[^"]|"")*)"|([^\t]*)) *(?:\t|$)/g,
	/\s*(?:"((?:[^"]|"")*)"|([^,]*))\s*(?:,|$)/g,
	anySeparator,
]

/** Splits a line, and trims quotation marks and blanks. @param separator one of the patterns above */
export function cellsOf(line: string, separator: CellSeparator): string[] {
	return [...line.matchAll(separator)]
		.map(([, quoted, plain]) => (quoted?.replaceAll('""', '"') ?? plain ?? '').trim())
		.slice(0, 100)
}

/** A line of CSV. A cell that a spreadsheet would take for a formula is prefixed with an apostrophe, as members choose their names. */
export function csvLine(cells: readonly string[]): string {
	const safe = cells.map((cell) => (/^[=+\-@\t\r\n]/.test(cell) ? `'${cell}` : cell))
	return `${safe.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')}\r\n`
}
