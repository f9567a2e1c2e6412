import type { SaveableSearch } from '~/features/following/following.view.ts'
import type { Studies } from '~/features/members/members.view.ts'
import type { Opening } from '~/features/members/self.view.ts'
import type { FirstStepsView } from '~/features/profiles/profiles.view.ts'
import { formatNumber } from '~/lib/text.ts'
import type { Page } from '~/platform/http/cursors.ts'
import type { Criteria } from './directory.paths.ts'

/** What everybody may know about a member, logged in or not. Empty text means "not given". */
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
	/** Those of `skills` that were searched for; they come first. */
	matchedSkills?: string[]
	/** Why a search found them: “Knows React · City: Eastmere”; '' without a search. */
	why?: string
}

export interface SkillView {
	name: string
	/** How many members have it. */
	count: number
}

/** How many people there are. */
export interface Count {
	number: number
	/** The real number is at least this: counting stopped here. */
	atLeast: boolean
}

/** A value of a filter. */
export interface FilterChoice {
	/** As the address names it. */
	value: string
	label: string
	chosen: boolean
	/** How many people match with it and the other filters; null where that was not counted. */
	count: Count | null
}

/** The filters of the community, each with the commonest and the chosen values. */
export interface FiltersView {
	online: FilterChoice
	openTo: FilterChoice[]
	branches: FilterChoice[]
	years: FilterChoice[]
	universities: FilterChoice[]
}

/** A filter that could be removed when nobody matches, and how many people match without it. */
export interface RemovableFilter {
	/** “online now” */
	label: string
	href: string
	count: Count
}

/** Suggestions while typing. */
export interface SuggestionsView {
	people: Pick<MemberView, 'username' | 'name' | 'image' | 'online' | 'skills' | 'studies' | 'university'>[]
	skills: { name: string; count: number }[]
	universities: { name: string; count: number }[]
}

/** “48”, “1,284”, “500+”. */
export function countText({ number, atLeast }: Count): string {
	return `${formatNumber(number)}${atLeast ? '+' : ''}`
}

/** The data of the community's page. */
export interface CommunityData {
	/** What the list shows: the criteria of its address, with the branches and years that were typed as filters. */
	criteria: Criteria
	/** The filters that were typed, each with the address of the list without it. */
	typed: { label: string; href: string }[]
	/** The list that treats them as words; null where none was typed. */
	asWords: string | null
	/** Whether nobody has all words of the search, and the list shows who has some. */
	isLoose: boolean
	page: Page<MemberView>
	/** The list as a search that can be saved; null for everybody. */
	saveable: SaveableSearch | null
	/** Where the page begins; null for the first. */
	cursor: string | null
	count: Count
	filters: FiltersView
	loosen: RemovableFilter | null
	/** The steps that the viewer still has to take to be found; null when there are none, and within a search. */
	firstSteps: FirstStepsView | null
}
