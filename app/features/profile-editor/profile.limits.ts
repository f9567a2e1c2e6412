import { MAX_SKILL_LENGTH } from '~/features/members/members.view.ts'

/** Limits of a profile's fields, separate from the schemas so that the browser needs no zod. */
export const profileLimits = {
	name: 100,
	phone: 30,
	city: 100,
	expertise: 150,
	about: 2_000,
	skills: 30,
	skill: MAX_SKILL_LENGTH,
	/** University, branch, location: enough for the longest official names. */
	institution: 200,
	enrolmentNumber: 50,
	email: 200,
	url: 500,
	title: 150,
	description: 2_000,
	stack: 20,
	pronouns: 30,
	status: 80,
	/** Days after which a status without an end expires. */
	statusDays: 7,
	/** Certificates, and projects, per member. */
	items: 100,
	semesters: 12,
	years: 8,
	passing: { from: 1950, to: 2100 },
} as const

/** Kinds of entries for education and experience, with their labels. */
export const experienceKinds = ['education', 'work', 'volunteer'] as const

export const experienceKindNames = { education: 'Studies', work: 'Work', volunteer: 'Volunteering' } as const

/** Who sees a section of a profile. */
export const audiences = ['everybody', 'members', 'me'] as const

export type Audience = (typeof audiences)[number]

export const audienceNames: Record<Audience, string> = { everybody: 'Everybody', members: 'Members', me: 'Only me' }

/** Sections with a visibility of their own, with the default. */
export const defaultAudience = {
	city: 'members',
	expertise: 'everybody',
	about: 'everybody',
	skills: 'everybody',
	academics: 'everybody',
	social: 'everybody',
	experience: 'members',
	projects: 'members',
	certificates: 'members',
} as const satisfies Record<string, Audience>

export type Section = keyof typeof defaultAudience

export const profileSections = Object.keys(defaultAudience) as Section[]

/** The form field for a section's visibility. */
export type AudienceField = `see_${Section}`

/** Names of the fields in the form, distinct from other controls of the page. */
export const audienceFieldNames: Record<AudienceField, string> = {
	see_city: 'Where I live',
	see_expertise: 'What I am expert in',
	see_about: 'My introduction',
	see_skills: 'What I know',
	see_academics: 'My studies',
	see_social: 'My links to other sites',
	see_experience: 'Where I worked and helped',
	see_projects: 'What I have built',
	see_certificates: 'What I was awarded',
}

/** The labels of the choices in the personal form. */
export const audienceChoices = Object.fromEntries(profileSections.map((section) => [`see_${section}`, audienceNames]))
