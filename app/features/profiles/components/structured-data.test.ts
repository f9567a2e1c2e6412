import { expect, test } from 'vitest'
import type { ProfileView } from '../profiles.view.ts'
import { profilePage } from './structured-data.tsx'

const nothing: ProfileView = {
	username: 'mira',
	name: 'Mira Quillon',
	image: null,
	online: false,
	lastSeenAt: null,
	imported: false,
	former: false,
	joinedAt: '2026-01-02T03:04:05.000Z',
	city: '',
	expertise: '',
	about: '',
	openTo: [],
	...{ aboutHtml: null, pronouns: '', status: '', openUntil: null, indexed: false },
	skills: [],
	evidence: [],
	studies: { branch: '', year: null, semester: null },
	university: '',
	location: '',
	yearOfPassing: null,
	campus: '',
	social: [],
	email: '',
	phone: '',
	enrolmentNumber: '',
	universityEmail: '',
	shows: { email: false, phone: false },
	hidden: null,
	projects: [],
	certificates: [],
	experiences: [],
}

const site = 'https://quad.example'

test('an empty profile is a person with a name and an address', () => {
	expect(JSON.parse(JSON.stringify(profilePage(nothing, site)))).toEqual({
		'@context': 'https://schema.org',
		'@type': 'ProfilePage',
		url: `${site}/find-dev/mira`,
		dateCreated: '2026-01-02T03:04:05.000Z',
		mainEntity: {
			'@type': 'Person',
			name: 'Mira Quillon',
			alternateName: '@mira',
			identifier: 'mira',
			url: `${site}/find-dev/mira`,
		},
	})
})

test('the data contains what the page shows, but nothing that only its owner sees', () => {
	const view = {
		...nothing,
		image: 'profiles/mira/0123456789abcdef0123456789abcdef',
		city: 'Eastmere',
		university: 'Eastmere University',
		skills: ['Go'],
		social: [{ label: 'Github', url: 'https://github.com/mira' }],
		enrolmentNumber: 'EIT23',
		universityEmail: 'mira@eastmere.example',
	}
	const page = profilePage(view, site)
	expect(page.mainEntity).toMatchObject({
		image: `${site}/media/profiles/mira/0123456789abcdef0123456789abcdef-512.webp`,
		knowsAbout: ['Go'],
		sameAs: ['https://github.com/mira'],
		address: { addressLocality: 'Eastmere' },
		affiliation: { '@type': 'CollegeOrUniversity', name: 'Eastmere University' },
	})
	expect(JSON.stringify(page)).not.toMatch(/EIT23|mira@eastmere/)
})
