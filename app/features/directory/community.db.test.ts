import { beforeAll, describe, expect, test } from 'vitest'
import { type GeneratedMember, generateMember } from '~/features/demo/people/people.ts'
import { seedMembers } from '~/features/demo/people/seed.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { encodeCursor } from '~/platform/http/cursors.ts'
import { makeTab } from '../../../tests/factories/presence.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { type Criteria, criteriaOf, NO_CRITERIA } from './directory.paths.ts'
import { listCommunity } from './directory.server.ts'
import { suggest } from './suggestions.server.ts'

useDatabase()

const size = 300
const people = Array.from({ length: size }, (_, index) => generateMember(index + 1))
const visible = people.filter(({ profile }) => profile.show_presence && profile.listed)
const online = new Set([visible[3], visible[40], visible[41]].map((person) => person?.username))
const hidden = people.find((person) => !person.profile.show_presence && person.profile.listed)
/** All listed members, newest first: the expected results are computed from them. */
const listed = people.filter(({ profile }) => profile.listed).reverse()

beforeAll(async () => {
	await seedMembers(size, { onProgress: () => {} })
	// Many share a join time, so that only the join order distinguishes them.
	await db()
		.updateTable('profiles')
		.set({ last_seen_at: new Date('2026-01-01') })
		.where('current_year', '=', 2)
		.execute()
	for (const { profile } of people) if (profile.current_year === 2) profile.last_seen_at = '2026-01-01T00:00:00.000Z'
	for (const username of [...online, hidden?.username ?? '']) await makeTab(await idOf(username ?? ''))
})

/** Everybody who matches the criteria, by checking all people one by one. */
function truth(criteria: Criteria): GeneratedMember[] {
	const isOnline = (person: GeneratedMember) => online.has(person.username)
	const found = listed.filter(
		(person) =>
			criteria.skills.every((skill) => person.skills.some((own) => own.toLowerCase() === skill.toLowerCase())) &&
			(criteria.branches.length === 0 || criteria.branches.includes(person.profile.enrol_in_branch_name)) &&
			(criteria.years.length === 0 || criteria.years.includes(person.profile.current_year)) &&
			(criteria.universities.length === 0 || criteria.universities.includes(person.profile.university_name)) &&
			criteria.openTo.every((thing) => person.profile.open_to.includes(thing)) &&
			(!criteria.online || isOnline(person)),
	)
	if (criteria.sort !== 'active') return found
	const seen = ({ username, profile }: GeneratedMember) =>
		online.has(username) ? '9' : profile.show_presence ? (profile.last_seen_at ?? '') : ''
	return found.toSorted((one, other) => (seen(one) < seen(other) ? 1 : seen(one) > seen(other) ? -1 : 0))
}

async function idOf(username: string): Promise<number> {
	const { id } = await db().selectFrom('users').select('id').where('username', '=', username).executeTakeFirstOrThrow()
	return id
}

/** The usernames of a complete list, page by page. */
async function wholeList(criteria: Criteria): Promise<string[]> {
	const seen: string[] = []
	let cursor: string | null = null
	do {
		const { page }: Awaited<ReturnType<typeof listCommunity>> = await listCommunity(criteria, cursor)
		seen.push(...page.rows.map(({ username }) => username))
		cursor = page.next
	} while (cursor)
	return seen
}

const filters: [string, Partial<Criteria>][] = [
	['nothing', {}],
	['a skill', { skills: ['Python'] }],
	['a skill in another case', { skills: ['pYTHON'] }],
	['two skills', { skills: ['Python', 'JavaScript'] }],
	['three skills', { skills: ['Python', 'JavaScript', 'SQL'] }],
	['a branch', { branches: ['CSE'] }],
	['one of two branches', { branches: ['CSE', 'ECE'] }],
	['years', { years: [1, 4] }],
	['a university', { universities: [listed[0]?.profile.university_name ?? ''] }],
	['open to mentoring', { openTo: ['mentoring'] }],
	['open to both', { openTo: ['mentoring', 'teammates'] }],
	['online now', { online: true }],
	['everything', { skills: ['Python'], branches: ['CSE', 'IT'], years: [1, 2, 3], openTo: ['teammates'] }],
	['a skill that nobody has', { skills: ['Alchemy'] }],
	['a branch that nobody is in, beside one that some are in', { branches: ['Alchemy', 'IT'] }],
]

