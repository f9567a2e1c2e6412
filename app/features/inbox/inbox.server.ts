import { chatLimits } from '~/features/chat/chat.limits.ts'
import { presentPeer, textOfMessage } from '~/features/chat/chat.view.ts'
import type { ConversationSummary } from '~/features/chat/protocol.ts'
import {
	countConversationsWithUnread as countConversations,
	type InboxRow,
	listInbox,
} from '~/features/conversations/conversations.queries.server.ts'
import { requireMember } from '~/features/conversations/members.server.ts'
import { isId } from '~/lib/checks.ts'
import { Invalid } from '~/lib/errors.ts'
import { shortened } from '~/lib/text.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'

interface InboxPage {
	conversations: ConversationSummary[]
	/** What to ask for as `before` to get older ones; null when there are none. */
	next: number | null
}

/** A page of the viewer's conversations, the newest message first. @throws NotAllowed, Invalid */
export async function listConversations(
	viewer: Viewer,
	{ before = null, requests = false }: { before?: unknown; requests?: boolean } = {},
): Promise<InboxPage> {
	const reader = requireMember(viewer)
	if (before !== null && !isId(before)) throw new Invalid('This page of the list no longer exists.')
	const rows = await listInbox(reader.id, { requests, before, limit: chatLimits.inbox + 1 })
	const shown = rows.slice(0, chatLimits.inbox)
	const last = shown.at(-1)
	return {
		conversations: shown.map((row) => summary(row, reader)),
		next: rows.length > chatLimits.inbox && last ? last.last_message_id : null,
	}
}

/** The newest conversations, for the panel of the header, and in how many something is unread. @throws NotAllowed */
export async function listLatest(viewer: Viewer): Promise<{ conversations: ConversationSummary[]; unread: number }> {
	const reader = requireMember(viewer)
	const [rows, unread] = await Promise.all([
		listInbox(reader.id, { requests: false, before: null, limit: chatLimits.latest }),
		countConversations(reader.id),
	])
	return { conversations: rows.map((row) => summary(row, reader)), unread }
}

/** In how many conversations something is unread, muted ones and requests left out; 0 for a visitor. */
export async function countUnreadConversations(viewer: Pick<SignedIn, 'id'> | null): Promise<number> {
	return viewer ? countConversations(viewer.id) : 0
}

function summary(row: InboxRow, reader: SignedIn): ConversationSummary {
	const sender = row.mine ? reader.username : row.username
	const excerpt = shortened(
		textOfMessage({ body: row.body, pictures: row.pictures ?? [] })
			.replace(/\s+/g, ' ')
			.trim(),
		100,
	)
	return {
		peer: presentPeer(row),
		last: { sender, excerpt, sentAt: row.sent_at.toISOString(), deleted: row.deleted },
		unread: row.unread,
		muted: row.muted,
		request: row.pending,
	}
}
