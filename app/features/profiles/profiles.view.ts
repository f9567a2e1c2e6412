import { monthAndYear } from '~/lib/dates.ts'
import { ordinal } from '~/lib/text.ts'

/** What pages and the API are told of a member's profile. Empty text means "not given". */

export interface Studies {
	branch: string
	/** 1 to 8, or null. */
	year: number | null
	/** 1 to 12, or null. */
	semester: number | null
}

/** A member in one line; '' when nothing is to be said. Nobody can be written to who only stands for an imported text. */
export interface Introduction {
	line: string
	imported: boolean
}

export interface LinkView {
	label: string
	url: string
}

/** A stored picture: where it is, the place it takes in pixels of its largest width, and what to show until it is there. */
export interface PictureView {
	path: string
	width: number
	height: number
	/** `#rrggbb` */
	colour: string
}

export interface ProjectView {
	id: string
	title: string
	description: string
	image: PictureView | null
	stack: string[]
	/** `2026-11-21`, or null. */
	date: string | null
	links: LinkView[]
}

export interface CertificateView {
	id: string
	title: string
	image: PictureView | null
	/** `2026-11-21`, or null. */
	issued: string | null
	expires: string | null
	/** Where the certificate itself can be seen, or ''. */
	url: string
	/** Where it can be verified, or ''. */
	verify: string
}

export interface ProfileView {
	username: string
	name: string
	image: string | null
	online: boolean
	/** When the member was last here; null while online, for one who does not show it, and for one who never was. */
	lastSeenAt: string | null
	/** An author of imported questions: an account that nobody can log in to. */
	imported: boolean
	joinedAt: string
	city: string
	expertise: string
	about: string
	openTo: ('mentoring' | 'collaborating')[]
	skills: string[]
	studies: Studies
	university: string
	location: string
	yearOfPassing: number | null
	/** The university that they are a verified student of, or ''. */
	campus: string
	social: LinkView[]
	/** '' unless its owner shows it, or the viewer is the owner or keeps order here. */
	email: string
	phone: string
	/** Only for the owner, else ''. */
	enrolmentNumber: string
	universityEmail: string
	/** Whether others see the e-mail and phone above. */
	shows: { email: boolean; phone: boolean }
	/** Set while a moderator hides the texts and the picture. `whole`: they are here all the same, for the owner or a moderator. */
	hidden: { reason: string; whole: boolean } | null
	projects: ProjectView[]
	certificates: CertificateView[]
}

/** Skills that the first steps ask for. */
export const SKILLS_WANTED = 3

/** What a new member has done of the first steps. */
export interface FirstStepsView {
	picture: boolean
	/** How many skills, at most as many as are asked for. */
	skills: number
	studies: boolean
}

/** What a list knows already of the member whose page is opened from it, as the state of that navigation. */
export interface KnownState {
	known: Pick<
		ProfileView,
		| 'username'
		| 'name'
		| 'image'
		| 'online'
		| 'studies'
		| 'university'
		| 'campus'
		| 'about'
		| 'expertise'
		| 'skills'
		| 'openTo'
	> & { github: string; linkedin: string }
}

/** “CSE, 3rd year, semester 6”, as much of it as is known. */
export function studiesText({ branch, year, semester }: Studies): string {
	return [branch, year && `${ordinal(year)} year`, semester && `semester ${semester}`].filter(Boolean).join(', ')
}

/** “Open to mentoring and collaborating”, and '' when a member is open to neither. */
export function openToText(openTo: readonly string[]): string {
	return openTo.length === 0 ? '' : `Open to ${openTo.join(' and ')}`
}

/**
 * From when to when a certificate holds, as much of it as is known: “Mar 2023 to Mar 2026, expired”. It holds on its last day.
 * @param now ISO 8601
 */
export function validityText({ issued, expires }: Pick<CertificateView, 'issued' | 'expires'>, now: string): string {
	const from = monthAndYear(issued)
	if (!expires) return from && `${from}, no expiry`
	const span = from ? `${from} to ${monthAndYear(expires)}` : `until ${monthAndYear(expires)}`
	return expires < now.slice(0, 10) ? `${span}, expired` : span
}
