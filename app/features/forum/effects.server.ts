import { dropPages, forumLists, queryPage } from '~/cache/pages.server.ts'
import type { Executor } from '~/db/db.server.ts'
import { announce } from '~/realtime/announce.server.ts'

/* What follows from a change of the forum, in one place, so that no use case forgets a part of it. */

/** The query that something happened to, as it is after it. */
export interface EventQuery {
	id: number
	authorId: number
	title: string
	url: string
	/** Slug. */
	category: string
	tags: string[]
}

interface Happening {
	query: EventQuery
	/** Who did it. */
	actorId: number
}

/** Everything that can happen in the forum. */
export type ForumEvent =
	| (Happening & { kind: 'query-added'; description: string })
	| (Happening & {
			kind: 'query-changed'
			description: string
			/** Where it stood before, as lists of both places change. */
			before: { category: string; tags: string[] }
	  })
	| (Happening & { kind: 'query-deleted' | 'query-restored' })
	| (Happening & { kind: 'comment-added'; commentId: number; parentId: number | null; body: string })
	| (Happening & { kind: 'comment-changed'; commentId: number; body: string })
	| (Happening & { kind: 'comment-deleted' | 'comment-restored'; commentId: number })
	| (Happening & { kind: 'solution-chosen' | 'solution-withdrawn'; commentId: number; authorId: number })
	| (Happening & { kind: 'vote-changed'; commentId: number | null })

/** What must be stored with the change or not at all; called as the last step of its transaction. */
export async function recordEffects(_trx: Executor, _event: ForumEvent): Promise<void> {}

/** What others are told; called after the commit. */
export async function tellEffects(event: ForumEvent): Promise<void> {
	const { query } = event
	await dropPages([forumLists, queryPage(query.id)])
	if (event.kind === 'query-added') announce('forum', 'query:added', { url: query.url })
	if (event.kind === 'comment-added')
		announce(`query:${query.id}`, 'comment:added', { queryId: query.id, commentId: event.commentId })
}
