import type { NotificationKind, NotificationKindName } from '~/features/notifications/kinds.server.ts'
import {
	announceUnread,
	countNotifiedOf,
	forgetKinds,
	forgetPart,
	forgetParts,
	forgetSubject,
	muteSubject,
	type NotificationAbout,
	type NotifiedMember,
	notify,
	renameSubject,
	resumeSubject,
	visitSubject,
} from '~/features/notifications/notifications.server.ts'
import { commentPath } from '~/features/search/search.view.ts'
import { NotFound } from '~/lib/errors.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { SendLast } from '~/platform/db/transaction.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { mentionsIn } from '~/platform/markdown/render.server.ts'
import { type EventActor, type EventQuestion, type ForumEvent, shownActor } from '../questions.events.ts'
import {
	findAsker,
	findCommentAuthor,
	findCommentFacts,
	listMemberIds,
	listQuestionFollowers,
	listTagFollowers,
	lockPublishedQuestion,
} from './notifying.queries.server.ts'

declare module '~/features/notifications/kinds.server.ts' {
	interface NotificationKinds {
		comment: never
		reply: never
		mention: never
		solution: never
		followed: never
		'followed-query': never
	}
}

/** Kinds of notifications about questions and comments. */
export const questionKinds = {
	comment: { label: 'Comments on my queries', order: 10, words: 'commented on' },
	reply: { label: 'Replies to my comments', order: 20, words: 'replied to you in' },
	mention: { label: 'Mentions of my name', order: 30, words: 'mentioned you in' },
	solution: {
		label: 'My comment marked as a solution',
		order: 40,
		words: 'marked your comment as a solution to',
	},
	'followed-query': { label: 'Comments on queries I follow', order: 58, words: 'commented on' },
	followed: { label: 'New queries in tags and categories I follow', order: 60, words: 'asked' },
} as const satisfies Partial<Record<NotificationKindName, NotificationKind>>

declare module '~/platform/jobs/jobs.server.ts' {
	interface Jobs {
		/** Notifies followers of a tag or a category about a new question. */
		'tell-followers': RemainingTagFollowers
		/** Notifies followers of a question about a new comment. */
		'tell-query-followers': RemainingQuestionFollowers
	}
}

/** Followers notified within the transaction that adds a question; a job notifies the others. */
const MAX_FOLLOWERS_AT_ONCE = 50
const MAX_FOLLOWERS_PER_BATCH = 500

/** A text with more mentions than this notifies nobody. */
const MAX_NOTIFIED_MENTIONS = 10

type QuestionAdded = Extract<ForumEvent, { kind: 'question-added' }>

/**
 * The followers of a new question who are still to be notified, as a job stores them. A job of an earlier version calls the
 * question `query`.
 */
export interface RemainingTagFollowers {
	event: QuestionAdded & { query?: EventQuestion }
	/** The last follower who was notified. */
	after: number
}

/** The followers of a question who are still to be notified, as a job stores them. */
export interface RemainingQuestionFollowers {
	question: EventQuestion
	commentId: number
	actorId: number
	/** Members whom the comment concerns otherwise. */
	others: number[]
	/** The last follower who was notified. */
	after: number
}

/** A question as the subject of notifications. */
const refOf = (questionId: number) => ({ type: 'query', id: questionId })

/** A question, or one of its comments, as the subject of notifications. */
export function aboutQuestion(
	{ id, title, url }: Pick<EventQuestion, 'id' | 'title' | 'url'>,
	commentId: number | null,
): NotificationAbout {
	return {
		subject: { ...refOf(id), title, url },
		part: commentId === null ? null : { type: 'comment', id: commentId, url: commentPath(commentId) },
	}
}

/** Marks notifications of a question as seen when the viewer opens it. @param isRead as of `visitSubject` @returns as `visitSubject` does */
export function visitQuestion(viewer: Viewer, questionId: number, isRead = true): Promise<boolean | null> {
	return visitSubject(viewer, refOf(questionId), isRead)
}

