import { data } from 'react-router'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { factsOf, viewerOf } from '~/lib/context.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { suggestEverything } from '../everything.server.ts'
import type { Route } from './+types/suggest-everything'

/** `/suggest/everything?q=`: the switcher's suggestions for an input, as JSON. Public. */
export function loader({ url, context }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = viewerOf(context)
		await countUse('switcher', viewer, factsOf(context).ip)
		const offered = await suggestEverything(viewer, url.searchParams.get('q') ?? '')
		return data(offered, { headers: { 'Cache-Control': 'private, max-age=10' } })
	})
}
