import { redirect } from 'react-router'
import { requireId } from '~/lib/checks.ts'
import { viewerOf } from '~/lib/context.ts'
import { redirectWithToast, withHttpErrors } from '~/platform/http/http.ts'
import { findCommentUrl } from '../discussion.server.ts'
import type { Route } from './+types/comment'

/** `/forum/comment/{id}`: redirects to where a comment is shown, even if it is deep or on a later page. */
export function loader({ params, context }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const { url, gone } = await findCommentUrl(viewerOf(context), requireId(params.id))
		return gone ? redirectWithToast(url, { type: 'plain', message: 'That comment is no longer there.' }) : redirect(url)
	})
}

/** Never shown, but an address without a page would answer errors as JSON. */
export default () => null
