import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { deleteQuestion, editQuestion } from '~/features/asking/asking.server.ts'
import { listQuestions } from '~/features/question-lists/lists.server.ts'
import { loadTerms } from '~/features/terms/terms.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { parseSearch } from './parse.ts'
import { countNewMatches } from './search.server.ts'
import { editsBetween } from './spelling.queries.server.ts'
import { correctSearch } from './spelling.server.ts'

useDatabase()

let asha: SignedIn

beforeAll(async () => {
	asha = await makeMember('asha')
	await makeMember('silent')
	await makeQuestion(asha, { title: 'Closures inside a loop keep the last value', tags: 'javascript, node.js' })
	await makeQuestion(asha, { title: 'Closing a connection to the database', tags: 'postgresql' })
	await makeQuestion(asha, { title: 'Which database is there for a phone?', tags: 'sqlite' })
})

async function betterSpelling(search: string): Promise<string | null> {
	return (await correctSearch(parseSearch(search)))?.searchFor?.('') ?? null
}

test.each<[search: string, meant: string | null]>([
	['clsures', 'closures'],
	['closurs', null],
	['clousres', 'closures'],
	['Closuress', 'closures'],
	['databsae connection', 'database connection'],
	['databsae conection', 'database connection'],
	['tag:javascrpit', 'tag:javascript'],
	['loop tag:postgresq', 'loop tag:postgresql'],
	['tag:nodejs', 'tag:node.js'],
	['user:ahsa loop', 'user:asha loop'],
	['tag:javascrpit -closurs', 'tag:javascript -closurs'],
	['closures', null],
	['-closurs', null],
	['"closurs inside"', null],
	['user:slient', null],
	['zeppelin', null],
	['with the databsae', 'with the database'],
	['databsae?', 'database'],
	['connnectoin', 'connection'],
	['javascri', null],
	['lop', null],
	['data-base conection', 'data-base connection'],
	["'; drop table search_words; --", null],
	['', null],
])('for %j it suggests %j', async (search, meant) => {
	expect(await betterSpelling(search)).toBe(meant)
})

test.each([
	['toll-free numbers', 'Who pays for a toll free number?', { kind: 'corrected', search: 'toll free numbers' }],
	[
		'round-trip time-out, how to lower it?',
		'Lower the round trip timeout',
		{ kind: 'corrected', search: 'round trip time-out, how to lower it?' },
	],
	['why doesnt brambling sing', 'Brambling does not sing', undefined],
	["why isn't it", 'Why isn’t it?', undefined],
])('%j finds the title “%s”', async (search, title, instead) => {
	const { id } = await makeQuestion(asha, { title, tags: 'birds' })
	const found = await listQuestions(null, { search })
	expect([found.rows[0]?.id, found.instead]).toEqual([id, instead])
})

test('a search that only excludes words lists the newest others, also of one part or a tag', async () => {
	const titles = async (search: string) => (await listQuestions(null, { search })).rows.map(({ title }) => title)
	await makeQuestion(asha, { title: 'Serin near a yellowhammer', tags: 'finches' })
	await makeQuestion(asha, { title: 'Siskin near a dunnock', tags: 'finches' })
	expect(await titles('tag:finches -yellowhammer')).toEqual(['Siskin near a dunnock'])
	expect((await titles('-yellowhammer'))[0]).toBe('Siskin near a dunnock')
	expect(await titles('tag:finches -yellowhammer -dunnock')).toEqual([])
	expect(await titles('tag:finches in:title')).toHaveLength(2)
	expect(await titles('tag:finches -yellowhammer in:title')).toEqual(['Siskin near a dunnock'])
	expect(await titles('tag:finches -"near a dunnock"')).toEqual(['Serin near a yellowhammer'])
	const ofTitles = await listQuestions(null, { search: 'in:title -yellowhammer' })
	expect([ofTitles.rows[0]?.title, ofTitles.found]).toEqual(['Siskin near a dunnock', undefined])
})

test.each(['-the', '->', '-a -?'])(
	'the exclusion %s, without a word of the index, excludes nothing',
	async (search) => {
		const { id } = await makeQuestion(asha, { title: 'Twite at sea' })
		const { rows } = await listQuestions(null, { search })
		expect(rows[0]?.id).toBe(id)
		expect(rows.length).toBeGreaterThan(3)
	},
)

