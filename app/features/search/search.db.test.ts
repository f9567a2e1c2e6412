import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { deleteQuestion, editQuestion } from '~/features/asking/asking.server.ts'
import { deleteComment, editComment } from '~/features/discussion/commenting.server.ts'
import { listQuestions } from '~/features/question-lists/lists.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { encodeCursor } from '~/platform/http/cursors.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import type { SearchFallback } from './search.view.ts'

useDatabase()

let asha: SignedIn
const ids: Record<string, number> = {}

const questions: [key: string, title: string, description: string, tags: string, category: string, comment: string][] =
	[
		[
			'closures',
			'Closures inside a loop keep the last value',
			'Every callback prints 5.',
			'javascript',
			'javascript',
			'Use let in the loop.',
		],
		[
			'commit',
			'How do I undo my last commit?',
			'I committed too early; git says nothing.',
			'git',
			'git-and-tools',
			'git reset --soft HEAD~1',
		],
		[
			'undo',
			'Buttons for going back in an editor',
			'Should I _really_ keep commands to undo them?',
			'patterns',
			'others',
			'The command pattern.',
		],
		['cpp', 'C++ templates in a header', 'Why must they be there?', 'c++, templates', 'others', 'C++20 has modules.'],
		['c', 'Pointers in C, for beginners', 'A pointer to a pointer?', 'c', 'others', 'Draw it.'],
		['csharp', 'Async in C# blocks the window', 'I call .Result on it.', 'c#', 'others', 'Await it.'],
		[
			'dotnet',
			'Which version of .NET for a course?',
			'ASP.NET Core or the old one?',
			'.net',
			'others',
			'The newest LTS.',
		],
		[
			'forbidden',
			'Server answers 403 for static files',
			'Only **403**, never 404: <b>why</b> & how?',
			'nginx',
			'others',
			'Check the rights of the folder.',
		],
		[
			'loop',
			'The event loop explained',
			'What is a microtask?',
			'javascript, node.js',
			'javascript',
			'Promises first. A callback waits.',
		],
		['python', 'Loops over two lists at once', 'Is there a way without an index?', 'python', 'python', 'zip(a, b)'],
	]

beforeAll(async () => {
	asha = await makeMember('asha')
	for (const [key, title, description, tags, category, comment] of questions) {
		ids[key] = (await makeQuestion(asha, { title, description, tags, category })).id
		await makeComment(asha, ids[key], comment)
	}
})

