import { pluralize } from '~/lib/text.ts'

/* Takedowns. Times are ISO 8601 in UTC. */

/** The page on which a moderator hides everything of an account. */
export function takedownPath(username: string): string {
	return `/moderation/account/${username}`
}

/** The page on which a moderator hides everything of several accounts. */
export const severalPath = '/moderation/accounts'

/** Accounts that one action may be about, as each is a transaction of the same request. */
export const MAX_ACCOUNTS = 100

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
export function labelledCounts(counts: Partial<ItemCounts>): LabelledCount[] {
	const of = (kind: ItemKind) => counts[kind] ?? 0
	return [
		{ label: 'Queries', count: of('query') },
		{ label: 'Comments', count: of('comment') },
		{ label: 'Votes', count: of('question-vote') + of('comment-vote') },
		{ label: 'Message requests that nobody answered', count: of('request') },
		{ label: 'Profile, with its texts and its picture', count: of('profile') },
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

/** Whether there is anything to hide. */
export function hasItems(counts: ItemCounts): boolean {
	return Object.values(counts).some((count) => count > 0)
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

/** An account of several, what a takedown would hide of it, and its newest takedown. */
export interface AccountView {
	username: string
	name: string
	counts: ItemCounts
	last: { id: number; at: string; actor: string; reason: string; state: TakedownState } | null
}

/** Accounts that are left out, by reason. */
export interface SkippedAccounts {
	why: string
	usernames: string[]
}
