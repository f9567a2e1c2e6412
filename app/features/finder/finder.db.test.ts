import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { deleteQuestion } from '~/features/asking/asking.server.ts'
import { sendMessage } from '~/features/chat/messages/sending.server.ts'
import { savePersonal } from '~/features/profile-editor/editing.server.ts'
import { addProject } from '~/features/profile-editor/items.server.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import { suggestEverything } from './everything.server.ts'
import { finderOperations, finderShapes } from './finder.api.server.ts'
import type { SearchKind } from './finder.paths.ts'
import { searchEverything } from './finder.server.ts'
import { deleteMissesOf, writeMiss } from './misses.queries.server.ts'
import { listMisses, MISS_DAYS } from './misses.server.ts'

useDatabase()

let nora: SignedIn
let ravi: SignedIn
let reader: SignedIn
let moderator: SignedIn
const questions: Record<string, number> = {}

const personal = { fullName: 'Nora Finch', about: 'Falconry at weekends.', listed: 'on', show_presence: 'on' }

beforeAll(async () => {
	nora = await makeMember('nora')
	ravi = await makeMember('ravi')
	reader = await makeMember('reader')
	moderator = await makeMember('mod', 'moderator')
	await savePersonal(nora, 'nora', { ...personal, skills: 'Kubernetes, React', version: 1 })
	await savePersonal(ravi, 'ravi', { ...personal, fullName: 'Ravi Otter', about: '', skills: 'Java', version: 1 })
	const projects: [SignedIn, string, string, string][] = [
		[nora, 'Foundry', 'Casts bells of paper for the gallery.', 'Kubernetes, Go'],
		[nora, 'Lighthouse keeper', 'A lamp that blinks.', 'Arduino'],
		[ravi, 'Bell tower', 'Rings the hours.', 'Java, Kubernetes'],
	]
	for (const [owner, project_title, project_description, project_tech_stack] of projects)
		await addProject(owner, owner.username, { project_title, project_description, project_tech_stack })
	const asked: [key: string, title: string, description: string, tags: string][] = [
		['closures', 'Closures inside a loop', 'Every callback prints five.', 'javascript'],
		['deploy', 'Kubernetes restarts my pod', 'It says CrashLoopBackOff.', 'kubernetes'],
		['hidden', 'Kubernetes secrets that are hidden', 'A hidden zanzibar.', 'kubernetes'],
		['pending', 'Kubernetes that waits', 'A pending zanzibar.', 'kubernetes'],
		['deleted', 'Kubernetes that is gone', 'A deleted zanzibar.', 'kubernetes'],
	]
	for (const [key, title, description, tags] of asked)
		questions[key] = (await makeQuestion(ravi, { title, description, tags })).id
	await makeComment(nora, questions.closures ?? 0, 'Use a marzipan instead.')
	for (const status of ['hidden', 'pending'])
		await sql`update questions set status = ${status} where id = ${questions[status]}`.execute(db())
	await deleteQuestion(ravi, questions.deleted ?? 0)
})

function find(q: string, viewer: Viewer = reader, kind: SearchKind | null = null, cursor: string | null = null) {
	return searchEverything(viewer, { q, kind, cursor }, false)
}

/** The results of a search, by name. */
async function shown(q: string, viewer: Viewer = reader, kind: SearchKind | null = null) {
	const { questions, people, projects, tags } = await find(q, viewer, kind)
	return {
		questions: questions.rows.map(({ title }) => title).sort(),
		people: people.rows.map(({ username }) => username).sort(),
		projects: projects?.rows.map(({ title }) => title).sort() ?? null,
		tags: tags.rows.map(({ name }) => name),
	}
}

const nothing = { questions: [], people: [], projects: [], tags: [] }
const kubernetes = {
	questions: ['Kubernetes restarts my pod'],
	people: ['nora', 'ravi'],
	projects: ['Bell tower', 'Foundry'],
	tags: ['kubernetes'],
}