test.each<[string, Omit<Parameters<typeof listQuestions>[1], 'search'>, string[]]>([
	['undo', {}, ['commit', 'undo']],
	['undoing commits', {}, ['commit']],
	['LOOPS', {}, ['closures', 'loop', 'python']],
	['loop -event', {}, ['python', 'closures']],
	['"event loop"', {}, ['loop']],
	['"I really keep"', {}, ['undo']],
	['closures or pointers', {}, ['c', 'closures']],
	['loop', { category: 'javascript' }, ['closures', 'loop']],
	['loop', { tag: 'Python' }, ['python']],
	['loop', { category: 'javascript', tag: 'node.js' }, ['loop']],
	['c++', {}, ['cpp']],
	['"C++ templates"', {}, ['cpp']],
	['C++20', {}, ['cpp']],
	['c#', {}, ['csharp']],
	['async -c#', {}, []],
	['.net', {}, ['dotnet']],
	['asp.net', {}, ['dotnet']],
	['403', {}, ['forbidden']],
	['404', {}, ['forbidden']],
	['node.js', {}, ['loop']],
	['microtask', {}, ['loop']],
	['modules', {}, ['cpp']],
	['HEAD~1', {}, ['commit']],
	['nothing-of-the-kind', {}, []],
	['the', {}, []],
	['tag:javascript', {}, ['loop', 'closures']],
	['tag:javascript tag:node.js', {}, ['loop']],
	['-tag:javascript loop', {}, ['python']],
	['tag:javascript -tag:node.js', {}, ['closures']],
	['tag:nobody-has-it', {}, []],
	['tag:git', { tag: 'javascript' }, []],
	['category:python category:javascript', {}, ['python', 'loop', 'closures']],
	['loop -category:javascript', {}, ['python']],
	['category:python', { category: 'javascript' }, []],
	['undo user:asha', {}, ['commit', 'undo']],
	['undo -user:asha', {}, []],
	['user:@ASHA tag:c', {}, ['c']],
	['undo user:nobody', {}, []],
	['undo is:unanswered', {}, []],
	['undo -is:unanswered', {}, ['commit', 'undo']],
	['undo -is:solved', {}, ['commit', 'undo']],
	['is:solved', {}, []],
	['undo is:unsolved', {}, ['commit', 'undo']],
	['undo -is:unsolved', {}, []],
	['is:solved -is:solved', {}, []],
	['"event loop" tag:javascript', {}, ['loop']],
	['undo -"last commit"', {}, ['undo']],
	['is:nonsense', {}, []],
	["tag:';--", {}, []],
	["'; drop table questions; --", {}, []],
	['& | ! ( ) : * <->', {}, []],
	['a\u0000z \ud800', {}, []],
	['"--qz(qx zorp" --[zx] --zy*', {}, []],
	["8'8' '8''9.1' '-8' v'1.2' 'v1.2", {}, []],
	["example.com/a'1 example.com/it's'1.2'3", {}, []],
	['"--soft"', {}, ['commit']],
	['x'.repeat(500), {}, []],
])('searching for %s with %j finds the expected questions, the best first', async (search, narrowed, expected) => {
	const { rows } = await listQuestions(null, { ...narrowed, search })
	const found = rows.map((row) => Object.keys(ids).find((key) => ids[key] === row.id))
	expect(found.slice(0, 1)).toEqual(expected.slice(0, 1))
	expect(found.toSorted()).toEqual(expected.toSorted())
})

test.each([
	['undoing', 'commit', 'How do I <mark>undo</mark> my last commit?', 'I committed too early; git says nothing.'],
	['c++', 'cpp', '<mark>C++</mark> templates in a header', 'Why must they be there?'],
	['C#', 'csharp', 'Async in <mark>C#</mark> blocks the window', 'I call .Result on it.'],
	['.net', 'dotnet', 'Which version of <mark>.NET</mark> for a course?', 'ASP<mark>.NET</mark> Core or the old one?'],
	[
		'403',
		'forbidden',
		'Server answers <mark>403</mark> for static files',
		'Only <mark>403</mark>, never 404: why &amp; how?',
	],
	['"event loop"', 'loop', 'The <mark>event</mark> <mark>loop</mark> explained', 'What is a microtask?'],
])('searching for %s marks the matches and escapes the rest', async (search, key, titleHtml, excerptHtml) => {
	const { rows } = await listQuestions(null, { search })
	expect(rows.find((row) => row.id === ids[key])).toMatchObject({ titleHtml, excerptHtml })
})

/** Parts of joined words, and other spellings of a word: [search, title, description]. */
const spellings: [string, string, string][] = [
	['NullPointerException pelican', 'Pelican', 'It throws java.lang.NullPointerException at once.'],
	['nullpointer ostrich', 'Ostrich and NullPointerException', 'It throws.'],
	['pointer heron', 'Heron', 'A NullPointerException.'],
	['println kestrel', 'Kestrel', 'I call `System.out.println(x)`.'],
	['render toucan', 'Toucan', 'I call `view.render()`.'],
	['view.render() tanager', 'Tanager', 'I call `this.view.render`.'],
	['effect magpie', 'Magpie', 'About useEffect.'],
	['0x80070005 puffin', 'Puffin', 'It ends with 0x80070005.'],
	['dependency lapwing', 'Lapwing', 'Add `<dependency>` to it.'],
	['email plover', 'Plover', 'It sends an e-mail.'],
	['e-mails curlew', 'Curlew', 'It sends an email.'],
	['start-up dunnock', 'Dunnock', 'My startup.'],
	['startup siskin', 'Siskin', 'My start-up.'],
	['cafe linnet', 'Linnet', 'In the café.'],
	['Ångström avocet', 'Avocet', 'One angstrom.'],
	['学习 bittern', 'Bittern', '关于机器学习的问题'],
	['versicherung egret', 'Egret und Krankenversicherung', 'Was kostet sie?'],
	['संपादक grebe', 'Grebe', 'कोड संपादक कौन सा है?'],
	['javascri godwit', 'Godwit', 'In javascript.'],
	['1.21 wagtail', 'Wagtail', 'In gradle-1.21 and others.'],
	['8 whinchat', 'Whinchat', 'With Java-8.'],
	['Java-11 stonechat', 'Stonechat', 'With Java 11.'],
	['3.8.1 wryneck', 'Wryneck', 'Since v3.8.1 of it.'],
	['v3.9.2 corncrake', 'Corncrake', 'Since 3.9.2 of it.'],
	['kill -11 bunting', 'Bunting', 'I ran `kill -11` on it.'],
	['"since 4.2" nuthatch', 'Nuthatch', 'Since v4.2 of it.'],
]

