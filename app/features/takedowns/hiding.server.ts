import { lockConversation } from '~/features/conversations/conversations.queries.server.ts'
import { closeCase } from '~/features/moderation/cases.queries.server.ts'
import { MEMBER_SUBJECT } from '~/features/moderation/moderation.policy.ts'
import { findHiddenAt } from '~/features/profiles/hiding.queries.server.ts'
import { hideProfile, lockHideable, showProfile } from '~/features/profiles/hiding.server.ts'
import { questionTag } from '~/features/questions/questions.events.ts'
import { hideComments, hidePost, restorePost } from '~/features/questions/status/takedown.server.ts'
import { ALL_PAGES, invalidatePages, LIST_PAGES } from '~/platform/cache/pages.server.ts'
import { db } from '~/platform/db/db.server.ts'
import {
	claimItem,
	findStatusAt,
	findTakedown,
	finish,
	hasHiddenProfile,
	type ItemRow,
	insertItem,
	insertTakedownComments,
	listItems,
	listNext,
	lockTakedown,
	removeVotes,
	restoreRequest,
	restoreVotes,
	type TakedownRow,
	type VoteKind,
	withdrawRequest,
} from './takedowns.queries.server.ts'
import type { ItemKind } from './takedowns.view.ts'

/*
 * Carries out a takedown step by step. Each step is a transaction that checks the present state of what it changes, so that processes may
 * be killed, run concurrently, and other changes of the same posts may happen meanwhile.
 */

/** Ids per statement. */
const BATCH = 100
/** Comments hidden per transaction, which bounds the number of locked questions. */
const COMMENTS_AT_ONCE = 50
/** Votes changed per transaction, which bounds the number of locked posts. */
const VOTES_AT_ONCE = 50
/** Above every id. */
const NO_ID = 2_147_483_647

type Step = (takedown: TakedownRow, isLate: () => boolean) => Promise<void>

/** Continues a takedown or its undoing; does nothing if it is complete. @param ms the time limit; the rest is left for another call */
export async function continueTakedown({ id }: { id: number }, ms = Number.POSITIVE_INFINITY): Promise<void> {
	const takedown = await findTakedown(id)
	if (takedown?.state !== 'running' && takedown?.state !== 'undoing') return
	const end = Date.now() + ms
	const isLate = () => Date.now() > end
	// Comments are hidden first and restored last, so that each question is recounted once.
	const steps = takedown.state === 'running' ? hiding : restoring
	for (const step of steps) {
		await step(takedown, isLate)
		if (isLate()) return
	}
	await finish(id, takedown.state)
}

const hiding: Step[] = [
	hideProfileOf,
	hideCommentsOf,
	hideQuestionsOf,
	(takedown, isLate) => moveVotes(takedown, 'question-vote', isLate),
	(takedown, isLate) => moveVotes(takedown, 'comment-vote', isLate),
	withdrawRequests,
]

const restoring: Step[] = [
	showProfileOf,
	(takedown, isLate) => restorePosts(takedown, 'query', isLate),
	(takedown, isLate) => restorePosts(takedown, 'comment', isLate),
	(takedown, isLate) => moveVotes(takedown, 'question-vote', isLate),
	(takedown, isLate) => moveVotes(takedown, 'comment-vote', isLate),
	returnRequests,
]

async function hideProfileOf({ id, member_id: memberId, reason }: TakedownRow): Promise<void> {
	const isHidden = await db()
		.transaction()
		.execute(async (trx) => {
			await lockHideable(trx, memberId)
			if (await hasHiddenProfile(trx, id, memberId)) return false
			if (!(await hideProfile(trx, memberId, reason))) return false
			await closeCase(trx, MEMBER_SUBJECT, memberId)
			await insertItem(trx, id, { kind: 'profile', id: memberId, before: {} })
			return true
		})
	if (isHidden) await invalidatePages([ALL_PAGES])
}

async function showProfileOf({ id, member_id: memberId }: TakedownRow): Promise<void> {
	const isShown = await db()
		.transaction()
		.execute(async (trx) => {
			await lockHideable(trx, memberId)
			const since = await findHiddenAt(trx, memberId)
			return (await claimItem(trx, id, { kind: 'profile', id: memberId, since })) && showProfile(trx, memberId)
		})
	if (isShown) await invalidatePages([ALL_PAGES])
}

