import { lockMember } from '~/features/accounts/accounts.queries.server.ts'
import { countUse } from '~/features/accounts/security/rates.server.ts'
import { isId } from '~/lib/checks.ts'
import { Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import { gathered } from '~/lib/gathered.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { decodeTimeCursor, encodeCursor } from '~/platform/http/cursors.ts'
import { announce } from '~/platform/realtime/announce.server.ts'
import { doerOf, type NoticeKind, type NotificationKinds, wordsOf } from './kinds.server.ts'
import { findThread, listRows, type NoticeRow, readUnreadOf } from './notifications.queries.server.ts'
import type { NoticeView } from './notifications.view.ts'
import { queuePushes } from './push/queue.server.ts'
import {
	addNotices,
	countMuted,
	listUntold,
	lockBoxes,
	lockBoxOf,
	markRead,
	markSeen,
	removeOfActor,
	removeOfComment,
	removeOfQuestion,
	removeReadBefore,
	retitle,
	setMuted,
	type ToldRow,
	type Which,
} from './writing.queries.server.ts'

declare module '~/platform/realtime/events.ts' {
	interface ServerEvents {
		/** This member was told something, or read it elsewhere. */
		'notifications:changed': (event: { unread: number }) => void
	}
}

/** One thing that happened, and whom it is told. */
export interface Notice {
	/** Member → the kind it is for them; whoever did it is passed over. */
	people: ReadonlyMap<number, NoticeKind>
	actorId: number
	query: { id: number; title: string }
	commentId: number | null
	url: string
	/** Whose box is locked along, as they are told of a decision by the same event. */
	besides?: number
}

/**
 * Stores what happened for each of these members, in the transaction of what caused it. It falls into one group by member,
 * kind and query until that is read. Whoever was told of the same comment, or of the query itself, is not told again.
 * @returns who was told; give them to {@link announceUnread} after the commit
 */
export async function notify(
	trx: Executor,
	{ people, actorId, query, commentId, url, besides }: Notice,
): Promise<number[]> {
	const asked = [...people.keys()].filter((id) => id !== actorId)
	if (asked.length === 0) return []
	const about = { questionId: query.id, actorId }
	const boxes = await lockBoxes(trx, besides === undefined ? asked : [...asked, besides], about)
	const untold = await listUntold(trx, boxes, { questionId: query.id, commentId })
	const told: ToldRow[] = []
	for (const kind of new Set(people.values())) {
		const groupKey = `${kind}:${query.id}`
		const users = untold.filter((id) => people.get(id) === kind)
		if (users.length === 0) continue
		const notice = {
			kind,
			groupKey,
			actorIds: [actorId],
			act: '',
			reason: '',
			questionId: query.id,
			commentId,
			title: query.title,
			url,
		}
		told.push(...(await addNotices(trx, users, notice)))
	}
	return pushed(trx, told)
}

/** What a moderator decided about a member or a text of theirs. */
export interface DecisionNotice {
	memberId: number
	act: NotificationKinds['moderation']
	why: string
	/** Null for a decision about the account. */
	query: { id: number; title: string } | null
	commentId: number | null
	url: string
	/** Where it is about no query: what it is about, for readers, and for what falls together until it is read. */
	title?: string
	about?: string
}

/**
 * Tells a member what a moderator decided, whether they are suspended, muted the query or not. Of several decisions about one
 * thing the last one stands until it is read. @returns as {@link notify}
 */
export async function notifyOfDecision(
	trx: Executor,
	{ memberId, act, why, query, commentId, url, title = '', about: named = 'account' }: DecisionNotice,
): Promise<number[]> {
	const about = query === null ? named : commentId === null ? `query:${query.id}` : `comment:${commentId}`
	const facts = { kind: 'moderation', groupKey: `moderation:${about}`, actorIds: [], act, reason: why, commentId, url }
	const users = await lockBoxOf(trx, memberId)
	return pushed(
		trx,
		await addNotices(trx, users, { ...facts, questionId: query?.id ?? null, title: query?.title ?? title }),
	)
}

/**
 * Takes back what was told about a query that is gone.
 * @param besides whose box is locked along, as they are told of a decision by the same event
 * @returns whose counters changed, for {@link announceUnread}
 */
export const forgetQuestion: (trx: Executor, questionId: number, besides?: number) => Promise<number[]> =
	removeOfQuestion

/**
 * Takes back what was told about a comment that is gone, where it was not read yet.
 * @param kind only what was told as this; null for everything
 * @param besides as in {@link forgetQuestion}
 * @returns as {@link forgetQuestion}
 */
export const forgetComment: (
	trx: Executor,
	commentId: number,
	kind: NoticeKind | null,
	besides?: number,
) => Promise<number[]> = removeOfComment

/**
 * Takes back what a member was told of somebody whom they block from now on, where they have not read it.
 * @returns as {@link forgetQuestion}
 */
export async function forgetActor(trx: Executor, userId: number, actorId: number): Promise<number[]> {
	return (await removeOfActor(trx, userId, actorId)) ? [userId] : []
}

/** Calls a query by its new title wherever it was told of. */
export const renameQuestion: (trx: Executor, questionId: number, title: string) => Promise<void> = retitle

/** Tells every tab of these members how many notices they have not read; to be called after the commit. */
export async function announceUnread(userIds: readonly number[]): Promise<void> {
	if (userIds.length === 0) return
	for (const { userId, unread } of await readUnreadOf([...userIds]))
		announce(`user:${userId}`, 'notifications:changed', { unread })
}

/** How many notices the viewer has not read; 0 for a visitor. */
export async function countUnread(viewer: Pick<SignedIn, 'id'> | null): Promise<number> {
	return viewer ? readCount(viewer.id) : 0
}

const readCount = gathered(async (userIds: number[]) => {
	const counts = new Map((await readUnreadOf(userIds)).map(({ userId, unread }) => [userId, unread]))
	return userIds.map((id) => counts.get(id) ?? 0)
})

/**
 * A page of the viewer's own notices, newest first. What is shown counts as seen, unless a program asks.
 * @throws NotAllowed for a visitor, Invalid for a cursor that is not ours
 */
export async function listNotices(
	viewer: Viewer,
	{
		unread = false,
		cursor = null,
		limit = 30,
		unseen = false,
	}: { unread?: boolean; cursor?: string | null; limit?: number; unseen?: boolean } = {},
): Promise<{ rows: NoticeView[]; next: string | null }> {
	const { id } = member(viewer)
	const place = cursor ? decodeTimeCursor(cursor) : null
	const found = await listRows(id, { unread, cursor: place, limit: limit + 1 })
	const shown = found.slice(0, limit)
	const last = shown.at(-1)
	const fresh = unseen ? [] : shown.filter((row) => row.unread).map((row) => row.id)
	if (fresh.length > 0) await markSeen(db(), id, fresh)
	return {
		rows: shown.map(present),
		next: found.length > limit && last ? encodeCursor([last.updated_at, last.id]) : null,
	}
}

/** Marks own notices as read: some, those about a query, or all. @returns how many are left @throws NotAllowed */
export async function readNotices(viewer: Viewer, which: Which): Promise<number> {
	const { id } = member(viewer)
	const unread = await db()
		.transaction()
		.execute((trx) => markRead(trx, id, which))
	announce(`user:${id}`, 'notifications:changed', { unread })
	return unread
}

/** The viewer reads a query: what they were told about it is read. @returns whether they muted it; null for a visitor */
export async function visitThread(viewer: Viewer, questionId: number): Promise<boolean | null> {
	if (!viewer || !isId(questionId)) return null
	const { muted, waiting } = await findThread(viewer.id, questionId)
	if (waiting) await readNotices(viewer, { questionId })
	return muted
}

/** Questions that one member may mute. */
export const MAX_MUTED_THREADS = 1_000

/** Stops notices and mails about a query, or resumes them. @throws NotAllowed, NotFound, Invalid for one too many, TooMany */
export async function muteThread(viewer: Viewer, questionId: number, muted: boolean): Promise<void> {
	const { id } = member(viewer)
	await countUse('marks', viewer)
	try {
		await db()
			.transaction()
			.execute(async (trx) => {
				await lockMember(trx, id)
				if (muted && (await countMuted(trx, id, questionId)) >= MAX_MUTED_THREADS)
					throw new Invalid(`You already mute ${MAX_MUTED_THREADS.toLocaleString('en')} queries. Unmute one first.`)
				await setMuted(trx, id, questionId, muted)
			})
	} catch (error) {
		if ((error as { code?: string }).code === '23503') throw new NotFound('There is no such query.')
		throw error
	}
}

const keptFor = 180 * 86_400_000

/** Deletes what was read half a year ago, some at a time. @returns how many */
export async function sweepNotices(): Promise<number> {
	return removeReadBefore(db(), new Date(Date.now() - keptFor), 10_000)
}

/** Leaves to jobs what is told in browsers. @returns who was told */
async function pushed(trx: Executor, told: ToldRow[]): Promise<number[]> {
	const wanted = told.filter(({ push }) => push)
	await queuePushes(
		trx,
		'push-notice',
		wanted.map((row) => ({ userId: row.user_id, about: row.notice_id })),
	)
	return told.map((row) => row.user_id)
}

function member(viewer: Viewer): SignedIn {
	if (!viewer) throw new NotAllowed('Log in first.')
	return viewer
}

function present(row: NoticeRow): NoticeView {
	const { id, people, title, reason, url, updated_at: at, unread, username, name, image } = row
	const actor = username === null ? null : { username, name: name ?? username, image }
	return { id, actor, by: doerOf(row), people, words: wordsOf(row), title, reason, url, at, unread }
}
