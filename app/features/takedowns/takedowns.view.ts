import { pluralize } from '~/lib/text.ts'

/* Takedowns. Times are ISO 8601 in UTC. */

/** The page on which a moderator hides everything of an account. */
export function takedownPath(username: string): string {
	return `/moderation/account/${username}`
}

export const itemKinds = ['query', 'comment', 'question-vote', 'comment-vote', 'request', 'profile'] as const
export type ItemKind = (typeof itemKinds)[number]
export type ItemCounts = Record<ItemKind, number>
export type TakedownState = 'running' | 'done' | 'undoing' | 'undone'

/** The periods to choose from. */
export const periods = ['1 hour', '1 day', '1 week', '1 month', 'all'] as const
export type Period = (typeof periods)[number]

/** A number of items, with the name that the page gives them. */
export interface LabelledCount {
	label: string
	count: number
}

/** What an account published in a period. */
export function labelledCounts(counts: ItemCounts): LabelledCount[] {
	return [
		{ label: 'Queries', count: counts.query },
		{ label: 'Comments', count: counts.comment },
		{ label: 'Votes', count: counts['question-vote'] + counts['comment-vote'] },
		{ label: 'Message requests that nobody answered', count: counts.request },
		{ label: 'Profile, with its texts and its picture', count: counts.profile },
	]
}

/** Counts in words for a sentence; “nothing” if all are zero. */
export function describeCounts(counts: Partial<ItemCounts>): string {
	const of = (kind: ItemKind) => counts[kind] ?? 0
	const votes = of('question-vote') + of('comment-vote')
	const parts = [
		of('query') > 0 && pluralize(of('query'), 'query', 'queries'),
		of('comment') > 0 && pluralize(of('comment'), 'comment'),
		votes > 0 && pluralize(votes, 'vote'),
		of('request') > 0 && pluralize(of('request'), 'message request'),
		of('profile') > 0 && 'the profile',
	].filter((part) => part !== false)
	return parts.length === 0 ? 'nothing' : new Intl.ListFormat('en').format(parts)
}

/** A takedown, past or in progress. */
export interface TakedownView {
	id: number
	at: string
	/** Username of the moderator. */
	actor: string
	reason: string
	/** null for everything. */
	from: string | null
	suspended: boolean
	state: TakedownState
	/** What it hid, in words. */
	hidden: string
	/** What its undoing restored, in words; '' before. */
	restored: string
	/** The progress, in items. */
	soFar: number
}
