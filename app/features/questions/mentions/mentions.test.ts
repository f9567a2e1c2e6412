import { expect, test } from 'vitest'
import { mentionsIn } from './mentions.server.ts'

test.each([
	['@asha look', ['asha']],
	['thanks @Ben.Okri, and @asha.', ['ben.okri', 'asha']],
	['@asha and @ASHA again', ['asha']],
	['(@asha) **@ben** "@cleo"', ['asha', 'ben', 'cleo']],
	['write to asha@campus.example', []],
	['`@asha` is code', []],
	['``a ` @asha`` is code', []],
	['```py\n@decorator\n```\nby @asha', ['asha']],
	['~~~\n@asha\n~~~', []],
	['an unclosed fence\n```\n@asha', []],
	['text\n\n    @asha is indented\n\n@ben', ['ben']],
	['[@asha](/x) and ![@ben](/y)', []],
	['https://host.example/@asha', []],
	['a lone @ and @@asha', []],
])('%j mentions %j', (text, names) => {
	expect(mentionsIn(text)).toEqual(names)
})

test('at most twenty members are mentioned', () => {
	const text = Array.from({ length: 30 }, (_, number) => `@member${number}`).join(' ')
	expect(mentionsIn(text)).toHaveLength(20)
})

test('a long text of open fences and brackets is read in time that grows with its length', () => {
	expect(mentionsIn('['.repeat(30_000))).toEqual([])
	expect(mentionsIn('`'.repeat(30_000))).toEqual([])
	expect(mentionsIn('```\n'.repeat(7_500))).toEqual([])
})
