import { expect, test } from 'vitest'
import { readAddresses } from './reading.ts'

test.each([
	['with commas, as in English', 'Name,Email\r\n"Quill, Mira",mira@a.example\r\n'],
	['with semicolons, as in German or French', 'Name;E-Mail\r\nQuill, Mira;mira@a.example\r\n'],
	['with semicolons and a byte order mark', '\uFEFFE-Mail;Name\r\nmira@a.example;Quill, Mira\r\n'],
	['with semicolons and quotation marks', 'Name;Note;E-Mail\r\n"Quill; Mira";"says ""Hi"", often";mira@a.example'],
	['with semicolons in a heading of two words', 'Name, first;Email address\r\nMira, Ana;mira@a.example'],
	['with tabs, as copied from its cells', 'Name\tEmail\nQuill, Mira; dean\tmira@a.example\n'],
	['with tabs, of which one is empty', 'Name\tNote\tEmail\nMira\t\tmira@a.example\n'],
	// As a file of UTF-16 is read, without its zero bytes.
	['as Unicode text', '\uFFFD\uFFFDEmail\tName\r\nmira@a.example\tMira\r\n'],
	['without a heading', 'Quill, Mira;mira@a.example\r\n'],
	['with commas in a list that has semicolons', 'Email,Name\nmira@a.example,Quill; Mira'],
])('a file that Excel writes %s is read', (_what, text) => {
	const { addresses, invalid } = readAddresses(text, () => true)
	expect([[...addresses.keys()], invalid]).toEqual([['mira@a.example'], []])
})
