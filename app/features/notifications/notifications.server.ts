import { lockMember } from '~/features/accounts/accounts.queries.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { isId } from '~/lib/checks.ts'
import { Invalid, NotAllowed } from '~/lib/errors.ts'
import { gathered } from '~/lib/gathered.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { decodeTimeCursor, encodeCursor } from '~/platform/http/cursors.ts'
import { announce } from '~/platform/realtime/io.server.ts'
import { doerOf, type NotificationKindName, type NotificationKinds, wordsForEvent } from './kinds.server.ts'
import {
	countMuted,
	countNotified,
	findAttention,
	listNotificationRows,
	listUntold,
	lockBoxes,
	lockBoxOf,
	markNotificationsSeen,
	markRead,
	type NotificationRow,
	type Parts,
	readUnreadOf,
	removeOfActor,
	removeOfParts,
	removeOfSubject,
	removeUnreadOfKind,
	retitle,
	type SubjectRef,
	type Which,
	withoutFreshGroup,
	writeMutedSubject,
} from './notifications.queries.server.ts'
import type { NotificationView, Subject } from './notifications.view.ts'
import { queuePushes } from './push/delivery.server.ts'
import { addNotifications, type NotifiedRow } from './telling.queries.server.ts'

declare module '~/platform/realtime/events.ts' {
	interface ServerEvents {
		/** This member was told something, or read it elsewhere. */
		'notifications:changed': (event: { unread: number }) => void
	}
}

/** A part of a subject, such as a comment of a question. */
interface Part {
	/** As the feature that it belongs to names it. */
	type: string
	id: number
	/** Where it stands on the site. */
	url: string
}

/** What notifications need to know of a subject, and the part of it that something happened in; null for the subject itself. */
export interface NotificationAbout {
	subject: Omit<Subject, 'excerpt'>
	part: Part | null
}

/** One thing that happened, and whom it is told. */
interface NotificationEvent extends NotificationAbout {
	/** Member → the kind it is for them; whoever did it is passed over. */
	people: ReadonlyMap<number, NotificationKindName>
	/** The member who did it. */
	actorId: number
	/** The account that is told to have done it, where that is a pseudonym of the member; who blocks the member is told of it like all others. */
	shownActorId?: number
	/** Whose box is locked along, as they are told of a decision by the same event. */
	besides?: number
	/** A kind that says less: what these members have not read of it, about this subject, gives way. */
	replaces?: NotificationKindName
	/** Whether the part was made by this transaction, so that nobody can have been told of it. */
	isNew?: boolean
}

/** Whose notifications changed, with how many they have not read where the transaction that changed them knows. */
export type Told = number | { userId: number; unread: number }

/**
 * Stores what happened for each of these members, in the transaction of what caused it. It falls into one group by member,
 * kind and subject until that is read. Whoever was told of the same part, or of the subject itself, is not told again.
 * @returns who was told; give them to {@link announceUnread} after the commit
 */
export async function notify(
	trx: Executor,
	{ people, actorId, shownActorId = actorId, subject, part, besides, replaces, isNew = false }: NotificationEvent,
): Promise<Told[]> {
	const asked = [...people.keys()].filter((id) => id !== actorId)
	if (asked.length === 0) return []
	const all = besides === undefined ? asked : [...asked, besides]
	const partId = part?.id ?? null
	// What gives way must not count as told. Otherwise the two statements are begun together, and so travel together.
	const locked = lockBoxes(trx, all, { subject, actorId: shownActorId })
	if (replaces) await removeUnreadOfKind(trx, await locked, { subject, kind: replaces })
	const [boxes, untold] = await Promise.all([locked, isNew ? all : listUntold(trx, all, { subject, partId })])
	const recipients = untold.flatMap((userId) => {
		const kind = people.get(userId)
		if (kind === undefined || !boxes.includes(userId)) return []
		return [{ userId, kind, groupKey: `${kind}:${subject.type}:${subject.id}` }]
	})
	const url = part?.url ?? subject.url
	const values = { actorIds: [shownActorId], act: '', reason: '', subject, partId, url }
	const notified = await addNotifications(trx, recipients, values)
	await queued(trx, notified)
	return notified.map(({ user_id: userId, unread }) => ({ userId, unread }))
}

/** What a moderator decided about a member or a text of theirs. */
export interface DecisionNotification extends NotificationAbout {
	memberId: number
	act: NotificationKinds['moderation']
	why: string
	/** What falls together until it is read, where that is not the subject or its part: “account”, “profile:name”. */
	group?: string
}

