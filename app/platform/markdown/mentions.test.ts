import { expect, test } from 'vitest'
import { mentionsIn, renderMarkdown } from './render.server.ts'

test.each([
	['@asha look', ['asha']],
	['thanks @Ben.Okri, and @asha.', ['ben.okri', 'asha']],
	['@asha and @ASHA again', ['asha']],
	['(@asha) **@ben** "@cleo"', ['asha', 'ben', 'cleo']],
	['- @asha\n- > @ben\n\n| a |\n|---|\n| @cleo |', ['asha', 'ben', 'cleo']],
	['write to asha@campus.example', []],
	['`@asha` is code', []],
	['``a ` @asha`` is code', []],
	['```py\n@decorator\n```\nby @asha', ['asha']],
	['~~~\n@asha\n~~~', []],
	['an unclosed fence\n```\n@asha', []],
	['text\n\n    @asha is indented\n\n@ben', ['ben']],
	['[@asha](/x) and ![@ben](/y)', []],
	['[a `b` @asha][x] @ben\n\n[x]: https://host.example', ['ben']],
	['<a href="https://host.example">@asha</a> @ben', ['ben']],
	['<a> is missing there, @asha\n\n- </a> is too, @ben', ['asha', 'ben']],
	['https://host.example/@asha', []],
	['a lone @ and @@asha and @-', []],
	['请@asha看看，サーバー@ben さん、で@cleo。 ถาม@dara', ['asha', 'ben', 'cleo', 'dara']],
	['почта@asha, ñ@asha and 你好mail@asha are no mentions', []],
	['@ashaé, @ash\u0301a and @aéa are others; @asha你好 and @benको are not', ['asha', 'ben']],
])('%j mentions %j, and these become links', async (text, names) => {
	expect(mentionsIn(text)).toEqual(names)
	const asked: string[][] = []
	const { html, mentioned } = await renderMarkdown(text, {
		people: async (found) => {
			asked.push(found)
			return new Set(found)
		},
	})
	expect(mentioned).toEqual(names)
	expect(asked).toEqual(names.length > 0 ? [names] : [])
	const links = [...html.matchAll(/href="\/find-dev\/([^"]+)"/g)].map(([, name]) => name)
	expect([...new Set(links)]).toEqual(names)
})

test('a name that belongs to nobody stays text, and is mentioned all the same', async () => {
	const { html, mentioned } = await renderMarkdown('@asha, @nobody.', { people: async () => new Set(['asha']) })
	expect(html.trim()).toMatch(/^<p><a href="\/find-dev\/asha" [^>]*>@asha<\/a>, @nobody\.<\/p>$/)
	expect(mentioned).toEqual(['asha', 'nobody'])
})

test('at most twenty members are mentioned', () => {
	const text = Array.from({ length: 30 }, (_, number) => `@member${number}`).join(' ')
	expect(mentionsIn(text)).toHaveLength(20)
})
