import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { NO_CRITERIA } from '~/features/directory/directory.paths.ts'
import { listCommunity, listSkills } from '~/features/directory/directory.server.ts'
import { checkDocuments } from '~/features/directory/documents.server.ts'
import { suggest, suggestKnownSkills } from '~/features/directory/suggestions.server.ts'
import { getIntroduction } from '~/features/members/members.server.ts'
import { saveAcademics, savePersonal, saveSocial } from '~/features/profile-editor/editing.server.ts'
import { addExperience, addProject } from '~/features/profile-editor/items.server.ts'
import type { Audience, Section } from '~/features/profile-editor/profile.limits.ts'
import { profilePage } from '~/features/profiles/components/structured-data.tsx'
import { getProfile } from '~/features/profiles/profiles.server.ts'
import { findShareCard } from '~/features/profiles/share-card.server.ts'
import { getResume } from '~/features/resume/resume.server.ts'
import { makeToken } from '~/features/tokens/tokens.server.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../factories/forum.ts'
import { callApi } from '../support/api-calls.ts'
import { useDatabase } from '../support/database.ts'

useDatabase()

let nora: SignedIn
let reader: SignedIn
let token = ''

const personal = {
	...{
		fullName: 'Nora Finch',
		city: 'Quillmark',
		expertise_in: 'Thermodynamics',
		about: 'Weekends belong to falconry.',
	},
	...{ skills: 'Zigzagscript', listed: 'on', show_presence: 'on' },
}
const academics = {
	...{ university_name: 'Brackenfold University', location: 'Aldermoor', enrol_in_branch_name: 'Cartography' },
	...{ current_year: '7', year_of_passing: '2031', university_email: '' },
}

beforeAll(async () => {
	nora = await makeMember('nora')
	reader = await makeMember('reader')
	token = (await makeToken(reader, { name: 'a program', scopes: ['read'], days: 7 })).token
	await savePersonal(nora, 'nora', { ...personal, version: 1 })
	await saveAcademics(nora, 'nora', { ...academics, version: 1 })
	await addProject(nora, 'nora', {
		...{ project_title: 'Foundry', project_description: 'Casts bells of paper.', project_tech_stack: 'Obscurelang' },
	})
	for (const entry of [
		{ kind: 'work', organisation: 'Lanternworks', title: 'Lamp tester', starts: '2023', ends: '2024-02' },
		{ kind: 'volunteer', organisation: 'Repair Corner', summary: 'Darning and knitting.', starts: '2025-01' },
		{ kind: 'education', organisation: 'Oldbridge School', degree: 'Diploma', ends: '2022' },
	])
		await addExperience(nora, 'nora', entry)
	await db()
		.insertInto('certificates')
		.values({ user_id: nora.id, certificate_title: 'Beekeeping Basics', certificate_image: null })
		.execute()
})

/**
 * Searched fields of a profile, with their section and whether the card in the community shows them: then visitors need only that the
 * section is public, else also that the page is.
 */
const fields: [field: string, section: Section | null, q: string, onCard: boolean, why: string][] = [
	['name', null, 'finch', true, 'Found by name'],
	['username', null, 'nora', true, 'Found by username'],
	['city', 'city', 'quillmark', false, 'City: Quillmark'],
	['expertise', 'expertise', 'thermodynamics', true, 'Expertise: Thermodynamics'],
	['about me', 'about', 'falconry', true, 'About: “Weekends belong to falconry.”'],
	['a skill', 'skills', 'zigzagscript', true, 'Knows Zigzagscript'],
	['branch', 'academics', 'cartography', true, 'Cartography'],
	['year', 'academics', '7th year', true, '7th year'],
	['year of passing', 'academics', 'batch of 2031', false, 'Year of passing: 2031'],
	['university', 'academics', 'brackenfold', true, 'Studies at Brackenfold University'],
	['location', 'academics', 'aldermoor', false, 'Studies in Aldermoor'],
	['title of a project', 'projects', 'foundry', false, 'Project: Foundry'],
	['technology of a project', 'projects', 'obscurelang', false, 'Project: Foundry'],
	['text of a project', 'projects', 'bells', false, 'Project: Foundry'],
	['place of work', 'experience', 'lanternworks', false, 'Worked at Lanternworks'],
	['text of volunteering', 'experience', 'knitting', false, 'Volunteers at Repair Corner'],
	['earlier study', 'academics', 'oldbridge', false, 'Studied at Oldbridge School'],
	['certificate', 'certificates', 'beekeeping', false, 'Certificate: Beekeeping Basics'],
]

const isNora = ({ username }: { username: string }) => username === 'nora'

