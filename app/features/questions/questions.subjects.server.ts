import { insertUnmasking } from '~/features/members/pseudonyms.queries.server.ts'
import { trustAuthor } from '~/features/moderation/members.queries.server.ts'
import { lockModerator } from '~/features/moderation/members.server.ts'
import { MEMBER_SUBJECT, type SubjectAct, type SubjectState } from '~/features/moderation/moderation.policy.ts'
import {
	type ActHandler,
	type ActInput,
	type ActResult,
	caseChangedError,
	type ModeratedSubject,
	type SubjectType,
} from '~/features/moderation/subjects.server.ts'
import { permalinkOf } from '~/features/search/search.view.ts'
import { mainTags } from '~/features/tags/tags.server.ts'
import { withParams } from '~/lib/addresses.ts'
import { isId } from '~/lib/checks.ts'
import { Conflict, Invalid } from '~/lib/errors.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import type { PostStatus } from '~/platform/db/schema.ts'
import { type EventQuestion, eventQuestion, type ForumEvent } from './questions.events.ts'
import { mergeInput, untilInput } from './status/acts.schema.ts'
import { deletePin, insertPin, isPinnedNow, MAX_PINS, type PinScope } from './status/pins.queries.server.ts'
import {
	type LockedPost,
	listCommentSubjects,
	listQuestionSubjects,
	lockAnyComment,
	lockAnyQuestion,
	lockAnyQuestions,
	type PostRow,
	readAddedEvent,
	setLocked,
	setMergedInto,
} from './status/status.queries.server.ts'
import { announceEffects, recordEffects } from './writing/change.server.ts'
import {
	publishComment,
	publishQuestion,
	removeComment,
	removeQuestion,
	setStatus,
} from './writing/writing.queries.server.ts'

/* Questions and comments as subjects of moderation: their states, and the actions on them. */

/** A question or a comment. */
interface PostSubject extends ModeratedSubject {
	type: 'query' | 'comment'
	/** The question itself, or the one that the comment belongs to. */
	question: EventQuestion
	/** The question that this one is merged into again by restoring it; null for none. */
	wasMergedInto: number | null
}

type PostAct = Exclude<SubjectAct, 'clean' | 'unmask'>

/** The states in which an action is possible. Checked again once the post is locked. */
const startsFrom: Record<PostAct, readonly SubjectState[]> = {
	approve: ['waiting'],
	refuse: ['waiting'],
	hide: ['visible', 'merged'],
	restore: ['hidden', 'merged'],
	lock: ['visible'],
	unlock: ['visible'],
	pin: ['visible'],
	'pin-everywhere': ['visible'],
	unpin: ['visible'],
	merge: ['visible'],
}

/** Moderation's name for each status. */
const states: Record<PostStatus, SubjectState> = {
	published: 'visible',
	pending: 'waiting',
	hidden: 'hidden',
	merged: 'merged',
	deleted: 'gone',
}

function subjectOf(type: 'query' | 'comment', row: PostRow): PostSubject {
	const { id, html, excerpt, fingerprint } = row
	const isQuestion = type === 'query'
	const whole = eventQuestion({ ...row, id: row.question_id, author_id: row.question_author_id })
	// Nobody reads the title of a deleted question, also in its address.
	const without = { ...whole, title: '[deleted]', url: permalinkOf(whole.url) }
	const question = isQuestion || row.question_status !== 'deleted' ? whole : without
	const possible = (Object.keys(startsFrom) as PostAct[]).filter(
		(act) =>
			(isQuestion || isPossibleBelow(row.question_status, act)) &&
			startsFrom[act].includes(states[row.status]) &&
			act !== (row.locked ? 'lock' : 'unlock') &&
			isPinAct(act) !== row.pinned,
	)
	return {
		...{ type, id, title: question.title, html, excerpt, fingerprint, question },
		wasMergedInto: isQuestion ? row.was_merged_into : null,
		url: urlOf(question, row.question_status, isQuestion ? null : id),
		createdAt: row.created_at,
		authorId: row.author_id,
		state: states[row.status],
		reason: row.status_reason,
		locked: isQuestion && row.locked,
		reportable: row.is_read,
		acts: [
			// Of an erased post there is nothing left to decide.
			...(excerpt === '' ? [] : possible.filter((act) => act in (isQuestion ? questionActs : commentActs))),
			...(row.author_id === row.pseudonym_id ? (['unmask'] as const) : []),
		],
	}
}

