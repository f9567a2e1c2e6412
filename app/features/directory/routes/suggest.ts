import { data } from 'react-router'
import { viewerOf } from '~/lib/context.ts'
import { answering } from '~/lib/http.ts'
import { wishOf } from '../directory.paths.ts'
import { suggest } from '../suggestions.server.ts'
import type { Route } from './+types/suggest'

/** `/suggest/developers?q=`: who and what may be meant, as JSON, for the header's search and the filters. Open to everybody. */
export function loader({ context, url }: Route.LoaderArgs) {
	return answering(async () => {
		const found = await suggest(wishOf(url.searchParams).q, viewerOf(context))
		return data(found, { headers: { 'Cache-Control': 'private, max-age=30' } })
	})
}