/** Mutes notifications and mails about a question, or resumes them. @throws NotAllowed, NotFound, Invalid for one too many, TooManyRequests */
export async function muteQuestion(viewer: Viewer, questionId: number, muted: boolean): Promise<void> {
	if (viewer && !(await lockPublishedQuestion(db(), questionId))) throw new NotFound('There is no such query.')
	await muteSubject(viewer, refOf(questionId), muted, 'queries')
}

/** Resumes notifications about a question, within the transaction in which the member begins to follow it. */
export function unmuteQuestion(trx: Executor, userId: number, questionId: number): Promise<void> {
	return resumeSubject(trx, userId, refOf(questionId))
}

/**
 * Stores notifications about a change of the forum, in its transaction.
 * @param concern of {@link findCommentAudience}, where it was called for a comment that this transaction added
 * @param last as in {@link notify}, for a new comment
 * @returns whose notifications changed
 */
export async function notifyOfEvent(
	trx: Executor,
	event: ForumEvent,
	concern?: CommentAudience,
	last?: SendLast,
): Promise<NotifiedMember[]> {
	const { actorId, question, alsoLocked } = event
	switch (event.kind) {
		case 'comment-added':
			return notifyOfComment(trx, event, {
				actorId,
				concern: concern ?? (await findCommentAudience(trx, event)),
				isNew: concern !== undefined,
				last,
			})
		case 'comment-restored':
		case 'comment-republished': {
			const comment = await findCommentFacts(trx, event.commentId)
			if (!comment?.is_recent) return []
			const { author_id: actorId, parent_id: parentId, body } = comment
			const concern = await findCommentAudience(trx, { question, parentId, mentioned: mentionsIn(body) })
			return notifyOfComment(trx, event, { actorId, concern, isNew: false })
		}
		case 'comment-deleted':
		case 'comment-unpublished':
			return forgetPart(trx, { subject: refOf(question.id), partId: event.commentId, kinds: null, alsoLocked })
		case 'comment-changed': {
			const { commentId, before } = event
			const people = await findNewlyMentioned(trx, event, { commentId, before })
			const part = { subject: refOf(question.id), partId: commentId }
			const forgotten = await forgetPart(trx, { ...part, kinds: ['outdated'], alsoLocked: [...people.keys()] })
			return [...forgotten, ...(await notify(trx, { people, ...doneBy(event), ...aboutQuestion(question, commentId) }))]
		}
		case 'solution-chosen': {
			const { commentId } = event
			const solverId = await findCommentAuthor(trx, { questionId: question.id, commentId })
			// A solved question needs neither an answer nor a reminder.
			const forgotten = await forgetKinds(trx, refOf(question.id), ['may-know', 'reminder'], solverId ?? undefined)
			const people = recipientsOf({ actorId, solverId })
			return [...forgotten, ...(await notify(trx, { people, ...doneBy(event), ...aboutQuestion(question, commentId) }))]
		}
		case 'solution-withdrawn': {
			const part = { subject: refOf(question.id), partId: event.commentId }
			return forgetPart(trx, { ...part, kinds: ['solution', 'outdated'] })
		}
		case 'question-added':
			return notifyOfQuestion(trx, event)
		case 'question-changed': {
			const people = await findNewlyMentioned(trx, event, { commentId: null, before: event.before.description })
			await renameSubject(trx, refOf(question.id), question.title, [...people.keys()])
			return notify(trx, { people, ...doneBy(event), ...aboutQuestion(question, null) })
		}
		case 'question-deleted':
		case 'question-unpublished':
			return forgetSubject(trx, refOf(question.id), { alsoLocked, keepsDecisions: true })
		default:
			return []
	}
}

/** Removes comments that have left the forum from unread notifications. @returns as {@link notifyOfEvent} */
export function forgetComments(
	trx: Executor,
	comments: readonly { id: number; question_id: number }[],
): Promise<number[]> {
	const subjectIds = [...new Set(comments.map((comment) => comment.question_id))]
	return forgetParts(trx, { subjectType: 'query', subjectIds, partIds: comments.map(({ id }) => id) })
}

/** The members whom a comment concerns, by id. */
export interface CommentAudience {
	/** Not that of the event, which was read before the question was locked: two accounts may have been merged since. */
	askerId: number | null
	parentAuthorId: number | null
	mentioned: number[]
	/** Of the question: up to one more than are notified within the transaction, which shows that there are more. */
	followers: number[]
}

