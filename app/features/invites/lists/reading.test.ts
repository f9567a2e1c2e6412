import { expect, test } from 'vitest'
import { decodeFile } from '~/lib/csv.ts'
import { readAddresses } from './reading.ts'

test.each([
	['with commas, as in English', 'Name,Email\r\n"Quill, Mira",mira@a.example\r\n'],
	['with semicolons, as in German or French', 'Name;E-Mail\r\nQuill, Mira;mira@a.example\r\n'],
	['with semicolons and a byte order mark', '\uFEFFE-Mail;Name\r\nmira@a.example;Quill, Mira\r\n'],
	['with semicolons and quotation marks', 'Name;Note;E-Mail\r\n"Quill; Mira";"says ""Hi"", often";mira@a.example'],
	['with semicolons in a heading of two words', 'Name, first;Email address\r\nMira, Ana;mira@a.example'],
	['with tabs, as copied from its cells', 'Name\tEmail\nQuill, Mira; dean\tmira@a.example\n'],
	['with tabs, of which one is empty', 'Name\tNote\tEmail\nMira\t\tmira@a.example\n'],
	['as Unicode text', '\uFEFFEmail\tName\r\nmira@a.example\tMira\r\n'],
	['with its separator named first, saved again', 'sep=;;\r\nName;E-Mail\r\nQuill, Mira;mira@a.example\r\n'],
	['with its separator named first', 'sep=;\r\nName;E-Mail\r\nQuill, Mira;mira@a.example\r\n'],
	['with the heading “Email ID”', 'Roll,Email ID,Home\r\n21CS1@b.example,mira@a.example,m@home.example\r\n'],
	['with invisible characters', 'Name,Email\r\nMira,\u200Bmira@a.example\u200F\r\n\u202A\u202C\r\n'],
	['without a heading', 'Quill, Mira;mira@a.example\r\n'],
	['with commas in a list that has semicolons', 'Email,Name\nmira@a.example,Quill; Mira'],
])('a file that Excel writes %s is read', (_what, text) => {
	const { addresses, invalid } = readAddresses(text, () => true)
	expect([[...addresses.keys()], invalid]).toEqual([['mira@a.example'], []])
})

test.each([
	['UTF-8', Buffer.from('\uFEFFZoë;zoe@a.example')],
	['UTF-16', Buffer.from('\uFEFFZoë;zoe@a.example', 'utf16le')],
	['UTF-16, the other way round', Buffer.from('\uFEFFZoë;zoe@a.example', 'utf16le').swap16()],
	['UTF-16 without a byte order mark', Buffer.from('Zoë;zoe@a.example', 'utf16le')],
	['the same, the other way round', Buffer.from('Zoë;zoe@a.example', 'utf16le').swap16()],
	['Windows-1252', Buffer.from('Zoë;zoe@a.example', 'latin1')],
])('a file in %s is decoded', (_encoding, bytes) => {
	expect(decodeFile(bytes)).toBe('Zoë;zoe@a.example')
})

test.each([
	['from Outlook', 'mira@a.example; ben@a.example; zoe@a.example', []],
	['with quotation marks', '"mira@a.example","ben@a.example"\n"zoe@a.example"', []],
	['with names', 'Mira Quill <mira@a.example>, "Ode, Ben" <ben@a.example>\nzoe@a.example', []],
	['some with names', 'mira@a.example;Ben <BEN@a.example>; zoe@a.example;', []],
	['with one twice', 'mira@a.example,ben@a.example,mira@a.example,zoe@a.example', ['It is already in line 1.']],
	['with half of one', '<mira@a.example>;<ben@a.example>;zoe@;<zoe@a.example>', ['This is not an email address.']],
])('every recipient of a mail is read as copied %s', (_what, text, leftOut) => {
	const { lines, addresses, invalid, doubled } = readAddresses(text, () => true)
	expect([...addresses.keys()]).toEqual(['mira@a.example', 'ben@a.example', 'zoe@a.example'])
	expect([...invalid, ...doubled].map(({ why }) => why)).toEqual(leftOut)
	expect(lines).toBe(3 + leftOut.length)
})

test('a line of separators only is reported', () => {
	expect(readAddresses('mira@a.example;\n;;\n', () => true).invalid).toMatchObject([{ line: 2 }])
})

test('of a line with names and two addresses the first one is read, as it is about one person', () => {
	expect([...readAddresses('Mira;mira@a.example;mira@home.example', () => true).addresses.keys()]).toEqual([
		'mira@a.example',
	])
})
