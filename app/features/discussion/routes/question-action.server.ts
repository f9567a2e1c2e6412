import { redirect } from 'react-router'
import { deleteQuestion, restoreQuestion } from '~/features/asking/asking.server.ts'
import { pendingMessage } from '~/features/moderation/moderation.view.ts'
import { muteQuestion } from '~/features/questions/notifying/notifying.server.ts'
import { getQuestion } from '~/features/questions/questions.server.ts'
import { isPostPending } from '~/features/questions/writing/change.server.ts'
import { withParams } from '~/lib/addresses.ts'
import { requireId } from '~/lib/checks.ts'
import { Invalid, isSiteFault, NotAllowed, TooManyRequests } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { chooseIntent, EditConflict, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, redirectWithToast } from '~/platform/http/http.ts'
import { type CommentSort, type CommentView, sortParam } from '../comment.view.ts'
import { addComment, deleteComment, editComment, restoreComment } from '../commenting.server.ts'
import { findCommentUrl } from '../discussion.server.ts'
import { chooseSolution, withdrawSolution } from '../votes.server.ts'

type Act = (viewer: SignedIn, questionId: number, form: FormData, sort: CommentSort) => Promise<Response>

/** The actions of the forms on a question's page, by their field `intent`. */
const acts: Record<string, Act> = {
	comment: (viewer, questionId, form, sort) => add(viewer, { questionId, parentId: null }, form, sort),
	reply: (viewer, questionId, form, sort) =>
		add(viewer, { questionId, parentId: requireId(form.get('comment')) }, form, sort),
	'edit-comment': async (viewer, _questionId, form, sort) => {
		const id = requireId(form.get('comment'))
		const { url } = await editComment(viewer, id, { body: form.get('body'), version: form.get('version') ?? '' })
		return written(viewer, id, commentUrl(url, id, form.get('thread'), sort))
	},
	'delete-comment': async (viewer, _questionId, form, sort) => {
		const id = requireId(form.get('comment'))
		const { url, elsewhere, undoable } = await deleteComment(viewer, id)
		return redirectWithToast(elsewhere ?? `${sorted(url, sort)}#comments`, {
			type: 'success',
			message: 'Comment deleted.',
			...(undoable && {
				action: { label: 'Undo', to: url, fields: { intent: 'restore-comment', comment: String(id) } },
			}),
		})
	},
	mute: (viewer, questionId) => mute(viewer, questionId, true),
	unmute: (viewer, questionId) => mute(viewer, questionId, false),
	'choose-solution': async (viewer, questionId, form, sort) => {
		const { url } = await chooseSolution(viewer, { questionId, commentId: requireId(form.get('comment')) })
		return redirectWithSuccess(sorted(url, sort), 'Marked as the answer.')
	},
	'withdraw-solution': async (viewer, questionId, form, sort) => {
		const commentId = requireId(form.get('comment'))
		await withdrawSolution(viewer, { questionId, commentId })
		// Every page shows a solution; the comment is back in its place, which may be on a later one.
		const { url, inAnyOrder } = await findCommentUrl(viewer, commentId)
		return redirectWithSuccess(inAnyOrder ? sorted(url, sort) : url, 'No longer marked as the answer.')
	},
	'delete-query': async (viewer, questionId) => {
		const { url, undoable } = await deleteQuestion(viewer, questionId)
		return redirectWithToast('/forum', {
			type: 'success',
			message: 'Query Deleted Successfully',
			...(undoable && { action: { label: 'Undo', to: url, fields: { intent: 'restore-query' } } }),
		})
	},
	'restore-query': async (viewer, questionId) => {
		const { url } = await restoreQuestion(viewer, questionId)
		return redirectWithSuccess(url, 'Query restored.')
	},
	'restore-comment': async (viewer, _questionId, form) => {
		const id = requireId(form.get('comment'))
		await restoreComment(viewer, id)
		return redirectWithSuccess(`/forum/comment/${id}`, 'Comment restored.')
	},
}

async function add(
	viewer: SignedIn,
	place: { questionId: number; parentId: number | null },
	form: FormData,
	sort: CommentSort,
): Promise<Response> {
	const text = { body: form.get('body'), key: form.get('key') ?? '' }
	const { id, url, comment } = await addComment(viewer, { ...place, ...text })
	return written(viewer, id, commentUrl(url, id, form.get('thread'), sort), comment)
}

/**
 * Redirects to a new or changed comment, with a toast if it waits for a moderator.
 * @param added the comment, if it was just added
 */
async function written(viewer: SignedIn, id: number, place: string, added?: CommentView): Promise<Response> {
	const isPending = added ? added.unpublished !== null : await isPostPending(viewer, 'comment', id)
	if (!isPending) return redirect(place, 303)
	return redirectWithToast(place, { type: 'plain', message: `Comment saved. ${pendingMessage}` })
}

async function mute(viewer: SignedIn, questionId: number, muted: boolean): Promise<Response> {
	const { url } = await getQuestion(viewer, questionId)
	await muteQuestion(viewer, questionId, muted)
	const message = muted
		? 'Muted. You will get no more notifications about this query.'
		: 'Unmuted. You will get notifications about this query again.'
	return redirectWithSuccess(url, message)
}

/**
 * Runs the action of a form on a question's page, and redirects to the result. An error about a text is shown at its
 * form; other errors are error pages.
 * @param sort the order of comments on the page, which is kept
 */
export async function handleQuestionAction(viewer: SignedIn, questionId: number, form: FormData, sort: CommentSort) {
	try {
		return await chooseIntent(form.get('intent'), acts, viewer, questionId, form, sort)
	} catch (error) {
		if (error instanceof Invalid || error instanceof TooManyRequests) return refuseForm(error, form)
		// The author of a text can correct it after these errors, or send it again.
		const isForForm = error instanceof NotAllowed || error instanceof EditConflict || isSiteFault(error)
		if (isForForm && form.has('body')) return refuseForm(error, form)
		throw error
	}
}

/**
 * The address that shows a comment.
 * @param url the query's address with the comment's anchor
 * @param thread the field of that name: `self` or a comment's id when the question's plain page would not show it
 */
export function commentUrl(
	url: string,
	id: number,
	thread: FormDataEntryValue | null,
	sort: CommentSort = 'oldest',
): string {
	const named = thread === 'self' ? String(id) : thread
	const root = typeof named === 'string' && /^[1-9]\d{0,9}$/.test(named) ? named : null
	const [page = '', anchor] = url.split('#')
	return `${withParams(page, { sort: sortParam(sort), thread: root })}#${anchor}`
}

/** A query's address with the order of its comments. @param url its address, optionally with the anchor of a comment */
function sorted(url: string, sort: CommentSort): string {
	const [page = '', anchor] = url.split('#')
	return withParams(page, { sort: sortParam(sort) }) + (anchor ? `#${anchor}` : '')
}