const searches: [q: string, found: Partial<Record<SearchKind, string[]>>][] = [
	['kubernetes', kubernetes],
	// Skills are found by another name, too; a project is found by the words of its owner's name.
	['k8s', { ...kubernetes, people: ['nora'] }],
	['tag:k8s', { ...kubernetes, people: ['nora'] }],
	['k8s pod', { questions: kubernetes.questions, tags: kubernetes.tags }],
	['foundry', { people: ['nora'], projects: ['Foundry'] }],
	['paper gallery', { people: ['nora'], projects: ['Foundry'] }],
	['bells', { people: ['nora'], projects: ['Bell tower', 'Foundry'] }],
	['finch', { people: ['nora'] }],
	[
		'user:ravi',
		{ questions: ['Closures inside a loop', 'Kubernetes restarts my pod'], people: ['ravi'], projects: ['Bell tower'] },
	],
	['kubernetes user:nora', { people: ['nora'], projects: ['Foundry'] }],
	['marzipan', { questions: ['Closures inside a loop'] }],
	['marzipan in:title', {}],
	['kubernetes is:unanswered', { questions: kubernetes.questions }],
	['kubernetes -restarts', {}],
	['closures -pod', { questions: ['Closures inside a loop'] }],
	['zanzibar', {}],
]

describe('searching everything', () => {
	test.each(searches)('%s', async (q, found) => {
		expect(await shown(q)).toEqual({ ...nothing, ...found })
	})

	test('counts complete matches, and gives the reason for each result', async () => {
		const everything = await find('k8s')
		const counts = ({ questions, people, projects, tags }: typeof everything) =>
			[questions, people, projects, tags].map((hits) => hits?.count.number)
		expect(counts(everything)).toEqual([1, 1, 2, 1])
		expect(counts(await find('k8s', reader, 'people'))).toEqual([1, 1, 2, 1])
		expect(everything.people.rows.find(({ username }) => username === 'nora')?.why).toContain('Kubernetes')
		expect(everything.tags.rows[0]?.why).toBe('Also written “k8s”')
		expect(everything.projects?.rows[0]?.stack.filter(({ matched }) => matched)).toMatchObject([{ name: 'Kubernetes' }])
		const { projects } = await find('gallery')
		expect(projects?.rows[0]).toMatchObject({
			excerptHtml: 'Casts bells of paper for the <mark>gallery</mark>.',
			url: '/find-dev/nora#projects',
			owner: { username: 'nora', name: 'Nora Finch' },
		})
	})

	test('never ends on an empty page, and names what it shows instead', async () => {
		const near = await find('foundr', reader, 'projects')
		expect([near.projects?.rows[0]?.title, near.projects?.nearness, near.projects?.count.number]).toEqual([
			'Foundry',
			'near',
			0,
		])
		const some = await find('lighthouse submarine', reader, 'projects')
		expect([some.projects?.rows[0]?.title, some.projects?.nearness]).toEqual(['Lighthouse keeper', 'some'])
		const corrected = await find('kuberntes')
		expect(corrected.tools.instead).toEqual({ kind: 'corrected', search: 'kubernetes' })
		expect(corrected.tags.rows.map(({ name }) => name)).toEqual(['kubernetes'])
		const lost = await find('xyzzyplugh')
		expect([lost.questions.rows, lost.people.rows, lost.projects?.rows]).toEqual([[], [], []])
		expect(lost.instead?.questions.length).toBeGreaterThan(0)
		expect(lost.instead?.tags.map(({ name }) => name)).toContain('kubernetes')
		// The tag of one word does not match the whole search.
		const mixed = await find('closurs loop kubernetes')
		expect([mixed.tags.nearness, mixed.questions.rows[0]?.title]).toEqual(['some', 'Closures inside a loop'])
		// Complete matches hide partial ones.
		expect((await find('gallery closures')).projects?.nearness).toBe('some')
		expect((await find('lighthouse keeper')).people.nearness).toBe('all')
	})

	test('pages its lists, and rejects a cursor of another list', async () => {
		for (let number = 0; number < 25; number += 1)
			await addProject(ravi, 'ravi', {
				project_title: `Kite ${number}`,
				project_description: '',
				project_tech_stack: 'Java',
			})
		const first = await find('kite', reader, 'projects')
		const second = await find('kite', reader, 'projects', first.projects?.next)
		const ids = [...(first.projects?.rows ?? []), ...(second.projects?.rows ?? [])].map(({ id }) => id)
		expect([first.projects?.count, ids.length, new Set(ids).size, second.projects?.next]).toEqual([
			{ number: 25, atLeast: false },
			25,
			25,
			null,
		])
		expect(second.page).toBe(second.projects)
		for (const kind of ['projects', 'people', 'questions'] as const)
			await expect(find('kite', reader, kind, 'nonsense')).rejects.toThrow('no longer exists')
	})
})

