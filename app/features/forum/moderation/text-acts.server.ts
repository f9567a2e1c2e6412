import type { EventQuery, ForumEvent } from '~/features/questions/writing/change.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { readAdded } from './added.queries.server.ts'
import type { startsFrom } from './moderation.views.ts'
import {
	type HeldText,
	releaseComment,
	releaseQuery,
	rewordWithheld,
	setLocked,
	trustAuthor,
	withholdComment,
	withholdQuery,
} from './withholding.queries.server.ts'

/** A query or comment that the caller holds, as it stands. */
interface JudgedText {
	kind: 'query' | 'comment'
	id: number
	query: EventQuery
	why: string
	/** The query that this one is merged into; 0 for other acts. */
	into: number
	held: HeldText
}

type Perform = (trx: Executor, actor: SignedIn, text: JudgedText) => Promise<{ event: ForumEvent; note?: string }>

/** What each act does to the text, and what happened by it. The caller has checked that the text stands where the act begins. */
export const textActs: Record<keyof typeof startsFrom, Perform> = {
	async approve(trx, actor, text) {
		await release(trx, text)
		await trustAuthor(trx, text.held.author_id)
		// An edited text was here before: nobody is told of it as of a new one.
		if (text.held.edited) return { event: came(actor, text) }
		return { event: await readAdded(trx, text.kind, text.id, text.query, actor.id) }
	},
	async refuse(trx, actor, text) {
		await rewordWithheld(trx, text.kind, text.id, text.why)
		return { event: went(actor, text) }
	},
	async hide(trx, actor, text) {
		const why = { state: 'hidden', reason: text.why } as const
		if (text.kind === 'query') await withholdQuery(trx, text.id, text.held, why)
		else await withholdComment(trx, text.id, text.query.id, why)
		return { event: went(actor, text) }
	},
	async restore(trx, actor, text) {
		await release(trx, text)
		return { event: came(actor, text) }
	},
	async lock(trx, actor, { id, query }) {
		await setLocked(trx, id, true)
		return { event: { kind: 'query-locked', actorId: actor.id, query } }
	},
	async unlock(trx, actor, { id, query }) {
		await setLocked(trx, id, false)
		return { event: { kind: 'query-unlocked', actorId: actor.id, query } }
	},
	async merge(trx, actor, text) {
		await withholdQuery(trx, text.id, text.held, { state: 'merged', reason: text.why, into: text.into })
		return { event: went(actor, text), note: `into query ${text.into}` }
	},
}

function release(trx: Executor, { kind, id, query }: JudgedText): Promise<void> {
	return kind === 'query' ? releaseQuery(trx, id) : releaseComment(trx, id, query.id)
}

function went(actor: SignedIn, { kind, id, query }: JudgedText): ForumEvent {
	if (kind === 'query') return { kind: 'query-withheld', actorId: actor.id, query }
	return { kind: 'comment-withheld', actorId: actor.id, query, commentId: id }
}

function came(actor: SignedIn, { kind, id, query }: JudgedText): ForumEvent {
	if (kind === 'query') return { kind: 'query-returned', actorId: actor.id, query }
	return { kind: 'comment-returned', actorId: actor.id, query, commentId: id }
}
