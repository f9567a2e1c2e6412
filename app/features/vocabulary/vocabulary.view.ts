import type { Term } from '~/features/terms/terms.view.ts'

/* The vocabulary as moderators see it. */

/** What the log calls the subject of these acts; its cases are the pages of terms. */
export const TERM_SUBJECT = 'term'

export const termActs = ['add', 'rename', 'add-alias', 'remove-alias', 'merge', 'join', 'describe'] as const
export type TermAct = (typeof termActs)[number]

/** What the log says of each act. */
export const actWords: Record<TermAct, string> = {
	add: 'add to the terms',
	rename: 'rename',
	'add-alias': 'add alias',
	'remove-alias': 'remove alias',
	merge: 'merge',
	join: 'merge',
	describe: 'describe',
}

/** A term of the list. */
export interface TermLine extends Term {
	/** Profiles and questions that have it. */
	uses: number
	/** Other spellings, at most 6. */
	aliases: string[]
}

/** A word that members use and that is no term. */
export interface NewWord {
	word: string
	/** Profiles, projects and questions that have it. */
	uses: number
	/** A term that may be meant: it is spelt nearly alike. */
	similar: Term | null
}

/** A term with all that its page shows. */
export interface TermPageView extends Term {
	description: string
	aliases: string[]
	parents: Term[]
	children: Term[]
	/** “12 profiles”, of what has it. */
	uses: string[]
}

/** What an act would do, before it is carried out. */
export interface ActPreview {
	act: TermAct
	/** As it was sent, to be sent again. */
	fields: Record<string, string>
	/** The term that stays. */
	term: Term
	/** “12 profiles”, of what would be written again. */
	changes: string[]
}

export function termPath(id: number): string {
	return `/moderation/term/${id}`
}

export const termsPath = '/moderation/terms'

/** Where a word becomes a term or a spelling of one. */
export function newTermPath(word = ''): string {
	return `/moderation/terms/new${word && `?${new URLSearchParams({ word })}`}`
}
