import { batched, pipelinedTransaction } from '~/platform/db/transaction.server.ts'
import {
	type LockOptions,
	listConversationsWithUnread,
	listPairStates,
	type PairStateRow,
	type UnreadConversations,
} from './conversations.queries.server.ts'
import { lockConversationsOfReceipts, type Receipt, type SeenRow, writeSeen } from './receipts.queries.server.ts'

/** Both undefined where nothing changed. */
interface Noted {
	peer?: PairStateRow
	seen?: SeenRow | undefined
	/** The reader's number of conversations with unread messages, if it was counted after the commit. */
	counted?: UnreadConversations | undefined
}

/** Stores a receipt; those of the same moment share a transaction, as messages do. */
export const storeReceipt = batched({
	together: (receipts: Receipt[]) => noteTogether(receipts, { skipLocked: true }),
	alone: async (receipt): Promise<Noted> => {
		const [outcome] = await noteTogether([receipt], { skipLocked: false })
		return outcome?.answer ?? {}
	},
	keysOf: ({ userId, username }) => [`${userId} ${username}`],
})

/**
 * Two statements read, one writes, one counts. Null where the conversation was skipped because it is locked. A member whom the reader
 * blocks is not told what the reader reads, so no receipt is stored before the block ends.
 */
function noteTogether(receipts: Receipt[], locking: LockOptions): Promise<({ answer: Noted } | null)[]> {
	return pipelinedTransaction(async (trx, last, after) => {
		const [locked, peers] = await Promise.all([
			lockConversationsOfReceipts(trx, receipts, locking),
			listPairStates(trx, receipts),
		])
		const noted: ({ answer: Noted } | null)[] = receipts.map(() => ({ answer: {} }))
		const held = receipts.flatMap(({ userId, upTo, read }, index) => {
			const [peer, conversationId] = [peers[index], locked[index]]
			if (!peer?.id || peer.blocked_by_me || (read && peer.read_id >= upTo)) return []
			if (conversationId === undefined) noted[index] = null
			return conversationId === undefined ? [] : [{ index, peer, conversationId, userId, upTo, read }]
		})
		if (held.length === 0) return noted
		const readers = held.some(({ read }) => read) ? held.map(({ userId }) => userId) : []
		const [seen, counts] = await Promise.all([
			last(writeSeen(trx, held)),
			readers.length > 0 ? after(() => listConversationsWithUnread(trx, readers)) : [],
		])
		for (const [place, { index, peer }] of held.entries())
			noted[index] = { answer: { peer, seen: seen[place], counted: counts?.[place] } }
		return noted
	})
}
