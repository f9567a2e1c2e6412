import { requireWritingAllowed } from '~/features/accounts/security/suspension.server.ts'
import { lockConversation } from '~/features/conversations/conversations.queries.server.ts'
import { requireConversation, usernamesById } from '~/features/conversations/conversations.server.ts'
import { measureUse } from '~/features/rate-limits/rate-limits.server.ts'
import { isId } from '~/lib/checks.ts'
import { Invalid, NoSuch, NotAllowed, TooManyRequests } from '~/lib/errors.ts'
import { requireSignedIn, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { parseInput } from '~/platform/http/form.server.ts'
import { renderMarkdown } from '~/platform/markdown/render.server.ts'
import { editInput } from '../chat.schema.ts'
import { type ChatMessage, presentMessage } from '../chat.view.ts'
import { announceMessage, announceReliably } from './announcing.server.ts'
import { eraseMessage, findOwnMessage, type MessageRow, updateMessage } from './messages.queries.server.ts'
import { lockWriter } from './storing.server.ts'

interface Which {
	/** Username of the peer. */
	with: unknown
	id: unknown
}

/**
 * Edits an own message of any age; both members see that it was edited. A peer who has blocked the author meanwhile
 * still sees the earlier text.
 * @throws NotFound also for another's message and a deleted one, NotAllowed, Invalid, TooManyRequests
 */
export async function editMessage(viewer: Viewer, which: Which, input: { body?: unknown }): Promise<ChatMessage> {
	const author = requireSignedIn(viewer)
	const { body } = parseInput(editInput, input)
	const { html } = await renderMarkdown(body)
	return change(author, which, async (trx, row, peer) => {
		requireWritingAllowed(await lockWriter(trx, { userId: author.id, sessionId: null }))
		if (peer.blocked_by_me) throw new NotAllowed(`You blocked ${peer.name}. Unblock to write.`)
		if (row.body === body) return row
		if (body === '' && !row.pictures) throw new Invalid('Write something first.', { body: 'Write something first.' })
		return updateMessage(trx, row, { body, html, quietly: peer.blocked_me })
	})
}

/** Deletes an own message for both members; a placeholder stays. @throws NotFound as {@link editMessage} */
export async function deleteMessage(viewer: Viewer, which: Which): Promise<ChatMessage> {
	return change(requireSignedIn(viewer), which, (trx, row) => eraseMessage(trx, row))
}

type Peer = Awaited<ReturnType<typeof requireConversation>>
type Work = (trx: Parameters<typeof eraseMessage>[0], row: MessageRow, peer: Peer) => Promise<MessageRow>

async function change(author: SignedIn, { with: username, id }: Which, work: Work): Promise<ChatMessage> {
	const { id: conversationId } = await requireConversation(author, username)
	await countChange(author)
	const { row, peer } = await db()
		.transaction()
		.execute(async (trx) => {
			await lockConversation(trx, conversationId)
			const found = isId(id) ? await findOwnMessage(author.id, id, trx) : undefined
			if (found?.conversation_id !== conversationId || found.deleted_at) throw new NoSuch('message of yours')
			const pairState = await requireConversation(author, username, trx)
			return { row: await work(trx, found, pairState), peer: pairState }
		})
	await announceReliably(() => announceMessage(author, peer, row))
	return presentMessage(row, author.id, usernamesById(author, peer))
}

/**
 * Counts an edit or a deletion before it is validated, so that refused ones count too.
 * @throws TooManyRequests with the seconds to wait
 */
async function countChange(author: SignedIn): Promise<void> {
	const { exceeded, reset } = await measureUse('messageChanges', author)
	if (exceeded) throw new TooManyRequests(`You changed many messages in a short time. Try again in ${reset} s.`, reset)
}