test('a misspelled word finds a term that occurs only in texts, and an unknown word finds nothing', async () => {
	const { id } = await makeQuestion(asha, { title: 'Query: Whimbrel', description: 'On kubernetes.', tags: 'birds' })
	const { rows, instead } = await listQuestions(null, { search: 'kuberentes' })
	expect([rows.map((row) => row.id), instead]).toEqual([[id], { kind: 'corrected', search: 'kubernetes' }])
	expect(await listQuestions(null, { search: 'xyzzyplugh' })).toMatchObject({ rows: [] })
})

test.each(spellings)('%j finds %j', async (search, title, description) => {
	const { id } = await makeQuestion(asha, { title: `Query: ${title}`, description, tags: 'birds' })
	const { rows, instead } = await listQuestions(null, { search })
	expect([rows.map((row) => row.id), instead]).toEqual([[id], undefined])
})

test.each([
	['Alpaca - llama, IshowU, others?', 'a dash'],
	['Is vicuna or guanaco wool warmer, or camel?', 'or'],
	['What does "guanaco herd" mean for -camel?', 'quotes and a minus'],
	['Error: tag:guanaco is:solved', 'operators'],
])('the complete title %j finds its question in spite of %s', async (title) => {
	const { id } = await makeQuestion(asha, { title, description: 'x' })
	await makeQuestion(asha, { title: 'Vicuna, guanaco, alpaca and camel in one', description: 'herd, wool, llama' })
	const { rows, instead } = await listQuestions(null, { search: title })
	expect([rows[0]?.id, instead]).toEqual([id, undefined])
})

test.each<[search: string, first: string, instead: SearchFallback]>([
	['clsures inside', 'closures', { kind: 'corrected', search: 'closures inside' }],
	['tempaltes header', 'cpp', { kind: 'corrected', search: 'templates header' }],
	['tag:pythn lists', 'python', { kind: 'corrected', search: 'tag:python lists' }],
	['"loop event"', 'loop', { kind: 'any', exact: 0 }],
	['pointers beginners microtask', 'c', { kind: 'any', exact: 0 }],
	['callback prints loop', 'closures', { kind: 'any', exact: 1 }],
])('%j finds %s first and describes the results', async (search, first, instead) => {
	const page = await listQuestions(null, { search })
	expect([Object.keys(ids).find((key) => ids[key] === page.rows[0]?.id), page.instead]).toEqual([first, instead])
})

test.each([
	['modules in:comments', 'cpp'],
	['modules in:title', undefined],
	['event in:title', 'loop'],
	['microtask in:text', 'loop'],
	['microtask -in:text', undefined],
])('%j searches only there', async (search, first) => {
	const { rows } = await listQuestions(null, { search })
	expect(Object.keys(ids).find((key) => ids[key] === rows[0]?.id)).toBe(first)
})

test('excluded or hidden questions, and those of other categories, do not appear for any words either', async () => {
	const search = 'loop quasar -tag:javascript -category:python'
	const { rows } = await listQuestions(null, { search })
	expect(rows).toEqual([])
	const { id } = await makeQuestion(asha, { title: 'About a quasar' })
	expect((await listQuestions(null, { search })).rows.map((row) => row.id)).toEqual([id])
	await deleteQuestion(asha, id)
	expect((await listQuestions(null, { search })).rows).toEqual([])
})

