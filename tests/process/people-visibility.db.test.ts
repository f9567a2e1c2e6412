import { beforeAll, describe, expect, test } from 'vitest'
import { anybody } from '~/features/directory/directory.paths.ts'
import { listCommunity } from '~/features/directory/directory.server.ts'
import { checkDocuments } from '~/features/directory/documents.server.ts'
import { suggest, suggestKnownSkills } from '~/features/directory/suggestions.server.ts'
import { saveAcademics, savePersonal } from '~/features/profile-editor/editing.server.ts'
import { addProject } from '~/features/profile-editor/items.server.ts'
import type { profileSections } from '~/features/profile-editor/profile.limits.ts'
import { getProfile } from '~/features/profiles/profiles.server.ts'
import { getResume } from '~/features/resume/resume.server.ts'
import { makeToken } from '~/features/tokens/tokens.server.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../factories/forum.ts'
import { callApi } from '../support/api-calls.ts'
import { useDatabase } from '../support/database.ts'

useDatabase()

type Section = (typeof profileSections)[number]

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
	...{ current_year: '7', university_email: '' },
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
	await db()
		.insertInto('certificates')
		.values({ user_id: nora.id, certificate_title: 'Beekeeping Basics', certificate_image: null })
		.execute()
})

/** What of a profile is searched for, in which section it stands, and whether visitors may find somebody by it. */
const fields: [field: string, section: Section | null, q: string, isPublic: boolean, why: string][] = [
	['name', null, 'finch', true, 'Found by name'],
	['username', null, 'nora', true, 'Found by username'],
	['city', 'city', 'quillmark', false, 'City: Quillmark'],
	['expertise', 'expertise', 'thermodynamics', true, 'Expertise: Thermodynamics'],
	['about me', 'about', 'falconry', true, 'About: “Weekends belong to falconry.”'],
	['a skill', 'skills', 'zigzagscript', true, 'Knows Zigzagscript'],
	['branch', 'academics', 'cartography', true, 'Cartography'],
	['year', 'academics', '7th year', true, '7th year'],
	['university', 'academics', 'brackenfold', true, 'Studies at Brackenfold University'],
	['location', 'academics', 'aldermoor', false, 'Studies in Aldermoor'],
	['title of a project', 'projects', 'foundry', false, 'Project: Foundry'],
	['technology of a project', 'projects', 'obscurelang', false, 'Project: Foundry'],
	['text of a project', 'projects', 'bells', false, 'Project: Foundry'],
	['certificate', 'certificates', 'beekeeping', false, 'Certificate: Beekeeping Basics'],
]

const isNora = ({ username }: { username: string }) => username === 'nora'

/** Ways in which somebody can be looked for: whether each finds her. */
const ways: [way: string, who: 'visitor' | 'member', find: (q: string) => Promise<boolean>][] = [
	['the page', 'visitor', async (q) => (await onPage(q, null)) !== null],
	['the page', 'member', async (q) => (await onPage(q, reader)) !== null],
	['suggestions', 'visitor', async (q) => (await suggest(q, null)).people.some(isNora)],
	['suggestions', 'member', async (q) => (await suggest(q, reader)).people.some(isNora)],
	['the API', 'visitor', (q) => byApi(q)],
	['the API', 'member', (q) => byApi(q, token)],
]

async function onPage(q: string, viewer: Viewer) {
	const { page } = await listCommunity({ ...anybody, q }, null, viewer)
	return page.rows.find(isNora) ?? null
}

async function byApi(q: string, key?: string): Promise<boolean> {
	const answer = await callApi('GET', `/people?${new URLSearchParams({ q })}`, key ? { token: key } : {})
	expect(answer.status).toBe(200)
	return ((await answer.json()) as { rows: { username: string }[] }).rows.some(isNora)
}

async function keepToMyself(sections: string): Promise<void> {
	const { personal_version: version } = await db()
		.selectFrom('profiles')
		.select('personal_version')
		.where('user_id', '=', nora.id)
		.executeTakeFirstOrThrow()
	await savePersonal(nora, 'nora', { ...personal, only_me: sections, version })
}

describe.each(fields)('the %s', (_, section, q, isPublic, why) => {
	test('finds a member for everybody who may see it, and says why', async () => {
		for (const [way, who, find] of ways)
			expect([way, who, await find(q)]).toEqual([way, who, isPublic || who === 'member'])
		expect((await onPage(q, reader))?.why).toBe(why)
	})

	test.runIf(section)('that only its owner sees finds nobody, whatever the way, until it is shown again', async () => {
		await keepToMyself(section ?? '')
		for (const [way, who, find] of ways) expect([way, who, await find(q)]).toEqual([way, who, false])
		expect(await onPage('finch', reader)).not.toBeNull()
		await keepToMyself('')
		expect(await onPage(q, reader)).not.toBeNull()
	})
})

test('filters, what they offer and suggested skills leave out what only its owner sees', async () => {
	const filters = {
		skills: ['Zigzagscript'],
		branches: ['Cartography'],
		universities: ['Brackenfold University'],
		years: [7],
	}
	const found = async () =>
		Promise.all(
			Object.entries(filters).map(async ([name, value]) => {
				const { page } = await listCommunity({ ...anybody, [name]: value }, null, reader)
				return page.rows.some(isNora)
			}),
		)
	const offered = async () => {
		const { branches, universities } = (await listCommunity(anybody, null, reader)).filters
		return [...branches, ...universities].map(({ value }) => value)
	}
	expect(await found()).toEqual([true, true, true, true])
	expect(await offered()).toEqual(['Cartography', 'Brackenfold University'])
	expect(await suggestKnownSkills('zigz')).toHaveLength(1)
	await keepToMyself('skills,academics')
	expect(await found()).toEqual([false, false, false, false])
	expect(await offered()).toEqual([])
	expect(await suggestKnownSkills('zigz')).toEqual([])
	await keepToMyself('')
	expect(await found()).toEqual([true, true, true, true])
})

test('pages, cards and the document of a profile leave out what only its owner sees; the owner sees all', async () => {
	const texts = ['Quillmark', 'Thermodynamics', 'falconry', 'Zigzagscript', 'Cartography', 'Foundry', 'Beekeeping']
	const told = async (viewer: SignedIn) => {
		const all = JSON.stringify([
			await getProfile(viewer, 'nora'),
			await getResume(viewer, 'nora'),
			await onPage('finch', viewer),
		])
		return texts.filter((text) => all.includes(text))
	}
	expect(await told(reader)).toEqual(texts)
	await keepToMyself('city,expertise,about,skills,academics,social,projects,certificates')
	expect(await told(reader)).toEqual([])
	expect(await told(nora)).toEqual(texts)
	await keepToMyself('')
	expect(await told(reader)).toEqual(texts)
})

test('every night what members are found by is compared with what they show, and corrected', async () => {
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
