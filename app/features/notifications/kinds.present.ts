/*
 * Everything that a member can be told of, and by which ways. A new kind is a line here; the table, the list, the settings and
 * the mail need no other change. A new way is a line here and a column of `notification_preferences`.
 */

interface Kind {
	/** In the settings. */
	label: string
	/** Between who did it and what it was done to: “Mira **commented on** Why does …”. */
	words: string
	/** The ways by which it is told in any case. */
	always?: readonly Channel[]
}

/** The ways of telling: a heading in the settings, and how a reader who hears the page is told of a box below it. */
export const channels = {
	site: { title: 'Site', spoken: 'on the site' },
	mail: { title: 'Email', spoken: 'by email' },
	push: { title: 'Browser', spoken: 'in the browser' },
} as const satisfies Record<string, { title: string; spoken: string }>

export type Channel = keyof typeof channels

export const channelNames = Object.keys(channels) as Channel[]

export const kinds = {
	comment: { label: 'Comments on my queries', words: 'commented on' },
	reply: { label: 'Replies to my comments', words: 'replied to you in' },
	mention: { label: 'Mentions of my name', words: 'mentioned you in' },
	solution: { label: 'My comment marked as a solution', words: 'marked your comment as a solution to' },
	moderation: { label: 'Decisions of moderators about me', words: 'decided about' },
	followed: { label: 'New queries in tags and categories I follow', words: 'asked' },
	// No row of the table of notices: the chat keeps its own.
	message: { label: 'Messages', words: 'wrote to you', always: ['site'] },
} as const satisfies Record<string, Kind>

export type NoticeKind = keyof typeof kinds

export const kindNames = Object.keys(kinds) as NoticeKind[]

/** Whether a member is told of this kind by this way in any case. */
export function isAlways(kind: NoticeKind, channel: Channel): boolean {
	const { always = [] }: Kind = kinds[kind]
	return always.includes(channel)
}

/** What moderators decide about a member, in the words that stand before the title of the query. */
const decisions = {
	'hide query': 'hid your query',
	'hide comment': 'hid your comment on',
	'restore query': 'restored your query',
	'restore comment': 'restored your comment on',
	'approve query': 'approved your query',
	'approve comment': 'approved your comment on',
	'refuse query': 'rejected your query',
	'refuse comment': 'rejected your comment on',
	'lock query': 'locked your query',
	'unlock query': 'unlocked your query',
	'merge query': 'merged your query into another one:',
	'hide profile': 'hid the texts and the picture of your profile',
	'restore profile': 'restored your profile',
	'clean profile': 'removed from your profile:',
	suspend: 'suspended your account',
	lift: 'lifted the suspension of your account',
} as const satisfies Record<string, string>

export type Decision = keyof typeof decisions

/** What happened, in the words of its kind; a row of a kind that was since removed still reads as a sentence. */
export function wordsOf({ kind, act }: { kind: string; act: string }): string {
	if (act in decisions) return decisions[act as Decision]
	return kind in kinds ? kinds[kind as NoticeKind].words : 'did something in'
}

/** Who did it. Moderators decide as such: which of them it was is for admins to know. @param name null when they are gone */
export function doerOf({ kind, name }: { kind: string; name: string | null }): string {
	return kind === 'moderation' ? 'A moderator' : (name ?? 'Somebody')
}

/** “ and 3 others”, or nothing for one person alone. @param people how many did it */
export function others(people: number): string {
	if (people <= 1) return ''
	return people === 2 ? ' and 1 other' : ` and ${people - 1} others`
}