describe.each(['newest', 'active'] as const)('ordered by %s, narrowed by', (sort) => {
	test.each(filters)('%s, the pages hold everybody who matches once and in order', async (_, filter) => {
		const criteria: Criteria = { ...NO_CRITERIA, ...filter, sort: sort === 'active' ? sort : null }
		expect(await wholeList(criteria)).toEqual(truth(criteria).map(({ username }) => username))
	})
})

test.each(filters)('narrowed by %s, the number of people is that of the rows', async (_, filter) => {
	const criteria = { ...NO_CRITERIA, ...filter }
	expect((await listCommunity(criteria)).count).toEqual({ number: truth(criteria).length, atLeast: false })
})

test.each(filters)('narrowed by %s, each filter counts who one would see with it', async (_, filter) => {
	const criteria = { ...NO_CRITERIA, ...filter }
	const { filters: shown } = await listCommunity(criteria)
	const withAll = (change: Partial<Criteria>) => truth({ ...criteria, ...change }).length
	for (const { value, count } of shown.branches)
		expect([value, count?.number]).toEqual([value, withAll({ branches: [value] })])
	for (const { value, count } of shown.years)
		expect([value, count?.number]).toEqual([value, withAll({ years: [Number(value)] })])
	for (const { value, count } of shown.universities)
		expect([value, count?.number]).toEqual([value, withAll({ universities: [value] })])
	for (const { value, count } of shown.openTo)
		expect([value, count?.number]).toEqual([
			value,
			withAll({ openTo: [...new Set([...criteria.openTo, value as 'mentoring'])] }),
		])
	expect(shown.online.count?.number).toBe(withAll({ online: true }))
})

test('a selected filter keeps its spelling when nobody has it any more, or nobody shows it to visitors', async () => {
	const { username, profile } = listed[0] ?? generateMember(0)
	const id = await idOf(username)
	const set = (change: { enrol_in_branch_name: string; public_sections?: string[] }) =>
		db().updateTable('profiles').set(change).where('user_id', '=', id).execute()
	const { public_sections } = await db()
		.selectFrom('profiles')
		.select('public_sections')
		.where('user_id', '=', id)
		.executeTakeFirstOrThrow()
	const chosen = { value: 'alchemical engineering', label: 'alchemical engineering', chosen: true }
	const expectShown = async () => {
		const { filters: shown, page } = await listCommunity({ ...NO_CRITERIA, branches: [chosen.value] })
		expect(page.rows).toEqual([])
		expect(shown.branches.filter((branch) => branch.chosen)).toEqual([
			{ ...chosen, count: { number: 0, atLeast: false } },
		])
	}
	await set({ enrol_in_branch_name: 'Alchemical Engineering', public_sections: [] })
	await expectShown()
	await set({ enrol_in_branch_name: profile.enrol_in_branch_name, public_sections })
	await expectShown()
})

describe('an unlisted member', () => {
	const unlisted = people.filter(({ profile }) => !profile.listed)

	test('is in no list, search or suggestion', async () => {
		expect(unlisted.length).toBeGreaterThan(0)
		for (const { username, name } of unlisted) {
			const found = [
				...(await wholeList({ ...NO_CRITERIA, q: name })),
				...(await wholeList({ ...NO_CRITERIA, q: username })),
			]
			expect(found).not.toContain(username)
			expect((await suggest(name, null)).people.map((person) => person.username)).not.toContain(username)
		}
	})

	test('returns to all of them when listed again, and leaves again, with the counts', async () => {
		const { username, name } = unlisted[0] ?? generateMember(0)
		const id = await idOf(username)
		const before = (await listCommunity(NO_CRITERIA)).count.number
		await db().updateTable('profiles').set({ listed: true }).where('user_id', '=', id).execute()
		expect((await listCommunity({ ...NO_CRITERIA, q: name })).page.rows.map((row) => row.username)).toContain(username)
		expect((await listCommunity(NO_CRITERIA)).count.number).toBe(before + 1)
		await db().updateTable('profiles').set({ listed: false }).where('user_id', '=', id).execute()
		expect((await listCommunity(NO_CRITERIA)).count.number).toBe(before)
	})
})

test('a member who hides their presence is not found by it', async () => {
	expect(hidden).toBeDefined()
	expect(await wholeList({ ...NO_CRITERIA, online: true })).not.toContain(hidden?.username)
})

