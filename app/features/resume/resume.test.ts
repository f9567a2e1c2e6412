import { describe, expect, test } from 'vitest'
import { academicsInput, socialInput } from '~/features/profile-editor/profile.schema.ts'
import { anyProfile } from '../../../tests/factories/resume.ts'
import { parseResume } from './import/document.ts'
import { type CurrentProfile, planImport } from './import/plan.ts'
import { fromResume } from './import/reading.ts'
import { type ResumeFields, toResume } from './resume.view.ts'

const site = 'https://quad.example'

const nobody: CurrentProfile = {
	username: 'bram',
	email: 'bram@campus.example',
	personal: {
		fullName: '',
		phone: '',
		city: '',
		expertise_in: '',
		about: '',
		skills: [],
		open_to: [],
		profile_url: null,
	},
	academics: academicsInput.parse({}),
	social: socialInput.parse({}),
	versions: { personal: 1, academics: 1, social: 1 },
	certificates: [],
	projects: [],
	experiences: [],
}

/** Imports a whole document into an empty profile. */
function imported(text: string): { profile: ResumeFields; unsaved: unknown[] } {
	const { found, unsaved } = fromResume(parseResume(text))
	const plan = planImport(nobody, found)
	const profile = {
		...nobody,
		personal: { ...nobody.personal, ...found.personal },
		academics: { ...nobody.academics, ...found.academics },
		social: { ...nobody.social, ...found.social },
		certificates: plan.certificates.map(({ fields }) => fields),
		projects: plan.projects.map(({ fields }) => fields),
		experiences: plan.experiences.map(({ fields }) => fields),
	}
	return { profile, unsaved }
}

test('export and import preserve a thousand generated profiles', () => {
	for (let seed = 1; seed <= 1_000; seed += 1) {
		const before = anyProfile(seed)
		const text = JSON.stringify(toResume(before, site))
		const { profile, unsaved } = imported(text)
		expect({ seed, unsaved }).toEqual({ seed, unsaved: [] })
		const { username, email } = before
		expect({ seed, ...profile, username, email, versions: undefined }).toEqual({ seed, ...before, versions: undefined })
		expect(JSON.stringify(toResume({ ...profile, username, email }, site))).toBe(text)
	}
})

test('importing one’s own export changes nothing', () => {
	for (let seed = 1; seed <= 200; seed += 1) {
		const own = anyProfile(seed)
		const stored = <Fields>(fields: Fields, index: number) => ({ id: String(index), version: 1, fields })
		const current = {
			...own,
			versions: nobody.versions,
			certificates: own.certificates.map(stored),
			projects: own.projects.map(stored),
			experiences: own.experiences.map(stored),
		}
		const { found } = fromResume(parseResume(JSON.stringify(toResume(own, site))))
		expect(planImport(current, found).changes).toEqual([])
	}
})

test('a link whose encoding is broken is exported as it is', () => {
	const github = socialInput.parse({ github: 'https://github.com/100%25-mira' }).github
	const linkedin = socialInput.parse({ linkedin: 'https://www.linkedin.com/in/mira%E9' }).linkedin
	const { basics } = toResume(
		{ ...nobody, experiences: [], certificates: [], projects: [], social: { ...nobody.social, github, linkedin } },
		site,
	)
	expect(basics?.profiles?.map(({ username, url }) => [username, url])).toEqual([
		['100%-mira', 'https://github.com/100%25-mira'],
		['mira%E9', 'https://www.linkedin.com/in/mira%E9'],
	])
})

