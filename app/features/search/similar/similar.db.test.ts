import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { deleteQuestion } from '~/features/asking/asking.server.ts'
import { deleteComment } from '~/features/discussion/commenting.server.ts'
import { NotFound } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { findCandidates, readTotals, refreshWordCounts } from './similar.queries.server.ts'
import { findSimilar, recordHelped } from './similar.server.ts'
import { probesOf, weigh } from './weights.ts'

useDatabase()

/** Title and one answer of each question of a small forum. */
const corpus = {
	port: [
		'The port is already in use when I start my server',
		'Another process listens there: find it with lsof and stop it.',
	],
	rebase: ['How do I undo a rebase in git?', 'The reflog still knows the old commit, reset to it.'],
	branch: ['Rename the current branch in git', 'git branch -m does it, then push the new name.'],
	json: ['Parsing a JSON file in Python', 'json.load takes the open file.'],
	csv: ['Reading a CSV file in Python line by line', 'The csv module yields one row at a time.'],
	hooks: ['useEffect runs twice on mount', 'Strict mode mounts components two times in development.'],
	index: ['Why is my index not used by PostgreSQL?', 'The planner prefers a sequential scan of a small table.'],
	join: ['Difference between inner join and left join in SQL', 'Rows without a partner are kept by the outer ones.'],
	solder: ['Soldering iron temperature for a microcontroller board', 'About 350 degrees with leaded tin.'],
	wifi: [
		'ESP32 loses the wifi connection at night',
		'Reconnect in the disconnect event, and look at the power supply.',
	],
	cplus: ['Memory leak in a C++ destructor', 'Make the base destructor virtual.'],
	interview: ['What to wear for an internship interview', 'Something clean. They look at what you built.'],
} as const
type Key = keyof typeof corpus

let asker: SignedIn
const ids = {} as Record<Key, number>

beforeAll(async () => {
	asker = await makeMember('asker')
	for (const [key, [title, answer]] of Object.entries(corpus)) {
		const { id } = await makeQuestion(asker, { title, description: 'I tried for an hour.', tags: 'campus' })
		ids[key as Key] = id
		await makeComment(asker, id, answer)
	}
	await refreshWordCounts()
})

test.each<[string, Key]>([
	['address already in use, cannot start the server', 'port'],
	['revert a git rebase that went wrong', 'rebase'],
	['change the name of a git branch', 'branch'],
	['python: load json from a file', 'json'],
	['iterate over csv rows with python', 'csv'],
	['effect hook executed two times after mounting', 'hooks'],
	['postgres ignores the index and does a sequential scan', 'index'],
	['which tool tells me the process that listens on a port, lsof?', 'port'],
	['esp 32 disconnects from wifi over night', 'wifi'],
	['c++ leaks memory, is the destructor wrong', 'cplus'],
])('“%s” finds the query about %s first', async (title, key) => {
	const [first] = await findSimilar({ title })
	expect(first?.id).toBe(ids[key])
})

test.each<[string, Key]>([
	['undo a rebsae', 'rebase'],
	['solderng iron temprature', 'solder'],
	['destrutor memory', 'cplus'],
	['intership intervew', 'interview'],
])('“%s”, mistyped, finds the query about %s first', async (title, key) => {
	const [first] = await findSimilar({ title })
	expect(first?.id).toBe(ids[key])
})

test('the description decides between equal titles', async () => {
	const found = await findSimilar({
		title: 'Reading a file in Python',
		description: 'It has rows with commas between the fields, a CSV from a sheet.',
	})
	expect(found[0]?.id).toBe(ids.csv)
})

test('a result has its category, its match, whether it is solved, and its number of comments', async () => {
	const [first] = await findSimilar({ title: 'undo rebase' })
	expect(first).toMatchObject({
		url: `/forum/others/asker/${ids.rebase}/how-do-i-undo-a-rebase-in-git`,
		title: 'How do I undo a rebase in git?',
		titleHtml: 'How do I <mark>undo</mark> a <mark>rebase</mark> in git?',
		solved: false,
		commentCount: 1,
	})
})

test('a title with HTML is escaped, with no markup but that of matches', async () => {
	const { id } = await makeQuestion(asker, { title: 'Why does <b onclick=alert(1)> flicker' })
	const [first] = await findSimilar({ title: 'something that flickers' })
	expect(first?.id).toBe(id)
	expect(first?.titleHtml).toBe('Why does &lt;b onclick=alert(1)&gt; <mark>flicker</mark>')
})

test('a new query is found although the words have not been counted since', async () => {
	const { id } = await makeQuestion(asker, { title: 'Zookeeper quorum is lost after a restart' })
	expect((await findSimilar({ title: 'quorum lost in zookeeper' }))[0]?.id).toBe(id)
})