/** Whether an action on a comment is possible: below an unpublished question it has to wait, unless everybody may read its comments. */
function isPossibleBelow(question: PostStatus, act: PostAct): boolean {
	return question === 'published' || (['merged', 'deleted'].includes(question) && (act === 'hide' || act === 'restore'))
}

/** The address of a question, or of one of its comments. That of a merged one redirects, unless it asks for the original. */
function urlOf({ url }: EventQuestion, status: PostStatus, thread: number | null): string {
	const address = withParams(url, { original: status === 'merged' ? '1' : null, thread })
	return thread === null ? address : `${address}#comment-${thread}`
}

/** A locked post, and what a moderator does to it. */
interface ModerationAction {
	post: PostSubject
	held: LockedPost
	moderatorId: number
	why: string
	/** The question that this one is merged into; 0 for other actions. */
	into: number
	/** The last day of a pin, `YYYY-MM-DD`; null for none. */
	until: string | null
}

type Change = (trx: Executor, judged: ModerationAction) => Promise<{ event: ForumEvent } & Partial<ActResult>>

/** What each action changes, and the event that follows. */
const changes: Record<PostAct, Change> = {
	approve: publish,
	async refuse(trx, judged) {
		const { post, moderatorId: by, why: reason } = judged
		await setStatus(trx, post.type, post.id, { status: 'hidden', reason, by })
		return { event: statusEvent(judged, 'unpublished') }
	},
	async hide(trx, judged) {
		const { post, held, moderatorId: by, why: reason } = judged
		const hidden = { status: 'hidden', reason, by } as const
		if (held.status === 'merged') await setMergedInto(trx, post.id, hidden, null)
		else if (post.type === 'query') await removeQuestion(trx, post.id, held, hidden)
		else await removeComment(trx, post.id, post.question.id, hidden)
		return { event: statusEvent(judged, 'unpublished') }
	},
	restore: publish,
	async lock(trx, { post: { id, question }, moderatorId: actorId }) {
		await setLocked(trx, id, true)
		return { event: { kind: 'question-locked', actorId, question } }
	},
	async unlock(trx, { post: { id, question }, moderatorId: actorId }) {
		await setLocked(trx, id, false)
		return { event: { kind: 'question-unlocked', actorId, question } }
	},
	pin: (trx, judged) => pin(trx, judged, 'category'),
	'pin-everywhere': (trx, judged) => pin(trx, judged, 'forum'),
	async unpin(trx, { post: { id, question }, moderatorId: actorId }) {
		await deletePin(trx, id)
		return { event: { kind: 'question-unpinned', actorId, question } }
	},
	async merge(trx, judged) {
		const { post, held, moderatorId: by, why: reason, into } = judged
		await removeQuestion(trx, post.id, held, { status: 'merged', reason, by, into })
		return { event: statusEvent(judged, 'unpublished'), note: `into query ${into}` }
	},
}

/** @throws Conflict where the maximum is pinned already */
async function pin(trx: Executor, { post, held, moderatorId: by, until }: ModerationAction, place: PinScope) {
	const { id: questionId, question } = post
	if (!(await insertPin(trx, { questionId, categoryId: held.category_id, place, until, by })))
		throw new Conflict(`${MAX_PINS} queries are pinned there already. Unpin one of them first.`)
	const event = { kind: 'question-pinned', actorId: by, question } as const
	return { event, note: until === null ? '' : `until ${until}` }
}

/** Whether an action pins, and so does not change the status. */
function isPinAct(act: PostAct): boolean | null {
	if (act === 'unpin') return false
	return act === 'pin' || act === 'pin-everywhere' ? true : null
}

/**
 * Publishes a post. For one that was published before, notifications are not sent again. A hidden question that was merged is merged
 * again, unless the other one is gone. Nobody is notified of a comment that is first published below a merged question.
 */