/** Finds {@link CommentAudience}, with pipelined statements. The question must be locked. */
export async function findCommentAudience(
	trx: Executor,
	{ question, parentId, mentioned: names }: { question: EventQuestion; parentId: number | null; mentioned: string[] },
): Promise<CommentAudience> {
	const [askerId, parentAuthorId, mentioned, followers] = await Promise.all([
		findAsker(trx, question.id),
		parentId === null ? null : findCommentAuthor(trx, { questionId: question.id, commentId: parentId }),
		listMentioned(trx, names),
		listQuestionFollowers(trx, question.id, 0, MAX_FOLLOWERS_AT_ONCE + 1),
	])
	return { askerId, parentAuthorId, mentioned, followers }
}

/** Notifies the members whom a new or restored comment concerns. Its author counts as the actor, whoever restored it. */
async function notifyOfComment(
	trx: Executor,
	{ question, commentId, alsoLocked }: { question: EventQuestion; commentId: number; alsoLocked?: number },
	{
		actorId,
		concern: { askerId, parentAuthorId, mentioned, followers },
		isNew,
		last,
	}: { actorId: number; concern: CommentAudience; isNew: boolean; last?: SendLast | undefined },
): Promise<NotifiedMember[]> {
	const concerned = { actorId, questionAuthorId: askerId, parentAuthorId, mentioned }
	const isMany = followers.length > MAX_FOLLOWERS_AT_ONCE
	if (isMany) {
		const others = [...recipientsOf(concerned).keys()]
		await addJob('tell-query-followers', { question, commentId, actorId, others, after: 0 }, trx)
	}
	const people = recipientsOf({ ...concerned, questionFollowers: isMany ? [] : followers })
	const about = { ...doneBy({ question, actorId }), ...aboutQuestion(question, commentId) }
	return notify(trx, { people, ...about, isNew, ...(alsoLocked !== undefined && { alsoLocked }) }, last)
}

/** The members to notify whom an edit mentions and the text before it did not. */
async function findNewlyMentioned(
	trx: Executor,
	{ actorId, question, mentioned }: EventActor & { mentioned: string[] },
	{ commentId, before }: { commentId: number | null; before: string },
): Promise<Map<number, NotificationKindName>> {
	if (mentioned.length === 0) return new Map()
	const named = new Set(mentionsIn(before))
	const fresh = mentioned.filter((name) => !named.has(name))
	if (fresh.length === 0) return new Map()
	// Edits are not rate-limited like posts: without a limit, one text could notify everybody, ten at a time.
	if (
		fresh.length + (await countNotifiedOf(trx, 'mention', { subject: refOf(question.id), partId: commentId })) >
		MAX_NOTIFIED_MENTIONS
	)
		return new Map()
	return recipientsOf({ actorId, mentioned: await listMemberIds(trx, fresh) })
}

/** Continues notifying followers of a new question; a retry notifies nobody twice. */
export function notifyTagFollowers({ event, after }: RemainingTagFollowers): Promise<void> {
	const { actorId, question = event.query as EventQuestion } = event
	return notifyInBatches(question.id, after, async (trx, from) => {
		// A job of an earlier version does not list the mentions.
		const mentioned = await listMentioned(trx, event.mentioned ?? [])
		const followers = await listTagFollowers(trx, { ...question, after: from, limit: MAX_FOLLOWERS_PER_BATCH })
		const people = recipientsOf({ actorId, tagFollowers: followers.filter((id) => !mentioned.includes(id)) })
		return { followers, people, by: { question, actorId }, commentId: null }
	})
}

/** Continues notifying followers of a question about a comment; a retry notifies nobody twice. */
export function notifyQuestionFollowers({
	question,
	commentId,
	actorId,
	others,
	after,
}: RemainingQuestionFollowers): Promise<void> {
	return notifyInBatches(question.id, after, async (trx, from) => {
		if (!(await findCommentFacts(trx, commentId))) return null
		const followers = await listQuestionFollowers(trx, question.id, from, MAX_FOLLOWERS_PER_BATCH)
		const people = recipientsOf({ actorId, questionFollowers: followers.filter((id) => !others.includes(id)) })
		return { followers, people, by: { question, actorId }, commentId }
	})
}