test('a number in a title with all words counts once, so that nothing else is shown', async () => {
	const { id } = await makeQuestion(asha, { title: 'Goshawk migrates to 17', description: 'x' })
	await makeQuestion(asha, { title: 'Goshawk at rest', description: 'It migrates.' })
	const { rows, instead } = await listQuestions(null, { search: 'goshawk migrates 17' })
	expect([rows.map((row) => row.id), instead]).toEqual([[id], undefined])
	const without = await listQuestions(null, { search: 'goshawk -17' })
	expect(without.rows.map((row) => row.id)).not.toContain(id)
})

test('of two words, the one in the title counts most, in a thread of any length', async () => {
	const { id } = await makeQuestion(asha, { title: 'Redshank at dawn', description: 'x' })
	await makeComment(asha, id, `I call flapWings there. ${words(7, 9_000)}`)
	for (let number = 0; number < 5; number += 1)
		await makeQuestion(asha, { title: `At noon, ${number}`, description: 'A redshank and flapWings.' })
	const { rows } = await listQuestions(null, { search: 'redshank flapWings' })
	expect(rows[0]?.id).toBe(id)
})

test('the passage shown is the one that matches, however far down', async () => {
	const { id } = await makeQuestion(asha, {
		description: `${'Many other words come first. '.repeat(100)}The **zeppelin** [lands](https://a.example). ${'More words. '.repeat(100)}`,
	})
	const { rows } = await listQuestions(null, { search: 'zeppelins' })
	expect(rows.map((row) => row.id)).toEqual([id])
	expect(rows[0]?.excerptHtml).toContain('The <mark>zeppelin</mark> lands.')
})

test('a passage is plain text: no code fences, table pipes or list markers', async () => {
	const { id } = await makeQuestion(asha, {
		description: 'Sort a quokka:\n\n```python\na = [3,1,2]\n```\n\n| k | v |\n|---|---|\n| | 2 |\n\n- one',
	})
	await makeComment(asha, id, '```js\nnumbat()\n```\n- two')
	const found = async (search: string) => (await listQuestions(null, { search })).rows.find((row) => row.id === id)
	expect((await found('quokka'))?.excerptHtml).toBe('Sort a <mark>quokka</mark>: a = [3,1,2] k v 2 one')
	expect((await found('numbat'))?.commentMatch?.html).toBe('<mark>numbat</mark>() two')
})

test('a query that only comments match shows the passage of the comment with most of the words, and its location', async () => {
	const { id } = await makeQuestion(asha, { title: 'About an okapi', description: 'It hides.', tags: 'forest' })
	await makeComment(asha, id, 'A lantern helps.')
	const best = await makeComment(asha, id, `${'Some words. '.repeat(60)}Take **lanterns** & C++ <b>along</b>.`)
	const last = await makeComment(asha, id, 'A lamp does too, says 100% of us.')
	const match = async (search: string) => {
		const { rows } = await listQuestions(null, { search })
		return rows.find((row) => row.id === id)?.commentMatch
	}
	expect(await match('lanterns c++ -giraffes')).toEqual({
		url: `/forum/comment/${best}`,
		author: 'Asha',
		html: expect.stringMatching(/^… .*Take <mark>lanterns<\/mark> &amp; <mark>C\+\+<\/mark> along\.$/),
	})
	expect(await match('lamps tag:forest')).toMatchObject({ url: `/forum/comment/${last}` })
	expect(await match('okapi lantern')).toMatchObject({ url: expect.stringContaining('/forum/comment/') })
	expect([await match('okapi'), await match('forest'), await match('hides'), await match('tag:forest')]).toEqual(
		Array(4).fill(undefined),
	)
	await deleteComment(asha, last)
	expect(await match('lamps')).toBeUndefined()
})

