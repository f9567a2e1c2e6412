import { redirect } from 'react-router'
import { requireId } from '~/lib/checks.ts'
import { isPrefetch, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { openSearch } from '../searches.server.ts'
import type { Route } from './+types/saved-search'

/** Redirects to the results of a saved search and marks them as seen. */
export function loader({ request, params, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () =>
		redirect(await openSearch(requireLogin(context, url), requireId(params.id), !isPrefetch(request))),
	)
}
