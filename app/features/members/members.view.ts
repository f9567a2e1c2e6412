import { ordinal } from '~/lib/text.ts'

/** Characters of a skill's name. */
export const MAX_SKILL_LENGTH = 50

export interface Studies {
	branch: string
	/** 1 to 8, or null. */
	year: number | null
	/** 1 to 12, or null. */
	semester: number | null
}

/** A member in one line; '' when nothing is to be said. Nobody can be written to who only stands for an imported text. */
export interface Introduction {
	summary: string
	imported: boolean
}

/** “CSE, 3rd year, semester 6”, as much of it as is known. */
export function studiesText({ branch, year, semester }: Studies): string {
	return [branch, year && `${ordinal(year)} year`, semester && `semester ${semester}`].filter(Boolean).join(', ')
}

/** The parts of Edit profile in the order of its menu; the first one has the address without a part. */
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

/** Where a member edits a part of their profile. */
export function editProfilePath(username: string, part: EditPart = ''): string {
	return `/edit-profile/${encodeURIComponent(username)}${part && `/${part}`}`
}

/** The community's list of who has a skill. */
export function skillPath(name: string): string {
	return `/find-dev?${new URLSearchParams({ skill: name })}`
}

/** Where a member imports a résumé. */
export function importPath(username: string): string {
	return `/edit-profile/${username}/import`
}