/**
 * Tells a member what a moderator decided, whether they are suspended, muted the subject or not. Of several decisions about one
 * thing the last one stands until it is read. @returns as {@link notify}
 */
export async function notifyOfDecision(
	trx: Executor,
	{ memberId, act, why, subject, part, group }: DecisionNotification,
): Promise<number[]> {
	const { type, id, url } = part ?? subject
	const groupKey = `moderation:${group ?? `${type}:${id}`}`
	const users = await lockBoxOf(trx, memberId)
	const recipients = users.map((userId) => ({ userId, kind: 'moderation', groupKey }))
	const values = { actorIds: [], act, reason: why, subject, partId: part?.id ?? null, url }
	return queued(trx, await addNotifications(trx, recipients, values))
}

/** What one member is to know of a subject, whatever else they were told of it. */
export interface FactNotification extends NotificationAbout {
	kind: NotificationKindName
	memberIds: readonly number[]
	/** What falls together until it is read: “comment:7”. */
	group: string
	/** Who did it; left out where that does not matter. */
	actorId?: number
	/** Whether it may come in bursts: whoever was told within the last hour and has not read it is not told again. */
	inBursts?: boolean
}

/**
 * Tells members a fact, those who block who did it, suspended ones and those who muted the subject left out. That it is told once is for whoever calls to see to.
 * @returns as {@link notify}
 */
export async function notifyOfFact(
	trx: Executor,
	{ kind, memberIds, group, actorId, subject, part, inBursts = false }: FactNotification,
): Promise<number[]> {
	if (memberIds.length === 0) return []
	// Nobody has the id 0, so nobody blocks them.
	const boxes = await lockBoxes(trx, [...memberIds], { subject, actorId: actorId ?? 0 })
	const users = inBursts ? await withoutFreshGroup(trx, boxes, `${kind}:${group}`) : boxes
	const url = part?.url ?? subject.url
	const actorIds = actorId === undefined ? [] : [actorId]
	const recipients = users.map((userId) => ({ userId, kind, groupKey: `${kind}:${group}` }))
	const values = { actorIds, act: '', reason: '', subject, partId: part?.id ?? null, url }
	return queued(trx, await addNotifications(trx, recipients, values))
}

/**
 * Takes back what was told about a subject that is gone.
 * @param besides whose box is locked along, as they are told of a decision by the same event
 * @returns whose counters changed, for {@link announceUnread}
 */
export const forgetSubject: (trx: Executor, subject: SubjectRef, besides?: number) => Promise<number[]> =
	removeOfSubject

/**
 * Takes back what was told about a part of a subject that is gone, where it was not read yet.
 * @param part `kind`: only what was told as this, null for everything; `besides` as in {@link forgetSubject}
 * @returns as {@link forgetSubject}
 */
export function forgetPart(
	trx: Executor,
	part: { subject: SubjectRef; partId: number; kind: NotificationKindName | null; besides?: number },
): Promise<number[]> {
	const { subject, partId, ...rest } = part
	return removeOfParts(trx, { subjectType: subject.type, subjectIds: [subject.id], partIds: [partId], ...rest })
}

/** {@link forgetPart} of many parts, of many subjects of one type, everything that was told of them. @returns as {@link forgetSubject} */
export function forgetParts(trx: Executor, parts: Parts): Promise<number[]> {
	return removeOfParts(trx, { ...parts, kind: null })
}

/** How many members were told as a kind of a part of a subject; of the subject itself where `partId` is null. */
export const countTold: (
	trx: Executor,
	kind: NotificationKindName,
	about: { subject: SubjectRef; partId: number | null },
) => Promise<number> = countNotified

/**
 * Takes back what a member was told of somebody whom they block from now on, where they have not read it.
 * @returns as {@link forgetSubject}
 */
export async function forgetActor(trx: Executor, userId: number, actorId: number): Promise<number[]> {
	return (await removeOfActor(trx, userId, actorId)) ? [userId] : []
}

/** Calls a subject by its new title wherever it was told of. */
export const renameSubject: (trx: Executor, subject: SubjectRef, title: string) => Promise<void> = retitle

/** Tells every tab of these members how many notifications they have not read; to be called after the commit. */
export async function announceUnread(told: readonly Told[]): Promise<void> {
	const tell = ({ userId, unread }: { userId: number; unread: number }) =>
		announce(`user:${userId}`, 'notifications:changed', { unread })
	const unknown = told.filter((one) => typeof one === 'number')
	for (const one of told) if (typeof one !== 'number') tell(one)
	if (unknown.length > 0) for (const one of await readUnreadOf(unknown)) tell(one)
}

