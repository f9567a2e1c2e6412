import type { Saveable } from '~/features/following/following.view.ts'
import type { Studies } from '~/features/members/members.view.ts'
import type { Opening } from '~/features/members/self.view.ts'
import type { FirstStepsView } from '~/features/profiles/profiles.view.ts'
import { grouped } from '~/lib/text.ts'
import type { Criteria } from './directory.paths.ts'

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
	openTo: Opening[]
	github: string
	linkedin: string
	/** Those of `skills` that were asked for; they stand first. */
	matchedSkills?: string[]
	/** Why a search found them: “Knows React · City: Eastmere”; '' when nothing was searched for. */
	why?: string
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

/** How many people there are. */
export interface Count {
	number: number
	/** There are at least so many: counting ended here. */
	atLeast: boolean
}

/** Something that a filter offers. */
export interface Choice {
	/** As the address names it. */
	value: string
	label: string
	chosen: boolean
	/** How many people one sees with it, among those whom the other filters leave; null where that was not counted. */
	count: Count | null
}

/** What the filters of the community offer, each the commonest values and those that are chosen. */
export interface FiltersView {
	online: Choice
	openTo: Choice[]
	branches: Choice[]
	years: Choice[]
	universities: Choice[]
}

/** A filter that could be given up, when nobody matches all of them, and how many people there are without it. */
export interface Loosening {
	/** “online now” */
	label: string
	href: string
	count: Count
}

/** What is offered while somebody types into the search. */
export interface SuggestionsView {
	people: Pick<MemberView, 'username' | 'name' | 'image' | 'online' | 'skills' | 'studies' | 'university'>[]
	skills: { name: string; count: number }[]
	universities: { name: string; count: number }[]
}

/** “48”, “1,284”, “500+”. */
export function countText({ number, atLeast }: Count): string {
	return `${grouped(number)}${atLeast ? '+' : ''}`
}

/** What the community's page is loaded with. */
export interface CommunityData {
	/** What the list shows: the criteria of its address, with the branches and years that were typed as filters. */
	criteria: Criteria
	/** The filters that were typed, each with the address of the list without it. */
	typed: { label: string; href: string }[]
	/** The list in which they are words like any other; null where none was typed. */
	asWords: string | null
	/** Whether nobody has every word of the search, and those are shown who have some. */
	isLoose: boolean
	page: MembersPage
	/** The list as a search that can be saved; null for everybody. */
	saveable: Saveable | null
	/** Where the page begins; null for the first. */
	cursor: string | null
	count: Count
	filters: FiltersView
	loosen: Loosening | null
	/** What the viewer has yet to do to be found; null when there is nothing to lead them to, and within a search. */
	firstSteps: FirstStepsView | null
}