describe('privacy', () => {
	const ways: [way: string, who: () => Viewer, find: (q: string, who: Viewer) => Promise<string[]>][] = [
		['the page', () => reader, titlesOnPage],
		['the page', () => null, titlesOnPage],
		['the switcher', () => reader, titlesOffered],
		['the switcher', () => null, titlesOffered],
	]

	async function titlesOnPage(q: string, viewer: Viewer) {
		const { questions, people, projects } = await find(q, viewer)
		return [...questions.rows, ...(projects?.rows ?? [])]
			.map(({ title }) => title)
			.concat(people.rows.map(({ username }) => username))
	}

	async function titlesOffered(q: string, viewer: Viewer) {
		const offered = await suggestEverything(viewer, q)
		const people = offered.people.map(({ username }) => username)
		return [...offered.questions, ...offered.projects].map(({ title }) => title).concat(people)
	}

	const hidings: [what: string, statement: string, gone: string[]][] = [
		['a section that only its owner sees', "only_me = '{projects}'", ['Foundry']],
		['a profile that a moderator hides', 'hidden_at = now()', ['Foundry']],
		['a member who is not listed', 'listed = false', ['Foundry', 'nora']],
	]

	test.each(hidings)('%s is in no result until shown again', async (_what, statement, gone) => {
		const set = (text: string) => sql`update profiles set ${sql.raw(text)} where user_id = ${nora.id}`.execute(db())
		const back: Record<string, string> = { only_me: "'{}'", hidden_at: 'null', listed: 'true' }
		expect(await titlesOnPage('kubernetes', reader)).toEqual(expect.arrayContaining(gone))
		await set(statement)
		try {
			for (const [way, who, read] of ways)
				for (const q of ['kubernetes', 'foundry', 'gallery', 'user:nora'])
					expect([way, (await read(q, who())).filter((title) => gone.includes(title))]).toEqual([way, []])
		} finally {
			const [column = ''] = statement.split(' ')
			await set(`${column} = ${back[column]}`)
		}
		expect(await titlesOnPage('kubernetes', reader)).toEqual(expect.arrayContaining(gone))
	})

	test('nobody finds hidden, pending or deleted questions, not even their author and moderators', async () => {
		for (const who of [null, reader, ravi, moderator])
			for (const q of ['kubernetes', 'zanzibar', 'tag:kubernetes', 'user:ravi', 'hidden secrets'])
				for (const read of [titlesOnPage, titlesOffered])
					expect((await read(q, who)).filter((title) => /hidden|waits|gone/.test(title))).toEqual([])
	})

	test('visitors find no projects, and nobody by a project', async () => {
		expect(await shown('foundry', null)).toEqual({ ...nothing, projects: null })
		expect((await suggestEverything(null, 'foundry')).projects).toEqual([])
	})

	test('searches only the viewer’s own conversations, by prefixes of names', async () => {
		await sendMessage(reader, { to: 'nora', clientId: crypto.randomUUID(), body: 'Hello' })
		const withNora = async (who: Viewer, q: string) =>
			(await suggestEverything(who, q)).conversations.map(({ url }) => url)
		for (const q of ['nora', 'fin', 'nora fi', 'NÓRA'])
			expect([q, await withNora(reader, q)]).toEqual([q, ['/messages/nora']])
		for (const q of ['ora', 'nora x', '%', '_', 'ravi']) expect([q, await withNora(reader, q)]).toEqual([q, []])
		expect(await withNora(ravi, 'nora')).toEqual([])
		expect(await withNora(null, 'nora')).toEqual([])
	})
})

