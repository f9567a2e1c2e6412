import { conversationsWithUnread } from '~/features/conversations/conversations.queries.server.ts'
import type { NotificationKind, UnseenEvents } from '~/features/notifications/kinds.server.ts'
import { isolated, pluralize, truncateWords } from '~/lib/text.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import {
	type DueRow,
	findLastDue,
	findUnread,
	listDueConversations,
	selectUnread,
	type UnreadConversationRow,
} from './unseen.queries.server.ts'

declare module '~/features/notifications/kinds.server.ts' {
	interface NotificationKinds {
		message: never
	}
}

/**
 * Messages to members who are away. No notifications are stored, as the inbox has the messages: pushes and mails are generated from the
 * conversations. A request is announced without its text.
 */
export const messageKind: NotificationKind = {
	label: 'Messages',
	order: 70,
	words: 'wrote to you',
	always: ['site'],
	source: {
		subjectType: 'conversation',
		tag: 'c',
		noun: 'messages',
		mailSubject: (conversations) => `Unread messages from ${conversations} members`,
		mailReason: 'You get this email because messages stayed unread for ten minutes. Each is mentioned once.',
		findLastDue,
		listDue: async (trx: Executor, after: number, upto: number) =>
			(await listDueConversations(trx, after, upto)).map(unseenOf),
		findPush: async (userId, conversationId) => {
			const row = await findUnread(userId, conversationId)
			if (!row) return undefined
			const { name, count, pending } = row
			return {
				title: !pending && count > 1 ? `${isolated(name)}, ${pluralize(count, 'new message')}` : name,
				body: pending ? REQUEST : excerptOf(row.body),
				url: pathOf(row),
			}
		},
		selectOpen: selectUnread,
		countUnread: conversationsWithUnread,
	},
}

const REQUEST = 'would like to write to you'

function unseenOf(row: DueRow): UnseenEvents {
	const { name, count, pending } = row
	const [url, excerpt] = [pathOf(row), pending ? '' : excerptOf(row.body)]
	return {
		reader: { id: row.user_id, name: row.reader, email: row.email },
		subject: { type: 'conversation', id: row.conversation_id, title: name, url, excerpt },
		headline: pending ? `${isolated(name)} ${REQUEST}` : `${pluralize(count, 'new message')} from ${isolated(name)}`,
		upto: row.newest,
	}
}

const pathOf = ({ username }: UnreadConversationRow) => `/messages/${username}`

/** The beginning of a message on one line. */
function excerptOf(body: string | null): string {
	return truncateWords((body ?? '').replace(/\s+/g, ' ').trim(), 140) || 'A new message'
}
