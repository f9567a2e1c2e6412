import { isEmail } from '~/features/accounts/accounts.schema.ts'
import { type LeftOut, MAX_LINES } from '../invites.view.ts'

/** What a file of addresses says, before the database is asked who has an account. */
export interface ReadList {
	lines: number
	/** Each valid address once, in lower case, with the first line that it is in. */
	addresses: Map<string, number>
	doubled: LeftOut[]
	invalid: LeftOut[]
	refused: LeftOut[]
}

/** Words that head a column of addresses. */
const heads = new Set(['email', 'e-mail', 'mail', 'email address', 'e-mail address', 'address'])

/**
 * Reads a file of addresses: one a line, or comma- or semicolon-separated values with one column of them, which a first line of headings may
 * name.
 * @param isAllowed whether an address may register here
 */
export function readAddresses(text: string, isAllowed: (email: string) => boolean): ReadList {
	const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
	const read: ReadList = { lines: 0, addresses: new Map(), doubled: [], invalid: [], refused: [] }
	const first = cellsOf(lines[0] ?? '')
	const column = first.findIndex((cell) => heads.has(cell.toLowerCase()))
	for (const [index, line] of lines.entries()) {
		if (line.trim() === '' || (index === 0 && column >= 0)) continue
		read.lines += 1
		if (read.lines <= MAX_LINES) readLine(read, { line: index + 1, cells: cellsOf(line), column, isAllowed })
	}
	return read
}

interface Line {
	line: number
	cells: string[]
	/** The column that the headings name; -1 where none does. */
	column: number
	isAllowed: (email: string) => boolean
}

function readLine(read: ReadList, { line, cells, column, isAllowed }: Line): void {
	const text = (column >= 0 ? cells[column] : (cells.find((cell) => cell.includes('@')) ?? cells[0])) ?? ''
	const email = text.toLowerCase()
	const leftOut = (why: string): LeftOut => ({ line, text: text.slice(0, 100), why })
	if (!isEmail(email))
		read.invalid.push(leftOut(text === '' ? 'There is no address in this line.' : 'This is not an email address.'))
	else if (read.addresses.has(email)) read.doubled.push(leftOut(`It is already in line ${read.addresses.get(email)}.`))
	else if (!isAllowed(email)) read.refused.push(leftOut('Addresses of this domain cannot register here.'))
	else read.addresses.set(email, line)
}

/** The cells of a line of comma-, semicolon- or tab-separated values, without quotation marks and blanks around them. */
function cellsOf(line: string): string[] {
	return [...line.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,;\t]*))\s*(?:[,;\t]|$)/g)]
		.map(([, quoted, plain]) => (quoted?.replaceAll('""', '"') ?? plain ?? '').trim())
		.slice(0, 100)
}
