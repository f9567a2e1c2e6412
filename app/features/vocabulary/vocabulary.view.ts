import type { Term } from '~/features/terms/terms.view.ts'

/* The vocabulary as moderators see it. */

/** The type of these actions' subjects in the log; their cases are the pages of terms. */
export const TERM_SUBJECT = 'term'

export const termActs = ['add', 'rename', 'add-alias', 'remove-alias', 'merge', 'join', 'describe'] as const
export type TermAct = (typeof termActs)[number]

/** The log's words for each action. */
export const actLabels: Record<TermAct, string> = {
	add: 'add to the terms',
	rename: 'rename',
	'add-alias': 'add alias',
	'remove-alias': 'remove alias',
	merge: 'merge',
	join: 'merge',
	describe: 'describe',
}

/** A term in a list. */
export interface TermLine extends Term {
	/** The number of profiles and questions with it. */
	uses: number
	/** Other spellings, at most 6. */
	aliases: string[]
}

/** A word in use that is not a term. */
export interface NewWord {
	word: string
	/** The number of profiles, projects and questions with it. */
	uses: number
	/** A term with a similar spelling, which may be meant. */
	similar: Term | null
}

/** A term with the data of its page. */
export interface TermPageView extends Term {
	description: string
	aliases: string[]
	parents: Term[]
	children: Term[]
	/** Its uses in words: “12 profiles”. */
	uses: string[]
}

/** The preview of an action. */
export interface ActPreview {
	act: TermAct
	/** The form's fields, to be submitted again. */
	fields: Record<string, string>
	/** The term that remains. */
	term: Term
	/** What would be respelled: “12 profiles”. */
	changes: string[]
}

/** The page on which moderators change a term. */
export function termPath(id: number): string {
	return `/moderation/term/${id}`
}

export const termsPath = '/moderation/terms'

/** The page that makes a word a term or a spelling. */
export function newTermPath(word = ''): string {
	return `/moderation/terms/new${word && `?${new URLSearchParams({ word })}`}`
}
