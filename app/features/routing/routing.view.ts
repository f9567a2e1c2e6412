import { withParams } from '~/lib/addresses.ts'

/* The members whom a question reaches, as pages and the API show them. */

/** Where a member finds what they can answer; its forms go there, too. */
export const ANSWER_PATH = '/answer'

/** The explanation of the opt-in. “Twice” is MAX_ASKED_PER_WEEK in words. */
export const OPT_IN_SENTENCE =
	'You are notified when a new query fits what you know, at most twice a week. The author does not learn that you were asked.'

/** What a member sees about who was asked about a question. */
export interface AskedView {
	/** For the author: how many members were asked; 0 for everybody else. */
	people: number
	/** For a member who was asked: what they know, and whether they said “not me”; null for everybody else. */
	mine: { names: string[]; declined: boolean } | null
}

/** The view of everybody else. */
export const NOBODY_ASKED: AskedView = { people: 0, mine: null }

/** “React”, “React and CSS”, “React, CSS and Node.js” */
export function formatList(names: readonly string[]): string {
	const last = names.at(-1) ?? ''
	return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`
}

/** A question that a member can answer. */
export interface AnswerableView {
	id: number
	/** Path of its page. */
	url: string
	title: string
	/** The beginning as plain text. */
	excerpt: string
	category: { slug: string; title: string }
	author: { username: string; name: string; image: string | null }
	tags: string[]
	/** ISO 8601. */
	createdAt: string
	commentCount: number
	/** The matching skills of the member, best first. */
	because: string[]
}

/** The address of a page of the list. */
export function answerPath(cursor: string | null = null): string {
	return withParams(ANSWER_PATH, { cursor })
}