test('an exclusion that equals a title does not show that query, and pages on', async () => {
	const { id } = await makeQuestion(asha, { title: 'Docker-Compose' })
	const first = await listQuestions(null, { search: '-docker-compose', limit: 2 })
	const second = await listQuestions(null, { search: '-docker-compose', limit: 2, cursor: first.next })
	const shown = [...first.rows, ...second.rows].map((row) => row.id)
	expect([new Set(shown).size, shown.includes(id)]).toEqual([4, false])
})

test('an operator that equals a title lists all that it means', async () => {
	await makeQuestion(asha, { title: 'User: Asha' })
	expect((await listQuestions(null, { search: 'user:asha' })).rows.length).toBeGreaterThan(3)
})

test('the saved search for a question without its contraction counts what the list shows', async () => {
	const { id } = await makeQuestion(asha, { title: 'Dotterel does not rest' })
	const reader = await makeMember('reader')
	const count = (search: string) => countNewMatches(search, { among: sql<number>`(${id}::int)`, reader: reader.id })
	expect(await Promise.all(['why doesnt dotterel rest', 'dotterel wakes'].map(count))).toEqual([1, 0])
	expect(await Promise.all(['-the', '-stint', '-dotterel', 'in:title -rest'].map(count))).toEqual([1, 1, 0, 0])
})

test('a spelling whose stem is another word is searched for only if nothing has the typed one', async () => {
	const title = (title: string) => makeQuestion(asha, { title, tags: 'waders' })
	const typed = await title('How to tokenise a phalarope')
	const other = await title('A token for a phalarope')
	const found = async (search: string) => (await listQuestions(null, { search })).rows.map((row) => row.id)
	expect(await found('tokenise phalarope')).toEqual([typed.id])
	expect(await found('phalarope tokeniser')).toEqual([typed.id])
	const american = await title('An authorization of ruffs')
	expect(await found('authorisation ruff')).toEqual([american.id])
	const reader = await makeMember('tokens')
	const ids = sql.join([typed.id, other.id, american.id].map((id) => sql`${id}::int`))
	const count = (search: string) => countNewMatches(search, { among: sql<number>`(${ids})`, reader: reader.id })
	const searches = ['tokenise', 'authorisation', 'phalarope', 'colour phalarope', 'authorization or colour']
	expect(await Promise.all(searches.map(count))).toEqual([1, 0, 2, 0, 1])
})

test('a word with a second spelling counts as one, so that of two words the one in the title counts most', async () => {
	const { id } = await makeQuestion(asha, { title: 'Greenshank at dawn', description: 'x' })
	const others = Array.from({ length: 40 }, (_, index) => `q${index}x`).join(' ')
	await makeComment(asha, id, `I call colour there. ${others}`)
	for (let number = 0; number < 5; number += 1)
		await makeQuestion(asha, { title: `At noon, ${number}`, description: 'A greenshank and colour.' })
	expect((await listQuestions(null, { search: 'greenshank colour' })).rows[0]?.id).toBe(id)
})

test('a phrase that only texts with links have has as many pages as there are results', async () => {
	for (let number = 0; number < 3; number += 1)
		await makeQuestion(asha, {
			title: `Avocet ${number}`,
			description: 'See [avocet calls](https://birds.example/a) loudly.',
		})
	const search = '"avocet calls loudly"'
	const first = await listQuestions(null, { search, limit: 2 })
	const second = await listQuestions(null, { search, limit: 2, cursor: first.next })
	expect([first.found, first.rows.length, second.rows.map(({ title }) => title), second.next]).toEqual([
		3,
		2,
		['Avocet 0'],
		null,
	])
})

test('an option is not written apart, and neither are very many words', async () => {
	await makeQuestion(asha, { title: 'How to commit' })
	const meantBy = async (search: string) => (await correctSearch(parseSearch(search)))?.alternatives
	expect(await meantBy('how comit --dry-run')).toEqual([['commit']])
	const letters = [...'abcdefghijklmnopqrstuvwxyz']
	expect(await meantBy(letters.map((one) => `xx-x${one}`).join(' '))).toHaveLength(24)
})