describe('the API', () => {
	const [search] = finderOperations
	const call = async (viewer: Viewer, query: object) =>
		finderShapes.SearchResults.parse(
			await search?.run({ viewer, query: query as never, params: {}, body: {}, ifMatch: null, key: null }),
		)

	test.each([
		['a member', () => reader],
		['a visitor', () => null],
	])('%s finds what the page shows', async (_who, who) => {
		const [told, seen] = [await call(who(), { q: 'kubernetes' }), await find('kubernetes', who())]
		expect(told.queries.rows).toEqual(seen.questions.rows)
		expect(told.people.rows.map(({ username, why }) => [username, why])).toEqual(
			seen.people.rows.map(({ username, why = '' }) => [username, why]),
		)
		expect(told.projects).toEqual(seen.projects)
		expect(told.tags.rows).toEqual(seen.tags.rows.map(({ name, count, why }) => ({ name, count, why })))
		expect([told.queries.count, told.people.count]).toEqual([seen.questions.count, seen.people.count])
	})

	test('pages a kind by its cursor, and rejects one of another list', async () => {
		const page = await call(reader, { q: 'kubernetes', in: 'projects' })
		expect(page.projects?.rows.map(({ title }) => title).sort()).toEqual(['Bell tower', 'Foundry'])
		expect(page.projects?.next).toBeNull()
		expect(page.queries.rows).toHaveLength(1)
		await expect(call(reader, { q: 'kubernetes', in: 'projects', cursor: 'x' })).rejects.toThrow()
	})
})

describe('searches without results', () => {
	const miss = (q: string, isNoted = true) => searchEverything(reader, { q, kind: null, cursor: null }, isNoted)
	const words = async () => (await listMisses(moderator)).map((row) => [row.words, row.searches])

	test('are counted without the searcher, and shown to moderators', async () => {
		await miss('Quibblefrotz')
		await miss('kubernetes')
		await miss('unnoted wizzle', false)
		await miss('someone@campus.example')
		await eventually(async () => expect(await words()).toEqual([['quibblefrotz', 1]]))
		const { rows } = await sql<{ columns: string }>`
			select string_agg(column_name, ' ' order by column_name) as columns from information_schema.columns
			where table_name = 'missed_searches'`.execute(db())
		expect(rows[0]?.columns).toBe('day searches words')
		for (const who of [null, reader]) await expect(listMisses(who)).rejects.toThrow('Only moderators')
	})

	test('count for the day in the site’s time zone, which may differ from that of the database', async () => {
		for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
			await sql`truncate missed_searches`.execute(db())
			await sql`insert into site_settings (section, texts) values ('region', jsonb_build_object('zone', ${zone}::text))
				on conflict (section) do update set texts = excluded.texts`.execute(db())
			await writeMiss('quibblefrotz')
			const { rows } = await sql<{ day: string; today: string }>`
				select day::text, (now() at time zone ${zone})::date::text as today from missed_searches`.execute(db())
			expect(rows[0]?.day).toBe(rows[0]?.today)
		}
		await sql`delete from site_settings where section = 'region'`.execute(db())
	})

	test('are kept for 90 days', async () => {
		await sql`insert into missed_searches (day, words, searches) values
			(current_date - ${MISS_DAYS}::int, 'long ago', 9), (current_date - ${MISS_DAYS - 1}::int, 'not yet', 3)`.execute(
			db(),
		)
		expect(await words()).toEqual([
			['not yet', 3],
			['quibblefrotz', 1],
		])
	})

	test('for a member who leaves are deleted, and none that merely contains their name', async () => {
		await sql`truncate missed_searches`.execute(db())
		await sql`insert into missed_searches (words) values ('li'), ('ask li now'), ('linked list'), ('li wei')`.execute(
			db(),
		)
		await deleteMissesOf({ name: 'Li Wei', usernames: ['li', 'li.wei'] })
		expect(await words()).toEqual([['linked list', 1]])
	})
})

