import { redirect } from 'react-router'
import { readId } from '~/lib/checks.ts'
import { answering } from '~/platform/http/http.ts'
import { findCommentUrl } from '../discussion.server.ts'
import type { Route } from './+types/comment'

/** `/forum/comment/{id}`: redirects to where a comment is shown, even if it is deep or on a later page. */
export function loader({ params }: Route.LoaderArgs) {
	return answering(async () => redirect(await findCommentUrl(readId(params.id)), 302))
}
