/** The ways of telling: a heading in the settings, and how a reader who hears the page is told of a box below it. */
export const channels = {
	site: { title: 'Site', spoken: 'on the site' },
	mail: { title: 'Email', spoken: 'by email' },
	push: { title: 'Browser', spoken: 'in the browser' },
} as const satisfies Record<string, { title: string; spoken: string }>

export type Channel = keyof typeof channels

export const channelNames = Object.keys(channels) as Channel[]

/** “ and 3 others”, or nothing for one person alone. @param people how many did it */
export function others(people: number): string {
	if (people <= 1) return ''
	return people === 2 ? ' and 1 other' : ` and ${people - 1} others`
}

/** What pages are told of a notification. Times are ISO 8601 strings in UTC. */
export interface NotificationView {
	id: number
	/** The last one who did it; null when they are gone. */
	actor: { username: string; name: string; image: string | null } | null
	/** Who did it as it is to be read: the name of the actor, “A moderator”, or “Somebody”. */
	by: string
	/** How many people did it, the actor included. */
	people: number
	/** What they did: “commented on”. */
	words: string
	title: string
	/** Why, in a moderator's words; '' for what members do. */
	reason: string
	url: string
	at: string
	unread: boolean
}

/** Something on the site that members are told about, that they can report and that moderators decide about. */
export interface Subject {
	/** As the feature that it belongs to names it: `query`, `comment`, `conversation`. */
	type: string
	id: number
	/** Of a comment the title of what it stands under; of a member their name. */
	title: string
	/** Where it stands on the site. */
	url: string
	/** How its text begins; '' where it has no text, or it is not to be shown. */
	excerpt: string
}
