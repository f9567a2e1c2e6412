import { findUsernames } from '~/features/asking/mentions.queries.server.ts'
import { requireAnonymousPictures } from '~/features/members/pseudonyms.server.ts'
import { findCommentAudience } from '~/features/questions/notifying/notifying.server.ts'
import { eventQuestion, writingAccount } from '~/features/questions/questions.events.ts'
import { mayDelete, mayEdit, mayRestore, UNDO_SECONDS } from '~/features/questions/questions.policy.ts'
import { lockForComment } from '~/features/questions/questions.queries.server.ts'
import { commentInput } from '~/features/questions/questions.schema.ts'
import { isReadable, requireQuestion } from '~/features/questions/questions.server.ts'
import {
	findChangeableComment,
	lockPendingComment,
	updatePendingComment,
} from '~/features/questions/status/pending.queries.server.ts'
import { readPostingFacts } from '~/features/questions/status/posting-rules.server.ts'
import { lockAnyComment, lockAnyQuestion } from '~/features/questions/status/status.queries.server.ts'
import {
	alreadyDecided,
	changeForum,
	changeForumOnce,
	readSubmission,
	requireRoomForEdit,
	undoTooLate,
	withdrawPending,
} from '~/features/questions/writing/change.server.ts'
import {
	type CreatedPost,
	insertComment,
	lockComment,
	lockQuestion,
	publishComment,
	recordCommentRevision,
	removeComment,
	updateComment,
} from '~/features/questions/writing/writing.queries.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { permalinkOf, questionUrl } from '~/features/search/search.view.ts'
import { withParams } from '~/lib/addresses.ts'
import { isId } from '~/lib/checks.ts'
import { Conflict, NoSuch, NotAllowed, NotFound } from '~/lib/errors.ts'
import { requireSignedIn, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import type { PostStatus } from '~/platform/db/schema.ts'
import { EditConflict, type Input, parseInput, readVersion } from '~/platform/http/form.server.ts'
import { languageOfTags } from '~/platform/markdown/highlight.server.ts'
import { renderMarkdown } from '~/platform/markdown/render.server.ts'
import { type CommentView, isStanding, presentComment, type StoredComment } from './comment.view.ts'
import { type AnyComment, findAnyComment, newCommentColumns } from './comments.queries.server.ts'

/* The use cases that write comments. */

/** The added comment as its author sees it; without it, the same was sent before. */
type AddedComment = CreatedPost & { comment?: CommentView }

/**
 * Comments on a question, or replies to one of its comments.
 * @param input `body`; with a `key` it can safely be sent again
 * @returns the comment's id, and its address on the question's page
 * @throws NotAllowed for a visitor, NotFound when question or parent are gone, Invalid, TooManyRequests
 */
export async function addComment(
	viewer: Viewer,
	{ questionId, parentId, ...input }: { questionId: number; parentId: number | null } & Input,
): Promise<AddedComment> {
	const author = requireSignedIn(viewer)
	const { body } = parseInput(commentInput, input)
	const question = await requireQuestion(questionId)
	if (parentId !== null && !isId(parentId)) throw new NotFound(noParent)
	const { html, mentioned } = await renderMarkdown(body, {
		language: languageOfTags(question.tags),
		people: findUsernames,
	})
	const account = writingAccount(question, author)
	await requireAnonymousPictures(body, { member: author, accountId: account.id, field: 'body' })
	const submission = readSubmission(author.id, input, ['comment', questionId, parentId, body])
	const asker = { askerUsername: question.username, isMine: question.author_id === author.id }
	const writing = {
		kind: 'comment-added' as const,
		actorId: author.id,
		username: account.username,
		question: eventQuestion(question),
		parentId,
		mentioned,
	}
	return changeForumOnce<AddedComment>(submission, async (trx) => {
		// Begun together, so that one round trip is enough; the question is locked before its author.
		const [held, facts, concern] = await Promise.all([
			lockForComment(trx, questionId),
			readPostingFacts(trx, writing),
			findCommentAudience(trx, writing),
		])
		if (!held) throw new NoSuch('query')
		const { id, locked: isLocked } = held
		const comment = { id, questionId, authorId: account.id, parentId, body, bodyHtml: html }
		const post = { id, url: `${questionUrl(question)}#comment-${id}` }
		return {
			event: { ...writing, commentId: id },
			facts,
			concern,
			html,
			isLocked,
			post,
			// Nobody removes the comment that is replied to meanwhile, as that locks the question first.
			isOneStep: parentId === null || concern.parentAuthorId !== null,
			async write(status) {
				const row = await insertComment(trx, { ...comment, status }, newCommentColumns)
				if (!row) throw new NotFound(noParent)
				return { ...post, comment: presentComment(author, row, asker) }
			},
		}
	})
}

/**
 * Edits a comment; a pending one stays pending. A save of what is stored already changes nothing.
 * @param input `body`, and the `version` that it started from; without one the last edit wins
 * @throws NotFound, NotAllowed, Invalid, TooManyRequests, EditConflict when another edit was saved first
 */
export async function editComment(viewer: Viewer, id: number, input: Input): Promise<{ url: string }> {
	const editor = requireSignedIn(viewer)
	const comment = await requireChangeableComment(editor, id)
	await countUse('edits', editor)
	const { body } = parseInput(commentInput, input)
	const version = readVersion(input)
	const { html, mentioned } = await renderMarkdown(body, {
		language: languageOfTags(comment.tags),
		people: findUsernames,
	})
	const asked = await requireQuestion(comment.question_id)
	const question = eventQuestion(asked)
	// Moderators edit others' comments under their own name, even where they asked under a pseudonym.
	const byModerator = comment.author_id !== editor.id
	const account = byModerator ? editor : writingAccount(asked, editor)
	await requireAnonymousPictures(body, { member: editor, accountId: account.id, field: 'body' })
	const result = { url: `${question.url}#comment-${id}` }
	return changeForum<{ url: string }>(async (trx) => {
		const stored = await lockUnchanged(trx, id, comment)
		if (body === stored.body) return { done: result }
		if (version !== null && version !== stored.version)
			throw new EditConflict({ version: stored.version, values: { body: stored.body } })
		if (comment.isPending)
			return {
				event: { kind: 'comment-pending', actorId: editor.id, question, commentId: id },
				write: () => updatePendingComment(trx, id, body, html).then(() => result),
			}
		await requireRoomForEdit(trx, editor, { commentId: id })
		return {
			event: {
				kind: 'comment-changed',
				actorId: editor.id,
				question,
				commentId: id,
				mentioned,
				before: stored.body,
				byModerator,
			},
			html,
			async write(status) {
				await recordCommentRevision(trx, id, account.id, body)
				await updateComment(trx, id, comment.question_id, { body, bodyHtml: html }, status)
				return result
			},
		}
	})
}

/**
 * Deletes a comment; its replies stay. Also below a question that is no longer published: whoever wrote it can always withdraw it.
 * @returns as {@link placesToReadOn}, and whether the deletion can be undone: not for a pending comment, nor if its author could
 * not read it afterwards
 * @throws NotFound, also where the viewer may not read the question; NotAllowed
 */
export async function deleteComment(
	viewer: Viewer,
	id: number,
): Promise<{ url: string; elsewhere: string | null; undoable: boolean }> {
	const actor = requireSignedIn(viewer)
	const found = await requireDeletableComment(actor, id)
	const isPending = found.status === 'pending'
	const question = eventQuestion(found)
	const questionStatus = await changeForum(async (trx) => {
		// Begun together; the question is locked before the comment.
		const [locked, held] = await Promise.all([lockAnyQuestion(trx, question.id), lockAnyComment(trx, id)])
		if (!locked || held?.status !== found.status) throw isPending ? alreadyDecided() : new NoSuch('comment')
		return {
			event: { kind: 'comment-deleted', actorId: actor.id, question, commentId: id },
			async write() {
				if (isPending) await withdrawPending(trx, actor, 'comment', id)
				else await removeComment(trx, id, question.id, { status: 'deleted', by: actor.id })
				return locked.status
			},
		}
	})
	const undoable = !isPending && (await willBeReadable(actor, found))
	return { ...(await placesToReadOn(actor, question, questionStatus)), undoable }
}

/**
 * A comment that this viewer may delete: their own, published or pending; for moderators, any published one.
 * @throws NotFound, also where the viewer may not read the question; NotAllowed
 */
async function requireDeletableComment(viewer: SignedIn, id: number): Promise<AnyComment> {
	const found = isId(id) ? await findAnyComment(id) : undefined
	if (!found || !isStanding(viewer, found)) throw new NoSuch('comment')
	if (mayDelete(viewer, { authorId: found.member_id })) return found
	throw (await isReadable(viewer, found.id)) ? new NotAllowed(notAuthor) : new NoSuch('comment')
}

/**
 * The address of the question whose comment was deleted, and where this viewer reads its other comments: `elsewhere` is null if that is
 * the question's own page. A title that not everybody reads is left out of the address.
 */
async function placesToReadOn(
	viewer: Viewer,
	{ id, url }: { id: number; url: string },
	status: PostStatus,
): Promise<{ url: string; elsewhere: string | null }> {
	if (status === 'published') return { url, elsewhere: null }
	if (status === 'merged') return { url, elsewhere: `${withParams(url, { original: '1' })}#comments` }
	const permalink = permalinkOf(url)
	return { url: permalink, elsewhere: (await isReadable(viewer, id)) ? `${permalink}#comments` : '/forum' }
}

/** Whether this viewer can read a deleted comment once it is restored. */
async function willBeReadable(viewer: Viewer, comment: AnyComment): Promise<boolean> {
	return comment.gives_page || isReadable(viewer, comment.id)
}

const notAuthor = 'Only the author can change this comment.'
const noParent = 'The comment you are replying to was deleted.'

/**
 * A comment that this viewer may change: a published one, or their own pending one. Only a merge of accounts changes its author, and
 * then the former one can no longer write, so this may run before the transaction that locks it.
 */
async function requireChangeableComment(viewer: SignedIn, id: number) {
	const comment = isId(id) ? await findChangeableComment(id, viewer.id) : undefined
	if (!comment) throw new NoSuch('comment')
	if (!mayEdit(viewer, { authorId: comment.author_id })) throw new NotAllowed(notAuthor)
	return comment
}

/** Locks a comment, its question first. @throws NotFound; Conflict when its status has changed since {@link requireChangeableComment} */
async function lockUnchanged(
	trx: Executor,
	id: number,
	{ question_id, isPending }: { question_id: number; isPending: boolean },
): Promise<StoredComment> {
	if (isPending && !(await lockQuestion(trx, question_id))) throw new NoSuch('query')
	const stored = isPending ? await lockPendingComment(trx, id) : await lockComment(trx, id, question_id)
	if (stored) return stored
	throw isPending ? alreadyDecided() : new NoSuch('comment')
}

/** Undoes the deletion of a comment. @throws as `restoreQuestion` does, and NotFound where the viewer could not read it afterwards */
export async function restoreComment(viewer: Viewer, id: number): Promise<{ url: string }> {
	const actor = requireSignedIn(viewer)
	const found = isId(id) ? await findAnyComment(id, UNDO_SECONDS) : undefined
	if (found?.status !== 'deleted' || found.erased) throw new NotFound('There is no deleted comment to restore.')
	if (!mayRestore(actor, { deletedBy: found.status_by, recent: found.recent })) throw new NotAllowed(undoTooLate)
	if (!(await willBeReadable(actor, found))) throw new NoSuch('query')
	const question = eventQuestion(found)
	return changeForum(async (trx) => {
		const isHeld = await lockAnyQuestion(trx, question.id)
		return {
			event: { kind: 'comment-restored', actorId: actor.id, question, commentId: id, deletedBy: found.status_by },
			async write() {
				const by = { from: 'deleted', by: actor.id } as const
				if (!isHeld || !(await publishComment(trx, id, question.id, by)))
					throw new Conflict('This comment has already been restored.')
				return { url: `${question.url}#comment-${id}` }
			},
		}
	})
}