/** The ways to look for somebody, each with whether it finds her. */
const ways: [way: string, who: 'visitor' | 'member', find: (q: string) => Promise<boolean>][] = [
	['the page', 'visitor', async (q) => (await onPage(q, null)) !== null],
	['the page', 'member', async (q) => (await onPage(q, reader)) !== null],
	['suggestions', 'visitor', async (q) => (await suggest(q, null)).people.some(isNora)],
	['suggestions', 'member', async (q) => (await suggest(q, reader)).people.some(isNora)],
	['the API', 'visitor', (q) => byApi(q)],
	['the API', 'member', (q) => byApi(q, token)],
]

async function onPage(q: string, viewer: Viewer) {
	const { page } = await listCommunity({ ...NO_CRITERIA, q }, null, viewer)
	return page.rows.find(isNora) ?? null
}

async function byApi(q: string, key?: string): Promise<boolean> {
	const answer = await callApi('GET', `/people?${new URLSearchParams({ q })}`, key ? { token: key } : {})
	expect(answer.status).toBe(200)
	return ((await answer.json()) as { rows: { username: string }[] }).rows.some(isNora)
}

/** Sets the audience of these sections, and the default for all others. */
async function show(audience: Audience, sections: readonly Section[], more: object = {}): Promise<void> {
	// The rate limit has tests of its own.
	await sql`delete from rate_limits`.execute(db())
	const { personal_version: version } = await db()
		.selectFrom('profiles')
		.select('personal_version')
		.where('user_id', '=', nora.id)
		.executeTakeFirstOrThrow()
	const seen = Object.fromEntries(sections.map((section) => [`see_${section}`, audience]))
	await savePersonal(nora, 'nora', { ...personal, ...seen, ...more, version })
}

const asUsual = () => show('members', [])

/** Who can find a member by a section, by its audience, and with or without a public page. */
const allowed: [audience: Audience, page: object, found: (onCard: boolean) => ('visitor' | 'member')[]][] = [
	['me', { public_page: 'on' }, () => []],
	['members', { public_page: 'on' }, () => ['member']],
	['everybody', {}, (onCard) => (onCard ? ['visitor', 'member'] : ['member'])],
	['everybody', { public_page: 'on' }, () => ['visitor', 'member']],
]

describe.each(fields)('the %s', (_, section, q, onCard, why) => {
	test('finds a member for everybody who may see it, with the reason', async () => {
		await asUsual()
		for (const [way, who, find] of ways)
			expect([way, who, await find(q)]).toEqual([way, who, onCard || who === 'member'])
		expect((await onPage(q, reader))?.why).toBe(why)
	})

	test.runIf(section).each(allowed)(
		'finds a member as far as it is for %s, whatever the way (%o)',
		async (audience, page, found) => {
			await show(audience, section ? [section] : [], page)
			for (const [way, who, find] of ways)
				expect([way, who, await find(q)]).toEqual([way, who, found(onCard).includes(who)])
			expect(await onPage('finch', null)).not.toBeNull()
			if (found(onCard).includes('visitor')) expect((await onPage(q, null))?.why).toBe(why)
			expect(await checkDocuments()).toBe(0)
		},
	)
})

test('filters, their options and counts, and suggested skills omit what the reader cannot see', async () => {
	const filters = {
		skills: ['Zigzagscript'],
		branches: ['Cartography'],
		universities: ['Brackenfold University'],
		years: [7],
	}
	const found = async (viewer: Viewer) =>
		Promise.all(
			Object.entries(filters).map(async ([name, value]) => {
				const { page, count } = await listCommunity({ ...NO_CRITERIA, [name]: value }, null, viewer)
				return page.rows.some(isNora) && count.number === 1
			}),
		)
	const offered = async (viewer: Viewer, criteria = NO_CRITERIA) => {
		const { branches, universities } = (await listCommunity(criteria, null, viewer)).filters
		return [...branches, ...universities].filter(({ count }) => count?.number !== 0).map(({ value }) => value)
	}
	const told = async (viewer: Viewer) => [
		...(await found(viewer)),
		...(await offered(viewer)),
		...(await offered(viewer, { ...NO_CRITERIA, q: 'finch' })),
	]
	const all = ['Cartography', 'Brackenfold University', 'Cartography', 'Brackenfold University']
	const skills = async () => (await listSkills(50)).some(({ name }) => name === 'Zigzagscript')
	await asUsual()
	for (const viewer of [reader, null]) expect(await told(viewer)).toEqual([true, true, true, true, ...all])
	expect([await suggestKnownSkills('zigz'), await skills()]).toEqual([[{ value: 'Zigzagscript', note: '1' }], true])
	await show('members', ['skills', 'academics'])
	expect(await told(reader)).toEqual([true, true, true, true, ...all])
	expect(await told(null)).toEqual([false, false, false, false])
	expect([await suggestKnownSkills('zigz'), await skills()]).toEqual([[], false])
	await show('me', ['skills', 'academics'])
	for (const viewer of [reader, null]) expect(await told(viewer)).toEqual([false, false, false, false])
	await asUsual()
	expect(await found(reader)).toEqual([true, true, true, true])
})