async function hideCommentsOf(takedown: TakedownRow, isLate: () => boolean): Promise<void> {
	const { actor_id: by, reason } = takedown
	let ids: number[]
	let before = NO_ID
	do {
		ids = await listNext(takedown, 'comment', before, COMMENTS_AT_ONCE)
		await hideComments({ ids, by, reason }, (trx, hidden) => insertTakedownComments(trx, takedown.id, hidden))
		before = ids.at(-1) ?? 0
	} while (ids.length === COMMENTS_AT_ONCE && !isLate())
}

async function hideQuestionsOf(takedown: TakedownRow, isLate: () => boolean): Promise<void> {
	const { actor_id: by, reason } = takedown
	await eachBelow(
		(before) => listNext(takedown, 'query', before, BATCH),
		isLate,
		(id) =>
			hidePost({ kind: 'query', id, by, reason }, (trx, before) =>
				insertItem(trx, takedown.id, { kind: 'query', id, before: { ...before } }),
			),
	)
}

async function restorePosts(takedown: TakedownRow, kind: 'query' | 'comment', isLate: () => boolean): Promise<void> {
	await eachItem(takedown, kind, isLate, async ({ target_id: id, before }) => {
		const by = takedown.undone_by ?? takedown.actor_id
		await restorePost({ kind, id, by, before }, async (trx) =>
			claimItem(trx, takedown.id, { kind, id, since: await findStatusAt(trx, kind, id) }),
		)
	})
}

/** Removes or restores votes. */
async function moveVotes(takedown: TakedownRow, kind: VoteKind, isLate: () => boolean): Promise<void> {
	const move = takedown.state === 'running' ? removeVotes : restoreVotes
	let moved: Awaited<ReturnType<typeof removeVotes>>
	do {
		moved = await db()
			.transaction()
			.execute(async (trx) => {
				// Another process may work on it, too: without votes left, none is being moved there either.
				await lockTakedown(trx, takedown.id)
				return move(trx, takedown, kind, VOTES_AT_ONCE)
			})
		if (moved.count > 0) await invalidatePages([LIST_PAGES, ...moved.questions.map(questionTag)])
	} while (moved.count > 0 && !isLate())
}

async function withdrawRequests(takedown: TakedownRow, isLate: () => boolean): Promise<void> {
	await eachBelow(
		(before) => listNext(takedown, 'request', before, BATCH),
		isLate,
		(id) =>
			db()
				.transaction()
				.execute(async (trx) => {
					await lockConversation(trx, id)
					const before = await withdrawRequest(trx, id, takedown.member_id)
					if (before) await insertItem(trx, takedown.id, { kind: 'request', id, before })
				}),
	)
}

async function returnRequests(takedown: TakedownRow, isLate: () => boolean): Promise<void> {
	await eachItem(takedown, 'request', isLate, ({ target_id: id, before }) =>
		db()
			.transaction()
			.execute(async (trx) => {
				await lockConversation(trx, id)
				const claimed = await claimItem(trx, takedown.id, { kind: 'request', id, since: before.at })
				if (claimed) await restoreRequest(trx, id, takedown.member_id, before)
			}),
	)
}

/** Processes ids in descending order, in batches. */
async function eachBelow(
	list: (before: number) => Promise<number[]>,
	isLate: () => boolean,
	work: (id: number) => Promise<unknown>,
): Promise<void> {
	let before = NO_ID
	let ids: number[]
	do {
		ids = await list(before)
		for (const id of ids) {
			if (isLate()) return
			await work(id)
		}
		before = ids.at(-1) ?? 0
	} while (ids.length === BATCH)
}

/** Processes the items of a takedown in the order of ids. */
async function eachItem(
	takedown: TakedownRow,
	kind: ItemKind,
	isLate: () => boolean,
	work: (item: ItemRow) => Promise<unknown>,
): Promise<void> {
	let after = 0
	let items: ItemRow[]
	do {
		items = await listItems(takedown.id, kind, after, BATCH)
		for (const item of items) {
			if (isLate()) return
			await work(item)
		}
		after = items.at(-1)?.target_id ?? 0
	} while (items.length === BATCH)
}
