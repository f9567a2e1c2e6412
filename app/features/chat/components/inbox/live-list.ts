import { textOfHtml } from '~/lib/html.ts'
import type { ServerEvents } from '~/platform/realtime/events.ts'
import { wordsOf } from '../../pictures/words.ts'
import type { ConversationSummary } from '../../protocol.ts'

type Heard = Parameters<ServerEvents['chat:message']>[0]

const excerptLength = 100

/**
 * A list of conversations after a message was added, edited or deleted: the conversation shows it and moves to the top.
 * @returns null when the list cannot know, and must be asked for again
 */
export function withMessage(list: ConversationSummary[], heard: Heard): ConversationSummary[] | null {
	const known = list.find(({ peer }) => peer.username === heard.with)
	if (!known) return null
	const { sender, sentAt, deleted } = heard.message
	const then = known.last?.sentAt ?? ''
	// An older message was changed: nothing of it is in the list.
	if (sentAt < then) return list.map((each) => (each === known ? { ...each, unread: heard.unread } : each))
	const { html, pictures } = heard.message
	const excerpt = wordsOf({ body: textOfHtml(html), pictures }).slice(0, excerptLength)
	const changed = { ...known, unread: heard.unread, last: { sender, excerpt, sentAt, deleted } }
	if (sentAt === then) return list.map((each) => (each === known ? changed : each))
	return [changed, ...list.filter((each) => each !== known)]
}

/** A list after its reader has read a conversation, here or elsewhere. */
export function withRead(list: ConversationSummary[], peer: string, unread: number): ConversationSummary[] {
	return list.map((each) => (each.peer.username === peer ? { ...each, unread } : each))
}

/** A list after its reader has read all of these conversations at once. */
export function withAllRead(list: ConversationSummary[], peers: string[]): ConversationSummary[] {
	return list.map((each) => (peers.includes(each.peer.username) ? { ...each, unread: 0 } : each))
}