test('a full profile is valid JSON Resume 1.0', () => {
	const document = toResume(
		{
			username: 'mira',
			email: 'mira@campus.example',
			personal: {
				...nobody.personal,
				fullName: 'Mira Quillon',
				expertise_in: 'Full-stack web',
				city: 'Eastmere',
				skills: ['React', 'Go'],
				open_to: ['mentoring'],
				profile_url: 'profiles/mira/0123456789abcdef0123456789abcdef',
			},
			academics: {
				...nobody.academics,
				university_name: 'Eastmere University',
				year_of_passing: 2028,
				current_year: 3,
			},
			social: { ...nobody.social, github: 'https://github.com/miraq', portfolio: 'https://mira.example/' },
			certificates: [
				{
					certificate_title: 'Cloud',
					certificate_url: '',
					certificate_image: null,
					certificate_issue_date: '2026-08-12',
					certificate_expire_date: '2029-08-12',
					credential_verification_link: 'https://verify.example/7',
				},
			],
			projects: [],
			experiences: [],
		},
		site,
	)
	expect(document).toEqual({
		$schema: 'https://raw.githubusercontent.com/jsonresume/resume-schema/v1.0.0/schema.json',
		basics: {
			name: 'Mira Quillon',
			label: 'Full-stack web',
			image: `${site}/media/profiles/mira/0123456789abcdef0123456789abcdef-512.webp`,
			email: 'mira@campus.example',
			url: 'https://mira.example/',
			location: { city: 'Eastmere' },
			profiles: [{ network: 'GitHub', username: 'miraq', url: 'https://github.com/miraq' }],
		},
		education: [{ institution: 'Eastmere University', endDate: '2028' }],
		certificates: [{ name: 'Cloud', date: '2026-08-12', url: 'https://verify.example/7' }],
		skills: [{ name: 'React' }, { name: 'Go' }],
		meta: {
			canonical: `${site}/find-dev/mira.json`,
			version: 'v1.0.0',
			devquad: {
				personal_details: {
					username: 'mira',
					profile_url: 'profiles/mira/0123456789abcdef0123456789abcdef',
					open_to: ['mentoring'],
				},
				academics: { current_year: 3 },
				certificates: [
					{
						certificate_title: 'Cloud',
						certificate_expire_date: '2029-08-12',
						credential_verification_link: 'https://verify.example/7',
					},
				],
			},
		},
	})
})