async function publish(trx: Executor, judged: ModerationAction): ReturnType<Change> {
	const { post, held, moderatorId: by } = judged
	const { type, id, question } = post
	if (type === 'query' && held.was_merged_into !== null) {
		await setMergedInto(trx, id, { status: 'merged', by }, held.was_merged_into)
		const other = await lockAnyQuestion(trx, held.was_merged_into)
		const isOtherShown = other?.status === 'published' || other?.status === 'merged'
		return {
			event: statusEvent(judged, 'unpublished'),
			done: isOtherShown
				? 'It is merged again: its address leads to the other query.'
				: 'It is merged again. The other query is hidden or deleted, so its address shows this one.',
		}
	}
	if (type === 'query') await publishQuestion(trx, id, by, held.tags)
	else await publishComment(trx, id, question.id, { from: held.status, by })
	const isAdded = held.unseen && (await lockAnyQuestion(trx, question.id))?.status === 'published'
	if (isAdded) return { event: await readAddedEvent(trx, type, id, question, by) }
	return { event: statusEvent(judged, 'republished'), leavesReports: held.status === 'merged' }
}

function statusEvent(
	{ post: { type, id, question }, moderatorId: actorId }: ModerationAction,
	what: 'unpublished' | 'republished',
): ForumEvent {
	if (type === 'query') return { kind: `question-${what}`, actorId, question }
	return { kind: `comment-${what}`, actorId, question, commentId: id }
}

/**
 * Locks the question, or both of a merge in the order of their ids, then the comment. @throws Conflict when one has changed since
 * it was seen
 * @returns the post, with the main tags of its question
 */
async function lockPost(trx: Executor, post: PostSubject, act: PostAct, into: number): Promise<LockedPost> {
	const questionId = post.question.id
	const merged = act === 'merge' && isId(into) && into !== questionId ? into : null
	const other = act === 'restore' ? post.wasMergedInto : merged
	const questions = await lockAnyQuestions(trx, other === null ? [questionId] : [questionId, other])
	const question = questions.get(questionId)
	if (!question || (post.type === 'comment' && !isPossibleBelow(question.status, act))) throw caseChangedError()
	if (act === 'merge' && (other === null || questions.get(other)?.status !== 'published')) {
		const message = 'There is no other query at this address.'
		throw new Invalid(message, { into: message })
	}
	const held = post.type === 'comment' ? await lockAnyComment(trx, post.id) : question
	if (!held || !startsFrom[act].includes(states[held.status])) throw caseChangedError()
	if (act === 'approve' && held.fingerprint !== post.fingerprint) throw caseChangedError()
	// Restoring a hidden query may merge it, and restoring a merged one publishes it.
	if (act === 'restore' && states[held.status] !== post.state) throw caseChangedError()
	if ((act === 'lock' || act === 'unlock') && question.locked === (act === 'lock')) throw caseChangedError()
	const pins = isPinAct(act)
	if (pins !== null && (await isPinnedNow(trx, questionId)) === pins) throw caseChangedError()
	// Before any member is locked, in the order of writing questions.
	return { ...question, ...held, tags: await mainTags(trx, question.tags) }
}

async function perform(trx: Executor, act: PostAct, call: ActInput<PostSubject>): Promise<ActResult> {
	const { subject, actor, why, input } = call
	const into = act === 'merge' ? Number(input.into) : 0
	const until = typeof input.until === 'string' && input.until !== '' ? input.until : null
	const held = await lockPost(trx, subject, act, into)
	const post = { ...subject, question: { ...subject.question, tags: held.tags } }
	// Locked before counting, as posting does.
	if (act === 'approve') await trustAuthor(trx, held.author_id)
	await lockModerator(trx, actor)
	const { event, ...done } = await changes[act](trx, { post, held, moderatorId: actor.id, why, into, until })
	const { id, title, url } = post.question
	const commentId = post.type === 'comment' ? post.id : null
	let happened = event
	return {
		...done,
		notification: {
			subject: { type: 'query', id, title, url },
			part: commentId === null ? null : { type: 'comment', id: commentId, url: post.url },
		},
		async record(alsoLocked) {
			happened = await recordEffects(trx, { ...event, ...(alsoLocked !== undefined && { alsoLocked }) })
			// Moderation notifies the same members once more: their unread notifications are counted after that.
			return (happened.notified ?? []).map((one) => (typeof one === 'number' ? one : one.userId))
		},
		// Moderation announces changed notifications itself, as it adds one for the author.
		announce: () => announceEffects({ ...happened, notified: [] }),
	}
}