test.each([
	['प्रिया', 'प्रिया शर्मा'],
	['शर्मा प्रि', 'प्रिया शर्मा'],
	['அர்ஜுன்', 'அர்ஜுன் குமார்'],
	['সৌম্য', 'সৌম্য দত্ত'],
	['ต้น', 'ต้น อยู่ดี'],
	['डॉ॰ क़मर', 'डॉ॰ क़मर'],
])('%j finds the member %s, whose name has marks beside letters', async (q, name) => {
	const { id, username } = await makeMember(`marked${name.codePointAt(0)}x${q.length}`)
	await db().updateTable('users').set({ name }).where('id', '=', id).execute()
	const { people } = await find(q, reader, 'people')
	expect([people.rows.map((row) => row.username), people.nearness]).toEqual([[username], 'all'])
	expect((await suggestEverything(reader, q)).people[0]?.username).toBe(username)
	await db().deleteFrom('users').where('id', '=', id).execute()
})

test('a sign of an Indic script is no part of a word by which members are found', async () => {
	const { rows } = await sql`select search_key('৳500 ௹ ക് ꯀ꯭') as key`.execute(db())
	expect(rows).toEqual([{ key: '500 ക് ꯀ꯭' }])
})

test('a member is found by their username as it is mentioned', async () => {
	await makeMember('mentioned12')
	await makeMember('mentioned34')
	const { people } = await find('@mentioned12', reader, 'people')
	expect(people.rows[0]).toMatchObject({ username: 'mentioned12', why: 'Found by username' })
})

test('alternative tags are of queries alone, and an `or` that joins nothing is told', async () => {
	const tagged = await find('tag:kubernetes or tag:javascript', reader)
	expect(tagged.questions.rows.map(({ id }) => id)).toEqual([questions.deploy, questions.closures])
	expect([tagged.people.rows, tagged.projects?.rows, tagged.tags.rows]).toEqual([[], [], []])
	expect(tagged.tools.operators.map(({ isAlternative }) => isAlternative)).toEqual([false, true])
	expect([tagged.tools.ignoresOr, (await find('pod or tag:kubernetes')).tools.ignoresOr]).toEqual([false, true])
	const within = await find('pod in:title or in:text')
	expect(within.tools.operators).toMatchObject([{ text: 'in:text', isAlternative: false }])
	const states = await find('is:solved or is:unanswered')
	expect(states.filters.find(({ label }) => label === 'Unsolved')?.search).toBe('is:unsolved')
})

test('people found by a word taken apart are like the search, and no branch is shown for a word that nobody has', async () => {
	const { id } = await makeMember('tg')
	await db().updateTable('users').set({ name: 'Tulsi Ghatpande' }).where('id', '=', id).execute()
	const studies = { enrol_in_branch_name: 'IT', current_year: 2, current_semester: null, year_of_passing: null }
	await db()
		.insertInto('profiles')
		.values({ user_id: id, ...studies })
		.execute()
	const { people } = await find('tulsighatpande', reader)
	expect([people.rows.map(({ username }) => username), people.nearness]).toEqual([['tg'], 'near'])
	expect((await find('is it xqzt', reader)).people.rows).toEqual([])
	const offered = async (q: string) => (await suggestEverything(reader, q)).people.map(({ username }) => username)
	expect([await offered('tulsighatpande'), await offered('ask tulsighatpande')]).toEqual([['tg'], []])
})