describe('a résumé from another tool', () => {
	const foreign = {
		basics: {
			name: 'Orin Lampwright',
			label: 'Programmer',
			email: 'orin@elsewhere.example',
			phone: '+1 555 0100',
			url: 'orin.example',
			image: 'https://orin.example/me.png',
			summary: 'I keep lanterns lit.',
			location: { city: 'Westmere', countryCode: 'XX' },
			profiles: [
				{ network: 'Twitter', username: 'orin', url: 'https://twitter.example/orin' },
				{ network: 'Github', username: 'orin' },
				{ network: 'Code', username: 'orin', url: 'https://leetcode.com/u/orin/' },
				{ network: 'GFG', username: 'orin' },
			],
		},
		work: [{ name: 'Lamps & Sons', position: 'Wick trimmer', highlights: ['Ten a day'] }, { name: 'The Ford' }],
		volunteer: [{ position: 'Helper' }],
		education: [
			{ institution: 'Old School', area: 'Latin', startDate: '2015', endDate: '2018' },
			{
				institution: 'Westmere College',
				area: 'Computing',
				studyType: 'Bachelor',
				endDate: '2027-06-30',
				score: '8.1',
			},
		],
		skills: [{ name: 'Web', level: 'Master', keywords: ['HTML', 'css', 'web'] }, 'Rust, Go', { name: 7 }],
		projects: [
			{
				name: 'wick',
				description: 'A taller wick.',
				highlights: ['Burns longer', 'Smokes less'],
				keywords: ['Rust'],
				startDate: '2024-05',
				url: 'https://github.com/orin/wick',
				roles: ['Author'],
			},
			{ description: 'nameless' },
			{ name: 'bad link', url: 'javascript:alert(1)', startDate: '2024-01', endDate: '2024-03' },
		],
		certificates: [{ name: 'Keeper', date: '2024', url: 'https://keepers.example/1', issuer: 'Keepers' }],
	}
	const { profile, unsaved } = imported(JSON.stringify(foreign))

	test('imports everything that a profile can store', () => {
		expect(profile).toMatchObject({
			personal: {
				fullName: 'Orin Lampwright',
				expertise_in: 'Programmer',
				phone: '+1 555 0100',
				city: 'Westmere',
				about: 'I keep lanterns lit.',
				skills: ['Web', 'HTML', 'css', 'Rust', 'Go'],
			},
			academics: { university_name: 'Westmere College', enrol_in_branch_name: 'Computing', year_of_passing: 2027 },
			social: {
				portfolio: 'https://orin.example/',
				github: 'https://github.com/orin',
				leetcode: 'https://leetcode.com/u/orin',
				geeksforgeek: 'https://www.geeksforgeeks.org/user/orin',
			},
			certificates: [
				{
					certificate_title: 'Keeper',
					certificate_issue_date: '2024-01-01',
					credential_verification_link: 'https://keepers.example/1',
				},
			],
		})
		expect(profile.experiences).toMatchObject([
			{ kind: 'education', organisation: 'Old School', title: 'Latin', starts: '2015', ends: '2018' },
			{ kind: 'work', organisation: 'Lamps & Sons', title: 'Wick trimmer', summary: '- Ten a day' },
			{ kind: 'work', organisation: 'The Ford', title: '', ends: null },
		])
		expect(profile.projects).toMatchObject([
			{
				project_title: 'wick',
				project_description: 'A taller wick.\n\n- Burns longer\n- Smokes less',
				project_tech_stack: ['Rust'],
				project_date: '2024-05-01',
				project_source_code_link: 'https://github.com/orin/wick',
			},
			{ project_title: 'bad link', project_deployment_link: '' },
		])
	})

	test('lists everything else with a reason', () => {
		expect(unsaved).toEqual([
			{ path: 'basics.location.countryCode', reason: 'A profile does not have this field.' },
			{ path: 'basics.image', reason: 'Pictures cannot be imported: upload it here.' },
			{ path: 'skills[0].level', reason: 'A profile does not have this field.' },
			{ path: 'skills[2]', reason: 'Enter text.' },
			{ path: 'education[1].studyType', reason: 'A profile does not have this field.' },
			{ path: 'education[1].score', reason: 'A profile does not have this field.' },
			{ path: 'volunteer[0]', reason: 'Say where it is or was.' },
			{ path: 'basics.profiles[0]', reason: 'A profile cannot link to this site.' },
			{ path: 'certificates[0].issuer', reason: 'A profile does not have this field.' },
			{ path: 'projects[0].roles (1 entry)', reason: 'A profile does not have this field.' },
			{ path: 'projects[1]', reason: 'A project needs a title!' },
			{ path: 'projects[2].startDate', reason: 'A profile does not have this field.' },
			{ path: 'projects[2].project_deployment_link', reason: 'Enter a web address that begins with https://' },
		])
	})
})