test('a deleted query is never suggested, nor by a comment that was deleted', async () => {
	const { id } = await makeQuestion(asker, { title: 'Marmalade compiler crashes' })
	expect((await findSimilar({ title: 'marmalade compiler' }))[0]?.id).toBe(id)
	await deleteQuestion(asker, id)
	expect(await findSimilar({ title: 'marmalade compiler' })).toEqual([])

	const other = await makeQuestion(asker, { title: 'A question of another kind' })
	const comment = await makeComment(asker, other.id, 'Use the pomegranate flag.')
	expect((await findSimilar({ title: 'pomegranate flag', least: 0 }))[0]?.id).toBe(other.id)
	await deleteComment(asker, comment)
	expect((await findSimilar({ title: 'pomegranate flag', least: 0 })).map(({ id }) => id)).not.toContain(other.id)
})

test('a single word that every query has finds nothing', async () => {
	const words = weigh([{ word: 'git', titled: true, documents: 900_000 }], { sampled: 1_000_000, questions: 1_000_000 })
	expect(await findCandidates(probesOf(words, 1_000_000), words, 60)).toEqual([])
})

test('where more queries have two words than are read, the newest are, wherever their rows are stored', async () => {
	const title = 'A marmot in its burrow'
	const { rows } = await sql<{ id: number }>`
		insert into questions (author_id, category_id, title, description, description_html, excerpt, search)
		select ${asker.id}, (select min(id) from categories), ${title}, '', '', '', question_document(${title}, '{}', '')
		from generate_series(1, 300) returning id`.execute(db())
	await sql`analyze questions`.execute(db())
	const newest = rows.map(({ id }) => id).slice(-60)
	const probe = { words: ['marmot', 'burrow'], weight: 2, titleOnly: false, limit: 200, newest: false }
	const find = async () =>
		(await findCandidates([probe], [], 60)).map(({ id }) => id).toSorted((one, other) => one - other)
	expect(await find()).toEqual(newest)
	await sql`update questions set excerpt = 'Written again' where id = any(${newest.slice(10)})`.execute(db())
	expect(await find()).toEqual(newest)
	await sql`delete from questions where title = ${title}`.execute(db())
})

test('a text that has nothing in common with the forum finds nothing', async () => {
	expect(await findSimilar({ title: 'sourdough hydration percentages' })).toEqual([])
})

test.each([
	['nothing', ''],
	['spaces', '   '],
	['words that say nothing', 'how do I the of and'],
	['operators of the search', `' | & ! <-> :* :A ((("`],
	['quotes and backslashes', `it''s \\'; drop table questions; -- C:\\temp\\new`],
	['a character that PostgreSQL does not store', 'undo\u0000rebase'],
	['half a character', 'undo \ud800 rebase'],
	['the characters of marks', 'undo \u0001rebase\u0002 \u0003'],
	['very many words', Array.from({ length: 5_000 }, (_, index) => `word${index}`).join(' ')],
	['one endless word', 'x'.repeat(30_000)],
	['other scripts', 'как отменить 如何撤销 🙂🙂🙂'],
])('%s is answered without an error', async (_name, text) => {
	const found = await findSimilar({ title: text, description: text })
	expect(found.length).toBeLessThanOrEqual(5)
})

test('a description of 30,000 characters finds the same as its beginning', async () => {
	const beginning = 'The reflog shows the commits from before. '.repeat(100)
	const long = beginning + 'csv python file '.repeat(1_700)
	const title = 'get back to before a rebase'
	const found = (rows: { id: number }[]) => rows.map(({ id }) => id)
	expect(found(await findSimilar({ title, description: long.slice(0, 30_000) }))).toEqual(
		found(await findSimilar({ title, description: beginning })),
	)
})

test('“This solved mine” counts once per member and query, and for each visitor', async () => {
	const count = async () =>
		(await db().selectFrom('similar_helped').select('user_id').where('question_id', '=', ids.wifi).execute()).length
	const reader = await makeMember('reader')
	await Promise.all(Array.from({ length: 8 }, () => recordHelped(reader, ids.wifi)))
	expect(await count()).toBe(1)
	expect(await recordHelped(asker, ids.wifi)).toEqual({
		url: expect.stringContaining(`/forum/others/asker/${ids.wifi}/`),
	})
	await recordHelped(null, ids.wifi)
	await recordHelped(null, ids.wifi)
	expect(await count()).toBe(4)
})

test('“This solved mine” is refused for a missing query', async () => {
	const { id } = await makeQuestion(asker)
	await deleteQuestion(asker, id)
	await expect(recordHelped(asker, id)).rejects.toThrow(NotFound)
	await expect(recordHelped(null, 2_000_000_000)).rejects.toThrow(NotFound)
	await expect(recordHelped(null, Number.NaN)).rejects.toThrow(NotFound)
})

test('concurrent recounts of the words neither fail nor wait', async () => {
	await Promise.all(Array.from({ length: 4 }, refreshWordCounts))
	expect((await readTotals()).sampled).toBeGreaterThanOrEqual(Object.keys(corpus).length)
})
