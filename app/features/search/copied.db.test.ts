import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { listQuestions } from '~/features/question-lists/lists.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { queuedBehind } from '../../../tests/support/locks.ts'
import { reindexQuestions } from './reindexing.queries.server.ts'

/* Searches with copied texts: titles from other sites, command-line options, phrases of comments. */

useDatabase()

let asha: SignedIn

beforeAll(async () => {
	asha = await makeMember('asha')
	await makeQuestion(asha, {
		title: 'Narwhals, tusks and ice, or whales at all',
		description: 'In the Arctic sea, says Quora.',
	})
})

const title = `Why can't a narwhal's "tusk" bend - is it ice?`

test.each([
	['Why can’t a narwhal’s “tusk” bend — is it ice?', 'curly quotes and a long dash'],
	['Why can&#39;t a narwhal&#39;s &quot;tusk&quot; bend - is it ice?', 'entities of HTML'],
	["  why  CAN'T a narwhal's   tusk bend is it ice??", 'blanks and other marks'],
	[`Re: ${title}`, 'Re:'],
	[`${title} - Stack Overflow`, 'the name of a site'],
	[`${title} | Quora`, 'the name of a site behind a line'],
	[`whales - ${title} - Stack Overflow`, 'a tag before it and the name of a site'],
])('a title copied as %s is found, and nothing else is offered for its words (%s)', async (search) => {
	const { id } = await makeQuestion(asha, { title, description: 'x' })
	const { rows, instead } = await listQuestions(null, { search })
	expect([rows[0]?.id, instead]).toEqual([id, undefined])
})

test.each([
	['भाषा', 'मेरा कोड चलता नहीं। यह मेरी भाषा।'],
	['لغة', 'ما هي لغة؟'],
	['زبان', 'یہ زبان۔'],
	['krill', '•Plankton,\u00a0krill\u00a0and ice'],
	['belugas', 'Thanks, belugas🙏'],
	['بحر', 'هذا بحر\u061c'],
	['نمی\u200cدانم', 'من نمی\u200cدانم'],
])('the word %s is found beside a sign of any script: %j', async (search, description) => {
	const { id } = await makeQuestion(asha, { title: 'Where it swims', description })
	const { rows } = await listQuestions(null, { search })
	expect([rows.map((row) => row.id), rows[0]?.excerptHtml]).toEqual([
		[id],
		expect.stringContaining(`<mark>${search}</mark>`),
	])
})

test.each([
	['180°-turn', '180°-turn'],
	['C++-based coast', 'C++-based coast'],
	['.NET-powered shoal', '.NET-powered shoal'],
	['manatees 👨\u200d💻', 'Manatees there'],
	['reef -sand/mud', 'Reef alone'],
	['kelp -> shore', 'Kelp → shore'],
])('the search %j finds %j', async (search, title) => {
	const { id } = await makeQuestion(asha, { title: `${title}, or so`, description: 'x' })
	expect((await listQuestions(null, { search, isExact: true })).rows.map((row) => row.id)).toEqual([id])
})

test('a phrase of signs finds nothing', async () => {
	expect((await listQuestions(null, { search: '"→ &&"', isExact: true })).rows).toEqual([])
})

test('after an update, questions whose words had signs beside them are found, with what is commented meanwhile', async () => {
	const { id } = await makeQuestion(asha, { title: 'Otters🙏', description: 'x' })
	await sql`update questions set search = to_tsvector('simple', 'otters🙏') where id = ${id}`.execute(db())
	const found = async (search: string) =>
		(await listQuestions(null, { search, isExact: true })).rows.map((row) => row.id)
	expect(await found('otters')).toEqual([])
	const [reindexed] = await queuedBehind(
		(trx) =>
			sql`
			with added as (insert into comments (id, question_id, author_id, path, body, body_html, status)
				select n, ${id}::int, ${asha.id}, array[n], 'Afloat.', '<p>Afloat.</p>', 'published'
				from (select nextval('comments_id_seq')::int as n) next returning body)
			update questions set comment_count = comment_count + 1, search = grown_document(search, added.body)
			from added where questions.id = ${id}`.execute(trx),
		[reindexQuestions],
	)
	expect([reindexed?.status, await found('otters afloat')]).toEqual(['fulfilled', [id]])
	expect((await sql`select from reindexing`.execute(db())).rows).toEqual([])
})

test.each([
	['tag:tapir or tag:dugong', ['dugong', 'tapir']],
	['tag:tapir or tag:nobody-has-it', ['tapir']],
	['tag:tapir or tag:dugong grazes', ['dugong']],
	['"it grazes" tag:tapir OR tag:dugong', ['dugong']],
	['tag:mammal tag:dugong or tag:walrus', ['dugong']],
	['user:asha or user:nobody tag:tapir', ['tapir']],
	['grazes or tag:dugong', ['dugong']],
])('alternatives in the search %j find the questions about %j', async (search, found) => {
	const ids = new Map<string, number>()
	for (const [tag, description] of [
		['tapir', 'It swims.'],
		['dugong', 'There it grazes.'],
	] as const) {
		const { id } = await makeQuestion(asha, { title: `About a ${tag}`, description, tags: `${tag}, mammal` })
		ids.set(tag, id)
	}
	const { rows } = await listQuestions(null, { search, isExact: true })
	expect(rows.map(({ id }) => id)).toEqual(found.map((tag) => ids.get(tag)))
	await sql`delete from questions where id = any(${[...ids.values()]}::int[])`.execute(db())
})

