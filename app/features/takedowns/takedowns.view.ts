import { counted } from '~/lib/text.ts'

/* Everything that an account published, hidden in one act. Times are ISO 8601 in UTC. */

export function takedownPath(username: string): string {
	return `/moderation/account/${username}`
}

export const itemKinds = ['query', 'comment', 'question-vote', 'comment-vote', 'request', 'profile'] as const
export type ItemKind = (typeof itemKinds)[number]
export type Counts = Record<ItemKind, number>
export type TakedownState = 'running' | 'done' | 'undoing' | 'undone'

/** From when on what was published is hidden. */
export const periods = ['1 hour', '1 day', '1 week', '1 month', 'all'] as const
export type Period = (typeof periods)[number]

/** How much there is to hide, in the words of the page. */
export interface Amount {
	label: string
	count: number
}

/** What there is of an account in a period. */
export function amountsOf(counts: Counts): Amount[] {
	return [
		{ label: 'Queries', count: counts.query },
		{ label: 'Comments', count: counts.comment },
		{ label: 'Votes', count: counts['question-vote'] + counts['comment-vote'] },
		{ label: 'Message requests that nobody answered', count: counts.request },
		{ label: 'Profile, with its texts and its picture', count: counts.profile },
	]
}

/** What was hidden or restored, as part of a sentence; “nothing” for nothing. */
export function inWords(counts: Partial<Counts>): string {
	const of = (kind: ItemKind) => counts[kind] ?? 0
	const votes = of('question-vote') + of('comment-vote')
	const parts = [
		of('query') > 0 && counted(of('query'), 'query', 'queries'),
		of('comment') > 0 && counted(of('comment'), 'comment'),
		votes > 0 && counted(votes, 'vote'),
		of('request') > 0 && counted(of('request'), 'message request'),
		of('profile') > 0 && 'the profile',
	].filter((part) => part !== false)
	return parts.length === 0 ? 'nothing' : new Intl.ListFormat('en').format(parts)
}

/** An act of the past, or one that is under way. */
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
	/** What was restored when it was undone, in words; '' before. */
	restored: string
	/** Of what is under way: how many things so far. */
	soFar: number
}
