import type { Studies } from '~/features/profiles/profiles.present.ts'

/** What everybody may know of a member, signed in or not. Empty text means "not given". */
export interface MemberView {
	username: string
	name: string
	/** Path of the picture, or null for initials. */
	image: string | null
	online: boolean
	studies: Studies
	university: string
	/** The university that they are a verified student of, or ''. */
	campus: string
	about: string
	expertise: string
	skills: string[]
	openTo: ('mentoring' | 'collaborating')[]
	github: string
	linkedin: string
}

export interface SkillView {
	name: string
	/** How many members have it. */
	count: number
}

/** A page of the community: members, and the cursor of the next page, null at the end. */
export interface MembersPage {
	rows: MemberView[]
	next: string | null
}
