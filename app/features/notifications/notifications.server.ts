import { hasSeveralProcesses } from '~/config.server.ts'
import { lockMember } from '~/features/accounts/accounts.queries.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { batchCalls } from '~/lib/batch-calls.ts'
import { isId } from '~/lib/checks.ts'
import { Invalid, NoSuch } from '~/lib/errors.ts'
import { requireSignedIn, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { SendLast } from '~/platform/db/transaction.server.ts'
import { decodeTimeCursor, type Page, pageOf } from '~/platform/http/cursors.ts'
import type { Counted } from '~/platform/realtime/events.ts'
import { announce } from '~/platform/realtime/io.server.ts'
import { actorNameOf, type NotificationKindName, type NotificationKinds, textOfEvent } from './kinds.server.ts'
import {
	type AlsoLocked,
	countNotified,
	findNotificationUrl,
	findSubjectState,
	listNotificationRows,
	listUnnotified,
	lockRecipient,
	lockRecipients,
	markNotificationsSeen,
	markRead,
	type NotificationRow,
	type NotificationSelection,
	readUnreadOf,
	removeOfActor,
	removeOfKinds,
	removeOfParts,
	removeOfSubject,
	removeUnreadOfKind,
	type SubjectParts,
	type SubjectRef,
	type SubjectRemoval,
	updateSubjectTitle,
	withoutRecentGroup,
} from './notifications.queries.server.ts'
import type { NotificationView, Subject } from './notifications.view.ts'
import { countMuted, writeMutedSubject } from './preferences.queries.server.ts'
import { queuePushes } from './push/delivery.server.ts'
import { addNotifications, type NotifiedRow } from './storing.queries.server.ts'

declare module '~/platform/realtime/events.ts' {
	interface ServerEvents {
		/** This member was notified, or read notifications elsewhere. */
		'notifications:changed': (event: Counted & { unread: number }) => void
	}
}

/** A part of a subject, such as a comment of a question. */
interface Part {
	/** A type defined by the feature. */
	type: string
	id: number
	/** Its address on the site. */
	url: string
}

/** A subject, and the part of it where something happened; null for the subject itself. */
export interface NotificationAbout {
	subject: Omit<Subject, 'excerpt'>
	part: Part | null
}

/** An event and who is notified of it. */
interface NotificationEvent extends NotificationAbout {
	/** Member → the kind of notification; the actor is skipped. */
	people: ReadonlyMap<number, NotificationKindName>
	/** The acting member. */
	actorId: number
	/** The account shown as the actor, where that is a pseudonym; blocks do not apply to it. */
	shownActorId?: number
	/** A member whose box is locked, too, as they are notified of a decision in the same transaction. */
	alsoLocked?: number
	/** A less specific kind: unread notifications of it about this subject are replaced. */
	replaces?: NotificationKindName
	/** Whether the part was created by this transaction, so that nobody can have been notified of it. */
	isNew?: boolean
}

/** A member whose notifications changed, with the number of unread ones where the transaction that changed them knows it. */
export type NotifiedMember = number | { userId: number; unread: number }

/**
 * Stores an event for each of these members, in the transaction of its cause. Events of the same member, kind and subject form one
 * group until it is read. Members already notified of the same part, or of the subject itself, are skipped.
 * @param last sends COMMIT with the last statement, where the transaction does nothing after this; pushes are queued before COMMIT
 * @returns who was notified; pass them to {@link announceUnread} after the commit
 */
export async function notify(
	trx: Executor,
	{ people, actorId, shownActorId = actorId, subject, part, alsoLocked, replaces, isNew = false }: NotificationEvent,
	last?: SendLast,
): Promise<NotifiedMember[]> {
	const asked = [...people.keys()].filter((id) => id !== actorId)
	if (asked.length === 0) return last ? last(Promise.resolve([])) : []
	const all = alsoLocked === undefined ? asked : [...asked, alsoLocked]
	const partId = part?.id ?? null
	// Replaced notifications must not count as sent, so they are removed first. Otherwise both statements are pipelined into
	// one round trip.
	const locked = lockRecipients(trx, all, { subject, actorId: shownActorId })
	if (replaces) await removeUnreadOfKind(trx, [...(await locked).keys()], { subject, kind: replaces })
	const [boxes, unnotified] = await Promise.all([locked, isNew ? all : listUnnotified(trx, all, { subject, partId })])
	const recipients = unnotified.flatMap((userId) => {
		const kind = people.get(userId)
		if (kind === undefined || !boxes.has(userId)) return []
		return [{ userId, kind, groupKey: `${kind}:${subject.type}:${subject.id}` }]
	})
	const url = part?.url ?? subject.url
	const values = { actorIds: [shownActorId], act: '', reason: '', subject, partId, url }
	const adding = addNotifications(trx, recipients, values)
	// A browser that subscribes meanwhile has the site open, and needs no push.
	const mayPush = [...boxes.values()].includes(true)
	const notified = await (last && !mayPush ? last(adding) : adding)
	if (mayPush) await queued(trx, notified)
	return notified.map(({ user_id: userId, unread }) => ({ userId, unread }))
}

/** A moderator's decision about a member or a text of theirs. */
export interface DecisionNotification extends NotificationAbout {
	memberId: number
	act: NotificationKinds['moderation']
	why: string
	/** Decisions of the same group are shown as one until read; by default the subject or its part: “account”, “profile:name”. */
	group?: string
}

/**
 * Notifies a member of a moderator's decision, even if they are suspended or muted the subject. Of several decisions in one group,
 * the last one is shown. @returns as {@link notify}
 */
export async function notifyOfDecision(
	trx: Executor,
	{ memberId, act, why, subject, part, group }: DecisionNotification,
): Promise<number[]> {
	const { type, id, url } = part ?? subject
	const groupKey = `moderation:${group ?? `${type}:${id}`}`
	const users = await lockRecipient(trx, memberId)
	const recipients = users.map((userId) => ({ userId, kind: 'moderation', groupKey }))
	const values = { actorIds: [], act, reason: why, subject, partId: part?.id ?? null, url }
	return queued(trx, await addNotifications(trx, recipients, values))
}

/** A notification independent of others about the same subject. */
export interface FactNotification extends NotificationAbout {
	kind: NotificationKindName
	memberIds: readonly number[]
	/** Notifications of the same group are shown as one until read: “comment:7”. */
	group: string
	/** The actor, where it matters. */
	actorId?: number
	/** Whether it may come in bursts: members notified within the last hour who have not seen it are skipped. */
	inBursts?: boolean
}

/**
 * Notifies members of a fact, except those who block the actor, are suspended or muted the subject. The caller makes sure that it
 * happens once.
 * @returns as {@link notify}
 */
export async function notifyOfFact(
	trx: Executor,
	{ kind, memberIds, group, actorId, subject, part, inBursts = false }: FactNotification,
): Promise<number[]> {
	if (memberIds.length === 0) return []
	const locked = await lockRecipients(trx, [...memberIds], { subject, actorId: actorId ?? null })
	const boxes = [...locked.keys()]
	const users = inBursts ? await withoutRecentGroup(trx, boxes, `${kind}:${group}`) : boxes
	const url = part?.url ?? subject.url
	const actorIds = actorId === undefined ? [] : [actorId]
	const recipients = users.map((userId) => ({ userId, kind, groupKey: `${kind}:${group}` }))
	const values = { actorIds, act: '', reason: '', subject, partId: part?.id ?? null, url }
	return queued(trx, await addNotifications(trx, recipients, values))
}

/**
 * Deletes notifications about a subject that is gone.
 * @param how `alsoLocked`: a member who is notified of a decision in the same transaction
 * @returns whose counters changed, for {@link announceUnread}
 */
export const forgetSubject: (trx: Executor, subject: SubjectRef, how?: SubjectRemoval) => Promise<number[]> =
	removeOfSubject

/**
 * Deletes unread notifications about a part of a subject that is gone.
 * @param part `kinds`: only of these kinds, null for all; `alsoLocked`: who is notified in the same transaction
 * @returns as {@link forgetSubject}
 */
export function forgetPart(
	trx: Executor,
	part: { subject: SubjectRef; partId: number; kinds: NotificationKindName[] | null; alsoLocked?: AlsoLocked },
): Promise<number[]> {
	const { subject, partId, ...rest } = part
	return removeOfParts(trx, { subjectType: subject.type, subjectIds: [subject.id], partIds: [partId], ...rest })
}

/** {@link forgetPart} for many parts of many subjects of one type, and all kinds. @returns as {@link forgetSubject} */
export function forgetParts(trx: Executor, parts: SubjectParts): Promise<number[]> {
	return removeOfParts(trx, { ...parts, kinds: null })
}

/**
 * Deletes unread notifications of some kinds about a subject.
 * @param alsoLocked a member who is notified in the same transaction: all boxes are locked at once
 * @returns as {@link forgetSubject}
 */
export const forgetKinds: (
	trx: Executor,
	subject: SubjectRef,
	kinds: readonly NotificationKindName[],
	alsoLocked?: number,
) => Promise<number[]> = removeOfKinds

/** How many members got a kind of notification about a part of a subject; about the subject itself where `partId` is null. */
export const countNotifiedOf: (
	trx: Executor,
	kind: NotificationKindName,
	about: { subject: SubjectRef; partId: number | null },
) => Promise<number> = countNotified

/**
 * Deletes a member's unread notifications of an actor whom they block from now on.
 * @returns as {@link forgetSubject}
 */
export async function forgetActor(trx: Executor, userId: number, actorId: number): Promise<number[]> {
	return (await removeOfActor(trx, userId, actorId)) ? [userId] : []
}

/** Changes the title of a subject in all notifications. @param alsoLocked who is notified in the same transaction */
export const renameSubject: (
	trx: Executor,
	subject: SubjectRef,
	title: string,
	alsoLocked?: AlsoLocked,
) => Promise<void> = updateSubjectTitle

/** Sends these members' tabs the number of unread notifications; call it after the commit. */
export async function announceUnread(notified: readonly NotifiedMember[]): Promise<void> {
	const tell = ({ userId, unread, countedAt }: Counted & { userId: number; unread: number }) =>
		announce(`user:${userId}`, 'notifications:changed', { unread, countedAt })
	// Another process may announce a later number before this one announces its own.
	const mayBeOld = hasSeveralProcesses()
	const unknown: number[] = []
	for (const one of notified)
		if (typeof one === 'number') unknown.push(one)
		else if (mayBeOld) unknown.push(one.userId)
		else tell(one)
	if (unknown.length > 0) for (const one of await readUnreadOf(unknown)) tell(one)
}

/** How many notifications the viewer has not read; 0 for a visitor. */
export async function countUnread(viewer: Pick<SignedIn, 'id'> | null): Promise<number> {
	return viewer ? (await countUnreadOf(viewer.id)).unread : 0
}

/** How many notifications a member has not read, and when they were counted. */
export const countUnreadOf = batchCalls(async (userIds: number[]): Promise<(Counted & { unread: number })[]> => {
	const counts = new Map((await readUnreadOf(userIds)).map(({ userId, ...count }) => [userId, count]))
	return userIds.map((id) => counts.get(id) ?? { unread: 0 })
})

/**
 * A page of the viewer's notifications, newest first. Shown ones count as seen, unless a program asks.
 * @throws NotAllowed for a visitor, Invalid for a malformed cursor
 */
export async function listNotifications(
	viewer: Viewer,
	{
		unread = false,
		cursor = null,
		limit = 30,
		unseen = false,
	}: { unread?: boolean; cursor?: string | null; limit?: number; unseen?: boolean } = {},
): Promise<Page<NotificationView>> {
	const { id } = requireSignedIn(viewer)
	const position = cursor ? decodeTimeCursor(cursor) : null
	const found = await listNotificationRows(id, { unread, cursor: position, limit: limit + 1 })
	const { rows, next } = pageOf(found, limit, ({ updated_at, id }) => [updated_at, id])
	const fresh = unseen ? [] : rows.filter((row) => row.unread).map((row) => row.id)
	if (fresh.length > 0) await markNotificationsSeen(db(), id, fresh)
	return { rows: rows.map(present), next }
}

/** Marks own notifications as read: some, those about a subject, or all. @returns how many are left @throws NotAllowed */
export async function readNotifications(viewer: Viewer, which: NotificationSelection): Promise<number> {
	const { id } = requireSignedIn(viewer)
	const unread = await db()
		.transaction()
		.execute((trx) => markRead(trx, id, which))
	await announceUnread([{ userId: id, unread }])
	return unread
}

/**
 * Opens an own notification, and marks it as read: not every page that one leads to does so, and one that refuses never does.
 * @param isRead false for a prefetch
 * @returns the address that it leads to
 * @throws NotAllowed for a visitor, NoSuch
 */
export async function openNotification(viewer: Viewer, id: number, isRead: boolean): Promise<string> {
	const url = await findNotificationUrl(requireSignedIn(viewer).id, id)
	if (url === undefined) throw new NoSuch('notification')
	if (isRead) await readNotifications(viewer, { ids: [id] })
	return url
}

/**
 * The viewer opens a subject: notifications about it are marked as read.
 * @param isRead false where its page is only prefetched
 * @returns whether they muted it; null for a visitor
 */
export async function visitSubject(viewer: Viewer, subject: SubjectRef, isRead = true): Promise<boolean | null> {
	if (!viewer || !isId(subject.id)) return null
	const { muted, waiting } = await findSubjectState(viewer.id, subject)
	if (waiting && isRead) await readNotifications(viewer, { subject })
	return muted
}

/** Subjects of a type that one member may mute. */
export const MAX_MUTED = 1_000

/**
 * Mutes notifications and mails about a subject, or unmutes them. The feature checks that the subject exists and the viewer may see
 * it.
 * @param plural of the type, for an error: “queries”
 * @throws NotAllowed, Invalid for one too many, TooManyRequests
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

/** Unmutes a subject, within the transaction in which a member asks for its notifications. */
export function resumeSubject(trx: Executor, userId: number, subject: SubjectRef): Promise<void> {
	return writeMutedSubject(trx, userId, subject, false)
}

/** Queues pushes. @returns who was notified */
async function queued(trx: Executor, notified: NotifiedRow[]): Promise<number[]> {
	const wanted = notified.filter(({ push }) => push)
	await queuePushes(
		trx,
		wanted.map((row) => ({ userId: row.user_id, about: row.notification_id })),
	)
	return notified.map((row) => row.user_id)
}

function present(row: NotificationRow): NotificationView {
	const { id, people, title, reason, url, updated_at: at, unread, username, name, image } = row
	const actor = username === null ? null : { username, name: name ?? username, image }
	return { id, actor, by: actorNameOf(row), people, words: textOfEvent(row), title, reason, url, at, unread }
}
