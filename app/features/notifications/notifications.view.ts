/** Channels of notifications: the heading in the settings, and the accessible name of a checkbox below it. */
export const channels = {
	site: { title: 'Site', spoken: 'on the site' },
	mail: { title: 'Email', spoken: 'by email' },
	push: { title: 'Browser', spoken: 'in the browser' },
} as const satisfies Record<string, { title: string; spoken: string }>

export type Channel = keyof typeof channels

export const channelNames = Object.keys(channels) as Channel[]

/** “ and 3 others”, or nothing for a single person. @param people how many acted */
export function andOthers(people: number): string {
	if (people <= 1) return ''
	return people === 2 ? ' and 1 other' : ` and ${people - 1} others`
}

/** A notification for pages. Times are ISO 8601 strings in UTC. */
export interface NotificationView {
	id: number
	/** The last actor; null when they are gone. */
	actor: { username: string; name: string; image: string | null } | null
	/** The actor to show: a name, “A moderator”, or “Somebody”. */
	by: string
	/** Number of actors. */
	people: number
	/** What they did: “commented on”. */
	words: string
	title: string
	/** The moderator's reason; '' for actions of members. */
	reason: string
	url: string
	at: string
	unread: boolean
}

/** Something on the site that members are notified about, that they can report, and that moderators decide about. */
export interface Subject {
	/** A type defined by its feature: `query`, `comment`, `conversation`. */
	type: string
	id: number
	/** For a comment, the title of its question; for a member, their name. */
	title: string
	/** Its address on the site. */
	url: string
	/** The beginning of its text; '' where it has none, or must not be shown. */
	excerpt: string
}
