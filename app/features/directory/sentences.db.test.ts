import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { setSkills } from '~/features/members/skills.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { NO_CRITERIA } from './directory.paths.ts'
import { listCommunity } from './directory.server.ts'
import { findMembers } from './finding.server.ts'
import { suggest } from './suggestions.server.ts'

/* Searches for people as they are typed: sentences, years of study and of graduation in various words, names with an initial. */

useDatabase()

interface Studies {
	skills?: string[]
	city?: string
	branch?: string
	year?: number
	passing?: number
	expertise?: string
}

const people: Record<string, Studies> = {
	nikhil: { skills: ['React', 'Rust'], city: 'Pune', branch: 'CSE', year: 3, passing: 2028 },
	rohini: { skills: ['React'], city: 'Nashik', branch: 'Electronics & Communication', year: 4, passing: 2027 },
	dev: { skills: ['React', 'R'], city: 'Pune', branch: 'CSE', year: 1, passing: 2030, expertise: 'Android developer' },
}

beforeAll(async () => {
	for (const [username, { skills = [], city = '', branch = '', year, passing, expertise = '' }] of Object.entries(
		people,
	)) {
		const { id } = await makeMember(username)
		await db()
			.updateTable('users')
			.set({ name: `${username} kulkarni` })
			.where('id', '=', id)
			.execute()
		await db()
			.insertInto('profiles')
			.values({
				...{ user_id: id, city, enrol_in_branch_name: branch, current_year: year ?? null, current_semester: null },
				...{ year_of_passing: passing ?? null, expertise_in: expertise, public_page: true },
				public_sections: ['city', 'academics', 'skills', 'expertise'],
			})
			.execute()
		await db()
			.transaction()
			.execute((trx) => setSkills(trx, id, skills))
	}
})

async function found(q: string): Promise<[string[], boolean]> {
	const { page, isLoose } = await listCommunity({ ...NO_CRITERIA, q }, null, null)
	return [page.rows.map(({ username }) => username), isLoose]
}

test.each([
	['N. Kulkarni', ['nikhil', 'dev', 'rohini']],
	['rohini k', ['rohini']],
	['R Kulkarni', ['dev']],
	['react n', ['dev', 'rohini', 'nikhil']],
	['poona', ['dev', 'nikhil']],
	['react FY', ['dev']],
	['react developers', ['dev', 'rohini', 'nikhil']],
	['who knows rust in pune?', ['nikhil']],
	['someone good at react near nashik', ['rohini']],
	['react students pune', ['dev', 'nikhil']],
	['android developer', ['dev']],
	['react III year', ['nikhil']],
	['react final year', ['rohini']],
	['pre-final year cse', ['nikhil']],
	['electronics and communication 8th sem', ['rohini']],
	["react '28", ['nikhil']],
	['react batch of 2027', ['rohini']],
	['2030 passout', ['dev']],
	["cse'28", ['nikhil']],
	['4thyear react', ['rohini']],
	['Nikhil S. Kulkarni', ['nikhil']],
	['Kulkarni, Rohini', ['rohini']],
	['react 2026', ['dev', 'rohini', 'nikhil']],
])('%j finds %j', async (q, expected) => {
	const [usernames, isLoose] = await found(q)
	expect(usernames).toEqual(expected)
	expect(isLoose).toBe(q === 'react 2026')
})

test('a letter that is a skill is required as long as a member has it', async () => {
	expect(await found('react r pune')).toEqual([['dev'], false])
	expect(await found('nikhil r kulkarni')).toEqual([['nikhil'], false])
})

test('members with an optional word come first; alone, it is required', async () => {
	expect((await found('react developer'))[0][0]).toBe('dev')
	expect(await found('developer')).toEqual([['dev'], false])
	for (const q of ['react developers', 'react'])
		expect((await suggest(q, null)).skills[0]).toEqual({ name: 'React', count: 3 })
})

test('the reason for a match names the year of graduation', async () => {
	const { page } = await listCommunity({ ...NO_CRITERIA, q: 'react 2028' }, null, null)
	expect(page.rows[0]?.why).toBe('Knows React · Year of passing: 2028')
})

test('the reason for a match shows the word, also in a long address and with a hyphen', async () => {
	const member = await makeMember('maker')
	const address = 'https://www.marmalade-makers.example/of/the/glade/workshops/street-and-garden-lanterns'
	await db()
		.insertInto('profiles')
		.values({
			...{ user_id: member.id, current_year: null, current_semester: null, year_of_passing: null },
			about: `Long-board and lamps: ${address} shows what I make.`,
		})
		.execute()
	for (const [position, certificate_title] of ['Cooking', 'Co-founder of the year', 'हिन्दी में कोड'].entries())
		await db().insertInto('certificates').values({ user_id: member.id, certificate_title, position }).execute()
	for (const [q, why] of [
		['lanterns', 'About: “…lanterns shows what I make.”'],
		['longboard', 'About: “Long-board and lamps:…”'],
		['cofounder', 'Certificate: Co-founder of the year'],
		['हिन्दी', 'Certificate: हिन्दी में कोड'],
	] as const) {
		const { page } = await listCommunity({ ...NO_CRITERIA, q }, null, member)
		expect([q, page.rows.map((row) => row.why)]).toEqual([q, [why]])
	}
})

/** Creates a member in their second year. @returns the id */
async function make(username: string, name: string, branch: string, skills: string[] = []) {
	const { id } = await makeMember(username)
	await db().updateTable('users').set({ name }).where('id', '=', id).execute()
	const studies = { enrol_in_branch_name: branch, current_year: 2, current_semester: null, year_of_passing: null }
	await db()
		.insertInto('profiles')
		.values({ user_id: id, ...studies })
		.execute()
	await db()
		.transaction()
		.execute((trx) => setSkills(trx, id, skills))
	return id
}

