import { MAX_SKILL_LENGTH } from '~/features/members/members.view.ts'

/** The limits of a profile's fields, apart from the schemas so that the browser can use them without zod. */
export const profileLimits = {
	name: 100,
	phone: 30,
	city: 100,
	expertise: 150,
	about: 2_000,
	skills: 30,
	skill: MAX_SKILL_LENGTH,
	/** University, branch, location: long enough for the longest official names. */
	institution: 200,
	enrolmentNumber: 50,
	email: 200,
	url: 500,
	title: 150,
	description: 2_000,
	stack: 20,
	/** Certificates, and projects, of one member. */
	items: 100,
	semesters: 12,
	years: 8,
	passing: { from: 1950, to: 2100 },
} as const

/** Sections of a profile that its owner can keep to themselves. */
export const profileSections = [
	...(['city', 'expertise', 'about', 'skills'] as const),
	...(['academics', 'social', 'projects', 'certificates'] as const),
] as const

/** What the form calls them: other words than its fields have, so that no two controls of a page have the same name. */
export const sectionNames: Record<(typeof profileSections)[number], string> = {
	city: 'Where I live',
	expertise: 'What I am expert in',
	about: 'My introduction',
	skills: 'What I know',
	academics: 'My studies',
	social: 'My links to other sites',
	projects: 'What I have built',
	certificates: 'What I was awarded',
}