test('with two other words, a part of a word may be misspelled too', async () => {
	await makeQuestion(asha, { title: 'Whom to trust with the wombat burrow', tags: 'zoo' })
	await makeQuestion(asha, { title: 'The truth about wombats', tags: 'zoo' })
	const meantBy = async (search: string) => (await correctSearch(parseSearch(search)))?.alternatives
	expect(await meantBy('trut wombat')).toEqual([['truth']])
	expect(await meantBy('trut wombat burrow')).toEqual([['truth', 'trust']])
	const { rows, instead } = await listQuestions(null, { search: 'trut wombat burrow' })
	expect([rows[0]?.title, instead]).toEqual([
		'Whom to trust with the wombat burrow',
		{ kind: 'corrected', search: 'trust wombat burrow' },
	])
})

test('a typo at the end of a long title is tolerated, and the title precedes others with its words', async () => {
	const title = 'What should we all be doing while somebody else is developing quokkas and numbats'
	const { id } = await makeQuestion(asha, { title, tags: 'zoo' })
	for (let number = 0; number < 3; number += 1)
		await makeQuestion(asha, { title: `Numbats, quokkas and more: ${number}` })
	const typed = title.replace('numbats', 'nubmats')
	const { rows, instead } = await listQuestions(null, { search: typed, limit: 3 })
	expect([rows[0]?.id, instead]).toEqual([id, { kind: 'corrected', search: title }])
})

test('a word is suggested only as long as a query has it', async () => {
	const { id } = await makeQuestion(asha, { title: 'About a giraffe', tags: 'savanna' })
	expect(await betterSpelling('girafe tag:savana')).toBe('giraffe tag:savanna')
	await editQuestion(asha, id, { title: 'About an elephant', description: 'x', tags: 'jungle', category: 'others' })
	expect(await betterSpelling('girafe tag:savana elefant')).toBe(null)
	expect(await betterSpelling('elephnat')).toBe('elephant')
	await deleteQuestion(asha, id)
	expect(await betterSpelling('elephnat tag:jungel')).toBe(null)
})

test('questions with the same new words can be asked concurrently', async () => {
	const titles = Array.from({ length: 8 }, () => 'Kangaroos and wallabies and platypuses')
	await Promise.all(
		titles.map((title, index) => makeQuestion(asha, { title, tags: index % 2 ? 'zoo, ant' : 'ant, zoo' })),
	)
	expect(await betterSpelling('kangarooos walabies')).toBe('kangaroos wallabies')
})

test.each([
	['javascri', [['javascript']]],
	['onnect', [['connection']]],
	['databsae', [['database']]],
	['closurs databa', [['database']]],
])('for %j any of %j is accepted', async (search, alternatives) => {
	expect((await correctSearch(parseSearch(search)))?.alternatives).toEqual(alternatives)
})

test.each([
	['', '', 0],
	['abc', 'abc', 0],
	['abc', 'acb', 1],
	['abc', 'ab', 1],
	['abc', 'xabc', 1],
	['abc', 'axc', 1],
	['abcdef', 'badcef', 2],
	['kitten', 'sitting', 3],
])('the edit distance of %j and %j is %i', (one, other, edits) => {
	expect(editsBetween(one, other)).toBe(edits)
	expect(editsBetween(other, one)).toBe(edits)
})

test.each([
	['"see brambling notes today"', 'Brambling', 'Do see [brambling notes](https://birds.example/a/b?c=1) today.'],
	['behavior pratincole', 'Pratincole', 'Its behaviour.'],
	['organisation, dotterel', 'Dotterel', 'Their organization.'],
	['licence sanderling', 'Sanderling', 'A license.'],
	['GPT4 redstart', 'Redstart', 'With GPT-4.'],
	['gpt-4 wheatear', 'Wheatear', 'With gpt4.'],
	['-Dfile.encoding=UTF-8 nightjar', 'Nightjar', 'I pass `-Dfile.encoding=UTF-8` to it.'],
	['hoopoe -XX:+UseG1GC', 'Hoopoe', 'With -XX:+UseG1GC it stops.'],
	['UTF_8 ortolan', 'Ortolan', 'With StandardCharsets.UTF_8 there.'],
	['"see garganey notes today"', 'Garganey', 'See [garganey][1] [notes](a "b c") today.\n\n[1]: b'],
	['"the smew (male) rests"', 'Smew', 'The [smew](https://birds.example/Smew_(male)/x) (male) rests.'],
])('%j finds %j, which has another writing of it', async (search, title, description) => {
	const { id } = await makeQuestion(asha, { title: `Query: ${title}`, description, tags: 'birds' })
	const { rows, instead } = await listQuestions(null, { search })
	expect([rows.map((row) => row.id), instead]).toEqual([[id], undefined])
})