describe('a search', () => {
	const [one, other] = listed
	const first = (name = '') => name.split(' ')[0] ?? ''
	const last = (name = '') => name.split(' ')[1] ?? ''
	const found = async (q: string) => (await listCommunity({ ...NO_CRITERIA, q })).page.rows

	test.each([
		['the full name', one?.name],
		['the name in other case', one?.name.toUpperCase()],
		['the name backwards', `${last(one?.name)} ${first(one?.name)}`],
		['the name with accents', one?.name.replace('a', 'á').replace('e', 'ê')],
		['the beginnings of both names', `${first(one?.name).slice(0, 4)} ${last(one?.name).slice(0, 5)}`],
		['the username', one?.username],
		['a letter too few', one?.name.slice(0, -1)],
		['a letter missing within', `${first(one?.name)} ${last(one?.name)[0]}${last(one?.name).slice(2)}`],
		['a letter too many', `${first(one?.name)} ${last(one?.name).slice(0, 3)}x${last(one?.name).slice(3)}`],
		['a wrong letter', `${first(one?.name)} ${last(one?.name).slice(0, 3)}x${last(one?.name).slice(4)}`],
		['two letters swapped', `${first(one?.name)} ${swapped(last(one?.name))}`],
	])('finds a member by %s first', async (_, q) => {
		expect((await found(q ?? ''))[0]?.username).toBe(one?.username)
	})

	test.each([
		['reakt', 'React'],
		['pyhton', 'Python'],
		['javascrpt', 'JavaScript'],
		['tyepscript', 'TypeScript'],
		['c++', 'C++'],
		['c#', 'C#'],
		['node', 'Node.js'],
		['machine lerning', 'Machine Learning'],
	])('for %s finds members who know %s, with the reason', async (q, skill) => {
		const rows = await found(q)
		expect(rows.length).toBeGreaterThan(0)
		expect(rows[0]?.matchedSkills).toContain(skill)
		expect(rows[0]?.why).toContain(skill)
	})

	/** How many of these skills each listed member knows. “SQLite” begins like “SQL”, and counts as a match. */
	const knownOf = async (asked: string[]) => {
		const seen = await wholeList({ ...NO_CRITERIA, q: asked.join(' ') })
		expect(new Set(seen).size).toBe(seen.length)
		return seen.map((username) => {
			const skills = people.find((person) => person.username === username)?.skills ?? []
			return asked.filter((word) => skills.some((skill) => hasWord(skill, word))).length
		})
	}

	test('for several skills shows members who know all of them', async () => {
		const asked = ['Python', 'JavaScript']
		const known = await knownOf(asked)
		expect(known.length).toBe(truth({ ...NO_CRITERIA, skills: asked }).length)
		expect(new Set(known)).toEqual(new Set([2]))
	})

	test('for skills that nobody has together shows members who know all but one, then any of them, with a note', async () => {
		const asked = ['Python', 'JavaScript', 'SQL', 'COBOL']
		const known = await knownOf(asked)
		expect(known.length).toBe(truthOfWords(asked))
		expect(known).not.toContain(4)
		const few = known.findIndex((count) => count < 3)
		expect(few).toBeGreaterThan(0)
		expect(known.slice(few).some((count) => count > 2)).toBe(false)
		expect((await listCommunity({ ...NO_CRITERIA, q: asked.join(' ') })).isLoose).toBe(true)
	})

	test('finds members by their university, with the reason', async () => {
		const university = other?.profile.university_name ?? ''
		const rows = await found(university)
		expect(rows[0]).toMatchObject({ university, why: `Studies at ${university}` })
	})

	test('combines with filters and other orders', async () => {
		const q = 'Python'
		const years = [2]
		const expected = truth({ ...NO_CRITERIA, skills: [q], years }).map(({ username }) => username)
		expect(await wholeList({ ...NO_CRITERIA, q, years, sort: 'newest' })).toEqual(expected)
		expect((await wholeList({ ...NO_CRITERIA, q, years })).toSorted()).toEqual(expected.toSorted())
		expect(await wholeList({ ...NO_CRITERIA, q, years, sort: 'active' })).toEqual(
			truth({ ...NO_CRITERIA, skills: [q], years, sort: 'active' }).map(({ username }) => username),
		)
	})

	test.each([
		["'; drop table users; --"],
		['%_\\'],
		['" or 1=1'],
		['$1 $2'],
		['{1,2}'],
		['\u0000\u0001'],
		['🦊🦊'],
		['a'.repeat(10_000)],
		['a b c d e f g h '.repeat(1_000)],
		['.*(+[?'],
	])('for %j returns a result without an error', async (typed) => {
		const criteria = criteriaOf(new URLSearchParams({ q: typed, skill: typed, branch: typed }))
		await expect(listCommunity(criteria)).resolves.toHaveProperty('count')
		await expect(listCommunity({ ...NO_CRITERIA, q: criteria.q })).resolves.toHaveProperty('count')
		await expect(suggest(criteria.q, null)).resolves.toHaveProperty('people')
		expect((await listCommunity(NO_CRITERIA)).count.number).toBe(listed.length)
	})
})

