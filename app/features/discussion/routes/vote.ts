import { redirect } from 'react-router'
import { requireId } from '~/lib/checks.ts'
import { handleBackgroundForm } from '~/platform/http/form.server.ts'
import { castVote } from '../votes.server.ts'
import type { Route } from './+types/vote'
import { commentUrl } from './question-action.server.ts'

export function loader() {
	return redirect('/forum')
}

/** Casts a vote: fields `query`, `comment` (none for the query itself), `value` (1, -1, or 0 to withdraw it). */
export function action({ request, context }: Route.ActionArgs) {
	return handleBackgroundForm({
		request,
		context,
		work: async (viewer, form) => {
			const commentId = form.get('comment') ? requireId(form.get('comment')) : null
			const { vote, score, url } = await castVote(viewer, {
				questionId: requireId(form.get('query')),
				commentId,
				vote: Number(form.get('value') || Number.NaN),
			})
			const place = commentId === null ? url : commentUrl(`${url}#comment-${commentId}`, commentId, form.get('thread'))
			return { value: vote, count: score, response: () => redirect(place, 303) }
		},
	})
}