test.each([
	['js siskin', 'Siskin in JavaScript', 'x'],
	['golang serin', 'Serin', 'With Go.'],
	['Serin, k8s?', 'Serin', 'With kubernetes.'],
	['ml crossbill', 'Crossbill', 'For machine learning.'],
	['cpp crossbill', 'Crossbill', 'In C++.'],
	['nodejs hawfinch', 'Hawfinch', 'With Node.js.'],
	['obj-c hawfinch', 'Hawfinch', 'In Objective-C.'],
	['tdd redpoll', 'Redpoll', 'With test driven development.'],
	['oops linnet', 'Linnet', 'With object-oriented programming.'],
	['psql bullfinch in:text', 'Fat', 'A bullfinch in PostgreSQL.'],
])('%j finds %j, which has the name of the term', async (search, title, description) => {
	const { id } = await makeQuestion(asha, { title: `Query: ${title}`, description, tags: 'birds' })
	const { rows, instead } = await listQuestions(null, { search })
	expect([rows.map((row) => row.id), instead]).toEqual([[id], undefined])
})

test('the names of aliases are marked, fill further pages and count for saved searches, but do not replace a word of the index', async () => {
	const titles = ['Twite in JS', 'Twite in JavaScript', 'Twite: JavaScript or JS?', 'Twite in Java']
	const made: number[] = []
	for (const title of titles) made.push((await makeQuestion(asha, { title, tags: 'birds' })).id)
	const first = await listQuestions(null, { search: 'twite js', limit: 2 })
	const second = await listQuestions(null, { search: 'twite js', limit: 2, cursor: first.next })
	const rows = [...first.rows, ...second.rows]
	expect([rows.map(({ id }) => id).toSorted((a, b) => a - b), first.found]).toEqual([made.slice(0, 3), 3])
	expect(rows.map(({ titleHtml }) => titleHtml)).toContain('<mark>Twite</mark> in <mark>JavaScript</mark>')
	const reader = await makeMember('aliases')
	const among = sql<number>`(${sql.join(made.map((id) => sql`${id}::int`))})`
	const searches = ['twite js', 'twite "js"', 'twite -js']
	expect(await Promise.all(searches.map((search) => countNewMatches(search, { among, reader: reader.id })))).toEqual([
		3, 2, 2,
	])
	const ofGo = sql`select lower(alias), alias, term_id from term_spellings, unnest('{IT,Where}'::text[]) alias where key = 'go'`
	await sql`insert into term_spellings (key, spelling, term_id) ${ofGo}`.execute(db())
	await loadTerms()
	expect((await listQuestions(null, { search: 'where is it twite js' })).found).toBe(3)
})

test('a name of several words counts as the alias that was typed: a title without another word is followed by some matches', async () => {
	const make = (title: string, description: string) => makeQuestion(asha, { title, description, tags: 'birds' })
	const other = await make('Dunlin sensor', 'x')
	const { id } = await make('Data of a dunlin', 'x')
	const description = 'The internet of things, and data of machine learning.'
	const titled = async (title: string) => {
		await editQuestion(asha, id, { title, description, tags: 'birds', category: 'others' })
		return (await listQuestions(null, { search: 'iot dunlin data' })).rows.map((row) => row.id)
	}
	expect(await titled('Dunlin data')).toEqual([id, other.id])
	expect(await titled('Dunlin data and the Internet of Things')).toEqual([id])
})

test('an alias and its name together rank below a literal phrase', async () => {
	const make = (title: string, description: string) => makeQuestion(asha, { title, description, tags: 'birds' })
	const literal = await make('Of birds', `${'Some other words. '.repeat(200)} The avocets and oop.`)
	const loose = await make('Avocet object-oriented programming: object oriented programming or OOP', 'x')
	const { rows } = await listQuestions(null, { search: '"avocets" oop' })
	expect(rows.map(({ id }) => id)).toEqual([literal.id, loose.id])
})
