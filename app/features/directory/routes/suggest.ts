import { data } from 'react-router'
import { countUse } from '~/features/accounts/security/rates.server.ts'
import { factsOf, viewerOf } from '~/lib/context.ts'
import { answering } from '~/platform/http/http.ts'
import { wishOf } from '../directory.paths.ts'
import { suggest } from '../suggestions.server.ts'
import type { Route } from './+types/suggest'

/** `/suggest/developers?q=`: who and what may be meant, as JSON, for the header's search and the filters. Open to everybody. */
export function loader({ url, context }: Route.LoaderArgs) {
	return answering(async () => {
		const viewer = viewerOf(context)
		await countUse('suggestions', viewer, factsOf(context).ip)
		const found = await suggest(wishOf(url.searchParams).q, viewer)
		return data(found, { headers: { 'Cache-Control': 'private, max-age=30' } })
	})
}
