import { expect, test } from 'vitest'
import { readLeavers } from './list-reading.ts'

const namesOf = (text: string) =>
	readLeavers(text).named.map(({ line, names }) => [line, ...names.map(({ kind, name }) => `${kind} ${name}`)])

test.each<[string, string, unknown[]]>([
	[
		'one address in each line',
		'MIRA@a.example\n\n"ben@a.example",\r\n',
		[
			[1, 'email mira@a.example'],
			[3, 'email ben@a.example'],
		],
	],
	[
		'a username or a number',
		'@Mira\n21CS1',
		[
			[1, 'username mira'],
			[2, 'username 21cs1', 'number 21cs1'],
		],
	],
	[
		'a table',
		'Name;Enrolment No.;E-Mail\nQuill, Mira;21CS1;mira@a.example',
		[[2, 'number 21cs1', 'email mira@a.example']],
	],
	['a table with its separator', 'sep=,\nUsername,Roll number\nmira,\n', [[3, 'username mira']]],
])('%s is read', (_what, text, names) => {
	expect(namesOf(text)).toEqual(names)
})

test('a table without a heading marks nobody, as a first name may be the username of somebody else', () => {
	const { named, unclear } = readLeavers('Mira,Quill,mira@a.example\nBen\tOde')
	expect([named, unclear.map(({ line, why }) => [line, why.slice(0, 15)])]).toEqual([
		[],
		[
			[1, 'Name the column'],
			[2, 'Name the column'],
		],
	])
})