test('pages, cards, lines, résumés and structured data contain what their reader may see; the owner sees all', async () => {
	const all: Record<string, Section> = {
		...{ Quillmark: 'city', Thermodynamics: 'expertise', falconry: 'about', Zigzagscript: 'skills' },
		...{ Cartography: 'academics', Aldermoor: 'academics', Foundry: 'projects', Beekeeping: 'certificates' },
		...{ Lanternworks: 'experience', Oldbridge: 'academics', 'codeberg.example/nora': 'social' },
	}
	const texts = Object.keys(all)
	const sections = [...new Set(Object.values(all))]
	await saveSocial(nora, 'nora', { portfolio: 'https://codeberg.example/nora', version: 1 })
	/** Output for this reader; a page that they may not open is empty. */
	const told = async (viewer: Viewer) => {
		const profile = await getProfile(viewer, 'nora').catch(() => null)
		const made = [
			profile,
			await getResume(viewer, 'nora').catch(() => null),
			await onPage('finch', viewer),
			profile && profilePage(profile, 'https://quad.example'),
			(await callApi('GET', '/people?q=finch', viewer ? { token } : {})).json(),
			viewer === null && (await findShareCard('nora')),
			viewer === null && (await getIntroduction('nora')),
		]
		const text = JSON.stringify(await Promise.all(made))
		return texts.filter((one) => text.includes(one))
	}
	const onCards = ['Thermodynamics', 'falconry', 'Zigzagscript', 'Cartography']
	await asUsual()
	expect([await told(reader), await told(null)]).toEqual([texts, onCards])
	await show('everybody', sections)
	expect([await told(reader), await told(null)]).toEqual([texts, onCards])
	await show('everybody', sections, { public_page: 'on' })
	expect([await told(reader), await told(null)]).toEqual([texts, texts])
	for (const [text, section] of Object.entries(all)) {
		await show('everybody', sections, { public_page: 'on', [`see_${section}`]: 'members' })
		const shown = texts.filter((one) => all[one] !== section)
		expect([text, await told(reader), await told(null)]).toEqual([text, texts, shown])
	}
	await show('members', sections, { public_page: 'on' })
	expect([await told(reader), await told(null)]).toEqual([texts, []])
	await show('me', sections, { public_page: 'on' })
	expect([await told(reader), await told(null), await told(nora)]).toEqual([[], [], texts])
	await asUsual()
})

test('a visitor can open only public pages, and gets the same response for all others', async () => {
	const opened = async (username: string) =>
		getProfile(null, username).then(
			({ name, indexed, email, evidence }) => [name, indexed, email, evidence],
			(error: Error) => error.message,
		)
	const refused = 'Log in to see this profile.'
	await asUsual()
	expect([await opened('nora'), await opened('nobody')]).toEqual([refused, refused])
	const open = { public_page: 'on', show_email: 'on' }
	await show('members', [], open)
	expect(await opened('NORA')).toEqual(['Nora Finch', true, '', []])
	await show('members', [], { ...open, noindex: 'on' })
	expect(await opened('nora')).toEqual(['Nora Finch', false, '', []])
	await show('members', [], { ...open, listed: '' })
	expect(await opened('nora')).toEqual(['Nora Finch', false, '', []])
	await db().updateTable('profiles').set({ hidden_at: new Date() }).where('user_id', '=', nora.id).execute()
	expect(await opened('nora')).toBe(refused)
	await db().updateTable('profiles').set({ hidden_at: null }).where('user_id', '=', nora.id).execute()
	await asUsual()
})

test('a nightly job compares search documents with the profiles, and corrects them', async () => {
	expect(await checkDocuments()).toBe(0)
	await db()
		.transaction()
		.execute(async (trx) => {
			await trx.updateTable('member_search').set({ terms: [] }).where('user_id', '=', nora.id).execute()
		})
	expect(await onPage('quillmark', reader)).toBeNull()
	expect(await checkDocuments()).toBe(1)
	expect(await onPage('quillmark', reader)).not.toBeNull()
})