test('words that are both a skill and a branch, letters that are names, and short names with a typo', async () => {
	await make('branching', 'Zoe Sathe', 'Biotechnology', [])
	await make('skilled', 'Anais Sathe', 'Civil', ['Biotechnology', 'C'])
	await make('lettered', 'Imogen C. Pawar', 'Civil', [])
	expect(await found('biotech 2nd year')).toEqual([['skilled', 'branching'], false])
	expect((await found('c'))[0]).toEqual(['skilled', 'lettered'])
	for (const q of ['zpe sathe', 'zeo sathe', 'xoe sathe', 'zooe sathe'])
		expect(await found(q)).toEqual([['branching'], false])
})

test('an initial is looked for among names, however many other words begin with it', async () => {
	await sql`
		with added as (
			insert into terms (kind, key, label) select 'skill', 'na' || n, 'na' || n from generate_series(1, 2000) n returning id, key)
		insert into term_words (word, term_id) select key, id from added`.execute(db())
	expect((await found('N. Kulkarni'))[0][0]).toBe('nikhil')
})

test('where nobody has all words, members who have the others literally come first; a branch that was typed stays a filter', async () => {
	await make('rusty', 'Omana Bhagat', 'CSE', ['Rust'])
	await make('rusting', 'Ela Bhagat', 'Mining', ['Rustacean', 'Koji'])
	expect(await found('koi rust jaanta hai')).toEqual([['rusty', 'nikhil', 'rusting'], true])
	expect(await found('btech mining')).toEqual([['rusting'], true])
})

test('joined words are taken apart where nobody has them, for visitors only as far as they see them', async () => {
	const id = await make('oj', 'Ojas Ghatpande', 'Mining')
	expect(await found('ojasghatpande')).toEqual([['oj'], false])
	expect(await found('OjasGhatpande mining')).toEqual([['oj'], false])
	expect(await found('ojasmining')).toEqual([['oj'], false])
	await db().updateTable('profiles').set({ public_sections: [] }).where('user_id', '=', id).execute()
	expect(await found('ojasmining')).toEqual([[], false])
})

test('a city is that of members rather than a word of their university', async () => {
	const { id } = await makeMember('native')
	const { id: studies } = await makeMember('scholar')
	const profile = { current_year: 1, current_semester: null, year_of_passing: null, public_page: true }
	const public_sections = ['city', 'academics']
	await db()
		.insertInto('profiles')
		.values([
			{ user_id: id, ...profile, public_sections, city: 'Wardha', university_name: 'Wardha Institute' },
			{ user_id: studies, ...profile, public_sections, city: 'Akola', university_name: 'College of Wardha' },
		])
		.execute()
	expect(await found('from Wardha')).toEqual([['native', 'scholar'], false])
	const { page } = await listCommunity({ ...NO_CRITERIA, q: 'wardha' }, null, null)
	expect(page.rows.map(({ why }) => why)).toEqual(['City: Wardha', 'Studies at College of Wardha'])
	expect((await found('college wardha'))[0][0]).toBe('scholar')
})

test('words of a request for help, a year in short and the word “branch” leave nobody out', async () => {
	await make('turner', 'Tara Joglekar', 'Mechanical', ['Lathe'])
	for (const q of [
		'who can help me with lathe',
		'learn lathe',
		'lathe teammate',
		'lathe experience',
		'mech branch lathe',
	])
		expect([q, ...(await found(q))]).toEqual([q, ['turner'], false])
	expect((await found('cse 2k28'))[0]).toEqual(['nikhil'])
	expect((await found('freshers cse'))[0]).toEqual(['dev'])
})

test('what visitors find tells nothing about words that only members see', async () => {
	const { id } = await makeMember('hidden')
	const profile = { current_year: null, current_semester: null, year_of_passing: null, public_page: true }
	await db()
		.insertInto('profiles')
		.values({ user_id: id, ...profile, public_sections: [], city: 'Rohinikulkarni', about: 'Call 9876501234' })
		.execute()
	for (const rest of ['cse', 'rust zzz', 'rust react zzz'])
		expect(await found(`${rest} 9876501234`)).toEqual(await found(`${rest} 9876501235`))
	expect((await found('cse 9876501234'))[0]).toContain('nikhil')
	expect(await found('rohinikulkarni')).toEqual([['rohini'], false])
})

test('words beside a subject are optional where those who have them come first, and stand only for themselves', async () => {
	await make('teacher', 'Tulsi Apte', 'Civil', ['Lanterns', 'Teach'])
	await make('learner', 'Lata Apte', 'Civil', ['Lanterns', 'Teachable'])
	expect(await found('teach for lanterns')).toEqual([['teacher', 'learner'], false])
	const newest = { ...NO_CRITERIA, q: 'lanterns mentor', sort: 'newest' as const }
	expect((await findMembers(newest, null, null, 9, { loosest: 'written' })).rows).toEqual([])
})

test('further pages of a loose search continue the first one', async () => {
	for (const [q, reading] of [
		['kulkarnipune', 'apart'],
		['btech cse', 'studies'],
		['koi rust react pune jaanta', 'any'],
		['koi rust kulkarni', 'any'],
	] as const) {
		const criteria = { ...NO_CRITERIA, q }
		const all = await findMembers(criteria, null, null, 50)
		expect([q, all.meaning.reading, all.rows.length > 1]).toEqual([q, reading, true])
		const ids: number[] = []
		for (let cursor: string | null = null; ; ) {
			const page = await findMembers(criteria, null, cursor, 1)
			ids.push(...page.rows.map(({ id }) => id))
			cursor = page.next
			if (cursor === null) break
		}
		expect([q, ids]).toEqual([q, all.rows.map(({ id }) => id)])
	}
})
