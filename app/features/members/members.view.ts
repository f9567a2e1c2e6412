import { ordinal } from '~/lib/text.ts'
import type { AuthorRow } from './pseudonyms.queries.server.ts'

/** Characters of a skill's name. */
export const MAX_SKILL_LENGTH = 50

export interface Studies {
	branch: string
	/** 1 to 8, or null. */
	year: number | null
	/** 1 to 12, or null. */
	semester: number | null
}

/** The author of a text. */
export interface AuthorView {
	username: string
	name: string
	/** Path of the picture, or null for initials. */
	image: string | null
	/** For a pseudonym, which has no profile: whether a verified student is behind it. */
	pseudonym?: { verified: boolean }
}

/** The author of a text as everybody sees it: about the member behind a pseudonym, only whether they are a verified student. */
export function presentAuthor({
	username,
	name,
	image,
	pseudonym_verified: verified,
}: Omit<AuthorRow, 'author_id' | 'pseudonym_id'>): AuthorView {
	return { username, name, image, ...(verified !== null && { pseudonym: { verified } }) }
}

/** A member in one line; '' for nothing. Imported authors cannot receive messages. */
export interface Introduction {
	summary: string
	imported: boolean
}

/** “CSE, 3rd year, semester 6”, without unknown parts. */
export function studiesText({ branch, year, semester }: Studies): string {
	return [branch, year && `${ordinal(year)} year`, semester && `semester ${semester}`].filter(Boolean).join(', ')
}

/** A text with `studiesText` in it for a page, where no line ends within “3rd year, semester 6”. */
export function keepTogether(text: string): string {
	return text.replace(/\d\w+ year(, semester \d+)?|semester \d+/, (now) => now.replaceAll(' ', '\u00a0'))
}

/** The sections of Edit profile in menu order; the first one has the address without a suffix. */
export const editParts = [
	{ part: '', title: 'Personal Details' },
	{ part: 'academics', title: 'Academics' },
	{ part: 'experience', title: 'Experience' },
	{ part: 'social-links', title: 'Social Links' },
	{ part: 'certificates', title: 'Certificates' },
	{ part: 'projects', title: 'Projects' },
	{ part: 'change-password', title: 'Change Password' },
] as const

type EditPart = (typeof editParts)[number]['part']

/** The page that edits a section of a profile. */
export function editProfilePath(username: string, part: EditPart = ''): string {
	return `/edit-profile/${encodeURIComponent(username)}${part && `/${part}`}`
}

/** The list of members with a skill. */
export function skillPath(name: string): string {
	return `/find-dev?${new URLSearchParams({ skill: name })}`
}

/** The page that imports a résumé. */
export function importPath(username: string): string {
	return `/edit-profile/${username}/import`
}