test.each([
	['a name that is a number', { basics: { name: 7 } }, 'basics.name', 'Enter text.'],
	[
		'a text that is too long',
		{ basics: { summary: 'x'.repeat(2_001) } },
		'basics.summary',
		'The text has at most 2,000 characters.',
	],
	[
		'a text that cannot be stored',
		{ basics: { label: 'a\u0000b' } },
		'basics.label',
		'The text contains an invalid character (NUL).',
	],
	[
		'an invalid year',
		{ education: [{ endDate: 'soon' }] },
		'education[0].endDate',
		'A year has four digits, from 1950 to 2100.',
	],
	[
		'an invalid day',
		{ certificates: [{ name: 'x', date: '2024-02-30' }] },
		'certificates[0].date',
		'Enter a date as year-month-day, for example 2026-11-21.',
	],
	[
		'an end before the beginning',
		{
			certificates: [{ name: 'x', date: '2024-01-02' }],
			meta: { devquad: { certificates: [{ certificate_title: 'x', certificate_expire_date: '2024-01-01' }] } },
		},
		'certificates[0].certificate_expire_date',
		'A certificate cannot expire before it was issued.',
	],
	[
		'more skills than a profile has',
		{ skills: Array.from({ length: 32 }, (_, at) => `s${at}`) },
		'skills',
		'A profile has at most 30 skills. Left out: s30, s31',
	],
	[
		'a second address at one site',
		{
			basics: {
				profiles: [
					{ network: 'github', username: 'a' },
					{ network: 'GitHub', username: 'b' },
				],
			},
		},
		'basics.profiles[1]',
		'A profile has one address for each site: the first one.',
	],
	[
		'a key that is no field',
		{ meta: { devquad: { academics: { role: 'admin' } } } },
		'meta.devquad.academics.role',
		'A profile does not have this field.',
	],
	[
		'a key of every object',
		JSON.parse('{"__proto__": {"x": 1}, "constructor": "x"}'),
		'constructor',
		'A profile does not have this field.',
	],
	[
		'a key of every function',
		{ projects: [{ name: 'x' }], meta: { devquad: { projects: [{ project_title: 'x', constructor: 'y' }] } } },
		'projects[0].constructor',
		'A profile does not have this field.',
	],
	[
		'a setting of who sees what',
		{ meta: { devquad: { personal_details: { show_email: true } } } },
		'meta.devquad.personal_details.show_email',
		'A profile does not have this field.',
	],
])('%s is omitted, with a reason', (_, document, path, reason) => {
	const { unsaved } = fromResume(parseResume(JSON.stringify(document)))
	expect(unsaved).toContainEqual({ path, reason })
})

test('reads the former name of a project’s source, and matches moved items by title', () => {
	const own = [
		{ project_title: 'one', project_source_code: 'https://git.example/one' },
		{ project_title: 'two', project_demo_link: 'https://demo.example/two' },
	]
	const document = { projects: [{ name: 'two' }, { name: 'one' }], meta: { devquad: { projects: own } } }
	expect(imported(JSON.stringify(document)).profile.projects).toMatchObject([
		{ project_title: 'two', project_demo_link: 'https://demo.example/two', project_source_code_link: '' },
		{ project_title: 'one', project_source_code_link: 'https://git.example/one', project_demo_link: '' },
	])
})

describe('invalid documents are rejected with the place:', () => {
	test.each([
		['', 'Choose a file, or paste its text.'],
		['   \n', 'Choose a file, or paste its text.'],
		['hello', 'This is not valid JSON: '],
		['{"basics": {', 'This is not valid JSON: '],
		['[]', 'A résumé is one JSON object'],
		['null', 'A résumé is one JSON object'],
		['"x"', 'A résumé is one JSON object'],
		['{"basics": "Mira"}', 'basics: This has to be an object'],
		['{"basics": {"location": []}}', 'basics.location: This has to be an object'],
		['{"projects": {}}', 'projects: This has to be a list of objects'],
		['{"projects": [{}, 3]}', 'projects[1]: This has to be an object'],
		['{"skills": [["a"]]}', 'skills[0]: This has to be an object'],
		['{"meta": {"devquad": {"certificates": 1}}}', 'meta.devquad.certificates: This has to be a list of objects'],
		[`{"projects": [${Array(501).fill('{}').join(',')}]}`, 'projects: At most 500 entries are read.'],
		[`${'['.repeat(200_000)}`, 'nested more than 32 levels'],
		[`{"a": ${'{"a":'.repeat(50)}1${'}'.repeat(50)}}`, 'nested more than 32 levels'],
		[`{"a": "${'x'.repeat(1_048_576)}"}`, 'A résumé has at most 1 MB.'],
	])('%.60s', (text, reason) => {
		expect(() => parseResume(text)).toThrow(reason)
	})

	test('brackets within a text do not count as nesting', () => {
		expect(() => parseResume(`{"basics": {"summary": "${'[{\\"'.repeat(100)}"}}`)).not.toThrow()
	})
})

test('an empty document changes nothing', () => {
	for (const text of ['{}', '{"basics": null, "skills": [], "meta": {"devquad": null}}', '\uFEFF{"basics": {}}'])
		expect(planImport(nobody, fromResume(parseResume(text)).found).changes).toEqual([])
})