interface Batch {
	/** All followers of the batch, by id. */
	followers: number[]
	people: Map<number, NotificationKindName>
	by: EventActor
	commentId: number | null
}

/**
 * Notifies followers about a question, a few hundred per transaction, while it is published.
 * @param after the last follower who was notified
 * @param read the next followers after one of them; null when there is no longer anything to notify about
 */
async function notifyInBatches(
	questionId: number,
	after: number,
	read: (trx: Executor, after: number) => Promise<Batch | null>,
): Promise<void> {
	let last: number | undefined = after
	while (last !== undefined) {
		const from: number = last
		const { notified, next } = await db()
			.transaction()
			.execute(async (trx) => {
				// Locked before any notification box, as all writers do.
				const batch = (await lockPublishedQuestion(trx, questionId)) ? await read(trx, from) : null
				if (!batch) return { notified: [], next: undefined }
				const { followers, people, by, commentId } = batch
				const notified = await notify(trx, { people, ...doneBy(by), ...aboutQuestion(by.question, commentId) })
				return { notified, next: followers.length < MAX_FOLLOWERS_PER_BATCH ? undefined : followers.at(-1) }
			})
		await announceUnread(notified)
		last = next
	}
}

async function notifyOfQuestion(trx: Executor, event: QuestionAdded): Promise<NotifiedMember[]> {
	const { actorId, question, alsoLocked } = event
	const mentioned = await listMentioned(trx, event.mentioned)
	const followers = await listTagFollowers(trx, { ...question, after: 0, limit: MAX_FOLLOWERS_AT_ONCE + 1 })
	const isMany = followers.length > MAX_FOLLOWERS_AT_ONCE
	if (isMany) await addJob('tell-followers', { event, after: 0 }, trx)
	const people = recipientsOf({ actorId, mentioned, tagFollowers: isMany ? [] : followers })
	return notify(trx, {
		people,
		...doneBy(event),
		...aboutQuestion(question, null),
		...(alsoLocked !== undefined && { alsoLocked }),
	})
}

/** The actor, and the account that others see as the actor. */
function doneBy(event: EventActor): { actorId: number; shownActorId: number } {
	return { actorId: event.actorId, shownActorId: shownActor(event) }
}

/** The ids of mentioned members; none where a text mentions too many. */
async function listMentioned(trx: Executor, names: string[]): Promise<number[]> {
	return names.length === 0 || names.length > MAX_NOTIFIED_MENTIONS ? [] : listMemberIds(trx, names)
}

/** The members whom an event concerns, by id; nobody is null or omitted. */
export interface EventAudience {
	actorId: number
	questionAuthorId?: number | null
	parentAuthorId?: number | null
	solverId?: number | null
	mentioned?: readonly number[]
	/** Followers of the question of a new comment. */
	questionFollowers?: readonly number[]
	/** Followers of a tag of a new question, or of its category. */
	tagFollowers?: readonly number[]
}

/**
 * Who is notified about an event, and why: each member once, for the strongest reason, and never the actor: as author of
 * the solution, as mentioned, as replied to, as asker, as follower.
 */
export function recipientsOf(concerned: EventAudience): Map<number, NotificationKindName> {
	const {
		actorId,
		questionAuthorId,
		parentAuthorId,
		solverId,
		mentioned = [],
		questionFollowers = [],
		tagFollowers = [],
	} = concerned
	const notified = new Map<number, NotificationKindName>()
	const tell = (kind: NotificationKindName, ...ids: (number | null | undefined)[]) => {
		for (const id of ids) if (typeof id === 'number' && id !== actorId && !notified.has(id)) notified.set(id, kind)
	}
	tell('solution', solverId)
	tell('mention', ...mentioned)
	tell('reply', parentAuthorId)
	tell('comment', questionAuthorId)
	tell('followed-query', ...questionFollowers)
	tell('followed', ...tagFollowers)
	return notified
}
