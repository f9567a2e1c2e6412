import { randomUUID } from 'node:crypto'
import { writeBookmark } from '~/features/bookmarks/bookmarks.queries.server.ts'
import { insertMessages } from '~/features/chat/messages/messages.queries.server.ts'
import {
	findConversation,
	lockConversation,
	startConversation,
} from '~/features/conversations/conversations.queries.server.ts'
import { writeSeen } from '~/features/conversations/receipts.queries.server.ts'
import { insertReport } from '~/features/moderation/cases.queries.server.ts'
import { notify } from '~/features/notifications/notifications.server.ts'
import { aboutQuestion } from '~/features/questions/notifying/notifying.server.ts'
import { questionUrl } from '~/features/search/search.view.ts'
import { writeFollow } from '~/features/tags/following.queries.server.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { renderMarkdown } from '~/platform/markdown/render.server.ts'
import {
	backdateDemoMessages,
	backdateDemoNotifications,
	findDemoQuestion,
	findDemoTag,
	listDemoEvents,
} from './demo.queries.server.ts'
import type { DemoConversation, DemoLife } from './demo.schema.ts'

/**
 * Adds conversations, followed tags, bookmarks, notifications and reports, after members and questions.
 * @param ids of the members by username
 * @param now milliseconds since 1970, to which times are relative
 * @throws Error if the data refers to something that the demo does not have
 */
export async function addDemoLife(
	trx: Executor,
	{ conversations, follows, bookmarks, reports }: DemoLife,
	ids: ReadonlyMap<string, number>,
	now: number,
): Promise<void> {
	const idOf = (username: string) => {
		const id = ids.get(username)
		if (id === undefined) throw new Error(`The demo's life names ${username}, who is no demo member.`)
		return id
	}
	// Inboxes are ordered by id, not by time.
	const lastOf = ({ messages }: DemoConversation) => messages.at(-1)?.ago ?? 0
	for (const conversation of conversations.toSorted((one, other) => lastOf(other) - lastOf(one)))
		await addConversation(trx, conversation, idOf, now)
	for (const [username, tags] of Object.entries(follows)) {
		for (const name of tags) await followTag(trx, idOf(username), name)
		await addNotifications(trx, idOf(username))
	}
	for (const { of, title, note } of bookmarks)
		await writeBookmark(trx, idOf(of), { question_id: await findDemoQuestion(trx, title), comment_id: null }, note)
	for (const { by, reason, details, ...about } of reports) {
		const subject =
			'title' in about
				? { kind: 'query', targetId: await findDemoQuestion(trx, about.title) }
				: { kind: 'profile', targetId: idOf(about.member) }
		await insertReport(trx, { ...subject, reporterId: idOf(by), reason, details })
	}
}

async function addConversation(
	trx: Executor,
	{ between: [one, other], messages, unread }: DemoConversation,
	idOf: (username: string) => number,
	now: number,
): Promise<void> {
	const first = messages[0]?.from ?? one
	const second = first === one ? other : one
	await startConversation(trx, idOf(first), idOf(second))
	const conversation = await findConversation(idOf(first), second, trx)
	if (!conversation?.id) throw new Error(`The demo's conversation of ${one} and ${other} could not be begun.`)
	const conversationId = conversation.id
	await lockConversation(trx, conversationId)
	const times = new Map<number, Date>()
	for (const [index, { from, ago, body }] of messages.entries()) {
		const [senderId, peerId] = from === one ? [idOf(one), idOf(other)] : [idOf(other), idOf(one)]
		const { html } = await renderMarkdown(body)
		const sent = { conversationId, senderId, peerId, unseen: false, clientId: randomUUID(), body, html, pictures: [] }
		const row = (await insertMessages(trx, [sent])).get(conversationId)
		if (!row) continue
		times.set(row.id, new Date(now - ago))
		if (index < messages.length - unread)
			await writeSeen(trx, [{ conversationId, userId: peerId, upTo: row.id, read: true }])
	}
	await backdateDemoMessages(trx, times)
}

async function followTag(trx: Executor, userId: number, name: string): Promise<void> {
	await writeFollow(trx, userId, { tagId: await findDemoTag(trx, name) }, true)
}

/** Notifies a member of what others wrote, backdated to that time. */
async function addNotifications(trx: Executor, userId: number): Promise<void> {
	const times = new Map<string, Date>()
	for (const { comment_id, author_id, at, kind, question_id, title, category, username } of await listDemoEvents(
		trx,
		userId,
	)) {
		const url = questionUrl({ category_slug: category, username, id: question_id, title })
		const about = aboutQuestion({ id: question_id, title, url }, comment_id)
		await notify(trx, { people: new Map([[userId, kind]]), actorId: author_id, ...about })
		times.set(`${kind}:${about.subject.type}:${about.subject.id}`, at)
	}
	await backdateDemoNotifications(trx, userId, times)
}