/** How many notifications the viewer has not read; 0 for a visitor. */
export async function countUnread(viewer: Pick<SignedIn, 'id'> | null): Promise<number> {
	return viewer ? readCount(viewer.id) : 0
}

const readCount = gathered(async (userIds: number[]) => {
	const counts = new Map((await readUnreadOf(userIds)).map(({ userId, unread }) => [userId, unread]))
	return userIds.map((id) => counts.get(id) ?? 0)
})

/**
 * A page of the viewer's own notifications, newest first. What is shown counts as seen, unless a program asks.
 * @throws NotAllowed for a visitor, Invalid for a cursor that is not ours
 */
export async function listNotifications(
	viewer: Viewer,
	{
		unread = false,
		cursor = null,
		limit = 30,
		unseen = false,
	}: { unread?: boolean; cursor?: string | null; limit?: number; unseen?: boolean } = {},
): Promise<{ rows: NotificationView[]; next: string | null }> {
	const { id } = requireSignedIn(viewer)
	const position = cursor ? decodeTimeCursor(cursor) : null
	const found = await listNotificationRows(id, { unread, cursor: position, limit: limit + 1 })
	const shown = found.slice(0, limit)
	const last = shown.at(-1)
	const fresh = unseen ? [] : shown.filter((row) => row.unread).map((row) => row.id)
	if (fresh.length > 0) await markNotificationsSeen(db(), id, fresh)
	return {
		rows: shown.map(present),
		next: found.length > limit && last ? encodeCursor([last.updated_at, last.id]) : null,
	}
}

/** Marks own notifications as read: some, those about a subject, or all. @returns how many are left @throws NotAllowed */
export async function readNotifications(viewer: Viewer, which: Which): Promise<number> {
	const { id } = requireSignedIn(viewer)
	const unread = await db()
		.transaction()
		.execute((trx) => markRead(trx, id, which))
	announce(`user:${id}`, 'notifications:changed', { unread })
	return unread
}

/**
 * The viewer opens a subject: what they were told about it is read.
 * @param isRead false where its page is only asked for ahead
 * @returns whether they muted it; null for a visitor
 */
export async function visitSubject(viewer: Viewer, subject: SubjectRef, isRead = true): Promise<boolean | null> {
	if (!viewer || !isId(subject.id)) return null
	const { muted, waiting } = await findAttention(viewer.id, subject)
	if (waiting && isRead) await readNotifications(viewer, { subject })
	return muted
}

/** Subjects of a type that one member may mute. */
export const MAX_MUTED = 1_000

/**
 * Stops notifications and mails about a subject, or resumes them. That there is such a subject, and that the viewer may see it, is for
 * its feature to check.
 * @param plural what such subjects are called in a refusal: “queries”
 * @throws NotAllowed, Invalid for one too many, TooMany
 */
export async function muteSubject(viewer: Viewer, subject: SubjectRef, muted: boolean, plural: string): Promise<void> {
	const { id } = requireSignedIn(viewer)
	await countUse('toggles', viewer)
	await db()
		.transaction()
		.execute(async (trx) => {
			await lockMember(trx, id)
			if (muted && (await countMuted(trx, id, subject)) >= MAX_MUTED)
				throw new Invalid(`You already mute ${MAX_MUTED.toLocaleString('en')} ${plural}. Unmute one first.`)
			await writeMutedSubject(trx, id, subject, muted)
		})
}

/** Resumes notifications about a subject, within the transaction in which a member asks to be told of it. */
export function resumeSubject(trx: Executor, userId: number, subject: SubjectRef): Promise<void> {
	return writeMutedSubject(trx, userId, subject, false)
}

/** Leaves to jobs what is told in browsers. @returns who was told */
async function queued(trx: Executor, notified: NotifiedRow[]): Promise<number[]> {
	const wanted = notified.filter(({ push }) => push)
	await queuePushes(
		trx,
		wanted.map((row) => ({ userId: row.user_id, about: row.notification_id })),
	)
	return notified.map((row) => row.user_id)
}

function requireSignedIn(viewer: Viewer): SignedIn {
	if (!viewer) throw new NotAllowed('Log in first.')
	return viewer
}

function present(row: NotificationRow): NotificationView {
	const { id, people, title, reason, url, updated_at: at, unread, username, name, image } = row
	const actor = username === null ? null : { username, name: name ?? username, image }
	return { id, actor, by: doerOf(row), people, words: wordsForEvent(row), title, reason, url, at, unread }
}
