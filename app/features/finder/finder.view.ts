import type { Count, MemberView } from '~/features/directory/directory.view.ts'
import type { SaveableSearch } from '~/features/following/following.view.ts'
import type { QuestionCardView } from '~/features/questions/question.view.ts'
import type { SearchTools } from '~/features/search/search.view.ts'
import type { TagView } from '~/features/tags/tags.view.ts'
import type { Page } from '~/platform/http/cursors.ts'
import type { SearchKind } from './finder.paths.ts'

/** A matching project. Texts are safe HTML with matches in `<mark>`. */
export interface ProjectHit {
	id: string
	/** Its address on the owner's page. */
	url: string
	title: string
	titleHtml: string
	excerptHtml: string
	/** Technologies, with whether they were searched for. */
	stack: { name: string; matched: boolean }[]
	owner: { username: string; name: string; image: string | null }
}

/** A matching tag. */
export interface TagHit extends TagView {
	/** The reason, if it is not its name: “Also written “js””; '' otherwise. */
	why: string
}

/** How near results are to the search: they match all words; similar words; some of the words. */
export type Nearness = 'all' | 'near' | 'some'

/** Results of one kind, at most a page. */
export interface Hits<Row> extends Page<Row> {
	/** The total number of complete matches; none for others. */
	count: Count
	nearness: Nearness
}

/** A filter of questions, which is an operator in the search. */
export interface SearchFilter {
	label: string
	isOn: boolean
	/** The search with the filter, or without it if it is active. */
	search: string
}

/** The data of the search page. */
export interface SearchData {
	q: string
	/** null for the best of everything. */
	kind: SearchKind | null
	/** The cursor of this page; null for the first one. */
	cursor: string | null
	/** The rows of `kind`, to which more can be appended; none on the overview. */
	page: Page<QuestionCardView | MemberView | ProjectHit | TagHit>
	questions: Hits<QuestionCardView>
	people: Hits<MemberView>
	/** null for visitors, who cannot see projects. */
	projects: Hits<ProjectHit> | null
	tags: Hits<TagHit>
	/** Filters and notes beside the results. */
	tools: SearchTools
	filters: SearchFilter[]
	/** The search in the form that can be saved; null for other kinds. */
	saveable: SaveableSearch | null
	/** Something else to read if there are no results. */
	instead: { questions: QuestionCardView[]; tags: TagView[] } | null
}

/** A suggestion of the switcher. */
export interface SwitcherEntry {
	title: string
	url: string
	/** Shown beside the title. */
	note: string
}

/** The suggestions for a text, without pages of the site, which the browser knows. */
export interface EverythingView {
	conversations: (SwitcherEntry & { username: string; image: string | null })[]
	people: (SwitcherEntry & { username: string; image: string | null })[]
	questions: SwitcherEntry[]
	projects: SwitcherEntry[]
	tags: SwitcherEntry[]
}

/** A search without results. */
export interface MissView {
	words: string
	/** Searches within 90 days. */
	searches: number
	/** The last day, `2026-11-23`. */
	lastDay: string
	/** Whether the words are a term by now. */
	isTerm: boolean
}