test('a word keeps its marks and its invisible joiners', async () => {
	const { id } = await makeQuestion(asha, { title: 'हिन्दी क्\u200dष', description: 'می\u200cخواهم' })
	for (const [search, found] of [
		['हिन्दी', [id]],
		['می\u200cخواهم', [id]],
		['हिन', []],
		['می', []],
	] as const)
		expect((await listQuestions(null, { search, isExact: true })).rows.map((row) => row.id)).toEqual(found)
})

test('a title without any indexed word is found', async () => {
	const { id } = await makeQuestion(asha, { title: 'To be, or not to be?', description: 'x' })
	expect((await listQuestions(null, { search: 'to be or NOT to be' })).rows.map((row) => row.id)).toEqual([id])
})

test('two words beside a dash are not treated as a title', async () => {
	const { id } = await makeQuestion(asha, { title: 'A beluga alone', description: 'It sings, in a whole tank.' })
	await makeQuestion(asha, { title: 'Tank by tank', description: 'x' })
	expect((await listQuestions(null, { search: 'Beluga - tank' })).rows.map((row) => row.id)).toEqual([id])
})

test.each(['git walrus --hard', 'git walrus —hard', 'git walrus ––hard'])(
	'the option of %j is looked for, not left out',
	async (search) => {
		const { id } = await makeQuestion(asha, {
			title: `Walrus: ${search.length}`,
			description: 'I ran `git reset --hard`.',
		})
		await makeQuestion(asha, { title: 'Walrus again', description: 'In git.' })
		const { rows } = await listQuestions(null, { search })
		expect(rows[0]?.id).toBe(id)
	},
)

test('texts and comments with a command-line option precede those with it as a word, or as part of a longer one', async () => {
	const said = await makeQuestion(asha, { title: 'Walking a lemming', description: 'I ran `walk --hardy`.' })
	const written = await makeQuestion(asha, { title: 'On some lemming', description: 'I ran `walk --hard`.' })
	const commented = await makeQuestion(asha, { title: 'Of some lemming', description: 'It stays.' })
	await makeComment(asha, commented.id, 'Try `walk --hard -v`.')
	for (let number = 0; number < 12; number += 1)
		await makeQuestion(asha, {
			title: `Lemming: hard, number ${number}`,
			description: 'Hard, no hard-hard --hard-hat.',
		})
	const { rows } = await listQuestions(null, { search: 'lemming --hard', limit: 10 })
	expect(rows.slice(0, 2).map(({ id }) => id)).toEqual([written.id, commented.id])
	expect(rows.map(({ id }) => id)).not.toContain(said.id)
})

test('a comment with a phrase counts even if the description has it too', async () => {
	const text = await makeQuestion(asha, { title: 'One ibex', description: 'See the **climbing ibex** there.' })
	const { id } = await makeQuestion(asha, { title: 'Two of them', description: 'Goats?' })
	await makeComment(asha, id, 'A climbing ibex.')
	for (let number = 0; number < 12; number += 1)
		await makeQuestion(asha, { title: `Climbed ibexes, number ${number}`, description: 'Climbs.' })
	const { rows } = await listQuestions(null, { search: '"climbing ibex"', limit: 10 })
	expect(rows.slice(0, 2).map(({ id }) => id)).toEqual([text.id, id])
})

test('an exact phrase in a comment precedes newer texts with other forms of its words', async () => {
	const { id } = await makeQuestion(asha, { title: 'About seals', description: 'Are they fast?' })
	await makeComment(asha, id, 'No hurry.')
	await makeComment(asha, id, 'Sometimes a *diving seal* will rest.')
	for (let number = 0; number < 12; number += 1)
		await makeQuestion(asha, { title: `Dived seals, number ${number}`, description: 'Dives, sealed.' })
	const { rows, instead } = await listQuestions(null, { search: '"diving seal"', limit: 10 })
	expect([rows[0]?.id, rows.length, instead]).toEqual([id, 10, undefined])
	const titled = await makeQuestion(asha, { title: 'A diving seal', description: 'x' })
	const again = await listQuestions(null, { search: '"diving seal"', limit: 10 })
	expect(again.rows[0]?.id).toBe(titled.id)
})

/** The ids of all pages of a search, in order. */
async function readPages(search: string): Promise<number[]> {
	const ids: number[] = []
	let cursor: string | null = null
	do {
		const { rows, next } = await listQuestions(null, { search, cursor, limit: 3 })
		expect(rows).not.toEqual([])
		ids.push(...rows.map(({ id }) => id))
		cursor = next
	} while (cursor)
	return ids
}

test.each([
	['gazelle stripes', 'as it is'],
	['antelopes stripped', 'misread by a typo', 'antelopse stripped'],
])(
	'later pages do not repeat the question whose title %s began the first one (%s)',
	async (title, _, search = title) => {
		const { id } = await makeQuestion(asha, { title, description: words(200) })
		const others: number[] = []
		for (let number = 0; number < 9; number += 1)
			others.push((await makeQuestion(asha, { title: `${title}, ${title}`, description: `${title}, ${number}` })).id)
		const ids = await readPages(search)
		expect(ids[0]).toBe(id)
		expect(ids.toSorted()).toEqual([id, ...others].toSorted())
	},
)

test('all questions with a phrase of unindexed words are found, page by page', async () => {
	const ids: number[] = []
	for (let number = 0; number < 8; number += 1)
		ids.push((await makeQuestion(asha, { title: `Okapis, ${number}`, description: 'Are there any of those?' })).id)
	expect(await readPages('"are there any of"')).toEqual(ids.toReversed())
})

/** Different words without a meaning. */
function words(count: number): string {
	return Array.from({ length: count }, (_, number) => `q${number.toString(36)}z`).join(' ')
}
