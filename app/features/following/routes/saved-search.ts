import { redirect } from 'react-router'
import { readId } from '~/lib/checks.ts'
import { answering, isPrefetch, signedIn } from '~/platform/http/http.ts'
import { openSearch } from '../searches.server.ts'
import type { Route } from './+types/saved-search'

/** Redirects to the results of a saved search and marks them as seen. */
export function loader({ request, params, context, url }: Route.LoaderArgs) {
	return answering(async () =>
		redirect(await openSearch(signedIn(context, url), readId(params.id), !isPrefetch(request))),
	)
}
