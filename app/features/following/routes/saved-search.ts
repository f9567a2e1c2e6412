import { redirect } from 'react-router'
import { requireId } from '~/lib/checks.ts'
import { NotFound } from '~/lib/errors.ts'
import { isPrefetch, redirectWithToast, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { openSearch } from '../searches.server.ts'
import type { Route } from './+types/saved-search'

/** Redirects to the results of a saved search and marks them as seen; without such a search, to the list of those that there are. */
export function loader({ request, params, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = requireLogin(context, url)
		const isReading = !isPrefetch(request)
		try {
			return redirect(await openSearch(viewer, requireId(params.id), isReading))
		} catch (error) {
			if (!(error instanceof NotFound && isReading)) throw error
			return redirectWithToast('/following', { type: 'error', message: error.message })
		}
	})
}
