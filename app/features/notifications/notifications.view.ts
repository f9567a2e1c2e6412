import type { Channel } from './channels.ts'
import type { NoticeKind } from './kinds.server.ts'

/** What pages are told of a notice. Times are ISO 8601 strings in UTC. */
export interface NoticeView {
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

/** Whether a member wants to be told of one kind, by each way. */
export interface PreferenceView extends Record<Channel, boolean> {
	kind: NoticeKind
	label: string
	/** The channels that cannot be turned off. */
	always: readonly Channel[]
}