test('searches reflect every edit and deletion', async () => {
	const { id } = await makeQuestion(asha, { title: 'About a giraffe', tags: 'savanna' })
	const found = async (search: string) => (await listQuestions(null, { search })).rows.map((row) => row.id)
	const comment = await makeComment(asha, id, 'A crocodile lurks.')
	await editQuestion(asha, id, { title: 'About an elephant', description: 'x', tags: 'jungle', category: 'others' })
	expect([
		await found('giraffe'),
		await found('savanna'),
		await found('elephant'),
		await found('jungle'),
		await found('crocodile'),
	]).toEqual([[], [], [id], [id], [id]])
	await editComment(asha, comment, { body: 'A hippo lurks.' })
	expect([await found('crocodile'), await found('hippo')]).toEqual([[], [id]])
	await deleteComment(asha, comment)
	expect(await found('hippo')).toEqual([])
	await deleteQuestion(asha, id)
	expect(await found('elephant')).toEqual([])
})

test('paging returns each result once, even with equal ranks', async () => {
	const made: number[] = []
	for (let number = 0; number < 12; number += 1)
		made.push((await makeQuestion(asha, { title: 'Watermelon in winter', tags: number % 2 ? 'fruit' : 'season' })).id)
	const met: number[] = []
	let cursor: string | null = null
	do {
		const { rows, next } = await listQuestions(null, { search: 'watermelon', cursor, limit: 5 })
		met.push(...rows.map((row) => row.id))
		cursor = next
	} while (cursor)
	expect(met).toEqual(made.toReversed())
})

test('a search with only operators is paged by time, each query once', async () => {
	const made: number[] = []
	for (let number = 0; number < 7; number += 1) made.push((await makeQuestion(asha, { tags: 'paging, other' })).id)
	const met: number[] = []
	let cursor: string | null = null
	do {
		const { rows, next } = await listQuestions(null, { search: 'tag:paging is:unanswered tag:other', cursor, limit: 3 })
		met.push(...rows.map((row) => row.id))
		cursor = next
	} while (cursor)
	expect(met).toEqual(made.toReversed())
	await deleteQuestion(asha, made[0] ?? 0)
	const { rows } = await listQuestions(null, { search: 'tag:paging' })
	expect(rows.map((row) => row.id)).toEqual(made.slice(1).toReversed())
	await expect(listQuestions(null, { search: 'tag:paging', cursor: encodeCursor(['0.1', 2]) })).rejects.toThrow(
		'This page of the list no longer exists.',
	)
})

test.each([
	encodeCursor([1, 2]),
	encodeCursor(['x', 2]),
	encodeCursor(['-', 2]),
	encodeCursor(['1e999', 2]),
	encodeCursor(['0.1', 2 ** 31]),
	encodeCursor(['0.1']),
])('the cursor %s is refused', async (cursor) => {
	await expect(listQuestions(null, { search: 'loop', cursor })).rejects.toThrow(
		'This page of the list no longer exists.',
	)
})

test('a thread of any size can be written to, and its query is still found', async () => {
	const texts = { title: 'Megalosaurus in the long thread', description: words(0, 30_000) }
	const { id } = await makeQuestion(asha, texts)
	// Each comment makes the document of the whole thread anew, so only the last ones are written as members do.
	const bodies = Array.from({ length: 72 }, (_, index) => words(index + 1, 10_000))
	await sql`insert into comments (id, question_id, author_id, path, body, body_html)
		select -n, ${id}, ${asha.id}, array[-n], b, '' from unnest(${bodies}::text[]) with ordinality t(b, n)`.execute(db())
	await sql`update questions q set search = whole_document(q) where id = ${id}`.execute(db())
	for (let number = 73; number <= 80; number += 1) await makeComment(asha, id, words(number, 10_000))
	await editQuestion(asha, id, { ...texts, tags: 'a', category: 'others' })
	const { rows } = await sql<{ size: number }>`
		select pg_column_size(search || ''::tsvector) as size from questions where id = ${id}`.execute(db())
	expect(rows[0]?.size).toBeGreaterThan(300_000)
	expect((await listQuestions(null, { search: 'megalosaurus' })).rows.map((row) => row.id)).toEqual([id])
})

/** Distinct words that no stemmer shortens, with a total length of `length` characters. */
function words(seed: number, length: number): string {
	let text = ''
	for (let number = 0; text.length < length - 12; number += 1) text += `q${seed}x${number.toString(36)}é `
	return text
}