describe('a cursor', () => {
	test.each([
		['x'],
		['%%'],
		[encodeCursor(['newest', 0])],
		[encodeCursor(['newest', 0, -1])],
		[encodeCursor(['newest', 0, 2 ** 40])],
		[encodeCursor(['newest', 'x', 1])],
		[encodeCursor(['newest', 99, 1])],
		[encodeCursor(['match', 0, 1])],
		[encodeCursor(['active', 'now()', 1])],
		[encodeCursor(['newest/any', 0, 1])],
		[encodeCursor(['newest/else', 0, 1])],
	])('of another list, %j, is refused', async (cursor) => {
		await expect(listCommunity(NO_CRITERIA, cursor)).rejects.toThrow('This page of the list no longer exists.')
	})

	test('continues in the interpretation in which its page was found', async () => {
		for (const list of ['newest', 'match/words'])
			await expect(listCommunity({ ...NO_CRITERIA, q: 'cse' }, encodeCursor([list, 0, 1]))).resolves.toHaveProperty(
				'page',
			)
		await expect(listCommunity({ ...NO_CRITERIA, q: 'cse' }, encodeCursor(['match', 0, 1]))).rejects.toThrow()
		const q = 'Python JavaScript SQL COBOL'
		const first = await listCommunity({ ...NO_CRITERIA, q })
		const second = await listCommunity({ ...NO_CRITERIA, q }, first.page.next)
		const names = [...first.page.rows, ...second.page.rows].map(({ username }) => username)
		expect([second.isLoose, new Set(names).size]).toEqual([true, first.page.rows.length + second.page.rows.length])
	})

	test.each([["now()'; select 1"], ['9999-99-99T99:99:99Z'], ['infinityy'], ['2026-01-01']])(
		'by last seen with %j is refused',
		async (at) => {
			const criteria: Criteria = { ...NO_CRITERIA, sort: 'active' }
			await expect(listCommunity(criteria, encodeCursor(['active', at, 1]))).rejects.toThrow(
				'This page of the list no longer exists.',
			)
		},
	)
})

test('without a match, the filter whose removal yields most members is suggested', async () => {
	const { loosen, page } = await listCommunity({ ...NO_CRITERIA, skills: ['Alchemy', 'Python'] })
	expect(page.rows).toEqual([])
	expect(loosen).toEqual({
		label: 'Alchemy',
		href: '/find-dev?skill=Python',
		count: { number: truth({ ...NO_CRITERIA, skills: ['Python'] }).length, atLeast: false },
	})
})

test('the public data of a member contains no address', async () => {
	expect(JSON.stringify(await listCommunity(NO_CRITERIA))).not.toContain('@seed.example')
})

test('suggestions are people, skills with their numbers of members, and universities', async () => {
	const { skills } = await suggest('pyth', null)
	expect(skills[0]).toEqual({ name: 'Python', count: truth({ ...NO_CRITERIA, skills: ['Python'] }).length })
	const university = listed[0]?.profile.university_name ?? ''
	expect((await suggest(university, null)).universities[0]).toEqual({
		name: university,
		count: truth({ ...NO_CRITERIA, universities: [university] }).length,
	})
	expect((await suggest(listed[0]?.name ?? '', null)).people[0]?.username).toBe(listed[0]?.username)
})

function truthOfWords(words: string[]): number {
	return listed.filter(({ skills }) => skills.some((skill) => words.some((word) => hasWord(skill, word)))).length
}

/** Whether a word of the skill begins like this one. */
function hasWord(skill: string, word: string): boolean {
	const parts = skill.toLowerCase().split(/[^a-z0-9+#]+/)
	return parts.some((part) => part.startsWith(word.toLowerCase()))
}

function swapped(word: string): string {
	return `${word.slice(0, 2)}${word[3]}${word[2]}${word.slice(4)}`
}