/**
 * Reveals the member behind a pseudonym to a moderator. The member is notified each time, even about a hidden post: the
 * notification concerns them, not the question.
 */
async function unmask(trx: Executor, { subject: post, author, actor }: ActInput<PostSubject>): Promise<ActResult> {
	if (author.pseudonym_of === null || !(await insertUnmasking(trx, author.id, actor.id))) throw caseChangedError()
	const { title, url } = post
	return {
		notification: {
			subject: { type: MEMBER_SUBJECT, id: author.pseudonym_of, title, url },
			part: null,
			group: `unmask:${author.id}:${actor.id}`,
		},
		announce: async () => {},
	}
}

const sentences = {
	approve: 'It is now visible to everyone.',
	refuse: 'Rejected. Its author sees your reason.',
	hide: 'Hidden. Its author sees your reason.',
	restore: 'It is back in the forum.',
}

/** Actions that questions and comments share. */
function commonActs<Type extends 'query' | 'comment'>(type: Type) {
	const act = (name: keyof typeof sentences): ActHandler<PostSubject> => ({
		done: sentences[name],
		decision: `${name} ${type}`,
		perform: (trx, call) => perform(trx, name, call),
	})
	return {
		approve: act('approve'),
		refuse: act('refuse'),
		hide: act('hide'),
		restore: act('restore'),
		unmask: {
			done: 'Unmasked. The author is notified of your reason.',
			decision: `unmask ${type}`,
			leavesReports: true,
			perform: unmask,
		} satisfies ActHandler<PostSubject>,
	}
}

function pinAct(name: 'pin' | 'pin-everywhere', title: string): ActHandler<PostSubject> {
	return {
		done: 'Pinned.',
		decision: 'pin query',
		input: untilInput,
		field: {
			title,
			name: 'until',
			label: 'Last day',
			shortLabel: 'Last day',
			hint: `At most ${MAX_PINS} stand there at once. Without a last day it stays until it is unpinned here.`,
			isDay: true,
		},
		leavesReports: true,
		perform: (trx, call) => perform(trx, name, call),
	}
}

const commentActs = commonActs('comment')

const questionActs: Partial<Record<SubjectAct, ActHandler<PostSubject>>> = {
	...commonActs('query'),
	lock: {
		done: 'Nobody can comment on it now.',
		decision: 'lock query',
		leavesReports: true,
		perform: (trx, call) => perform(trx, 'lock', call),
	},
	unlock: {
		done: 'Comments are open again.',
		decision: 'unlock query',
		leavesReports: true,
		perform: (trx, call) => perform(trx, 'unlock', call),
	},
	pin: pinAct('pin', 'Pin to the top of its category'),
	'pin-everywhere': pinAct('pin-everywhere', 'Pin to the top of the forum'),
	unpin: {
		done: 'No longer pinned.',
		decision: 'unpin query',
		leavesReports: true,
		perform: (trx, call) => perform(trx, 'unpin', call),
	},
	merge: {
		done: 'Merged. Its address leads to the other query.',
		decision: 'merge query',
		input: mergeInput,
		field: {
			title: 'Merge into another query',
			name: 'into',
			label: 'Address of the query to keep',
			shortLabel: 'Address',
			hint: "This query's address will lead there. It can still be read, and the merge can be undone.",
		},
		perform: (trx, call) => perform(trx, 'merge', call),
	},
}

export const questionSubject: SubjectType<PostSubject> = {
	name: 'query',
	label: 'Query',
	prefix: '',
	load: async (ids) => (await listQuestionSubjects(ids)).map((row) => subjectOf('query', row)),
	describe: ({ title }) => `“${title}”`,
	acts: questionActs,
}

export const commentSubject: SubjectType<PostSubject> = {
	name: 'comment',
	label: 'Comment',
	prefix: 'Comment on ',
	load: async (ids) => (await listCommentSubjects(ids)).map((row) => subjectOf('comment', row)),
	describe: ({ title }, { name }) => `the comment of ${name} on “${title}”`,
	acts: commentActs,
}
