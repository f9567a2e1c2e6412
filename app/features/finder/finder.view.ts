import type { Count, MemberView } from '~/features/directory/directory.view.ts'
import type { Saveable } from '~/features/following/following.view.ts'
import type { Page, QuestionCardView } from '~/features/questions/question.view.ts'
import type { SearchTools } from '~/features/search/search.view.ts'
import type { TagView } from '~/features/tags/tags.view.ts'
import type { SearchKind } from './finder.paths.ts'

/** A project that a search found. Texts come as safe HTML with the matches in `<mark>`. */
export interface ProjectHit {
	id: string
	/** Where it stands on its owner's page. */
	url: string
	title: string
	titleHtml: string
	excerptHtml: string
	/** Each with whether it was searched for. */
	stack: { name: string; matched: boolean }[]
	owner: { username: string; name: string; image: string | null }
}

/** A tag that a search found. */
export interface TagHit extends TagView {
	/** Why, where its name does not say so: “another name of it is js”. */
	why: string
}

/** How far results are from what was typed: they have all words; words like them; some of the words. */
export type Nearness = 'all' | 'near' | 'some'

/** Results of one kind, at most a page of them. */
export interface Hits<Row> extends Page<Row> {
	/** How many there are in all; of those that are only near or have some of the words, none. */
	count: Count
	nearness: Nearness
}

/** A filter of the queries that is an operator within the search. */
export interface SearchFilter {
	label: string
	isOn: boolean
	/** The search with it, or without it where it is on. */
	search: string
}

/** What the page of the search is loaded with. */
export interface SearchData {
	q: string
	/** What is shown; null for the best of everything. */
	kind: SearchKind | null
	/** Where the page begins; null for the first. */
	cursor: string | null
	/** The rows of `kind`, which more can be appended to; none where everything is shown. */
	page: Page<QuestionCardView | MemberView | ProjectHit | TagHit>
	questions: Hits<QuestionCardView>
	people: Hits<MemberView>
	/** null for visitors, who see no projects. */
	projects: Hits<ProjectHit> | null
	tags: Hits<TagHit>
	/** What stands beside the results. */
	tools: SearchTools
	filters: SearchFilter[]
	/** The search as it can be saved; null for one of another kind. */
	saveable: Saveable | null
	/** What to look at where nothing was found at all. */
	instead: { questions: QuestionCardView[]; tags: TagView[] } | null
}

/** Something the switcher leads to. */
export interface SwitcherEntry {
	title: string
	url: string
	/** Stands beside the title. */
	note: string
}

/** What the switcher offers for a text, besides the pages of the site, which the browser knows. */
export interface EverythingView {
	conversations: (SwitcherEntry & { username: string; image: string | null })[]
	people: (SwitcherEntry & { username: string; image: string | null })[]
	questions: SwitcherEntry[]
	projects: SwitcherEntry[]
	tags: SwitcherEntry[]
}

/** Words that searches found nothing by. */
export interface MissView {
	words: string
	/** Searches within 90 days. */
	searches: number
	/** The last day, `2026-11-23`. */
	lastDay: string
	/** Whether the words are a term by now. */
	isTerm: boolean
}
