import { redirect } from 'react-router'
import { readId } from '~/lib/checks.ts'
import { answering } from '~/platform/http/http.ts'
import { findCommentUrl } from '../discussion.server.ts'
import type { Route } from './+types/comment'

/** `/forum/comment/{id}`: leads to where one comment is to be seen, also when it lies deep or on a later page. */
export function loader({ params }: Route.LoaderArgs) {
	return answering(async () => redirect(await findCommentUrl(readId(params.id)), 302))
}
