import { isId } from '~/lib/checks.ts'
import { Invalid, NotFound } from '~/lib/errors.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { limits } from '../chat.limits.ts'
import { presentMessage } from '../chat.view.ts'
import { conversationWith, member, namesOf } from '../members.server.ts'
import type { ChatMessage, MessageWindow } from '../protocol.ts'
import { listAround, listMessages, listNewer, type MessageRow } from './messages.queries.server.ts'

/** Where in a conversation: at a message, or before or after one. */
export type Place = { around: unknown } | { before: unknown } | { after: unknown }

interface Rows {
	rows: MessageRow[]
	older: boolean
	newer: boolean
}

/**
 * Messages at a place of a conversation, however long ago: two statements.
 * @param limit of messages; `around` shows half of it on either side
 * @throws NotFound also for the place of a message that the viewer does not see, NotAllowed, Invalid
 */
export async function listPlace(
	viewer: Viewer,
	username: unknown,
	place: Place,
	limit: number = limits.page,
): Promise<MessageWindow> {
	const reader = member(viewer)
	const [id] = Object.values(place)
	if (!isId(id)) throw new Invalid('This page of the conversation cannot be found.')
	const row = await conversationWith(reader, username)
	const { rows, older, newer } = await ('around' in place
		? around(row.id, reader.id, id, limit)
		: beside(row.id, reader.id, { id, limit, before: 'before' in place }))
	const names = namesOf(reader, row)
	return { messages: rows.map((one) => presentMessage(one, reader.id, names)), older, newer }
}

/** One message. @throws NotFound also for one that the viewer does not see, NotAllowed */
export async function getMessage(viewer: Viewer, username: unknown, id: unknown): Promise<ChatMessage> {
	const { messages } = await listPlace(viewer, username, { around: id }, 1)
	const found = messages.find((message) => message.id === id)
	if (!found) throw gone()
	return found
}

async function around(conversationId: number, userId: number, id: number, limit: number): Promise<Rows> {
	const each = Math.ceil(limit / 2)
	const { rows } = await listAround(conversationId, userId, { id, each: each + 1 })
	const at = rows.findIndex((row) => row.id === id)
	if (at === -1) throw gone()
	const end = at + each + 1
	return { rows: rows.slice(Math.max(0, at - each), end), older: at > each, newer: rows.length > end }
}

/** The message that is named is the only proof that there is something on its side. */
async function beside(
	conversationId: number,
	userId: number,
	{ id, limit, before }: { id: number; limit: number; before: boolean },
): Promise<Rows> {
	const { rows } = before
		? await listMessages(conversationId, userId, { before: id, limit: limit + 1 })
		: await listNewer(conversationId, userId, { after: id, limit: limit + 1 })
	const shown = rows.slice(0, limit)
	const more = rows.length > limit
	return before ? { rows: shown.reverse(), older: more, newer: true } : { rows: shown, older: true, newer: more }
}

const gone = () => new NotFound('There is no such message here. It may have been in another conversation.')
